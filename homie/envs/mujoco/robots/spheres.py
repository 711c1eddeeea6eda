"""Approximate the geoms of a model by spheres, for distance computations."""

from __future__ import annotations

from collections.abc import Collection

import mujoco
import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array

_SPACING = 1.3
"""Spacing of neighbouring spheres in radii: dents between them are less than a quarter of a radius deep."""
_MAX_SPHERES = 6
"""Maximum number of spheres along one axis of a geom."""


def filling(model: mujoco.MjModel, bodies: Collection[int]) -> tuple[NDArray[np.intp], Array, Array]:
    """Return spheres that fill the collision geoms of some bodies.

    Returns:
        The geom of each sphere (n,), its centre in the geom's frame (n, 3) and its radius (n,), m.
    """
    geoms: list[int] = []
    centres: list[Array] = [np.zeros((0, 3))]
    radii: list[float] = []
    for geom in range(model.ngeom):
        if not model.geom_contype[geom] or int(model.geom_bodyid[geom]) not in bodies:
            continue
        half = model.geom_aabb[geom, 3:]
        radius = float(np.min(half))  # for a capsule or a long cylinder, its own radius
        marks = [_centres_along(float(extent), radius) for extent in half]
        grid = np.stack(np.meshgrid(*marks, indexing="ij"), axis=-1).reshape(-1, 3)
        geoms += [geom] * len(grid)
        centres.append(grid + model.geom_aabb[geom, :3])
        radii += [radius] * len(grid)
    return np.array(geoms, dtype=np.intp), np.concatenate(centres), np.array(radii)


def _centres_along(half: float, radius: float) -> Array:
    """Return sphere centres along one axis of a geom."""
    reach = max(0.0, half - radius)
    count = 1 + int(np.ceil(2 * reach / (_SPACING * radius))) if reach > 1e-6 else 1
    return np.linspace(-reach, reach, min(count, _MAX_SPHERES))
