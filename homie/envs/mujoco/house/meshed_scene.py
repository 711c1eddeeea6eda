"""A house whose objects are drawn by the meshes of a folder, where it has some for them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import MeshSpec, ObjectSpec
from homie.envs.mujoco.meshes.bundle import bundle
from homie.envs.mujoco.meshes.library import library
from homie.envs.mujoco.meshes.meshed import account


def meshes_of(folder: Path) -> Mapping[str, MeshSpec]:
    """The meshes of a folder by the names that they stand for. Raises BadInput."""
    return {name: MeshSpec(file=str(path), sha256=bundle(path).sha256) for name, path in library(folder).items()}


def with_meshes(scene: SceneSpec, meshes: Mapping[str, MeshSpec]) -> SceneSpec:
    """The scene, each object with the mesh of its own name, else of its colour and kind, else of its kind. All else
    stays as it is. Raises BadInput for a mesh that cannot be read."""
    objects = tuple(item.model_copy(update={"mesh": _mesh(item, meshes)}) for item in scene.objects)
    return SceneSpec.model_validate(scene.model_copy(update={"objects": objects}).model_dump())


def account_of(scene: SceneSpec) -> list[str]:
    """A line for each mesh by which objects of a scene are drawn: what was read, and how large it became. Raises
    BadInput."""
    lines: dict[str, str] = {}
    for item in scene.objects:
        if item.mesh is not None and item.mesh.file not in lines:
            words = account(item.kind, item.colour, item.mesh.file, item.mesh.sha256)
            lines[item.mesh.file] = f"{item.kind}: {item.mesh.file}: {words}"
    return list(lines.values())


def _mesh(item: ObjectSpec, meshes: Mapping[str, MeshSpec]) -> MeshSpec | None:
    names = (item.name, f"{item.colour}_{item.kind}", item.kind)
    return next((meshes[name] for name in names if name in meshes), item.mesh)
