"""Background of third-person videos: a lawn and a sky where the renderer has drawn nothing.

They are painted into the finished image, for any renderer; the model has neither, so robot cameras do not see them.
"""

from __future__ import annotations

import numpy as np

from homie.kernel.types import Array, Depth, Image, Intrinsics, Pose

LAWN, STRIPE = np.array([128.0, 146.0, 110.0]), np.array([134.0, 152.0, 115.0])
"""Colours of the two mown stripes of the lawn."""
STRIPES = 0.8
"""Width of a stripe, m: stripes make camera motion visible."""
HAZE, ZENITH = np.array([214.0, 224.0, 230.0]), np.array([150.0, 186.0, 222.0])
"""Colours of the sky at the horizon and overhead."""
FAR = 25.0
"""Distance (m) at which two thirds of the ground's colour are haze."""
BELOW = -0.02
"""Height (m) of the lawn, just below the floors."""


def with_outdoors(rgb: Image, depth: Depth, pose: Pose, lens: Intrinsics) -> Image:
    """Paint lawn and sky where nothing was drawn.

    Args:
        rgb: (H, W, 3) uint8.
        depth: (H, W) metres, 0 where nothing was drawn.
        pose: Pose of the camera's optical frame in the world, z up.
        lens: Intrinsics of the image.
    """
    rows, columns = np.nonzero(depth <= 0.0)
    if not len(rows):
        return rgb
    rays = np.stack([(columns - lens.cx) / lens.fx, (rows - lens.cy) / lens.fy, np.ones(len(rows))], axis=1)
    directions: Array = rays @ pose.rotation.T
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    image = rgb.copy()
    image[rows, columns] = np.where(
        (directions[:, 2] < 0.0)[:, None], _lawn(pose.position, directions), _sky(directions)
    )
    return image


def _lawn(eye: Array, directions: Array) -> Array:
    """Return colours (n, 3) of the ground at which unit rays (n, 3) from `eye` end."""
    metres = (eye[2] - BELOW) / np.maximum(-directions[:, 2], 1e-6)
    stripe_position = (eye[0] + metres * directions[:, 0]) / STRIPES
    colours = np.where((np.floor(stripe_position) % 2.0 == 0.0)[:, None], LAWN, STRIPE)
    clarity = np.exp(-metres / FAR)[:, None]
    return np.asarray(clarity * colours + (1.0 - clarity) * HAZE)


def _sky(directions: Array) -> Array:
    """Return colours (n, 3) of the sky in the directions of unit rays (n, 3)."""
    elevation = np.clip(directions[:, 2], 0.0, 1.0)[:, None] ** 0.6
    return np.asarray((1.0 - elevation) * HAZE + elevation * ZENITH)
