"""Shapes of a model as spheres, for whoever measures distances to them."""

from __future__ import annotations

from collections.abc import Collection

import mujoco
import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array

_APART = 1.3
"""Radii between the centres of two neighbours: they leave dents of less than a quarter of their radius."""
_MOST = 6
"""Spheres along one axis of a shape."""


def filling(model: mujoco.MjModel, bodies: Collection[int]) -> tuple[NDArray[np.intp], Array, Array]:
    """Spheres that fill the shapes of some bodies that touch something.

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
        radius = float(np.min(half))  # of a capsule and of a long cylinder its own
        marks = [_centres_along(float(extent), radius) for extent in half]
        grid = np.stack(np.meshgrid(*marks, indexing="ij"), axis=-1).reshape(-1, 3)
        geoms += [geom] * len(grid)
        centres.append(grid + model.geom_aabb[geom, :3])
        radii += [radius] * len(grid)
    return np.array(geoms, dtype=np.intp), np.concatenate(centres), np.array(radii)


def _centres_along(half: float, radius: float) -> Array:
    """Centres along one axis of a shape."""
    reach = max(0.0, half - radius)
    count = 1 + int(np.ceil(2 * reach / (_APART * radius))) if reach > 1e-6 else 1
    return np.linspace(-reach, reach, min(count, _MOST))
