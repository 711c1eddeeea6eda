"""What a film shows around a house: a lawn and a sky, where the renderer has drawn nothing.

It is painted behind the finished picture, for any renderer; the model has neither, so that no camera of a robot sees
them.
"""

from __future__ import annotations

import numpy as np

from homie.kernel.types import Array, Depth, Image, Intrinsics, Pose

LAWN, STRIPE = np.array([128.0, 146.0, 110.0]), np.array([134.0, 152.0, 115.0])
"""Colours of the two mown stripes of the lawn."""
STRIPES = 0.8
"""Metres from one stripe to the next: they show that the camera moves."""
HAZE, ZENITH = np.array([214.0, 224.0, 230.0]), np.array([150.0, 186.0, 222.0])
"""Colours of the sky at the horizon and overhead."""
FAR = 25.0
"""Metres of ground after which two thirds of its colour are haze."""
BELOW = -0.02
"""Height (m) of the lawn: floors lie on it."""


def with_outdoors(rgb: Image, depth: Depth, pose: Pose, lens: Intrinsics) -> Image:
    """A picture with lawn and sky where nothing was drawn.

    Args:
        rgb: (H, W, 3) uint8.
        depth: (H, W) metres, 0 where nothing was drawn.
        pose: Of the camera's optical frame in the world, z up.
        lens: Of the picture.
    """
    rows, columns = np.nonzero(depth <= 0.0)
    if not len(rows):
        return rgb
    rays = np.stack([(columns - lens.cx) / lens.fx, (rows - lens.cy) / lens.fy, np.ones(len(rows))], axis=1)
    ways: Array = rays @ pose.rotation.T
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    painted = rgb.copy()
    painted[rows, columns] = np.where((ways[:, 2] < 0.0)[:, None], _lawn(pose.position, ways), _sky(ways))
    return painted


def _lawn(eye: Array, ways: Array) -> Array:
    """Colours (n, 3) of the ground that rays of unit length (n, 3) meet."""
    metres = (eye[2] - BELOW) / np.maximum(-ways[:, 2], 1e-6)
    stripe_position = (eye[0] + metres * ways[:, 0]) / STRIPES
    colours = np.where((np.floor(stripe_position) % 2.0 == 0.0)[:, None], LAWN, STRIPE)
    clarity = np.exp(-metres / FAR)[:, None]
    return np.asarray(clarity * colours + (1.0 - clarity) * HAZE)


def _sky(ways: Array) -> Array:
    """Colours (n, 3) of the sky that rays of unit length (n, 3) go to."""
    elevation = np.clip(ways[:, 2], 0.0, 1.0)[:, None] ** 0.6
    return np.asarray((1.0 - elevation) * HAZE + elevation * ZENITH)
