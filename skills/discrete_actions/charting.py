"""Construction of a home's navigation graph: a pure function of its floor, its rooms and the objects in it.

Ground --lattice, costs of standing--> points beside things --doorways, rooms, corners--> all of it connected
       --spanner--> few edges
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from homie.kernel.errors import BadInput
from homie.kernel.types import Array, Goal, Mask, OccupancyGrid, Pose2, wrap_angle
from homie.kernel.world.thresholds import NEAR
from skills.classical.goto import FAR_GAPS, GAPS, room_cost
from skills.discrete_actions.graph import FACED, Graph
from skills.ideal_places import STAYS, clearances, distances, free_floor, standing_cost, target_of
from skills.motion.base_path_planning import CostMap, plan_path
from skills.motion.standing_places import Reachable

MARGIN, ALONG = 0.06, 0.04
"""Clearances (m) beyond the footprint of points, and of edges. ALONG is that of a path of the classical skills; a base
that stands on a point turns there, and is off it by a centimetre or so."""
HAND = 0.5
"""Clearance (m) to the nearest obstacle of points beside objects, where possible: an object carried before the robot is
that far from the robot's middle, and turns with it."""
LONGEST = 4.0
"""Maximum length (m) of an edge: how far a robot in a room sees well. A step of EmbodiedEval is about two metres (its
table 3)."""
LATTICE = 0.2
"""Spacing (m) of the floor points that may become points beside objects: a finer one did not reduce their number."""
WORSE = 0.35
"""Additional standing cost of a point, compared with the best place before an object (`place_cost`), that is accepted
so that more objects share a point: 0.7 m further away than the arm's best distance, or 40 degrees aside of its
front."""
STRETCH = 1.02
"""Stretch factor of a path on the graph over the straight line above which a direct edge is added (a greedy
spanner)."""
AT_ROOM = 1.5
"""Distance (m) from the middle of a room within which another point of the room represents it."""
AT_DOOR = 0.3
"""The same for a doorway."""

Rect = tuple[float, float, float, float]


@dataclass(frozen=True)
class Ground:
    """Input of the graph construction, at the start of an episode; m, world frame.

    Attributes:
        grid: Occupied cells for the base.
        base: Base pose.
        radius: Radius of the footprint.
        rooms: Floors x0, y0, x1, y1 between the walls, by room name.
        goals: Possible targets of Go to, by name.
    """

    grid: OccupancyGrid
    base: Pose2
    radius: float
    rooms: Mapping[str, Rect]
    goals: Mapping[str, Goal]


def chart(ground: Ground) -> Graph:
    """Return the graph of a home. Raises BadInput if its floor is too narrow for the robot."""
    builder = _GraphBuilder(ground)
    serving_points = builder.cover()
    builder.pass_doorways()
    builder.enter_rooms()
    builder.connect()
    points = np.array(builder.points)
    graph = Graph(points, _spanner(points, builder.clear), ((),) * len(points), serving_points, builder.costs)
    return replace(graph, sights=_sights(graph, ground.goals))


