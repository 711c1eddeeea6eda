"""Collision check of an arm posture above a table: arm and palm, fingers at their opening, held object."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from homie.kernel.interfaces import Kinematics
from homie.kernel.types import Array, Box, Pose, rotation_z
from skills.discrete_actions.arm_actions import ArmAction
from skills.motion.collision import Solids

DEEP_ARM, DEEP_FINGERS, DEEP_HELD = 0.006, 0.003, 0.009
"""Allowed penetration (m) of arm, fingers and held object into a box: boxes are rough, cells are 1 cm, objects
slide."""
_FINGER = 0.0095
"""Radius of the spheres of a finger, m."""
_ALONG_FINGER = (-0.030, -0.014, -0.001)
"""Positions of the spheres along x of the gripper, m."""


class Clearance:
    """Finds what an arm posture would collide with.

    Args:
        base (3,): The base's origin in the frame of the boxes, relative to which it is not rotated.
        origin (3,): Origin of the workspace, in the frame of the boxes.
        solids: Obstacles of arm and fingers.
        obstacles: Obstacles of the held object.
        opening: Gripper opening, m.
        held: Box of the held object.
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
        self._start_distances = {part: distance for part, (distance, *_) in self._parts(q).items()}

    def describe_collision(self, q: Array) -> str:
        """Describe the first collision, in words and with the cell of the place; "" if there is none.

        Contacts at the start of the motion are allowed, so that it can leave them.
        """
        for part, (distance, deep, solids, points, radii) in self._parts(q).items():
            if distance < min(-deep, self._start_distances[part] - 0.001):
                worst = min(range(len(points)), key=lambda k: solids.distance(points[k : k + 1], radii[k : k + 1]))
                return f"{part} would run into something at {ArmAction.place(points[worst] - self._origin)}"
        return ""

    def _parts(self, q: Array) -> dict[str, tuple[float, float, Solids, Array, Array]]:
        """Return for each part of the robot its distance to the boxes, its allowed penetration, the boxes and its
        spheres."""
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
    """Return points (n, 3) all over a box, in the frame of the gripper."""
    steps = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
    local = np.stack(np.meshgrid(steps, steps, [-1.0, 0.0, 1.0], indexing="ij"), -1).reshape(-1, 3) * box.half
    points: Array = (box.center + local @ rotation_z(box.yaw).T - gripper.position) @ gripper.rotation
    return points
