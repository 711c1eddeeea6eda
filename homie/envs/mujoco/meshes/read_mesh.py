"""From the bytes of a mesh to triangles with their colours. trimesh parses; nothing is executed, nothing unpickled.

trimesh comes with the extra `meshes`.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.blueprints.materials import RGB
from homie.envs.mujoco.meshes import obj
from homie.envs.mujoco.meshes.bundle import Bundle
from homie.envs.mujoco.meshes.glb import with_triangles
from homie.envs.mujoco.meshes.thinning import thinned
from homie.kernel.errors import BadInput
from homie.kernel.support.packages import missing_part
from homie.kernel.types import Array

MOST_FACES = 200_000
"""Of a whole mesh. The finest scans of YCB have 512,000, those of 64,000 and 16,000 are enough for any picture."""
DRAWN_FACES = 4000
"""Of a whole mesh in pictures: a thing of 10 cm has a few thousand pixels. What has more is thinned out."""
FARTHEST = 1e9
"""Of a coordinate: a kilometre in micrometres. Far larger ones overflow."""
LEAST = 12
"""Faces of a part, however few of all are its own: those of a box."""
MOST_PARTS = 32
"""Materials or parts of a mesh: each is a geom."""
LARGEST_TEXTURE, TEXTURE = 8192, 512
"""Pixels of a side: at most in a file, and as it is kept."""
_Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""From glTF, whose y is up, to z up."""

Faces = NDArray[np.int32]
Texels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Skin:
    """A part of a mesh with one look.

    points (n, 3), z up, in the units of the file; faces (m, 3), of `whole` in the file;

    Attributes:
        rgb: Its colour, with a texture the mean of that, None where the file gives none; uv (n, 2) and texture (h, w,
            3), rows from the top, v from the bottom; None where it has no texture.
    """

    points: Array
    faces: Faces
    rgb: RGB | None
    uv: Array | None = None
    texture: Texels | None = None
    whole: int = 0


def skins(mesh: Bundle) -> tuple[Skin, ...]:
    """The parts of a mesh, thinned out to what pictures need.

    Raises:
        BadInput: It cannot be read, is empty, has points that are not numbers, or too many faces.
        MissingPart: trimesh is not installed.
    """
    try:
        import trimesh
    except ImportError as error:
        raise missing_part("Drawing meshes", "trimesh", "meshes") from error
    try:
        kind = mesh.path.suffix.lower()[1:]
        data, references = _prepared(mesh) if kind == "obj" else (with_triangles(mesh.path, mesh.data), {})
        scene = trimesh.load_scene(io.BytesIO(data), file_type=kind, resolver=_Kept(references), process=False)
        total = sum(len(scene.geometry[scene.graph[node][1]].faces) for node in scene.graph.nodes_geometry)
        _check_size(mesh, total, len(scene.graph.nodes_geometry))
        for geometry in scene.geometry.values():
            _shrink(mesh, getattr(geometry.visual, "material", None))
        share, upright = DRAWN_FACES / max(total, 1), mesh.path.suffix.lower() == ".glb"
        parts = tuple(
            _skin(mesh, part, upright, max(int(share * len(part.faces)), LEAST))
            for part in scene.dump()
            if isinstance(part, trimesh.Trimesh) and len(part.faces)
        )
    except BadInput:
        raise
    except Exception as error:  # a parser meets whatever a damaged file has
        reason = str(error).partition("\n")[0].rstrip(".") or type(error).__name__
        raise BadInput(f"Cannot read the mesh {mesh.path}: {reason[:200]}.") from error
    if not parts:
        raise BadInput(f"The mesh {mesh.path} has no faces.")
    if mesh.textures and all(part.texture is None for part in parts):  # trimesh goes on without
        name = next(iter(mesh.textures))
        reason = "it is damaged, or no point has coordinates in it"
        raise BadInput(f"The texture {name} of the mesh {mesh.path} cannot be used: {reason}.")
    return parts


def _prepared(mesh: Bundle) -> tuple[bytes, dict[str, bytes]]:
    """An OBJ as the parser takes it, and the files that it names."""
    data = obj.with_triangles(mesh.path, mesh.data)
    if not mesh.materials:
        return data, {}
    materials = obj.one_library(mesh.path, mesh.materials)
    return obj.with_one_library(data), {obj.MATERIALS: materials, **mesh.textures}


