"""Paths of handles and panels, and the floor that they sweep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from homie.kernel.types import Array, Articulation, Box, Pose, rotation_z
from skills.motion.motions import gripper_rotation

ENTRY = 0.10
"""Distance (m) before a handle from which the hand moves straight."""

EXIT = 0.06
"""Minimum distance (m) by which the hand retreats from a handle: the fingers reach 3 cm beyond it."""


STANDOFF = 0.05
"""Distance (m) between a handle bar and its panel."""

THICK, LONG = 0.01, 0.10
"""Half thickness and minimum half length of a handle bar, m."""

STRIPS = 6
"""Number of boxes that approximate a flap or a lid: a box stands upright, and they are slanted."""


@dataclass(frozen=True, slots=True)
class Wrist:
    """Orientation of a hand at a handle.

    Attributes:
        slant: Angle (rad) between the hand and the normal of the front.
        follow: Fraction of the panel's rotation that the hand follows.
        pitch: Angle of the fingers, rad below the horizon.
        across: Whether one finger is before the bar and the other behind it.
    """

    follow: float
    slant: float
    pitch: float = 0.0
    across: bool = False


SLIDING = (Wrist(0.0, 0.0), Wrist(0.0, 0.4), Wrist(0.0, -0.4))
SWINGING = (
    *(Wrist(0.6, 0.0), Wrist(0.3, 0.0), Wrist(0.9, 0.0), Wrist(0.5, 0.5), Wrist(0.5, -0.5)),
    *(Wrist(0.0, 0.0), Wrist(0.5, 0.9), Wrist(0.5, -0.9), Wrist(0.3, 1.2), Wrist(0.3, -1.2)),
)
"""Ways to hold the handle of a drawer or a sliding door, and of a hinged door, the most natural first."""
FROM_ABOVE = (0.4, 0.6, 0.7, 0.9, 1.0)
"""Pitches (rad) at which an arm mounted on the table grasps a drawer's handle just above the table top."""


@dataclass(frozen=True, slots=True)
class Pull:
    """A path of a handle: gripper poses from first contact on, one per step of the joint."""

    poses: tuple[Pose, ...]
    moved: tuple[float, ...]
    """Displacement of the joint at each pose, rad or m."""
    slant: float
    """Angle between the hand and the panel's normal at first contact, rad."""

    @property
    def before(self) -> Pose:
        """Gripper pose before first contact."""
        return move_back(self.poses[0], ENTRY)

    @property
    def after(self) -> Pose:
        """Gripper pose with the fingers off the handle at the end: fingers still around it would drag it along."""
        return move_back(self.poses[-1], EXIT)


def move_back(pose: Pose, distance: float) -> Pose:
    """Return a gripper pose moved back along its fingers by a distance in m."""
    return Pose(pose.position - distance * pose.rotation[:, 0], pose.rotation)


def is_flap(articulation: Articulation) -> bool:
    """Whether it is a flap or a lid, which turns about a horizontal axis."""
    return articulation.kind == "hinge" and abs(float(articulation.axis[2])) < 0.5


def is_sliding_door(articulation: Articulation) -> bool:
    """Whether it is a sliding door, which slides sideways."""
    return articulation.kind == "slide" and abs(float(articulation.axis @ articulation.outward)) < 0.5


def plan_pull(articulation: Articulation, touch: Array, end: float, wrist: Wrist, inward: float) -> Pull:
    """Plan gripper poses along the path of the handle, about 6 degrees or 4 cm apart."""
    span = end - articulation.opening
    unit = 0.1 if articulation.kind == "hinge" else 0.04
    count = max(2, int(np.ceil(abs(span) / unit)))
    roll = np.pi / 2 if abs(articulation.handle_axis[2]) < 0.5 and not wrist.across else 0.0
    level = is_flap(articulation)
    # A lid moves the hand up and over, a flap down in front of it: both pitch it towards the floor.
    poses = []
    for i in range(count + 1):
        displacement = span * i / count
        position = _displaced_point(articulation, touch, displacement)
        rotation_angle = 0.0 if level else displacement * _opening_sign(articulation)
        pitch = wrist.pitch + (wrist.follow * displacement if level else 0.0)
        poses.append(
            Pose(position, gripper_rotation(inward + wrist.slant + wrist.follow * rotation_angle, pitch, roll))
        )
    return Pull(tuple(poses), tuple(span * i / count for i in range(count + 1)), wrist.slant)


def _opening_sign(articulation: Articulation) -> float:
    """Return the sign of the rotation about z by which a door opens; 0 for a slide."""
    return float(np.sign(articulation.axis[2])) if articulation.kind == "hinge" else 0.0


def _displaced_point(articulation: Articulation, point: Array, displacement: float) -> Array:
    """Return the position (3,) of a point of the panel after the joint has moved by an angle (rad) or a distance
    (m)."""
    if articulation.kind == "slide":
        shifted: Array = point + displacement * articulation.axis
        return shifted
    arm = point - articulation.axis_point
    if is_flap(articulation):
        axis, lever = articulation.axis, arm - (arm @ articulation.axis) * articulation.axis
        lifted = np.cos(displacement) * lever + np.sin(displacement) * np.cross(axis, lever)
        rotated: Array = articulation.axis_point + (arm @ axis) * axis + lifted
        return rotated
    angle = displacement * _opening_sign(articulation)
    c, s = np.cos(angle), np.sin(angle)
    rotated_point: Array = articulation.axis_point + np.array(
        [c * arm[0] - s * arm[1], s * arm[0] + c * arm[1], arm[2]]
    )
    return rotated_point


