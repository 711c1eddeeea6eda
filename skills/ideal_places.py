"""Standing places for a goal: at the distance and facing of the classical Go to, computed for all places at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Array, Box, Goal, Mask, Pose2, planar_rotation, wrap_angles
from skills.classical.goto import EDGE, FAR_GAPS, GAPS, place_cost, room_cost
from skills.motion.base_path_planning import CostMap
from skills.motion.standing_places import Reachable

MARGIN = 0.04
"""Clearance (m) beyond the footprint that a place keeps."""
DIRECTIONS = 32
"""Number of directions around a target that are tried."""
STAYS, FACING = (0.3, 0.95), 0.4
"""Range of distances (m) from a target at which the robot stays where it is, if it faces it to within so many
radians."""
SAMPLES = 24
"""Number of points on a line of sight."""
SPREAD = 15
"""Number of rows and columns of candidate points in a room."""


def places(goal: Goal, base: Pose2, spec: RobotSpec, *, stay: bool) -> Iterator[Pose2]:
    """Yield free, reachable places, best first.

    Args:
        goal: Goal of the subtask.
        base: Current base pose.
        spec: Robot specification, for its footprint.
        stay: Whether the robot may stay where it is, if that is near the target and faces it.
    """
    if goal.grid is None:
        yield base
        return
    costs = CostMap.of(goal.grid, spec.footprint_radius + MARGIN)
    reachable = Reachable.of(costs, base)
    if goal.room is not None:
        yield from _in_room(goal.room, base, costs, reachable)
        return
    target = target_of(goal)
    heading_error = np.arctan2(*(goal.position[:2] - base.xy)[::-1]) - base.yaw
    stay = stay and not goal.grid.walled(base.xy[None], target)[0]
    if stay and STAYS[0] <= target.distance(base.xy) <= STAYS[1] and abs(wrap_angles(heading_error)) <= FACING:
        yield base
    for gaps in (GAPS, FAR_GAPS):
        yield from _places_at_gaps(np.array(gaps), goal, target, base, costs, reachable)


def standing_cost(points: Array, goal: Goal, costs: CostMap) -> Array:
    """Return the costs (n,) of standing at points (n, 2) before a goal's target, by `place_cost`, lower is better,
    regardless of the way there. The caller leaves out points in obstacles."""
    target = target_of(goal)
    offsets = points - target.center[:2]
    offsets = offsets / np.maximum(np.linalg.norm(offsets, axis=1, keepdims=True), 1e-6)
    return place_cost(
        gap=distances(target, points),
        driven=0.0,
        before=1.0 if goal.front is None else offsets @ np.array([np.cos(goal.front), np.sin(goal.front)]),
        clear=clearances(points, costs),
        hidden=_obstructed_lengths(points, goal, target, costs),
    )


def target_of(goal: Goal) -> Box:
    """Return the target's box, or a small box at its position if its size is unknown."""
    return goal.box or Box(goal.position, np.full(3, EDGE))


def _in_room(room: tuple[float, float, float, float], base: Pose2, costs: CostMap, reachable: Reachable) -> list[Pose2]:
    """Return points of a rectangle, the roomiest first, preferably in its middle."""
    x0, y0, x1, y1 = room
    xs, ys = np.linspace(x0 + 0.4, x1 - 0.4, SPREAD), np.linspace(y0 + 0.4, y1 - 0.4, SPREAD)
    points = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    points = points[free_floor(points, costs, reachable)]
    middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
    cost = room_cost(np.linalg.norm(points - middle, axis=1), clearances(points, costs))
    chosen = points[np.argsort(cost, kind="stable")]
    return [Pose2(float(x), float(y), float(np.arctan2(y - base.y, x - base.x))) for x, y in chosen]


