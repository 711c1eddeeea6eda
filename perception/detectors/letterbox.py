"""Letterboxing for YOLO networks: a picture is scaled with its aspect ratio and centred on gray.

Equal to Ultralytics for a fixed size to the pixel (`ultralytics/data/augment.py`, LetterBox; `utils/ops.py`,
scale_boxes), so that a network sees pictures as in training. YOLOX puts the picture into the upper left corner
(`yolox/data/data_augment.py`, preproc), RT-DETR of Ultralytics fills the frame with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from homie.kernel.types import Array, Image

Placing = Literal["middle", "corner", "whole"]
"""Position of a picture in its frame: in the middle, in the upper left corner, or stretched over all of it."""
GRAY = 114
"""Value of the border, 0..255, as in training."""
NUDGE = 0.1
"""Pixels that Ultralytics subtracts before it rounds the border, so that an odd pixel goes to the right and bottom."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letterbox:
    """Placement of pictures of one size in a frame of another.

    Attributes:
        frame: (width, height) of the frame.
        size: (width, height) of the scaled picture.
        left, top: Upper left corner of the scaled picture.
        scale: Pixels of the frame per pixel of the picture, horizontally and vertically.
    """

    frame: tuple[int, int]
    size: tuple[int, int]
    left: int
    top: int
    scale: tuple[float, float]

    @classmethod
    def between(cls, picture: tuple[int, int], frame: tuple[int, int], placing: Placing = "middle") -> Letterbox:
        """Return the placement of a picture of a size (width, height) in a frame of a size (width, height)."""
        scale_x, scale_y = frame[0] / picture[0], frame[1] / picture[1]
        if placing == "whole":
            return cls(frame=frame, size=frame, left=0, top=0, scale=(scale_x, scale_y))
        scale = min(scale_x, scale_y)
        width, height = picture[0] * scale, picture[1] * scale
        if placing == "corner":
            size = max(1, int(width)), max(1, int(height))
            return cls(frame=frame, size=size, left=0, top=0, scale=(scale, scale))
        size = max(1, round(width)), max(1, round(height))
        left, top = round((frame[0] - size[0]) / 2 - NUDGE), round((frame[1] - size[1]) / 2 - NUDGE)
        return cls(frame=frame, size=size, left=left, top=top, scale=(scale, scale))

    def put(self, picture: Image) -> Image:
        """Return the picture in its frame, (height, width, 3) uint8."""
        framed = np.full((self.frame[1], self.frame[0], 3), GRAY, dtype=np.uint8)
        width, height = self.size
        fits_exactly = picture.shape[:2] == (height, width)
        scaled = picture if fits_exactly else cv2.resize(picture, self.size, interpolation=cv2.INTER_LINEAR)
        framed[self.top : self.top + height, self.left : self.left + width] = scaled
        return framed

    def back(self, boxes: Array) -> Array:
        """Convert boxes (n, 4) from pixels of the frame to pixels of the picture."""
        corner = np.array([self.left, self.top, self.left, self.top], dtype=np.float64)
        back: Array = (boxes - corner) / np.array([*self.scale, *self.scale])
        return back
