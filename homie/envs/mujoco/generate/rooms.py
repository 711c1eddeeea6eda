"""The plan of a house from a seed: rooms in two rows, and doorways that connect them all."""

from __future__ import annotations

from itertools import combinations
from typing import Literal

import numpy as np

from homie.envs.mujoco.house.spec_parts import DoorwaySpec, RoomSpec

RoomKind = Literal["kitchen", "living room", "bedroom", "bathroom", "dining room", "study"]

_WIDTHS: dict[RoomKind, tuple[float, float]] = {
    "kitchen": (4.8, 5.4),
    "living room": (5.0, 5.8),
    "bedroom": (4.4, 5.0),
    "bathroom": (3.2, 3.6),
    "dining room": (4.2, 4.8),
    "study": (4.0, 4.6),
}
_FLOORS: dict[RoomKind, tuple[Literal["wood", "tiles", "carpet"], ...]] = {
    "kitchen": ("tiles",),
    "living room": ("wood",),
    "bedroom": ("carpet", "wood"),
    "bathroom": ("tiles",),
    "dining room": ("wood",),
    "study": ("carpet", "wood"),
}
_ROWS = {1: (1,), 2: (2,), 3: (2, 1), 4: (2, 2), 5: (3, 2), 6: (3, 3)}
ROW_DEPTH = (4.2, 4.8)
"""Range of the depths of a row of rooms (m)."""
EVEN = 0.9
"""Difference in length (m) below which a row is stretched to the longest row, so that the house has no niches."""
LEAST_WALL = 2.0
"""Minimum length (m) of a common wall for a doorway."""
FURTHER_SHARE = 0.3
"""Probability of a doorway in a common wall of rooms that are already connected."""
DOOR_WIDTH = (1.05, 1.2)
"""Range of the widths of doorways (m)."""
FROM_CORNER = 0.85
"""Minimum distance (m) of a doorway's centre from the end of its wall, so that furniture in the corner does not block
it."""
CORNER_SHARE = 0.6
"""Probability that a doorway is at an end of its wall, which leaves longer walls for furniture."""


def plan_rooms(rng: np.random.Generator, count: int) -> tuple[tuple[RoomSpec, ...], tuple[DoorwaySpec, ...]]:
    """Sample a plan of `count` rooms and their doorways. Raises ValueError for a count outside 1..6."""
    if count not in _ROWS:
        raise ValueError(f"a generated house has 1 to {max(_ROWS)} rooms, not {count}")
    while True:
        rooms = _rows(rng, _kinds(rng, count), _ROWS[count])
        doorways = _connect(rng, rooms)
        if doorways is not None:
            return rooms, doorways


def _kinds(rng: np.random.Generator, count: int) -> list[RoomKind]:
    """Sample the kinds of `count` rooms, in random order."""
    kinds: list[RoomKind] = ["kitchen", "living room", "bedroom", "bathroom", "dining room", "study"]
    if rng.random() < 0.5:
        kinds[4:] = kinds[:3:-1]
    kinds = kinds[:count]
    return [kinds[k] for k in rng.permutation(count)]


def _rows(rng: np.random.Generator, kinds: list[RoomKind], rows: tuple[int, ...]) -> tuple[RoomSpec, ...]:
    """Arrange the rooms side by side in rows; rows of nearly the same length are made equally long."""
    widths = [[] for _ in rows]  # type: list[list[float]]
    order = iter(kinds)
    kinds_by_row = [[next(order) for _ in range(n)] for n in rows]
    for row, line in zip(widths, kinds_by_row, strict=True):
        row += [round(float(rng.uniform(*_WIDTHS[kind])), 1) for kind in line]
    longest = max(sum(row) for row in widths)
    for row in widths:
        if longest - sum(row) < EVEN:
            row[int(np.argmax(row))] += longest - sum(row)
    rooms, y = [], 0.0
    for row, line in zip(widths, kinds_by_row, strict=True):
        depth, x = round(float(rng.uniform(*ROW_DEPTH)), 1), 0.0
        for width, kind in zip(row, line, strict=True):
            floor = _FLOORS[kind][int(rng.integers(len(_FLOORS[kind])))]
            rooms.append(
                RoomSpec(
                    name=kind.replace(" ", "_"),
                    kind=kind,
                    x0=round(x, 2),
                    y0=round(y, 2),
                    x1=round(x + width, 2),
                    y1=round(y + depth, 2),
                    floor=floor,
                )
            )
            x += width
        y += depth
    return tuple(rooms)


def _connect(rng: np.random.Generator, rooms: tuple[RoomSpec, ...]) -> tuple[DoorwaySpec, ...] | None:
    """A random spanning tree of doorways with bathrooms as leaves, and a few further doorways; None if the rooms cannot
    all be connected."""
    edges = []
    for a, b in combinations(rooms, 2):
        wall = _common_wall(a, b)
        if wall is not None:
            bathroom_count = sum(room.kind == "bathroom" for room in (a, b))
            edges.append((bathroom_count, float(rng.random()), a, b, wall))
    edges.sort(key=lambda edge: edge[:2])
    group = {room.name: k for k, room in enumerate(rooms)}
    doorways = []
    for bathroom_count, chance, a, b, (axis, at, low, high) in edges:
        joined = group[a.name] == group[b.name]
        if joined and (bathroom_count or chance < 1.0 - FURTHER_SHARE):
            continue
        old, new = group[b.name], group[a.name]
        group = {name: new if g == old else g for name, g in group.items()}
        width = round(float(rng.uniform(*DOOR_WIDTH)), 2)
        door_range = (low + FROM_CORNER, high - FROM_CORNER)
        middle = round(
            float(door_range[int(rng.integers(2))] if rng.random() < CORNER_SHARE else rng.uniform(*door_range)), 2
        )
        x, y = (at, middle) if axis == "y" else (middle, at)
        doorways.append(DoorwaySpec(rooms=(a.name, b.name), x=x, y=y, width=width))
    return tuple(doorways) if len(set(group.values())) == 1 else None


def _common_wall(a: RoomSpec, b: RoomSpec) -> tuple[str, float, float, float] | None:
    """Return the axis along which the common wall runs, its coordinate on the other axis, and its two ends."""
    for p, q in ((a.x0, b.x1), (a.x1, b.x0)):
        low, high = max(a.y0, b.y0), min(a.y1, b.y1)
        if abs(p - q) < 1e-6 and high - low >= LEAST_WALL:
            return "y", p, low, high
    for p, q in ((a.y0, b.y1), (a.y1, b.y0)):
        low, high = max(a.x0, b.x0), min(a.x1, b.x1)
        if abs(p - q) < 1e-6 and high - low >= LEAST_WALL:
            return "x", p, low, high
    return None
