"""Recognise the contents of an MJCF house: rooms, furniture with its doors, loose objects, and unclear elements.

file --read_file--> world --HouseReader.read--> HouseContents
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.extents import Extents, level_yaws
from homie.envs.mujoco.mjcf_house.contents import HouseContents, HouseJoint, HousePiece, HouseRoom, LooseObject, Unclear
from homie.envs.mujoco.mjcf_house.doors_and_drawers import Doors, ends
from homie.envs.mujoco.mjcf_house.file import PREFIX, UNNAMED
from homie.envs.mujoco.mjcf_house.furniture import Cluster, clusters, front_of, surfaces_of
from homie.envs.mujoco.mjcf_house.loose_objects import box_of, hollow_of
from homie.envs.mujoco.mjcf_house.names import colour_in, is_structure, kind_in, words_of
from homie.envs.mujoco.mjcf_house.rooms import floors, is_wall, rooms
from homie.envs.mujoco.mjcf_house.tree import Tree
from homie.kernel.types import Array, Box, Solid
from homie.kernel.world.furniture import FURNITURE

NEAR = 0.5
"""Margin (m) around a piece within which other solids may stand on it."""


class HouseReader:
    """Reads a model of a house whose floor is at z = 0."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self.model, self.tree, self.extents = model, Tree(model), Extents(model)
        self.data = shut(model)
        self._doors = Doors(self.tree, self.data, self.extents)
        self._unclear: list[Unclear] = []

    def read(self) -> HouseContents:
        """Return everything recognised in the model."""
        floor_geoms = floors(self.tree, self.data, 0.0)
        furniture, walls = self._split_walls(list(clusters(self.tree, self.extents, self.data, floor_geoms)))
        boxed = [(cluster, box) for cluster in furniture if (box := self._box(cluster)) is not None]
        kinds = [(kind_in(self._names(cluster), "furniture"), box) for cluster, box in boxed]
        all_rooms = rooms(self.tree, self.data, floor_geoms, kinds)
        pieces = [self._piece(cluster, box, boxed, all_rooms) for cluster, box in boxed]
        objects = [item for body in self.tree.children[0] for item in self._loose_objects(body)]
        return HouseContents(
            rooms=all_rooms,
            pieces=tuple(_with_unique_names([piece for piece in pieces if piece is not None])),
            objects=tuple(_with_unique_names(objects)),
            floors=tuple(floor_geoms),
            walls=tuple(walls),
            unclear=tuple(self._unclear),
        )

    # ------------------------------------------------------------ furniture and walls

    def _names(self, cluster: Cluster) -> list[str]:
        return [_name_in_file(name) for name in cluster.names]

    def _split_walls(self, clusters: Sequence[Cluster]) -> tuple[list[Cluster], list[int]]:
        """Return the clusters that are furniture, and the geoms of the walls."""
        furniture: list[Cluster] = []
        walls: list[int] = []
        for cluster in clusters:
            box, names = self._box(cluster), self._names(cluster)
            is_known = kind_in(names, "furniture") in _FURNITURE_KINDS
            if box is None:
                continue
            if not cluster.moving and not is_known and (is_structure(names) or is_wall(box)):
                walls += cluster.geoms
            else:
                furniture.append(cluster)
        return furniture, walls

    def _box(self, cluster: Cluster) -> Box | None:
        """Return the box around the collision geoms of a piece, doors included; None without such geoms."""
        solid = self._solid(cluster)
        if not solid:
            return None
        largest = max(solid, key=lambda geom: float(np.prod(self.model.geom_aabb[geom, 3:])))
        yaw = float(level_yaws(self.data.geom_xmat[[largest]].reshape(-1, 3, 3))[0])
        return Box.around(self.extents.geom_parts(self.data, solid), yaw)

    def _solid(self, cluster: Cluster) -> list[int]:
        moving_geoms = [geom for body in cluster.moving for geom in self.tree.moved(body)]
        return [geom for geom in (*cluster.geoms, *moving_geoms) if self.tree.solid(geom)]

    def _piece(
        self, cluster: Cluster, box: Box, all_boxes: Sequence[tuple[Cluster, Box]], all_rooms: Sequence[HouseRoom]
    ) -> HousePiece | None:
        names = self._names(cluster)
        kind = kind_in(names, "furniture")
        if not kind:
            self._unclear.append(Unclear(names[0], "its name says nothing: it is called furniture"))
            kind = "furniture"
        joints = self._joints(cluster, box)
        room = _room_of(box.center, all_rooms)
        middle = np.array([(room.rect[0] + room.rect[2]) / 2, (room.rect[1] + room.rect[3]) / 2])
        other_boxes = [other for other_cluster, other in all_boxes if other_cluster is not cluster]
        yaw = front_of(box, other_boxes, joints, middle)
        solid_fixed = [geom for geom in cluster.geoms if self.tree.solid(geom)]
        moving_bodies = {joint.body for joint in joints}
        unrecognised = [geom for body in cluster.moving if body not in moving_bodies for geom in self.tree.moved(body)]
        parts = self.extents.geom_parts(
            self.data, [*solid_fixed, *(geom for geom in unrecognised if self.tree.solid(geom))]
        )
        moved_parts = [self._moved_parts(joint) for joint in joints]
        surfaces = surfaces_of(
            parts,
            self._neighbours(box, cluster),
            [(joint, joint_parts) for joint, joint_parts in zip(joints, moved_parts, strict=True) if joint.is_drawer],
            [
                Box.around(joint_parts, yaw)
                for joint, joint_parts in zip(joints, moved_parts, strict=True)
                if not joint.is_drawer
            ],
            yaw,
        )
        inner = [surface for surface in surfaces if surface.inside]
        if kind in _CONTAINERS and inner:  # objects are put into a cabinet, not on top of it
            surfaces = inner
        for joint in joints:
            if joint.is_drawer and not any(surface.moves == joint.body for surface in surfaces):
                self._unclear.append(
                    Unclear(self._body_name(joint.body), "a drawer without a floor that things could lie on")
                )
        fixed_geoms = [geom for geom in self._solid(cluster) if geom not in {joint.handle for joint in joints}]
        return HousePiece(
            name=kind,
            kind=kind,
            colour=colour_in(names),
            origin=names[0],
            room=room.name,
            box=Box.around(self.extents.geom_parts(self.data, fixed_geoms), yaw),
            geoms=(*cluster.geoms, *unrecognised),
            surfaces=tuple(surfaces),
            joints=joints,
        )

    def _joints(self, cluster: Cluster, box: Box) -> tuple[HouseJoint, ...]:
        joints: list[HouseJoint] = []
        for body in cluster.moving:
            joint = self._doors.read(body, box.center)
            if isinstance(joint, str):
                self._unclear.append(Unclear(self._body_name(body), joint))
                continue
            if joint.handle < 0:
                self._unclear.append(
                    Unclear(self._body_name(body), "a door or drawer without a handle that a hand can take")
                )
            joints.append(joint)
        return tuple(_name_parts(joints, lambda joint: words_of(self._body_name(joint.body))))

    def _moved_parts(self, joint: HouseJoint) -> tuple[Solid, ...]:
        geoms = [geom for geom in self.tree.moved(joint.body) if self.tree.solid(geom) and geom != joint.handle]
        return self.extents.geom_parts(self.data, geoms)

    def _neighbours(self, box: Box, cluster: Cluster) -> tuple[Solid, ...]:
        """Return the fixed solids near a piece that do not belong to it."""
        own_geoms = set(self._solid(cluster))
        fixed = [
            geom
            for geom in range(self.model.ngeom)
            if self.tree.solid(geom)
            and geom not in own_geoms
            and self.model.geom_type[geom] != mujoco.mjtGeom.mjGEOM_PLANE
            and not self.tree.free_above(int(self.model.geom_bodyid[geom]))
            and box.distance(self.data.geom_xpos[geom]) < self.model.geom_rbound[geom] + NEAR
        ]
        return self.extents.geom_parts(self.data, fixed)

    def _body_name(self, body: int) -> str:
        return _name_in_file(self.model.body(body).name)

    # ------------------------------------------------------------ loose objects

    def _loose_objects(self, body: int) -> list[LooseObject]:
        if not self.tree.is_free(body):
            return [item for child in self.tree.children[body] for item in self._loose_objects(child)]
        name = self._body_name(body)
        for other in self.tree.below(body):
            if other != body and self.tree.joints(other):
                self._unclear.append(Unclear(self._body_name(other), f"a moving part of the loose {name}"))
        solid = box_of(self.tree, self.data, self.extents, body)
        if solid is None:
            self._unclear.append(Unclear(name, "loose, but nothing of it can be touched: it has no geoms that collide"))
            return []
        box, parts = solid
        names = [name, *(self._body_name(other) for other in self.tree.below(body) if other != body)]
        kind = kind_in(names, "object")
        if not kind:
            self._unclear.append(Unclear(name, "its name says nothing: it is called object"))
            kind = "object"
        turn = self.data.xmat[body].reshape(3, 3)
        return [
            LooseObject(
                name=kind,
                kind=kind,
                colour=colour_in(names),
                origin=name,
                body=body,
                half=box.half,
                hollow=hollow_of(parts, box, np.array(self.data.xpos[body]), turn),
            )
        ]


