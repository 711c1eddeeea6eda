"""The appearance of objects in a built home: user meshes from a folder, if it has any for them, and their states
(slices instead of the whole, mud, water, heat, cold). Objects with the same mesh share one mesh asset of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.parts import Part, Surface
from homie.envs.mujoco.blueprints.state_parts import HOT, ICE, Group
from homie.envs.mujoco.house.index import SceneIndex
from homie.envs.mujoco.house.shell import SOLID
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import MeshSpec, ObjectSpec
from homie.envs.mujoco.meshes.bundle import bundle
from homie.envs.mujoco.meshes.library import library
from homie.envs.mujoco.meshes.meshed import account

TINTS = (("heated", HOT, 0.5), ("cooled", ICE, 0.6))
"""States that tint a thing: state, colour, and weight of the colour."""
SHOWN: Mapping[Group, tuple[str, bool]] = {
    "slice": ("sliced", True),
    "dirt": ("clean", False),
    "filling": ("filled", True),
}
"""For each group of parts, the state and its value for which it is visible."""


class Looks:
    """Shows the states of things in a model with parts for them."""

    def __init__(self, model: mujoco.MjModel, index: SceneIndex) -> None:
        self._model, self._groups = model, index.looks
        self._rgb, self._finish = model.geom_rgba[:, :3].copy(), model.geom_matid.copy()
        self._glow = model.material("glow").id
        bodies = {item.name: item.body for item in index.objects}
        self._whole = {
            name: [
                geom
                for geom in np.flatnonzero(model.geom_bodyid == bodies[name]).tolist()
                if not any(geom in parts for parts in groups.values())
            ]
            for name, groups in index.looks.items()
            if name in bodies
        }

    def show(self, name: str, states: Mapping[str, bool]) -> None:
        """Show the states of a thing; without parts for them its appearance stays the same."""
        model = self._model
        for group, geoms in self._groups.get(name, {}).items():
            state, is_shown = SHOWN[group]
            model.geom_rgba[list(geoms), 3] = float(states[state] is is_shown)
        whole_geoms = self._whole.get(name, [])
        if "sliced" in states:
            model.geom_rgba[whole_geoms, 3] = float(not states["sliced"])
        tinted = [*whole_geoms, *self._groups.get(name, {}).get("slice", ())]
        tint = next(((rgb, share) for state, rgb, share in TINTS if states.get(state)), None)
        rgb = self._rgb[tinted]
        model.geom_rgba[tinted, :3] = rgb if tint is None else (1.0 - tint[1]) * rgb + tint[1] * np.array(tint[0])
        model.geom_matid[tinted] = self._glow if states.get("heated") else self._finish[tinted]


def meshes_of(folder: Path) -> Mapping[str, MeshSpec]:
    """Return the meshes of a folder by the names that they apply to. Raises BadInput."""
    return {name: MeshSpec(file=str(path), sha256=bundle(path).sha256) for name, path in library(folder).items()}


def with_meshes(scene: SceneSpec, meshes: Mapping[str, MeshSpec]) -> SceneSpec:
    """Return the scene with a mesh for each object: that of its name, else of its colour and kind, else of its kind.
    Raises BadInput for a mesh that cannot be read."""
    objects = tuple(item.model_copy(update={"mesh": _mesh(item, meshes)}) for item in scene.objects)
    return SceneSpec.model_validate(scene.model_copy(update={"objects": objects}).model_dump())


def account_of(scene: SceneSpec) -> list[str]:
    """Return a line for each mesh that is used in a scene, with its content and its scaled size. Raises BadInput."""
    lines: dict[str, str] = {}
    for item in scene.objects:
        if item.mesh is not None and item.mesh.file not in lines:
            words = account(item.kind, item.colour, item.mesh.file, item.mesh.sha256)
            lines[item.mesh.file] = f"{item.kind}: {item.mesh.file}: {words}"
    return list(lines.values())


def _mesh(item: ObjectSpec, meshes: Mapping[str, MeshSpec]) -> MeshSpec | None:
    names = (item.name, f"{item.colour}_{item.kind}", item.kind)
    return next((meshes[name] for name in names if name in meshes), item.mesh)


def add_surface(spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str, part: Part, surface: Surface) -> mujoco.MjsGeom:
    """Add a part of shape `mesh` to a body."""
    mesh = surface.name or name
    if spec.mesh(mesh) is None:
        _add_mesh(spec, mesh, surface)
    textured = surface.texture is not None
    geom = body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=mesh,
        pos=part.pos,
        quat=part.quat,
        rgba=[1.0, 1.0, 1.0, 1.0] if textured else [*part.rgb, 1.0],
        material=mesh if textured else part.finish,
        mass=part.mass,
        group=3 if part.hidden else 0,
    )
    geom.contype, geom.conaffinity = SOLID if part.solid else (0, 0)
    return geom


def _add_mesh(spec: mujoco.MjSpec, name: str, surface: Surface) -> None:
    mesh = spec.add_mesh(name=name, uservert=surface.points.ravel())
    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
    if surface.faces is None:
        return
    mesh.userface = surface.faces.ravel()
    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # visual meshes need not be closed
    if surface.uv is None or surface.texture is None:
        return
    mesh.usertexcoord = np.stack([surface.uv[:, 0], 1.0 - surface.uv[:, 1]], axis=1).ravel()
    height, width, _ = surface.texture.shape
    texture = spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, width=width, height=height, nchannel=3)
    texture.data = surface.texture.tobytes()
    material = spec.add_material(name=name, specular=0.2, shininess=0.3)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
