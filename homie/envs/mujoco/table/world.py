"""World state of the table: privileged knowledge, for the locator, scoring and records only."""

from __future__ import annotations

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.extents import Extents
from homie.envs.mujoco.blueprints.parts import Part
from homie.envs.mujoco.table.build import TABLE_X, TABLE_Y, BuiltTable, BuiltThing
from homie.envs.mujoco.table.outlines import HEIGHT, SHAPES, outline, strips
from homie.envs.mujoco.table.scene import TABLE_TOP, Condition
from homie.envs.mujoco.table.things import CELL, CONTAINER_HALF, SORTER_HEIGHT, hole_places, tile_places
from homie.kernel.types import Array, Box

RESTS = 0.008
"""Metres between an underside and the top that it rests on, at most."""
CENTRED = 0.02
"""Metres that the middle of a thing may be beside the middle of the one that it is on."""
UPRIGHT = 0.99
"""Cosine of how far a thing leans, at least, to count as standing upright."""
WIPED, SPARED = 0.95, 0.2
"""Share of its tiles from which an area is wiped, and up to which it is not."""
WIPING = 0.006
"""Metres between sponge and table within which it wipes."""


class TableWorld:
    """Questions about a running table. Positions are in the world frame, which is the odometry frame here."""

    def __init__(self, built: BuiltTable, data: mujoco.MjData) -> None:
        self.built = built
        self.data = data
        self.extents = Extents(built.model)
        self.held: str | None = None
        self.wiped: dict[str, set[int]] = {}
        self._objects = {thing.name: thing for thing in built.index.objects}
        self._alpha = built.model.geom_rgba[:, 3].copy()

    def reset(self) -> None:
        """A new episode: nothing held, nothing wiped."""
        self.held = None
        self.wiped = {name: set() for name, one in self.built.things.items() if one.thing.kind == "area"}
        self.built.model.geom_rgba[:, 3] = self._alpha

    def update(self, held: str | None) -> None:
        """After a control period: what is held, and which tiles the sponge has wiped away."""
        self.held = held
        for name, one in self.built.things.items():
            if one.thing.kind == "sponge":
                self._wipe(self._box(name))

    # ------------------------------------------------------------ where things are

    @property
    def loose(self) -> tuple[str, ...]:
        """Names of the things that can be taken."""
        return tuple(self._objects)

    def box(self, name: str) -> Box:
        """The upright box around a thing."""
        if name in self._objects:
            return self._box(name)
        one = self.built.things[name]
        half = np.array(one.plan.half)
        return Box(self.data.xpos[one.body] + np.array([0.0, 0.0, half[2]]), half, one.thing.yaw)

    def _box(self, loose: str) -> Box:
        return self.extents.body_boxes(self.data, [self._objects[loose].body])[0]

    def solids(self, *, without: str | None = None) -> tuple[Box, ...]:
        """Boxes that a hand must not run into: the table, the loose things but `without`, walls, the sorter whole."""
        boxes = [_table()]
        for name, one in self.built.things.items():
            if one.thing.kind == "container":
                boxes += _walls(one)
            elif one.thing.kind != "area" and name != without:
                boxes += self._solid(name)
        return tuple(boxes)

    def obstacles(self, *, held: str | None) -> tuple[Box, ...]:
        """Boxes that a thing in the hand must not run into: as `solids`, but of a sorter only the walls."""
        boxes = [_table()]
        for name, one in self.built.things.items():
            if one.thing.kind in ("container", "shape sorter"):
                boxes += _walls(one)
            elif one.thing.kind != "area" and name != held:
                boxes += self._solid(name)
        return tuple(boxes)

    def _solid(self, name: str) -> list[Box]:
        """A thing as boxes: a shape that stands upright in slices, since fingers come close to it from all sides."""
        one, box = self.built.things[name], self.box(name)
        turn = self.data.xmat[one.body].reshape(3, 3)
        if one.thing.kind not in SHAPES or turn[2, 2] < UPRIGHT:
            return [box]
        yaw = float(np.arctan2(turn[1, 0], turn[0, 0]))
        at = self.data.xpos[one.body]
        return [
            Box(at + turn @ np.array([*middle, HEIGHT / 2]), np.array([*half, HEIGHT / 2]), yaw)
            for middle, half in strips(outline(one.thing.kind))
        ]

    # ------------------------------------------------------------ what is so

    @property
    def success(self) -> bool:
        """Whether all that the task asks for is so."""
        return all(self.met(condition) for condition in self.built.scene.conditions)

    def met(self, condition: Condition) -> bool:
        """Whether a condition is so now. What is held is in, on or sorted into nothing."""
        if condition.relation == "wiped":
            shares = {name: len(tiles) / len(tile_places()) for name, tiles in self.wiped.items()}
            others = [share for name, share in shares.items() if name != condition.thing]
            return shares[condition.thing] >= WIPED and all(share <= SPARED for share in others)
        if condition.thing == self.held:
            return False
        box = self.box(condition.thing)
        place = self.built.things[condition.place]
        if condition.relation == "on":
            return self._on(condition.thing, condition.place)
        local = _local(place, box.center)
        if condition.relation == "in":
            return bool(np.all(np.abs(local[:2]) < CONTAINER_HALF) and local[2] < 2 * box.half[2])
        return self._sorted(place, self.built.things[condition.thing].thing.kind, local)

    def lies(self, thing: str, place: str) -> bool:
        """Whether a thing is in, through or on another one, as fits that one."""
        kind = self.built.things[place].thing.kind
        relation = {"container": "in", "shape sorter": "sorted"}.get(kind, "on")
        return self.met(Condition.model_validate({"relation": relation, "thing": thing, "place": place}))

    def _on(self, thing: str, place: str) -> bool:
        box, under = self.box(thing), self.box(place)
        gap = (box.center[2] - box.half[2]) - (under.center[2] + under.half[2])
        things = self.built.things
        beside = self.data.xpos[things[thing].body] - self.data.xpos[things[place].body]
        return bool(abs(gap) < RESTS and np.linalg.norm(beside[:2]) < CENTRED)

    def _sorted(self, sorter: BuiltThing, kind: str, local: Array) -> bool:
        """Whether a thing is in the compartment under the hole of its kind, below the lid."""
        holes = sorter.thing.holes
        places = [np.array(place) for place, hole in zip(hole_places(holes), holes, strict=True) if hole == kind]
        under = any(np.all(np.abs(local[:2] - place) < CELL) for place in places)
        return bool(under and 0.0 < local[2] < SORTER_HEIGHT / 2)

    def _wipe(self, sponge: Box) -> None:
        if sponge.center[2] - sponge.half[2] - TABLE_TOP > WIPING:
            return
        c, s = np.cos(sponge.yaw), np.sin(sponge.yaw)
        for name, done in self.wiped.items():
            one = self.built.things[name]
            for number in range(len(one.geoms)):
                if number in done:
                    continue
                away = self.data.geom_xpos[one.geoms[number]] - sponge.center
                inside = (
                    abs(c * away[0] + s * away[1]) < sponge.half[0] and abs(c * away[1] - s * away[0]) < sponge.half[1]
                )
                if inside:
                    done.add(number)
                    self.built.model.geom_rgba[one.geoms[number], 3] = 0.0

    def place(self, name: str) -> tuple[str, str]:
        """What a loose thing is directly in or on, as relation (`in`, `on`, `held`) and name (`table`, `floor`)."""
        if name == self.held:
            return "held", "gripper"
        box = self.box(name)
        for other, one in self.built.things.items():
            half = one.plan.half
            local = _local(one, box.center)
            if one.thing.kind in ("container", "shape sorter") and bool(np.all(np.abs(local[:2]) < half[:2])):
                return "in" if local[2] < 2 * half[2] else "on", other
            if one.plan.loose and other != name and self._on(name, other):
                return "on", other
        return "on", "table" if box.center[2] > TABLE_TOP else "floor"

    def snapshot(self) -> dict[str, object]:
        """`final_state.json`: the pose and place of every loose thing, what stands fixed, what was wiped, and whether
        the task that the scene sets is done."""
        objects: dict[str, object] = {}
        for name in self.loose:
            relation, at = self.place(name)
            objects[name] = {**self._pose(name), "relation": relation, "at": at}
        conditions = [
            {**condition.model_dump(), "met": self.met(condition)} for condition in self.built.scene.conditions
        ]
        wiped = {name: round(len(tiles) / len(tile_places()), 3) for name, tiles in self.wiped.items()}
        return {
            "objects": objects,
            "fixed": {name: self._pose(name) for name in self.built.things if name not in self._objects},
            "wiped": wiped,
            "held": self.held,
            "instruction": self.built.scene.instruction,
            "conditions": conditions,
            "success": self.success,
        }

    def _pose(self, name: str) -> dict[str, object]:
        one = self.built.things[name]
        return {
            "kind": one.thing.kind,
            "position": [round(float(v), 5) for v in self.box(name).center],
            "quaternion": [round(float(v), 5) for v in self.data.xquat[one.body]],
        }


def _local(one: BuiltThing, point: Array) -> Array:
    """A point (3,) in the frame of a thing that stands fixed on the table."""
    away = point - np.array([one.thing.x, one.thing.y, TABLE_TOP])
    c, s = np.cos(one.thing.yaw), np.sin(one.thing.yaw)
    return np.array([c * away[0] + s * away[1], c * away[1] - s * away[0], away[2]])


def _table() -> Box:
    x, y = (np.array([sum(span) / 2, (span[1] - span[0]) / 2]) for span in (TABLE_X, TABLE_Y))
    return Box(np.array([x[0], y[0], TABLE_TOP - 0.02]), np.array([x[1], y[1], 0.02]))


def _walls(one: BuiltThing) -> list[Box]:
    """The upright parts of a container or a sorter, and its bottom, as boxes in the world."""
    c, s = np.cos(one.thing.yaw), np.sin(one.thing.yaw)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    at = np.array([one.thing.x, one.thing.y, TABLE_TOP])
    parts = [part for part in one.plan.parts if isinstance(part, Part)]
    return [Box(at + turn @ np.array(part.pos), np.array(part.size), one.thing.yaw) for part in parts]