def _places_at_gaps(
    gaps: Array, goal: Goal, target: Box, base: Pose2, costs: CostMap, reachable: Reachable
) -> list[Pose2]:
    """Return places at these distances (m) from a target's side, cheapest first; a target's front is preferred."""
    angles = np.arange(DIRECTIONS) * 2 * np.pi / DIRECTIONS
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    directions, gap = np.repeat(directions, len(gaps), axis=0), np.tile(gaps, DIRECTIONS)
    points = _points_beside(target, directions, gap)
    is_free = free_floor(points, costs, reachable)
    if goal.grid is not None:
        is_free &= ~goal.grid.walled(points, target)
    points, directions, gap = points[is_free], directions[is_free], gap[is_free]
    cost = place_cost(
        gap=gap,
        driven=np.linalg.norm(points - base.xy, axis=1),
        before=1.0 if goal.front is None else directions @ np.array([np.cos(goal.front), np.sin(goal.front)]),
        clear=clearances(points, costs),
        hidden=_obstructed_lengths(points, goal, target, costs),
    )
    chosen = points[np.argsort(cost, kind="stable")]
    to_target = goal.position[:2] - chosen
    return [
        Pose2(float(x), float(y), float(yaw))
        for (x, y), yaw in zip(chosen, np.arctan2(to_target[:, 1], to_target[:, 0]), strict=True)
    ]


def _points_beside(box: Box, directions: Array, gap: Array) -> Array:
    """Return the points (n, 2) at distances `gap` outside a box's footprint in directions (n, 2) from its centre."""
    low, high = np.zeros(len(directions)), np.full(len(directions), 6.0)
    for _ in range(20):
        middle = (low + high) / 2
        nearer = distances(box, box.center[:2] + middle[:, None] * directions) < gap
        low, high = np.where(nearer, middle, low), np.where(nearer, high, middle)
    points: Array = box.center[:2] + high[:, None] * directions
    return points


def distances(box: Box, points: Array) -> Array:
    """Return the distances (m) (n,) on the floor from points (n, 2) to a box, as `Box.distance`."""
    gaps = np.maximum(np.abs(_in_box_frame(box, points)) - box.half[:2], 0.0)
    return np.asarray(np.linalg.norm(gaps, axis=1))


def _in_box_frame(box: Box, points: Array) -> Array:
    """Transform points (n, 2) to the frame of a box."""
    return np.asarray((points - box.center[:2]) @ planar_rotation(box.yaw))


def _nearest(box: Box, points: Array) -> Array:
    """Return the points (n, 2) of a box's footprint that are nearest to others."""
    local = np.clip(_in_box_frame(box, points), -box.half[:2], box.half[:2])
    return np.asarray(box.center[:2] + local @ planar_rotation(-box.yaw))


def _obstructed_lengths(points: Array, goal: Goal, target: Box, costs: CostMap) -> Array:
    """Return the lengths (m) (n,) of obstacles, above all walls, between places and a target or its supporting
    surface."""
    foot = _nearest(target, points)
    for surface in goal.surfaces[:1]:
        support_points = _nearest(surface.plate, points)
        closer = np.linalg.norm(support_points - points, axis=1) < np.linalg.norm(foot - points, axis=1)
        foot = np.where(closer[:, None], support_points, foot)
    share = np.linspace(0.0, 1.0, SAMPLES)[:, None, None]
    line = points + share * (foot - points)
    blocked = (clearances(line.reshape(-1, 2), costs) == 0.0).reshape(SAMPLES, -1).mean(axis=0)
    return np.asarray(np.maximum(0.0, blocked * np.linalg.norm(foot - points, axis=1) - EDGE))


def free_floor(points: Array, costs: CostMap, reachable: Reachable) -> Mask:
    """Return a mask of the points (n, 2) that the robot can stand on and drive to."""
    rows, columns, inside = _cells(points, costs)
    return np.asarray(inside & (costs.clearance[rows, columns] >= costs.radius) & reachable.mask[rows, columns])


def clearances(points: Array, costs: CostMap) -> Array:
    """Return the distances (m) (n,) from points to the nearest obstacle; 0 outside the map."""
    rows, columns, inside = _cells(points, costs)
    return np.where(inside, costs.clearance[rows, columns], 0.0)


def _cells(points: Array, costs: CostMap) -> tuple[NDArray[np.intp], NDArray[np.intp], Mask]:
    """Return rows and columns of points, clipped into the map, and whether the points were in it."""
    cells = np.floor((points - costs.origin) / costs.resolution).astype(int)
    ny, nx = costs.clearance.shape
    inside: Mask = np.all((cells >= 0) & (cells < np.array([nx, ny])), axis=1)
    return np.clip(cells[:, 1], 0, ny - 1), np.clip(cells[:, 0], 0, nx - 1), inside