_FURNITURE_KINDS = frozenset(use.kind for use in FURNITURE)
_CONTAINERS = frozenset(use.kind for use in FURNITURE if use.opens)
_SIDES = ("left", "right", "upper", "top", "middle", "lower", "bottom")


def shut(model: mujoco.MjModel) -> mujoco.MjData:
    """Return a state in which every door and drawer is shut, with kinematics computed."""
    data = mujoco.MjData(model)
    for joint in range(model.njnt):
        if model.jnt_limited[joint] and model.jnt_type[joint] != mujoco.mjtJoint.mjJNT_BALL:
            data.qpos[model.jnt_qposadr[joint]] = ends(model, joint)[0]
    mujoco.mj_kinematics(model, data)
    return data


def _name_in_file(name: str) -> str:
    """Return a name as in the file; "" for a generated name."""
    name_in_file = name.removeprefix(PREFIX)
    return "" if name_in_file.startswith(UNNAMED) else name_in_file


def _name_parts(joints: Sequence[HouseJoint], words: Callable[[HouseJoint], Sequence[str]]) -> list[HouseJoint]:
    """Give the doors and drawers of one piece unique names, by words of their body names, else by numbers."""
    if len(joints) < 2:
        return list(joints)
    sides = ["_".join(side for side in _SIDES if any(side in word for word in words(joint))) for joint in joints]
    parts = [f"{side}_{joint.part}" if side else joint.part for side, joint in zip(sides, joints, strict=True)]
    total, counts, renamed = Counter(parts), Counter[str](), []
    for joint, part in zip(joints, parts, strict=True):
        counts[part] += 1
        numbered_part = f"{part.removesuffix(joint.part)}{counts[part]}_{joint.part}" if total[part] > 1 else part
        renamed.append(replace(joint, part=numbered_part))
    return renamed


def _room_of(point: Array, rooms: Sequence[HouseRoom]) -> HouseRoom:
    """Return the room that contains a point, else the nearest room."""

    def distance_to(room: HouseRoom) -> float:
        x0, y0, x1, y1 = room.rect
        return float(np.hypot(max(x0 - point[0], point[0] - x1, 0.0), max(y0 - point[1], point[1] - y1, 0.0)))

    return min(rooms, key=distance_to)


ThingT = TypeVar("ThingT", HousePiece, LooseObject)


def _with_unique_names(things: Sequence[ThingT]) -> list[ThingT]:
    """Give items unique names: their kinds, numbered where there are several of one kind."""
    total, counts, result = Counter(item.kind for item in things), Counter[str](), []
    for item in things:
        counts[item.kind] += 1
        result.append(replace(item, name=f"{item.kind}_{counts[item.kind]}" if total[item.kind] > 1 else item.kind))
    return result
