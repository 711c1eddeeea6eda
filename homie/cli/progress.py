"""Progress of long operations: a bar on a terminal, a line now and then elsewhere."""

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
    """Callback for each finished item."""

    def __call__(self, name: str, *, done: int | None = None, total: int | None = None) -> None:
        """Show that one more item is finished.

        Args:
            name: Name of the item.
            done, total: Numbers of finished and of all items, if they are not known from counting.
        """


@contextmanager
def bar(total: int | None, what: str) -> Iterator[Advance]:
    """Show a bar on stderr. total: None if it is known later. what: the items, as `episodes`."""
    console = progress_console()
    bar_columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*bar_columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task(what, total=total)
        last = time.monotonic()

        def advance(name: str, *, done: int | None = None, total: int | None = None) -> None:
            nonlocal last
            if total is not None:
                bars.update(task, total=total, description=f"{what} ({name})")
            if done is None:
                bars.advance(task)
            else:
                bars.update(task, completed=done)
            if not console.is_terminal and time.monotonic() - last > QUIET:
                last = time.monotonic()
                task_state = bars.tasks[task]
                time_left = (
                    ""
                    if task_state.time_remaining is None
                    else f" ({timedelta(seconds=task_state.time_remaining)} left)"
                )
                tell(f"{task_state.completed:.0f} of {task_state.total or 0:.0f} {what}: {name}{time_left}")

        yield advance
