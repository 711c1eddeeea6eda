"""Relations on, in and under, computed from boxes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from homie.kernel.types import Box, Surface
from homie.kernel.world.furniture import kinds
from perception.memory.seen_furniture import Furniture
from perception.memory.seen_object import LooseObject

ON_TOP = 0.08
"""Largest measured distance (m) between the underside of an object and the top of its support."""
OVERHANG = 0.05
"""Largest distance (m) beyond a support's outline at which the centre of an object on it may be measured."""
DROPPED = 0.25
"""Largest height (m) that an object is lowered after its last look in the hand, which may be a second before the hand
opens."""
BASINS = frozenset(name for use in kinds(lambda use: use.holds == "basin") for name in use.names)
"""Furniture that objects are in, not on."""
BOARDS = frozenset(name for use in kinds(lambda use: use.holds == "boards") for name in use.names)
"""Furniture that objects are on, also on the boards below its top."""


def reach_of(place: Furniture) -> Box:
    """Return the box of a piece of furniture, including the pulled-out part of its drawer."""
    box = place.box
    if place.part != "drawer" or place.panel is None or place.panel.is_closed:
        return box
    outward, opening = place.panel.outward, place.panel.opening
    axis = np.array([np.cos(box.yaw), np.sin(box.yaw)])
    longer = np.array([opening / 2, 0.0, 0.0]) if abs(axis @ outward) > 0.7 else np.array([0.0, opening / 2, 0.0])
    return replace(box, center=box.center + np.array([*(outward * opening / 2), 0.0]), half=box.half + longer)


def over(place: Furniture, box: Box) -> bool:
    """Whether a box is on or in a piece of furniture: over its footprint, and not on the floor beneath."""
    outline = reach_of(place)
    lowest = min((float(s.center[2]) for s in place.surfaces), default=float(place.box.center[2]))
    bottom = float(box.center[2] - box.half[2])
    return outline.distance(box.center) < 0.02 and bottom > min(lowest - 0.06, 0.6)


def holds_up(support: Box, box: Box) -> bool:
    """Whether a box stands on another one or in it, as in a bowl."""
    bottom = float(box.center[2] - box.half[2] - support.center[2])
    return support.distance(box.center) < OVERHANG and abs(bottom) < float(support.half[2]) + ON_TOP


def contains(place: Furniture, box: Box) -> bool:
    """Whether a box is inside furniture that can be opened."""
    if not place.opens:
        return False
    outline = reach_of(place)
    top = float(outline.center[2] + outline.half[2])
    return outline.distance(box.center) < 0.01 and 0.05 < float(box.center[2]) < top - 0.02


def under(box: Box, furniture: Sequence[Furniture]) -> tuple[Furniture, Surface] | None:
    """Find the furniture and the surface under a box."""
    bottom = float(box.center[2] - box.half[2])
    best: tuple[float, Furniture, Surface] | None = None
    for holder in furniture:
        if holder.box.distance(box.center) > 0.4:
            continue
        for surface in holder.surfaces:
            drop = abs(bottom - float(surface.center[2]))
            if drop < 0.06 and surface.plate.distance(box.center) < 0.03 and (best is None or drop < best[0]):
                best = drop, holder, surface
    if best is not None:
        return best[1], best[2]
    boards = ((item, item.board_under(box)) for item in furniture)
    return next(((item, board) for item, board in boards if board is not None), None)


def settled(box: Box, furniture: Iterable[Furniture], objects: Iterable[LooseObject]) -> Box:
    """Return the box of an object that was let go, lowered to what is known under it, unchanged without that.

    Args:
        objects: Objects that it may have come to lie on or, if they are hollow, in.
    """
    bottom = float(box.center[2] - box.half[2])
    supports = [(float(surface.center[2]), surface.plate) for holder in furniture for surface in holder.surfaces]
    supports += [
        (float(item.box.center[2]) + (-1.0 if item.hollow else 1.0) * float(item.box.half[2]), item.box)
        for item in objects
    ]
    heights = [
        height
        for height, outline in supports
        if bottom - DROPPED <= height <= box.center[2] and outline.distance(box.center) < OVERHANG / 2
    ]
    if not heights:
        return box
    return replace(box, center=np.array([*box.center[:2], max(heights) + float(box.half[2])]))


def holder_of(box: Box, furniture: Sequence[Furniture]) -> tuple[str, Furniture] | None:
    """Find the furniture that a box is on or in, and the relation: `on` or `in`.

    Uses boxes alone, which is cheap: see `under` for the exact surface, and `contains` for the inside of furniture with
    a door or drawer.
    """
    bottom = float(box.center[2] - box.half[2])
    best: tuple[float, str, Furniture] | None = None
    for holder in furniture:
        top = float(holder.box.center[2] + holder.box.half[2])
        if bottom > top + ON_TOP or holder.box.distance(box.center) > 0.02:
            continue
        inside = bottom < top - ON_TOP
        if holder.opens and (inside or not holder.is_top_seen):
            continue
        is_inside = inside and holder.identity.kind not in BASINS | BOARDS
        if is_inside and holder.surfaces and all(bottom > surface.center[2] + ON_TOP for surface in holder.surfaces):
            continue  # beside a chair's back, on something else: no seat touches its underside
        word = "in" if holder.identity.kind in BASINS or is_inside else "on"
        if best is None or abs(bottom - top) < best[0]:
            best = abs(bottom - top), word, holder
    return None if best is None else best[1:]


def standing_on(box: Box, surface: Surface) -> Box:
    """Return the box with its underside, the least accurate side, moved to the surface under it."""
    top = float(box.center[2] + box.half[2])
    bottom = min(float(surface.center[2]), top - 0.01)
    return replace(
        box,
        center=np.array([*box.center[:2], (top + bottom) / 2]),
        half=np.array([*box.half[:2], (top - bottom) / 2]),
    )
