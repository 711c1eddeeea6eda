"""Meshes in a MuJoCo model: what a surface needs in addition to its geom. The same surface is added once for all
objects."""

from __future__ import annotations

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.parts import Part, Surface
from homie.envs.mujoco.house.shell import SOLID


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
    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # of what is only drawn, and need not be closed
    if surface.uv is None or surface.texture is None:
        return
    mesh.usertexcoord = np.stack([surface.uv[:, 0], 1.0 - surface.uv[:, 1]], axis=1).ravel()
    height, width, _ = surface.texture.shape
    texture = spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, width=width, height=height, nchannel=3)
    texture.data = surface.texture.tobytes()
    material = spec.add_material(name=name, specular=0.2, shininess=0.3)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
