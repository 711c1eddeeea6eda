"""How far a door is opened, by the room that is before it."""

from __future__ import annotations

import numpy as np
import pytest

from homie.envs.mujoco.robots.fetch.fetch import SPEC
from homie.envs.mujoco.robots.fetch.kinematics import ArmKinematics
from homie.kernel.types import (
    Articulation,
    Goal,
    GripperState,
    Observation,
    OccupancyGrid,
    Outcome,
    Pose2,
    Proprioception,
    Subtask,
)
from skills.classical.hand import Hand
from skills.classical.openclose import FURTHEST, IN_A_CORNER, Close, Open

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
    """A lid looks like a door to whoever knows doors only: nothing is moved, and the reason is told."""
    joints = dict(zip(SPEC.chain.names, SPEC.chain.posture(SPEC.rest).tolist(), strict=True))
    body = Proprioception(Pose2(0.0, 0.0, 0.0), joints=joints, grippers={"gripper": GripperState(0.05)})
    free = np.zeros((80, 80), dtype=bool)
    grid = OccupancyGrid(free, free, np.array([-2.0, -2.0]), 0.05)
    skill = skill_of(SPEC, ArmKinematics(), Hand())
    seen = Observation(0.0, body, {})
    skill.start(Subtask(skill_of.actions[0], name), Goal(name, "", np.array([1.0, 0.0, 0.3]), grid=grid), seen)
    for _ in range(200):
        if skill.outcome is not Outcome.RUNNING:
            break
        skill.act(seen)
    assert (skill.outcome, skill.reason) == (Outcome.FAILED, reason)