class _GraphBuilder:
    """Graph points under construction, the robot's start first."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.costs = CostMap.of(ground.grid, ground.radius + MARGIN)
        self.along = ground.radius + ALONG
        self.reachable = Reachable.of(self.costs, ground.base)
        self.points: list[Array] = [self._standing(ground.base.xy)]
        self._clear: dict[tuple[int, int], bool] = {}

    def _standing(self, xy: Array) -> Array:
        """Return a point, or the nearest one to it on floor that is free with the margin."""
        if self.costs.clear_at(xy) >= self.costs.radius:
            return np.asarray(xy, dtype=float)
        cells = np.argwhere(self.reachable.mask)
        if not len(cells):
            raise BadInput("The robot stands where its footprint has no floor to leave: no graph can be made.")
        centres = self.costs.origin + (cells[:, ::-1] + 0.5) * self.costs.resolution
        return np.asarray(centres[np.argmin(np.linalg.norm(centres - xy, axis=1))])

    # ------------------------------------------------------------ points

    def cover(self) -> dict[str, int]:
        """Add points from which every approachable object can be reached, the one that serves most objects first.
        Returns the number of the serving point by the object's name."""
        floor = self._lattice()
        names = sorted(self.ground.goals)
        prices = np.array([self._standing_costs(floor, self.ground.goals[name]) for name in names]).reshape(
            -1, len(floor)
        )
        is_approachable = np.isfinite(prices).any(axis=1)
        names, prices = list(itertools.compress(names, is_approachable)), prices[is_approachable]
        is_good = prices <= prices.min(axis=1, keepdims=True, initial=np.inf) + WORSE
        serving_points: dict[str, int] = {}
        unserved = set(range(len(names)))
        while unserved:
            rows = sorted(unserved)
            served_counts = is_good[rows].sum(axis=0)
            price = np.where(is_good[rows], prices[rows], 0.0).sum(axis=0) / np.maximum(served_counts, 1)
            best = int(np.lexsort((price, -served_counts))[0])
            for row in rows:
                if is_good[row, best]:
                    serving_points[names[row]] = len(self.points)
                    unserved.discard(row)
            self.points.append(floor[best])
        return dict(sorted(serving_points.items()))

    def _lattice(self) -> Array:
        """Return standable floor points (n, 2) at whole multiples of the lattice spacing."""
        low = np.ceil(self.costs.origin / LATTICE) * LATTICE
        high = self.costs.origin + np.array(self.costs.clearance.shape[::-1]) * self.costs.resolution
        xs, ys = (np.arange(start, end, LATTICE) for start, end in zip(low, high, strict=True))
        points = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
        return np.asarray(points[free_floor(points, self.costs, self.reachable)])

    def _standing_costs(self, floor: Array, goal: Goal) -> Array:
        """Return the costs (n,) of standing at points before a target; inf where it is out of reach or behind a
        wall."""
        target = target_of(goal)
        gap = distances(target, floor)
        price = standing_cost(floor, goal, self.costs)
        room = self._room_of(goal.position)
        in_room = np.array([room in (None, self._room_of(point)) for point in floor], dtype=bool)
        is_near = (gap >= STAYS[0]) & in_room
        roomy = clearances(floor, self.costs) >= HAND
        reaches = [is_near & (gap <= max_gap) for max_gap in (GAPS[-1], FAR_GAPS[-1], NEAR)]
        tiers = [reaches[0] & roomy, reaches[1] & roomy, *reaches]
        return np.where(next((tier for tier in tiers if tier.any()), is_near & False), price, np.inf)

    def _room_of(self, point: Array) -> str | None:
        x, y = float(point[0]), float(point[1])
        return next(
            (name for name, (x0, y0, x1, y1) in self.ground.rooms.items() if x0 <= x <= x1 and y0 <= y <= y1), None
        )

    def pass_doorways(self) -> None:
        """Add a point in every doorway: a piece of free floor that is in no room."""
        ys, xs = (
            self.costs.origin[axis] + (np.arange(count) + 0.5) * self.costs.resolution
            for axis, count in zip((1, 0), self.reachable.mask.shape, strict=True)
        )
        rooms = np.zeros_like(self.reachable.mask)
        for x0, y0, x1, y1 in self.ground.rooms.values():
            rooms |= ((y0 <= ys) & (ys <= y1))[:, None] & ((x0 <= xs) & (xs <= x1))
        _, labels = cv2.connectedComponents((self.reachable.mask & ~rooms).astype(np.uint8), connectivity=8)
        for label in range(1, int(labels.max()) + 1):
            self._add_unless(self._roomiest(labels == label), AT_DOOR)

    def _roomiest(self, cells: Mask) -> Array:
        """Return the point of some cells that is farthest from obstacles; of several the one nearest to their
        middle."""
        rows, columns = np.nonzero(cells)
        clearance = self.costs.clearance[rows, columns]
        centre_offset = np.hypot(rows - rows.mean(), columns - columns.mean())
        best = int(np.lexsort((centre_offset, -clearance.round(2)))[0])
        return self.costs.point((int(rows[best]), int(columns[best])))

    def enter_rooms(self) -> None:
        """Add a point in every room, roomy and preferably in its middle, unless there is one already."""
        floor = self._lattice()
        for name, (x0, y0, x1, y1) in self.ground.rooms.items():
            inside = floor[[self._room_of(point) == name for point in floor]]
            if len(inside):
                middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
                centre_offset = np.linalg.norm(inside - middle, axis=1)
                self._add_unless(inside[np.argmin(room_cost(centre_offset, clearances(inside, self.costs)))], AT_ROOM)

    def _add_unless(self, point: Array, metres: float) -> None:
        """Add a point, unless another one is within that distance in a straight line."""
        nearby_points = (other for other in self.points if np.linalg.norm(other - point) <= metres)
        if not any(self.costs.clear_line(other, point, self.along) for other in nearby_points):
            self.points.append(point)

    # ------------------------------------------------------------ ways

    def clear(self, a: int, b: int) -> bool:
        """Whether there can be an edge between two points."""
        if (a, b) not in self._clear:
            self._clear[a, b] = bool(self._visible_from(self.points[b][None], self.points[a])[0])
        return self._clear[a, b]

    def connect(self) -> None:
        """Add points until the graph is connected: the one visible from most components, if there are two or more, else
        the corners of a path between the two nearest points. Raises BadInput."""
        floor = self._lattice()
        while len(parts := self._components()) > 1:
            seen = np.array([self._visible_from(floor, self.points[n]) for n in range(len(self.points))])
            joined_counts = np.array([seen[part].any(axis=0) for part in parts]).sum(axis=0)
            best = int(np.lexsort((-clearances(floor, self.costs).round(2), -seen.sum(axis=0), -joined_counts))[0])
            if joined_counts[best] > 1:
                self.points.append(floor[best])
                continue
            self._add_corners(parts)
            if len(self._components()) >= len(parts):
                raise BadInput("The floor is too narrow for straight ways between all points: no graph can be made.")

    def _visible_from(self, floor: Array, point: Array) -> Mask:
        """Return a mask of the floor places (n, 2) that could have an edge to a point."""
        share = np.linspace(0.0, 1.0, round(2 * LONGEST / self.costs.resolution))[:, None, None]
        line = (floor + share * (point - floor)).reshape(-1, 2)
        is_clear = clearances(line, self.costs).reshape(len(share), -1) >= self.along
        return np.asarray(is_clear.all(axis=0) & (np.linalg.norm(floor - point, axis=1) <= LONGEST))

    def _add_corners(self, parts: Sequence[Sequence[int]]) -> None:
        """Add points at the corners of the path to the component that is nearest to the robot's."""
        first = set(parts[0])
        a, b = min(
            ((a, b) for a in sorted(first) for b in range(len(self.points)) if b not in first),
            key=lambda pair: float(np.linalg.norm(self.points[pair[0]] - self.points[pair[1]])),
        )
        path = plan_path(self.costs, self.points[a], self.points[b])
        assert path is not None, "both are on floor that leads to the robot"
        self.points += list(_corners(path, self.costs, self.along))

    def _components(self) -> list[list[int]]:
        """Return the connected components as lists of point numbers, the robot's own first."""
        unvisited, parts = set(range(len(self.points))), []
        while unvisited:
            part, waiting = [], [min(unvisited)]
            unvisited.discard(waiting[0])
            while waiting:
                a = waiting.pop()
                part.append(a)
                neighbours = [b for b in sorted(unvisited) if self.clear(min(a, b), max(a, b))]
                unvisited.difference_update(neighbours)
                waiting += neighbours
            parts.append(part)
        return parts


