"""The robot's own arm in its pictures: the gripper pose, and the points that belong to the arm."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from homie.kernel.interfaces import Robot
from homie.kernel.types import Mask, Pose, Proprioception, rotation_z
from perception.scan import Scan

ARM_MARGIN = 0.03
"""Distance (m) from the arm's links within which points belong to the arm."""


class OwnArm:
    """Model of the arm from the constants and the kinematics of a robot alone."""

    def __init__(self, robot: Robot) -> None:
        self._chain = robot.spec.chain
        self._kinematics = robot.kinematics

    def gripper(self, body: Proprioception) -> Pose:
        """Return the gripper pose (odometry frame)."""
        pose = self._kinematics.forward(self._chain.measured(body))
        return Pose(body.base.transform(pose.position), rotation_z(body.base.yaw) @ pose.rotation)

    def without(self, scan: Scan, body: Proprioception) -> Scan:
        """Remove the points of the arm from a scan: the box around an object may contain some."""
        return replace(scan, valid=scan.valid & ~self.pixels(scan, body))

    def pixels(self, scan: Scan, body: Proprioception) -> Mask:
        """Return the mask of the arm in a scan, (H, W)."""
        q = self._chain.measured(body)
        centres = np.array([body.base.transform(point) for point in self._kinematics.link_points(q)])
        reach = self._kinematics.point_radii + ARM_MARGIN
        low, high = (centres - reach[:, None]).min(axis=0), (centres + reach[:, None]).max(axis=0)
        in_bounds: Mask = scan.valid & ((scan.points > low) & (scan.points < high)).all(axis=2)
        points = scan.points[in_bounds]
        is_own = np.zeros(len(points), dtype=bool)
        for centre, radius in zip(centres, reach, strict=True):
            is_own |= ((points - centre) ** 2).sum(axis=1) < radius**2
        in_bounds[in_bounds] = is_own
        return in_bounds
