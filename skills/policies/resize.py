"""Image resizing exactly as in TensorFlow, with which the training images were resized.

Both methods are separable: an image is multiplied by one matrix for rows and one for columns. They agree with
`tf.image.resize` up to rounding (tests/golden/tf_resize).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch
import torch.nn.functional as F

from homie.kernel.types import Array, Image

LOBES = 3
"""Half width of the Lanczos kernel in pixels if an image is not downscaled."""


def bilinear(picture: Image, height: int, width: int) -> torch.Tensor:
    """Return tf.image.resize(picture, (height, width)), without antialiasing; the aspect ratio is not kept.

    picture (h, w, 3) uint8 -> (1, 3, height, width) float32 in 0..255, not rounded.
    """
    pixels = torch.from_numpy(picture).permute(2, 0, 1)[None].float()
    if pixels.shape[2:] == (height, width):
        return pixels
    return F.interpolate(pixels, (height, width), mode="bilinear", align_corners=False, antialias=False)


def lanczos3(picture: Image, height: int, width: int) -> Image:
    """Return tf.image.resize(picture, (height, width), "lanczos3", antialias=True), rounded and clipped.

    picture (h, w, 3) uint8 -> (height, width, 3) uint8.
    """
    if picture.shape[:2] == (height, width):
        return picture
    rows, columns = lanczos_weights(picture.shape[0], height), lanczos_weights(picture.shape[1], width)
    pixels = np.einsum("yh,hwc->ywc", rows, picture.astype(np.float64), optimize=True)
    pixels = np.einsum("xw,ywc->yxc", columns, pixels, optimize=True)
    return np.asarray(np.clip(np.rint(pixels), 0, 255).astype(np.uint8))


@lru_cache(maxsize=32)
def lanczos_weights(size: int, target: int) -> Array:
    """Return the weight of each of `size` pixels in each of `target` pixels: (target, size), rows sum to 1.

    If the image is downscaled the kernel is widened by the same factor (antialiasing). Weights beyond the border are
    left out.
    """
    scale = size / target
    wide = max(scale, 1.0)
    middles = (np.arange(target) + 0.5) * scale
    first = np.ceil(middles - LOBES * wide - 0.5)
    last = np.floor(middles + LOBES * wide - 0.5)
    pixels = np.arange(size)
    inside = (pixels >= first[:, None]) & (pixels <= last[:, None])
    distance = (pixels + 0.5 - middles[:, None]) / wide
    kernel = np.where(inside, np.sinc(distance) * np.sinc(distance / LOBES), 0.0)
    weights: Array = kernel / kernel.sum(axis=1, keepdims=True)
    weights.setflags(write=False)
    return weights
