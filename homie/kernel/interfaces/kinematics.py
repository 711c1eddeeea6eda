"""The contract of kinematics."""

from __future__ import annotations

from typing import Protocol

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
        """The gripper pose in the base frame."""

    def link_points(self, q: Array) -> Array:
        """Centres (n, 3), in the base frame, of spheres that fill the arm and the hand."""

    @property
    def point_radii(self) -> Array:
        """Radii (n,) of the spheres of `link_points`, m."""

    def self_distance(self, q: Array, held: Array | None = None) -> float:
        """Metres between the arm and the robot's own body, negative inside.

        held: spheres (n, 4) in the hand that keep out of the body too: centre in the gripper frame and radius, m.
        """

    def solve(self, position: Array, rotation: Array | None, q0: Array, *, locked_torso: bool = False) -> IkSolution:
        """Joints that bring the gripper to a pose in the base frame (rotation None: position only)."""


class IkSolution(Protocol):
    """Result of `Kinematics.solve`: `q` (n,), whether both errors (m, rad) are within tolerance."""

    @property
    def q(self) -> Array: ...
    @property
    def ok(self) -> bool: ...
    @property
    def position_error(self) -> float: ...
    @property
    def rotation_error(self) -> float: ...
