"""Furniture: which bodies and geoms that stand still are one piece, from which side it is used, and what lies on it."""

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
"""Metres across from which a body with bodies under it is not a piece of furniture, but has some."""
SHUT_IN = 1.5
"""Metres up to which what is over a place behind a door closes it from above."""
SAME = 0.03
"""Metres between the heights of places that are one: the lids of a stove."""
WAY = 0.6
"""Metres that are free before the side from which a piece is used."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """What is one piece: its names in the file, best first, its geoms that stand still, and the bodies that move."""

    names: tuple[str, ...]
    geoms: tuple[int, ...]
    moving: tuple[int, ...] = ()


def clusters(tree: Tree, extents: Extents, data: mujoco.MjData, excluded: Sequence[int]) -> Iterator[Cluster]:
    """The pieces of a house, with walls and floors still among them.

    Args:
        excluded: Geoms that are of none.
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
    """The geoms of a body and of what hangs on it that do not move."""
    fixed = tree.model.body_weldid
    return [geom for other in tree.below(body) if fixed[other] == 0 for geom in tree.geoms(other)]


def front_of(box: Box, others: Sequence[Box], joints: Sequence[HouseJoint], middle: Array) -> float:
    """The yaw of the side from which a piece is used: to which its doors open, else the one with most free space before
    it, of equal ones that towards the middle (2,) of its room.

    Args:
        box: Of the piece, with its axes.
        others: What else stands in the house.
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
    """The places on and in a piece, those on it before those in it, the largest first.

    Args:
        parts: The solids of the piece that stand still.
        surroundings: Solids of what else stands there, over which or on which it may be.
        drawers: What comes out of it, with its solids.
        panels: Its doors, shut.
        yaw: Of the side from which it is used.
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
    still = sorted(places, key=lambda item: (item.inside, item.access == "front", -item.half_x * item.half_y))
    return _name_surfaces(
        [*still, *(floor for joint, drawer_parts in drawers for floor in _floor_of(joint, drawer_parts, parts))]
    )


def _is_same(place: Place, other: HouseSurface, yaw: float) -> bool:
    offset = np.abs(rotation_z(-yaw) @ (place.center - other.center))
    return bool((offset < [other.half_x, other.half_y, SAME]).all())


def _floor_of(joint: HouseJoint, drawer_parts: Sequence[Solid], parts: Sequence[Solid]) -> list[HouseSurface]:
    """The floor of a drawer, at most one."""
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
    """Whether a shut door is before a place, seen from the side from which the piece is used."""
    outward = np.array([np.cos(yaw), np.sin(yaw)])
    lateral = np.abs((panel.center[:2] - place[:2]) @ np.array([-outward[1], outward[0]]))
    distance_ahead = float((panel.center[:2] - place[:2]) @ outward)
    wide = float(np.max(np.abs((panel.corners() - panel.center[:2]) @ np.array([-outward[1], outward[0]]))))
    return distance_ahead > 0.0 and bool(lateral < wide) and panel.center[2] + panel.half[2] > place[2] + FREE


def _name_surfaces(surfaces: Sequence[HouseSurface]) -> list[HouseSurface]:
    """Surfaces with names: `top`, `shelf_2`, `inside`, that of the drawer."""
    named: list[HouseSurface] = []
    for item in surfaces:
        stem = item.name or ("inside" if item.inside else "shelf" if item.access == "front" else "top")
        name_count = sum(other.name == stem or other.name.startswith(f"{stem}_") for other in named)
        named.append(replace(item, name=f"{stem}_{name_count + 1}" if name_count else stem))
    return named
