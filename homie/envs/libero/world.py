"""World state of LIBERO as a snapshot, and the geometry of its objects."""

from __future__ import annotations

from typing import Any

import numpy as np

from homie.envs.libero.moving_parts import knobs, moving_parts
from homie.envs.libero.names import kind_and_colour, place_of
from homie.envs.libero.tasks import LiberoTask
from homie.envs.mujoco.blueprints.extents import Extents
from homie.envs.snapshot_robot import Shape
from homie.kernel.types import Array, Articulation, Box, Solid, Surface
from homie.kernel.world.snapshot import FixedState, JointState, ObjectState, Relation, WorldSnapshot, round_numbers

ROBOT = ("robot0", "mount0", "gripper0")
"""Prefixes of the names of the robot's bodies."""
TABLE = "table"
GRASP_LOST = 3
"""Control periods without contact at both fingers after which a grasp is lost: contacts are intermittent."""
INSIDE = 0.015
"""Maximum thickness of the walls of a drawer, m."""


class LiberoWorld:
    """Queries about a running LIBERO environment (`libero.libero.envs.bddl_base_domain.BDDLBaseDomain`)."""

    def __init__(self, env: Any, task: LiberoTask) -> None:
        self.env = env
        self.contact = (False, False)
        """Contact at the right and the left finger."""
        self._held_bodies: set[int] = set()
        self._periods_without_contact = 0
        self.task = task
        self.model, self.data = env.sim.model._model, env.sim.data._data
        self.extents = Extents(self.model)
        roots = {name: int(body) for name, body in env.obj_body_id.items()}
        self.bodies = {
            name: [body for body in range(self.model.nbody) if self.model.body_rootid[body] == root]
            for name, root in roots.items()
        }
        task_bodies = {body for bodies in self.bodies.values() for body in bodies}
        self.bodies[TABLE] = [
            body
            for body in range(1, self.model.nbody)
            if body not in task_bodies and not self.model.body(body).name.startswith(ROBOT)
        ]
        goal_words = {word for goal in env.parsed_problem["goal_state"] for word in goal[1:]}
        sites = env.object_sites_dict
        self.moving = moving_parts(self.model, env)
        """Articulated parts: drawers by the names of their regions, and furniture with a door."""
        self.drawers = [name for name in self.moving if name in sites]
        for drawer in self.drawers:
            body, parent_bodies = self.moving[drawer].body, self.bodies[sites[drawer].parent_name]
            parent_bodies.remove(body)
            self.bodies[drawer] = [body]
        self.knobs = knobs(self.model, env)
        self.spots = [
            name for name in sites if name in goal_words and name not in self.drawers and place_of(name) == name
        ]
        """Goal places of the task on the table and in furniture with several places."""
        self._regions = {
            fixture: [name for name, site in sites.items() if site.parent_name == fixture and not site.joints]
            for fixture in (*env.fixtures_dict, *env.objects_dict)
        }
        self._pads = [
            [body for body in range(self.model.nbody) if self.model.body(body).name in names]
            for names in (
                ("gripper0_rightfinger", "gripper0_finger_joint2_tip"),
                ("gripper0_leftfinger", "gripper0_finger_joint1_tip"),
            )
        ]

    # ------------------------------------------------------------ the hand

    def update(self) -> None:
        """Update finger contacts and the held bodies after a control period."""
        pairs = self.model.geom_bodyid[self.data.contact.geom[: self.data.ncon]]
        symmetric_pairs = np.concatenate([pairs, pairs[:, ::-1]])
        right, left = (set(symmetric_pairs[np.isin(symmetric_pairs[:, 0], pads), 1].tolist()) for pads in self._pads)
        self.contact = bool(right), bool(left)
        self._periods_without_contact = 0 if right & left else self._periods_without_contact + 1
        if right & left:
            self._held_bodies = right & left
        elif self._periods_without_contact >= GRASP_LOST:
            self._held_bodies = set()

    @property
    def holding(self) -> bool:
        """Whether an object or a handle is between the fingers."""
        return bool(self._held_bodies)

    @property
    def held(self) -> str | None:
        """Name of the object between the fingers, None if there is none."""
        return next((name for name in self.env.objects_dict if self._held_bodies & set(self.bodies[name])), None)

    # ------------------------------------------------------------ geometry

    def box(self, name: str) -> Box | None:
        """Return the upright bounding box of an object, of a drawer's interior or of a spot."""
        if name in self.spots or name in self.drawers:
            return self._region_box(name)
        parts = self._parts(name)
        if not parts:
            return None
        turn = self.data.xmat[self.bodies[name][0]].reshape(3, 3)
        level = turn[:, int(np.argmin(np.abs(turn[2])))]
        return Box.around(parts, float(np.arctan2(level[1], level[0])))

    def shape(self, name: str) -> Shape:
        """Return the geometry of an object, a drawer, the table or a spot on it."""
        box = self.box(name)
        if box is None:
            return Shape()
        if name in self.spots:
            return Shape(box, surfaces=(self._top_of(name),))
        geoms = [geom for body in self.bodies[name] for geom in self.extents.solid_geoms(body)]
        solids = self.extents.geom_boxes(self.data, geoms)
        movable = self.moving.get(name) or self.knobs.get(name)
        articulations = [] if movable is None else [movable.articulation(self.data, self.extents)]
        if name in self.drawers:
            return Shape(box, (), solids, (self._floor_of(name, articulations[0]),), tuple(articulations))
        return Shape(box, self._parts(name), solids, self._surfaces(name, box, solids), tuple(articulations))

    def _parts(self, name: str) -> tuple[Solid, ...]:
        return tuple(part for body in self.bodies[name] for part in self.extents.body_parts(self.data, body))

    def _surfaces(self, name: str, box: Box, solids: tuple[Box, ...]) -> tuple[Surface, ...]:
        if name == TABLE:
            largest = max(solids, key=lambda solid: float(solid.half[0] * solid.half[1]))
            return (_top(largest),)
        if regions := self._regions.get(name):
            return tuple(self._top_of(region) for region in regions)
        # For a plate, a bowl or another object: in its middle, at the height of the solid there.
        tops = [solid.center[2] + solid.half[2] for solid in solids if solid.distance(box.center) == 0.0]
        height = max(tops, default=box.center[2] - box.half[2])
        return (Surface(np.array([*box.center[:2], height]), 0.005, 0.005, box.yaw),)

    def _region_box(self, name: str) -> Box:
        site = self.model.site(name).id
        turn = self.data.site_xmat[site].reshape(3, 3)
        return Box(np.array(self.data.site_xpos[site]), np.abs(turn @ self.model.site_size[site]), 0.0)

    def _top_of(self, region: str) -> Surface:
        """Return the support surface of a region, the bottom of its box: the box extends a hand's breadth around a thin
        plate."""
        box = self._region_box(region)
        return Surface(box.center - np.array([0.0, 0.0, box.half[2]]), float(box.half[0]), float(box.half[1]), 0.0)

    def _floor_of(self, name: str, moving: Articulation) -> Surface:
        """Return the reachable floor of a drawer, as far as it is pulled out, or of the space behind a door."""
        box = self._region_box(name)
        half = box.half[:2] - INSIDE
        floor = box.center - np.array([0.0, 0.0, box.half[2]])
        if moving.kind == "slide":
            slide_axis = np.abs(moving.axis[:2]) > 0.5
            half_open = np.where(slide_axis, np.minimum(moving.opening / 2, half), half)
            floor[:2] += moving.axis[:2] * (half - half_open)
            half = half_open
        return Surface(floor, float(half[0]), float(half[1]), 0.0)

    # ------------------------------------------------------------ the snapshot

    def snapshot(self) -> WorldSnapshot:
        """Return objects with places by LIBERO's own predicates, furniture, drawers, and whether the task is done."""
        env, held = self.env, self.held
        return WorldSnapshot(
            objects={name: self._object_state(name, held) for name in env.objects_dict},
            fixed={name: self._fixed_state(name) for name in (*env.fixtures_dict, *self.drawers, *self.spots, TABLE)},
            joints={f"{name}/{part.kind}": self._joint_state(name) for name, part in self.moving.items()},
            held=held,
            instruction=self.task.text,
            success=bool(env._check_success()),
        )

    def _object_state(self, name: str, held: str | None) -> ObjectState:
        kind, colour = kind_and_colour(name)
        relation, at = self._place(name)
        if name == held:
            relation, at = "held", "robot"
        box, body = self.box(name), self.bodies[name][0]
        return ObjectState(
            kind=kind,
            colour=colour,
            position=None if box is None else round_numbers(box.center),
            quaternion=round_numbers(self.data.xquat[body]),
            half=None if box is None else round_numbers(box.half),
            relation=relation,
            at=at,
            receives="on",
        )

    def _place(self, name: str) -> tuple[Relation, str]:
        """Return the support of an object by LIBERO's predicates `In` and `On`."""
        states = self.env.object_states_dict
        this = states[name]
        for drawer in self.drawers:
            if states[drawer].check_contain(this):
                return "in", drawer
        for region in (*self.spots, *(region for regions in self._regions.values() for region in regions)):
            if states[region].check_contain(this):
                return ("on" if region.endswith("side") else "in"), place_of(region)
            if states[region].check_ontop(this):  # codespell:ignore
                return "on", place_of(region)
        for other in self.env.objects_dict:
            if other != name and states[other].check_ontop(this):  # codespell:ignore
                return "on", other
        return "on", TABLE

    def _fixed_state(self, name: str) -> FixedState:
        kind, colour = (TABLE, "") if name == TABLE else kind_and_colour(name)
        box = self.box(name)
        states = self.env.object_states_dict
        return FixedState(
            kind=kind,
            colour=colour,
            position=None if box is None else round_numbers(box.center),
            half=None if box is None else round_numbers(box.half),
            states={"on": bool(states[name].turn_on())} if name in self.knobs else {},
            receives="in" if name in self.moving else "on",
        )

    def _joint_state(self, name: str) -> JointState:
        part = self.moving[name]
        opening = part.opening(self.data)
        return JointState(receptacle=name, fraction=min(1.0, opening / part.range), opening=opening)


def _top(box: Box) -> Surface:
    at: Array = box.center + np.array([0.0, 0.0, box.half[2]])
    return Surface(at, float(box.half[0]), float(box.half[1]), box.yaw)
