"""Convert OBJ files for the parser: faces to triangles with positive indices, material files to one file.

The parser splits polygons into fans, which fills concave parts, and counts negative indices from the end of the file,
not from their own line. So both are done here; files that need neither are left unchanged.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from homie.envs.mujoco.meshes.polygons import triangles
from homie.kernel.errors import BadInput
from homie.kernel.types import Array

MATERIALS = "materials"
"""Name of the combined material file for the parser."""
_FACE = re.compile(rb"^[ \t]*f[ \t]", re.MULTILINE)
_PLAIN = re.compile(rb"^f(?: +[1-9]\d*(?:/(?:[1-9]\d*)?(?:/[1-9]\d*)?)?){3}[ \t]*\r?$", re.MULTILINE)
"""A triangle with positive indices and nothing after it."""
_CONTINUED = re.compile(rb"\\\r?\n")
_LIBRARY = re.compile(rb"^[ \t]*mtllib[ \t]+([^\r\n]+)", re.MULTILINE)
_COLOUR_MAP = re.compile(rb"^([ \t]*map_Kd[ \t]+)([^\r\n]+)", re.MULTILINE | re.IGNORECASE)
_OPTION = {"-s": 3, "-o": 3, "-t": 3, "-mm": 2}
"""Number of arguments of a texture option; all others have one."""
_KINDS = ("v", "vt", "vn")


def libraries(path: Path, data: bytes) -> dict[str, Path]:
    """Return the paths of the material files that an OBJ refers to, by name."""
    paths: dict[str, Path] = {}
    for match in _LIBRARY.findall(data):
        paths |= {name: beside(path, name) for name in _names(path, _text(match))}
    return paths


def textures(path: Path, materials: bytes) -> dict[str, Path]:
    """Return the paths of the textures that a material file refers to, by name."""
    return {
        name: beside(path, name) for _, match in _COLOUR_MAP.findall(materials) for name in [_texture_name(path, match)]
    }


def one_library(path: Path, materials: Mapping[str, bytes]) -> bytes:
    """Combine all material files into one that names textures without quotes and options."""
    library = b"\n".join(materials.values())
    return _COLOUR_MAP.sub(lambda match: match[1] + _texture_name(path, match[2]).encode(), library)


def with_one_library(data: bytes) -> bytes:
    """Make an OBJ refer only to the material file `MATERIALS`."""
    return b"mtllib " + MATERIALS.encode() + b"\n" + _LIBRARY.sub(b"", data)


def with_triangles(path: Path, data: bytes) -> bytes:
    """Convert the faces of an OBJ to triangles with positive indices.

    Raises:
        BadInput: A face has fewer than three corners, an index of 0, or one of a missing point.
    """
    if b"\\" in data:
        data = _CONTINUED.sub(b" ", data)
    if len(_FACE.findall(data)) == len(_PLAIN.findall(data)):
        return data
    lines = data.split(b"\n")
    points = _points(lines)
    counts = dict.fromkeys(_KINDS, 0)
    totals = {kind: sum(line.lstrip().startswith(f"{kind} ".encode()) for line in lines) for kind in _KINDS}
    for number, line in enumerate(lines):
        words = line.split()
        key = words[0].decode("ascii", "replace") if words else ""
        if key in counts:
            counts[key] += 1
        elif key == "f":
            corners = [_corner(path, number, word, counts, totals) for word in words[1 : _comment_start(words)]]
            if len(corners) < 3:
                raise BadInput(f"The mesh {path} has a face of {len(corners)} corners in line {number + 1}.")
            places = points[[corner[0] - 1 for corner in corners]]
            lines[number] = b"\n".join(
                b"f " + b" ".join(_format_corner(corners[corner]) for corner in triangle)
                for triangle in triangles(places)
            )
    return b"\n".join(lines)


def beside(mesh: Path, name: str) -> Path:
    """Return the path of a file that a mesh refers to: in its folder or below, or in the texture folder of Google
    Scanned Objects."""
    folder = mesh.parent.resolve()
    path = (folder / name).resolve()
    if not path.is_relative_to(folder):
        raise BadInput(f"The mesh {mesh} refers to '{name}', outside of its folder: put that file beside it.")
    scanned = folder.parent / "materials" / "textures" / path.name
    return scanned if not path.exists() and scanned.exists() else path


def _points(lines: Sequence[bytes]) -> Array:
    """Return the points (n, 3) of all lines; the parser reports invalid numbers."""
    points = []
    for line in lines:
        words = line.split()
        if words and words[0] == b"v":
            points.append([_float(word) for word in (*words[1:4], b"nan", b"nan", b"nan")[:3]])
    return np.array(points, dtype=float).reshape(-1, 3)


def _float(word: bytes) -> float:
    try:
        return float(word)
    except ValueError:
        return float("nan")


def _comment_start(words: Sequence[bytes]) -> int:
    return next((index for index, word in enumerate(words) if word.startswith(b"#")), len(words))


def _corner(path: Path, number: int, word: bytes, counts: Mapping[str, int], totals: Mapping[str, int]) -> list[int]:
    """Return the indices of a corner, from 1: point, texture and normal, 0 if missing."""
    corner = []
    for kind, text in zip(_KINDS, [*word.split(b"/"), b"", b""][:3], strict=True):
        if not text and kind != "v":
            corner.append(0)
            continue
        try:
            index = int(text)
        except ValueError:
            index = 0
        if index == 0:
            raise BadInput(
                f"The mesh {path} has the corner '{word.decode(errors='replace')[:40]}' in line {number + 1}: indices"
                " of an OBJ are whole numbers from 1, or from -1 back; export it anew."
            )
        place = index if index > 0 else counts[kind] + 1 + index
        if not 0 < place <= totals[kind]:
            raise BadInput(
                f"The mesh {path} has the corner '{word.decode(errors='replace')[:40]}' in line {number + 1}, and"
                f" {totals[kind]} lines of '{kind}': it refers to one that is not there."
            )
        corner.append(place)
    return corner


def _format_corner(corner: Sequence[int]) -> bytes:
    point, texture, normal = (str(index) if index else "" for index in corner)
    return "/".join((point, texture, normal)).rstrip("/").encode()


def _names(path: Path, text: str) -> list[str]:
    """Return the names after `mtllib`: several, in quotes or not, or one that contains blanks."""
    stripped = text.strip().strip('"')
    if beside(path, stripped).exists():
        return [stripped]
    words = _words(text)
    return words if all(beside(path, word).exists() for word in words) else [stripped]


def _texture_name(path: Path, match: bytes) -> str:
    """Return the name after `map_Kd` and its options."""
    text = _text(match)
    stripped = text.strip().strip('"')
    if not stripped.startswith("-"):
        return stripped
    words = _words(text)
    while words and words[0].startswith("-"):
        words = words[1 + _OPTION.get(words[0], 1) :] or words[-1:]
    return " ".join(words)


def _words(text: str) -> list[str]:
    try:
        return [word.strip("\"'") for word in shlex.split(text, posix=False)]
    except ValueError:  # an unterminated quote
        return text.split()


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace").strip()
