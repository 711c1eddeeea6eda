"""A mesh file with all that it refers to, read once and checked before a parser sees it.

What it refers to lies beside it: nothing else of the disk and nothing of the network is read.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import reading

SUFFIXES = (".obj", ".glb")
LARGEST = 64 * 2**20
"""Bytes of a file: four times a scan of YCB with 64,000 faces."""
MOST_VALUES = 2_000_000
"""Elements that a GLB may announce in one array: a few bytes of a file can ask for all of the memory."""
_LIBRARY = re.compile(rb"^[ \t]*mtllib[ \t]+([^\r\n]+)", re.MULTILINE)
_COLOUR_MAP = re.compile(rb"^[ \t]*map_Kd[ \t]+([^\r\n]+)", re.MULTILINE | re.IGNORECASE)
_PACKED = ("compression", "basisu")
"""Parts of the names of glTF extensions that pack what trimesh does not unpack."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A mesh file. references: the files that it names, by the names that it uses; textures: which are pictures."""

    path: Path
    data: bytes
    references: Mapping[str, bytes]
    textures: tuple[str, ...] = ()

    @property
    def sha256(self) -> str:
        """Of the file and of all that it refers to."""
        digest = hashlib.sha256(self.data)
        for name, data in sorted(self.references.items()):
            digest.update(f"\0{name}\0{len(data)}\0".encode() + data)
        return digest.hexdigest()


def bundle(path: Path) -> Bundle:
    """Read a mesh. Raises BadInput with one sentence."""
    data = _bytes(path, path)
    if path.suffix.lower() == ".glb":
        _check_glb(path, data)
        return Bundle(path, data, {})
    libraries = {name: _bytes(_beside(path, name), path) for name in _named(_LIBRARY, data)}
    named = dict.fromkeys(name for library in libraries.values() for name in _named(_COLOUR_MAP, library))
    pictures = {name: _bytes(_beside(path, name), path) for name in named}
    return Bundle(path, data, {**libraries, **pictures}, tuple(pictures))


def _bytes(path: Path, mesh: Path) -> bytes:
    with reading(path, "the mesh" if path == mesh else f"what the mesh {mesh} refers to,"):
        if path.stat().st_size > LARGEST:
            raise BadInput(
                f"{path} has {path.stat().st_size / 2**20:.0f} MiB, a file of a mesh at most {LARGEST / 2**20:.0f} MiB:"
                " save a smaller one."
            )
        return path.read_bytes()


def _named(pattern: re.Pattern[bytes], data: bytes) -> Iterator[str]:
    """The file names behind a keyword, each once; options before a name are passed over."""
    for match in dict.fromkeys(found.strip() for found in pattern.findall(data)):
        name = match.decode("utf-8", errors="replace")
        yield name.split()[-1] if name.startswith("-") else name


def _beside(mesh: Path, name: str) -> Path:
    """The file that a mesh refers to: in its folder or below, or where Google Scanned Objects has its textures."""
    folder = mesh.parent.resolve()
    path = (folder / name).resolve()
    if not path.is_relative_to(folder):
        raise BadInput(f"The mesh {mesh} refers to '{name}', outside of its folder: put that file beside it.")
    scanned = folder.parent / "materials" / "textures" / path.name
    return scanned if not path.exists() and scanned.exists() else path


def _check_glb(path: Path, data: bytes) -> None:
    """Raises BadInput for a GLB that is none, that needs other files, or that announces more than there is."""
    content = _content(path, data)
    for kind in ("buffers", "images"):
        for item in _entries(content, kind):
            if not str(item.get("uri", "data:")).startswith("data:"):
                raise BadInput(
                    f"The mesh {path} refers to '{str(item['uri'])[:80]}': save it as a GLB with everything inside."
                )
    for name in content.get("extensionsRequired") or ():
        if any(word in str(name) for word in _PACKED):
            raise BadInput(f"The mesh {path} is packed by {name}, which is not read here: save it without.")
    for item in _entries(content, "accessors"):
        count = item.get("count")
        if not isinstance(count, int) or not 0 <= count <= MOST_VALUES:
            raise BadInput(f"The mesh {path} has an array of {str(count)[:20]} elements: at most {MOST_VALUES:,}.")


def _content(path: Path, data: bytes) -> Mapping[str, Any]:
    """The JSON of a GLB."""
    with reading(path, "the mesh"):
        if len(data) < 20:
            raise ValueError("it is no GLB file (it ends in its header)")
        magic, version, _, length, kind = struct.unpack_from("<4sIII4s", data)
        if magic != b"glTF" or version != 2 or kind != b"JSON" or 20 + length > len(data):
            raise ValueError("it is no GLB file of glTF 2.0")
        content = parse_json(data[20 : 20 + length])
        if not isinstance(content, dict):
            raise ValueError("its JSON is no object")
    return content


def _entries(content: Mapping[str, Any], kind: str) -> Iterator[Mapping[str, Any]]:
    entries = content.get(kind)
    yield from (item for item in entries if isinstance(item, dict)) if isinstance(entries, list) else ()
