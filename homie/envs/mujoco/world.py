"""World state of the embedded home: privileged information for the background locator, scoring and records only."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

import mujoco
import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.appliance_switches import Appliances
from homie.envs.mujoco.blueprints.extents import Extents, carriers
from homie.envs.mujoco.house.build import Home
from homie.envs.mujoco.house.index import ApplianceInfo, ArticulationInfo, ObjectInfo, ReceptacleInfo, SupportSurface
from homie.envs.mujoco.people import People
from homie.envs.mujoco.resting import Place, Resting
from homie.envs.mujoco.states_of_things import Household
from homie.kernel.types import Array, Articulation, Box, NamedThing, Solid, Surface
from homie.kernel.world import thresholds

BEFORE, CHEST = 0.05, 1.0
"""Distance (m) in front of a door, and maximum height (m) above the floor, of the point to look at."""
LENGTHWISE = (int(mujoco.mjtGeom.mjGEOM_CYLINDER), int(mujoco.mjtGeom.mjGEOM_CAPSULE))
"""Geoms that are longest along z."""


class World:
    """Questions about a running home. Positions are in the world frame, which is the odometry frame here."""

    def __init__(self, home: Home, data: mujoco.MjData) -> None:
        self.home = home
        self.model = home.model
        self.data = data
        self.extents = Extents(home.model)
        self._carrier = carriers(home.model)
        self.resting = Resting(home, data, self.extents)
        self.objects = {item.name: item for item in home.index.objects}
        self.people = People(home, data, self.extents)
        self.receptacles: dict[str, ReceptacleInfo] = {item.name: item for item in home.index.receptacles}
        self.receptacles |= self.people.infos
        """Furniture, and people, who have neither surfaces nor doors."""
        self.rooms = {room.name: room for room in home.index.rooms}
        self.appliances = Appliances(home, data)
        self.household = Household(home, data, self.appliances, self.furniture_of)
        self.held: str | None = None

    def named_things(self) -> list[NamedThing]:
        """Return everything that names may refer to: rooms, furniture, objects."""
        rooms = [NamedThing(room.name, room.kind, None, room.aliases) for room in self.rooms.values()]
        furniture = [NamedThing(t.name, t.kind, t.colour, t.aliases, t.room) for t in self.receptacles.values()]
        named_objects = [NamedThing(t.name, t.kind, t.colour, t.aliases) for t in self.objects.values()]
        return [*rooms, *furniture, *named_objects]

    # ------------------------------------------------------------ poses

    def position(self, body: int) -> Array:
        return np.array(self.data.xpos[body])

    def rotation(self, body: int) -> Array:
        return np.array(self.data.xmat[body]).reshape(3, 3)

    def object_box(self, item: ObjectInfo) -> Box:
        """Return the upright bounding box of an object in its current pose, with the yaw of its most level axis."""
        return self.object_boxes([item.name])[0]

    def object_boxes(self, names: Sequence[str]) -> tuple[Box, ...]:
        """Return the boxes of several objects by name, vectorised."""
        return self.extents.body_boxes(self.data, [self.objects[name].body for name in names])

    def object_parts(self, item: ObjectInfo) -> tuple[Solid, ...]:
        """Return the solids that an object is made of, in its current pose."""
        return self.extents.body_parts(self.data, item.body)

    def receptacle_box(self, piece: ReceptacleInfo) -> Box:
        """Return the box of a piece of furniture, without its open doors and drawers."""
        center = self.position(piece.body) + self.rotation(piece.body) @ np.asarray(piece.center)
        return Box(center, np.asarray(piece.half), self.yaw(piece.body))

    def box_of(self, entity: str) -> Box:
        """Return the box of an object or a piece of furniture."""
        item = self.objects.get(entity)
        return self.receptacle_box(self.receptacles[entity]) if item is None else self.object_box(item)

    def face(self, piece: ReceptacleInfo) -> tuple[Array, Array | None]:
        """Return the point (3,) to look at on a piece of furniture, and the direction (2,) from it to the viewer, None
        for any. Furniture with doors or drawers is viewed from the front, all other from above."""
        box = self.receptacle_box(piece)
        top = box.center[2] + box.half[2]
        if not piece.articulations:
            return np.array([*box.center[:2], top]), None
        direction = np.array([np.cos(piece.front), np.sin(piece.front)])
        reach = float(np.max((box.corners() - box.center[:2]) @ direction))
        return np.array([*(box.center[:2] + direction * (reach + BEFORE)), min(top, CHEST)]), direction

    def yaw(self, body: int) -> float:
        x = self.rotation(body)[:, 0]
        return float(np.arctan2(x[1], x[0]))

    # ------------------------------------------------------------ doors, drawers, surfaces

    def opening(self, item: ArticulationInfo) -> float:
        """Return how far a door (rad) or drawer (m) is open."""
        return item.opening(self.data.qpos[self.model.jnt_qposadr[item.joint]])

    def openness(self, item: ArticulationInfo) -> float:
        """Return how far a door or drawer is open as a fraction of its range."""
        return self.opening(item) / item.range

    def accessible(self, piece: ReceptacleInfo, plan: SupportSurface) -> bool:
        """Whether a surface is accessible: not inside a closed door or drawer."""
        return not plan.inside or not self.closed(piece)

    def closed(self, piece: ReceptacleInfo) -> bool:
        """Whether it has doors or drawers and none is open far enough to reach in."""
        items = piece.articulations
        return bool(items) and not any(thresholds.admits_hand(item.kind, self.opening(item)) for item in items)

    def articulation(self, item: ArticulationInfo) -> Articulation:
        """Return the geometry of a door or drawer for skills, in the world frame."""
        joint = item.joint
        bar = item.panel if item.handle < 0 else item.handle
        frame = np.array(self.data.geom_xmat[bar]).reshape(3, 3)
        size, kind = self.model.geom_size[bar], int(self.model.geom_type[bar])
        longest = 2 if kind in LENGTHWISE else int(np.argmax(size))
        return Articulation(
            kind=item.kind,
            axis_point=np.array(self.data.xanchor[joint]),
            axis=np.array(self.data.xaxis[joint]) * (1.0 if item.open > item.closed else -1.0),
            handle=np.array(self.data.geom_xpos[bar]),
            handle_axis=frame[:, longest],
            outward=self.rotation(item.frame)[:, 0],
            opening=self.opening(item),
            range=item.range,
            panel=self.extents.geom_boxes(self.data, [item.panel])[0],
        )

    def switch(self, appliance: ApplianceInfo) -> Articulation:
        """Return an appliance's button for skills, as a sliding joint whose opening is how far it is pressed and whose
        handle is the centre of its cap."""
        joint = appliance.joint
        axis = np.array(self.data.xaxis[joint])
        return Articulation(
            kind="slide",
            axis_point=np.array(self.data.xanchor[joint]),
            axis=axis,
            handle=np.array(self.data.geom_xpos[appliance.button]),
            handle_axis=np.array([0.0, 0.0, 1.0]),
            outward=-axis,
            opening=float(self.data.qpos[self.model.jnt_qposadr[joint]]),
            range=appliance.travel,
        )

    # ------------------------------------------------------------ solid things

    def solids(self, center: Array, reach: float, *, without: Collection[int] = ()) -> tuple[Box, ...]:
        """Return boxes of solid geoms near a point, except those of bodies `without`, of the robot and its payload."""
        hidden = {*without, *(self.objects[name].body for name in self.carried())}
        is_near = np.linalg.norm(self.data.geom_xpos[self._solid] - center, axis=1) - self._size < reach
        geoms = [int(g) for g in self._solid[is_near] if int(self._carrier[self.model.geom_bodyid[g]]) not in hidden]
        return self.extents.geom_boxes(self.data, geoms)

    @cached_property
    def _solid(self) -> NDArray[np.intp]:
        """Geoms that collide, except floors."""
        model = self.model
        return np.array([g for g in self.home.index.geoms if model.geom_contype[g] and not self._is_floor(g)])

    @cached_property
    def _size(self) -> Array:
        return np.array(self.model.geom_rbound[self._solid])

    def _is_floor(self, geom: int) -> bool:
        return self.home.index.geoms[geom].entity.startswith("floor/")

    def surface(self, piece: ReceptacleInfo, plan: SupportSurface) -> Surface:
        """Return a support surface in its current pose; of a drawer only the part that is pulled out."""
        rotation = self.rotation(plan.body)
        center, half_x = np.asarray(plan.center, dtype=float), plan.half_x
        clearance, lid = plan.clearance, float("inf")
        moves_with = int(self.model.body_weldid[plan.body])
        slide = next((a for a in piece.articulations if a.body == moves_with and a.kind == "slide"), None)
        if slide is not None:
            pulled_out = min(self.opening(slide), 2 * half_x)
            center = center + np.array([half_x - pulled_out / 2, 0.0, 0.0])
            half_x = pulled_out / 2
        if plan.inside and plan.access == "top":  # the lid above it moves away on opening, and comes back
            clearance, lid = float("inf"), plan.clearance
        access = rotation[:2, 0] if plan.access == "front" else None
        yaw = float(np.arctan2(rotation[1, 0], rotation[0, 0]))
        return Surface(self.position(plan.body) + rotation @ center, half_x, plan.half_y, yaw, clearance, access, lid)

    # ------------------------------------------------------------ places of objects

    def place(self, name: str) -> Place:
        """Return what an object is directly in or on."""
        return self._place(name, self.resting.places())

    def _place(self, name: str, resting: Mapping[str, Place]) -> Place:
        if name == self.held:
            return Place("held", "robot")
        holder = self.people.holder(name)
        return resting[name] if holder is None else Place("held", holder)

    def around(self, name: str) -> Iterator[Place]:
        """Yield what an object is in or on, what that is in or on, and so on. There are no cycles: see `resting`."""
        while name in self.objects:
            place = self.place(name)
            yield place
            name = place.entity

    def within(self, name: str, entity: str) -> bool:
        """Whether an object is in or on something, directly or indirectly: a plum in a bowl in a sink."""
        return any(place.entity == entity for place in self.around(name))

    def contents(self, entity: str) -> list[str]:
        """Return all objects for which `within` holds."""
        resting = self.resting.places()
        cache: dict[str, bool] = {}

        def inside(name: str) -> bool:
            if name not in cache:
                outer = self._place(name, resting).entity
                cache[name] = outer == entity or (outer in self.objects and inside(outer))
            return cache[name]

        return [name for name in self.objects if inside(name)]

    def carried(self) -> list[str]:
        """Return the held object, and the objects in or on it."""
        if self.held not in self.objects:
            return []
        return [self.held, *self.contents(self.held)]

    def furniture_of(self, name: str) -> tuple[ReceptacleInfo, SupportSurface | None] | None:
        """Return the furniture that an object is in or on, directly or indirectly, and the surface, if any; None on the
        floor."""
        *_, last = self.around(name)
        piece = self.receptacles.get(last.entity)
        if piece is None:
            return None
        return piece, next((plan for plan in piece.surfaces if plan.name == last.surface), None)

    def container_of(self, name: str) -> ReceptacleInfo | None:
        """Return the receptacle with doors or drawers that an object is inside of, None if there is none."""
        piece, plan = self.furniture_of(name) or (None, None)
        return piece if plan is not None and plan.inside else None

    def room_of(self, point: Array) -> str | None:
        """Return the room over whose floor a point is, in a doorway the nearer of the two; None outside the house."""
        return self.resting.room_of(point)