def _corners(path: Array, costs: CostMap, along: float) -> Iterator[Array]:
    """Yield points of a path (n, 2) between its ends, each visible from the one before."""
    at = 0
    while at < len(path) - 1:
        visible = [
            k
            for k in range(at + 1, len(path))
            if np.linalg.norm(path[k] - path[at]) <= LONGEST and costs.clear_line(path[at], path[k], along)
        ]
        at = max(visible, default=at + 1)
        if at < len(path) - 1:
            yield path[at]


def _spanner(points: Array, clear: Callable[[int, int], bool]) -> tuple[tuple[int, int], ...]:
    """Return the edges of a greedy spanner (Althoefer et al., 1993): the shortest first, each only if the existing path
    would be too long."""
    pairs = [pair for pair in itertools.combinations(range(len(points)), 2) if clear(*pair)]
    length = {pair: float(np.linalg.norm(points[pair[0]] - points[pair[1]])) for pair in pairs}
    ways: list[dict[int, float]] = [{} for _ in points]
    edges = []
    for a, b in sorted(pairs, key=lambda pair: (length[pair], pair)):
        metres = length[a, b]
        if _shortest_distance(ways, a, b, STRETCH * metres) > STRETCH * metres:
            ways[a][b] = ways[b][a] = metres
            edges.append((a, b))
    return tuple(sorted(edges))


def _shortest_distance(ways: Sequence[Mapping[int, float]], a: int, b: int, longest: float) -> float:
    """Return the length (m) of the shortest path between two points along edges; inf beyond `longest`."""
    waiting, visited = [(0.0, a)], set()
    while waiting:
        metres, at = heapq.heappop(waiting)
        if at == b:
            return metres
        if at in visited:
            continue
        visited.add(at)
        for way, edge_length in ways[at].items():
            if metres + edge_length <= longest:
                heapq.heappush(waiting, (metres + edge_length, way))
    return math.inf


def _sights(graph: Graph, goals: Mapping[str, Goal]) -> tuple[tuple[float, ...], ...]:
    """Return for each point the directions of the objects beside it that differ from those of its neighbours, the
    largest objects first: an object on a table is seen with the table."""
    sights: list[list[float]] = [[] for _ in graph.points]
    size = {name: 0.0 if goal.box is None else float(goal.box.half[:2].max()) for name, goal in goals.items()}
    for name in sorted(graph.beside, key=lambda name: (-size[name], name)):
        point = graph.beside[name]
        dx, dy = goals[name].position[:2] - graph.points[point]
        direction = math.atan2(dy, dx)
        known_directions = (*graph.directions(point), *sights[point])
        if all(abs(wrap_angle(direction - other)) > FACED for other in known_directions):
            sights[point].append(direction)
    return tuple(tuple(point_sights) for point_sights in sights)
