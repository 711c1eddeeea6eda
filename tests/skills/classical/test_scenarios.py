"""Scripted scenarios of benchmarks/scenarios: one of them played, all of them read."""

from __future__ import annotations

import pytest

from benchmarks.scenario import read, scenarios
from benchmarks.scenario_play import play

SCENARIOS = {path.stem.split("-")[0]: path for path in scenarios().values()}


def test_every_scenario_can_be_built_and_has_steps() -> None:
    assert len(SCENARIOS) == 24
    for path in SCENARIOS.values():
        scenario = read(path)
        names = {item.name for item in (*scenario.scene().objects, *scenario.scene().furniture)}
        assert list(scenario.subtasks())
        assert {*scenario.at, *scenario.at.values(), *scenario.shut, *scenario.open} <= names, path.stem


@pytest.mark.slow
@pytest.mark.parametrize("name", ["s18"])
def test_a_doorway_that_is_blocked(name: str) -> None:
    played = play(read(SCENARIOS[name]))
    assert (played.failed, played.wrong, played.crash) == ([], [], "")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["s03", "s14"])
def test_nests_and_stacks_come_apart_from_the_top(name: str) -> None:
    """Whoever lifts the lowest of three cans throws down the others: it is refused, and so is a bowl with a bowl in
    it."""
    played = play(read(SCENARIOS[name]))
    assert (played.failed, played.wrong, played.crash) == ([], [], "")
