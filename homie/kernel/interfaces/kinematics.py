"""Interface of kinematics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from homie.kernel.types import (
    Array,
    Pose,
)


class Kinematics(Protocol):
    """Forward and inverse kinematics of a robot's chain. `q` is (n,), the joints of `RobotSpec.chain`: torso, then arm.

    Poses are those of the gripper in the base frame; its x axis points out along the fingers, which close along y.
    """

    def forward(self, q: Array) -> Pose:
        """Return the pose of the gripper in the base frame (m, rotation matrix) for joints `q` (n,), m and rad."""

    def link_points(self, q: Array) -> Array:
        """Return the centres (n, 3), in the base frame, of spheres that approximate arm and hand, m."""

    @property
    def point_radii(self) -> Array:
        """Radii (n,) of the spheres of `link_points`, m."""

    def self_distance(self, q: Array, held: Array | None = None) -> float:
        """Return the distance (m) between the arm and the robot's own body, negative for penetration.

        Args:
            held: Spheres (n, 4) of the held object, counted as arm: centre in the gripper frame and radius, m.
        """

    def solve(self, position: Array, rotation: Array | None, q0: Array, *, locked_torso: bool = False) -> IkSolution:
        """Solve inverse kinematics for a pose of the gripper in the base frame.

        Args:
            position: (3,), m.
            rotation: (3, 3), or None for any orientation.
            q0: (n,), initial guess; of several solutions one near it is returned.
            locked_torso: Whether the torso stays as in `q0`.

        Returns:
            The best joints within the limits; `ok` says whether they reach the pose.
        """


@runtime_checkable
class ReachBound(Protocol):
    """Kinematics that can rule out unreachable poses without solving, which saves planners time."""

    def out_of_reach(self, position: Array, rotation: Array) -> bool:
        """Whether the pose of a position (3,), m, and rotation (3, 3) in the base frame is certainly unreachable: True
        only if `solve` would not be `ok`, False if in doubt."""


@dataclass(frozen=True, slots=True)
class IkSolution:
    """Result of `Kinematics.solve`: joints within the limits, and how near they bring the gripper to the pose.

    Attributes:
        q (n,): Joint positions, m and rad.
        ok: Whether both errors are within tolerance and the arm does not collide with the robot's own body.
        position_error, rotation_error: Residuals, m and rad.
    """

    q: Array
    ok: bool
    position_error: float
    rotation_error: float
