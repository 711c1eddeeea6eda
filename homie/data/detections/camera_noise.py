"""What a camera does to a picture: exposure, white balance, blur, noise. All of it at random."""

from __future__ import annotations

import cv2
import numpy as np

from homie.kernel.types import Image

CLEAN_SHARE = 0.2
"""Share of the pictures that stay as they were drawn."""
EXPOSURE, GAMMA, BALANCE = (0.6, 1.45), (0.8, 1.25), 0.06
"""Ranges of the factor of the light and of the exponent, and standard deviation of the factor of each channel."""
BLUR_SHARE, BLUR = 0.25, (0.4, 1.1)
"""Share of the pictures that are out of focus, and by how many pixels."""
NOISE = (0.0, 9.0)
"""Range of the standard deviation of the sensor's noise, of 255 grey levels."""


def photographed(rgb: Image, rng: np.random.Generator) -> Image:
    """A picture (H, W, 3) as some camera might have taken it."""
    if rng.random() < CLEAN_SHARE:
        return rgb
    light = (rgb.astype(np.float32) / 255.0) * rng.uniform(*EXPOSURE) * rng.normal(1.0, BALANCE, 3).astype(np.float32)
    light = np.clip(light, 0.0, 1.0) ** np.float32(rng.uniform(*GAMMA))
    if rng.random() < BLUR_SHARE:
        light = cv2.GaussianBlur(light, (0, 0), rng.uniform(*BLUR))
    light += rng.standard_normal(light.shape, dtype=np.float32) * np.float32(rng.uniform(*NOISE) / 255.0)
    shown: Image = np.clip(np.rint(light * 255.0), 0, 255).astype(np.uint8)
    return shown
