"""What every loose object is in or on, from geometry and contact.

Objects are taken from the lowest underside to the highest, and each rests on or in what came before it: so no chain of
places ever comes back to where it began, however things lie.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.blueprints.extents import Extents
from homie.envs.mujoco.blueprints.parts import WALL
from homie.envs.mujoco.house.build import Home
from homie.envs.mujoco.house.index import ObjectInfo, ReceptacleInfo, SupportSurface
from homie.kernel.types import Array, Box
from homie.kernel.world.snapshot import Relation

TOUCH = 0.003
"""Metres between two things that count as touching: things start 0.4 mm above what carries them, and rest in it by
about 0.1 mm."""

UPWARD = 0.3
"""Height of a contact's unit normal from which it carries: the staves of a bowl, which carry a fruit, have 0.48; a box
that leans against a can presses on it with less."""

SINKS = 0.003
"""Metres that a thing in a bowl may seem to be in its bottom."""

UPRIGHT = 0.7
"""Height of the unit vector out of a bowl or mug from which it holds things: tilted by over 45 degrees it does not."""

NEARBY = 0.35
"""Metres from the middle of a bowl to that of the tallest thing that stands in it, at most."""

BELOW, ABOVE = 0.03, 0.35
"""Metres that the underside of a thing over a surface may be below it (a tilted drawer, a thing askew), and above."""

BESIDE = 0.02
"""Metres that the middle of a thing on a surface may be beside it."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an object is: the receptacle or object it rests on or in, and which surface of it; "" on the floor, and
    where it rests on no surface of the furniture (on an arm rest, on a fridge)."""

    relation: Relation
    entity: str
    surface: str = ""


class Resting:
    """The places of all loose objects in a running home. They are computed anew only when something has moved."""

    def __init__(self, home: Home, data: mujoco.MjData, extents: Extents) -> None:
        self._data, self._extents, self._index = data, extents, home.index
        self._objects = {item.name: item for item in home.index.objects}
        self._receptacles = {item.name: item for item in home.index.receptacles}
        self._supports = [(item, plan) for item in home.index.receptacles for plan in item.surfaces]
        # MuJoCo looks for no contacts between things that sleep, and for none between things that do not quite touch.
        # So a twin of the model does, without the robot; it is never stepped.
        self._model = copy.copy(home.model)
        self._model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SLEEP)
        self._model.geom_margin[:] = self._model.body_margin[:] = TOUCH
        for geom in range(self._model.ngeom):
            if geom not in home.index.geoms:
                self._model.geom_contype[geom] = self._model.geom_conaffinity[geom] = 0
        self._twin = mujoco.MjData(self._model)
        self._moving = np.array(
            [
                address
                for joint in range(self._model.njnt)
                if not self._model.joint(joint).name.startswith("robot/")
                for address in _addresses(self._model, joint)
            ],
            dtype=np.intp,
        )
        self._before = b""
        self._places: dict[str, Place] = {}

    def places(self) -> Mapping[str, Place]:
        """The place of every object by name; the held object is taken as lying where it is."""
        state_key = self._data.qpos[self._moving].tobytes()
        if state_key != self._before:
            self._places = self._compute()
            self._before = state_key
        return self._places

    def _compute(self) -> dict[str, Place]:
        things = list(self._objects.values())
        boxes = self._extents.body_boxes(self._data, [item.body for item in things])
        lowest = [float(box.center[2] - box.half[2]) for box in boxes]
        loads_by_name, surfaces_below = self._carried(), self._under(boxes)
        places: dict[str, Place] = {}
        bowls: list[ObjectInfo] = []
        for number in sorted(range(len(things)), key=lambda k: (lowest[k], things[k].name)):
            item = things[number]
            bowl = next((bowl for bowl in reversed(bowls) if self._is_in(item, bowl)), None)
            if bowl is not None:  # of two nested ones the inner one
                place = Place("in", bowl.name)
            else:
                loads = loads_by_name.get(item.name, {})
                furniture = {name: press for name, press in loads.items() if name in self._receptacles}
                object_loads = {name: press for name, press in loads.items() if name in places}
                place = self._place(boxes[number], loads, furniture, object_loads, surfaces_below[number])
            places[item.name] = place
            if item.hollow is not None:
                bowls.append(item)
        return places

    def _carried(self) -> dict[str, dict[str, float]]:
        """By object: the entities that touch it from below, each with how steeply upwards they press at most."""
        twin = self._twin
        twin.qpos[:] = self._data.qpos
        mujoco.mj_kinematics(self._model, twin)
        mujoco.mj_collision(self._model, twin)
        contacts, count = twin.contact, twin.ncon
        normal_up = contacts.frame[:count, 2]
        pressing = np.flatnonzero((np.abs(normal_up) > UPWARD) & (contacts.dist[:count] < TOUCH))
        loads: dict[str, dict[str, float]] = {}
        geoms = self._index.geoms
        for (first, second), upward in zip(contacts.geom[pressing].tolist(), normal_up[pressing].tolist(), strict=True):
            lower, upper = (first, second) if upward > 0.0 else (second, first)  # the normal points away from the first
            if upper not in geoms or lower not in geoms:
                continue  # the robot's own links, which meet as explicit pairs, whatever they collide with else
            name = geoms[upper].entity
            if name in self._objects:
                object_loads, entity = loads.setdefault(name, {}), geoms[lower].entity
                object_loads[entity] = max(object_loads.get(entity, 0.0), abs(upward))
        return loads

    def _place(
        self,
        box: Box,
        carried: Mapping[str, float],
        furniture: Mapping[str, float],
        things: Mapping[str, float],
        surface_below: tuple[ReceptacleInfo, SupportSurface] | None,
    ) -> Place:
        """The place of what is in no bowl.

        Args:
            carried: All that touches it from below.
            furniture, things: Those among it. What touches nothing (it falls) is where it is over.
        """
        if surface_below is not None and (surface_below[0].name in furniture or not carried):
            return _on_surface(*surface_below)
        if "floor" in carried:
            return Place("on", self.room_of(box.center) or "floor")
        if furniture:
            return self._on_furniture(self._receptacles[_steepest(furniture)], box)
        if things:
            return Place("on", _steepest(things))
        return (
            _on_surface(*surface_below)
            if surface_below is not None
            else Place("on", self.room_of(box.center) or "floor")
        )

    # ------------------------------------------------------------ hollow things

    def _is_in(self, item: ObjectInfo, bowl: ObjectInfo) -> bool:
        """Whether the middle of a thing's mass is over the bottom of a hollow one, within its sides, and below its rim;
        or, of a tall thing, whether its foot is in the lower half of the hollow."""
        hollow, data = bowl.hollow, self._data
        if hollow is None:
            return False
        offset = data.xipos[item.body] - data.xpos[bowl.body]
        if np.abs(offset).max() > NEARBY:
            return False
        turn = data.xmat[bowl.body].reshape(3, 3)
        middle = offset @ turn - hollow.center
        if turn[2, 2] < UPRIGHT or middle[2] < 0.0 or np.hypot(middle[0], middle[1]) > hollow.radius(middle[2]):
            return False
        axis = turn[:, 2]
        bottom = data.xpos[bowl.body] + turn @ np.asarray(hollow.center)
        foot = -max(float(part.reach(-axis[None])[0]) for part in self._extents.body_parts(data, item.body))
        depth = foot - float(axis @ bottom)
        return bool(depth > -SINKS and (middle[2] < hollow.depth or depth < hollow.depth / 2))

    # ------------------------------------------------------------ furniture

    def _under(self, boxes: Sequence[Box]) -> list[tuple[ReceptacleInfo, SupportSurface] | None]:
        """Of every box the highest surface that it is over, and under whose ceiling it is."""
        if not self._supports or not boxes:
            return [None] * len(boxes)
        bodies, centers, halves, ceilings = self._support_table
        turn, origin = self._data.xmat[bodies].reshape(-1, 3, 3), self._data.xpos[bodies]
        middles = np.array([box.center for box in boxes])
        feet = middles - np.array([[0.0, 0.0, box.half[2]] for box in boxes])
        local_offsets = np.einsum("nij,kni->knj", turn, middles[:, None] - origin)[..., :2] - centers[:, :2]
        height = np.einsum("nij,kni->knj", turn, feet[:, None] - origin)[..., 2] - centers[:, 2]
        is_over = (np.abs(local_offsets) <= halves + BESIDE).all(axis=2) & (height > -BELOW) & (height < ceilings)
        nearest = np.where(is_over, height, np.inf).argmin(axis=1)
        return [self._supports[best] if is_over[k, best] else None for k, best in enumerate(nearest.tolist())]

    @cached_property
    def _support_table(self) -> tuple[NDArray[np.intp], Array, Array, Array]:
        """Of every surface: its body, centre (n, 3), half sizes (n, 2), how high over it a thing may stand (n,)."""
        plans = [plan for _, plan in self._supports]
        bodies = np.array([plan.body for plan in plans], dtype=np.intp)
        halves = np.array([[plan.half_x, plan.half_y] for plan in plans]).reshape(-1, 2)
        ceilings = np.array([min(plan.clearance, ABOVE) for plan in plans])
        return bodies, np.array([plan.center for plan in plans]).reshape(-1, 3), halves, ceilings

    def _on_furniture(self, piece: ReceptacleInfo, box: Box) -> Place:
        """On furniture, but over none of its surfaces: over the edge of one, at the back of a shelf, on an arm rest."""
        foot = float(box.center[2] - box.half[2])
        heights = {plan.name: self._height(plan) for plan in piece.surfaces}
        level = [plan for plan in piece.surfaces if -BELOW < foot - heights[plan.name] < BESIDE]
        turn = self._data.xmat[piece.body].reshape(3, 3)
        local = (box.center - self._data.xpos[piece.body]) @ turn - piece.center
        is_inside = bool((np.abs(local) < piece.half).all())
        inside = [plan for plan in piece.surfaces if plan.inside or plan.access == "front"]
        if is_inside and inside:
            return _on_surface(piece, min(inside, key=lambda plan: abs(foot - heights[plan.name])))
        return _on_surface(piece, level[0]) if level else Place("on", piece.name)

    def _height(self, plan: SupportSurface) -> float:
        turn = self._data.xmat[plan.body].reshape(3, 3)
        return float(self._data.xpos[plan.body][2] + turn[2] @ np.asarray(plan.center))

    # ------------------------------------------------------------ rooms

    def room_of(self, point: Array) -> str | None:
        """The room over whose floor a point is, in a doorway the nearer of the two; None outside the house."""
        distances: dict[str, float] = {}
        for room in self._index.rooms:
            x0, y0, x1, y1 = room.rect
            distance = max(x0 - point[0], point[0] - x1, y0 - point[1], point[1] - y1)
            if distance <= WALL / 2 + 1e-9:
                distances[room.name] = float(distance)
        return min(distances, key=lambda name: distances[name]) if distances else None


def _on_surface(piece: ReceptacleInfo, plan: SupportSurface) -> Place:
    return Place("in" if plan.inside or plan.access == "front" else "on", piece.name, plan.name)


def _steepest(carried: Mapping[str, float]) -> str:
    """What presses upwards the most; of several alike the first by name."""
    return min(carried, key=lambda name: (-round(carried[name], 2), name))


def _addresses(model: mujoco.MjModel, joint: int) -> range:
    """Where the positions of a joint stand in `qpos`."""
    first = int(model.jnt_qposadr[joint])
    return range(first, first + (7 if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE else 1))
