"""Check GLB files before parsing, and convert triangle fans, which the parser would omit, to triangles."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import reading

MOST_VALUES = 2_000_000
"""Maximum length of an array that a GLB declares: otherwise a tiny file could exhaust the memory."""
_COMPRESSION_EXTENSIONS = ("compression", "basisu")
"""Parts of the names of glTF extensions for compression that trimesh does not support."""
_OTHER_MODES = {0: "points", 1: "lines", 2: "lines", 3: "lines"}
_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_INDICES = {5121: "<u1", 5123: "<u2", 5125: "<u4"}
"""Data types of face indices, by glTF component type."""


def check_glb(path: Path, data: bytes) -> None:
    """Raise BadInput for an invalid GLB, one that needs other files, has too large arrays, or not only faces."""
    content = _content(path, data)
    for kind in ("buffers", "images"):
        for item in _entries(content, kind):
            if not str(item.get("uri", "data:")).startswith("data:"):
                raise BadInput(
                    f"The mesh {path} refers to '{str(item['uri'])[:80]}': save it as a GLB with everything inside."
                )
    for name in content.get("extensionsRequired") or ():
        if any(word in str(name) for word in _COMPRESSION_EXTENSIONS):
            raise BadInput(f"The mesh {path} is packed by {name}, which is not read here: save it without.")
    for item in _entries(content, "accessors"):
        count = item.get("count")
        if not isinstance(count, int) or not 0 <= count <= MOST_VALUES:
            raise BadInput(f"The mesh {path} has an array of {str(count)[:20]} elements: at most {MOST_VALUES:,}.")
    for primitive in _primitives(content):
        mode = primitive.get("mode", _TRIANGLES)
        if mode not in (_TRIANGLES, _STRIP, _FAN):
            mode_name = (
                _OTHER_MODES.get(mode, f"the mode {str(mode)[:20]}") if isinstance(mode, int) else "no known mode"
            )
            raise BadInput(
                f"The mesh {path} has a part of {mode_name}, which is not a surface: save it without that part."
            )


def with_triangles(path: Path, data: bytes) -> bytes:
    """Convert the triangle fans of a GLB to triangles. Raises BadInput if their indices cannot be read."""
    content = _content(path, data)
    fans = [primitive for primitive in _primitives(content) if primitive.get("mode") == _FAN]
    if not fans:
        return data
    (length,) = struct.unpack_from("<I", data, 12)
    binary = _binary(data, 20 + length)
    try:
        for fan in fans:
            fan_indices = _fan_points(content, binary, fan)
            first = np.broadcast_to(fan_indices[:1], (max(len(fan_indices) - 2, 0),))
            faces = np.stack([first, fan_indices[1:-1], fan_indices[2:]], axis=1).astype("<u4")
            binary += b"\0" * (-len(binary) % 4)
            content["bufferViews"].append({"buffer": 0, "byteOffset": len(binary), "byteLength": faces.nbytes})
            view, count = len(content["bufferViews"]) - 1, int(faces.size)
            content["accessors"].append({"bufferView": view, "componentType": 5125, "count": count, "type": "SCALAR"})
            fan |= {"mode": _TRIANGLES, "indices": len(content["accessors"]) - 1}
            binary += faces.tobytes()
        content["buffers"][0]["byteLength"] = len(binary)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise BadInput(
            f"The mesh {path} has a fan of triangles whose indices cannot be read: save it with triangles alone."
        ) from error
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def _fan_points(content: Mapping[str, Any], binary: bytes, fan: Mapping[str, Any]) -> NDArray[np.int64]:
    """Return the vertex indices (n,) of a fan, in order. Raises various errors for a damaged file."""
    if "indices" not in fan:
        return np.arange(content["accessors"][fan["attributes"]["POSITION"]]["count"])
    accessor = content["accessors"][fan["indices"]]
    view = content["bufferViews"][accessor["bufferView"]]
    if view["buffer"] != 0 or "uri" in content["buffers"][0] or "sparse" in accessor or view.get("byteStride"):
        raise ValueError("the indices are kept in another way than as a row in the file")
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    kind = np.dtype(_INDICES[accessor["componentType"]])
    return np.frombuffer(binary, kind, accessor["count"], start).astype(np.int64)


def _binary(data: bytes, start: int) -> bytes:
    """Return the second chunk of a GLB, b"" if there is none."""
    if start + 8 > len(data):
        return b""
    length, kind = struct.unpack_from("<I4s", data, start)
    return data[start + 8 : start + 8 + length] if kind == b"BIN\0" else b""


def _content(path: Path, data: bytes) -> dict[str, Any]:
    """Parse the JSON of a GLB."""
    with reading(path, "the mesh"):
        if len(data) < 20:
            raise ValueError("it is not a GLB file (it ends in its header)")
        magic, version, _, length, kind = struct.unpack_from("<4sIII4s", data)
        if magic != b"glTF" or version != 2 or kind != b"JSON" or 20 + length > len(data):
            raise ValueError("it is not a GLB file of glTF 2.0")
        content = parse_json(data[20 : 20 + length])
        if not isinstance(content, dict):
            raise ValueError("its JSON is not an object")
    return content


def _primitives(content: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for mesh in _entries(content, "meshes"):
        yield from _entries(mesh, "primitives")


def _entries(content: Mapping[str, Any], kind: str) -> Iterator[dict[str, Any]]:
    entries = content.get(kind)
    yield from (item for item in entries if isinstance(item, dict)) if isinstance(entries, list) else ()
