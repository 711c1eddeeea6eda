"""What a part gets from its contract without writing it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from homie_tiny import SPEC, TinyDetector, TinyLocator, TinyRobot, TinySkill, TinySkills

from homie.kernel import interfaces
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Detector, Locator, Planner, Robot, Skill, SkillSet, kind_of
from homie.kernel.types import VIEWS, Detection, Goal


class Silent(Planner):
    def reset(self, task: str, *, seed: int) -> None: ...

    def decide(self, planner_input):  # type: ignore[no-untyped-def]
        raise AssertionError


def test_a_planner() -> None:
    planner = Silent()
    assert (planner.name, planner.Settings, planner.extra, planner.keys) == ("", None, "", ())
    assert planner.describe() == {} and planner.texts() == {}


def test_a_robot() -> None:
    robot = TinyRobot()
    assert (robot.views, robot.eye, robot.actions) == (VIEWS, "head", ())
    assert robot.inventory_by == "feedback" and robot.picture_size is None and robot.describe() == {}
    with pytest.raises(BadInput, match="use --targets sensors"):
        interfaces.background(robot)
    with robot as entered:
        assert entered is robot and not robot.closed
    assert robot.closed


def test_the_background_is_the_robots() -> None:
    class Knowing(TinyRobot):
        def background(self) -> Locator:
            return TinyLocator(self)

    assert isinstance(interfaces.background(Knowing()), TinyLocator)


def test_a_skill() -> None:
    class Looking(TinySkill):
        cameras = ("front", "left")
        max_seconds = Skill.max_seconds

    skill = Looking("Pick")
    assert skill.required_cameras() == ("front", "left") and skill.max_seconds == 60.0
    assert skill.reason == "" and skill.feedback_message == ""
    skill.revise(Goal("ball", "", np.zeros(3)))
    assert (Skill.name, Skill.actions, Skill.cameras) == ("", (), ())


def test_a_set_of_skills() -> None:
    assert TinySkills().describe() == {}
    TinySkills().close()
    assert (SkillSet.name, SkillSet.actions, SkillSet.Settings, SkillSet.extra) == ("", (), None, "")


def test_a_detector_takes_no_argument_of_its_own_accord() -> None:
    assert TinyDetector().describe() == {} and TinyDetector("").name == "tiny"
    with pytest.raises(BadInput, match=r"The detector 'tiny' takes no argument \(got 'file'\)"):
        TinyDetector("file")
    assert (Detector.name, Detector.Settings, Detector.extra) == ("", None, "")


class Map(TinyLocator):
    """Everything is as far away as the test says."""

    metres = 0.0
    spots = ("kitchen",)

    def is_spot(self, entity: str) -> bool:
        return entity in self.spots

    def distance(self, entity, observation):  # type: ignore[no-untyped-def]
        return self.metres


@pytest.mark.parametrize(
    ("entity", "metres", "there"),
    [("kitchen", 0.3, True), ("kitchen", 0.31, False), ("apple", 2.0, True), ("apple", 2.01, False)],
)
def test_where_go_to_ends(entity: str, metres: float, there: bool) -> None:
    robot = TinyRobot()
    locator = Map(robot)
    locator.metres = metres
    assert locator.arrived(entity, robot.observe()) is there


def test_a_locator() -> None:
    robot = TinyRobot()
    locator, observation = TinyLocator(robot), robot.observe()
    assert (Locator.name, locator.cameras, locator.due(observation)) == ("", (), None)
    assert locator.objection("moon", ACTION_TABLE["Pick"]) == "" and locator.listing() == ()
    boxes = [Detection("apple", "front", (0, 0, 1, 1), instance=name) for name in ("apple_1", "apple_2", "apple_1")]
    assert locator.arranged(boxes) == tuple(boxes)
    assert Locator.seen(locator, "apple_1", boxes) == (boxes[0], boxes[2])


def test_the_spec_of_the_smallest_robot_is_whole() -> None:
    assert SPEC.period == 0.1 and math.isfinite(SPEC.gripper_max) and isinstance(TinyRobot(), Robot)


class Named(TinyLocator):
    """Knows things by their kinds, and the held object."""

    holds: str | None = None

    def held(self, observation):  # type: ignore[no-untyped-def]
        return self.holds

    def resolve(self, words, action, observation):  # type: ignore[no-untyped-def]
        assert action.target == "loose"
        return {"fruit": "red_apple_2", "snack": "lemon_1", "apple": "red_apple_1"}.get(words)


@pytest.mark.parametrize(
    ("words", "inventory", "holds", "same"),
    [
        ("apple", (), "red_apple_1", True),
        ("the red apple", (), "apple_3", True),
        ("a lemon", (), "red_apple_1", False),
        ("red lemon", (), "red_apple_1", False),
        ("fruit", (), "red_apple_1", True),
        ("snack", (), "red_apple_1", False),
        ("apple", ("mug", "red apple"), None, True),
        ("mug", ("mug", "red apple"), None, False),
        ("fruit", ("apple",), None, True),
        ("moon", ("apple",), None, False),
        ("moon", ("sun",), None, False),
        ("fruit", ("sun",), None, False),
        ("fruit", (), None, False),
        ("fruit", ("fruit",), "lemon_1", True),
        ("fruit", ("apple",), "lemon_1", False),
        ("the", (), "red_apple_1", False),
        ("", (), "red_apple_1", False),
        ("An Apple 7", (), "red_apple_1", True),
    ],
)
def test_words_that_mean_what_is_in_the_hand(words: str, inventory: tuple[str, ...], holds: str, same: bool) -> None:
    robot = TinyRobot()
    locator = Named(robot)
    locator.holds = holds
    assert locator.names_held(words, inventory, robot.observe()) is same


def test_the_kind_of_an_entity() -> None:
    assert [kind_of(name) for name in ("tomato_soup_can_2", "apple", "apple 12", "7up_can_3", "can_4_you")] == [
        "tomato soup can", "apple", "apple", "7up can", "can 4 you"
    ]  # fmt: skip
