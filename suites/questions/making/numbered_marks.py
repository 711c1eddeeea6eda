"""Numbered marks in pictures, so that a question can refer to an object without naming it."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from homie.kernel.types import Image
from suites.published.robobench.geometry import Box, Point

YELLOW, BLACK = (255, 230, 0), (0, 0, 0)


def draw_boxes(picture: Image, boxes: Sequence[Box]) -> Image:
    """The picture with a numbered frame around each box, counted from 1."""
    drawn = picture.copy()
    height, width = drawn.shape[:2]
    for number, (x1, y1, x2, y2) in enumerate(boxes, 1):
        left, top, right, bottom = round(x1 * width), round(y1 * height), round(x2 * width), round(y2 * height)
        cv2.rectangle(drawn, (left - 2, top - 2), (right + 1, bottom + 1), YELLOW, 1)
        _tag(drawn, number, left, top - 17 if top > 20 else min(bottom + 3, height - 17))
    return drawn


def draw_points(picture: Image, points: Sequence[Point]) -> Image:
    """The picture with a numbered ring around each point, counted from 1."""
    drawn = picture.copy()
    height, width = drawn.shape[:2]
    for number, (x, y) in enumerate(points, 1):
        centre = (round(x * width), round(y * height))
        cv2.circle(drawn, centre, 6, BLACK, 3)
        cv2.circle(drawn, centre, 6, YELLOW, 1)
        _tag(drawn, number, centre[0] + 8, centre[1] - 18)
    return drawn


def beside(*pictures: Image) -> Image:
    """Pictures of equal height in a row, with a white line between them."""
    line = np.full((pictures[0].shape[0], 6, 3), 255, dtype=np.uint8)
    parts = [part for picture in pictures for part in (line, picture)][1:]
    return np.concatenate(parts, axis=1)


def _tag(drawn: Image, number: int, left: int, top: int) -> None:
    """Draw a number, black on yellow, 14 by 15 pixels, within the picture."""
    height, width = drawn.shape[:2]
    left, top = min(max(left, 0), width - 14), min(max(top, 0), height - 15)
    cv2.rectangle(drawn, (left, top), (left + 13, top + 14), YELLOW, -1)
    cv2.putText(drawn, str(number), (left + 2, top + 12), cv2.FONT_HERSHEY_SIMPLEX, 0.45, BLACK, 1, cv2.LINE_AA)
