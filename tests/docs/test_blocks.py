"""Every code block of README and docs runs as written (`make check-docs`)."""

from __future__ import annotations

import ast
import json
import shlex
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
import yaml
from blocks import Block, blocks, commands
from endpoint import Endpoint, says
from stage import ROOT, environment, prepare
from ways import way_of, ways

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LIMIT = 540
"""Seconds for one block: more is a hang, or nothing for a page."""
WORKS = 60
"""Seconds after which a command that runs for hours is taken to work, and is ended with Ctrl-C."""
STOPPED = 130
SERVES = "ws://|on the ROS 2 network|listening at"
"""What a command says that serves from now on."""
END = '{"analysis": "Nothing is left to do.", "subtasks": [{"action": "End"}], "model": "classical"}'
PARSERS: Mapping[str, Callable[[str], object]] = {
    "yaml": yaml.safe_load,
    "json": json.loads,
    "toml": tomllib.loads,
    "python": ast.parse,
}

pytestmark = pytest.mark.docs


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    """A language model at the address that the pages use; it ends every task at once."""
    with Endpoint(says(END), port=8000) as endpoint:
        yield f"http://{endpoint.host}/v1"


def script(block: Block, page: str) -> str:
    """A console block as a script for bash: commands that cannot be run to their end are run as `ways.yaml` says."""
    lines = ["trap 'kill $(jobs -p) 2>/dev/null || true' EXIT"]
    for command in commands(block):
        way = way_of(command, page)
        if way is None:
            lines.append(command)
        elif way.do == "interrupt":
            # `command` is the text up to a shell comment, which `timeout` cannot be given
            bare = shlex.join(shlex.split(command, comments=True))
            lines.append(f"timeout --preserve-status -s INT {WORKS} {bare} || test $? -eq {STOPPED}")
        elif way.do == "serve":
            bare = shlex.join(shlex.split(command, comments=True))
            log = f"serve-{len(lines)}.log"
            lines.append(f"{bare} 2> {log} &")
            lines.append(f"for n in {{1..300}}; do grep -qE '{SERVES}' {log} && break; sleep 0.2; done; cat {log} >&2")
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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, base_url: str) -> None:
    prepare(tmp_path, page)
    environ = environment(base_url)
    failures = []
    for block in blocks(page):
        if parse := PARSERS.get(block.language):
            parse(block.text)
        if block.file:
            path = tmp_path / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.language in ("console", "python"):
            failures.append(run(block, page.name, tmp_path, environ))
    assert not any(failures), "\n\n".join(filter(None, failures))


def test_every_way_is_of_a_command_in_the_docs() -> None:
    pages = [(page.name, command) for page in PAGES for block in blocks(page) for command in commands(block)]
    unused = [
        way.command
        for way in ways()
        if not any(command.startswith(way.command) and way.page in ("", name) for name, command in pages)
    ]
    assert unused == []
