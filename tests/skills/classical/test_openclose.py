"""How far doors and drawers are opened and closed, where the hand goes for it, and when that is enough."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from homie.envs.mujoco.robots.bodies.fetch import SPEC
from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.kernel.types import (
    Articulation,
    Box,
    Goal,
    GripperState,
    Observation,
    OccupancyGrid,
    Outcome,
    Pose2,
    Proprioception,
    Subtask,
)
from skills.classical.openclose import FURTHEST, IN_A_CORNER, Close, Open
from skills.motion.held_object import Hand
from tests.skills.classical.doors import DRAWER, FRONT, SLIDING_DOOR, UP, hinged, level_hinged
from tests.skills.classical.obedient import ObedientRobot, empty_floor, nowhere

DOOR = Articulation(
    kind="hinge",
    axis_point=np.array([0.0, 0.0, 0.0]),
    axis=np.array([0.0, 0.0, -1.0]),
    handle=np.array([0.55, -0.05, 0.9]),
    handle_axis=np.array([0.0, 0.0, 1.0]),
    outward=np.array([0.0, -1.0, 0.0]),
    opening=0.0,
    range=1.92,
)
"""Along x from the origin, opened towards -y; once it is open the robot stands at its +x side."""


@pytest.mark.parametrize(
    ("wall", "first"), [(None, FURTHEST), (1.2, FURTHEST), (0.62, IN_A_CORNER[0]), (0.66, IN_A_CORNER[0])]
)
def test_a_door_in_a_corner_is_opened_wider_whatever_is_behind_the_wall(wall: float | None, first: float) -> None:
    """Metres from the hinge to a wall beside what is opened, with free floor at its other side."""
    occupied = np.zeros((80, 80), dtype=bool)
    origin = np.array([-2.0, -3.0])
    if wall is not None:
        column = int((wall - origin[0]) / 0.05)
        occupied[:, column : column + 2] = True
    grid = OccupancyGrid(occupied, np.zeros_like(occupied), origin, 0.05)
    goal = Goal("cabinet", "", np.array([0.3, 0.3, 0.6]), articulations=(DOOR,), grid=grid)
    joints = dict(zip(SPEC.chain.names, SPEC.chain.posture(SPEC.rest).tolist(), strict=True))
    body = Proprioception(Pose2(0.3, -1.2, 1.57), joints=joints, grippers={"gripper": GripperState(0.05)})
    skill = Open(SPEC, ArmKinematics(), Hand())
    skill.start(Subtask("Open", "cabinet"), goal, Observation(0.0, body, {}))
    assert skill.ends(DOOR)[0] == first


@pytest.mark.parametrize("skill_of", [Open, Close])
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("chest_1", "how it opens cannot be told from what is seen"),
        ("cabinet", "no door or drawer with a handle is known"),
    ],
)
def test_what_is_not_understood_is_left_alone(skill_of: type[Open | Close], name: str, reason: str) -> None:
    """A lid looks like a door to whoever knows doors only: nothing is moved, and the reason is reported."""
    joints = dict(zip(SPEC.chain.names, SPEC.chain.posture(SPEC.rest).tolist(), strict=True))
    body = Proprioception(Pose2(0.0, 0.0, 0.0), joints=joints, grippers={"gripper": GripperState(0.05)})
    free = np.zeros((80, 80), dtype=bool)
    grid = OccupancyGrid(free, free, np.array([-2.0, -2.0]), 0.05)
    skill = skill_of(SPEC, ArmKinematics(), Hand())
    observation = Observation(0.0, body, {})
    skill.start(Subtask(skill_of.actions[0], name), Goal(name, "", np.array([1.0, 0.0, 0.3]), grid=grid), observation)
    for _ in range(200):
        if skill.outcome is not Outcome.RUNNING:
            break
        skill.act(observation)
    assert (skill.outcome, skill.reason) == (Outcome.FAILED, reason)


@pytest.mark.parametrize("looks", [1, 3, 5, None])
def test_a_front_without_a_known_handle_is_looked_over(looks: int | None) -> None:
    """The head looks at three heights, from further back too; a handle that a look shows is pulled at once."""
    robot = ObedientRobot(Pose2(0.3, -1.2, 1.57))
    box = Box(np.array([0.3, 0.25, 0.65]), np.array([0.3, 0.25, 0.65]))
    goal = replace(nowhere(empty_floor()), name="cabinet", box=box)
    skill = Open(SPEC, ArmKinematics(), Hand())
    skill.start(Subtask("Open", "cabinet"), goal, robot.observe())
    tilts: list[float] = []
    while skill.outcome is Outcome.RUNNING and robot.stamp < 20.0:
        tilt = robot.body.joints["head_tilt_joint"]
        if tilt and (not tilts or abs(tilt - tilts[-1]) > 0.02):
            tilts.append(tilt)
        if looks is not None and len(tilts) == looks:
            skill.revise(replace(goal, articulations=(DOOR,)))
            for _ in range(60):
                robot.act(skill.act(robot.observe()))
            assert skill.outcome is Outcome.RUNNING and len(tilts) == looks
            return
        robot.act(skill.act(robot.observe()))
    assert looks is None and len(tilts) == 6
    assert (skill.outcome, skill.reason) == (Outcome.FAILED, "no door or drawer with a handle is known")
    assert robot.base.y == pytest.approx(-1.2 - 0.35, abs=0.03)


def start_skill(skill_of: type[Open | Close], *parts: Articulation) -> Open | Close:
    """A skill at the beginning of an attempt at some parts, on free floor."""
    skill = skill_of(SPEC, ArmKinematics(), Hand())
    goal = replace(nowhere(empty_floor()), name="cabinet", articulations=parts)
    observation = ObedientRobot(Pose2(0.3, -1.2, 1.57)).observe()
    skill.start(Subtask(skill_of.actions[0], "cabinet"), goal, observation)
    return skill


def opened_to(part: Articulation, opening: float) -> Articulation:
    """A part that is open so far, rad or m."""
    return replace(part, opening=opening)


LID = level_hinged(lid=True)


@pytest.mark.parametrize(
    ("part", "ends"),
    [
        (opened_to(DRAWER, 0.0), (0.388, 0.2)),
        (opened_to(DRAWER, 0.2), (0.388, 0.3)),
        (DOOR, (1.6, 1.4, 1.3, 0.8, 0.5)),
        (opened_to(DOOR, 0.7), (1.6, 1.4, 1.3)),
        (replace(DOOR, range=1.45), (1.45, 1.4, 1.3, 0.8, 0.5)),
        (LID, (1.455, 1.305, 0.9, 0.525)),
        (opened_to(LID, 0.8), (1.455, 1.305)),
    ],
)
def test_how_far_it_is_opened_the_best_end_first(part: Articulation, ends: tuple[float, ...]) -> None:
    """Later ends are ways there, of at least 0.15 rad; nothing is opened further than it goes."""
    assert start_skill(Open, part).ends(part) == pytest.approx(ends)


@pytest.mark.parametrize(
    ("part", "enough", "wide"),
    [(DOOR, 1.2, 1.45), (replace(DOOR, range=1.2), 1.08, 1.08), (DRAWER, 0.3, 0.3), (SLIDING_DOOR, 0.3, 0.3)],
)
def test_when_it_is_open_enough(part: Articulation, enough: float, wide: float) -> None:
    """A door that is open enough for the arm is opened further all the same, until it is no more in the way."""
    skill = start_skill(Open, part)
    assert skill.is_done(opened_to(part, enough + 1e-6)) and not skill.is_done(opened_to(part, enough - 0.01))
    assert skill.wide(opened_to(part, wide + 1e-6)) and not skill.wide(opened_to(part, wide - 0.01))


@pytest.mark.parametrize(
    ("part", "ends", "shut"),
    [
        (hinged(1.0, 1.0), (-0.02, 0.35, 0.6), 0.06),
        (DRAWER, (-0.02, 0.035, 0.06), 0.015),
        (SLIDING_DOOR, (0.0, 0.035, 0.06), 0.015),
        (opened_to(LID, 1.0), (0.0, 0.35, 0.6), 0.06),
    ],
)
def test_how_far_it_is_closed(part: Articulation, ends: tuple[float, ...], shut: float) -> None:
    """What is pushed is pushed a little beyond the stop, what is led by its handle is not."""
    skill = start_skill(Close, part)
    assert skill.ends(part) == pytest.approx(ends)
    assert skill.grasps_handle(part) is (ends[0] == 0.0)
    assert skill.opening == (0.06 if skill.grasps_handle(part) else 0.0), "the hand that pushes is shut"
    assert skill.is_done(opened_to(part, shut)) and not skill.is_done(opened_to(part, shut + 0.002))
    assert skill.wide(opened_to(part, shut)), "it is not pushed further"


def test_the_least_open_is_opened_and_the_most_open_is_closed() -> None:
    parts = (opened_to(DOOR, 0.5), opened_to(DRAWER, 0.3), opened_to(SLIDING_DOOR, 0.01))
    assert start_skill(Open, *parts).pick_articulation() is parts[2]
    assert start_skill(Close, *parts).pick_articulation() is parts[1]
    assert start_skill(Open, opened_to(DOOR, 0.2), opened_to(DRAWER, 0.1)).pick_articulation().kind == "hinge", (
        "by the share of its range"
    )


def test_where_the_hand_touches_what_it_opens_or_closes() -> None:
    for part in (DOOR, DRAWER, SLIDING_DOOR, LID):
        (touch,) = start_skill(Open, part).contacts(part)
        np.testing.assert_array_equal(touch, part.handle)
    for part in (SLIDING_DOOR, LID):
        (touch,) = start_skill(Close, part).contacts(part)
        np.testing.assert_array_equal(touch, part.handle)
    fist = SPEC.fingers.reach + 0.015
    (touch,) = start_skill(Close, DRAWER).contacts(DRAWER)
    np.testing.assert_allclose(touch, DRAWER.handle + fist * FRONT)


@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize("opening", [0.0, 0.8])
def test_a_door_is_pushed_next_to_its_handle_or_in_its_middle(sense: float, opening: float) -> None:
    door = hinged(sense, opening)
    beside, middle = start_skill(Close, door).contacts(door)
    along = np.cross(door.outward, UP) * (1.0 if np.cross(door.outward, UP) @ door.handle > 0.0 else -1.0)
    for touch, away in ((beside, 0.45 - 0.08), (middle, 0.225)):
        assert touch @ along == pytest.approx(away), "from the hinge"
        assert touch @ door.outward == pytest.approx(SPEC.fingers.reach + 0.015), "with the fist at the panel"
        assert touch[2] == door.handle[2]


@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize("opening", [0.0, 0.6, 1.1])
@pytest.mark.parametrize(("wall", "first"), [(1.2, FURTHEST), (0.62, IN_A_CORNER[0])])
def test_the_room_before_a_door_is_the_same_however_far_it_is_open(
    sense: float, opening: float, wall: float, first: float
) -> None:
    """A wall at the side of its handle, so many metres from the hinge."""
    grid = empty_floor()
    column = int((-sense * wall - grid.origin[0]) / grid.resolution)
    occupied = grid.occupied.copy()
    occupied[:, column - 1 : column + 1] = True
    door = hinged(sense, opening)
    skill = Open(SPEC, ArmKinematics(), Hand())
    goal = replace(nowhere(replace(grid, occupied=occupied)), articulations=(door,))
    skill.start(Subtask("Open", "cabinet"), goal, ObedientRobot(Pose2(-sense * 0.2, -1.2, 1.57)).observe())
    assert skill.ends(door)[0] == first
