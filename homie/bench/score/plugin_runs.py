"""Runs of commands of other packages, and their tables in `homie compare`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from homie.bench.score.compare_tables import Intervals
from homie.bench.table_formats import Table
from homie.kernel import registry
from homie.kernel.errors import BadInput


@dataclass(frozen=True, slots=True)
class Comparison:
    """Value of an entry point of `homie.comparisons`.

    Attributes:
        head: File that identifies a run folder of the command.
        tables: Function that returns the tables of such folders. Raises BadInput for folders that cannot be compared.
    """

    head: str
    tables: Callable[[Sequence[Path]], tuple[Table, ...]]


def comparisons() -> tuple[Comparison, ...]:
    """Return the comparisons of all installed packages."""
    return tuple(registry.usable("comparisons").values())


def page_across(folders: Sequence[Path], profile: str, intervals: Intervals, page: Path) -> tuple[Table, int]:
    """Write the page across protocols; return its table and its size in bytes. Raises BadInput."""
    if "protocols" not in registry.names("pages"):
        raise BadInput("--protocols needs Homie's package 'suites', which is not here: install Homie again with it.")
    result: tuple[Table, int] = registry.load("pages", "protocols")(folders, profile, intervals, page)
    return result
