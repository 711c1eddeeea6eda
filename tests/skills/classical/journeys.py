"""Whole attempts of the skills, as tables: where base and hand of a robot are that follows commands at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from homie.envs.mujoco.robots.bodies.fetch import CARRY, SPEC
from homie.kernel.types import Box, Goal, Outcome, Pose2, Subtask
from skills.classical.pick import Pick, contents, standing_on
from skills.classical.put import Put
from skills.motion.held_object import Hand, fill_box
from skills.motion.manipulation import Manipulation
from skills.motion.motions import RoutineSkill
from skills.motion.standing_places import Option
from tests.skills.classical.obedient import KINEMATICS, ObedientRobot, floor_round
from tests.skills.classical.tables import Make, Rows, row_of, short, table
from tests.skills.classical.test_boards_and_plates_by_numbers import (
    BOARD,
    ON_BOARD,
    PLATE,
    SHELF,
    grips_rim,
    on_board,
)
from tests.skills.classical.test_bowls_by_numbers import BOWL, PLUM, grips_wall, holding_bowl
from tests.skills.classical.test_pick_and_put_by_numbers import (
    CAN,
    CROWD,
    TABLE,
    TOP,
    bare_table,
    carrying,
    grips,
    on_table,
)

ASKEW = Pose2(-1.1, -0.17, 0.4)
JAR = np.array([0.035, 0.035, 0.06])
EVERY = 1.0
"""Seconds between two rows."""


def journey(
    skill: RoutineSkill, robot: ObedientRobot, goal: Goal, action: str, act: Callable[[], None] | None = None
) -> Rows:
    """An attempt, second by second."""
    skill.start(Subtask(action, goal.name, goal.name if action == "Put" else None), goal, robot.observe())
    start, due = robot.stamp, robot.stamp
    while skill.outcome is Outcome.RUNNING and robot.stamp - start < 150.0:
        if act is None:
            robot.act(skill.act(robot.observe()))
        else:
            act()
        if robot.stamp >= due:
            yield _row(robot, start)
            due += EVERY
    yield _row(robot, start)
    yield row_of(skill.outcome.name, skill.reason or "-", "again" if skill.retryable else "never", *skill.about)


def _row(robot: ObedientRobot, began: float) -> str:
    base, hand, head = robot.base, robot.gripper, robot.body.joints
    velocity = robot.velocities[-1]
    looks = (head["head_pan_joint"], head["head_tilt_joint"])
    state = (robot.body.gripper, robot.body.holding, looks)
    return row_of(robot.stamp - began, base.x, base.y, base.yaw, velocity, hand.position, hand.rotation[:, 0], *state)


def _hand(hand: Hand) -> str:
    level = "tilts" if hand.level is None else hand.level
    return row_of("hand", hand.pitch, hand.roll, hand.center, hand.half, len(hand.came), hand.loose, level)


class Weighing(Manipulation):
    """Tells the options that a skill weighs, where it chooses."""

    weighed: list[Sequence[Option]]

    def reachable_standing(self, options: Iterable[Option], accept: Any) -> Any:
        every = tuple(options)
        self.weighed = [*getattr(self, "weighed", []), every]
        return super().reachable_standing(every, accept)

    def rows(self) -> Rows:
        """The best of each choice, and some others."""
        for options in self.weighed:
            yield row_of("choice of", len(options))
            for cost, base, poses in [*options[:6], *options[6 :: max(1, len(options) // 14)]]:
                points = (pose.position for pose in poses)
                yield "  " + row_of(cost, base.x, base.y, base.yaw, *points, poses[-1].rotation[:, 0])


class WeighingPick(Weighing, Pick):
    """Pick that tells its options."""


class WeighingPut(Weighing, Put):
    """Put that tells its options."""


def _picks(
    goal: Goal,
    begin: Pose2 = ASKEW,
    grip: Callable[[ObedientRobot, Box], None] | None = grips,
    times: int = 1,
    lost_after: float = np.inf,
) -> Rows:
    robot, hand, held = ObedientRobot(begin), Hand(), 0.0
    skill = WeighingPick(SPEC, KINEMATICS, hand)

    def act() -> None:
        nonlocal held
        robot.act(skill.act(robot.observe()))
        held = held + SPEC.period if robot.body.holding else 0.0
        if held > lost_after:
            robot.drop()

    for _ in range(times):
        if grip is not None and goal.box is not None:
            grip(robot, goal.box)
        skill.weighed = []
        yield from journey(skill, robot, goal, "Pick", act)
        yield from skill.rows()
    yield _hand(hand)


def _jars(angles: Sequence[float], away: float = 0.09) -> tuple[Box, ...]:
    return tuple(
        Box(CAN.center + away * np.array([math.cos(a), math.sin(a), 0.0]), JAR, 0.0, f"jar_{number}")
        for number, a in enumerate(angles)
    )


@table
def picking() -> dict[str, Make]:
    """Pick from a table, between jars, from a stool and a shelf, bowls and plates."""
    askew, jars = replace(CAN, yaw=0.35), _jars((0.3, 2.2, 4.2))
    crowded = on_table(askew, obstacles=jars, solids=(TABLE, *jars), loose=jars)
    stool = Box(np.array([0.6, 0.2, 0.19]), np.array([0.3, 0.35, 0.19]))
    seat = replace(TOP, center=np.array([0.6, 0.2, 0.38]))
    low = replace(askew, center=np.array([0.4, 0.3, 0.44]))
    on_stool = on_table(low, surfaces=(seat,), solids=(stool,), grid=floor_round(stool))
    plum = replace(PLUM, center=np.array([0.51, 0.13, 0.752]))
    with_plum = on_table(BOWL, loose=(plum,), obstacles=(plum,))
    return {
        "can": lambda: _picks(on_table(askew)),
        "between jars": lambda: _picks(crowded, Pose2(-0.4, 1.4, -0.6)),
        "nothing there": lambda: _picks(on_table(askew), grip=None, times=2),
        "low": lambda: _picks(on_stool),
        "shelf": lambda: _picks(on_board(replace(ON_BOARD, yaw=0.2))),
        "bowl": lambda: _picks(on_table(replace(BOWL, yaw=0.2)), grip=grips_wall),
        "bowl with a plum": lambda: _picks(with_plum, grip=grips_wall),
        "plate": lambda: _picks(on_table(PLATE), grip=grips_rim),
        "slips": lambda: _picks(on_table(askew), times=2, lost_after=1.5),
    }


def _puts(hand: Hand, goal: Goal, begin: Pose2 = ASKEW) -> Rows:
    robot = ObedientRobot(begin, CARRY, opening=0.066, holding=True)
    robot.stops_fingers = lambda: 0.066
    skill = WeighingPut(SPEC, KINEMATICS, hand)
    yield from journey(skill, robot, goal, "Put")
    yield from skill.rows()


@table
def putting() -> dict[str, Make]:
    """Put onto a table, between things, into a shelf, into a basin, onto a spot."""
    mug = Box(np.array([0.5, 0.2, 0.77]), np.array([0.05, 0.05, 0.05]), 0.0, "mug")
    shelf = replace(bare_table(surfaces=(BOARD,), solids=SHELF), grid=floor_round(SHELF[0]))
    place = replace(TOP, center=np.array([0.5, 0.1, 0.74]), half_x=0.005, half_y=0.005)
    return {
        "table": lambda: _puts(carrying(), bare_table(mug)),
        "full table": lambda: _puts(carrying(), bare_table(*CROWD[3:], *CROWD[:1])),
        "bottle": lambda: _puts(carrying((0.035, 0.035, 0.11)), bare_table(mug), Pose2(-0.6, 1.2, -0.7)),
        "shelf": lambda: _puts(carrying(), shelf),
        "bowl on a shelf": lambda: _puts(holding_bowl(), shelf),
        "bowl": lambda: _puts(holding_bowl(), bare_table(mug)),
        "bowl with a plum": lambda: _puts(holding_bowl(loose=True), bare_table()),
        "basin": lambda: _puts(carrying(), _basin()),
        "spot": lambda: _puts(carrying(), bare_table(surfaces=(place,))),
    }


def _basin() -> Goal:
    """A table with a basin 6 cm deep in its middle, and beside that a second place."""
    sides = ((-0.2, 0.0, 0.01, 0.22), (0.2, 0.0, 0.01, 0.22), (0.0, 0.2, 0.2, 0.01), (0.0, -0.2, 0.2, 0.01))
    walls = [Box(np.array([0.6 + x, y, 0.74]), np.array([hx, hy, 0.1])) for x, y, hx, hy in sides]
    below = Box(np.array([0.6, 0.0, 0.33]), np.array([0.3, 0.5, 0.33]))
    bottom = replace(TOP, center=np.array([0.6, 0.0, 0.66]), half_x=0.18, half_y=0.18)
    board = replace(TOP, center=np.array([0.6, 0.4, 0.72]), half_y=0.05)
    return bare_table(surfaces=(bottom, board), solids=(below, *walls))


def long_in_hand() -> Hand:
    """A hand with a stick of 40 cm in it."""
    hand = carrying()
    hand.spheres = fill_box(Box(np.array([0.2, 0.0, 0.0]), np.array([0.2, 0.03, 0.03])), np.eye(3))
    return hand


@short
def what_goes_with_it() -> Rows:
    """What is in a thing, and what is on it."""
    for name, at in _items():
        goal = on_table(BOWL, loose=(replace(PLUM, center=np.array(at[:3]), half=np.full(3, at[3])),))
        yield row_of(name, len(contents(goal)), len(standing_on(goal)))


def _items() -> Iterator[tuple[str, tuple[float, float, float, float]]]:
    top, low = 0.774, 0.72
    for z in (low - 0.013, low - 0.011, top - 0.013, top - 0.011, top + 0.011, top + 0.013):
        yield f"bottom {z:.3f}", (0.5, 0.1, z + 0.02, 0.02)
    for size in (0.059, 0.061):
        yield f"size {size}", (0.5, 0.1, 0.74 + size, size)
    for x in (0.579, 0.581):
        yield f"x {x}", (x, 0.1, 0.745, 0.02)
