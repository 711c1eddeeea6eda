"""Makes the graph of a home: a pure function of its floor, its rooms and what stands in it.

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
from homie.kernel.types import Array, Goal, Mask, OccupancyGrid, Pose2, wrapped_angle
from homie.kernel.world.thresholds import NEAR
from skills.classical.goto import FAR_GAPS, GAPS, room_cost
from skills.discrete_actions.graph import FACED, Graph
from skills.ideal_places import STAYS, clearances, distances, free_floor, standing_cost, target_of
from skills.motion.base_path_planning import CostMap, plan_path
from skills.motion.standing_places import Reachable

MARGIN, ALONG = 0.06, 0.04
"""Metres beyond the footprint that points keep clear, and edges. ALONG is what a path of the classical skills keeps; a
base that stands on a point turns there, and is off it by a centimetre or so."""
HAND = 0.5
"""Metres to the nearest obstacle that points beside things have, where there are such: what is carried before the robot
is that far from its middle, and has to go round with it."""
LONGEST = 4.0
"""Metres of an edge: what a robot in a room sees well. A step of EmbodiedEval is about two metres (its table 3)."""
LATTICE = 0.2
"""Metres between two points of the floor that may become points beside things: finer ones made no fewer of them."""
WORSE = 0.35
"""By how much standing at a point may cost more than at the best place before a thing (`place_cost`): 0.7 m further
away than the arm has it best, or 40 degrees aside of its front. More things share a point then."""
STRETCH = 1.02
"""How much longer than the straight line a way on the graph may be before a direct edge is made (a greedy spanner)."""
AT_ROOM = 1.5
"""Metres from the middle of a room within which another point of the room stands for it."""
AT_DOOR = 0.3
"""The same for a doorway."""

Rect = tuple[float, float, float, float]


@dataclass(frozen=True)
class Ground:
    """What a graph is made of, at the start of an episode; m, world frame.

    Attributes:
        grid: Where a base cannot be.
        base: Where the robot stands.
        radius: Of its footprint.
        rooms: Their floors x0, y0, x1, y1 between the walls, by name.
        goals: What there is to go to, by name.
    """

    grid: OccupancyGrid
    base: Pose2
    radius: float
    rooms: Mapping[str, Rect]
    goals: Mapping[str, Goal]


def chart(ground: Ground) -> Graph:
    """The graph of a home. Raises BadInput where its floor is too narrow for the robot to get about."""
    maker = _Maker(ground)
    serving_points = maker.cover()
    maker.pass_doorways()
    maker.enter_rooms()
    maker.connect()
    points = np.array(maker.points)
    graph = Graph(points, _spanner(points, maker.clear), ((),) * len(points), serving_points, maker.costs)
    return replace(graph, sights=_sights(graph, ground.goals))


class _Maker:
    """The points so far, the robot's start first."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.costs = CostMap.of(ground.grid, ground.radius + MARGIN)
        self.along = ground.radius + ALONG
        self.reachable = Reachable.of(self.costs, ground.base)
        self.points: list[Array] = [self._standing(ground.base.xy)]
        self._clear: dict[tuple[int, int], bool] = {}

    def _standing(self, xy: Array) -> Array:
        """A point, or the nearest one to it on floor that is free with the margin."""
        if self.costs.clear_at(xy) >= self.costs.radius:
            return np.asarray(xy, dtype=float)
        cells = np.argwhere(self.reachable.mask)
        if not len(cells):
            raise BadInput("The robot stands where its footprint has no floor to leave: no graph can be made.")
        centres = self.costs.origin + (cells[:, ::-1] + 0.5) * self.costs.resolution
        return np.asarray(centres[np.argmin(np.linalg.norm(centres - xy, axis=1))])

    # ------------------------------------------------------------ points

    def cover(self) -> dict[str, int]:
        """Points from which everything can be reached that a robot can come near to, the one that serves most things
        first; which one it is, by the name of the thing."""
        floor = self._lattice()
        names = sorted(self.ground.goals)
        prices = np.array([self._prices(floor, self.ground.goals[name]) for name in names]).reshape(-1, len(floor))
        come_to = np.isfinite(prices).any(axis=1)
        names, prices = list(itertools.compress(names, come_to)), prices[come_to]
        is_good = prices <= prices.min(axis=1, keepdims=True, initial=np.inf) + WORSE
        serving_points: dict[str, int] = {}
        unserved = set(range(len(names)))
        while unserved:
            rows = sorted(unserved)
            served = is_good[rows].sum(axis=0)
            price = np.where(is_good[rows], prices[rows], 0.0).sum(axis=0) / np.maximum(served, 1)
            best = int(np.lexsort((price, -served))[0])
            for row in rows:
                if is_good[row, best]:
                    serving_points[names[row]] = len(self.points)
                    unserved.discard(row)
            self.points.append(floor[best])
        return dict(sorted(serving_points.items()))

    def _lattice(self) -> Array:
        """Floor to stand on (n, 2), at whole multiples of the lattice."""
        low = np.ceil(self.costs.origin / LATTICE) * LATTICE
        high = self.costs.origin + np.array(self.costs.clearance.shape[::-1]) * self.costs.resolution
        xs, ys = (np.arange(start, end, LATTICE) for start, end in zip(low, high, strict=True))
        points = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
        return np.asarray(points[free_floor(points, self.costs, self.reachable)])

    def _prices(self, floor: Array, goal: Goal) -> Array:
        """What it costs (n,) to stand at points before something; inf where it is out of reach or behind a wall."""
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
        """A point in every doorway: a piece of free floor that is in no room."""
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
        """The point of some cells that is farthest from obstacles; of several the one nearest to their middle."""
        rows, columns = np.nonzero(cells)
        clearance = self.costs.clearance[rows, columns]
        off = np.hypot(rows - rows.mean(), columns - columns.mean())
        best = int(np.lexsort((off, -clearance.round(2)))[0])
        return self.costs.point((int(rows[best]), int(columns[best])))

    def enter_rooms(self) -> None:
        """A point in every room, roomy and rather in its middle, unless another is there."""
        floor = self._lattice()
        for name, (x0, y0, x1, y1) in self.ground.rooms.items():
            inside = floor[[self._room_of(point) == name for point in floor]]
            if len(inside):
                middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
                off = np.linalg.norm(inside - middle, axis=1)
                self._add_unless(inside[np.argmin(room_cost(off, clearances(inside, self.costs)))], AT_ROOM)

    def _add_unless(self, point: Array, metres: float) -> None:
        """A point, unless there is one so near in a straight line."""
        nearby_points = (other for other in self.points if np.linalg.norm(other - point) <= metres)
        if not any(self.costs.clear_line(other, point, self.along) for other in nearby_points):
            self.points.append(point)

    # ------------------------------------------------------------ ways

    def clear(self, a: int, b: int) -> bool:
        """Whether there can be an edge between two points."""
        if (a, b) not in self._clear:
            self._clear[a, b] = bool(self._sees(self.points[b][None], self.points[a])[0])
        return self._clear[a, b]

    def connect(self) -> None:
        """Points that join what cannot be seen from each other, until all is connected: the one from which most parts
        are seen, where that is two or more, else the corners of a way between the two that are nearest. Raises
        BadInput."""
        floor = self._lattice()
        while len(parts := self._parts()) > 1:
            seen = np.array([self._sees(floor, self.points[n]) for n in range(len(self.points))])
            joined = np.array([seen[part].any(axis=0) for part in parts]).sum(axis=0)
            best = int(np.lexsort((-clearances(floor, self.costs).round(2), -seen.sum(axis=0), -joined))[0])
            if joined[best] > 1:
                self.points.append(floor[best])
                continue
            self._bend(parts)
            if len(self._parts()) >= len(parts):
                raise BadInput("The floor is too narrow for straight ways between all points: no graph can be made.")

    def _sees(self, floor: Array, point: Array) -> Mask:
        """Which places (n, 2) of the floor could have an edge to a point."""
        share = np.linspace(0.0, 1.0, round(2 * LONGEST / self.costs.resolution))[:, None, None]
        line = (floor + share * (point - floor)).reshape(-1, 2)
        is_clear = clearances(line, self.costs).reshape(len(share), -1) >= self.along
        return np.asarray(is_clear.all(axis=0) & (np.linalg.norm(floor - point, axis=1) <= LONGEST))

    def _bend(self, parts: Sequence[Sequence[int]]) -> None:
        """Points at the corners of the way to the part that is nearest to the robot's."""
        first = set(parts[0])
        a, b = min(
            ((a, b) for a in sorted(first) for b in range(len(self.points)) if b not in first),
            key=lambda pair: float(np.linalg.norm(self.points[pair[0]] - self.points[pair[1]])),
        )
        path = plan_path(self.costs, self.points[a], self.points[b])
        assert path is not None, "both are on floor that leads to the robot"
        self.points += list(_corners(path, self.costs, self.along))

    def _parts(self) -> list[list[int]]:
        """The numbers of points that are connected, the robot's own first."""
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
    """Points of a path (n, 2) between its ends, each in a straight line from the one before."""
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
    """The edges of a greedy spanner (Althoefer et al., 1993): the shortest first, each one only where the way that is
    there already would be too long."""
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
    """Metres from a point to another along edges; inf beyond the longest."""
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
    """Of each point the directions of what it stands beside that are not those of a neighbour, the largest things
    first: what is on a table is seen with the table."""
    sights: list[list[float]] = [[] for _ in graph.points]
    size = {name: 0.0 if goal.box is None else float(goal.box.half[:2].max()) for name, goal in goals.items()}
    for name in sorted(graph.beside, key=lambda name: (-size[name], name)):
        point = graph.beside[name]
        dx, dy = goals[name].position[:2] - graph.points[point]
        direction = math.atan2(dy, dx)
        known_directions = (*graph.directions(point), *sights[point])
        if all(abs(wrapped_angle(direction - other)) > FACED for other in known_directions):
            sights[point].append(direction)
    return tuple(tuple(point_sights) for point_sights in sights)
