"""The blueprint of an object with a mesh: the size of its kind in the catalogue, the shape of the mesh.

A mesh is turned upright (y is up in a GLB, z in an OBJ), rotated by 90 degrees if it fits better, and scaled to fit
exactly into the bounding box of its kind. So its units do not matter, it stands where the catalogue's shape would
stand, and a gripper can grasp it.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from homie.envs.mujoco.blueprints.catalog import object_plan
from homie.envs.mujoco.blueprints.materials import COLOURS, RGB
from homie.envs.mujoco.blueprints.parts import ObjectPlan, Part, Surface, Vec3, block
from homie.envs.mujoco.meshes.bundle import bundle
from homie.envs.mujoco.meshes.read_mesh import Skin, skins
from homie.envs.mujoco.meshes.solids import FOOT, hollow_of, hull, stand, vessel
from homie.kernel.errors import BadInput
from homie.kernel.support.text import format_count
from homie.kernel.types import Array

THINNEST = 0.002
"""Minimum thickness (m) of an object: for thinner ones grasps and contacts fail."""
BETTER = 1.05
"""Minimum ratio of the scales with and without a rotation by 90 degrees for a mesh to be rotated."""
_HIDDEN_RGB: RGB = (0.5, 0.5, 0.5)
BOTTOM = 0.4
"""Share of a vessel's mass in its bottom, as in the catalogue's bowl."""


@lru_cache(maxsize=256)
def mesh_plan(kind: str, colour: str, file: str, sha256: str) -> ObjectPlan:
    """Make the blueprint of an object with a mesh.

    Args:
        kind: Kind of the catalogue, whose mass is kept.
        colour: Colour of the object, used if the mesh has none.
        file: Path of the mesh.
        sha256: SHA-256 of the mesh and the files that it refers to; "" for any.

    Raises:
        BadInput: The file cannot be read, has another SHA-256, is flat, or is solid although its kind is hollow.
        MissingPart: trimesh is not installed.
    """
    default_plan = object_plan(kind, colour)
    parts, digest = _read(file, sha256)
    points = [part.points for part in parts]
    fitted, half = _fit(file, kind, np.vstack(points), default_plan)
    rows = np.split(fitted, np.cumsum([len(part_corners) for part_corners in points])[:-1])
    drawn_parts = [
        _visual_part(part, part_points, f"{digest[:16]}/{kind}#{number}", colour)
        for number, (part, part_points) in enumerate(zip(parts, rows, strict=True))
    ]
    starts = np.cumsum([0, *(len(part_corners) for part_corners in points[:-1])])
    faces = np.vstack([part.faces + start for part, start in zip(parts, starts, strict=True)])
    mass = sum(part.mass for part in default_plan.parts)
    if default_plan.hollow is None:
        hull_pieces = (_hull_part(hull(fitted), mass),) if default_plan.rolls else _hull_on_stand(hull(fitted), mass)
        return ObjectPlan(half, (*drawn_parts, *hull_pieces), default_plan.rolls)
    hollow = hollow_of(fitted, faces)
    if hollow is None:
        raise BadInput(f"The mesh {file} has no hollow that is open above, and a {kind} has one: leave it out.")
    bottom, *walls = vessel(fitted, faces, hollow)
    pieces = (_hull_part(wall, (1 - BOTTOM) * mass / len(walls)) for wall in walls)
    return ObjectPlan(half, (*drawn_parts, *_hull_on_stand(bottom, BOTTOM * mass), *pieces), default_plan.rolls, hollow)


def account(kind: str, colour: str, file: str, sha256: str) -> str:
    """Describe a mesh for users: its faces and parts, its size in the file and as an object. Raises the same errors as
    `mesh_plan`."""
    plan, (parts, _) = mesh_plan(kind, colour, file, sha256), _read(file, sha256)
    drawn_faces, total_faces = sum(len(part.faces) for part in parts), sum(part.whole for part in parts)
    size = np.ptp(np.vstack([part.points for part in parts]), axis=0)
    faces = f"{total_faces:,} faces" + (f", of which {drawn_faces:,} are drawn" if drawn_faces < total_faces else "")
    textured = sum(part.texture is not None for part in parts)
    look = f" in {format_count(len(parts), 'part')}, {textured} with a texture" if len(parts) > 1 or textured else ""
    file_size, object_size = (
        " x ".join(f"{side:.4g}" for side in size),
        " x ".join(f"{200 * side:.1f}" for side in plan.half),
    )
    return f"{faces}{look}; {file_size} in the file, {object_size} cm here"


@lru_cache(maxsize=32)
def _read(file: str, sha256: str) -> tuple[tuple[Skin, ...], str]:
    mesh = bundle(Path(file))
    if sha256 and mesh.sha256 != sha256:
        raise BadInput(
            f"The mesh {file} is not the one of this scene (SHA-256 {mesh.sha256[:12]}, there {sha256[:12]}): give that"
            " one back, or --meshes FOLDER with others."
        )
    return skins(mesh), mesh.sha256


def _fit(file: str, kind: str, points: Array, default_plan: ObjectPlan) -> tuple[Array, Vec3]:
    """Return the points in the frame of the object, and half its extents."""
    low, high = points.min(axis=0), points.max(axis=0)
    size, box = high - low, 2.0 * np.array(default_plan.half)
    if not size.max() > 0.0 or size.min() < 1e-6 * size.max():
        raise BadInput(f"The mesh {file} is flat: an object has three sides.")
    scale, rotated_scale = float((box / size).min()), float((box / size[[1, 0, 2]]).min())
    centred = points - (low + high) / 2
    if rotated_scale > BETTER * scale:
        centred = np.stack([-centred[:, 1], centred[:, 0], centred[:, 2]], axis=1)
        size, scale = size[[1, 0, 2]], rotated_scale
    a, b, c = (float(value) for value in size * scale / 2)
    if 2 * min(a, b, c) < THINNEST:
        raise BadInput(
            f"The mesh {file} would be {2000 * min(a, b, c):.1f} mm thick as a {kind}: at least "
            f"{1000 * THINNEST:.0f} mm can be taken."
        )
    return centred * scale, (a, b, c)


def _visual_part(part: Skin, points: Array, name: str, colour: str) -> Part:
    surface = Surface(name, points, part.faces, part.uv, part.texture)
    rgb = part.rgb or COLOURS[colour]
    return Part("mesh", _half(points), (0.0, 0.0, 0.0), rgb, solid=False, surface=surface)


def _hull_on_stand(corners: Array, mass: float) -> tuple[Part, ...]:
    """Return the parts of a hull and of the stand that carries it."""
    box = stand(corners)
    if box is None:
        return (_hull_part(corners, mass),)
    (x0, y0, z0), (x1, y1, z1) = box
    raised = corners.copy()
    raised[:, 2] = np.maximum(corners[:, 2], z0 + FOOT)
    return _hull_part(raised, mass), block((x0, x1), (y0, y1), (z0, z1), _HIDDEN_RGB, hidden=True)


def _hull_part(corners: Array, mass: float) -> Part:
    surface = Surface("", corners)
    return Part("mesh", _half(corners), (0.0, 0.0, 0.0), _HIDDEN_RGB, hidden=True, mass=mass, surface=surface)


def _half(points: Array) -> Vec3:
    a, b, c = (float(value) for value in np.ptp(points, axis=0) / 2)
    return a, b, c
