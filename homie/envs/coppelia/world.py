"""World snapshot of a CoppeliaSim scene: support relations of its shapes, from their boxes, and the held shape."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import numpy as np

from homie.envs.coppelia.link import Link
from homie.envs.coppelia.panda import Panda, pose_of
from homie.kernel.types import Array, Box, Pose, Solid
from homie.kernel.world.snapshot import FixedState, ObjectState, Relation, WorldSnapshot, round_numbers

COLOURS = ("red", "green", "blue", "yellow", "orange", "purple", "pink", "black", "white", "grey", "brown", "cyan")
FLOOR = "floor"
"""Support of a loose shape that lies on no other shape."""
HELD: tuple[Relation, str] = ("held", "robot")
TOUCHING = 0.015
"""Maximum gap (m) between a top and a bottom that touch."""
GRASPED = 0.03
"""Maximum distance (m) of a held shape from the gripper frame."""


def kind_and_colour(alias: str) -> tuple[str, str]:
    """Return kind and colour ("" for none) of a shape from its alias in the scene.

    >>> kind_and_colour("red_cube0"), kind_and_colour("DiningTable"), kind_and_colour("star normal")
    (('cube', 'red'), ('dining table', ''), ('star normal', ''))
    """
    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", alias)]
    colour = next((word for word in words if word in COLOURS), "")
    return " ".join(word for word in words if word != colour) or colour or alias, colour


class CoppeliaWorld:
    """Queries about the scene of a running CoppeliaSim; its shapes are listed once.

    Args:
        link: Connection to CoppeliaSim.
        panda: The robot, whose shapes are excluded.
        without: Handles of other shapes to exclude.
    """

    def __init__(self, link: Link, panda: Panda, *, without: Collection[int] = ()) -> None:
        self._link, self._panda = link, panda
        scene, own_shapes = link.constant("handle_scene"), set(link.tree(panda.root, "shape"))
        self._loose: dict[str, int] = {}
        self._fixed: dict[str, int] = {}
        self._sizes: dict[str, tuple[Array, Array]] = {}
        static = link.constant("shapeintparam_static")
        for handle in link.tree(scene, "shape"):
            if handle in own_shapes or handle in without:
                continue
            name = self._name(str(link("getObjectAlias", handle)))
            is_static = bool(link("getObjectInt32Param", handle, static))
            (self._fixed if is_static else self._loose)[name] = handle
            self._sizes[name] = self._extent(handle)

    def _name(self, alias: str) -> str:
        existing = {**self._loose, **self._fixed}
        number = next(n for n in range(1, len(existing) + 2) if (alias if n == 1 else f"{alias}_{n}") not in existing)
        return alias if number == 1 else f"{alias}_{number}"

    def _extent(self, handle: int) -> tuple[Array, Array]:
        """Return middle and half sizes of a shape in its own frame, m."""
        low, high = (
            np.array([self._link.number(handle, f"objfloatparam_objbbox_{end}_{axis}") for axis in "xyz"])
            for end in ("min", "max")
        )
        return (low + high) / 2, (high - low) / 2

    def snapshot(self) -> WorldSnapshot:
        """Return the shapes with their poses and support relations."""
        poses = {
            name: np.asarray(self._link("getObjectPose", handle), float)
            for name, handle in {**self._fixed, **self._loose}.items()
        }
        solids = {name: self._solid(name, pose_of(numbers)) for name, numbers in poses.items()}
        boxes = {name: Box.around([solid]) for name, solid in solids.items()}
        attributes = {
            name: {
                **dict(zip(("kind", "colour"), kind_and_colour(name), strict=True)),
                "position": round_numbers(solid.pose.position),
                "quaternion": round_numbers(np.roll(poses[name][3:], 1)),
                "half": round_numbers(solid.half),
                "receives": "on",
            }
            for name, solid in solids.items()
        }
        held = self._held(solids)
        places = {name: HELD if name == held else _place(name, boxes) for name in self._loose}
        return WorldSnapshot(
            objects={
                name: ObjectState(**attributes[name], relation=relation, at=at)
                for name, (relation, at) in places.items()
            },
            fixed={name: FixedState(**attributes[name]) for name in self._fixed} | {FLOOR: FixedState(kind=FLOOR)},
            held=held,
        )

    def _solid(self, name: str, pose: Pose) -> Solid:
        middle, half = self._sizes[name]
        return Solid("box", half, Pose(pose.position + pose.rotation @ middle, pose.rotation))

    def _held(self, solids: Mapping[str, Solid]) -> str | None:
        """Return the loose shape between the fingers, None if there is none."""
        if not self._loose or not self._panda.grips:
            return None
        grip = self._panda.hand().position
        distances = {name: float(np.linalg.norm(solids[name].pose.position - grip)) for name in self._loose}
        nearest = min(distances, key=distances.__getitem__)
        return nearest if distances[nearest] < GRASPED else None


def _place(name: str, boxes: Mapping[str, Box]) -> tuple[Relation, str]:
    """Return the support of a shape: the highest box below its middle whose top it touches, or that encloses it."""
    box = boxes[name]
    bottom = box.center[2] - box.half[2]
    tops = {
        other: float(other_box.center[2] + other_box.half[2])
        for other, other_box in boxes.items()
        if other != name and other_box.distance(box.center) == 0.0
    }
    supports = [other for other, top in tops.items() if abs(bottom - top) < TOUCHING]
    containers = [
        other
        for other, top in tops.items()
        if top - 2.0 * float(boxes[other].half[2]) - TOUCHING < bottom < top - TOUCHING
    ]
    if supports:
        return "on", max(supports, key=tops.__getitem__)
    if containers:
        return "in", min(containers, key=lambda other: float(np.prod(boxes[other].half)))
    return "on", FLOOR
