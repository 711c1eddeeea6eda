"""A pytest plugin for both runs: contexts of coverage and durations in the first, quick properties in the second.

It is loaded with `-p benchmarks.mutants.plugin` in a copy of the tree.
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
"""The variable that tells processes that a test starts in which context they run."""


def pytest_configure(config: pytest.Config) -> None:
    import hypothesis

    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)  # a failure need not be made small
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
        """What a shared fixture runs counts for every test of its file: the first one happens to make it."""
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
        kept = {test: round(seconds, 4) for test, seconds in self._seconds.items() if test not in self._failed}
        self._path.write_text(json.dumps(kept))
