"""Changes other than those of the target are reported, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from homes import lay, one_room, swing

from error_detection import execution
from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.interfaces import Trial
from homie.kernel.types import Attempt, ErrorCode, Lying, Outcome, Subtask

DRAWER = {"name": "drawer", "kind": "drawer", "colour": "white", "x": 0.5, "y": 2.0}
TABLE = {"name": "table", "kind": "table", "colour": "wood", "x": 2.0, "y": 3.2}
TOP = {"receptacle": "table", "surface": "top", "y": 0.0}
THINGS = (
    {"name": "mug", "kind": "mug", "colour": "red", "x": 0.2, **TOP},
    {"name": "bowl", "kind": "bowl", "colour": "blue", "x": -0.2, **TOP},
    {"name": "apple", "kind": "apple", "colour": "red", "x": 0.0, **TOP},
)


@pytest.fixture
def home() -> Iterator[MujocoHome]:
    with MujocoHome(one_room([DRAWER, TABLE], THINGS)) as home:
        home.reset(seed=0)
        yield home


class Subtasks:
    """One subtask in a home: what is known when it begins, and the check of it at its end."""

    def __init__(self, home: MujocoHome, action: str, target: str, destination: str = "", entity: str = "") -> None:
        self.home, self.locator = home, home.background()
        self.locator.reset(seed=0)
        observation = home.observe()
        self.trial = Trial(
            subtask=Subtask(action, target, destination),
            action=ACTION_TABLE[action],
            entity=entity or target,
            held=self.locator.held(observation),
            attempt=Attempt(1, "test", Outcome.SUCCEEDED, "", 1.0, 1),
            observation=observation,
            world=self.locator,
            before=self.locator.arrangement(observation),
        )

    def move(self, name: str, by: Sequence[float], quaternion: Sequence[float] = (1.0, 0.0, 0.0, 0.0)) -> None:
        world = self.home.world
        at = world.position(world.objects[name].body) + np.array(by)
        lay(self.home.model, self.home.data, name, at.tolist(), quaternion)

    def report(self, outcome: Outcome = Outcome.SUCCEEDED) -> str:
        attempt = replace(self.trial.attempt, outcome=outcome)
        check = execution.check(replace(self.trial, attempt=attempt, observation=self.home.observe()))
        assert check.feedback.ok is (outcome is Outcome.SUCCEEDED)
        return check.feedback.words


def test_nothing_is_reported_where_nothing_has_changed(home: MujocoHome) -> None:
    assert Subtasks(home, "Go to", "table").report() == ""
    assert Subtasks(home, "Go to", "table").trial.before.openings == {"drawer": (0.0,)}


def test_what_has_not_changed_gets_no_name_from_the_check() -> None:
    """A name is for the rest of the episode: `apple` is the one that is named first, not the first in a list."""
    apples = [{**THINGS[2], "name": f"apple_{number}", "x": 0.4 * number - 0.6} for number in (1, 2)]
    with MujocoHome(one_room([DRAWER, TABLE], apples)) as home:
        home.reset(seed=0)
        subtasks = Subtasks(home, "Go to", "table")
        assert subtasks.report() == ""
        assert [subtasks.locator.called(name) for name in ("apple_2", "apple_1")] == ["apple", "apple 2"]


@pytest.mark.parametrize(("opening", "state"), [(0.06, "ajar"), (0.3, "open")])
def test_a_drawer_that_was_pulled_open_on_the_way_is_reported(home: MujocoHome, opening: float, state: str) -> None:
    subtasks = Subtasks(home, "Go to", "table")
    swing(home.model, home.data, "drawer", opening)
    sentence = f"meanwhile the drawer has been moved: it is {state} now"
    assert subtasks.report() == sentence
    assert subtasks.report(Outcome.FAILED).endswith(sentence), "of a subtask that failed, too"
    assert "too difficult" in subtasks.report(Outcome.FAILED)


def test_the_drawer_that_was_to_be_opened_and_a_little_play_are_not(home: MujocoHome) -> None:
    subtasks = Subtasks(home, "Open", "drawer")
    swing(home.model, home.data, "drawer", 0.3)
    assert subtasks.report() == ""
    subtasks = Subtasks(home, "Go to", "table")
    swing(home.model, home.data, "drawer", 0.32)
    assert subtasks.report() == ""


def test_what_was_knocked_over_or_off_is_reported_and_where_it_lies(home: MujocoHome) -> None:
    subtasks = Subtasks(home, "Pick", "apple")
    subtasks.move("mug", (0.0, 0.0, 0.0), (0.7071, 0.7071, 0.0, 0.0))
    assert subtasks.report() == "meanwhile the mug has been knocked over: it is on the table now"
    subtasks = Subtasks(home, "Pick", "apple")
    subtasks.move("bowl", (0.0, -1.5, -0.7))
    assert subtasks.report() == "meanwhile the bowl has been moved: it is on the floor now"


def test_what_was_pushed_by_a_hands_breadth_or_belongs_to_the_target_is_not(home: MujocoHome) -> None:
    subtasks = Subtasks(home, "Pick", "apple")
    subtasks.move("mug", (0.1, 0.0, 0.0))
    subtasks.move("apple", (0.0, -0.5, 0.0))
    assert subtasks.report() == ""
    subtasks.move("mug", (0.16, 0.0, 0.0))
    assert subtasks.report().startswith("meanwhile the mug has been moved")


def test_what_lies_in_the_target_goes_with_it(home: MujocoHome) -> None:
    world = home.world
    at = world.position(world.objects["bowl"].body)
    lay(home.model, home.data, "apple", (at + np.array([0.0, 0.0, 0.03])).tolist())
    subtasks = Subtasks(home, "Pick", "bowl")
    assert subtasks.trial.before.things["apple"].holder == "bowl"
    subtasks.move("bowl", (0.0, 0.0, 0.3))
    subtasks.move("apple", (0.0, 0.0, 0.3))
    assert subtasks.report() == ""


def test_what_was_not_seen_again_is_not_reported(home: MujocoHome) -> None:
    """From sensors: how it is now nobody knows."""
    subtasks = Subtasks(home, "Go to", "table")
    before = replace(subtasks.trial.before, seen={"mug": 3.0})
    away = Lying("", np.full(3, 9.0))
    for stamp, reported in ((3.0, ""), (4.0, "meanwhile the mug has been moved")):
        after = replace(before, things={"mug": away}, openings={}, seen={"mug": stamp})
        locator = subtasks.locator
        locator.arrangement = lambda _, after=after: after  # type: ignore[method-assign, misc]
        check = execution.check(replace(subtasks.trial, before=before, world=locator))
        assert check.feedback.words.startswith(reported) and bool(check.feedback.words) is bool(reported), stamp


def test_where_a_thing_that_was_lost_lies_is_reported(home: MujocoHome) -> None:
    subtasks = Subtasks(home, "Put", "apple", "drawer", entity="drawer")
    subtasks.move("apple", (0.0, -1.5, -0.7))
    attempt = replace(subtasks.trial.attempt, outcome=Outcome.FAILED, reason="the object was lost on the way")
    trial = replace(subtasks.trial, held="apple", attempt=attempt, observation=home.observe())
    check = execution.check(trial)
    assert check.code is ErrorCode.E2
    assert check.message == "Unable to put, and the object is missing: it is on the floor now"
    assert execution.check(replace(trial, held="plum")).message.startswith("Unable to put, and the object is missing; ")
