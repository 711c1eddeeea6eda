"""Ways to take a flat thing that no hand goes round: draw it over the edge of what it lies on, and take it there with
one finger above it and one below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from homie.kernel.types import Array, Box, Pose, Solid, Surface, planar_rotation
from skills.classical.grasp_candidates import BEFORE_PALM, Grasp, Tool
from skills.motion.motions import gripper_rotation

HANG = 0.05
"""Metres that a thing is drawn over the edge: the fingers reach so far over it, and it does not tip over."""

FURTHEST = 0.4
"""Metres that a thing is drawn at most: so far the arm reaches from where the robot stands."""

STAYS = 0.015
"""Metres before the edge at which its middle has to stay, or it would fall."""

LEAST_HANG = 0.022
"""Metres over the edge from which the fingers hold it."""

BEFORE_EDGE = 0.004
"""Metres between the edge and the tip of the finger below it."""

SPARE = 0.02
"""Metres that the fingers are opened wider than the thing is thick."""

PINCHES, ON_A_SLOPE = (0.0, 0.25, -0.3), (-0.3, -0.35, -0.25)
"""Pitches of the hand (rad below the horizon), best first: on the sloping wall of a bowl upside down the fingers of a
level hand slip off."""

LESS_LIKED = 0.1
"""Cost of each next pitch: as much as a place to stand that is 40 cm further away."""

UPRIGHT = np.cos(0.2)
"""Height of the unit vector along an axis from which that counts as upright."""

SIDE = np.pi / 2
"""Roll of a hand that closes from above and below."""

OVER = 0.02
"""Metres above the pose at which the hand may come in: a finger is below the thing."""

FAR_END = 0.015
"""Metres from the end of a thing where it is pressed on: the hand slips towards the other, where it would tip it."""

LEVEL = 0.005
"""Metres above what a thing lies on from which something is in its way."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A thing that is drawn over an edge by a hand that presses on it at a point (3,), its far end, along a unit vector
    (3,), so far (m), with the edge at a distance (m)."""

    at: Array
    out: Array
    length: float
    depth: float

    @property
    def yaw(self) -> float:
        """Where a hand points that comes in over this edge, rad."""
        return float(np.arctan2(-self.out[1], -self.out[0]))


def drawings(box: Box, surface: Surface, others: Sequence[Box]) -> list[Drawing]:
    """The edges of a surface over which a thing on it can be drawn, the nearest first.

    Args:
        others: Boxes of what it must not run into; of those that begin below it only what is higher counts.
    """
    chosen = []
    for outward, edge in _edges(surface):
        reach = _reach(box, outward)
        hang = min(HANG, reach - STAYS)
        depth = edge - float((box.center - surface.center) @ outward)
        length = depth - reach + hang
        if hang >= LEAST_HANG and 0.0 < length < FURTHEST and not _meets(box, outward, length, others):
            at = box.center + np.array([0.0, 0.0, box.half[2]]) - (reach - FAR_END) * outward
            chosen.append(Drawing(at, outward, length, depth + reach - FAR_END))
    return sorted(chosen, key=lambda drawing: drawing.length)


def pinches(box: Box, surface: Surface, parts: Sequence[Solid], tool: Tool) -> list[Grasp]:
    """Grasps, best first, from above and below of a thing that hangs over an edge of what it lies on.

    Args:
        parts: The solids that the thing is made of, where they are known.
    """
    fingers, thick = tool.fingers, 2.0 * float(box.half[2])
    if thick > tool.opening - 2 * fingers.room:
        return []
    pitches = ON_A_SLOPE if surface.access is None and _slopes(parts) else PINCHES  # no hand points up between boards
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
        # Not further in than the palm lets the thing.
        back = max(BEFORE_EDGE + fingers.reach, hang - fingers.palm_face + BEFORE_PALM)
        at = surface.center * (1.0, 1.0, 0.0) + (edge + back) * outward
        at += (edge_offset - float(at @ edge_direction)) * edge_direction + np.array([0.0, 0.0, box.center[2]])
        yaw = float(np.arctan2(-outward[1], -outward[0]))
        for rank, pitch in enumerate(pitches):
            for roll in (SIDE, -SIDE):
                pose = Pose(at, gripper_rotation(yaw, pitch, roll))
                cost = LESS_LIKED * rank + LEAST_HANG / hang
                chosen.append(Grasp(pose, yaw, pitch, min(tool.opening, thick + SPARE), cost, OVER, roll=roll))
    return sorted(chosen, key=lambda grasp: grasp.cost)


def lies_flat(parts: Sequence[Solid]) -> bool:
    """Whether the largest of the solids that a thing is made of does not roll as it lies. Unknown parts may."""
    if not parts:
        return False
    largest = max(parts, key=lambda part: float(np.prod(part.half)))
    upright = abs(float(largest.pose.rotation[2, 2])) > UPRIGHT
    return largest.kind in ("box", "hull") or (largest.kind == "cylinder" and upright)


def _slopes(parts: Sequence[Solid]) -> bool:
    """Whether a thing has walls that lean."""
    return any(part.kind == "box" and np.max(np.abs(part.pose.rotation[2])) < UPRIGHT for part in parts)


def levelled(box: Box, grasp: Grasp, pose: Pose) -> tuple[Box, Pose]:
    """A thing in a rolled hand at a pose, and the hand, as they are once the hand is turned level again: the box
    (upright where the hand closes from above and below) and the pose."""
    if not grasp.roll:
        return box, pose
    level = gripper_rotation(grasp.yaw, 0.0)
    rotation = pose.rotation @ gripper_rotation(0.0, 0.0, -grasp.roll)
    middle = pose.position + rotation @ pose.rotation.T @ (box.center - pose.position)
    forward_extent, side_extent = _reach(box, level[:, 0]), _reach(box, level[:, 1])
    return Box(middle, np.array([forward_extent, box.half[2], side_extent]), grasp.yaw), Pose(pose.position, rotation)


def _edges(surface: Surface) -> Iterator[tuple[Array, float]]:
    """Unit vectors (3,) out over the edges of a surface that can be reached, and how far the edges are from its
    middle, m."""
    rotation = planar_rotation(surface.yaw)
    for axis, half in ((rotation[:, 0], surface.half_x), (rotation[:, 1], surface.half_y)):
        for outward in (axis, -axis):
            if surface.access is None or float(outward @ surface.access) > np.cos(0.1):
                yield np.array([*outward, 0.0]), float(half)


def _reach(box: Box, direction: Array) -> float:
    """How far a footprint extends from its middle along a unit vector (2+,), m."""
    offsets = box.corners() - box.center[:2]
    return float(np.max(offsets @ direction[:2]))


def _overhanging_corners(box: Box, surface: Surface, outward: Array, edge: float) -> list[Array]:
    """The corners (2,) of the part of a footprint that is beyond an edge."""
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


def _meets(box: Box, direction: Array, length: float, others: Sequence[Box]) -> bool:
    """Whether a thing that is drawn so far runs into another."""
    low = float(box.center[2] - box.half[2]) + LEVEL
    high = float(box.center[2] + box.half[2])
    in_way = [o for o in others if o.center[2] - o.half[2] < high and o.center[2] + o.half[2] > low]
    ways = [Box(box.center + part * length * direction, box.half, box.yaw) for part in np.linspace(0.2, 1.0, 5)]
    return any(
        other.distance(point) == 0.0 or moved_box.distance(corner) == 0.0
        for moved_box in ways
        for other in in_way
        for point, corner in zip(
            [*moved_box.corners(), moved_box.center[:2]], [*other.corners(), other.center[:2]], strict=True
        )
    )
