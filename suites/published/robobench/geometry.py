"""Points, paths and boxes in pictures, in relative coordinates from 0 to 1: parsing, and distances."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise

from homie.kernel.errors import BadInput

Point = tuple[float, float]
Path = Sequence[Point]
Box = tuple[float, float, float, float]

_NUMBER = r"\s*(-?\d+(?:\.\d+)?)\s*"
_POINT = re.compile(rf"[(\[]{_NUMBER},{_NUMBER}[)\]]")
_BOX = re.compile(rf"[(\[]{_NUMBER},{_NUMBER},{_NUMBER},{_NUMBER}[)\]]")
EXPONENT = 2.5
"""Exponent of the score of a distance (paper, section 4)."""
POINTS = 32
"""Number of compared points of a path: enough to detect a bend of a hundredth of the picture."""


def read_path(text: str) -> tuple[Point, ...] | None:
    """Parse the points of an answer, in order: `(x, y)` or `[x, y]`.

    Returns:
        The points, or None if there is none, or one outside of the picture (pixels, for example).

    Example:
        >>> read_path("Path: [[0.2, 0.4], [0.5, 0.4]]"), read_path("(120, 80)")
        (((0.2, 0.4), (0.5, 0.4)), None)
    """
    points = tuple((float(x), float(y)) for x, y in _POINT.findall(text))
    return points if points and all(0 <= value <= 1 for point in points for value in point) else None


def read_point(text: str) -> Point | None:
    """Parse the only point of an answer, None if there is none or there are several."""
    points = read_path(text)
    return points[0] if points is not None and len(points) == 1 else None


def read_box(text: str) -> Box | None:
    """Parse the only box `[x1, y1, x2, y2]` of an answer, None for none, several, or one with mixed-up corners."""
    boxes = _BOX.findall(text)
    if len(boxes) != 1:
        return None
    x1, y1, x2, y2 = map(float, boxes[0])
    return (x1, y1, x2, y2) if 0 <= x1 < x2 <= 1 and 0 <= y1 < y2 <= 1 else None


def affordance_score(distance: float) -> float:
    """Return the score of a distance, 0..100: `100 * (1 - d)^2.5` (paper, section 4). A distance above 1 scores 0.

    Args:
        distance: Euclidean of a point, root mean square of a path, in relative coordinates.
    """
    return 100 * math.pow(1 - min(distance, 1.0), EXPONENT)


def rmse(path: Path, truth: Path) -> float:
    """Return the root mean square of the distances between points of equal index, up to the end of the shorter path.

    A path of one right point has 0: see `even_rmse`.

    Raises:
        BadInput: a path is empty.
    """
    _check(path, truth)
    squares = [math.dist(a, b) ** 2 for a, b in zip(path, truth, strict=False)]
    return math.sqrt(sum(squares) / len(squares))


def even_rmse(path: Path, truth: Path, points: int = POINTS) -> float:
    """Return the root mean square between points that divide both paths into equal lengths: short answers gain nothing.

    Args:
        path: the answer.
        truth: the true path.
        points: number of points that are compared.

    Raises:
        BadInput: a path is empty.
    """
    _check(path, truth)
    return rmse(even_points(path, points), even_points(truth, points))


def even_points(path: Path, points: int = POINTS) -> list[Point]:
    """Return so many points that divide a path into equal lengths, its ends among them. The path must have a point."""
    lengths = [math.dist(a, b) for a, b in pairwise(path)]
    total = sum(lengths)
    if total == 0:
        return [path[0]] * points
    return [_along(path, lengths, total * index / (points - 1)) for index in range(points)]


def frechet(path: Path, truth: Path) -> float:
    """Return the discrete Frechet distance: the shortest leash of two walkers who never step back (Eiter, Mannila
    1994).

    Raises:
        BadInput: a path is empty.
    """
    _check(path, truth)
    above: list[float] = []
    for a in path:
        row: list[float] = []
        for j, b in enumerate(truth):
            before = [*above[j : j + 1], *above[max(j - 1, 0) : j], *row[-1:]]
            row.append(max(math.dist(a, b), min(before, default=0.0)))
        above = row
    return above[-1]


def hausdorff(path: Path, truth: Path) -> float:
    """Return the largest distance from a point of one path to the nearest point of the other.

    Raises:
        BadInput: a path is empty.
    """
    _check(path, truth)
    there = max(min(math.dist(a, b) for b in truth) for a in path)
    back = max(min(math.dist(a, b) for a in path) for b in truth)
    return max(there, back)


def overlap(box: Box, truth: Box) -> float:
    """Return the intersection over union of two boxes, 0..1; 0 for boxes without area."""
    width = max(0.0, min(box[2], truth[2]) - max(box[0], truth[0]))
    height = max(0.0, min(box[3], truth[3]) - max(box[1], truth[1]))
    common = width * height
    union = _area(box) + _area(truth) - common
    return common / union if union > 0 else 0.0


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _check(path: Path, truth: Path) -> None:
    if not path or not truth:
        raise BadInput("a path without points has no distance to another")


def _along(path: Path, lengths: Sequence[float], way: float) -> Point:
    """Return the point of a path after a distance along it."""
    for ((x, y), (next_x, next_y)), length in zip(pairwise(path), lengths, strict=True):
        if way <= length and length > 0:
            share = way / length
            return x + share * (next_x - x), y + share * (next_y - y)
        way -= length
    return path[-1]
