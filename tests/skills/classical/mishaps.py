"""Attempts in which something happens, as tables: things and maps that change, joints and bases that are held."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from homie.envs.mujoco.robots.bodies.fetch import CARRY, SPEC
from homie.kernel.types import Box, Goal, Pose, Pose2, Solid, rotation_z
from skills.classical.pick import Pick
from skills.classical.put import Put
from skills.motion.held_object import Hand
from skills.motion.motions import RoutineSkill, gripper_rotation
from tests.skills.classical.journeys import ASKEW, journey
from tests.skills.classical.obedient import KINEMATICS, ObedientRobot, floor_round
from tests.skills.classical.scenes import plate
from tests.skills.classical.tables import Make, Rows, table
from tests.skills.classical.test_boards_and_plates_by_numbers import (
    BOARD,
    FLAT,
    PLATE,
    SHELF,
    grips_rim,
)
from tests.skills.classical.test_bowls_by_numbers import BOWL, PLUM, grips_wall
from tests.skills.classical.test_pick_and_put_by_numbers import (
    CAN,
    TABLE,
    TOP,
    bare_table,
    carrying,
    grips,
    on_table,
)

Event = Callable[[RoutineSkill, ObedientRobot], None]
ELBOW, LIFT = "elbow_flex_joint", "shoulder_lift_joint"


def happening(
    skill: RoutineSkill, robot: ObedientRobot, goal: Goal, action: str, events: Mapping[float, Event]
) -> Rows:
    """An attempt in which something happens at some times (s)."""
    remaining = dict(events)

    def act() -> None:
        for moment in [moment for moment in remaining if robot.stamp >= moment]:
            remaining.pop(moment)(skill, robot)
        robot.act(skill.act(robot.observe()))

    yield from journey(skill, robot, goal, action, act)


def goal_seen(goal: Goal) -> Event:
    """From then on the goal looks like that."""
    return lambda skill, robot: skill.revise(goal)


def joint_stops(name: str, most: float) -> Event:
    """Something stops a joint."""
    return lambda skill, robot: robot.stops_joint.update({name: most})


def joints_go(skill: RoutineSkill, robot: ObedientRobot) -> None:
    """Nothing stops them any more."""
    robot.stops_joint.clear()


def base_stops(may_be_at: Callable[[Pose2], bool]) -> Event:
    """Something holds the base."""

    def hold(skill: RoutineSkill, robot: ObedientRobot) -> None:
        robot.may_be_at = may_be_at

    return hold


# ------------------------------------------------------------ Pick

ASKEW_CAN = replace(CAN, yaw=0.35)


def moved(box: Box, x: float, y: float) -> Goal:
    """The goal after somebody has moved the thing."""
    return on_table(replace(box, center=box.center + np.array([x, y, 0.0])))


def _picks(
    goal: Goal,
    events: Mapping[float, Event],
    grip: Callable[[ObedientRobot, Box], None] = grips,
    begin: Pose2 = ASKEW,
    times: int = 1,
) -> Rows:
    robot = ObedientRobot(begin)
    skill = Pick(SPEC, KINEMATICS, Hand())
    assert goal.box is not None
    grip(robot, goal.box)
    for _ in range(times):
        yield from happening(skill, robot, goal, "Pick", events)


def _hangs_down(angle: float) -> Goal:
    """A plate of known parts, turned about its rim as it hangs in the hand."""
    parts = plate(PLATE.center)
    turn = rotation_z(0.4) @ gripper_rotation(0.0, angle) @ rotation_z(-0.4)
    turned = tuple(
        Solid(
            part.kind,
            part.half,
            Pose(PLATE.center + turn @ (part.pose.position - PLATE.center), turn @ part.pose.rotation),
        )
        for part in parts
    )
    return on_table(PLATE, parts=turned)


@table
def mishaps_of_picking() -> dict[str, Make]:
    """What is seen elsewhere, an arm that is stopped, walls behind the robot, plates that hang down."""
    plum = replace(PLUM, center=np.array([0.51, 0.13, 0.752]))
    filled = on_table(BOWL, loose=(plum,), obstacles=(plum,))
    wall = Box(np.array([-0.95, 0.0, 0.5]), np.array([0.03, 2.0, 0.5]))
    walled = replace(filled, grid=floor_round(TABLE, wall), solids=(TABLE, wall))
    roomy = replace(BOARD, clearance=0.6)
    shelf = (SHELF[0], *SHELF[2:])
    bowl = replace(BOWL, center=np.array([0.7, 0.1, 0.747]))
    in_shelf = on_table(bowl, surfaces=(roomy,), solids=shelf, grid=floor_round(SHELF[0]))
    return {
        "moved a little": lambda: _picks(on_table(ASKEW_CAN), {3.5: goal_seen(moved(ASKEW_CAN, 0.0, 0.02))}),
        "moved out of reach": lambda: _picks(
            on_table(ASKEW_CAN), {3.0: goal_seen(moved(ASKEW_CAN, 0.4, -0.3))}, times=2
        ),
        "arm stopped": lambda: _picks(on_table(ASKEW_CAN), {4.0: joint_stops(ELBOW, 0.9), 12.0: joints_go}),
        "arm stopped over it": lambda: _picks(on_table(ASKEW_CAN), {6.2: joint_stops(LIFT, 0.2), 9.0: joints_go}),
        "wall behind": lambda: _picks(walled, {}, grips_wall, Pose2(-0.5, -0.3, 0.3)),
        "bowl in a shelf": lambda: _picks(in_shelf, {}, grips_wall),
        "plate that hangs": lambda: _picks(_hangs_down(0.0), {9.0: goal_seen(_hangs_down(0.15))}, grips_rim),
        "in the hand already": lambda: _holding(),
    }


def _holding() -> Rows:
    robot = ObedientRobot(ASKEW, opening=0.05, holding=True)
    robot.stops_fingers = lambda: 0.05
    yield from happening(Pick(SPEC, KINEMATICS, Hand()), robot, on_table(ASKEW_CAN), "Pick", {})


@table
def drawing_out() -> dict[str, Make]:
    """Flat things that are drawn over the edge of a table and of a shelf."""
    in_shelf = replace(FLAT, center=np.array([0.72, 0.05, 0.735]), half=np.array([0.09, 0.08, 0.015]))
    return {
        "table": lambda: _draws(FLAT, on_table(FLAT)),
        "shelf": lambda: _draws(
            in_shelf, on_table(in_shelf, surfaces=(BOARD,), solids=SHELF, grid=floor_round(SHELF[0]))
        ),
        "thrice in vain": lambda: _draws(FLAT, on_table(FLAT), slips=True),
    }


def _draws(thing: Box, goal: Goal, slips: bool = False) -> Rows:
    robot, box, last = ObedientRobot(Pose2(-0.8, 0.1, 0.0)), thing, None
    skill = Pick(SPEC, KINEMATICS, Hand())

    def goal_now() -> Goal:
        return replace(goal, box=box, parts=(Solid("box", box.half, Pose(box.center, rotation_z(box.yaw))),))

    def tip() -> np.ndarray:
        hand = robot.gripper
        return hand.position + SPEC.fingers.reach * hand.rotation[:, 0]

    def width() -> float:
        about = box.distance(tip()[:2]) < 0.01 and abs(tip()[2] - box.center[2]) < 0.03
        return 2 * float(box.half[2]) if box is not thing and about and abs(robot.gripper.rotation[2, 1]) > 0.9 else 0.0

    def act() -> None:
        nonlocal box, last
        robot.act(skill.act(robot.observe()))
        point = tip()
        low = point[2] - SPEC.fingers.half_height * abs(robot.gripper.rotation[2, 2]) < box.center[2] + box.half[2]
        pressed = box.distance(point[:2]) == 0.0 and low and robot.body.gripper < 0.01 and not robot.body.holding
        if pressed and last is not None and not slips:
            box = replace(box, center=box.center + np.array([*(point - last)[:2], 0.0]))
        last = point if pressed else None
        skill.revise(goal_now())

    robot.stops_fingers = width
    yield from journey(skill, robot, goal_now(), "Pick", act)


# ------------------------------------------------------------ Put


def _puts(hand: Hand, goal: Goal, events: Mapping[float, Event], begin: Pose2 = ASKEW, times: int = 1) -> Rows:
    robot = ObedientRobot(begin, CARRY, opening=0.066, holding=True)
    robot.stops_fingers = lambda: 0.066
    skill = Put(SPEC, KINEMATICS, hand)
    for _ in range(times):
        yield from happening(skill, robot, goal, "Put", events)


def plate_in_hand() -> Hand:
    """A hand that has taken a plate by its rim."""
    hand = Hand()
    at = PLATE.center + np.array([-0.1, 0.0, 0.02])
    hand.take(PLATE, Pose(at, gripper_rotation(0.0, 0.85, math.pi / 2)), 0.85, math.pi / 2)
    return hand


@table
def mishaps_of_putting() -> dict[str, Make]:
    """What is seen elsewhere, an arm that is stopped, plates, and what a hand does not let go."""
    place = replace(TOP, center=np.array([0.5, 0.1, 0.74]), half_x=0.005, half_y=0.005)
    on_spot = bare_table(surfaces=(place,))
    shelf = replace(bare_table(surfaces=(BOARD,), solids=SHELF), grid=floor_round(SHELF[0]))

    def off(x: float) -> Goal:
        return bare_table(surfaces=(replace(place, center=place.center + np.array([x, 0.01, 0.0])),))

    crate = Box(np.array([0.4, -0.1, 0.85]), np.array([0.4, 0.5, 0.13]), 0.0, "crate")
    return {
        "spot moved a little": lambda: _puts(carrying(), on_spot, {6.0: goal_seen(off(0.03))}),
        "spot seen elsewhere": lambda: _puts(carrying(), on_spot, {6.0: goal_seen(off(0.08))}),
        "arm stopped": lambda: _puts(carrying(), bare_table(), {6.5: joint_stops(LIFT, 0.1), 12.0: joints_go}, times=2),
        "no spot on arrival": lambda: _puts(carrying(), bare_table(), {3.0: goal_seen(bare_table(crate))}),
        "plate": lambda: _puts(plate_in_hand(), bare_table(), {}),
        "plate in a shelf": lambda: _puts(plate_in_hand(), shelf, {}),
        "hand that keeps": lambda: _puts(carrying(), bare_table(), {5.0: _keeps}),
    }


def _keeps(skill: RoutineSkill, robot: ObedientRobot) -> None:
    robot.stops_fingers = lambda: 0.2
