"""Opening, closing and driving, as tables: where base and hand of a robot are that follows commands at once."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from homie.envs.mujoco.robots.bodies.fetch import CARRY, REST, SPEC
from homie.kernel.types import Box, Goal, Pose2
from skills.classical.goto import GoTo, place_cost, room_cost
from skills.classical.openclose import Close, Open
from skills.motion.driving import MobileSkill
from skills.motion.held_object import Hand
from skills.motion.motions import Motion
from tests.skills.classical.journeys import journey, long_in_hand
from tests.skills.classical.obedient import KINEMATICS, ObedientRobot, Routine, empty_floor, floor_round, nowhere
from tests.skills.classical.tables import Make, Rows, row_of, short, table
from tests.skills.classical.test_doors_by_numbers import DOORS, World
from tests.skills.classical.test_goto_by_numbers import CORNER, PIECE, to
from tests.skills.classical.test_pick_and_put_by_numbers import (
    TABLE,
    TOP,
    carrying,
)


def _moves(
    skill_of: type[Open | Close], name: str, opening: float, grips_it: bool = True, begin: Pose2 | None = None
) -> Rows:
    world, skill = World(DOORS[name], opening, grips_it), skill_of(SPEC, KINEMATICS, Hand())
    if begin is not None:
        world.robot.put_at(begin)
    yield from journey(skill, world.robot, world.goal(), skill.actions[0], lambda: world.act(skill))
    yield row_of("opening", world.part.opening)


@table
def opening_and_closing() -> dict[str, Make]:
    """Doors, drawers and flaps."""
    return {
        **{f"open {name}": partial(_moves, Open, name, 0.0) for name in DOORS},
        "open left further": lambda: _moves(Open, "left", 0.6, begin=Pose2(0.8, -1.3, 2.0)),
        "miss left": lambda: _moves(Open, "left", 0.0, grips_it=False),
        "close left": lambda: _moves(Close, "left", 1.3, grips_it=False),
        "close drawer": lambda: _moves(Close, "drawer", 0.3, grips_it=False),
        "close flap": lambda: _moves(Close, "flap", 1.2),
    }


def _goes(goal: Goal, begin: Pose2 = CORNER, hand: Hand | None = None) -> Rows:
    robot = ObedientRobot(begin, CARRY if hand else REST, holding=hand is not None)
    robot.stops_fingers = lambda: 0.1 if hand else 0.0
    yield from journey(GoTo(SPEC, KINEMATICS, hand or Hand()), robot, goal, "Go to")


@table
def going() -> dict[str, Make]:
    """Go to things, fronts and rooms."""
    chest = Box(np.array([0.3, 0.4, 0.3]), np.array([0.1, 0.5, 0.3]))
    apple = Box(np.array([0.6, 0.3, 0.7]), np.full(3, 0.04))
    on_top, floor = replace(to(apple, TABLE), surfaces=(TOP,)), nowhere(floor_round(PIECE))
    return {
        "a piece": lambda: _goes(to(PIECE)),
        **{f"its front {front}": partial(_goes, to(PIECE, front=front)) for front in (0.3, 2.0, -1.2)},
        "behind a chest": lambda: _goes(to(PIECE, chest, front=math.pi), Pose2(-1.5, 0.6, 0.0)),
        "on a table": lambda: _goes(on_top),
        "a place": lambda: _goes(replace(to(apple), box=None)),
        "with something long": lambda: _goes(to(PIECE, solids=(PIECE,)), Pose2(0.3, -1.5, 1.0), long_in_hand()),
        "a room": lambda: _goes(replace(floor, room=(-0.5, -1.0, 2.5, 2.0))),
        "a full room": lambda: _goes(replace(floor, room=(0.5, 0.0, 1.4, 1.0))),
        "very near": lambda: _goes(to(PIECE), Pose2(0.35, -0.1, 0.4)),
    }


@short
def weights_of_going() -> Rows:
    """What it costs to stand at a place."""
    usual = {"gap": 0.5, "driven": 1.0, "before": 1.0, "clear": 0.6, "hidden": 0.0}
    for changes in ({}, {"gap": 0.4}, {"gap": 0.9}, {"driven": 3.0}, {"before": -0.4}, {"clear": 0.3}, {"hidden": 0.1}):
        yield row_of(*(f"{name}={value}" for name, value in changes.items()), place_cost(**{**usual, **changes}))
    yield row_of("room", *(room_cost(off, clear) for off, clear in ((0.0, 0.3), (1.0, 0.79), (1.0, 2.0))))


CURVE, SHORT = np.array([[0.0, 0.0], [1.5, 0.2], [1.6, 1.5]]), np.array([[0.0, 0.0], [-0.8, 0.1]])
MOTIONS: dict[str, Callable[[MobileSkill], Motion]] = {
    "follow": lambda skill: skill.follow(CURVE),
    "backwards": lambda skill: skill.follow(SHORT, backwards=True),
    "navigate": lambda skill: skill.navigate(np.array([1.2, 0.7]), 2.0),
    "navigate back": lambda skill: skill.navigate(np.array([-0.6, 0.1]), 0.1),
    "navigate near": lambda skill: skill.navigate(np.array([1.5, 1.0]), tolerance=0.5),
    "turn": lambda skill: skill.turn(2.2),
    "straight": lambda skill: skill.straight(0.6, line=Pose2(0.0, 0.03, 0.25)),
    "back": lambda skill: skill.straight(-0.4, speed=0.2),
    "look": lambda skill: skill.look_at(np.array([0.8, 0.3, 0.6])),
    "tuck": lambda skill: skill.tuck(),
}


@table
def driving() -> dict[str, Make]:
    """Following, turning and straight moves, with and without something in the hand."""
    return {name: partial(_drives, motion, "navigate" in name) for name, motion in MOTIONS.items()}


def _drives(motion: Callable[[MobileSkill], Motion], on_map: bool) -> Rows:
    post = Box(np.array([0.9, 0.25, 0.7]), np.array([0.06, 0.06, 0.7]))
    goal = replace(nowhere(floor_round(post) if on_map else empty_floor()), solids=(post,))
    loose = carrying()
    loose.loose = True
    for hand, width in ((None, 0.0), (long_in_hand(), 0.1), (loose, 0.1)):
        robot = ObedientRobot(Pose2(0.0, 0.05, 0.3), CARRY if hand else REST, holding=hand is not None)
        robot.stops_fingers = partial(float, width)
        yield from journey(Routine(motion, hand), robot, goal, "Go to")
