"""Runs of commands that other packages bring: how `homie compare` knows them and puts them in tables."""

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
    """What an entry point of `homie.comparisons` leads to.

    Attributes:
        head: The file by which a run folder of the command is known.
        tables: The tables of some such folders. Raises BadInput for folders that cannot be compared.
    """

    head: str
    tables: Callable[[Sequence[Path]], tuple[Table, ...]]


def comparisons() -> tuple[Comparison, ...]:
    """The comparisons of all packages that are there."""
    return tuple(registry.usable("comparisons").values())


def page_across(folders: Sequence[Path], profile: str, intervals: Intervals, page: Path) -> tuple[Table, int]:
    """Write the page across protocols; its table, and its size in bytes. Raises BadInput."""
    if "protocols" not in registry.names("pages"):
        raise BadInput("--protocols needs Homie's package 'suites', which is not here: install Homie again with it.")
    result: tuple[Table, int] = registry.load("pages", "protocols")(folders, profile, intervals, page)
    return result
