"""Parse the bytes of a mesh into triangles with colours, with trimesh; no code is executed or unpickled.

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
from homie.envs.mujoco.meshes.thinning import simplify_mesh
from homie.kernel.errors import BadInput
from homie.kernel.support.packages import missing_part
from homie.kernel.types import Array

MOST_FACES = 200_000
"""Maximum number of faces of a mesh. The finest YCB scans have 512,000; 64,000 or 16,000 are enough for any image."""
DRAWN_FACES = 4000
"""Maximum number of rendered faces of a mesh, as an object of 10 cm has a few thousand pixels; more are simplified."""
FARTHEST = 1e9
"""Maximum coordinate: a kilometre in micrometres. Far larger values overflow."""
LEAST = 12
"""Minimum number of rendered faces of a part, whatever its share of the mesh: those of a box."""
MOST_PARTS = 32
"""Maximum number of materials or parts of a mesh: each is a geom."""
LARGEST_TEXTURE, TEXTURE = 8192, 512
"""Maximum side (pixels) of a texture in a file, and after scaling it down."""
_Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""Rotation from glTF's y up to z up."""

Faces = NDArray[np.int32]
Texels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Skin:
    """A part of a mesh with one material.

    Attributes:
        points (n, 3): Vertices, z up, in the units of the file.
        faces (m, 3): Triangles after simplification.
        rgb: Its colour, or the mean of its texture; None if the file has neither.
        uv (n, 2), texture (h, w, 3): Texture rows start at the top, v at the bottom; None without texture.
        whole: Number of faces in the file.
    """

    points: Array
    faces: Faces
    rgb: RGB | None
    uv: Array | None = None
    texture: Texels | None = None
    whole: int = 0


def skins(mesh: Bundle) -> tuple[Skin, ...]:
    """Return the parts of a mesh, simplified for rendering.

    Raises:
        BadInput: The mesh cannot be read, is empty, has points that are not numbers, or too many faces.
        MissingPart: trimesh is not installed.
    """
    try:
        import trimesh
    except ImportError as error:
        raise missing_part("Drawing meshes", "trimesh", "meshes") from error
    try:
        kind = mesh.path.suffix.lower()[1:]
        data, references = _prepare_obj(mesh) if kind == "obj" else (with_triangles(mesh.path, mesh.data), {})
        scene = trimesh.load_scene(io.BytesIO(data), file_type=kind, resolver=_FileResolver(references), process=False)
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
    except Exception as error:  # the parser may raise anything for a damaged file
        reason = str(error).partition("\n")[0].rstrip(".") or type(error).__name__
        raise BadInput(f"Cannot read the mesh {mesh.path}: {reason[:200]}.") from error
    if not parts:
        raise BadInput(f"The mesh {mesh.path} has no faces.")
    if mesh.textures and all(part.texture is None for part in parts):  # trimesh ignores a damaged texture
        name = next(iter(mesh.textures))
        reason = "it is damaged, or no point has coordinates in it"
        raise BadInput(f"The texture {name} of the mesh {mesh.path} cannot be used: {reason}.")
    return parts


def _prepare_obj(mesh: Bundle) -> tuple[bytes, dict[str, bytes]]:
    """Return an OBJ in the parser's form, and the contents of the files that it refers to, by name."""
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


class _FileResolver:
    """Resolver for trimesh that provides only the files that a mesh refers to."""

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
    rgb, uv, texture = _appearance(part)
    if texture is None or uv is None:
        return Skin(*simplify_mesh(points, faces, None, max_faces)[:2], rgb, whole=len(faces))
    face_count = len(faces)
    points, faces, kept_corners = simplify_mesh(points, faces, uv, max_faces)
    assert kept_corners is not None
    texture = _fill_unused(texture, kept_corners, faces)
    return Skin(points, faces, _rgb(texture.mean(axis=(0, 1))), kept_corners, texture, face_count)


def _appearance(part: Any) -> tuple[RGB | None, Array | None, Texels | None]:
    """Return colour, texture coordinates and texture of a part."""
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
    """Scale down the texture of a material before trimesh copies it. Pillow decodes the pixels only here, after the
    check of the size."""
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
    """Return the name of a material's texture attribute and the texture; "" and None without."""
    names = [name for name in ("baseColorTexture", "image") if getattr(material, name, None) is not None]
    return (names[0], getattr(material, names[0])) if names else ("", None)


def _fill_unused(texture: Texels, uv: Array, faces: Faces) -> Texels:
    """Fill the unused areas of a texture with the mean colour of the used ones, so that its mean, which is the colour
    in ray-cast images, is that of the object."""
    size = np.array(texture.shape[1::-1])
    corners = np.round(np.stack([uv[:, 0], 1.0 - uv[:, 1]], axis=1) * (size - 1))[faces].astype(np.int32)
    if corners.min() < 0 or (corners >= size).any():  # the texture repeats, so all of it is used
        return texture
    shown_mask = np.zeros(texture.shape[:2], np.uint8)
    for triangle in corners:
        cv2.fillConvexPoly(shown_mask, triangle, 1)
    result = texture.copy()
    result[shown_mask == 0] = texture[shown_mask > 0].mean(axis=0).round()
    return result