def moved_boxes(articulation: Articulation, displacement: float = 0.0) -> tuple[Box, ...]:
    """Return the boxes of the panel after the joint has moved by an angle (rad) or a distance (m); () if it is
    unknown."""
    panel = articulation.panel
    if panel is None:
        return ()
    if is_flap(articulation):
        return _strips(articulation, panel, displacement)
    return (
        Box(
            _displaced_point(articulation, panel.center, displacement),
            panel.half,
            panel.yaw + displacement * _opening_sign(articulation),
        ),
    )


def _strips(articulation: Articulation, panel: Box, displacement: float) -> tuple[Box, ...]:
    """Return boxes for a flap or a lid from its axis to its free edge; the handle bar is in front of them."""
    axis, outward = articulation.axis, articulation.outward
    arm = articulation.handle - articulation.axis_point
    middle = articulation.axis_point + (arm @ axis) * axis
    lever = articulation.handle - middle
    length = float(np.linalg.norm(lever))
    wide = abs(float(rotation_z(-panel.yaw)[1] @ axis))
    half_width = float(panel.half[1] if wide > 0.5 else panel.half[0])
    side = (length - STANDOFF) / STRIPS
    yaw = float(np.arctan2(outward[1], outward[0]))
    half = np.array([side / 2, half_width, side / 2])
    steps = (np.arange(STRIPS) + 0.5) * side / length
    return tuple(
        Box(
            _displaced_point(articulation, middle + step * lever, displacement),
            _strip_half_sizes(half, lever, displacement, articulation),
            yaw,
        )
        for step in steps
    )


def _strip_half_sizes(half: Array, lever: Array, displacement: float, articulation: Articulation) -> Array:
    """Return the half sizes of a strip: as deep and as high as its slope makes it, and never thinner than a bar."""
    direction = _displaced_point(articulation, articulation.axis_point + lever, displacement) - articulation.axis_point
    level, high = float(np.hypot(direction[0], direction[1])), abs(float(direction[2]))
    length = float(np.linalg.norm(direction))
    return np.array([max(half[0] * level / length, THICK), half[1], max(half[2] * high / length, THICK)])


def handle_box(articulation: Articulation) -> Box:
    """Return the box of a handle bar and the gap behind it now; only the middle part, since its length is unknown."""
    outward, handle_extent = articulation.outward, np.abs(articulation.handle_axis)
    half = np.array(
        [
            STANDOFF / 2,
            *(THICK + LONG * share for share in (np.hypot(handle_extent[0], handle_extent[1]), handle_extent[2])),
        ]
    )
    yaw = float(np.arctan2(outward[1], outward[0]))
    return Box(articulation.handle - (STANDOFF / 2 - THICK) * outward, half, yaw)


def on_sweep(articulation: Articulation, xy: Array, span: float) -> bool:
    """Whether a footprint at xy would be in the sweep of the door."""
    if is_flap(articulation):
        return _under_sweep(articulation, xy, span)
    arm = (articulation.handle - articulation.axis_point)[:2]
    length = float(np.linalg.norm(arm)) + 0.08
    offset = xy - articulation.axis_point[:2]
    if np.linalg.norm(offset) > length + 0.32:
        return False
    for t in np.linspace(0.0, 1.0, 9):
        angle = span * t * float(np.sign(articulation.axis[2]))
        c, s = np.cos(angle), np.sin(angle)
        direction = np.array([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]]) / np.linalg.norm(arm)
        projection = float(np.clip(offset @ direction, 0.0, length))
        if np.linalg.norm(offset - projection * direction) < 0.34:
            return True
    return False


def _under_sweep(articulation: Articulation, xy: Array, span: float) -> bool:
    """Whether a footprint at xy would be under a moving flap or lid."""
    yaw = float(np.arctan2(articulation.outward[1], articulation.outward[0]))
    start = articulation.axis_point[:2]
    handle_points = [
        _displaced_point(articulation, articulation.handle, span * t)[:2] for t in np.linspace(0.0, 1.0, 5)
    ]
    reach = max(float((end - start) @ articulation.outward[:2]) for end in handle_points) + THICK
    boxes = moved_boxes(articulation)
    half_width = max((float(box.half[1]) for box in boxes), default=LONG)
    middle = start + reach / 2 * articulation.outward[:2]
    swept = Box(np.array([*middle, 0.0]), np.array([max(reach, 0.0) / 2, half_width, 1.0]), yaw)
    return swept.distance(xy) < 0.34


def wrists_for(articulation: Articulation, *, fixed: bool = False) -> Sequence[Wrist]:
    """Return ways to hold a handle, the most natural first.

    Args:
        fixed: Whether the arm cannot move elsewhere, so that steeper ways are worth a try.
    """
    if articulation.kind == "slide":
        steep = (replace(wrist, pitch=pitch) for pitch in FROM_ABOVE for wrist in SLIDING)
        return (*SLIDING, *steep) if fixed else SLIDING
    return _level_wrists(articulation) if is_flap(articulation) else SWINGING


def _level_wrists(articulation: Articulation) -> Sequence[Wrist]:
    """Return ways to hold the bar of a flap or a lid: from the front, with the hand pitching towards the floor as the
    bar moves or keeping its pitch; from the side, with the fingers before and behind the bar. On the way back the order
    is reversed."""
    share = articulation.opening / articulation.range
    front = [
        Wrist(follow, slant, pitch + follow * articulation.opening)
        for pitch in (0.3, 0.0, 0.6, 0.9, 1.3)
        for follow in (0.0, 0.4, 0.8)
        for slant in (0.0, 0.4, -0.4)
        if pitch + follow * articulation.range < 1.65
    ]
    side = [Wrist(0.0, slant, pitch, across=True) for slant in (1.57, -1.57) for pitch in (0.6, 1.0, 1.4)]
    return (*front, *side) if share < 0.3 else (*side, *front)
