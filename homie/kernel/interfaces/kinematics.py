"""The contract of kinematics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from homie.kernel.types import (
    Array,
    Pose,
)


class Kinematics(Protocol):
    """Forward and inverse kinematics of a robot's chain. `q` is (n,), the joints of `RobotSpec.chain`: torso, then arm.

    Poses are of the gripper in the base frame; its x points out along the fingers, y is the direction in which they
    close.
    """

    def forward(self, q: Array) -> Pose:
        """The pose of the gripper in the base frame (m, rotation matrix) with the joints at `q` (n,) in m and rad."""

    def link_points(self, q: Array) -> Array:
        """Centres (n, 3), in the base frame, of spheres that fill the arm and the hand."""

    @property
    def point_radii(self) -> Array:
        """Radii (n,) of the spheres of `link_points`, m."""

    def self_distance(self, q: Array, held: Array | None = None) -> float:
        """Metres between the arm and the robot's own body, negative inside.

        Args:
            held: Spheres (n, 4) in the hand that keep out of the body too: centre in the gripper frame and radius, m.
        """

    def solve(self, position: Array, rotation: Array | None, q0: Array, *, locked_torso: bool = False) -> IkSolution:
        """Joints that bring the gripper to a pose in the base frame.

        Args:
            position: (3,), m.
            rotation: (3, 3), or None where any orientation will do.
            q0: (n,), where the search begins; of several solutions one near to it.
            locked_torso: Whether the torso stays as it is in `q0`.

        Returns:
            The best joints within the limits; `ok` says whether they reach the pose.
        """


@runtime_checkable
class ReachBound(Protocol):
    """Kinematics that know without solving that a pose is out of reach, so that planning need not ask for joints."""

    def out_of_reach(self, position: Array, rotation: Array) -> bool:
        """Whether no joints bring the gripper to a position (3,), m, and rotation (3, 3) in the base frame: True only
        where `solve` would not be `ok`, False where it is not certain."""


@dataclass(frozen=True, slots=True)
class IkSolution:
    """Result of `Kinematics.solve`: joints within the limits, and how near they bring the gripper to the pose.

    Attributes:
        q (n,): M and rad.
        ok: Whether both errors are within tolerance and the arm keeps clear of the robot's own body.
        position_error, rotation_error: What is left, m and rad.
    """

    q: Array
    ok: bool
    position_error: float
    rotation_error: float
