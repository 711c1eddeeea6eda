"""Every code block of README and docs runs as written (`make check-docs`)."""

from __future__ import annotations

import ast
import json
import re
import resource
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from blocks import Block, blocks, commands
from stage import ROOT, Stage, environment
from ways import way_of, ways

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LIMIT = 540
"""Seconds for one block: more is a hang, or nothing for a page."""
PARSERS: Mapping[str, Callable[[str], object]] = {
    "yaml": yaml.safe_load,
    "json": json.loads,
    "toml": tomllib.loads,
    "python": ast.parse,
}
LANGUAGES = {"", "console", "text", "jinja", *PARSERS}
"""Of blocks. Those without a name and `text` are not code: output, drawings, trees of files."""
COMMAND = re.compile(r"^\s*(\$ |pip |make |git |homie [a-z]|python3? |\.venv/bin/)", re.MULTILINE)


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return Stage(tmp_path_factory.mktemp("fakes"))


NOTHING_DONE = 'homie_run() { homie run "$@" || test $? = 1; }'
"""The models, checkpoints and people in place of a reader's own do nothing, and `homie run` ends with 1 then."""

HOMIE_RUN = re.compile(r"^((?:\w+=\S+ )*)homie run ")


def run_as(block: Block) -> tuple[str, ...]:
    """What `ways.yaml` may have an entry for: the commands of a console block, a Python block as a whole."""
    return (block.text,) if block.language == "python" else commands(block)


def script(block: Block, page: str) -> str:
    """A console block as a script for bash: commands that cannot be run to their end are run as `ways.yaml` says."""
    lines = ["trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT", NOTHING_DONE]
    for number, command in enumerate(commands(block)):
        way = way_of(command, page)
        lines += way.script(command, number) if way else (HOMIE_RUN.sub(r"\1homie_run ", command),)
    return "\n".join(lines)


def run(block: Block, page: str, folder: Path, environ: Mapping[str, str]) -> str:
    """Run one block; what went wrong, "" for nothing."""
    if block.language == "console":
        text = script(block, page)
        command = ["bash", "-euo", "pipefail", "-c", text]
    else:
        text = block.text
        command = [sys.executable, "-c", text]
    # A session of its own, so that a block that hangs is ended with all that it has started.
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        subprocess.run(["kill", f"-{signal.SIGKILL}", "--", f"-{process.pid}"], check=False)
        output, _ = process.communicate()
        return f"{page}:{block.line} still ran after {LIMIT} s\n{text}\n{output[-2000:]}"
    if process.returncode == 0:
        return ""
    return f"{page}:{block.line} ended with {process.returncode}\n{text}\n{output[-2000:]}"


@contextmanager
def print_duration(label: str) -> Iterator[None]:
    """Print how long something took, on the clock and of processors (shown by `-s`, and where a page fails)."""
    start, used = time.monotonic(), processor_seconds()
    yield
    print(f"{label}: {time.monotonic() - start:.0f} s, {processor_seconds() - used:.0f} s of processors")


def processor_seconds() -> float:
    """Of this process and of those that it has started and that have ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


@pytest.mark.docs
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, stage: Stage) -> None:
    with print_duration(f"{page.name} prepared"):
        stage.prepare(tmp_path, page)
    failures: list[str] = []
    for block in blocks(page):
        if parse := PARSERS.get(block.language):
            parse(block.text)
        if block.file:
            path = tmp_path / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.language == "console" or (block.language == "python" and way_of(block.text, page.name) is None):
            with print_duration(f"{page.name}:{block.line}"):
                failure = run(block, page.name, tmp_path, environment())
            if failure:
                print(failure)
                failures.append(f"{page.name}:{block.line}")
    assert failures == [], "see what was printed"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_is_to_be_run_says_so(page: Path) -> None:
    assert {block.language for block in blocks(page)} <= LANGUAGES
    hidden = [block.line for block in blocks(page) if block.language in ("", "text") and COMMAND.search(block.text)]
    assert hidden == [], "commands stand in a block of `console`"


def test_every_way_is_of_a_command_in_the_docs() -> None:
    pages = [(page.name, command) for page in PAGES for block in blocks(page) for command in run_as(block)]
    unused = [
        way.command
        for way in ways()
        if not any(command.startswith(way.command) and way.page in ("", name) for name, command in pages)
    ]
    assert unused == []
