"""Where Go to stops, by numbers, on a robot that follows commands at once: before fronts, in rooms, near things."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from homie.envs.mujoco.robots.bodies.fetch import CARRY, SPEC
from homie.kernel.types import Box, Goal, Outcome, Pose2, Surface
from skills.classical.goto import GoTo, place_cost, room_cost
from skills.motion.held_object import Hand, fill_box
from tests.skills.classical.obedient import KINEMATICS, ObedientRobot, empty_floor, floor_round, play

CORNER = Pose2(-1.5, -1.5, 0.0)
PIECE = Box(np.array([1.0, 0.5, 0.4]), np.array([0.3, 0.4, 0.4]), 0.0)


def go_to(goal: Goal, begin: Pose2 = CORNER, hand: Hand | None = None) -> tuple[GoTo, ObedientRobot]:
    """The skill and the robot after an attempt."""
    robot = ObedientRobot(begin, *([CARRY] if hand else []), holding=hand is not None)
    skill = GoTo(SPEC, KINEMATICS, hand or Hand())
    play(skill, robot, goal)
    if goal.box is not None:
        assert goal.box.distance(robot.base.xy) > SPEC.footprint_radius
    return skill, robot


def to(box: Box, *others: Box, **changes: object) -> Goal:
    goal = Goal("it", "", box.center, box=box, grid=floor_round(box, *others))
    return replace(goal, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("front", [None, 0.0, math.pi / 2, math.pi, -math.pi / 2])
def test_it_stops_within_reach_of_the_nearest_side_and_before_a_front(front: float | None) -> None:
    skill, robot = go_to(to(PIECE, front=front))
    assert skill.outcome is Outcome.SUCCEEDED, skill.reason
    base = robot.base
    assert 0.45 < PIECE.distance(base.xy) < 0.65, "half a metre, as the arm has it best"
    away = base.xy - PIECE.center[:2]
    if front is None:
        assert away[0] < 0.0 and away[1] < 0.0, "on the side from which it comes"
    else:
        assert math.cos(math.atan2(away[1], away[0]) - front) > 0.95
    assert abs(math.remainder(math.atan2(*(-away)[::-1]) - base.yaw, math.tau)) < 0.03, "facing it"


def test_before_a_front_without_floor_it_stops_at_its_side() -> None:
    wall = Box(np.array([0.15, 0.5, 0.5]), np.array([0.05, 3.0, 0.5]))
    skill, robot = go_to(to(PIECE, wall, front=math.pi), Pose2(1.5, -1.5, 0.0))
    assert skill.outcome is Outcome.SUCCEEDED
    away = robot.base.xy - PIECE.center[:2]
    assert abs(away[1]) > abs(away[0]), "not behind it"


def test_it_rather_stands_at_the_side_than_behind_something_broad() -> None:
    """A chest before the front, over which the arm does not reach; a door and its handle are no such thing."""
    for deep, before in ((0.15, False), (0.02, True)):
        chest = Box(np.array([0.7 - 0.13 - deep, 0.5, 0.3]), np.array([deep, 0.6, 0.3]))
        skill, robot = go_to(to(PIECE, chest, front=math.pi), Pose2(-1.5, 0.5, 0.0))
        assert skill.outcome is Outcome.SUCCEEDED
        away = robot.base.xy - PIECE.center[:2]
        assert bool(abs(away[0]) > abs(away[1])) is before


def test_what_is_hidden_from_near_is_looked_at_from_further_away() -> None:
    """A ring of chests around it: behind them is nowhere near, and beyond them there is floor from which it is free."""
    sides = [(-0.62, 0.0, 0.04, 0.9), (0.62, 0.0, 0.04, 0.9), (0.0, -0.72, 0.6, 0.04), (0.0, 0.72, 0.6, 0.04)]
    ring = [Box(np.array([1.0 + x, 0.5 + y, 0.4]), np.array([hx, hy, 0.4])) for x, y, hx, hy in sides]
    apple = Box(np.array([1.0, 0.5, 0.4]), np.full(3, 0.04))
    skill, robot = go_to(to(apple, *ring), Pose2(-1.5, 0.5, 0.0))
    assert skill.outcome is Outcome.SUCCEEDED
    assert robot.base.x < 0.2 and apple.distance(robot.base.xy) > 0.9


def test_where_there_is_no_floor_near_it_comes_as_near_as_it_can() -> None:
    """A hedge of furniture all around, as before the cabinet in a corner with its door open."""
    hedge = replace(PIECE, half=PIECE.half + np.array([0.6, 0.6, 0.0]))
    skill, robot = go_to(to(PIECE, hedge))
    assert skill.outcome is Outcome.SUCCEEDED
    assert 0.9 < PIECE.distance(robot.base.xy) <= 1.25
    beyond = replace(PIECE, half=PIECE.half + np.array([1.2, 1.2, 0.0]))
    skill, robot = go_to(to(PIECE, beyond))
    assert skill.reason == "no free floor near the target can be reached" and not skill.retryable


def test_what_is_in_its_way_is_named() -> None:
    """Both rooms of a floor that is cut in two by a wall with a crate in its only gap."""
    walls = [Box(np.array([0.0, y, 0.5]), np.array([0.05, 1.25, 0.5])) for y in (-1.75, 1.75)]
    crate = Box(np.array([0.0, 0.0, 0.3]), np.array([0.2, 0.35, 0.3]), 0.0, "crate")
    goal = to(replace(PIECE, center=np.array([2.2, 0.5, 0.4])), *walls, crate, loose=(crate,))
    skill, robot = go_to(goal)
    assert skill.reason == "no free path to the target: the crate is in the way" and not skill.retryable
    assert skill.about == ("crate",) and robot.base == CORNER
    room = replace(goal, box=None, room=(0.2, -3.0, 3.0, 3.0))
    skill, _ = go_to(room)
    assert skill.reason == "no free path to the target: the crate is in the way"
    skill, _ = go_to(replace(room, loose=()))
    assert skill.reason == "no free floor in the room can be reached" and not skill.retryable
    skill, _ = go_to(replace(goal, loose=()))
    assert skill.reason == "no free floor near the target can be reached"


def test_in_a_room_it_stops_in_the_middle_or_where_there_is_more_room() -> None:
    room = (-2.0, -1.0, 2.0, 2.0)
    goal = Goal("kitchen", "", np.zeros(3), room=room, grid=empty_floor())
    skill, robot = go_to(goal, Pose2(-2.5, -2.5, 0.0))
    assert skill.outcome is Outcome.SUCCEEDED
    np.testing.assert_allclose(robot.base.xy, [0.0, 0.5], atol=0.2)
    table = Box(np.array([0.0, 0.5, 0.4]), np.array([0.5, 0.3, 0.4]))
    skill, robot = go_to(replace(goal, grid=floor_round(table)), Pose2(-2.5, -2.5, 0.0))
    assert skill.outcome is Outcome.SUCCEEDED
    assert 0.33 < table.distance(robot.base.xy) < 0.95
    x, y = robot.base.xy
    assert -1.6 <= x <= 1.6 and -0.6 <= y <= 1.6, "within the room"


def test_of_what_has_no_known_size_the_place_counts() -> None:
    goal = Goal("apple", "", np.array([0.5, 0.5, 0.3]), grid=empty_floor())
    skill, robot = go_to(goal)
    assert skill.outcome is Outcome.SUCCEEDED
    assert 0.45 < np.linalg.norm(robot.base.xy - [0.5, 0.5]) < 0.7


def test_nothing_stands_between_it_and_what_is_on_furniture_but_that() -> None:
    """An apple at the far edge of a table, at whose other side is a wall of boxes: it goes to the near side."""
    table = Box(np.array([1.0, 0.0, 0.4]), np.array([0.35, 0.6, 0.4]))
    top = Surface(np.array([1.0, 0.0, 0.8]), 0.35, 0.6, 0.0)
    apple = Box(np.array([1.2, 0.0, 0.84]), np.full(3, 0.04))
    fence = Box(np.array([2.1, 0.0, 0.6]), np.array([0.05, 3.0, 0.6]))
    goal = Goal("apple", "", apple.center, box=apple, surfaces=(top,), grid=floor_round(table, fence))
    skill, robot = go_to(goal)
    assert skill.outcome is Outcome.SUCCEEDED
    assert robot.base.x < 2.0 and table.distance(robot.base.xy) < 0.6


def test_a_robot_that_comes_almost_there_faces_the_target() -> None:
    """What was not on the map holds it a hand's breadth before its place."""
    robot, skill = ObedientRobot(Pose2(-1.5, 0.5, 0.0)), GoTo(SPEC, KINEMATICS, Hand())
    robot.may_be_at = lambda base: base.x < 0.05
    play(skill, robot, to(PIECE, front=math.pi))
    assert skill.outcome is Outcome.SUCCEEDED and robot.base.x < 0.05
    assert abs(robot.base.yaw) < 0.05
    robot, skill = ObedientRobot(Pose2(-1.5, 0.5, 0.0)), GoTo(SPEC, KINEMATICS, Hand())
    robot.may_be_at = lambda base: base.x < -0.4
    play(skill, robot, to(PIECE, front=math.pi))
    assert (skill.outcome, skill.reason) == (Outcome.FAILED, "the way stays blocked")


