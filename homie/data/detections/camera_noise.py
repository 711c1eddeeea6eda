"""Simulated camera effects with random strength: exposure, white balance, blur and noise."""

from __future__ import annotations

import cv2
import numpy as np

from homie.kernel.types import Image

CLEAN_SHARE = 0.2
"""Share of pictures that are left as rendered."""
EXPOSURE, GAMMA, BALANCE = (0.6, 1.45), (0.8, 1.25), 0.06
"""Ranges of the brightness factor and the gamma exponent, and standard deviation of the gain of each channel."""
BLUR_SHARE, BLUR = 0.25, (0.4, 1.1)
"""Share of pictures that are out of focus, and range of the standard deviation of the blur in pixels."""
NOISE = (0.0, 9.0)
"""Range of the standard deviation of the sensor noise, in grey levels of 255."""


def add_camera_effects(rgb: Image, rng: np.random.Generator) -> Image:
    """Return a picture (H, W, 3) with random camera effects."""
    if rng.random() < CLEAN_SHARE:
        return rgb
    light = (rgb.astype(np.float32) / 255.0) * rng.uniform(*EXPOSURE) * rng.normal(1.0, BALANCE, 3).astype(np.float32)
    light = np.clip(light, 0.0, 1.0) ** np.float32(rng.uniform(*GAMMA))
    if rng.random() < BLUR_SHARE:
        light = cv2.GaussianBlur(light, (0, 0), rng.uniform(*BLUR))
    light += rng.standard_normal(light.shape, dtype=np.float32) * np.float32(rng.uniform(*NOISE) / 255.0)
    noisy: Image = np.clip(np.rint(light * 255.0), 0, 255).astype(np.uint8)
    return noisy
