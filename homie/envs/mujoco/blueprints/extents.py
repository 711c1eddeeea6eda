"""Collision solids of a model's bodies, and upright bounding boxes around them in any pose.

Only collision geoms count. Labels, leaves and stems are visual geoms and do not enlarge an object. The functions at the
end compute orientation and extent of an object from its spec, before a MuJoCo model exists.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, TypeAlias

import mujoco
import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.blueprints.parts import ObjectPlan, Part, Quat
from homie.kernel.types import Array, Box, Pose, Solid

Kind: TypeAlias = Literal["sphere", "ellipsoid", "cylinder", "capsule", "box", "hull"]

_KINDS: Mapping[int, Kind] = MappingProxyType(
    {
        int(mujoco.mjtGeom.mjGEOM_SPHERE): "sphere",
        int(mujoco.mjtGeom.mjGEOM_ELLIPSOID): "ellipsoid",
        int(mujoco.mjtGeom.mjGEOM_CYLINDER): "cylinder",
        int(mujoco.mjtGeom.mjGEOM_CAPSULE): "capsule",
        int(mujoco.mjtGeom.mjGEOM_BOX): "box",
        int(mujoco.mjtGeom.mjGEOM_MESH): "hull",
    }
)

MORE_LEVEL = 0.05
"""A box takes its yaw from its second axis only if the sine of that axis's slope is smaller by this much. The axes of
an upright object are equally level except for rounding, so that the first axis is always taken."""

_LEVEL = np.array([[1, 2], [0, 2], [0, 1]])
"""For each axis, the two other axes."""


def carriers(model: mujoco.MjModel) -> NDArray[np.intp]:
    """Return for every body the body (bodies,) that it is welded to and moves with; a static body is its own."""
    weld = np.array(model.body_weldid, dtype=np.intp)
    return np.where(weld == 0, np.arange(model.nbody), weld)


class Extents:
    """Solids and bounding boxes of the bodies and geoms of a model, for any state."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self._model = model
        self._hulls: dict[int, Array] = {}
        self._of_body: dict[int, list[int]] = {}
        carrier = carriers(model)
        self._half = np.zeros((model.ngeom, 3))
        self._straight, self._curved = np.zeros((model.ngeom, 3)), np.zeros((model.ngeom, 3))
        for geom in range(model.ngeom):
            kind = _KINDS.get(int(model.geom_type[geom]))
            if kind is None:  # the ground plane, which is infinite
                continue
            if model.geom_contype[geom] or model.geom_conaffinity[geom]:
                self._of_body.setdefault(int(carrier[model.geom_bodyid[geom]]), []).append(geom)
            self._half[geom] = half_sizes(kind, model.geom_size[geom])
            if kind == "hull":
                self._hulls[geom] = _corners(model, int(model.geom_dataid[geom]))
            else:
                shape = Solid(kind, self._half[geom], Pose(np.zeros(3), np.eye(3)))
                self._straight[geom], self._curved[geom] = shape.summands()

    def solid_geoms(self, body: int) -> list[int]:
        """The collision geoms of a body and, if it moves, of the bodies welded to it."""
        return self._of_body.get(body, [])

    def body_parts(self, data: mujoco.MjData, body: int) -> tuple[Solid, ...]:
        """The collision solids of a body, in the world frame."""
        return self.geom_parts(data, self.solid_geoms(body))

    def geom_parts(self, data: mujoco.MjData, geoms: Sequence[int]) -> tuple[Solid, ...]:
        """Geoms as solids, in the world frame."""
        return tuple(self._solid(data, geom) for geom in geoms)

    def _solid(self, data: mujoco.MjData, geom: int) -> Solid:
        kind = _KINDS[int(self._model.geom_type[geom])]
        pose = Pose(np.array(data.geom_xpos[geom]), np.array(data.geom_xmat[geom]).reshape(3, 3))
        return Solid(kind, self._half[geom].copy(), pose, self._hulls.get(geom))

    def body_boxes(self, data: mujoco.MjData, bodies: Sequence[int]) -> tuple[Box, ...]:
        """The upright boxes around the solids of bodies, each with the yaw of its body's most level axis."""
        if not bodies:
            return ()
        groups = [self.solid_geoms(body) for body in bodies]
        yaws = level_yaws(data.xmat[bodies].reshape(-1, 3, 3))
        sizes = [len(group) for group in groups]
        low, high = self._spans(data, [geom for group in groups for geom in group], np.repeat(yaws, sizes))
        starts = np.cumsum([0, *sizes[:-1]])
        return _boxes(np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts), yaws)

    def geom_boxes(self, data: mujoco.MjData, geoms: Sequence[int]) -> tuple[Box, ...]:
        """The upright boxes around geoms, each with the yaw of its most level axis."""
        if not geoms:
            return ()
        yaws = level_yaws(data.geom_xmat[geoms].reshape(-1, 3, 3))
        return _boxes(*self._spans(data, geoms, yaws), yaws)

    def _spans(self, data: mujoco.MjData, geoms: Sequence[int], yaws: Array) -> tuple[Array, Array]:
        """Lowest and highest coordinates (n, 3) of geoms along axes turned by yaws (n,): `Solid.reach`, vectorised."""
        rotations = data.geom_xmat[geoms].reshape(-1, 3, 3)
        axes = _axes(yaws)
        local = axes @ rotations
        middle = np.einsum("nij,nj->ni", axes, data.geom_xpos[geoms])
        straight = np.einsum("nij,nj->ni", np.abs(local), self._straight[geoms])
        reach = straight + np.linalg.norm(local * self._curved[geoms][:, None], axis=2)
        low, high = middle - reach, middle + reach
        for row, geom in enumerate(geoms):
            if geom in self._hulls:
                projections = self._hulls[geom] @ local[row].T
                low[row], high[row] = middle[row] + projections.min(axis=0), middle[row] + projections.max(axis=0)
        return low, high


