"""World state of the table: privileged, for the locator, scoring and records only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.extents import Extents
from homie.envs.mujoco.blueprints.parts import Part
from homie.envs.mujoco.table.build import TABLE_X, TABLE_Y, BuiltTable, BuiltThing
from homie.envs.mujoco.table.outlines import HEIGHT, SHAPES, outline, strips
from homie.envs.mujoco.table.table_scene import SURROUNDINGS, TABLE_TOP
from homie.envs.mujoco.table.things import CELL, SORTER_HEIGHT, hole_places, tile_places
from homie.kernel.types import Array, Box, Surface, rotation_z
from homie.kernel.world.conditions import serialize_condition
from homie.kernel.world.snapshot import FixedState, ObjectState, Relation, TaskCondition, WorldSnapshot, round_numbers

RESTS = 0.008
"""Maximum gap (m) between an underside and the top that it rests on."""
CENTRED = 0.02
"""Maximum horizontal offset (m) between the middles of an object and the one below it."""
MIDDLE = 0.005
"""Half size (m) of the area around the middle of an object in or on which another is put."""
UPRIGHT = 0.99
"""Minimum cosine of the tilt of an object that counts as upright."""
WIPING = 0.006
"""Maximum gap (m) between sponge and table at which it wipes."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Relation of a loose object to its support.

    Attributes:
        surface: For a sorter, the shape of the hole above the compartment.
    """

    relation: Relation
    at: str
    surface: str = ""


class TableWorld:
    """Queries about a simulated table. Positions are in the world frame, which is the odometry frame here."""

    def __init__(self, built_table: BuiltTable, data: mujoco.MjData) -> None:
        self.built = built_table
        self.data = data
        self.extents = Extents(built_table.model)
        self.held: str | None = None
        self.wiped: dict[str, set[int]] = {}
        self._objects = {item.name: item for item in built_table.index.objects}
        self._alpha = built_table.model.geom_rgba[:, 3].copy()

    def reset(self) -> None:
        """Start a new episode: no object held, no tile wiped."""
        self.held = None
        self.wiped = {name: set() for name, thing in self.built.things.items() if thing.item.kind == "area"}
        self.built.model.geom_rgba[:, 3] = self._alpha

    def update(self, held: str | None) -> None:
        """Update the held object and the wiped tiles after a control period."""
        self.held = held
        for name, thing in self.built.things.items():
            if thing.item.kind == "sponge":
                self._wipe(self._box(name))

    def wipe(self, area: str, tiles: Sequence[int]) -> None:
        """Wipe tiles of an area, by their numbers. Unknown areas and numbers are ignored."""
        geoms = self.built.things[area].geoms if area in self.wiped else ()
        for number in tiles:
            if 0 <= number < len(geoms):
                self.wiped[area].add(number)
                self.built.model.geom_rgba[geoms[number], 3] = 0.0

    # ------------------------------------------------------------ geometry

    @property
    def loose(self) -> tuple[str, ...]:
        """Names of the loose objects."""
        return tuple(self._objects)

    def box(self, name: str) -> Box:
        """Return the upright bounding box of an object."""
        if name in self._objects:
            return self._box(name)
        thing = self.built.things[name]
        half = np.array(thing.plan.half)
        return Box(self.data.xpos[thing.body] + np.array([0.0, 0.0, half[2]]), half, thing.item.yaw)

    def _box(self, name: str) -> Box:
        return self.extents.body_boxes(self.data, [self._objects[name].body])[0]

    def solids(self, *, without: str | None = None) -> tuple[Box, ...]:
        """Return collision boxes for the hand: table, loose objects except `without`, walls, the sorter as one box."""
        boxes = [_table()]
        for name, thing in self.built.things.items():
            if thing.item.kind == "container":
                boxes += _walls(thing)
            elif thing.item.kind != "area" and name != without:
                boxes += self._solid(name)
        return tuple(boxes)

    def obstacles(self, *, held: str | None) -> tuple[Box, ...]:
        """Return collision boxes for a held object: as `solids`, but only the walls of a sorter."""
        boxes = [_table()]
        for name, thing in self.built.things.items():
            if thing.item.kind in ("container", "shape sorter"):
                boxes += _walls(thing)
            elif thing.item.kind != "area" and name != held:
                boxes += self._solid(name)
        return tuple(boxes)

    def _solid(self, name: str) -> list[Box]:
        """Return an object as boxes: an upright shape in slices, since fingers come close to it from all sides."""
        thing, box = self.built.things[name], self.box(name)
        turn = self.data.xmat[thing.body].reshape(3, 3)
        if thing.item.kind not in SHAPES or turn[2, 2] < UPRIGHT:
            return [box]
        yaw = float(np.arctan2(turn[1, 0], turn[0, 0]))
        at = self.data.xpos[thing.body]
        return [
            Box(at + turn @ np.array([*middle, HEIGHT / 2]), np.array([*half, HEIGHT / 2]), yaw)
            for middle, half in strips(outline(thing.item.kind))
        ]

    def surfaces(self, name: str) -> tuple[Surface, ...]:
        """Return the placement surfaces of an object: the middle of a container's bottom, or of the top. Empty if
        placement is ambiguous: for an area or a shape sorter."""
        thing, box = self.built.things[name], self.box(name)
        if thing.item.kind in ("area", "shape sorter"):
            return ()
        height = box.center[2] + box.half[2]
        if thing.item.kind == "container":
            walls_below = [wall for wall in _walls(thing) if wall.distance(box.center) == 0.0]
            height = max((wall.center[2] + wall.half[2] for wall in walls_below), default=TABLE_TOP)
        return (Surface(np.array([*box.center[:2], height]), MIDDLE, MIDDLE, box.yaw),)

    # ------------------------------------------------------------ state

    @property
    def success(self) -> bool:
        """Whether all success conditions of the task hold."""
        return bool(self.snapshot().success)

    def lies(self, item: str, place: str) -> bool:
        """Whether an object is directly in, on, or (a sorter) through its own hole of `place`, as its kind implies."""
        spot, kind = self.place(item), self.built.things[place].item.kind
        if spot.relation == "held" or spot.at != place:
            return False
        if kind == "shape sorter":
            return spot.surface == self.built.things[item].item.kind
        return spot.relation == ("in" if kind == "container" else "on")

    def _is_on(self, item: str, place: str) -> bool:
        box, support_box = self.box(item), self.box(place)
        gap = (box.center[2] - box.half[2]) - (support_box.center[2] + support_box.half[2])
        things = self.built.things
        offset = self.data.xpos[things[item].body] - self.data.xpos[things[place].body]
        return bool(abs(gap) < RESTS and np.linalg.norm(offset[:2]) < CENTRED)

    def _wipe(self, sponge: Box) -> None:
        if sponge.center[2] - sponge.half[2] - TABLE_TOP > WIPING:
            return
        c, s = np.cos(sponge.yaw), np.sin(sponge.yaw)
        for name, wiped_tiles in self.wiped.items():
            thing = self.built.things[name]
            for number in range(len(thing.geoms)):
                if number in wiped_tiles:
                    continue
                offset = self.data.geom_xpos[thing.geoms[number]] - sponge.center
                inside = (
                    abs(c * offset[0] + s * offset[1]) < sponge.half[0]
                    and abs(c * offset[1] - s * offset[0]) < sponge.half[1]
                )
                if inside:
                    self.wipe(name, [number])

    def place(self, name: str) -> Spot:
        """Return the support of a loose object: another object, `table`, `floor`, or the gripper that holds it."""
        if name == self.held:
            return Spot("held", "gripper")
        box = self.box(name)
        for other, thing in self.built.things.items():
            half, local = thing.plan.half, _local(thing, box.center)
            is_over = bool(np.all(np.abs(local[:2]) < half[:2]))
            if thing.item.kind == "container" and is_over:
                # Inside: an object lying across the rim has its middle higher than its own height above the table.
                return Spot("in" if local[2] < 2 * box.half[2] else "on", other)
            if thing.item.kind == "shape sorter" and is_over:
                inside = local[2] < SORTER_HEIGHT
                return Spot("in" if inside else "on", other, _compartment(thing, local) if inside else "")
            if thing.plan.loose and other != name and self._is_on(name, other):
                return Spot("on", other)
        return Spot("on", "table" if box.center[2] > TABLE_TOP else "floor")

    def snapshot(self) -> WorldSnapshot:
        """Return poses and supports of loose objects, fixed objects, wiped areas, and the conditions of the scene's
        task."""
        scene = self.built.scene
        fixed = {name: self._fixed_state(name) for name in self.built.things if name not in self._objects}
        world = WorldSnapshot(
            objects={name: self._object_state(name) for name in self.loose},
            fixed={**fixed, **{name: FixedState(kind=name, receives="on") for name in SURROUNDINGS}},
            held=self.held,
            instruction=scene.instruction,
        )
        conditions = tuple(
            TaskCondition(condition=serialize_condition(condition), met=condition.holds(world))
            for condition in scene.conditions
        )
        return world.model_copy(
            update={"conditions": conditions, "success": all(condition.met for condition in conditions)}
        )

    def _object_state(self, name: str) -> ObjectState:
        spot, thing = self.place(name), self.built.things[name]
        return ObjectState(
            kind=thing.item.kind,
            colour=thing.item.colour,
            relation=spot.relation,
            at=spot.at,
            surface=spot.surface,
            position=round_numbers(self.box(name).center),
            quaternion=round_numbers(self.data.xquat[thing.body]),
            half=round_numbers(thing.plan.half),
            receives="on",
        )

    def _fixed_state(self, name: str) -> FixedState:
        thing, tiles = self.built.things[name], self.wiped.get(name)
        return FixedState(
            kind=thing.item.kind,
            colour=thing.item.colour,
            position=round_numbers(self.box(name).center),
            quaternion=round_numbers(self.data.xquat[thing.body]),
            half=round_numbers(thing.plan.half),
            states={} if tiles is None else {"wiped": len(tiles) / len(tile_places())},
            receives=None if tiles is not None else "in",
        )


def _compartment(sorter: BuiltThing, local: Array) -> str:
    """Return the shape of the hole above the sorter compartment that contains a point; "" if none contains it, or it
    is not deep enough."""
    if not 0.0 < local[2] < SORTER_HEIGHT / 2:
        return ""
    holes = sorter.item.holes
    places = [np.array(place) for place in hole_places(holes)]
    inside = [hole for hole, place in zip(holes, places, strict=True) if np.all(np.abs(local[:2] - place) < CELL)]
    return inside[0] if inside else ""


def _local(thing: BuiltThing, point: Array) -> Array:
    """Transform a point (3,) to the frame of a fixed object on the table."""
    offset = point - np.array([thing.item.x, thing.item.y, TABLE_TOP])
    c, s = np.cos(thing.item.yaw), np.sin(thing.item.yaw)
    return np.array([c * offset[0] + s * offset[1], c * offset[1] - s * offset[0], offset[2]])


def _table() -> Box:
    x, y = (np.array([sum(span) / 2, (span[1] - span[0]) / 2]) for span in (TABLE_X, TABLE_Y))
    return Box(np.array([x[0], y[0], TABLE_TOP - 0.02]), np.array([x[1], y[1], 0.02]))


def _walls(thing: BuiltThing) -> list[Box]:
    """Return the walls and the bottom of a container or sorter as boxes in the world."""
    turn = rotation_z(thing.item.yaw)
    at = np.array([thing.item.x, thing.item.y, TABLE_TOP])
    parts = [part for part in thing.plan.parts if isinstance(part, Part)]
    return [Box(at + turn @ np.array(part.pos), np.array(part.size), thing.item.yaw) for part in parts]
