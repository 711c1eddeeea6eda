"""A picture in the frame that a YOLO network wants: scaled in its proportions, in the middle, gray around it.

As Ultralytics does it for a fixed size (`ultralytics/data/augment.py`, LetterBox; `utils/ops.py`, scale_boxes), to the
pixel: a network sees what it was trained with.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from homie.kernel.types import Array, Image

GRAY = 114


@dataclass(frozen=True, slots=True)
class Letterbox:
    """How pictures of one size go into another. size: (width, height) of the scaled picture; left, top: its corner."""

    frame: tuple[int, int]
    size: tuple[int, int]
    left: int
    top: int
    scale: float

    @classmethod
    def between(cls, picture: tuple[int, int], frame: tuple[int, int]) -> Letterbox:
        """Of a picture of a size (width, height) in a frame of another."""
        scale = min(frame[0] / picture[0], frame[1] / picture[1])
        width, height = max(1, round(picture[0] * scale)), max(1, round(picture[1] * scale))
        left, top = round((frame[0] - width) / 2 - 0.1), round((frame[1] - height) / 2 - 0.1)
        return cls(frame, (width, height), left, top, scale)

    def put(self, picture: Image) -> Image:
        """The picture in its frame, (height, width, 3) uint8."""
        framed = np.full((self.frame[1], self.frame[0], 3), GRAY, dtype=np.uint8)
        width, height = self.size
        same = picture.shape[:2] == (height, width)
        scaled = picture if same else cv2.resize(picture, self.size, interpolation=cv2.INTER_LINEAR)
        framed[self.top : self.top + height, self.left : self.left + width] = scaled
        return framed

    def back(self, boxes: Array) -> Array:
        """Boxes (n, 4) in pixels of the frame, in pixels of the picture."""
        corner = np.array([self.left, self.top, self.left, self.top], dtype=np.float64)
        back: Array = (boxes - corner) / self.scale
        return back
