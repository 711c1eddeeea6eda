"""Doors and drawers: which joints of a file they are, which way they open, and which geom is the handle."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.extents import Extents
from homie.envs.mujoco.mjcf_house.contents import HouseJoint
from homie.envs.mujoco.mjcf_house.names import words_of
from homie.envs.mujoco.mjcf_house.tree import Tree
from homie.kernel.types import Array, Solid

LEAST_SLIDE, LEAST_TURN = 0.08, 0.35
"""Minimum travel of a drawer (m) and of a door (rad): less is a button."""
KNOB = 0.12
"""Size (m) below which a hinged part is a knob."""
UPRIGHT = 0.7
"""Minimum z component of the unit vector of an upright axis."""
STICKS_OUT = 0.01
"""Minimum distance (m) by which a handle not recognised by name protrudes from its panel."""
HANDLES = frozenset({"handle", "knob", "pull", "grip"})
UP = np.array([0.0, 0.0, 1.0])


class Doors:
    """The doors and drawers of a model whose doors are all shut.

    Args:
        data: State of the model, with kinematics computed.
    """

    def __init__(self, tree: Tree, data: mujoco.MjData, extents: Extents) -> None:
        self._tree, self._model, self._data, self._extents = tree, tree.model, data, extents

    def read(self, body: int, middle: Array) -> HouseJoint | str:
        """Return the door or drawer that a body is, or the reason why it is none.

        Args:
            body: A body with joints.
            middle: Middle (3,) of its piece of furniture, m.
        """
        joints = self._tree.joints(body)
        if len(joints) > 1:
            return f"its body has {len(joints)} joints"
        joint = joints[0]
        kinds = {mujoco.mjtJoint.mjJNT_SLIDE: "slide", mujoco.mjtJoint.mjJNT_HINGE: "hinge"}
        kind = kinds.get(mujoco.mjtJoint(int(self._model.jnt_type[joint])))
        if kind is None:
            return "it is a ball joint"
        if not self._model.jnt_limited[joint]:
            return "its joint has no range"
        solid = [geom for geom in self._tree.moved(body) if self._tree.solid(geom)]
        if not solid:
            return "nothing of it can be touched: it has no geoms that collide"
        closed_position, open_position = ends(self._model, joint)
        if abs(open_position - closed_position) < (LEAST_SLIDE if kind == "slide" else LEAST_TURN):
            span = (
                f"{abs(open_position - closed_position):.3f} m"
                if kind == "slide"
                else f"{abs(open_position - closed_position):.2f} rad"
            )
            return f"it moves by {span} only: perhaps a button, and the file does not say what it does"
        parts = self._extents.geom_parts(self._data, solid)
        low, high = (sign * np.max([part.reach(sign * np.eye(3)) for part in parts], axis=0) for sign in (-1.0, 1.0))
        if kind == "hinge" and (high - low).max() < KNOB:
            return "it turns and is small: perhaps a knob, and the file does not say what it does"
        axis = np.sign(open_position - closed_position) * np.array(self._data.xaxis[joint])
        if kind == "slide" and abs(axis[2]) > UPRIGHT:
            return "it goes up and down"
        outward = self._outward(kind, axis, np.array(self._data.xanchor[joint]), parts, middle)
        if outward is None:
            return "it cannot be told to which side it opens"
        drawer = kind == "slide" and bool(axis @ outward > UPRIGHT)
        return HouseJoint(
            part="drawer" if drawer else "door",
            kind="slide" if kind == "slide" else "hinge",
            joint=joint,
            body=body,
            handle=self._handle(body, solid, parts, outward),
            closed=closed_position,
            open=open_position,
            panel=solid[max(range(len(parts)), key=lambda number: parts[number].shown(outward))],
            level=kind == "hinge" and abs(axis[2]) < UPRIGHT,
            frame=np.stack([outward, np.cross(UP, outward), UP], axis=1),
        )

    def _outward(self, kind: str, axis: Array, anchor: Array, parts: Sequence[Solid], middle: Array) -> Array | None:
        """Return the level unit vector (3,) from the furniture towards whoever opens it; None if it is ambiguous."""
        panel = max(parts, key=_face)
        normal = panel.pose.rotation[:, int(np.argmin(panel.half))]
        at = panel.reach(np.eye(3)) / 2 - panel.reach(-np.eye(3)) / 2
        if kind == "slide":
            is_sliding = abs(normal @ axis) < UPRIGHT and abs(normal[2]) < UPRIGHT  # a sliding door
            return _level(normal * np.sign(normal @ (at - middle)) if is_sliding else axis)
        motion = np.cross(axis, at - anchor)  # direction in which the panel's middle moves
        if abs(axis[2]) > UPRIGHT or abs(normal[2]) < UPRIGHT:
            return _level(normal * np.sign(normal @ motion))
        return _level(at - anchor)  # for a level lid: away from its hinge

    def _handle(self, body: int, solid: Sequence[int], parts: Sequence[Solid], outward: Array) -> int:
        """Return the geom of the handle: by name, else the one protruding furthest from the panel; -1 for none."""
        extents = [float(part.reach(outward[None])[0]) for part in parts]
        candidates = [number for number, geom in enumerate(solid) if self._is_handle(geom, body)]
        panel = max(range(len(parts)), key=lambda number: _face(parts[number]))
        if not candidates and len(parts) > 1 and max(extents) > extents[panel] + STICKS_OUT:
            candidates = [number for number, value in enumerate(extents) if value > max(extents) - STICKS_OUT]
        return solid[max(candidates, key=lambda number: float(parts[number].half.max()))] if candidates else -1

    def _is_handle(self, geom: int, body: int) -> bool:
        model, owner = self._model, int(self._model.geom_bodyid[geom])
        names = [model.geom(geom).name, *([model.body(owner).name] if owner != body else [])]
        return any(not HANDLES.isdisjoint(words_of(name)) for name in names)


def ends(model: mujoco.MjModel, joint: int) -> tuple[float, float]:
    """Return the closed position of a joint, which is the one nearest to 0, and the fully open one."""
    low, high = (float(value) for value in model.jnt_range[joint])
    closed = float(np.clip(0.0, low, high))
    return closed, high if high - closed >= closed - low else low


def _face(part: Solid) -> float:
    """Return the area of the largest side of a solid's box, m^2."""
    x, y, z = sorted(part.half)
    return float(4 * y * z + 1e-6 * x)


def _level(direction: Array) -> Array | None:
    flat = direction * np.array([1.0, 1.0, 0.0])
    length = float(np.linalg.norm(flat))
    return None if length < UPRIGHT / 2 else flat / length
