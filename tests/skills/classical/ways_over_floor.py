"""Places to put things and to stand at, and paths between them, as tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from homie.kernel.types import Box, Goal, Pose2
from skills.classical.free_spots import half_depth, places
from skills.motion.base_path_planning import CostMap, length_left, plan_path, point_ahead, rest_of
from skills.motion.collision import Solids, clear_boxes, on_the_way, without
from skills.motion.held_object import Hand
from skills.motion.standing_places import Reachable, base_candidates
from tests.skills.classical.scenes import (
    BRICK,
    CAN,
    CRATE,
    OUT,
    SHELF,
    TOP,
    beside,
    rooms,
)
from tests.skills.classical.tables import Rows, row_of, short


@short
def places_to_put_things() -> Rows:
    """Cost and point of the best free spots, and the last one."""
    hand = Hand(half=(0.03, 0.04, 0.05))
    high = Box(np.array([1.15, 2.2, 1.07]), CAN.half)
    things = (CAN, beside(CAN, -0.2, -0.1, (0.05, 0.04, 0.1)), high)
    sunk = Box(np.array([1.1, 1.9, 0.66]), np.array([0.03, 0.03, 0.02]))
    sink = replace(TOP, half_x=0.15, half_y=0.3)
    surfaces = {"table": TOP, "shelf": SHELF, "sink": sink, "across": replace(sink, half_x=0.3, half_y=0.15)}
    surfaces |= {"spot": replace(TOP, half_x=0.005, half_y=0.005), "long": replace(TOP, half_x=0.2, half_y=0.34)}
    for name, surface in surfaces.items():
        for others in ((), things, (sunk,)):
            spots = places(surface, others, hand)
            yield row_of(name, len(others), "things", len(spots), "spots")
            chosen = spots[:: max(1, len(spots) // 12)]
            yield from (row_of(cost, point) for cost, point in chosen)
    for access in (OUT, np.array([-OUT[1], OUT[0]]), np.array([1.0, 0.0])):
        yield row_of("half depth", half_depth(replace(SHELF, access=access)))


@short
def places_to_stand() -> Rows:
    """Cost and base pose."""
    costs = CostMap.of(rooms(), 0.3, 0.3)
    here = Pose2(0.2, 1.0, 0.3)
    reachable = Reachable.of(costs, here)
    target = np.array([3.3, 1.15, 0.8])
    for options in (
        {"approach": 0.3, "distances": (0.72, 0.64, 0.9)},
        {"approach": None, "distances": (0.72, 0.9)},
        {"approach": -0.4, "distances": (0.8,), "aside": -math.pi / 2, "offsets": (0.0, 0.3), "bearings": (0.0, 0.5)},
    ):
        stands = base_candidates(target, here=here, reachable=reachable, **options)  # type: ignore[arg-type]
        yield row_of(len(stands), "places")
        yield from (row_of(cost, base.x, base.y, base.yaw) for cost, base in stands[:30])
    for point in ((0.0, 0.0), (1.9, 0.9), (1.9, 2.0), (3.5, 1.2), (4.7, 2.2), (9.0, 9.0), (-0.85, 0.0), (2.9, 1.0)):
        at = np.array(point)
        yield row_of(point, reachable(at), reachable.gap(at))


@short
def paths() -> Rows:
    """What a map costs, and the paths on it."""
    costs = CostMap.of(rooms(), 0.3, 0.25)
    for point in ((0.0, 0.0), (-0.68, 0.5), (-0.5, 0.5), (2.05, 0.4), (1.6, 0.4), (3.0, 0.5), (4.5, 2.2), (4.0, 1.0)):
        at = np.array(point)
        near = max(float(costs.cost[costs.cell(at)]), 0.0)
        yield row_of(point, str(costs.cell(at)), min(near, 99.0), costs.clear_at(at), costs.point(costs.cell(at)))
    yield row_of("outside", costs.clear_at(np.array([-1.01, 0.0])), costs.clear_at(np.array([0.0, 2.51])))
    yield row_of("clipped", str(costs.cell(np.array([-9.0, 99.0]))), str(costs.cell(np.array([99.0, -9.0]))))
    lines = (((0.0, 0.2), (3.0, 0.4)), ((0.0, 2.0), (3.0, 2.1)), ((1.0, 2.0), (4.6, 0.9)), ((0.5, 0.5), (0.52, 0.5)))
    for begin, end in lines:
        a, b = np.array(begin), np.array(end)
        clear = [costs.clear_line(a, b, room) for room in (0.0, 0.05, 0.2, 0.3, 0.4, 0.6)]
        yield row_of(begin, end, costs.between(a, b), "".join("+" if room else "." for room in clear))
    passable = costs.passable(np.array([-0.75, 0.5]))
    yield row_of("passable", int(passable.sum()), int(costs.passable(np.array([0.0, 0.5])).sum()))
    for begin, end, tolerance in (
        ((-0.5, 2.0), (4.6, 0.0), 0.0),
        ((-0.5, 2.0), (3.5, 1.15), 0.8),
        ((-0.78, 0.5), (0.5, 1.9), 0.0),
        ((2.75, 1.2), (4.6, 2.1), 0.1),
        ((0.0, 0.0), (3.5, 1.15), 0.0),
        ((0.5, 0.5), (0.5, 0.5), 0.0),
        ((1.6, 2.1), (2.5, 2.1), 0.0),
    ):
        for comfort in (0.3, 0.6):
            wide = CostMap.of(rooms(), 0.3, comfort)
            path = plan_path(wide, np.array(begin), np.array(end), tolerance)
            yield row_of(begin, end, tolerance, comfort, "none" if path is None else path)
    shut = CostMap.of(rooms(door=False), 0.3)
    yield row_of("shut", plan_path(shut, np.array([0.0, 0.0]), np.array([3.0, 0.0])) is None)


@short
def along_paths() -> Rows:
    """Where a robot is on a path."""
    path = np.array([[0.0, 0.0], [1.0, 0.2], [1.1, 1.0], [0.2, 1.1]])
    for point in ((0.0, 0.1), (-0.3, 0.0), (0.5, 0.4), (1.0, 0.2), (1.3, 0.7), (0.25, 1.05), (0.0, 1.3), (0.27, 1.3)):
        at = np.array(point)
        yield row_of(
            point, length_left(path, at), len(rest_of(path, at)), *(point_ahead(path, at, d) for d in (0.3, 1, 3))
        )
        yield row_of("last", length_left(path[-1:], at), point_ahead(path[-1:], at, 0.3), len(rest_of(path[-1:], at)))
    boxes = [Box(np.array([x, y, 0.2]), np.array([0.1, 0.05, 0.2]), 0.3, f"{x}") for x, y in ((0.5, 0.5), (1.4, 0.7))]
    for radius in (0.1, 0.2, 0.3, 0.4, 0.5):
        yield row_of(radius, *(box.name for box in on_the_way(boxes, path, radius)))
    for part in (
        boxes[0],
        replace(boxes[0], half=np.array([0.02, 0.2, 0.1])),
        Box(np.array([0.0, 0.3, 0.1]), np.ones(3) / 50),
    ):
        grid = clear_boxes(replace(rooms(), occupied=np.ones((60, 120), dtype=bool)), [part])
        rows, columns = np.nonzero(~grid.occupied)
        yield row_of("cleared", len(rows), rows.mean(), columns.mean(), rows.std(), columns.std())
    goal = Goal(
        "it", "", np.zeros(3), solids=tuple(_around(boxes[0])), obstacles=tuple(_around(boxes[0])), grid=rooms()
    )
    remaining = without(goal, boxes[:1])
    yield row_of(*(box.name for box in remaining.solids))
    yield row_of(*(box.name for box in remaining.obstacles))


def _around(box: Box) -> Iterator[Box]:
    """Parts of a thing and what is just beside it."""
    for axis in range(3):
        for out in (0.0, 0.018, 0.022, 0.05):
            center = box.center.copy()
            center[axis] += box.half[axis] + out
            yield Box(center, np.full(3, 0.03), box.yaw, f"{'xyz'[axis]}{out}")
    for size in (0.21, 0.23):
        yield Box(box.center, np.array([0.1, size, 0.1]), 0.0, f"size{size}")


@short
def distances_to_solids() -> Rows:
    """Metres between spheres and boxes."""
    solids = Solids([CAN, BRICK, beside(CRATE, 0.3, 0.2, (0.1, 0.05, 0.2))])
    rng = np.random.default_rng(3)
    for _ in range(60):
        points = np.array([1.05, 2.05, 0.8]) + rng.uniform(-0.3, 0.3, (3, 3))
        yield row_of(
            solids.distance(points[:1], np.array([0.02])), solids.distance(points, np.array([0.0, 0.03, 0.01]))
        )
