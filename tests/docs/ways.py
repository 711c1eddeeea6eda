"""How a command of the docs is run where it cannot be run to its end, from `ways.yaml`, each with its reason."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter


class Way(BaseModel):
    """One entry: all commands that begin with `command` (on `page`, where one is named).

    do: `skip` it, `serve` it in the background until the page ends, or `interrupt` it with Ctrl-C once it works.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: str
    page: str = ""
    do: Literal["skip", "serve", "interrupt"] = "skip"
    why: str


@functools.cache
def ways() -> tuple[Way, ...]:
    """All entries."""
    text = Path(__file__).with_name("ways.yaml").read_text(encoding="utf-8")
    return TypeAdapter(tuple[Way, ...]).validate_python(yaml.safe_load(text))


def way_of(command: str, page: str) -> Way | None:
    """The entry for a command, None where it is simply run."""
    return next((way for way in ways() if command.startswith(way.command) and way.page in ("", page)), None)
