"""Furniture: group fixed geoms and bodies into pieces, and find each piece's front and support surfaces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.extents import Extents
from homie.envs.mujoco.mjcf_house.contents import HouseJoint, HouseSurface
from homie.envs.mujoco.mjcf_house.surfaces import COVERED, FREE, LEAST_FLOOR, Place, places_on
from homie.envs.mujoco.mjcf_house.tree import Tree
from homie.kernel.types import Array, Box, Solid, rotation_z

LARGEST = 3.0
"""Width (m) above which a body with child bodies is not a piece of furniture but contains several."""
SHUT_IN = 1.5
"""Clearance (m) below which a place behind a door cannot be reached from above."""
SAME = 0.03
"""Height difference (m) below which overlapping places are the same: the lids of a stove."""
WAY = 0.6
"""Depth (m) of the free space in front of a piece."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """One piece: its names in the file, most specific first, its fixed geoms, and its moving bodies."""

    names: tuple[str, ...]
    geoms: tuple[int, ...]
    moving: tuple[int, ...] = ()


def clusters(tree: Tree, extents: Extents, data: mujoco.MjData, excluded: Sequence[int]) -> Iterator[Cluster]:
    """Yield the pieces of a house, walls included.

    Args:
        excluded: Geoms that belong to no piece, such as floors.
    """
    names = tree.model
    for geom in tree.geoms(0):
        if geom not in excluded:
            yield Cluster((names.geom(geom).name,), (geom,))
    for body in tree.children[0]:
        yield from _split(tree, extents, data, body, (), excluded)


def _split(
    tree: Tree, extents: Extents, data: mujoco.MjData, body: int, outer: tuple[str, ...], excluded: Sequence[int]
) -> Iterator[Cluster]:
    if tree.is_free(body):
        return
    name, child_bodies = tree.model.body(body).name, tree.children[body]
    if tree.joints(body):
        yield Cluster((name, *outer), (), (body,))
        return
    jointed = [child for child in child_bodies if tree.joints(child) and not tree.is_free(child)]
    own_geoms = [geom for geom in tree.geoms(body) if geom not in excluded]
    solid = [geom for geom in _fixed_geoms(tree, body) if tree.solid(geom)]
    large = bool(solid) and max(Box.around(extents.geom_parts(data, solid)).half[:2]) > LARGEST / 2
    if jointed or (own_geoms and not (child_bodies and large)):
        geoms = tuple(geom for geom in _fixed_geoms(tree, body) if geom not in excluded)
        moving = tuple(other for other in tree.below(body) if tree.joints(other) and not tree.free_above(other))
        yield Cluster((name, *outer), geoms, moving)
        return
    for geom in own_geoms:
        yield Cluster((tree.model.geom(geom).name,), (geom,))
    for child in child_bodies:
        yield from _split(tree, extents, data, child, (name, *outer) if len(child_bodies) == 1 else (), excluded)


def _fixed_geoms(tree: Tree, body: int) -> list[int]:
    """Return the fixed geoms of a body and its descendants."""
    fixed = tree.model.body_weldid
    return [geom for other in tree.below(body) if fixed[other] == 0 for geom in tree.geoms(other)]


def front_of(box: Box, others: Sequence[Box], joints: Sequence[HouseJoint], middle: Array) -> float:
    """Return the yaw (rad) of the front of a piece: the side to which its doors open, else a side with free space in
    front of it, preferably the one towards the middle of its room.

    Args:
        box: Bounding box of the piece along its axes.
        others: Boxes of the other furniture.
        joints: Doors and drawers of the piece.
        middle: Middle (2,) of its room, m.
    """
    if joints:
        outward = np.mean([joint.frame[:, 0] for joint in joints], axis=0)
        if np.linalg.norm(outward) > 0.5:
            return float(np.arctan2(outward[1], outward[0]))
    to_middle = middle - box.center[:2]

    def merit(quarter: int) -> tuple[int, float]:
        yaw = box.yaw + quarter * np.pi / 2
        outward = np.array([np.cos(yaw), np.sin(yaw)])
        at = box.center[:2] + outward * (box.half[quarter % 2] + WAY / 2)
        is_free = not any(other.distance(at) < WAY / 2 - 0.05 for other in others)
        return int(is_free), float(outward @ to_middle)

    best = max(range(4), key=merit)
    return float(np.arctan2(np.sin(box.yaw + best * np.pi / 2), np.cos(box.yaw + best * np.pi / 2)))


def surfaces_of(
    parts: Sequence[Solid],
    surroundings: Sequence[Solid],
    drawers: Sequence[tuple[HouseJoint, Sequence[Solid]]],
    panels: Sequence[Box],
    yaw: float,
) -> list[HouseSurface]:
    """Return the surfaces on and in a piece: those on it before those in it, each by decreasing size.

    Args:
        parts: Fixed solids of the piece.
        surroundings: Nearby solids of other furniture, which may be above or on the piece.
        drawers: Its drawers, each with its solids.
        panels: Boxes of its shut doors.
        yaw: Yaw of its front, rad.
    """
    places: list[HouseSurface] = []
    drawer_solids = [solid for _, drawer_parts in drawers for solid in drawer_parts]
    for number, part in enumerate(parts):
        other_solids = [*parts[:number], *parts[number + 1 :], *drawer_solids, *surroundings]
        for place in places_on(part, other_solids, yaw):
            if any(_is_same(place, other, yaw) for other in places):
                continue
            is_behind = any(_shuts(panel, place.center, yaw) for panel in panels)
            covered = place.clearance < (SHUT_IN if is_behind else COVERED)
            lidded = any(panel.distance(place.center) == 0.0 and panel.center[2] > place.center[2] for panel in panels)
            places.append(
                HouseSurface(
                    name="",
                    moves=0,
                    center=place.center,
                    half_x=place.half_x,
                    half_y=place.half_y,
                    clearance=place.clearance,
                    inside=(covered and is_behind) or lidded,
                    access="front" if covered else "top",
                )
            )
    fixed_places = sorted(places, key=lambda item: (item.inside, item.access == "front", -item.half_x * item.half_y))
    return _name_surfaces(
        [*fixed_places, *(floor for joint, drawer_parts in drawers for floor in _floor_of(joint, drawer_parts, parts))]
    )


def _is_same(place: Place, other: HouseSurface, yaw: float) -> bool:
    offset = np.abs(rotation_z(-yaw) @ (place.center - other.center))
    return bool((offset < [other.half_x, other.half_y, SAME]).all())


def _floor_of(joint: HouseJoint, drawer_parts: Sequence[Solid], parts: Sequence[Solid]) -> list[HouseSurface]:
    """Return the floor of a drawer, or an empty list."""
    yaw = float(np.arctan2(joint.frame[1, 0], joint.frame[0, 0]))
    places = [
        place
        for number, part in enumerate(drawer_parts)
        for place in places_on(
            part, [*drawer_parts[:number], *drawer_parts[number + 1 :]], yaw, over=parts, least=LEAST_FLOOR
        )
    ]
    if not places:
        return []
    floor = max(places, key=lambda place: place.half_x * place.half_y)
    return [
        HouseSurface(
            name=joint.part,
            moves=joint.body,
            center=floor.center,
            half_x=floor.half_x,
            half_y=floor.half_y,
            clearance=floor.clearance,
            inside=True,
            access="top",
        )
    ]


def _shuts(panel: Box, place: Array, yaw: float) -> bool:
    """Whether a shut door is in front of a place, seen from the front of the piece."""
    outward = np.array([np.cos(yaw), np.sin(yaw)])
    lateral = np.abs((panel.center[:2] - place[:2]) @ np.array([-outward[1], outward[0]]))
    distance_ahead = float((panel.center[:2] - place[:2]) @ outward)
    wide = float(np.max(np.abs((panel.corners() - panel.center[:2]) @ np.array([-outward[1], outward[0]]))))
    return distance_ahead > 0.0 and bool(lateral < wide) and panel.center[2] + panel.half[2] > place[2] + FREE


def _name_surfaces(surfaces: Sequence[HouseSurface]) -> list[HouseSurface]:
    """Name surfaces: `top`, `shelf_2`, `inside`, or as their drawer."""
    named_surfaces: list[HouseSurface] = []
    for item in surfaces:
        stem = item.name or ("inside" if item.inside else "shelf" if item.access == "front" else "top")
        name_count = sum(other.name == stem or other.name.startswith(f"{stem}_") for other in named_surfaces)
        named_surfaces.append(replace(item, name=f"{stem}_{name_count + 1}" if name_count else stem))
    return named_surfaces