def test_what_is_in_the_hand_has_room_where_it_stops() -> None:
    hand = Hand()
    hand.spheres = fill_box(Box(np.array([0.2, 0.0, 0.0]), np.array([0.2, 0.04, 0.04])), np.eye(3))
    lamp = Box(np.array([0.05, 0.5, 1.0]), np.array([0.2, 0.12, 1.0]))
    goal = to(PIECE, front=None, solids=(lamp,))
    _, empty = go_to(goal, Pose2(-1.5, 0.5, 0.0))
    _, loaded = go_to(goal, Pose2(-1.5, 0.5, 0.0), hand)
    assert empty.base.y == pytest.approx(0.5, abs=0.1)
    assert np.linalg.norm(loaded.base.xy - empty.base.xy) > 0.2


def test_costs_of_places() -> None:
    """In the order of what matters: something between, the wrong side, too near or too far, narrow, a long way."""
    best = {"gap": 0.5, "driven": 0.0, "before": 1.0, "clear": 0.5, "hidden": 0.0}

    def cost(**changes: float) -> float:
        return float(place_cost(**{**best, **changes}))

    assert cost() == cost(clear=0.9) == 0.0
    assert [cost(gap=0.6), cost(gap=0.4)] == pytest.approx([0.05, 0.05])
    ordered = [cost(clear=0.4), cost(driven=1.0), cost(before=0.9), cost(hidden=0.15), cost(before=0.0)]
    assert ordered == pytest.approx([0.04, 0.08, 0.15, 1.2, 1.5])
    assert [float(room_cost(1.0, clear)) for clear in (0.5, 0.8, 2.0)] == pytest.approx([0.5, 0.2, 0.2])
