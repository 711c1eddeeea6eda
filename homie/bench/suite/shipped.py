"""Suites in YAML files inside packages, and those of Homie's own homes: `homie-100` (docs/results.md) and four of the
Panda's table (docs/robots.md)."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Any

from homie.bench.suite.suite import Suite, read_suite
from homie.kernel.support import deprecated_imports

PACKAGE = "homie.bench.suite"


def shipped(package: str, name: str) -> Suite:
    """Read the suite in the file `<name>.yaml` of a package. Raises BadInput as `read_suite` does."""
    with as_file(files(package).joinpath(f"{name}.yaml")) as path:
        return read_suite(path)


def homie_100() -> Suite:
    """100 household tasks in generated houses, spanning what EMMOE-100 spans (EMMOE, section 3.1)."""
    return shipped(PACKAGE, "homie-100")


def table_pick() -> Suite:
    """100 tables: one of several shapes into one of two containers."""
    return shipped(PACKAGE, "table-pick")


def table_stack() -> Suite:
    """100 tables: two or three shapes on top of each other."""
    return shipped(PACKAGE, "table-stack")


def table_sort() -> Suite:
    """100 tables: a shape through its own hole of a shape sorter."""
    return shipped(PACKAGE, "table-sort")


def table_wipe() -> Suite:
    """100 tables: a sponge over one of several areas."""
    return shipped(PACKAGE, "table-wipe")


def __getattr__(name: str) -> Any:
    """Return a suite of a published benchmark under its former name."""
    return deprecated_imports.attribute("homie.bench.suites", name, "suites.published")
