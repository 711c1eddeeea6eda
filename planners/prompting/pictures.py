"""Pictures for a language model: no larger than it is to see them."""

from __future__ import annotations

import cv2
import numpy as np

from homie.types import Image


def shrink(picture: Image, longest: int) -> Image:
    """The picture (H, W, 3) with its longest side at most `longest` pixels, in its proportions; never enlarged."""
    height, width = picture.shape[:2]
    factor = longest / max(height, width)
    if factor >= 1:
        return picture
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
