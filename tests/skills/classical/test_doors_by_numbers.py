"""Open and Close on a robot that follows commands at once, at doors that go with the hand: how far they come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from homie.envs.mujoco.robots.bodies.fetch import REST, SPEC
from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.kernel.types import Array, Articulation, Box, Goal, Outcome, Pose2, Subtask
from skills.classical.openclose import Close, Open
from skills.classical.pulls import STANDOFF, on_sweep
from skills.motion.held_object import Hand
from tests.skills.classical.doors import drawer, hinged, level_hinged, opening_at
from tests.skills.classical.obedient import KINEMATICS, PERIOD, ObedientRobot, floor_round, in_posture

BEGIN = Pose2(0.0, -1.6, 1.5)
CABINET = Box(np.array([0.0, 0.3, 0.6]), np.array([0.55, 0.27, 0.6]))
"""Behind the door or the drawer, whose front is at y = 0."""


class World:
    """A robot before something that opens; where the fingers are about its handle they take it, and it goes along.

    Args:
        part_at: What it is like when it is open so far.
        opening: How far it is open in the beginning.
        grips: Whether the fingers find the handle at all.
    """

    def __init__(self, part_at: Callable[[float], Articulation], opening: float, grips: bool = True) -> None:
        self.robot, self.part_at, self.part = ObedientRobot(BEGIN), part_at, part_at(opening)
        self.robot.stops_fingers = lambda: 0.02 if grips and self._at_handle() else 0.0
        self.openings = [opening]
        self.bodies = [self.robot.body]

    def _at_handle(self) -> bool:
        return float(np.linalg.norm(self.robot.gripper.position - self.part.handle)) < 0.04

    def goal(self) -> Goal:
        """As the robot sees it now."""
        return Goal(
            "cabinet",
            "",
            CABINET.center,
            box=CABINET,
            articulations=(self.part,),
            solids=(CABINET,),
            grid=floor_round(CABINET),
        )

    def act(self, skill: Open | Close) -> None:
        """One control period."""
        self.robot.act(skill.act(self.robot.observe()))
        body, opening = self.robot.body, self.part.opening
        assert CABINET.distance(body.base.xy) > SPEC.footprint_radius, "the base keeps out of the furniture"
        if body.holding:
            opening = opening_at(self.part, self.robot.gripper.position)
        elif isinstance(skill, Close) and body.gripper < 0.01:
            opening = min(opening, self._pushed())
        self.part = self.part_at(opening)
        self.openings.append(opening)
        self.bodies.append(body)
        skill.revise(self.goal())

    def _pushed(self) -> float:
        """How far it is still open where the shut hand has come."""
        part, hand = self.part, self.robot.gripper
        tip = hand.position + (SPEC.fingers.reach + 0.015) * hand.rotation[:, 0]
        if part.kind == "slide":
            return max(0.0, part.opening + min(0.0, float((tip - part.handle) @ part.outward)))
        lever = tip - part.axis_point
        width = float(np.linalg.norm((part.handle - part.axis_point)[:2]))
        if part.panel is None or abs(tip[2] - part.handle[2]) > 0.3 or not 0.1 < np.linalg.norm(lever[:2]) < width:
            return part.opening
        shut = self.part_at(0.0)
        x, y, _ = shut.handle - STANDOFF * shut.outward - shut.axis_point  # the panel, not its bar
        angle = np.arctan2(x * lever[1] - y * lever[0], x * lever[0] + y * lever[1]) * np.sign(part.axis[2])
        return float(max(0.0, angle)) if angle > -0.3 else part.opening


def attempt(world: World, skill: Open | Close, seconds: float = 160.0) -> str:
    """Until it ends; the reason."""
    start = world.robot.stamp
    skill.start(Subtask(skill.actions[0], "cabinet"), world.goal(), world.robot.observe())
    while skill.outcome is Outcome.RUNNING and world.robot.stamp - start < seconds:
        world.act(skill)
    return skill.reason


DOORS = {
    "left": lambda opening: hinged(-1.0, opening),
    "right": lambda opening: hinged(1.0, opening),
    "drawer": drawer,
    "flap": lambda opening: level_hinged(lid=False, opening=opening),
}


@pytest.mark.parametrize(("name", "least"), [("left", 1.45), ("right", 1.45), ("drawer", 0.38), ("flap", 1.125)])
def test_what_is_opened_stays_open_wide(name: str, least: float) -> None:
    world, skill = World(DOORS[name], 0.0), Open(SPEC, KINEMATICS, Hand())
    assert attempt(world, skill) == ""
    assert skill.outcome is Outcome.SUCCEEDED
    assert world.part.opening >= least
    robot = world.robot
    assert not robot.body.holding and in_posture(robot, REST), "the hand has left it"
    assert np.linalg.norm(robot.base.xy - CABINET.center[:2]) < 1.45, "what is in it comes next"
    assert not on_sweep(DOORS[name](0.0), robot.base.xy, world.part.opening) or name == "flap"
    first = next(number for number, opening in enumerate(world.openings) if opening > 0.02)
    assert robot.commands[first].get("gripper") == (0.0,), "it is led with the fingers closed"
    widths = [body.gripper for body in world.bodies[:first]]
    assert max(widths[-60:]) == pytest.approx(0.06, abs=0.003), "and taken with fingers that leave the panel alone"
    shut, stood = DOORS[name](0.0), world.bodies[first].base
    assert (stood.xy - shut.axis_point[:2]) @ shut.outward[:2] >= 0.149, "from before it, not from beside it"
    assert 0.42 < np.linalg.norm(stood.xy - shut.handle[:2]) < 1.1
    joints = np.array([SPEC.chain.measured(body) for body in world.bodies if body.holding])
    steps = np.abs(np.diff(joints, axis=0)).max(axis=0) / PERIOD
    assert (steps <= 0.7 * SPEC.chain.speeds + 1e-6).all(), "slower than the arm moves freely"


@pytest.mark.parametrize(
    ("name", "opening", "most"), [("left", 1.3, 0.06), ("right", 0.8, 0.06), ("drawer", 0.3, 0.015)]
)
def test_what_is_closed_is_pushed_shut_with_the_closed_hand(name: str, opening: float, most: float) -> None:
    world, skill = World(DOORS[name], opening, grips=False), Close(SPEC, KINEMATICS, Hand())
    assert attempt(world, skill) == ""
    assert world.part.opening <= most
    assert in_posture(world.robot, REST)


def test_a_flap_is_closed_by_its_handle() -> None:
    world, skill = World(DOORS["flap"], 1.2), Close(SPEC, KINEMATICS, Hand())
    assert attempt(world, skill) == ""
    assert world.part.opening <= 0.06


@pytest.mark.parametrize("name", ["left", "drawer"])
def test_fingers_that_miss_the_handle_say_so_and_come_from_elsewhere(name: str) -> None:
    world, skill, places = World(DOORS[name], 0.0, grips=False), Open(SPEC, KINEMATICS, Hand()), []
    for _ in range(3):
        assert attempt(world, skill) == "the fingers missed the handle"
        assert skill.retryable and world.part.opening == 0.0
        places.append(world.robot.base)
    assert world.robot.body.gripper > 0.05


@pytest.mark.parametrize(
    ("skill_of", "name", "opening"), [(Open, "left", 1.6), (Open, "drawer", 0.4), (Close, "right", 0.0)]
)
def test_where_nothing_is_to_be_done_it_only_looks(skill_of: type[Open | Close], name: str, opening: float) -> None:
    world, skill = World(DOORS[name], opening), skill_of(SPEC, KINEMATICS, Hand())
    world.robot.put_at(Pose2(0.3, -0.9, 1.57))
    assert attempt(world, skill) == "" and skill.outcome is Outcome.SUCCEEDED
    assert world.robot.base == Pose2(0.3, -0.9, 1.57)
    assert 1.0 < world.robot.stamp < 3.0, "a closer look"
    assert any(command.get("head") for command in world.robot.commands)


class Counted(ArmKinematics):
    """Counts how often it is asked whether a pose can be reached, and for joints."""

    asked = 0

    def out_of_reach(self, position: Array, rotation: Array) -> bool:
        self.asked += 1
        return super().out_of_reach(position, rotation)

    def solve(self, *arguments: object, **options: object) -> object:  # type: ignore[override]
        self.asked += 1
        return super().solve(*arguments, **options)  # type: ignore[arg-type]


def test_what_cannot_be_opened_from_anywhere_is_thought_about_once() -> None:
    """Until the robot stands elsewhere, or the door does."""

    def high(opening: float) -> Articulation:
        part = hinged(-1.0, opening)
        return replace(part, handle=part.handle + np.array([0.0, 0.0, 1.4]), panel=None)

    kinematics = Counted()
    world, skill = World(high, 0.0), Open(SPEC, kinematics, Hand())
    recomputed = []
    for change in (None, None, "base", "door", None):
        if change == "base":
            world.robot.put_at(Pose2(0.3, -1.8, 1.5))
        if change == "door":
            world.part = high(0.3)
        before = kinematics.asked
        assert attempt(world, skill) == "no place to stand from which the handle can be led"
        assert not skill.retryable
        recomputed.append(kinematics.asked - before > 100)
    assert recomputed == [True, False, True, True, False]


def test_what_keeps_the_hand_from_a_handle_is_named() -> None:
    world, skill = World(DOORS["left"], 0.0), Open(SPEC, KINEMATICS, Hand())
    crate = Box(np.array([0.3, -0.6, 0.5]), np.array([0.6, 0.45, 0.6]), 0.0, "crate")
    goal = replace(world.goal(), solids=(CABINET, crate), loose=(crate,), grid=floor_round(CABINET, crate))
    skill.start(Subtask("Open", "cabinet"), goal, world.robot.observe())
    while skill.outcome is Outcome.RUNNING:
        world.robot.act(skill.act(world.robot.observe()))
    assert skill.reason == "no place to stand from which the handle can be led: the crate is in the way"
    assert not skill.retryable and skill.about == ("crate",)
