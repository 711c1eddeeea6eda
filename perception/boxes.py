"""Pictures with the boxes of a detector drawn on them, for prompts and reports."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from homie.types import Detection, Image

COLOURS = (
    (230, 60, 50),
    (40, 130, 230),
    (30, 160, 70),
    (240, 150, 20),
    (150, 70, 200),
    (20, 170, 180),
    (220, 80, 160),
    (120, 110, 40),
)


def draw_boxes(
    image: Image, detections: Sequence[Detection], view: str, *, names: bool = False, scale: int = 1
) -> Image:
    """A copy of one view's image with the boxes of its detections and an index mark at each.

    The number drawn is the index in `detections`, also those of other views, so that one list serves four pictures.
    names: write the detection's name beside the number. scale: enlarge the picture by a whole number first, so that
    marks stay readable on small images. Returns (scale * H, scale * W, 3) uint8.
    """
    picture = Pillow.fromarray(image)
    if scale != 1:
        picture = picture.resize((picture.width * scale, picture.height * scale), Pillow.Resampling.BICUBIC)
    pen = ImageDraw.Draw(picture)
    font = _font(max(10, picture.height // 24))
    taken: list[tuple[int, int, int, int]] = []
    for index, detection in enumerate(detections):
        if detection.view != view:
            continue
        colour = COLOURS[index % len(COLOURS)]
        x0, y0, x1, y1 = (scale * edge for edge in detection.box)
        pen.rectangle((x0, y0, x1 - 1, y1 - 1), outline=colour, width=max(1, scale))
        label = f"{index} {detection.name}" if names else str(index)
        taken.append(_mark(pen, label, (x0, y0, x1, y1), colour, font, picture.size, taken))
    return np.asarray(picture)


def _mark(
    pen: ImageDraw.ImageDraw,
    label: str,
    box: tuple[int, int, int, int],
    colour: tuple[int, int, int],
    font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
    size: tuple[int, int],
    taken: Sequence[tuple[int, int, int, int]],
) -> tuple[int, int, int, int]:
    """Write a label at the first corner of the box where it covers no other label; the rectangle it takes."""
    left, top, right, bottom = pen.textbbox((0, 0), label, font=font)
    width, height = int(right - left) + 4, int(bottom - top) + 4
    x0, y0, x1, y1 = box
    corners = ((x0, y0 - height), (x0, y0), (x1 - width, y0), (x0, y1 - height), (x1 - width, y1 - height), (x0, y1))
    places = [(min(max(0, x), size[0] - width), min(max(0, y), size[1] - height)) for x, y in corners]
    rectangles = [(x, y, x + width, y + height) for x, y in places]
    chosen = next((r for r in rectangles if not any(_overlap(r, other) for other in taken)), rectangles[0])
    pen.rectangle((*chosen[:2], chosen[2] - 1, chosen[3] - 1), fill=colour)
    pen.text((chosen[0] + 2 - left, chosen[1] + 2 - top), label, fill=(255, 255, 255), font=font)
    return chosen


def _overlap(a: tuple[int, int, int, int], b: tuple[int, int, int, int]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


@lru_cache(maxsize=8)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
