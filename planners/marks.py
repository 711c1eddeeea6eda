"""Pictures for a language model: scaled down, with numbered boxes where wanted (EmbodiedBench, appendix F.4)."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np

from homie.types import Image

Box = tuple[int, int, int, int]

_COLOURS = (
    (230, 25, 75),
    (60, 180, 75),
    (0, 130, 200),
    (245, 130, 48),
    (145, 30, 180),
    (0, 160, 160),
    (240, 50, 230),
    (128, 96, 0),
)
"""RGB, dark enough for white digits; a number always has the same one."""
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_SCALE = 0.4
_MARGIN = 2


def shrink(picture: Image, longest: int) -> Image:
    """The picture (H, W, 3) with its longest side at most `longest` pixels, in its proportions; never enlarged."""
    height, width = picture.shape[:2]
    factor = longest / max(height, width)
    if factor >= 1:
        return picture
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def draw_marks(picture: Image, boxes: Mapping[int, Box], factor: float = 1.0) -> Image:
    """A copy of the picture (H, W, 3) with every box outlined and its number in a filled tag at its upper left.

    Boxes are (x0, y0, x1, y1), upper bounds exclusive, in pixels of a picture `1 / factor` times as large. Tags stay
    inside the picture and avoid each other where there is room below.
    """
    drawn = np.ascontiguousarray(picture).copy()
    height, width = drawn.shape[:2]
    corners: dict[int, tuple[int, int]] = {}
    for number, box in boxes.items():
        x0, y0, x1, y1 = (round(side * factor) for side in box)
        x0, y0 = min(max(x0, 0), width - 1), min(max(y0, 0), height - 1)
        x1, y1 = min(max(x1 - 1, x0), width - 1), min(max(y1 - 1, y0), height - 1)
        cv2.rectangle(drawn, (x0, y0), (x1, y1), _colour(number), 1)
        corners[number] = (x0, y0)
    taken: list[Box] = []
    for number, corner in corners.items():
        taken.append(_tag(drawn, number, corner, taken))
    return drawn


def _colour(number: int) -> tuple[int, int, int]:
    return _COLOURS[number % len(_COLOURS)]


def _tag(drawn: Image, number: int, corner: tuple[int, int], taken: list[Box]) -> Box:
    """Draw one number at a corner, lower where another one is already. Returns the pixels of the tag."""
    text = str(number)
    (wide, high), _ = cv2.getTextSize(text, _FONT, _SCALE, 1)
    wide, high = wide + 2 * _MARGIN, high + 2 * _MARGIN
    left = max(0, min(corner[0], drawn.shape[1] - wide))
    top = max(0, min(corner[1], drawn.shape[0] - high))
    while (other := _overlapped((left, top, left + wide, top + high), taken)) and other[3] + high <= drawn.shape[0]:
        top = other[3]
    cv2.rectangle(drawn, (left, top), (left + wide - 1, top + high - 1), _colour(number), cv2.FILLED)
    place = (left + _MARGIN, top + high - _MARGIN - 1)
    cv2.putText(drawn, text, place, _FONT, _SCALE, (255, 255, 255), 1, cv2.LINE_AA)
    return left, top, left + wide, top + high


def _overlapped(box: Box, taken: list[Box]) -> Box | None:
    x0, y0, x1, y1 = box
    return next((one for one in taken if x0 < one[2] and one[0] < x1 and y0 < one[3] and one[1] < y1), None)
