"""Whether an arm posture keeps out of the things on a table: arm and palm, fingers as they are open, what they hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from homie.kernel.interfaces import Kinematics
from homie.kernel.types import Array, Box, Pose, rotation_z
from skills.discrete_actions.arm_actions import ArmAction
from skills.motion.collision import Solids

DEEP_ARM, DEEP_FINGERS, DEEP_HELD = 0.006, 0.003, 0.009
"""How deep (m) arm, fingers and what they hold may be in a box: boxes are rough, cells are 1 cm, things slide."""
_FINGER = 0.0095
"""Radius of the spheres of a finger, m."""
_ALONG_FINGER = (-0.030, -0.014, -0.001)
"""Where they are, along x of the gripper."""


class Clearance:
    """Asks a posture what it would run into.

    Args:
        base (3,): The base's origin in the frame of the boxes, in which it is not turned.
        origin (3,): Of the workspace, in the frame of the boxes.
        solids: What arm and fingers keep out of.
        obstacles: What the thing in the hand keeps out of.
        opening: Of the gripper (m).
        held: The box in the hand.
    """

    def __init__(
        self,
        kinematics: Kinematics,
        base: Array,
        origin: Array,
        solids: Sequence[Box],
        obstacles: Sequence[Box],
        opening: float,
        q: Array,
        held: Box | None,
    ) -> None:
        self._kinematics = kinematics
        self._base, self._origin = base, origin
        self._solids = Solids(solids)
        self._obstacles = Solids(obstacles)
        finger_offset = opening / 2 + _FINGER
        self._fingers = np.array([[x, side, 0.0] for x in _ALONG_FINGER for side in (-finger_offset, finger_offset)])
        self._held = None if held is None else _in_gripper(held, self._in_room(kinematics.forward(q)))
        self._begun = {part: distance for part, (distance, *_) in self._parts(q).items()}

    def obstructed(self, q: Array) -> str:
        """What would run into what, in words and with the cell of the place; "" if nothing would.

        What was touched when the motion began may be left.
        """
        for part, (distance, deep, solids, points, radii) in self._parts(q).items():
            if distance < min(-deep, self._begun[part] - 0.001):
                worst = min(range(len(points)), key=lambda k: solids.distance(points[k : k + 1], radii[k : k + 1]))
                return f"{part} would run into something at {ArmAction.place(points[worst] - self._origin)}"
        return ""

    def _parts(self, q: Array) -> dict[str, tuple[float, float, Solids, Array, Array]]:
        """Of each part of the robot: its distance to the boxes, how deep it may be, the boxes, its spheres."""
        gripper = self._in_room(self._kinematics.forward(q))
        arm = self._kinematics.link_points(q) + self._base
        fingers = gripper.position + self._fingers @ gripper.rotation.T
        spheres = {
            "the arm": (DEEP_ARM, self._solids, arm, self._kinematics.point_radii),
            "the fingers": (DEEP_FINGERS, self._solids, fingers, np.full(len(fingers), _FINGER)),
        }
        if self._held is not None:
            held = gripper.position + self._held @ gripper.rotation.T
            spheres["what the hand holds"] = (DEEP_HELD, self._obstacles, held, np.zeros(len(held)))
        return {
            part: (solids.distance(points, radii), deep, solids, points, radii)
            for part, (deep, solids, points, radii) in spheres.items()
        }

    def _in_room(self, pose: Pose) -> Pose:
        return Pose(pose.position + self._base, pose.rotation)


def _in_gripper(box: Box, gripper: Pose) -> Array:
    """Points (n, 3) all over a box, in the frame of the gripper."""
    steps = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
    local = np.stack(np.meshgrid(steps, steps, [-1.0, 0.0, 1.0], indexing="ij"), -1).reshape(-1, 3) * box.half
    points: Array = (box.center + local @ rotation_z(box.yaw).T - gripper.position) @ gripper.rotation
    return points
