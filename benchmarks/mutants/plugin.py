"""Pytest plugin: records coverage contexts and durations in the coverage run, shortens Hypothesis for the mutants.

Loaded with `-p benchmarks.mutants.plugin` in a copy of the tree.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CONTEXT = "MUTANTS_CONTEXT"
"""Environment variable with the coverage context for the processes that a test starts."""


def pytest_configure(config: pytest.Config) -> None:
    import hypothesis

    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)  # no shrinking of failures
    hypothesis.settings.register_profile("mutants", deadline=None, derandomize=True, database=None, phases=phases)
    hypothesis.settings.load_profile("mutants")
    if durations := os.environ.get("MUTANTS_DURATIONS"):
        config.pluginmanager.register(_Contexts(Path(durations)))


class _Contexts:
    def __init__(self, durations: Path) -> None:
        self._path = durations
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._failed: set[str] = set()
        self._test = ""

    def _switch(self, context: str) -> None:
        import coverage

        os.environ[CONTEXT] = context
        running = coverage.Coverage.current()
        if running is not None:
            running.switch_context(context)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._test = item.nodeid
        self._switch(item.nodeid)
        yield
        self._switch("")

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
        """Attribute the lines run by a shared fixture to all tests of the file, not only to the first to use it."""
        if fixturedef.scope == "function":
            return (yield)
        self._switch(self._test.split("::")[0])
        try:
            return (yield)
        finally:
            self._switch(self._test)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += report.duration
        if report.outcome != "passed":
            self._failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        passed = {test: round(seconds, 4) for test, seconds in self._seconds.items() if test not in self._failed}
        self._path.write_text(json.dumps(passed))
