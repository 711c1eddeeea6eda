"""The world of robosuite as the snapshot and the shapes of a served robot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import mujoco
import numpy as np

TABLE, SOURCE = "table", "tray"
"""Place of the objects at the start: the table, or the bin of the pick and place tasks."""
COLOURS = {"cube": "red", "cubeA": "red", "cubeB": "green"}
"""Colours in the names of robosuite's cubes: `red_cube`."""
CONTENTS = {"Can": "soda"}
"""Names of compartments that differ from the names of their objects."""
TASKS = {
    "Lift": "pick up the red cube",
    "Stack": "put the red cube on the green cube",
    "PickPlaceMilk": "put the milk in the milk compartment",
    "PickPlaceBread": "put the bread in the bread compartment",
    "PickPlaceCereal": "put the cereal in the cereal compartment",
    "PickPlaceCan": "put the can in the soda compartment",
}
"""Tasks of robosuite by its names, with their instructions; robosuite itself judges success."""
KINDS = {
    mujoco.mjtGeom.mjGEOM_BOX: "box",
    mujoco.mjtGeom.mjGEOM_SPHERE: "sphere",
    mujoco.mjtGeom.mjGEOM_CYLINDER: "cylinder",
    mujoco.mjtGeom.mjGEOM_CAPSULE: "capsule",
    mujoco.mjtGeom.mjGEOM_ELLIPSOID: "ellipsoid",
}
GRASP_LOST = 3
"""Control periods without contact at both fingers after which no object is held: contacts come and go."""
INSIDE = 0.1
"""Height (m) above the floor of a bin within which robosuite counts an object as in it."""


