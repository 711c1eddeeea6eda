"""Articulation of doors and drawers, estimated from the points of their panel, their handle and their furniture's body.

The handle is the main cue: it protrudes on the outer side of the panel, at the edge away from the hinge.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from homie.kernel.types import Array, Box, Surface, planar_rotation
from perception.localise import rectangle
from perception.memory.panel import SHUT_ANGLE, Bar, Panel
from perception.scan import Points

THICKNESS = 0.03
"""Assumed thickness (m) of a door whose edge was not seen."""
FLOOR_GAP = 0.022
"""Height (m) of a drawer's floor above the lower edge of its front."""
FRONT_THICKNESS = 0.02
"""Thickness (m) of a drawer's front."""
FACE = 0.025
"""Distance (m) behind the foremost points of a drawer up to which points belong to its front."""
SIDE_THICKNESS = 0.042
"""Distance (m) from each side edge of a drawer's front to the inside of the drawer."""
WIDER, WIDEST = 1.08, 1.25
"""Ratio of the visible to the known width of a panel from which a new look replaces the estimate, and from which an
open door is seen with something beside it."""
PLAIN_SPACING = 0.021
"""Pixel spacing (m) up to which a single look decides whether a door is open: 2.7 m away with 256 pixels to 90 degrees.
From further away, the door of a shut fridge in a corner was estimated as open at a right angle."""
PLAIN_SHARE = 0.5
"""Smallest share of the width and height of a panel, or of the length of its handle, visible in such a look."""
GRAZING = 0.2
"""Cosine between the view direction and a panel's normal below which the view is too oblique."""
BEHIND = 0.1
"""Cosine between the view direction and a panel's normal from which the panel is seen from behind."""
IN_PLANE = 0.06
"""Largest distance (m) of a panel's points from its estimated plane."""
LEAST_BODY = 60
"""Fewest points of a body from which its axes are known; with fewer, a door is assumed to be shut."""
SNAP = 0.12
"""Distance (m) within which the hinge of an open door is snapped to a corner of the body."""
AWAY = 0.5
"""Opening (rad) from which an open door is clear of the body, except at the hinge."""
WITHIN_BODY = 6
"""Points of the body above or below a panel, in its plane, from which the panel cannot be clear of the body: three shut
cabinets with only a piece of the door visible had 12, 29 and 32, open doors had 0 in 13 looks."""
LEAST_BAR, STRAIGHT, AGREES = 0.1, 0.008, 0.07
"""Length (m) of a bar from which its direction is accurate to a few degrees, largest deviation (m) of its points from
its axis, and largest angle (rad) between it and the body's axis."""
HANDLE_RADIUS = 0.007
"""Mean distance (m) from the visible side of a bar to its axis."""


@dataclass(frozen=True, slots=True)
class PartView:
    """One look at a moving part, and the accumulated body.

    Attributes:
        panel, handle: Points (n, 3) of this look, either may be empty; the handle's are shifted by `core`.
        body: Points (n, 3) of the rest, from all looks.
        box: Box of the furniture, without the moving part if that is open.
        spacing: Distance (m) between pixels.
        eye: Camera position, (3,).
    """

    panel: Points
    handle: Points
    body: Points
    box: Box
    spacing: float
    eye: Array

    def plain(self, panel: Panel) -> bool:
        """Whether this look alone determines the opening of the door or drawer that was recognised in it."""
        if self.spacing > PLAIN_SPACING or len(self.panel) < 12:
            return False
        center, half, _ = rectangle(self.panel[:, :2].astype(np.float64))
        low, high = _heights(self.panel)
        height = 2 * float(panel.front.half[2])
        ray = center - self.eye[:2]
        slanted = abs(float(ray @ panel.normal)) < GRAZING * float(np.linalg.norm(ray))
        is_complete = 2 * half[0] > PLAIN_SHARE * panel.width and high - low > PLAIN_SHARE * height
        bar = bar_of(self.handle)
        return not slanted and (is_complete or (bar is not None and bar.length > PLAIN_SHARE * panel.bar.length))


