"""Assign the meshes of a folder to kinds or objects by their names.

mug.obj, mug.glb: all mugs             red_mug.obj: red mugs               mug_2.obj: only the object mug_2
mug/textured.obj, 025_mug/google_16k/textured.obj (YCB), mug/meshes/model.obj (Google Scanned Objects)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from homie.envs.mujoco.blueprints.catalog import OBJECTS
from homie.envs.mujoco.meshes.bundle import SUFFIXES
from homie.kernel.errors import BadInput
from homie.kernel.support.files import reading

MOST = 5000
"""Maximum number of entries of a folder: YCB has about a hundred, Google Scanned Objects a thousand."""
INSIDE = ("textured", "google_16k/textured", "tsdf/textured", "poisson/textured", "meshes/model", "model", "mesh")
"""Paths of the mesh in the object folders of data sets, best first."""
_NUMBER = re.compile(r"^\d{3}(-[a-z])?_")
"""Prefix of YCB names."""
_CAMEL_CASE_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def library(folder: Path) -> Mapping[str, Path]:
    """Return the meshes of a folder by the names that they apply to, such as `mug`, `red_mug` or `mug_2`.

    Raises:
        BadInput: The folder cannot be read, has no mesh of a known kind, or two for one name.
    """
    with reading(folder, "the folder of meshes", advice="It has files such as mug.obj (docs/houses.md)."):
        entries = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    if len(entries) > MOST:
        raise BadInput(
            f"The folder of meshes {folder} has {len(entries)} entries, at most {MOST}: choose a smaller one."
        )
    meshes: dict[str, Path] = {}
    for entry in entries:
        name = name_of(entry)
        if not is_known(name):
            continue
        if entry.suffix.lower() == ".gltf":
            raise BadInput(f"The mesh {entry} is read as one file only: save it as a GLB.")
        path = entry if entry.suffix.lower() in SUFFIXES and entry.is_file() else _mesh_in_folder(entry, name)
        if path is None:
            continue
        if name in meshes:
            raise BadInput(f"Both {meshes[name]} and {path} are the mesh of '{name}': leave one out.")
        meshes[name] = path.resolve()
    if not meshes:
        raise BadInput(
            f"The folder {folder} has no mesh of a kind of object: name one by its kind, as mug.obj or mug.glb "
            "(docs/scene-spec.md has all kinds)."
        )
    return meshes


def name_of(entry: Path) -> str:
    """Return the name that a file or folder applies to: lower case, `_` between words, without YCB's numbers.

    Example:
        >>> name_of(Path("025_mug")), name_of(Path("SoapBottle.glb")), name_of(Path("red mug.obj"))
        ('mug', 'soap_bottle', 'red_mug')
    """
    name = entry.stem if entry.suffix.lower() in (*SUFFIXES, ".gltf") else entry.name
    return re.sub(r"[ -]", "_", _CAMEL_CASE_BOUNDARY.sub("_", _NUMBER.sub("", name))).lower()


def is_known(name: str) -> bool:
    """Whether a name is that of a kind or object: a kind, optionally with a colour prefix or a number suffix."""
    kind = re.sub(r"_\d+$", "", name)
    if kind in OBJECTS:
        return True
    colour, _, kind_name = name.partition("_")
    return kind_name in OBJECTS and colour in OBJECTS[kind_name].colours


def _mesh_in_folder(entry: Path, name: str) -> Path | None:
    """Return the mesh in the folder of an object; None if there is none. Raises BadInput if it is ambiguous."""
    if not entry.is_dir():
        return None
    for place in (*INSIDE, name, entry.name):
        for suffix in SUFFIXES:
            path = entry / f"{place}{suffix}"
            if path.is_file():
                return path
    meshes = sorted(path for path in entry.iterdir() if path.suffix.lower() in SUFFIXES)
    if len(meshes) > 1:
        raise BadInput(f"{entry} has {len(meshes)} meshes: call the one to be used {entry / 'textured.obj'}.")
    return meshes[0] if meshes else None
