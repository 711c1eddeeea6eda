"""Compute what every loose object is in or on, from geometry and contacts.

Objects are processed from the lowest underside to the highest, and each rests on or in one processed before it, so
chains of places have no cycles in any configuration.
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
"""Maximum gap (m) between objects that count as touching: they start 0.4 mm above their support, and at rest penetrate
it by about 0.1 mm."""

UPWARD = 0.3
"""Minimum z component of a contact's unit normal for it to carry: the staves of a bowl, which carry a fruit, have 0.48;
that of a box leaning against a can is smaller."""

SINKS = 0.003
"""Depth (m) by which an object in a bowl may appear to penetrate its bottom."""

UPRIGHT = 0.7
"""Minimum z component of a bowl's or mug's unit axis for it to hold objects: tilted by over 45 degrees it does not."""

NEARBY = 0.35
"""Maximum distance (m) from the centre of a bowl to that of an object in it, for the tallest objects."""

BELOW, ABOVE = 0.03, 0.35
"""Maximum distances (m) of the underside of an object below its surface (a tilted drawer or object) and above it."""

BESIDE = 0.02
"""Maximum distance (m) of the centre of an object on a surface beyond the edge."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an object: the receptacle or object it rests on or in, and which surface of it; "" for the floor and
    for furniture parts that are no support surface (an arm rest, the top of a fridge)."""

    relation: Relation
    entity: str
    surface: str = ""


class Resting:
    """The places of all loose objects in a running home, recomputed only when something has moved."""

    def __init__(self, home: Home, data: mujoco.MjData, extents: Extents) -> None:
        self._data, self._extents, self._index = data, extents, home.index
        self._objects = {item.name: item for item in home.index.objects}
        self._receptacles = {item.name: item for item in home.index.receptacles}
        self._supports = [(item, plan) for item in home.index.receptacles for plan in item.surfaces]
        # MuJoCo detects no contacts between sleeping bodies, nor across small gaps. So they are detected in a copy of
        # the model without the robot, which is never stepped.
        self._model = copy.copy(home.model)
        self._model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SLEEP)
        self._model.geom_margin[:] = self._model.body_margin[:] = TOUCH
        for geom in range(self._model.ngeom):
            if geom not in home.index.geoms:
                self._model.geom_contype[geom] = self._model.geom_conaffinity[geom] = 0
        self._contact_data = mujoco.MjData(self._model)
        self._qpos_addresses = np.array(
            [
                address
                for joint in range(self._model.njnt)
                if not self._model.joint(joint).name.startswith("robot/")
                for address in _addresses(self._model, joint)
            ],
            dtype=np.intp,
        )
        self._last_state = b""
        self._places: dict[str, Place] = {}

    def places(self) -> Mapping[str, Place]:
        """Return the place of every object by name; the held object is treated like any other."""
        state_key = self._data.qpos[self._qpos_addresses].tobytes()
        if state_key != self._last_state:
            self._places = self._compute()
            self._last_state = state_key
        return self._places

    def _compute(self) -> dict[str, Place]:
        things = list(self._objects.values())
        boxes = self._extents.body_boxes(self._data, [item.body for item in things])
        lowest = [float(box.center[2] - box.half[2]) for box in boxes]
        loads_by_name, surfaces_below = self._contact_loads(), self._surfaces_below(boxes)
        places: dict[str, Place] = {}
        bowls: list[ObjectInfo] = []
        for number in sorted(range(len(things)), key=lambda k: (lowest[k], things[k].name)):
            item = things[number]
            bowl = next((bowl for bowl in reversed(bowls) if self._is_in(item, bowl)), None)
            if bowl is not None:  # the inner of nested bowls
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

    def _contact_loads(self) -> dict[str, dict[str, float]]:
        """Return, by object, the entities that touch it from below, each with the largest z of its contact normals."""
        twin = self._contact_data
        twin.qpos[:] = self._data.qpos
        mujoco.mj_kinematics(self._model, twin)
        mujoco.mj_collision(self._model, twin)
        contacts, count = twin.contact, twin.ncon
        normal_up = contacts.frame[:count, 2]
        upward_contacts = np.flatnonzero((np.abs(normal_up) > UPWARD) & (contacts.dist[:count] < TOUCH))
        loads: dict[str, dict[str, float]] = {}
        geoms = self._index.geoms
        for (first, second), upward in zip(
            contacts.geom[upward_contacts].tolist(), normal_up[upward_contacts].tolist(), strict=True
        ):
            lower, upper = (first, second) if upward > 0.0 else (second, first)  # the normal points away from the first
            if upper not in geoms or lower not in geoms:
                continue  # links of the robot: explicit contact pairs, which are detected whatever their masks
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
        """Return the place of an object that is in no bowl.

        Args:
            carried: All entities that touch it from below. Without any (a falling object) its place is what is below.
            furniture, things: The furniture and the objects among them.
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

    # ------------------------------------------------------------ hollow objects

    def _is_in(self, item: ObjectInfo, bowl: ObjectInfo) -> bool:
        """Whether an object's centre of mass is over the bottom of a hollow object, within its sides, and below its rim
        (or, for a tall object, its foot in the lower half of the hollow)."""
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

    def _surfaces_below(self, boxes: Sequence[Box]) -> list[tuple[ReceptacleInfo, SupportSurface] | None]:
        """Return, for every box, the highest surface that it is over and whose ceiling it is under; None without."""
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
        """Bodies (n,), centres (n, 3) and half sizes (n, 2) of all surfaces, and how high (n,) objects may be above."""
        plans = [plan for _, plan in self._supports]
        bodies = np.array([plan.body for plan in plans], dtype=np.intp)
        halves = np.array([[plan.half_x, plan.half_y] for plan in plans]).reshape(-1, 2)
        ceilings = np.array([min(plan.clearance, ABOVE) for plan in plans])
        return bodies, np.array([plan.center for plan in plans]).reshape(-1, 3), halves, ceilings

    def _on_furniture(self, piece: ReceptacleInfo, box: Box) -> Place:
        """Return the place of an object on furniture but over no surface: over an edge, at the back of a shelf, on an
        arm rest."""
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
        """Return the room over whose floor a point is, in a doorway the nearer of the two; None outside the house."""
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
    """Return the entity with the steepest contact normal; among equals the first by name."""
    return min(carried, key=lambda name: (-round(carried[name], 2), name))


def _addresses(model: mujoco.MjModel, joint: int) -> range:
    """Return the addresses of a joint's positions in `qpos`."""
    first = int(model.jnt_qposadr[joint])
    return range(first, first + (7 if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE else 1))