def update_panel(known: Panel | None, kind: Literal["hinge", "slide"], seen: PartView) -> Panel | None:
    """Update the estimate with a new look; returns None until the handle has been seen.

    The geometry of a shut door is the most accurate, so any closer look at the shut door replaces it; a closer look
    that contradicts the estimate replaces it too; otherwise only the opening is updated.
    """
    fitted = _fit(kind, seen)
    if known is None:
        return fitted
    opening = _opening(known, seen)
    bar = bar_of(seen.handle)
    is_complete = bar is not None and bar.length > 0.9 * known.bar.length
    panel = known if opening is None else replace(known, opening=opening, bar_now=bar if is_complete else None)
    if fitted is None:
        return panel
    fitted = replace(fitted, front=_extend_heights(fitted.front, known.front))
    if _is_same_panel(fitted, known):
        is_near = fitted.spacing < 1.1 * known.spacing
        is_wider = known.kind == "hinge" and WIDER < fitted.width / known.width < WIDEST
        if is_near and is_wider and not panel.fully_closed:
            return fitted  # the picture edge had cut off the hinge end of the shut door
        if not (fitted.fully_closed and panel.fully_closed and is_near and fitted.width > 0.97 * known.width):
            return panel
        partial = fitted.bar.length < 0.9 * known.bar.length  # occluded by the arm, or cut by the picture edge
        return replace(fitted, bar=known.bar) if partial else fitted
    if fitted.is_closed and panel.opening > AWAY and known.spacing < PLAIN_SPACING and _matches(panel, seen):
        return panel  # an open door alone looks like the shut front of something
    if fitted.width > WIDER * known.width and fitted.spacing < 2.0 * known.spacing:
        return fitted  # an estimate from a piece of the panel may have its hinge at the wrong end
    wide = fitted.width > 0.9 * known.width  # too near, only a piece is in the picture
    better = wide and fitted.spacing < 0.9 * known.spacing
    return fitted if better and not _matches(panel, seen) else panel


def _matches(known: Panel, seen: PartView) -> bool:
    """Whether the estimate of a door, at the opening just measured, matches the points of this look."""
    if known.kind == "slide" or len(seen.panel) < 12:
        return False
    rotation = planar_rotation(known.turn * known.opening)
    offset = np.median(seen.panel[:, :2], axis=0) - known.origin
    off, along = (
        float(offset @ (rotation @ known.outward)),
        float(offset @ (rotation @ known.along)),
    )
    return abs(off) < IN_PLANE and 0.0 < along < 1.2 * known.width


def _is_same_panel(a: Panel, b: Panel) -> bool:
    """Whether two estimates are of the same panel, regardless of their openings."""
    return float(a.outward @ b.outward) > 0.9 and float(np.linalg.norm(a.origin - b.origin)) < 0.15


def _extend_heights(front: Box, other: Box) -> Box:
    """Extend a front to the height range of both looks: the arm or the picture edge may hide its ends."""
    low = min(float(box.center[2] - box.half[2]) for box in (front, other))
    high = max(float(box.center[2] + box.half[2]) for box in (front, other))
    return upright(front.center[:2], front.half[:2], front.yaw, low, high)


def upright(center: Array, half: Array, yaw: float, low: float, high: float) -> Box:
    """Return the box over a rectangle (centre (2,), half sizes (2,)) between two heights (m)."""
    return Box(np.array([*center, (low + high) / 2]), np.array([*half, (high - low) / 2]), yaw)


