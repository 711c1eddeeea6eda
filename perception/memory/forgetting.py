"""Removal of remembered objects whose position was seen to be empty, and of furniture that was reported wrongly."""

from __future__ import annotations

from collections.abc import Collection, Mapping, MutableMapping, Sequence

import numpy as np

from homie.kernel.types import Box
from perception.memory.seen_furniture import Furniture
from perception.memory.seen_object import LooseObject
from perception.scan import Scan

FORGET_AFTER = 2
"""Looks at an empty position after which its object is forgotten."""
NEAREST, LEAST_WIDTH, TOLERANCE = 0.2, 8, 0.03
"""Smallest depth (m) and width (pixels) of an object that is tested for being gone, and tolerance (m) of its depth."""
DOUBTED, UNREPORTED = 2.5, 0.3
"""Sum of scores up to which furniture may be a false positive, and the penalty if it is in plain view and not reported:
half of the score of a report, since networks miss a third of visible furniture."""
NEARER, LOOKS, CLEAR = 2.0, 3, 16
"""How much nearer than in its best report an object has to be in plain view, in how many looks without a report, and
how many pixels long, to be forgotten: of eight pixels from afar a network may be sure of what is not there."""
PLAIN_VIEW = 3.5
"""Distance (m) within which a network reports visible furniture."""


def forget_missing(
    objects: MutableMapping[str, LooseObject],
    furniture: Mapping[str, Furniture],
    scans: Sequence[Scan],
    excused: Collection[str | None],
) -> list[str]:
    """Delete objects whose position was seen to be empty, and return their entities.

    Args:
        objects: By entity; modified in place.
        furniture: By entity; objects in closed furniture are not deleted.
        scans: Scans of this look.
        excused: Entities to skip: seen in this look, or held.
    """
    forgotten = []
    for entity, item in list(objects.items()):
        if entity in excused:
            continue
        container = furniture.get(item.container or "")
        if container is not None and container.closed:
            continue
        if any(is_seen_through(scan, item.box) for scan in scans):
            item.missed += 1
            if item.missed >= FORGET_AFTER:
                del objects[entity]
                forgotten.append(entity)
    return forgotten


def is_seen_through(scan: Scan, box: Box) -> bool:
    """Whether a view shows the background of a box, so that the box is empty."""
    corners = np.column_stack([box.corners(), np.full(4, box.center[2])])
    middles = box.center + 0.5 * (corners - box.center)
    half_height = np.array([0.0, 0.0, 0.7 * box.half[2]])
    points = np.concatenate([box.center[None], middles + half_height, middles])
    in_picture, rows, columns, depths = scan.project(points)
    if not in_picture.all() or depths.min() < NEAREST:
        return False
    if scan.frame.intrinsics.fx * 2 * float(np.sort(box.half)[1]) / depths[0] < LEAST_WIDTH:
        return False
    depth = scan.depth[rows, columns]
    is_behind = (depth == 0.0) | (depth > depths + 0.025)
    return bool(is_behind.mean() > 0.8)


def forget_doubtful(
    furniture: MutableMapping[str, Furniture],
    support: MutableMapping[str, float],
    scans: Sequence[Scan],
    excused: Collection[str | None],
) -> None:
    """Forget furniture that was reported a few times, and then not any more although it is in plain view.

    Args:
        furniture: By entity; modified in place.
        support: Sum of the scores of the reports of each entity; modified in place.
        scans: Scans of this look.
        excused: Entities that were reported in this look, or are held.
    """
    for entity, piece in list(furniture.items()):
        if entity in excused or support[entity] > DOUBTED:
            continue
        if any(in_plain_view(scan, piece) for scan in scans):
            support[entity] -= UNREPORTED
            if support[entity] <= 0.0:
                del furniture[entity]


def forget_unconfirmed(
    objects: MutableMapping[str, LooseObject], scans: Sequence[Scan], excused: Collection[str | None]
) -> None:
    """Forget objects that were reported from afar, and not from near although they would be in plain view there.

    Args:
        objects: By entity; modified in place.
        scans: Scans of this look.
        excused: Entities that were reported in this look, or are held.
    """
    for entity, item in list(objects.items()):
        if entity in excused:
            item.unreported = 0
        elif np.isfinite(item.spacing) and any(is_in_clear_view(scan, item) for scan in scans):
            item.unreported += 1
            if item.unreported >= LOOKS:
                del objects[entity]


def is_in_clear_view(scan: Scan, item: LooseObject) -> bool:
    """Whether a picture shows the place of an object unhidden, much nearer and larger than in its best report."""
    (in_picture,), (row,), (column,), (depth,) = scan.project(item.box.center[None])
    if not in_picture or depth < NEAREST:
        return False
    pixel = float(depth) / scan.frame.intrinsics.fx
    if pixel * NEARER > item.spacing or 2 * float(item.box.half.max()) < CLEAR * pixel:
        return False
    hidden_from = float(depth) - float(np.linalg.norm(item.box.half)) - TOLERANCE
    return float(scan.depth[row, column]) > hidden_from


def in_plain_view(scan: Scan, piece: Furniture) -> bool:
    """Whether a picture shows most of the known points of furniture, from near."""
    points = piece.points(panel=True)
    points = points[:: len(points) // 200 + 1]
    if not len(points) or float(np.linalg.norm(points.mean(axis=0) - scan.eye)) > PLAIN_VIEW:
        return False
    return float(scan.visible(points)[0].mean()) > 0.5
