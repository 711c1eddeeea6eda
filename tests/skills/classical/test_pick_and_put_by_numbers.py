"""Pick and Put on a robot that follows commands at once: where the hand goes, and what they say when they fail."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from homie.envs.mujoco.robots.bodies.fetch import CARRY, REST, SPEC
from homie.kernel.types import Array, Box, Goal, Outcome, Pose, Pose2, Solid, Subtask, Surface
from skills.classical.pick import Pick
from skills.classical.put import Put
from skills.motion.held_object import Hand
from skills.motion.motions import gripper_rotation
from tests.skills.classical.obedient import KINEMATICS, PERIOD, ObedientRobot, floor_round, in_posture

BEGIN = Pose2(-1.0, 0.0, 0.0)
TOP = Surface(np.array([0.6, 0.0, 0.72]), 0.3, 0.5, 0.0)
TABLE = Box(np.array([0.6, 0.0, 0.36]), np.array([0.3, 0.5, 0.36]))
CAN = Box(np.array([0.45, 0.1, 0.78]), np.array([0.033, 0.033, 0.06]), 0.0, "can")


def on_table(box: Box | None = CAN, **changes: object) -> Goal:
    """A goal to pick something from the table."""
    position = CAN.center if box is None else box.center
    goal = Goal("can", "", position, box=box, surfaces=(TOP,), solids=(TABLE,), grid=floor_round(TABLE))
    return replace(goal, **changes)  # type: ignore[arg-type]


def keeps_out(robot: ObedientRobot, goal: Goal) -> None:
    """The base keeps out of what stands on the floor, and the hand out of what is solid."""
    hand = robot.gripper.position
    for box in goal.solids:
        if box.center[2] - box.half[2] < 0.1:
            assert box.distance(robot.base.xy) > SPEC.footprint_radius
        inside = box.distance(hand[:2]) == 0.0 and abs(hand[2] - box.center[2]) < box.half[2]
        assert not inside, f"the hand is in {box}"


class Picking:
    """One attempt after the other of one Pick, and where the hand was."""

    def __init__(self, robot: ObedientRobot | None = None) -> None:
        self.robot = robot or ObedientRobot(BEGIN)
        self.hand = Hand()
        self.skill = Pick(SPEC, KINEMATICS, self.hand)
        self.poses: list[Pose] = []
        self.closed: list[Pose] = []
        """Where the hand was when it began to close, in each attempt."""

    def attempt(self, goal: Goal, lost_after: float = np.inf) -> str:
        """Until it ends; the reason. lost_after: seconds that a thing stays in the hand."""
        self.poses.clear()
        start, took, attempts = self.robot.stamp, np.inf, len(self.closed)
        self.skill.start(Subtask("Pick", goal.name), goal, self.robot.observe())
        while self.skill.outcome is Outcome.RUNNING:
            self.robot.act(self.skill.act(self.robot.observe()))
            self.poses.append(self.robot.gripper)
            keeps_out(self.robot, goal)
            if len(self.closed) == attempts and self.robot.commands[-1].get("gripper") == (0.0,):
                self.closed.append(self.robot.gripper)
            took = min(took, self.robot.stamp) if self.robot.body.holding else np.inf
            if self.robot.stamp - took > lost_after:
                self.robot.drop()
            assert self.robot.stamp - start < 120.0
        return self.skill.reason


def grips(robot: ObedientRobot, box: Box) -> None:
    """Let the robot take a box where its fingers are about it."""

    def width() -> float:
        at = robot.gripper.position
        about = box.distance(at[:2]) < 0.03 and abs(at[2] - box.center[2]) < box.half[2]
        return 2 * float(box.half[0]) if about else 0.0

    robot.stops_fingers = width


def test_a_can_is_taken_lifted_and_carried_away() -> None:
    picking = Picking()
    grips(picking.robot, CAN)
    assert picking.attempt(on_table()) == ""
    assert picking.skill.outcome is Outcome.SUCCEEDED and picking.robot.body.holding
    openings = [command.get("gripper") for command in picking.robot.commands]
    first = openings.index((0.0,))
    (at,) = picking.closed
    assert CAN.distance(at.position[:2]) < 0.01 and abs(at.position[2] - CAN.center[2]) < 0.06
    opened = max(opening[0] for opening in openings[:first] if opening is not None)
    assert 0.066 + 0.011 <= opened <= 0.10, "wider than the can"
    near = [pose.position for pose in picking.poses[:first] if np.linalg.norm(pose.position - at.position) < 0.11]
    ways = np.linalg.norm(np.diff(near, axis=0), axis=1)
    assert 0.13 < max(ways) / PERIOD <= 0.151, "at 15 cm/s over the last centimetres"
    fingers = at.rotation[:, 0]
    begin = near[0] - at.position
    assert np.linalg.norm(begin - (begin @ fingers) * fingers) < 0.08, "along the fingers, from a little above"
    coming = picking.robot.commands[:first]
    both = [c for c in coming if c.get("arm") and c.get("base") and c.get("base")[0] > 0.0]  # type: ignore[index]
    assert len(both) * PERIOD > 0.4, "the arm is raised while the base comes the last stretch"
    after = [pose.position for pose in picking.poses[first:]]
    lifted = next(number for number, point in enumerate(after) if point[2] > at.position[2] + 0.11)
    assert np.linalg.norm(after[lifted][:2] - at.position[:2]) < 0.02, "straight up first"
    assert picking.robot.base.x < TABLE.center[0] - TABLE.half[0] - 0.285 - 0.3, "it backs away"
    assert in_posture(picking.robot, CARRY), "and carries it close to itself"
    grasp_offset = at.rotation.T @ (CAN.center - at.position)
    np.testing.assert_allclose(picking.hand.center, grasp_offset, atol=0.01)
    assert picking.hand.half == pytest.approx((0.033, 0.033, 0.06)) and not picking.hand.loose


def test_fingers_that_close_on_nothing_say_so_and_try_it_otherwise() -> None:
    picking = Picking()
    for _ in range(3):
        assert picking.attempt(on_table()) == "the fingers closed on nothing"
        assert picking.skill.retryable and not picking.robot.body.holding
        assert picking.robot.body.gripper > 0.07, "it opens again"
        assert picking.skill.at(picking.skill.travelling, 0.2)
    fingers = [pose.rotation[:, 0] for pose in picking.closed]
    apart = [np.arccos(np.clip(a @ b, -1.0, 1.0)) for a, b in itertools.combinations(fingers, 2)]
    assert min(apart) > 0.15, "from another direction each time"


def test_what_slips_out_twice_is_not_tried_again() -> None:
    picking = Picking()
    grips(picking.robot, CAN)
    assert picking.attempt(on_table(), lost_after=1.5) == "the object slipped out of the hand"
    assert picking.skill.retryable
    grips(picking.robot, CAN)
    reason = picking.attempt(on_table(), lost_after=1.5)
    assert reason == "the fingers cannot hold the object: it has slipped out of the hand twice"
    assert not picking.skill.retryable


def test_what_is_in_the_hand_already_is_let_go_first() -> None:
    robot = ObedientRobot(BEGIN, opening=0.05, holding=True)
    picking = Picking(robot)
    grips(robot, CAN)
    assert picking.attempt(on_table()) == ""
    first = next(command.get("gripper") for command in robot.commands if command.get("gripper"))
    assert first == (SPEC.gripper_max,)


LARGE = Box(np.array([0.5, 0.0, 0.87]), np.array([0.15, 0.15, 0.15]), 0.0, "can")
BLOCK = Solid("box", LARGE.half, Pose(LARGE.center, np.eye(3)))
HIGH = replace(CAN, center=np.array([0.45, 0.1, 2.2]))
LID = Box(CAN.center + np.array([0.0, 0.0, 0.09]), np.array([0.03, 0.03, 0.03]), 0.0, "plum")


@pytest.mark.parametrize(
    ("goal", "reason", "retryable"),
    [
        (on_table(None), "where the object is, is not known well enough to grasp it", True),
        (on_table(LARGE, surfaces=(), parts=(BLOCK,)), "no grasp fits the object where it stands", False),
        (on_table(HIGH), "no place to stand from which the object can be reached", False),
        (
            on_table(loose=(LID,)),
            "the object cannot be taken from under others: the plum is in the way",
            False,
        ),
        (on_table(grid=None), "there is no map to drive by", True),
    ],
)
def test_what_cannot_be_picked_and_why(goal: Goal, reason: str, retryable: bool) -> None:
    picking = Picking()
    assert (picking.attempt(goal), picking.skill.retryable) == (reason, retryable)
    assert picking.robot.base == BEGIN, "it does not move for it"


def test_what_stands_around_it_is_named() -> None:
    """A ring of jars: without them it could be taken."""
    jars = [
        Box(CAN.center + 0.075 * np.array([np.cos(a), np.sin(a), 0.0]), np.array([0.035, 0.035, 0.2]), 0.0, f"jar_{k}")
        for k, a in enumerate(np.arange(8) * np.pi / 4)
    ]
    picking = Picking()
    goal = on_table(obstacles=tuple(jars), solids=(TABLE, *jars), loose=tuple(jars))
    reason = picking.attempt(goal)
    assert reason.startswith("the object cannot be reached: ") and reason.endswith(" things are in the way")
    assert not picking.skill.retryable


# ------------------------------------------------------------ Put


def carrying(half: tuple[float, float, float] = (0.033, 0.033, 0.06), center: Array | None = None) -> Hand:
    """A hand that has taken an upright thing by its middle, from the side and a little above."""
    hand, pitch = Hand(), 0.7
    grip = Pose(np.array([0.5, 0.0, 0.9]), gripper_rotation(0.0, pitch))
    hand.take(Box(grip.position if center is None else center, np.array(half)), grip, pitch)
    return hand


class Putting:
    """An attempt to put something down, and where it was let go."""

    def __init__(self, hand: Hand, holding: bool = True) -> None:
        self.robot = ObedientRobot(BEGIN, CARRY if holding else REST, opening=0.066, holding=holding)
        self.robot.stops_fingers = lambda: 0.066 if holding else 0.0
        self.hand = hand
        self.skill = Put(SPEC, KINEMATICS, hand)
        self.released: Pose | None = None
        self.let_go = 0
        """The period in which the hand let go."""
        self.poses: list[Pose] = []

    def attempt(self, goal: Goal, lost_at: float = np.inf) -> str:
        self.skill.start(Subtask("Put", "can", goal.name), goal, self.robot.observe())
        while self.skill.outcome is Outcome.RUNNING:
            if self.robot.stamp > lost_at and self.robot.body.holding:
                self.robot.drop()
            before = self.robot.body.holding
            self.robot.act(self.skill.act(self.robot.observe()))
            if before and not self.robot.body.holding and self.robot.stamp <= lost_at:
                self.released, self.let_go = self.robot.gripper, len(self.poses)
            self.poses.append(self.robot.gripper)
            keeps_out(self.robot, goal)
            assert self.robot.stamp < 120.0
        return self.skill.reason


def bare_table(*things: Box, **changes: object) -> Goal:
    """A goal to put something on the table, where some things are."""
    goal = Goal("table", "", TOP.center, box=TABLE, surfaces=(TOP,), solids=(TABLE, *things), obstacles=things)
    return replace(goal, loose=things, grid=floor_round(TABLE), **changes)  # type: ignore[arg-type]


def bottom(hand: Hand, released: Pose) -> Box:
    """The box around what was let go, as it stood then."""
    center = released.position + released.rotation @ hand.center
    axes = released.rotation @ hand.axes
    half = np.abs(axes) @ np.array(hand.half)
    return Box(center, half)


def test_a_thing_is_set_down_standing_a_centimetre_above_a_free_spot() -> None:
    mug = Box(np.array([0.5, 0.2, 0.77]), np.array([0.05, 0.05, 0.05]), 0.0, "mug")
    putting = Putting(carrying())
    assert putting.attempt(bare_table(mug)) == "" and putting.skill.outcome is Outcome.SUCCEEDED
    assert putting.released is not None
    there = bottom(putting.hand, putting.released)
    assert there.center[2] - there.half[2] == pytest.approx(0.72 + 0.012, abs=0.004)
    assert there.half == pytest.approx([0.033, 0.033, 0.06], abs=0.01), "it stands as it stood"
    assert np.all(np.abs(there.center[:2] - TOP.center[:2]) <= [TOP.half_x - 0.04, TOP.half_y - 0.04])
    assert mug.distance(there.center[:2]) > 0.047 + 0.014
    assert not putting.robot.body.holding and putting.robot.body.gripper > 0.09
    assert putting.robot.base.x < TABLE.center[0] - TABLE.half[0] - 0.285 - 0.3, "it backs away"
    assert in_posture(putting.robot, REST)
    place = putting.released.position
    down = np.array([pose.position for pose in putting.poses[: putting.let_go]])
    down = down[np.linalg.norm(down - place, axis=1) < 0.1]
    assert down[0][2] > place[2] + 0.09 and np.all(np.diff(down[:, 2]) <= 1e-6), "from above"
    assert np.ptp(down[:, :2], axis=0).max() < 0.01, "straight"


def test_what_is_lost_on_the_way_is_reported() -> None:
    putting = Putting(carrying())
    assert putting.attempt(bare_table(), lost_at=1.0) == "the object was lost on the way"
    assert putting.skill.retryable


CROWD = tuple(
    Box(np.array([x, y, 0.77]), np.array([0.07, 0.07, 0.05]), 0.0, f"box_{n}")
    for n, (x, y) in enumerate((x, y) for x in (0.4, 0.6, 0.8) for y in (-0.4, -0.2, 0.0, 0.2, 0.4))
)
BOARD = replace(TOP, clearance=0.14, access=np.array([-1.0, 0.0]))


@pytest.mark.parametrize(
    ("goal", "reason", "retryable"),
    [
        (bare_table(surfaces=()), "no surface to put it on is known", True),
        (bare_table(*CROWD), "no free spot: 15 things are on it", False),
        (bare_table(surfaces=(BOARD,)), "the object is too tall for the space there", False),
        (bare_table(surfaces=(replace(TOP, lid=0.11),)), "the object is too tall for the space there", False),
        (
            bare_table(surfaces=(replace(TOP, center=np.array([0.6, 0.0, 1.9])),)),
            "no free spot that the arm can reach",
            False,
        ),
    ],
)
def test_what_cannot_be_put_down_and_why(goal: Goal, reason: str, retryable: bool) -> None:
    putting = Putting(carrying())
    assert (putting.attempt(goal), putting.skill.retryable) == (reason, retryable)
    assert putting.robot.body.holding and putting.robot.base == BEGIN


@pytest.mark.parametrize(("clearance", "lid"), [(0.155, np.inf), (np.inf, 0.125)])
def test_what_just_fits_under_what_is_above_is_put_there(clearance: float, lid: float) -> None:
    """3 cm over it to set it down; under the lid of a drawer that is shut again it may touch."""
    putting = Putting(carrying())
    putting.attempt(bare_table(surfaces=(replace(TOP, clearance=clearance, lid=lid),)))
    assert putting.skill.outcome is Outcome.SUCCEEDED


def test_an_empty_hand_puts_nothing() -> None:
    putting = Putting(Hand(), holding=False)
    assert putting.attempt(bare_table()) == "there is nothing in the hand"


def test_two_things_on_the_only_spots_are_named() -> None:
    small = replace(TOP, half_x=0.08, half_y=0.14)
    things = [
        Box(np.array([0.6, y, 0.77]), np.array([0.06, 0.05, 0.05]), 0.0, name)
        for y, name in ((0.07, "mug"), (-0.07, "plum"))
    ]
    putting = Putting(carrying())
    reason = putting.attempt(bare_table(*things, surfaces=(small,)))
    assert reason == "no free spot that the arm can reach: the mug and the plum are in the way"
    assert putting.skill.about == ("mug", "plum")
