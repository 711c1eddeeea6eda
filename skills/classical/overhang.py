"""Grasps of a flat object that does not fit between the fingers where it lies: pull it over the edge of its supporting
surface, and grasp it there with one finger above it and one below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from homie.kernel.types import Array, Box, Pose, Solid, Surface, planar_rotation
from skills.classical.grasp_candidates import BEFORE_PALM, Grasp, Tool
from skills.motion.motions import gripper_rotation

HANG = 0.05
"""Overhang (m) to which an object is pulled: enough for the fingers, and too little to tip over."""

FURTHEST = 0.4
"""Maximum pull distance (m): how far the arm reaches from where the robot stands."""

STAYS = 0.015
"""Minimum distance (m) of the object's middle from the edge, or it would fall."""

LEAST_HANG = 0.022
"""Minimum overhang (m) for the fingers to hold the object."""

BEFORE_EDGE = 0.004
"""Gap (m) between the edge and the tip of the finger below it."""

SPARE = 0.02
"""Finger opening (m) in excess of the object's thickness."""

PINCHES, ON_A_SLOPE = (0.0, 0.25, -0.3), (-0.3, -0.35, -0.25)
"""Pitches of the hand (rad below the horizon), best first; the second ones are for the sloping wall of an upside-down
bowl, where the fingers of a level hand slip off."""

LESS_LIKED = 0.1
"""Cost of each next pitch: as much as a standing place that is 40 cm further away."""

UPRIGHT = np.cos(0.2)
"""Vertical component of an axis's unit vector from which it counts as upright."""

SIDE = np.pi / 2
"""Roll (rad) of a hand that closes from above and below."""

OVER = 0.02
"""Height (m) above the pose at which the hand may enter: one finger is below the object."""

FAR_END = 0.015
"""Distance (m) of the pressed point from the far end of an object: the hand slips towards the near end, where it would
tip the object."""

LEVEL = 0.005
"""Height (m) above the supporting surface from which an object is an obstacle."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A pull over an edge by a hand that presses on an object at the point `at` (3,), near its far end, and moves along
    the unit vector `out` (3,) by `length` metres; the edge is `depth` metres from the point."""

    at: Array
    out: Array
    length: float
    depth: float

    @property
    def yaw(self) -> float:
        """Yaw (rad) of a hand that enters over this edge."""
        return float(np.arctan2(-self.out[1], -self.out[0]))


def drawings(box: Box, surface: Surface, others: Sequence[Box]) -> list[Drawing]:
    """Return the possible pulls of an object over the edges of its surface, shortest first.

    Args:
        others: Boxes of obstacles; one that begins below the object counts only if it rises above the object's
            underside.
    """
    chosen = []
    for outward, edge in _edges(surface):
        reach = _reach(box, outward)
        hang = min(HANG, reach - STAYS)
        depth = edge - float((box.center - surface.center) @ outward)
        length = depth - reach + hang
        if hang >= LEAST_HANG and 0.0 < length < FURTHEST and not _collides(box, outward, length, others):
            at = box.center + np.array([0.0, 0.0, box.half[2]]) - (reach - FAR_END) * outward
            chosen.append(Drawing(at, outward, length, depth + reach - FAR_END))
    return sorted(chosen, key=lambda drawing: drawing.length)


def find_pinch_grasps(box: Box, surface: Surface, parts: Sequence[Solid], tool: Tool) -> list[Grasp]:
    """Return grasps, best first, from above and below of an object that hangs over an edge of its supporting surface.

    Args:
        parts: The solids that make up the object, if known.
    """
    fingers, thickness = tool.fingers, 2.0 * float(box.half[2])
    if thickness > tool.opening - 2 * fingers.room:
        return []
    pitches = (
        ON_A_SLOPE if surface.access is None and _has_sloping_walls(parts) else PINCHES
    )  # no hand can point up between shelf boards
    chosen = []
    for outward, edge in _edges(surface):
        middle = float((box.center - surface.center) @ outward)
        hang = middle + _reach(box, outward) - edge
        if hang < LEAST_HANG or middle > edge - STAYS / 2:
            continue
        edge_direction = np.array([-outward[1], outward[0], 0.0])
        edge_offset = float(
            np.mean([corner @ edge_direction[:2] for corner in _overhanging_corners(box, surface, outward, edge)])
        )
        # Not further in than the palm allows.
        back = max(BEFORE_EDGE + fingers.reach, hang - fingers.palm_face + BEFORE_PALM)
        at = surface.center * (1.0, 1.0, 0.0) + (edge + back) * outward
        at += (edge_offset - float(at @ edge_direction)) * edge_direction + np.array([0.0, 0.0, box.center[2]])
        yaw = float(np.arctan2(-outward[1], -outward[0]))
        for rank, pitch in enumerate(pitches):
            for roll in (SIDE, -SIDE):
                pose = Pose(at, gripper_rotation(yaw, pitch, roll))
                cost = LESS_LIKED * rank + LEAST_HANG / hang
                chosen.append(Grasp(pose, yaw, pitch, min(tool.opening, thickness + SPARE), cost, OVER, roll=roll))
    return sorted(chosen, key=lambda grasp: grasp.cost)


