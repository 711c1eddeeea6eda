"""Geometry of the held object, as the manipulation skills know it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from homie.kernel.types import Array, Box, Pose, Pose2, rotation_z
from skills.motion.motions import gripper_rotation

STOOD = 0.02
"""Base displacement (m) up to which the base counts as standing."""

WAYMARK = 0.08
"""Joint change (rad) from which a posture on the path is recorded."""

SAME_TILT = 0.1
"""Change (rad) of the hand's tilt since it grasped the object, up to which a box of the object is usable."""

FINEST = 0.022
"""Minimum radius (m) of the spheres that approximate a held object: they are fatter than a thin one."""

NOTHING: Array = np.zeros((0, 4))
"""No spheres."""


@dataclass(slots=True)
class Hand:
    """Memory that Pick leaves for Put: how the object sits in the gripper. Shared by one set of skills.

    Attributes:
        pitch: Pitch of the gripper when it grasped the object, rad.
        roll: Roll of the gripper about its fingers, rad, if it keeps that: a plate stays level in it.
        center: The object's middle (3,) in the gripper frame, m: offset along y for an object held by its rim, along x
            for one held by its near end.
        half: Half extents of the object's box, m.
        axes: Axes of that box, columns (3, 3) in the gripper frame.
        spheres: Spheres (n, 4) that fill the box: centre in the gripper frame and radius, m.
        level: The posture (n,) in which an object is carried that must not tilt; else None.
        loose: Whether the object has loose contents.
        came: Postures of the arm since the base last moved, by which it can go back; see `note`.
    """

    pitch: float = 0.0
    roll: float = 0.0
    center: Array = field(default_factory=lambda: np.zeros(3))
    spheres: Array = field(default_factory=lambda: NOTHING)
    half: tuple[float, float, float] = (0.04, 0.04, 0.05)
    axes: Array = field(default_factory=lambda: np.eye(3))
    level: Array | None = None
    loose: bool = False
    came: list[Array] = field(default_factory=list)
    _stand_pose: Pose2 | None = None

    def take(self, box: Box, pose: Pose, pitch: float, roll: float = 0.0) -> None:
        """Store an upright box held by a gripper at a pose (both in the odometry frame)."""
        position, rotation = pose.position, pose.rotation
        center = rotation.T @ (box.center - position)
        self.pitch, self.roll, self.center, self.level, self.loose = pitch, roll, center, None, False
        self.half = (float(box.half[0]), float(box.half[1]), float(box.half[2]))
        self.axes = rotation.T @ rotation_z(box.yaw)
        self.spheres = fill_box(Box(center, box.half), self.axes)

    def correct(self, box: Box, pose: Pose) -> None:
        """Store a better measured box of the held object (odometry frame), which has slipped or hangs differently than
        when it was grasped. Ignored while the hand is tilted differently than then, since the box is upright."""
        if abs(float(np.arcsin(np.clip(-pose.rotation[2, 0], -1.0, 1.0))) - self.pitch) > SAME_TILT:
            return
        level_and_loose = self.level, self.loose
        self.take(box, pose, self.pitch, self.roll)
        self.level, self.loose = level_and_loose

    def note(self, base: Pose2, q: Array) -> None:
        """Record the path of the arm while the base stands."""
        if self._stand_pose is None or np.hypot(base.x - self._stand_pose.x, base.y - self._stand_pose.y) > STOOD:
            self._stand_pose, self.came = base, []
        if not self.came or np.max(np.abs(q - self.came[-1])) > WAYMARK:
            self.came.append(q)

    @property
    def radius(self) -> float:
        """Radius of the object's footprint, m."""
        return float(np.hypot(self.half[0], self.half[1]))

    def drop_at(self, pitch: float) -> float:
        """Return the distance (m) from the gripper frame down to the lowest corner of the object's box, for a hand that
        is level in roll and has another pitch: the object tilts with it."""
        down = -gripper_rotation(0.0, pitch, self.roll)[2]
        return float(down @ self.center + np.abs(down @ self.axes) @ np.array(self.half))

    def tilts(self, pitches: Sequence[float]) -> tuple[tuple[float, float], ...]:
        """Return pitches to set the object down with, and their costs: a tall object should stand, a small one may lie
        anyhow."""
        if self.level is not None or self.roll:
            return ((self.pitch, 0.0),)
        cost_per_rad = 0.4 if max(self.half) < 0.05 else 1.5
        other_pitches = [pitch for pitch in pitches if abs(pitch - self.pitch) > 0.1]
        return ((self.pitch, 0.0), *((pitch, cost_per_rad * abs(pitch - self.pitch)) for pitch in other_pitches))


def fill_box(box: Box, rotation: Array) -> Array:
    """Return spheres (n, 4) that fill a box around `box.center` whose axes are the columns of a rotation (3, 3)."""
    radius = max(FINEST, float(np.min(box.half)))
    reach = np.maximum(box.half - radius, 0.0)
    marks = [np.linspace(-r, r, 1 + int(np.ceil(2 * r / (1.4 * radius)))) if r > 0 else np.zeros(1) for r in reach]
    grid = np.stack(np.meshgrid(*marks, indexing="ij"), axis=-1).reshape(-1, 3)
    return np.column_stack([box.center + grid @ rotation.T, np.full(len(grid), radius)])
