"""Parse the code blocks of a Markdown page, as a reader would use them.

A block whose first line is a comment that names a file (`# apple.yaml`) is that file. All other `console` and `python`
blocks are run, in the order of the page, in one folder.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"^(?P<indent>[ ]*)```(?P<language>[\w-]*)[^\n]*\n(?P<text>.*?)^[ ]*```[ ]*$", re.DOTALL | re.MULTILINE
)
_FILE = re.compile(r"^(?:#|//|<!--)\s*(?P<name>[\w./-]+\.\w+)(?:\s*-->)?\s*\n")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block. line: line number in the page, from 1. file: name to save it under, "" if it is to be run."""

    language: str
    text: str
    line: int
    file: str = ""


def blocks(page: Path) -> tuple[Block, ...]:
    """Return all blocks of a page in order."""
    source = page.read_text(encoding="utf-8")
    return tuple(_blocks(source))


def _blocks(source: str) -> Iterator[Block]:
    for match in _BLOCK.finditer(source):
        text = textwrap.dedent(match["text"])
        name = _FILE.match(text)
        yield Block(match["language"], text, source.count("\n", 0, match.start()) + 1, name["name"] if name else "")


def commands(block: Block) -> tuple[str, ...]:
    """Return the commands of a console block: lines joined at backslashes, without prompts and comment lines.

    In a block with `$` prompts the lines without one are output.
    """
    joined = re.sub(r"\\\n\s*", " ", block.text).splitlines()
    prompted = any(line.startswith("$ ") for line in joined)
    lines = [line.removeprefix("$ ") for line in joined if not prompted or line.startswith("$ ")]
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))
