"""What a manipulation skill knows of the thing in its hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from homie.types import Array, Box, Pose


@dataclass(slots=True)
class Hand:
    """Memory that Pick leaves for Put: how the object sits in the gripper. Shared by one set of skills.

    pitch: of the gripper when it took the object, rad. aside: metres from the gripper to the object's middle along the
    closing direction (a thing held by its rim). drop: metres from the gripper frame down to the object's underside.
    half: half extents of the object's box. balls: centres (n, 3) in the gripper frame of spheres of
    `radius_of_balls` that fill it.
    """

    pitch: float = 0.0
    aside: float = 0.0
    balls: Array = field(default_factory=lambda: np.zeros((0, 3)))
    radius_of_balls: float = 0.0
    drop: float = 0.05
    half: tuple[float, float, float] = (0.04, 0.04, 0.05)

    def take(self, box: Box, pose: Pose, pitch: float) -> None:
        """Remember an upright box held by a gripper at a pose (both in the odometry frame)."""
        position, rotation = pose.position, pose.rotation
        center, up = rotation.T @ (box.center - position), rotation[2]
        self.pitch, self.aside = pitch, float(center[1])
        self.drop = float(position[2] - (box.center[2] - box.half[2]))
        self.half = (float(box.half[0]), float(box.half[1]), float(box.half[2]))
        self.radius_of_balls = 0.7 * max(self.half[:2])
        reach = max(self.half[2] - self.radius_of_balls, 0.0)
        self.balls = center + np.array([[-reach], [0.0], [reach]]) * up

    @property
    def radius(self) -> float:
        """Of its footprint, m."""
        return float(np.hypot(self.half[0], self.half[1]))

    def drop_at(self, pitch: float) -> float:
        """`drop` when the hand is turned to another pitch and the object tilts with it."""
        tilt = abs(pitch - self.pitch)
        return self.drop * float(np.cos(tilt)) + min(self.half[:2]) * float(np.sin(tilt))

    def tilts(self, pitches: Sequence[float]) -> tuple[tuple[float, float], ...]:
        """Pitches to put it down with, and what they cost: a tall thing should stand, a small one may lie anyhow."""
        dear = 0.4 if max(self.half) < 0.05 else 1.5
        others = [pitch for pitch in pitches if abs(pitch - self.pitch) > 0.1]
        return ((self.pitch, 0.0), *((pitch, dear * abs(pitch - self.pitch)) for pitch in others))