def lies_flat(parts: Sequence[Solid]) -> bool:
    """Whether the largest solid of an object does not roll as it lies; False if the parts are unknown."""
    if not parts:
        return False
    largest = max(parts, key=lambda part: float(np.prod(part.half)))
    upright = abs(float(largest.pose.rotation[2, 2])) > UPRIGHT
    return largest.kind in ("box", "hull") or (largest.kind == "cylinder" and upright)


def _has_sloping_walls(parts: Sequence[Solid]) -> bool:
    """Whether an object has sloping walls."""
    return any(part.kind == "box" and np.max(np.abs(part.pose.rotation[2])) < UPRIGHT for part in parts)


def level_grasp(box: Box, grasp: Grasp, pose: Pose) -> tuple[Box, Pose]:
    """Return the box of an object held at a pose in a rolled hand, and the hand's pose, as they are once the hand is
    turned level again; the box is upright where the hand closes from above and below."""
    if not grasp.roll:
        return box, pose
    level = gripper_rotation(grasp.yaw, 0.0)
    rotation = pose.rotation @ gripper_rotation(0.0, 0.0, -grasp.roll)
    middle = pose.position + rotation @ pose.rotation.T @ (box.center - pose.position)
    forward_extent, side_extent = _reach(box, level[:, 0]), _reach(box, level[:, 1])
    return Box(middle, np.array([forward_extent, box.half[2], side_extent]), grasp.yaw), Pose(pose.position, rotation)


def _edges(surface: Surface) -> Iterator[tuple[Array, float]]:
    """Yield outward unit vectors (3,) of the edges of a surface that can be reached, and the edges' distances (m) from
    its middle."""
    rotation = planar_rotation(surface.yaw)
    for axis, half in ((rotation[:, 0], surface.half_x), (rotation[:, 1], surface.half_y)):
        for outward in (axis, -axis):
            if surface.access is None or float(outward @ surface.access) > np.cos(0.1):
                yield np.array([*outward, 0.0]), float(half)


def _reach(box: Box, direction: Array) -> float:
    """Return how far a footprint extends from its middle along a unit vector (2+,), m."""
    offsets = box.corners() - box.center[:2]
    return float(np.max(offsets @ direction[:2]))


def _overhanging_corners(box: Box, surface: Surface, outward: Array, edge: float) -> list[Array]:
    """Return the corners (2,) of the part of a footprint that is beyond an edge."""
    corners = box.corners()
    overhangs = (corners - surface.center[:2]) @ outward[:2] - edge
    polygon = []
    for k in range(4):
        overhang, next_overhang = overhangs[k], overhangs[(k + 1) % 4]
        if overhang > 0.0:
            polygon.append(corners[k])
        if overhang * next_overhang < 0.0:
            polygon.append(corners[k] + (corners[(k + 1) % 4] - corners[k]) * overhang / (overhang - next_overhang))
    return polygon


def _collides(box: Box, direction: Array, length: float, others: Sequence[Box]) -> bool:
    """Whether an object that is pulled so far would hit another."""
    low = float(box.center[2] - box.half[2]) + LEVEL
    high = float(box.center[2] + box.half[2])
    obstacles = [o for o in others if o.center[2] - o.half[2] < high and o.center[2] + o.half[2] > low]
    moved_boxes = [Box(box.center + part * length * direction, box.half, box.yaw) for part in np.linspace(0.2, 1.0, 5)]
    return any(
        other.distance(point) == 0.0 or moved_box.distance(corner) == 0.0
        for moved_box in moved_boxes
        for other in obstacles
        for point, corner in zip(
            [*moved_box.corners(), moved_box.center[:2]], [*other.corners(), other.center[:2]], strict=True
        )
    )
