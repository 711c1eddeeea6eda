"""Grasps of a plate: a finger slides under its raised rim, level and close above the supporting surface, and the other
comes down on the rim from above. A plate does not fit between the fingers, and its rim is too low to have a finger on
either side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from homie.kernel.robot.reach import Fingers
from homie.kernel.types import Array, Box, Pose, Solid
from skills.classical.grasp_candidates import ROUND, Grasp, Tool, fitting
from skills.motion.collision import Solids
from skills.motion.motions import gripper_rotation

HIGHEST = 0.035
"""Maximum height (m) of a flat object: in a bowl, which is deeper, a finger gets inside the rim."""

THINNEST, NARROWEST, WIDEST = 0.012, 0.07, 0.2
"""Minimum height (m) and range of half widths (m) of a box that could be a plate if its parts are unknown."""

ABOVE_FLOOR = 0.002
"""Gap (m) between the lower finger and the supporting surface: the arm is less than a millimetre off."""

UNDER, LEAST_UNDER = 0.012, 0.006
"""Distance (m) that the finger slides under the rim, and the minimum at which the rim does not slip off it."""

SAG = 0.001
"""Height (m) by which the finger may exceed the underside of the rim: it lifts the rim."""

PITCHES = (0.85, 0.7, 1.0, 1.1)
"""Pitches of the hand (rad below the horizon), best first. A steeper one pushes the plate along instead of lifting it,
and with a flatter one the hand itself, which is wider than its fingers, touches the table first."""

LESS_LIKED = 0.15
"""Cost of each next pitch."""

OPEN = 0.06
"""Opening (m) with which the upper finger clears the rim."""

BESIDE = 0.015
"""Distance (m) before the rim at which the finger descends."""

DIRECTIONS = 16
"""Number of directions from which a round rim is tried."""

SIDE = np.pi / 2
"""Roll (rad) of a hand that closes from above and below."""

BODY, CLEAR = 0.12, 0.003
"""Length (m) of the hand behind its palm, and its minimum distance (m) from obstacles."""

GUESSED = 0.3
"""Cost of a grasp of an object that is only guessed to be a plate."""


def find_scoop_grasps(
    box: Box, parts: Sequence[Solid], others: Sequence[Box], access: Array | None, tool: Tool
) -> list[Grasp]:
    """Return grasps of a plate by its rim, best first; none for an object without a rim that has room for a finger
    below it.

    Args:
        parts: The solids that make up the object, if known; otherwise it is judged by its box.
        others: Boxes that the open fingers must not hit.
        access: Direction (2,) out of the compartment if it stands in one.
    """
    if 2 * box.half[2] > HIGHEST or not (parts or _is_plate_like(box)):
        return []
    first = box.yaw if access is None else float(np.arctan2(-access[1], -access[0]))
    chosen = []
    for yaw in first + np.linspace(-np.pi, np.pi, DIRECTIONS, endpoint=False):
        inward = np.array([np.cos(yaw), np.sin(yaw), 0.0])
        for rank, pitch in enumerate(PITCHES):
            rise = tool.fingers.tip * np.cos(pitch) + ABOVE_FLOOR
            edge, clearance = (
                _rim_clearance(box, parts, -inward, rise) if parts else (float(box.half[:2].mean()), UNDER)
            )
            if clearance < LEAST_UNDER:
                continue
            tip = box.center - (edge - clearance) * inward + np.array([0.0, 0.0, rise - box.half[2]])
            cost = LESS_LIKED * rank + (0.0 if parts else GUESSED)
            for roll in (SIDE, -SIDE):
                pose = _pose_for_tip(tip, float(yaw), pitch, roll, tool)
                chosen.append(Grasp(pose, float(yaw), pitch, OPEN, cost, roll=roll, under=clearance + BESIDE))
    return fitting(chosen, others, access, tool.fingers)


def blocked(poses: Sequence[Pose], solids: Solids, fingers: Fingers) -> bool:
    """Whether the body of the hand would be in collision at one of the poses: across the fingers, a direction that is
    upright here, it is wider than its collision spheres. In a basin it would be in the wall."""
    depths = -fingers.palm_face - np.linspace(0.0, BODY, 5)
    lateral, vertical = (np.linspace(-half, half, 3) for half in (fingers.palm_width, fingers.palm_half))
    body = np.stack(np.meshgrid(depths, lateral, vertical), axis=-1).reshape(-1, 3)
    points = np.concatenate([pose.position + body @ pose.rotation.T for pose in poses])
    return solids.distance(points, np.zeros(len(points))) < CLEAR


def _pose_for_tip(tip: Array, yaw: float, pitch: float, roll: float, tool: Tool) -> Pose:
    """Return the hand pose with the inner edge of its lower fingertip at a point (3,)."""
    inward, vertical = np.array([np.cos(yaw), np.sin(yaw), 0.0]), np.array([0.0, 0.0, 1.0])
    approach = np.cos(pitch) * inward - np.sin(pitch) * vertical
    closing = np.sin(pitch) * inward + np.cos(pitch) * vertical
    return Pose(tip - tool.fingers.reach * approach + OPEN / 2 * closing, gripper_rotation(yaw, pitch, roll))


def _is_plate_like(box: Box) -> bool:
    """Whether a box could belong to a plate."""
    short, long = sorted(float(half) for half in box.half[:2])
    return bool(2 * box.half[2] >= THINNEST and short >= NARROWEST and long <= WIDEST and short >= ROUND * long)


def _rim_clearance(box: Box, parts: Sequence[Solid], direction: Array, rise: float) -> tuple[float, float]:
    """Return how far an object extends from the middle of its box along a unit vector (3,), and how far from there a
    finger at height `rise` (m) above the floor fits under it."""
    floor = float(box.center[2] - box.half[2])
    edge = max(float(part.reach(direction[None])[0]) for part in parts) - float(direction @ box.center)
    clearance = 0.0
    for inset in np.arange(0.002, UNDER + 1e-9, 0.001):
        underside = min(_undersides(parts, box.center + (edge - inset) * direction), default=None)
        if underside is not None and underside - floor < rise - SAG:
            break
        clearance = float(inset) if underside is not None else clearance
    return edge, clearance


def _undersides(parts: Sequence[Solid], point: Array) -> Iterator[float]:
    """Yield the heights at which a vertical line through a point (2+,) enters boxes and cylinders."""
    for part in parts:
        if part.kind not in ("box", "cylinder"):
            continue
        turn = part.pose.rotation
        origin = turn.T @ (np.array([point[0], point[1], 0.0]) - part.pose.position)
        line_direction = turn.T @ np.array([0.0, 0.0, 1.0])
        entry = _entry_distance(origin, line_direction, part)
        if entry is not None:
            yield entry


def _entry_distance(origin: Array, line_direction: Array, part: Solid) -> float | None:
    """Return how far along a line (3,), in the frame of a box or of an upright cylinder, the line enters it; else
    None."""
    low, high = -np.inf, np.inf
    for axis in range(3):
        if abs(line_direction[axis]) < 1e-9:
            if abs(origin[axis]) > part.half[axis]:
                return None
            continue
        crossings = sorted(((side * part.half[axis] - origin[axis]) / line_direction[axis]) for side in (-1.0, 1.0))
        low, high = max(low, float(crossings[0])), min(high, float(crossings[1]))
    if low > high or (part.kind == "cylinder" and np.hypot(*(origin + low * line_direction)[:2]) > part.half[0]):
        return None
    return low
