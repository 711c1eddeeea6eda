"""The built-in suites. docs/homie-100.md says what is in them and how they were made."""

from __future__ import annotations

from importlib.resources import as_file, files

from homie.bench.suite.suite import Suite, read_suite


def homie_100() -> Suite:
    """100 household tasks in generated houses, spanning what EMMOE-100 spans (EMMOE, section 3.1)."""
    with as_file(files(__name__).joinpath("homie-100.yaml")) as path:
        return read_suite(path)
