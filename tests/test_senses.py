"""Looking once: a state of the world is rendered, searched and remembered once, however often it is asked for."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from homie_tiny import SPEC, TinyDetector, TinyLocator, TinyRobot, TinySkills

from error_detection import execution, paper_order
from homie.kernel.agent import Episode
from homie.kernel.episode_rules import EpisodeRules
from homie.kernel.errors import RobotFault
from homie.kernel.executor import Executor
from homie.kernel.interfaces import Listeners, Planner
from homie.kernel.look_and_detect import Senses
from homie.kernel.skill_table import SkillTable
from homie.kernel.types import VIEWS, Command, Decision, Subtask


class Counting(TinyRobot):
    """Keeps which camera was rendered at which time."""

    waits = True

    def __init__(self) -> None:
        super().__init__()
        self.rendered: list[tuple[float, str]] = []

    def _picture(self, name):
        self.rendered.append((self.stamp, name))
        return super()._picture(name)


class Remembering(TinyLocator):
    """A locator with a camera of its own, which keeps its input."""

    cameras = (*VIEWS, "head")

    def reset(self, *, seed: int) -> None:
        self.looks: list[tuple[float, tuple[str, ...]]] = []

    def update(self, observation, detections):
        self.looks.append((observation.stamp, tuple(observation.frames)))
        assert {detection.view for detection in detections} <= observation.frames.keys()


@pytest.fixture
def senses() -> Senses:
    robot = Counting()
    tiny_senses = Senses(robot, TinyDetector(), Remembering(robot))
    tiny_senses.reset(seed=0)
    return tiny_senses


@pytest.mark.parametrize("number", [math.nan, math.inf])
@pytest.mark.parametrize("field", ["time", "x", "y", "yaw"])
def test_a_time_or_pose_that_is_not_finite_ends_the_episode(field, number):
    class Lost(TinyRobot):
        def observe(self, cameras=()):
            observation = super().observe(cameras)
            if field == "time":
                return replace(observation, stamp=number)
            return replace(
                observation, body=replace(observation.body, base=replace(observation.body.base, **{field: number}))
            )

    robot = Lost()
    senses = Senses(robot, TinyDetector(), TinyLocator(robot))
    for cameras in ((), ("front",)):
        with pytest.raises(
            RobotFault, match=rf"^The robot tiny measures {number} as its {field}, which is not a finite number\.$"
        ):
            senses.observe(cameras)


def test_a_camera_is_looked_through_once_between_two_commands(senses: Any) -> None:
    first = senses.look(("front", "left"))
    again = senses.look(("left", "front", "head"))
    assert senses.robot.rendered == [(0.0, "front"), (0.0, "left"), (0.0, "head")]
    assert senses.locator.looks == [(0.0, ("front", "left")), (0.0, ("head",))], "nothing is remembered twice"
    assert list(again.observation.frames) == ["left", "front", "head"]
    assert again.observation.frames["front"] is first.observation.frames["front"]
    assert [detection.view for detection in again.detections] == ["front", "front", "head", "head"]
    assert all(any(detection is other for other in again.detections) for detection in first.detections)
    senses.robot.act(Command())
    senses.look(("front",))
    assert senses.robot.rendered[3:] == [(0.1, "front")]


def test_pictures_that_were_only_taken_are_searched_when_they_are_looked_at(senses: Any) -> None:
    assert list(senses.observe(("front",)).frames) == ["front"] and senses.locator.looks == []
    assert {detection.name for detection in senses.look(("front",)).detections} == {"ball", "box"}
    assert senses.robot.rendered == [(0.0, "front")] and senses.locator.looks == [(0.0, ("front",))]
    assert senses.look(()).detections == () and not senses.observe().frames and len(senses.locator.looks) == 1


def test_what_a_planner_is_shown_is_the_views_alone(senses: Any) -> None:
    sight = senses.look_around()
    assert tuple(sight.observation.frames) == VIEWS and {detection.view for detection in sight.detections} == {"front"}
    senses.look(senses.locator.cameras)
    assert [name for _, name in senses.robot.rendered] == [*VIEWS, "head"]


def test_a_robot_whose_time_goes_on_looks_anew(senses: Any) -> None:
    senses.robot.waits = False
    senses.look(("front",))
    senses.look(("front",))
    assert senses.robot.rendered == [(0.0, "front")] * 2 and len(senses.locator.looks) == 2


@pytest.mark.parametrize("change", ["reset", "forget"])
def test_a_world_that_was_changed_at_one_time_is_looked_at_anew(senses: Any, change: str) -> None:
    senses.look(("front",))
    senses.reset(seed=0) if change == "reset" else senses.forget()
    senses.look(("front",))
    assert senses.robot.rendered == [(0.0, "front")] * 2


class Doing(Planner):
    """Does the task."""

    name = "doing"

    def reset(self, task, *, seed):
        self.subtasks = iter([("Go to", "ball"), ("Pick", "ball"), ("Go to", "box"), ("Put", "ball", "box"), ("End",)])

    def decide(self, planner_input):
        return Decision((Subtask(*next(self.subtasks)),))


def test_in_an_episode_no_state_of_the_world_is_looked_at_twice(senses: Any) -> None:
    skills = {action: skill for skill in TinySkills().skills(SPEC, senses.robot.kinematics) for action in skill.actions}
    executor = Executor(senses, SkillTable({"tiny": skills}), paper_order, execution)
    episode = Episode("go", Doing(), executor, EpisodeRules(rounds=9), seed=0, listener=Listeners())
    while not episode.over:
        episode.step()
    assert all(record.feedback.ok for record in episode.history)
    rendered = senses.robot.rendered
    assert len(rendered) == len(set(rendered)) == 5 * 5, "before each subtask and after the last: five cameras once"
