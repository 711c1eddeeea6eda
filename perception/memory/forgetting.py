"""Removal of remembered objects whose position was seen to be empty."""

from __future__ import annotations

from collections.abc import Collection, Mapping, MutableMapping, Sequence

import numpy as np

from homie.kernel.types import Box
from perception.localise import Scan
from perception.memory.seen_furniture import Furniture
from perception.memory.seen_object import LooseObject

FORGET_AFTER = 2
"""Looks at an empty position after which its object is forgotten."""


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
        if any(seen_through(scan, item.box) for scan in scans):
            item.missed += 1
            if item.missed >= FORGET_AFTER:
                del objects[entity]
                forgotten.append(entity)
    return forgotten


def seen_through(scan: Scan, box: Box) -> bool:
    """Whether a view shows the background of a box, so that the box is empty."""
    corners = np.column_stack([box.corners(), np.full(4, box.center[2])])
    middles = box.center + 0.5 * (corners - box.center)
    half_height = np.array([0.0, 0.0, 0.7 * box.half[2]])
    points = np.concatenate([box.center[None], middles + half_height, middles])
    pose, k = scan.frame.pose, scan.frame.intrinsics
    local = (points - pose.position) @ pose.rotation
    if local[:, 2].min() < 0.2 or k.fx * 2 * float(np.sort(box.half)[1]) / local[0, 2] < 8:
        return False
    u = np.round(local[:, 0] / local[:, 2] * k.fx + k.cx).astype(int)
    v = np.round(local[:, 1] / local[:, 2] * k.fy + k.cy).astype(int)
    if (u < 0).any() or (v < 0).any() or (u >= k.width).any() or (v >= k.height).any():
        return False
    assert scan.frame.depth is not None
    depth = scan.frame.depth[v, u]
    is_behind = (depth == 0.0) | (depth > local[:, 2] + 0.025)
    return bool(is_behind.mean() > 0.8)