def tray(panel: Panel, points: Points) -> Surface | None:
    """Estimate the floor of the pulled-out part of a drawer from all its points (n, 3); None if it is nearly shut.

    The front hides the floor from most viewpoints, so it is inferred: as wide as the front minus the sides, at the
    height of the lowest level part behind the front, or a little above the front's lower edge.
    """
    if panel.opening < 0.08:
        return None
    depth, side = points[:, :2] @ panel.outward, points[:, :2] @ panel.along
    face = float(np.percentile(depth, 98))
    front = points[depth > face - FACE]
    low, high = np.percentile(front[:, :2] @ panel.along, [1, 99])
    floor = _front_heights(front)[0] + FLOOR_GAP
    inner = (depth < face - 0.05) & (depth > face - panel.opening) & (side > low + 0.06) & (side < high - 0.06)
    if np.count_nonzero(inner) > 20:
        floor = min(max(floor, float(np.percentile(points[inner, 2], 3))), floor + 0.03)
    length = panel.opening - FRONT_THICKNESS
    middle = (face - FRONT_THICKNESS - length / 2) * panel.outward + (low + high) / 2 * panel.along
    yaw = float(np.arctan2(panel.outward[1], panel.outward[0]))
    return Surface(np.array([*middle, floor]), length / 2, float(high - low) / 2 - SIDE_THICKNESS, yaw)


def core(points: Points, eye: Array) -> Points:
    """Shift the visible points (n, 3) of a bar, seen from `eye` (3,), to its axis."""
    view_offset = np.median(points, axis=0) - eye
    shifted: Points = points + (HANDLE_RADIUS / float(np.linalg.norm(view_offset)) * view_offset).astype(np.float32)
    return shifted


def bar_of(points: Points) -> Bar | None:
    """Fit a handle bar to its points (n, 3), or return None if there are too few."""
    if len(points) < 5:
        return None
    spread = np.asarray(points, dtype=np.float64)
    middle = np.median(spread, axis=0)
    _, _, axes = np.linalg.svd(spread - middle, full_matrices=False)
    axis = np.array([0.0, 0.0, 1.0]) if abs(axes[0][2]) > 0.7 else np.array([*axes[0][:2], 0.0])
    axis = axis / np.linalg.norm(axis)
    offsets_on_axis = (spread - middle) @ axis
    low, high = float(offsets_on_axis.min()), float(offsets_on_axis.max())
    return Bar(middle + axis * (low + high) / 2, axis, high - low)


def _fit(kind: Literal["hinge", "slide"], seen: PartView) -> Panel | None:
    bar = bar_of(seen.handle)
    if bar is None or len(seen.panel) < 12:
        return None
    return _fit_slide(seen, bar) if kind == "slide" else _fit_hinge(seen, bar)


def _fit_slide(seen: PartView, bar: Bar) -> Panel:
    outward = _drawer_direction(seen, bar)
    front = float(np.percentile(seen.panel[:, :2] @ outward, 98))
    opening = front - _front(seen.box, outward)
    closed = Bar(bar.center - opening * np.array([*outward, 0.0]), bar.axis, bar.length)
    tangent = np.array([-outward[1], outward[0]])
    face = seen.panel[seen.panel[:, :2] @ outward > front - FACE]
    tangential = face[:, :2] @ tangent
    low, high = float(tangential.min()), float(tangential.max())
    middle = (front - opening - FRONT_THICKNESS / 2) * outward + (low + high) / 2 * tangent
    half, yaw = np.array([FRONT_THICKNESS, high - low]) / 2, float(np.arctan2(outward[1], outward[0]))
    shut = upright(middle, half, yaw, *_front_heights(face))
    width = high - low
    return Panel("slide", closed.center[:2], tangent, outward, closed, width, shut, opening, seen.spacing)


