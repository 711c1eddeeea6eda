"""Output of commands: results on stdout, progress on stderr. Control characters are written as escapes."""

from __future__ import annotations

import logging
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import typer

from homie.kernel.support.text import json_safe, printable

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

LEAST_WIDTH = 24
"""Smallest width of a wrapped last column: with less room it begins on its own line."""
progress = logging.getLogger("homie.progress")
"""Progress messages on stderr. `--quiet` turns them off."""


def say(text: str, *, end: str = "\n") -> None:
    """Print a text on stdout."""
    typer.echo(printable(text) + end, nl=False)


def tell(text: str) -> None:
    """Print a progress line on stderr, unless `--quiet` was given."""
    progress.info("%s", text)


def progress_console() -> Console:
    """Return the console on stderr for progress displays; it draws nothing if `--quiet` was given."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, quiet=not progress.isEnabledFor(logging.INFO))


def print_json(value: object) -> None:
    """Print one JSON object for `--json`; nothing else may be printed on stdout."""
    from homie.kernel.support.files import to_json

    typer.echo(json_safe(to_json(value).decode()), nl=False)


def save(path: Path, data: bytes) -> None:
    """Write a file that the user asked for and print its path. Raises BadInput if it cannot be written."""
    from homie.kernel.support.files import write_atomically, writing

    with writing(path):
        write_atomically(path, data)
    tell(f"wrote {path}")


def columns(rows: Iterable[Sequence[str]], indent: str = "") -> str:
    """Format rows as lines of aligned columns. On a terminal the last column is wrapped to its width, elsewhere a row
    is a line. Nothing is truncated.

    Example:
        >>> print(columns([("name", "kind"), ("fridge_1", "fridge")]))
        name      kind
        fridge_1  fridge
    """
    table = [tuple(printable(cell) for cell in row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in table)
    offset = len(indent) + sum(widths[:-1]) + 2 * len(widths[:-1])
    return "\n".join(_wrapped(indent + line.rstrip(), offset) for line in lines)


def _wrapped(line: str, offset: int) -> str:
    """Wrap a line to the terminal: the text after `offset` characters is wrapped."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else len(line)
    last_column = line[offset:]
    if len(line) <= width or not last_column:
        return line
    is_narrow = width - offset < LEAST_WIDTH
    indent = " " * (len(line) - len(line.lstrip()) + 4 if is_narrow else offset)
    room = max(width - len(indent), LEAST_WIDTH)
    parts = textwrap.wrap(last_column, room, break_long_words=False, break_on_hyphens=False)
    head = f"{line[:offset].rstrip()}\n{indent}" if is_narrow else line[:offset]
    return head + f"\n{indent}".join(parts)