def half_sizes(kind: Kind, size: Sequence[float] | Array) -> tuple[float, float, float]:
    """Half sizes (m) along the geom's own axes. MuJoCo's `size` holds radii, and half lengths without the round
    ends."""
    first, second, third = (float(value) for value in size)
    return {
        "sphere": (first, first, first),
        "cylinder": (first, first, second),
        "capsule": (first, first, second + first),
    }.get(kind, (first, second, third))


def _corners(model: mujoco.MjModel, mesh: int) -> Array:
    """The corners (n, 3) of a mesh in the frame of its geom."""
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    return np.array(model.mesh_vert[first : first + count], dtype=float)


def level_yaws(rotations: Array) -> Array:
    """The yaw (n,) of the most level axis of frames (n, 3, 3), among the two axes that are not the steepest."""
    slopes, rows = np.abs(rotations[:, 2]), np.arange(len(rotations))
    first, second = _LEVEL[slopes.argmax(axis=1)].T
    level_axis = np.where(slopes[rows, second] < slopes[rows, first] - MORE_LEVEL, second, first)
    yaws: Array = np.arctan2(rotations[rows, 1, level_axis], rotations[rows, 0, level_axis])
    return yaws


def _axes(yaws: Array) -> Array:
    """The axes (n, 3, 3) of upright frames, one per row."""
    axes = np.zeros((len(yaws), 3, 3))
    axes[:, 0, 0] = axes[:, 1, 1] = np.cos(yaws)
    axes[:, 0, 1] = np.sin(yaws)
    axes[:, 1, 0] = -axes[:, 0, 1]
    axes[:, 2, 2] = 1.0
    return axes


def _boxes(low: Array, high: Array, yaws: Array) -> tuple[Box, ...]:
    """Boxes from coordinates (n, 3) along their own axes."""
    centers = np.einsum("nji,nj->ni", _axes(yaws), (low + high) / 2)
    halves = (high - low) / 2
    return tuple(Box(center, half, float(yaw)) for center, half, yaw in zip(centers, halves, yaws, strict=True))


def rotation_of(yaw: float, pitch: float, roll: float) -> Array:
    """The rotation (3, 3) that rolls about x, then pitches about y, then turns about z."""
    (a, b, c), (u, v, w) = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, a, -u], [0.0, u, a]])
    about_y = np.array([[b, 0.0, v], [0.0, 1.0, 0.0], [-v, 0.0, b]])
    about_z = np.array([[c, -w, 0.0], [w, c, 0.0], [0.0, 0.0, 1.0]])
    rotation: Array = about_z @ about_y @ about_x
    return rotation


def angles_of(rotation: Array) -> tuple[float, float, float]:
    """Yaw, pitch and roll (rad) of a rotation (3, 3): the inverse of `rotation_of`."""
    pitch = math.asin(min(max(-float(rotation[2, 0]), -1.0), 1.0))
    if abs(rotation[2, 0]) > 1.0 - 1e-9:  # gimbal lock: only yaw plus or minus roll is defined, so roll is 0
        return math.atan2(-float(rotation[0, 1]), float(rotation[1, 1])), pitch, 0.0
    yaw = math.atan2(float(rotation[1, 0]), float(rotation[0, 0]))
    return yaw, pitch, math.atan2(float(rotation[2, 1]), float(rotation[2, 2]))


def quat_of(rotation: Array) -> Quat:
    """The quaternion (wxyz) of a rotation (3, 3)."""
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.ascontiguousarray(rotation).flatten())
    w, x, y, z = (float(value) for value in quat)
    return w, x, y, z


def span(plan: ObjectPlan, rotation: Array) -> tuple[Array, Array]:
    """Lowest and highest coordinates (3,) of an object's solid parts relative to its centre, after a rotation (3,
    3)."""
    solids = [_solid(part, rotation) for part in plan.parts if part.solid]
    axes = np.eye(3)
    high = np.max([solid.reach(axes) for solid in solids], axis=0)
    low = -np.max([solid.reach(-axes) for solid in solids], axis=0)
    return low, high


def _solid(part: Part, rotation: Array) -> Solid:
    rotation_entries = np.zeros(9)
    mujoco.mju_quat2Mat(rotation_entries, np.array(part.quat))
    pose = Pose(rotation @ np.array(part.pos), rotation @ rotation_entries.reshape(3, 3))
    if part.surface is not None:
        return Solid("hull", np.array(part.size), pose, part.surface.points)
    assert part.shape != "mesh", "a mesh has a surface"
    return Solid(part.shape, np.array(half_sizes(part.shape, part.size)), pose)