def _drawer_direction(seen: PartView, bar: Bar) -> Array:
    """Return the direction (2,) in which a drawer opens: the body's axis perpendicular to the handle bar, or the bar's
    own normal if the body's yaw is not accurate enough to agree with it."""
    across = np.array([-bar.axis[1], bar.axis[0]])
    axes = [axis for axis in axes_of(seen.box.yaw) if abs(axis @ across) > np.cos(np.pi / 4)] or axes_of(seen.box.yaw)
    offset = bar.center[:2] - np.median(seen.panel[:, :2], axis=0)
    outward = max(axes, key=lambda axis: float(offset @ axis))
    is_straight = bar.length > LEAST_BAR and float(np.std((seen.handle[:, :2] - bar.center[:2]) @ across)) < STRAIGHT
    agrees = not across.any() or abs(float(outward @ across)) > np.cos(AGREES)
    return outward if agrees or not is_straight else across * np.sign(across @ outward)


def _fit_hinge(seen: PartView, bar: Bar) -> Panel | None:
    center, half, yaw = rectangle(seen.panel[:, :2].astype(np.float64))
    direction = np.array([np.cos(yaw), np.sin(yaw)])
    offset = bar.center[:2] - center
    if half[0] < 0.08 or abs(float(offset @ direction)) < 0.2 * half[0]:
        return None
    tangent = direction * np.sign(offset @ direction)
    normal = np.array([-tangent[1], tangent[0]])
    normal = normal * np.sign(offset @ normal)
    thickness = 2 * float(half[1]) if 0.015 < 2 * half[1] < 0.12 else THICKNESS
    outer = center + float(half[1]) * normal
    pivot = outer - float(half[0]) * tangent - thickness * normal
    turn = 1.0 if tangent[0] * normal[1] - tangent[1] * normal[0] > 0 else -1.0
    known_yaw = len(seen.body) >= LEAST_BODY
    ray = seen.eye[:2] - center
    is_front = float(ray @ normal) > -BEHIND * float(np.linalg.norm(ray))
    widest = AWAY if _body_continues(seen.body, pivot, tangent, normal, 2 * float(half[0])) else 2.1
    best: tuple[float, float, Array] | None = None
    for outward in axes_of(seen.box.yaw) if known_yaw else [normal]:
        angle = turn * _angle(outward, normal)
        if -0.35 < angle < widest:
            closed = planar_rotation(-turn * angle) @ tangent
            score = _support(seen.body, pivot, closed, outward, 2 * float(half[0])) - 0.05 * abs(angle)
            is_possible = score > 0.0 if angle > AWAY else is_front  # the back of a shut door is hidden by its body
            if is_possible and (best is None or score > best[0]):
                best = score, angle, outward
    if best is None:
        return None
    _, angle, outward = best
    if abs(angle) < SHUT_ANGLE:  # the front of a shut door is more accurate than the axes of its body
        angle, outward = 0.0, normal
    if angle > AWAY:
        pivot = _hinge_corner(pivot, seen.box, outward)
    back = planar_rotation(-turn * angle)
    shut = Bar(
        np.array([*(pivot + back @ (bar.center[:2] - pivot)), bar.center[2]]),
        np.array([*(back @ bar.axis[:2]), bar.axis[2]]),
        bar.length,
    )
    width = 2 * float(half[0])
    long = max(width, float((shut.center[:2] - pivot) @ (back @ tangent)))
    front = upright(
        pivot + back @ (long * tangent + thickness * normal) / 2,
        np.array([long, thickness]) / 2,
        float(np.arctan2(*(back @ tangent)[::-1])),
        *_heights(seen.panel),
    )
    return Panel("hinge", pivot, back @ tangent, outward, shut, width, front, angle, seen.spacing)


def _heights(points: Points) -> tuple[float, float]:
    """Return the height range of points (n, 3), without outliers."""
    low, high = np.percentile(points[:, 2], [1, 99])
    return float(low), float(high)


def _front_heights(points: Points) -> tuple[float, float]:
    """Return the height range of a drawer's front from its points (n, 3), of which a few percent may be of what is
    above or below."""
    low, high = np.percentile(points[:, 2], [4, 96])
    beyond = (high - low) / 23  # the points are spread evenly
    return float(low - beyond), float(high + beyond)


