"""The suites of Homie's own homes: `homie-100` (docs/homie-100.md), and four of the Panda's table (docs/robots.md)."""

from __future__ import annotations

from typing import Any

from homie.bench.suite.shipped import shipped
from homie.bench.suite.suite import Suite
from homie.kernel.support import moved


def homie_100() -> Suite:
    """100 household tasks in generated houses, spanning what EMMOE-100 spans (EMMOE, section 3.1)."""
    return shipped(__name__, "homie-100")


def table_pick() -> Suite:
    """100 tables: one of several shapes into one of two containers."""
    return shipped(__name__, "table-pick")


def table_stack() -> Suite:
    """100 tables: two or three shapes on top of each other."""
    return shipped(__name__, "table-stack")


def table_sort() -> Suite:
    """100 tables: a shape through its own hole of a shape sorter."""
    return shipped(__name__, "table-sort")


def table_wipe() -> Suite:
    """100 tables: a sponge over one of several areas."""
    return shipped(__name__, "table-wipe")


def __getattr__(name: str) -> Any:
    """A suite of a published benchmark, by the place where it was."""
    return moved.attribute(__name__, name, "suites.published")