def _check_size(mesh: Bundle, faces: int, parts: int) -> None:
    if faces > MOST_FACES:
        raise BadInput(
            f"The mesh {mesh.path} has {faces:,} faces, at most {MOST_FACES:,}: save one with fewer "
            "(YCB has google_16k)."
        )
    if parts > MOST_PARTS:
        raise BadInput(f"The mesh {mesh.path} has {parts} parts, at most {MOST_PARTS}: join them.")


class _Kept:
    """Hands trimesh the files that a mesh refers to, and no others."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files

    def get(self, name: str) -> bytes:
        return self._files[name.strip()]

    def __getitem__(self, name: str) -> bytes:
        return self.get(name)

    def keys(self) -> Iterator[str]:
        yield from self._files


def _skin(mesh: Bundle, part: Any, upright: bool, max_faces: int) -> Skin:
    points = np.asarray(part.vertices, dtype=float)
    faces = np.asarray(part.faces, dtype=np.int32)
    if points.shape[1:] != (3,):
        raise BadInput(f"The mesh {mesh.path} has points that are not three numbers each.")
    if not (np.abs(points) < FARTHEST).all():
        raise BadInput(f"The mesh {mesh.path} has points that are not finite numbers, or beyond {FARTHEST:g}.")
    if faces.min() < 0 or faces.max() >= len(points):
        raise BadInput(f"The mesh {mesh.path} has faces between points that it does not have.")
    if upright:
        points = points @ _Y_UP.T
    rgb, uv, texture = _look(part)
    if texture is None or uv is None:
        return Skin(*thinned(points, faces, None, max_faces)[:2], rgb, whole=len(faces))
    face_count = len(faces)
    points, faces, kept_corners = thinned(points, faces, uv, max_faces)
    assert kept_corners is not None
    texture = _filled(texture, kept_corners, faces)
    return Skin(points, faces, _rgb(texture.mean(axis=(0, 1))), kept_corners, texture, face_count)


def _look(part: Any) -> tuple[RGB | None, Array | None, Texels | None]:
    """Colour, coordinates and texture of a part."""
    visual = part.visual
    if visual.kind == "texture":
        material, uv = visual.material, visual.uv
        _, image = _texture(material)
        factor = getattr(material, "baseColorFactor", None)
        factor = getattr(material, "diffuse", None) if factor is None else factor
        if image is not None and uv is not None and np.isfinite(uv).all():
            return None, np.asarray(uv, dtype=float), np.asarray(image, dtype=np.uint8)
        return None if factor is None else _rgb(np.asarray(factor)), None, None
    if visual.kind in ("vertex", "face"):
        colours = visual.vertex_colors if visual.kind == "vertex" else visual.face_colors
        return _rgb(np.asarray(colours).mean(axis=0)), None, None
    return None, None, None


def _rgb(colour: Array) -> RGB:
    red, green, blue = (min(max(float(value), 0.0), 255.0) / 255.0 for value in colour[:3])
    return red, green, blue


def _shrink(mesh: Bundle, material: Any) -> None:
    """Make the texture of a material as small as it is kept, before trimesh copies it. Pillow reads its pixels only
    here, after its size is known."""
    name, image = _texture(material)
    if image is None:
        return
    if max(image.size) > LARGEST_TEXTURE:
        raise BadInput(
            f"The mesh {mesh.path} has a texture of {image.size[0]} x {image.size[1]} pixels: at most {LARGEST_TEXTURE}"
            " on a side."
        )
    image.draft("RGB", (TEXTURE, TEXTURE))
    image.thumbnail((TEXTURE, TEXTURE))
    setattr(material, name, image.convert("RGB"))


def _texture(material: Any) -> tuple[str, Any]:
    """The texture of a material, and as what it has it; "" and None for none."""
    names = [name for name in ("baseColorTexture", "image") if getattr(material, name, None) is not None]
    return (names[0], getattr(material, names[0])) if names else ("", None)


def _filled(texture: Texels, uv: Array, faces: Faces) -> Texels:
    """The texture with what no face shows in the mean colour of what is shown: so its mean, which is the colour in
    ray-cast pictures, is that of the thing."""
    size = np.array(texture.shape[1::-1])
    corners = np.round(np.stack([uv[:, 0], 1.0 - uv[:, 1]], axis=1) * (size - 1))[faces].astype(np.int32)
    if corners.min() < 0 or (corners >= size).any():  # it repeats, so all of it is shown
        return texture
    shown_mask = np.zeros(texture.shape[:2], np.uint8)
    for triangle in corners:
        cv2.fillConvexPoly(shown_mask, triangle, 1)
    result = texture.copy()
    result[shown_mask == 0] = texture[shown_mask > 0].mean(axis=0).round()
    return result
