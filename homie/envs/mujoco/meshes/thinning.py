"""Mesh simplification for rendering: points close together in space and in the texture are merged."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array

CELLS = (160, 128, 96, 72, 56, 44, 34, 26, 20, 15, 11, 8)
"""Numbers of cells along the longest side that are tried, finest first."""
PATCHES = 4
"""Ratio of the relative cell sizes in the texture and in space: points across a seam are not merged, and patches of the
texture stay connected."""


def simplify_mesh(
    points: Array, faces: NDArray[np.int32], uv: Array | None, max_faces: int
) -> tuple[Array, NDArray[np.int32], Array | None]:
    """Simplify a mesh to at most `max_faces` faces by merging points per grid cell. The point of a cell farthest from
    the centre is kept, so that the mesh does not shrink.

    Args:
        points: Vertices (n, 3).
        faces: Triangles (m, 3).
        uv: Texture coordinates (n, 2); None without texture.
        max_faces: Maximum number of faces (more if even the coarsest grid leaves more).
    """
    if len(faces) <= max_faces:
        return points, faces, uv
    low, high = points.min(axis=0), points.max(axis=0)
    distances = np.linalg.norm(points - (low + high) / 2, axis=1)
    farthest = np.argsort(-distances, kind="stable")
    for cells in CELLS:
        keys = np.floor((points - low) / max(float((high - low).max()), 1e-12) * cells)
        if uv is not None:
            keys = np.hstack([keys, np.floor(uv * cells / PATCHES)])
        _, first, group = np.unique(keys[farthest], axis=0, return_index=True, return_inverse=True)
        cell = np.empty(len(points), np.int32)
        cell[farthest] = group.ravel()
        merged = cell[faces]
        real = (merged[:, 0] != merged[:, 1]) & (merged[:, 1] != merged[:, 2]) & (merged[:, 0] != merged[:, 2])
        merged = merged[real]
        chosen = farthest[first]
        if len(merged) <= max_faces and len(merged):
            break
    return points[chosen], merged, None if uv is None else uv[chosen]
