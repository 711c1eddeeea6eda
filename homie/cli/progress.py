"""Progress of what takes long: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Protocol

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from homie.cli.output import progress_console, tell

QUIET = 30.0
"""Seconds between two lines about the progress, where there is no terminal."""


class Advance(Protocol):
    """Called when one more is done."""

    def __call__(self, name: str, *, done: int | None = None, total: int | None = None) -> None:
        """Show that one more is done.

        Args:
            name: Of the item.
            done, total: How many are done, and how many there are, if that is not known from counting.
        """


@contextmanager
def bar(total: int | None, what: str) -> Iterator[Advance]:
    """A bar on stderr. total: None if it is known later. what: `episodes`."""
    console = progress_console()
    look = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*look, console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task(what, total=total)
        began = last = time.monotonic()
        first = 0.0

        def advance(name: str, *, done: int | None = None, total: int | None = None) -> None:
            nonlocal first, last
            if total is not None:
                bars.update(task, total=total, description=f"{what} ({name})")
            if done is None:
                bars.advance(task)
            else:
                bars.update(task, completed=done)
            completed, of = bars.tasks[task].completed, bars.tasks[task].total or 0.0
            first = first or completed - 1  # what was resumed took no time
            if not console.is_terminal and time.monotonic() - last > QUIET:
                last = time.monotonic()
                left = (last - began) / (completed - first) * (of - completed)
                tell(f"{completed:.0f} of {of:.0f} {what}: {name} ({timedelta(seconds=round(left))} left)")

        yield advance
