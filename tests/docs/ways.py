"""Rules for commands of the docs that cannot be run to their end, read from `ways.yaml`, each with its reason."""

from __future__ import annotations

import functools
import shlex
import sys
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, model_validator

UNTIL = Path(__file__).with_name("until.py")
PATIENCE = 300
"""Timeout for the start of a server (tenths of a second)."""


class Way(BaseModel):
    """One entry: all commands that begin with `command` (on `page`, where one is named); a Python block is one command.

    do: `skip` it; `serve` it in the background until its block ends; `interrupt` it with Ctrl-C; expect it to `fail`;
    `type` lines to it.
    says: regular expression for its output once it is ready (`serve`, `interrupt`), or when it fails.
    lines: lines to type.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: str
    page: str = ""
    do: Literal["skip", "serve", "interrupt", "fail", "type"] = "skip"
    says: str = ""
    lines: tuple[str, ...] = ()
    why: str

    @model_validator(mode="after")
    def _check_fields(self) -> Way:
        if (self.do in ("serve", "interrupt", "fail")) != bool(self.says) or (self.do == "type") != bool(self.lines):
            raise ValueError("`says` belongs to `serve`, `interrupt` and `fail`, `lines` to `type`")
        return self

    def script(self, command: str, number: int) -> tuple[str, ...]:
        """Return the bash lines that run a command of this entry. number: index of the command in its block."""
        if self.do == "skip":
            return ()
        shell = shlex.join(shlex.split(command, comments=True))  # nothing can be appended after a comment
        log, pattern = f"said-{number}.log", shlex.quote(self.says)
        match self.do:
            case "serve":
                wait = f"for n in {{1..{PATIENCE}}}; do grep -qE {pattern} {log} && break; sleep 0.1; done"
                # a log of an earlier block with the same number would end the wait
                return f"rm -f {log}", f"{shell} > {log} 2>&1 &", f"{wait}; cat {log}; grep -qE {pattern} {log}"
            case "interrupt":
                return (f"{sys.executable} {UNTIL} {pattern} {shell}",)
            case "fail":
                return f"! {shell} > {log} 2>&1 || exit 1", f"cat {log}; grep -qE {pattern} {log}"
            case "type":
                return (f"printf '%s\\n' {shlex.join(self.lines)} | {shell}",)


@functools.cache
def ways() -> tuple[Way, ...]:
    """Read all entries."""
    text = Path(__file__).with_name("ways.yaml").read_text(encoding="utf-8")
    return TypeAdapter(tuple[Way, ...]).validate_python(yaml.safe_load(text))


def way_of(command: str, page: str) -> Way | None:
    """Return the entry for a command, None if it is simply run."""
    return next((way for way in ways() if command.startswith(way.command) and way.page in ("", page)), None)
