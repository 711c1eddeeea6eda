"""A mesh file with all files that it refers to, read once and checked before parsing.

Referenced files must be in the same folder: nothing else on disk and nothing from the network is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from homie.envs.mujoco.meshes.glb import check_glb
from homie.envs.mujoco.meshes.obj import libraries, textures
from homie.kernel.errors import BadInput
from homie.kernel.support.files import reading

SUFFIXES = (".obj", ".glb")
LARGEST = 64 * 2**20
"""Maximum size of a file in bytes: four times that of a YCB scan with 64,000 faces."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A mesh file.

    Attributes:
        materials, textures: Contents of the material and texture files that it refers to, by name.
    """

    path: Path
    data: bytes
    materials: Mapping[str, bytes]
    textures: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """SHA-256 of the file and of all files that it refers to."""
        digest = hashlib.sha256(self.data)
        for name, data in sorted({**self.materials, **self.textures}.items()):
            digest.update(f"\0{name}\0{len(data)}\0".encode() + data)
        return digest.hexdigest()


def bundle(path: Path) -> Bundle:
    """Read a mesh. Raises BadInput with one sentence."""
    data = _bytes(path, path)
    if path.suffix.lower() == ".glb":
        check_glb(path, data)
        return Bundle(path, data, {})
    materials = {name: _bytes(place, path) for name, place in libraries(path, data).items()}
    pictures: dict[str, bytes] = {}
    for library in materials.values():
        pictures |= {name: _bytes(place, path) for name, place in textures(path, library).items()}
    return Bundle(path, data, materials, pictures)


def _bytes(path: Path, mesh: Path) -> bytes:
    with reading(path, "the mesh" if path == mesh else f"what the mesh {mesh} refers to,"):
        if path.stat().st_size > LARGEST:
            raise BadInput(
                f"{path} has {path.stat().st_size / 2**20:.0f} MiB, a file of a mesh at most {LARGEST / 2**20:.0f} MiB:"
                " save a smaller one."
            )
        return path.read_bytes()
