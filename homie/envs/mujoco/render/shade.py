"""Ambient shade from depth: dark where surfaces meet, so that things stand on what carries them and do not hover.

The inverse of depth is linear in the picture for every flat surface, so a pixel whose neighbours on both sides are, in
the mean, nearer than it lies in a hollow or a corner, as what is below the edge of a thing does. The deeper, the less
light of the room comes there. (Screen-space ambient occlusion: Mittring, "Finding next gen", SIGGRAPH 2007; here with
pairs of opposite neighbours, which flat floors seen at a slant do not darken.)
"""

from __future__ import annotations

import math

import cv2
import numpy as np

from homie.kernel.types import Depth, Image

DARKEST = 0.45
"""Share of the light that is taken at most."""

FULL = 0.006
"""Mean distance (m) of the neighbours in front of a pixel at which it is as dark as it gets."""

NEAR = 0.08
"""Metres in front of a pixel beyond which a neighbour counts nothing: it is part of something else."""

NEIGHBOURS = tuple(
    # On a spiral of golden angles no two pairs look in like directions: the shade of an edge has no steps.
    (distance * math.cos(number * 2.399963), distance * math.sin(number * 2.399963))
    for number, distance in enumerate(np.linspace(0.008, 0.034, 9))
)
"""Pairs of opposite neighbours: where one of them is, as shares of the picture's height (x, y)."""

FARTHEST = 6.0
"""Metres beyond which nothing is shaded: the steps in which depth is kept show there."""


def shaded(rgb: Image, depth: Depth) -> Image:
    """The picture (H, W, 3) uint8 with the shade that its depth (H, W), metres or 0 for nothing, gives it.

    Worked out at half the size: for 256 x 256 about half a millisecond.
    """
    height, width = depth.shape
    half = (max(width // 2, 1), max(height // 2, 1))
    metres = np.asarray(cv2.resize(depth, half, interpolation=cv2.INTER_NEAREST), dtype=np.float32)
    metres[(metres <= 0.0) | (metres > FARTHEST)] = FARTHEST
    light = 255.0 - np.minimum(_hollow(metres) * (255.0 * DARKEST / FULL), 255.0 * DARKEST)
    soft = cv2.resize(cv2.blur(light.astype(np.uint8), (5, 5)), (width, height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.multiply(rgb, cv2.merge([soft, soft, soft]), scale=1.0 / 255.0), dtype=np.uint8)


def _hollow(metres: Depth) -> Depth:
    """By how much (m) the neighbours of each pixel are nearer than it, in the mean over all pairs."""
    height, width = metres.shape
    inverse, square = 1.0 / metres, metres * metres
    steps = [(round(x * height), round(y * height)) for x, y in NEIGHBOURS]
    edge = max(max(abs(x), abs(y)) for x, y in steps)
    around = cv2.copyMakeBorder(inverse, edge, edge, edge, edge, cv2.BORDER_REPLICATE)
    per_distance = square / NEAR
    total = np.zeros_like(metres)
    for x, y in steps:
        here, opposite = (
            around[edge + dy : edge + dy + height, edge + dx : edge + dx + width] - inverse
            for dx, dy in ((x, y), (-x, -y))
        )
        both = np.maximum(here + opposite, 0.0)
        both *= np.maximum(1.0 - np.maximum(np.abs(here), np.abs(opposite)) * per_distance, 0.0)
        total += both
    return np.asarray(total * square / (2 * len(NEIGHBOURS)), dtype=np.float32)
