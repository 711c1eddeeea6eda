"""Suites that a package brings as YAML files in it."""

from __future__ import annotations

from importlib.resources import as_file, files

from homie.bench.suite.suite import Suite, read_suite


def shipped(package: str, name: str) -> Suite:
    """The suite in the file `<name>.yaml` of a package. Raises BadInput as `read_suite` does."""
    with as_file(files(package).joinpath(f"{name}.yaml")) as path:
        return read_suite(path)