def _support(body: Points, pivot: Array, along: Array, outward: Array, width: float) -> float:
    """Score (-1..1) how well a body's points (n, 3) fit a door that closes from `pivot` along a direction.

    The body lies behind the closed door: points behind it count in favour; points in its plane, where the opening
    must be, and before it count against.
    """
    tangential = (body[:, :2] - pivot) @ along
    deep = -((body[:, :2] - pivot) @ outward)
    span = (tangential > -0.03) & (tangential < width + 0.03)
    middle = (tangential > 0.15 * width) & (tangential < 0.85 * width)
    points_behind = np.count_nonzero(span & (deep > 0.05) & (deep < 0.9))
    points_against = np.count_nonzero(middle & (np.abs(deep) < 0.03)) + np.count_nonzero(span & (deep < -0.05))
    return (points_behind - 2 * points_against) / max(1, len(body))


def _body_continues(body: Points, pivot: Array, along: Array, normal: Array, width: float) -> bool:
    """Whether the body (n, 3) continues above or below the outer half of a panel, like the frame of a shut door.

    It distinguishes a shut door whose hinge end is hidden from one that is open at the other end of the body.
    """
    offsets = body[:, :2] - pivot
    tangential, off = offsets @ along, np.abs(offsets @ normal)
    return int(np.count_nonzero((tangential > 0.5 * width) & (tangential < width) & (off < IN_PLANE))) >= WITHIN_BODY


def _hinge_corner(pivot: Array, body: Box, outward: Array) -> Array:
    """Return the corner of the body at which an open door is hinged, or `pivot` if no corner is near it."""
    corners = body.corners()
    fronts = corners[np.argsort(corners @ outward)[-2:]]
    corner: Array = min(fronts, key=lambda c: float(np.linalg.norm(c - pivot)))
    return corner if np.linalg.norm(corner - pivot) < SNAP else pivot


def _opening(known: Panel, seen: PartView) -> float | None:
    """Measure the opening of a known door or drawer in one look, None if too little of it is visible."""
    if known.kind == "slide":
        if len(seen.panel) < 12:
            return None
        return float(np.percentile(seen.panel[:, :2] @ known.outward, 98)) - _front(seen.box, known.outward)
    bar = bar_of(seen.handle)
    if bar is not None:
        offset, closed_offset = bar.center[:2] - known.origin, known.bar.center[:2] - known.origin
        if abs(np.linalg.norm(offset) - np.linalg.norm(closed_offset)) < 0.08:
            return known.turn * _angle(closed_offset, offset)
    if len(seen.panel) < 12:
        return None
    panel = seen.panel[:, :2].astype(np.float64)
    lengths = np.linalg.norm(panel - known.origin, axis=1)
    if float(lengths.max()) < 0.6 * float(np.linalg.norm(known.bar.center[:2] - known.origin)):
        return None  # only the part next to the hinge is visible
    center, half, yaw = rectangle(panel)
    if half[0] > 3 * half[1]:
        direction = np.array([np.cos(yaw), np.sin(yaw)])
        direction = direction * np.sign(direction @ (center - known.origin))
    else:  # hardly more than the door's edge is visible
        direction = np.median(panel[lengths > 0.6 * lengths.max()], axis=0) - known.origin
    return known.turn * _angle(known.along, direction)


def axes_of(yaw: float) -> list[Array]:
    """Return the four horizontal directions of a body, unit vectors (2,)."""
    return [np.array([np.cos(yaw + k * np.pi / 2), np.sin(yaw + k * np.pi / 2)]) for k in range(4)]


def _front(body: Box, outward: Array) -> float:
    """Return the largest coordinate of the body along a direction (2,)."""
    return float((body.corners() @ outward).max())


def _angle(a: Array, b: Array) -> float:
    """Return the signed angle (rad) from a to b, both (2,)."""
    return float(np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b))
