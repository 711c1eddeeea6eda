"""The ways that handles and panels go, and where they would hit who stands there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homie.kernel.types import Array, Articulation, Box, Pose
from skills.classical.motion import gripper_rotation

ENTRY = 0.10
"""Metres before a handle from which the hand goes straight."""

EXIT = 0.06
"""Metres by which the hand goes back from a handle at least: the fingers reach 3 cm beyond it."""


STANDOFF = 0.05
"""Metres between a handle bar and its panel."""

THICK, LONG = 0.01, 0.10
"""Half of what a handle bar measures across and at least along, m."""


@dataclass(frozen=True, slots=True)
class Pull:
    """A way to lead a handle: gripper poses from the first touch on, one per step of the joint."""

    poses: tuple[Pose, ...]
    moved: tuple[float, ...]
    """How far the joint has moved at each of them, rad or m."""
    slant: float
    """Angle between the hand and the panel's normal at the first touch, rad."""

    @property
    def before(self) -> Pose:
        """Where the gripper comes from, before the first touch."""
        return backed(self.poses[0], ENTRY)

    @property
    def after(self) -> Pose:
        """Where the fingers have left the handle in the end: those that cannot get off it take it along as they go."""
        return backed(self.poses[-1], EXIT)


def backed(pose: Pose, distance: float) -> Pose:
    """A gripper pose, moved back along its fingers by a distance in m."""
    return Pose(pose.position - distance * pose.rotation[:, 0], pose.rotation)


def plan_pull(articulation: Articulation, touch: Array, end: float, follow: float, slant: float, inward: float) -> Pull:
    """Gripper poses along the way of the handle, about 6 degrees or 4 cm apart."""
    span = end - articulation.opening
    unit = 0.1 if articulation.kind == "hinge" else 0.04
    count = max(2, int(np.ceil(abs(span) / unit)))
    roll = np.pi / 2 if abs(articulation.handle_axis[2]) < 0.5 else 0.0
    poses = []
    for i in range(count + 1):
        moved = span * i / count
        position = _moved(articulation, touch, moved)
        turned = moved * float(np.sign(articulation.axis[2])) if articulation.kind == "hinge" else 0.0
        yaw = inward + slant + follow * turned
        poses.append(Pose(position, gripper_rotation(yaw, 0.0, roll)))
    return Pull(tuple(poses), tuple(span * i / count for i in range(count + 1)), slant)


def _moved(articulation: Articulation, point: Array, by: float) -> Array:
    """Where a point (3,) of the panel is when the joint has moved by an angle or a distance from now."""
    if articulation.kind == "slide":
        slid: Array = point + by * articulation.axis
        return slid
    arm = point - articulation.axis_point
    angle = by * float(np.sign(articulation.axis[2]))
    c, s = np.cos(angle), np.sin(angle)
    turned: Array = articulation.axis_point + np.array([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1], arm[2]])
    return turned


def moved_box(articulation: Articulation, by: float) -> Box:
    """The panel when the joint has moved by an angle or a distance from now."""
    panel = articulation.panel
    assert panel is not None
    turned = by * float(np.sign(articulation.axis[2])) if articulation.kind == "hinge" else 0.0
    return Box(_moved(articulation, panel.center, by), panel.half, panel.yaw + turned)


def handle_box(articulation: Articulation) -> Box:
    """The bar of a handle with the gap behind it, where it is now; its length is not known, so the middle part."""
    outward, along = articulation.outward, np.abs(articulation.handle_axis)
    half = np.array([STANDOFF / 2, *(THICK + LONG * share for share in (np.hypot(along[0], along[1]), along[2]))])
    yaw = float(np.arctan2(outward[1], outward[0]))
    return Box(articulation.handle - (STANDOFF / 2 - THICK) * outward, half, yaw)


def on_sweep(articulation: Articulation, xy: Array, span: float) -> bool:
    """Whether a footprint at xy would be in the way of the door's sweep."""
    arm = (articulation.handle - articulation.axis_point)[:2]
    length = float(np.linalg.norm(arm)) + 0.08
    to = xy - articulation.axis_point[:2]
    if np.linalg.norm(to) > length + 0.32:
        return False
    for t in np.linspace(0.0, 1.0, 9):
        angle = span * t * float(np.sign(articulation.axis[2]))
        c, s = np.cos(angle), np.sin(angle)
        direction = np.array([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]]) / np.linalg.norm(arm)
        along = float(np.clip(to @ direction, 0.0, length))
        if np.linalg.norm(to - along * direction) < 0.34:
            return True
    return False