class RobosuiteWorld:
    """State of a running environment of robosuite.

    Attributes:
        bodies: The bodies of every object, by its name.
        contact: Contact at the right and the left finger.
        held: The object between the fingers, None for none.
    """

    def __init__(self, env: Any, task: str) -> None:
        self.env, self.task = env, task
        self.model, self.data = env.sim.model._model, env.sim.data._data
        every = [item for item in env.model.mujoco_objects if not item.name.startswith("Visual")]
        chosen = getattr(env, "obj_to_use", "")  # robosuite moves the others out of the scene
        self.objects = {_name(item): item for item in every if not chosen or item.name == chosen}
        roots = {name: self.model.body(item.root_body).id for name, item in self.objects.items()}
        self.bodies = {name: self._below(root) for name, root in roots.items()}
        self.bins = self._bins()
        for item in env.objects if self.bins else ():  # robosuite shows transparent copies of its objects
            self.bodies[_compartment(item)] = self._below(self.model.body(f"Visual{item.name}_main").id)
        self.bodies[SOURCE if self.bins else TABLE] = self._below(self.model.body("bin1" if self.bins else "table").id)
        self._local = {name: self._extent(roots[name], self.bodies[name]) for name in self.objects}
        self.contact: tuple[bool, bool] = (False, False)
        self.held: str | None = None
        self._lost = 0
        self._pads = [
            [body for body in range(self.model.nbody) if self.model.body(body).name.endswith(names)]
            for names in (("rightfinger", "finger_joint2_tip"), ("leftfinger", "finger_joint1_tip"))
        ]

    def _below(self, root: int) -> list[int]:
        """Return a body and its descendants."""
        return [body for body in range(self.model.nbody) if root in self._chain(body)]

    def _chain(self, body: int) -> Iterator[int]:
        while body:
            yield body
            body = int(self.model.body_parentid[body])

    def _bins(self) -> dict[str, Any]:
        """Return the middle (3,) of the floor of each compartment of the pick and place tasks, by name."""
        if not hasattr(self.env, "target_bin_placements"):
            return {}
        x, y = self.env.bin_size[:2] / 4
        middle = self.env.bin2_pos
        return {  # as robosuite numbers them: 0 and 2 at the lower x, 0 and 1 at the lower y
            _compartment(item): middle
            + np.array([x * (1 if number in (1, 3) else -1), y * (1 if number > 1 else -1), 0.0])
            for number, item in enumerate(self.env.objects)
        }

    # ------------------------------------------------------------ the hand

    def update(self) -> None:
        """Update the contacts of the fingers and the held object, after a control period."""
        pairs = self.model.geom_bodyid[self.data.contact.geom[: self.data.ncon]]
        both = np.concatenate([pairs, pairs[:, ::-1]])
        right, left = (set(both[np.isin(both[:, 0], pads), 1].tolist()) for pads in self._pads)
        self.contact = (bool(right), bool(left))
        between = right & left
        self._lost = 0 if between else self._lost + 1
        if between:
            self.held = next((name for name in self.objects if between & set(self.bodies[name])), None)
        elif self._lost >= GRASP_LOST:
            self.held = None

    # ------------------------------------------------------------ the snapshot

    def snapshot(self) -> Mapping[str, Any]:
        """Return a `homie.WorldSnapshot`, JSON-ready."""
        ground = SOURCE if self.bins else TABLE
        fixed: dict[str, Any] = {ground: {"kind": ground, "receives": "on"}}
        for name, floor in self.bins.items():
            half = [*self.env.bin_size[:2] / 4, INSIDE / 2]
            middle = floor + np.array([0.0, 0.0, INSIDE / 2])
            fixed[name] = {
                "kind": name.replace("_", " "),
                "position": numbers(middle),
                "half": numbers(half),
                "receives": "in",
            }
        return {
            "objects": {name: self._object(name) for name in self.objects},
            "fixed": fixed,
            "held": self.held,
            "instruction": TASKS[self.task],
            "success": bool(self.env._check_success()),
        }

    def _object(self, name: str) -> Mapping[str, Any]:
        middle, half = self._local[name]
        turn, root = self._pose(name)
        relation, at = self._place(name)
        colour = COLOURS.get(self.objects[name].name, "")
        return {
            "kind": "cube" if colour else name.replace("_", " "),
            "colour": colour,
            "position": numbers(root + turn @ middle),
            "quaternion": numbers(self.data.xquat[self.bodies[name][0]]),
            "half": numbers(half),
            "relation": relation,
            "at": at,
            "receives": "on",
        }

    def _place(self, name: str) -> tuple[str, str]:
        """Return the relation of an object to what it is in, on or held by, and the name of that."""
        if name == self.held:
            return "held", "robot"
        at = self._middle(name)
        for place, floor in self.bins.items():
            away = np.abs(at - floor)
            if (away[:2] < self.env.bin_size[:2] / 4).all() and 0.0 < at[2] - floor[2] < INSIDE:
                return "in", place
        for other, item in self.objects.items():
            if other != name and self.env.check_contact(self.objects[name], item) and self._is_over(at, other):
                return "on", other
        return "on", SOURCE if self.bins else TABLE

    def _is_over(self, point: Any, other: str) -> bool:
        away = point - self._middle(other)
        return bool(np.linalg.norm(away[:2]) < max(self._local[other][1][:2]) and away[2] > self._local[other][1][2])

    def _middle(self, name: str) -> Any:
        turn, root = self._pose(name)
        return root + turn @ self._local[name][0]

    def _pose(self, name: str) -> tuple[Any, Any]:
        root = self.bodies[name][0]
        return self.data.xmat[root].reshape(3, 3), self.data.xpos[root]

    # ------------------------------------------------------------ shapes

    def shapes(self) -> Mapping[str, Any]:
        """Return the solids of every object, and the surfaces for placing where these are not the top of its box."""
        shapes: dict[str, Any] = {
            name: {"parts": self._parts(bodies)} for name, bodies in self.bodies.items() if name not in self.bins
        }
        if self.bins:
            bin2 = self._below(self.model.body("bin2").id)
            walls = self._parts(bin2)
            half_x, half_y = self.env.bin_size[:2] / 4
            for name, floor in self.bins.items():
                bottom = walls[0]["half"][2]  # robosuite measures from the middle of the floor
                surface = {"center": floor + np.array([0.0, 0.0, bottom]), "half_x": half_x, "half_y": half_y}
                shapes[name] = {"parts": walls, "surfaces": [surface], "box": self._room(floor)}
        return shapes

    def _room(self, floor: Any) -> Mapping[str, Any]:
        half = [*self.env.bin_size[:2] / 4, INSIDE / 2]
        return {"center": floor + np.array([0.0, 0.0, INSIDE / 2]), "half": half}

    def _parts(self, bodies: Sequence[int]) -> list[Mapping[str, Any]]:
        """Return the collision shapes of some bodies in their current poses."""
        return [
            self._part(geom)
            for geom in range(self.model.ngeom)
            if self.model.geom_bodyid[geom] in bodies and self.model.geom_contype[geom]
        ]

    def _part(self, geom: int) -> Mapping[str, Any]:
        kind = KINDS.get(int(self.model.geom_type[geom]))
        turn, at = self.data.geom_xmat[geom].reshape(3, 3), self.data.geom_xpos[geom].copy()
        middle, half = self.model.geom_aabb[geom, :3], self.model.geom_aabb[geom, 3:]
        part = {"kind": kind or "hull", "half": half.copy(), "rotation": turn.copy(), "position": at + turn @ middle}
        if kind is None:
            part["points"] = self._corners(geom) - middle
        return part

    def _corners(self, geom: int) -> Any:
        """Return the corners (n, 3) of the convex hull of the mesh of a geom, in its own frame."""
        model, mesh = self.model, int(self.model.geom_dataid[geom])
        first, graph = int(model.mesh_vertadr[mesh]), int(model.mesh_graphadr[mesh])
        count = int(model.mesh_graph[graph])
        chosen = model.mesh_graph[graph + 2 + count : graph + 2 + 2 * count]  # indices of the mesh's own corners
        return model.mesh_vert[first + chosen].astype(float)

    def _extent(self, root: int, bodies: Sequence[int]) -> tuple[Any, Any]:
        """Return middle and half sizes (3,) of the box around an object, in the frame of its body."""
        turn, at = self.data.xmat[root].reshape(3, 3), self.data.xpos[root]
        corners = []
        for part in self._parts(bodies):
            signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T
            corners.append((part["position"] + (signs * part["half"]) @ part["rotation"].T - at) @ turn)
        stacked = np.vstack(corners)
        return (stacked.min(0) + stacked.max(0)) / 2, (stacked.max(0) - stacked.min(0)) / 2


def _name(item: Any) -> str:
    """Return Homie's name of one of robosuite's objects."""
    colour = COLOURS.get(item.name)
    return f"{colour}_cube" if colour else str(item.name).lower()


def _compartment(item: Any) -> str:
    """Return the name of the compartment of one of robosuite's objects."""
    return f"{CONTENTS.get(item.name, _name(item))}_compartment"


def numbers(values: Any) -> list[float]:
    """Round numbers to a hundredth of a millimetre, as plain floats."""
    return [round(float(value), 5) for value in values]
