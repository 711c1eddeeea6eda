"""Pictures for a language model: no larger than it is to see them, and small things once more, enlarged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from homie.kernel.types import Detection, Image

SMALL = 1 / 8
"""Longest side of a small thing, as a share of its picture's: 32 of 256 pixels, which is two patches of a usual vision
transformer (14 or 16 pixels) each way."""
_AROUND = 3
"""Sides of a crop by those of its thing: what it lies on, and beside, shows in its surroundings."""
_LEAST = 1 / 6
"""Sides of a crop at least, as a share of the picture's: with less nobody sees where it is."""
_ENLARGED = 256
"""Pixels of a side of an enlarged crop; one tile of GPT-4o holds up to 512."""


def shrink(picture: Image, longest: int) -> Image:
    """The picture (H, W, 3) with its longest side at most `longest` pixels, in its proportions; never enlarged."""
    height, width = picture.shape[:2]
    factor = longest / max(height, width)
    if factor >= 1:
        return picture
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def small_things(
    things: Sequence[Detection], views: Mapping[str, Image], task: str, max_count: int
) -> tuple[Detection, ...]:
    """At most so many of the things that are small in their pictures: those of which the task has a word first, then
    the largest. Each in the picture that shows most of it."""
    largest: dict[str, Detection] = {}
    for place, detection in enumerate(things):
        if detection.view not in views or max(_sides(detection)) > SMALL * max(views[detection.view].shape[:2]):
            continue
        key = detection.instance or f"{detection.name} {place}"
        if key not in largest or _area(detection) > _area(largest[key]):
            largest[key] = detection
    words = set(task.lower().replace(",", " ").replace(".", " ").split())
    ranked = sorted(
        largest.values(), key=lambda detection: (not words & set(detection.name.lower().split()), -_area(detection))
    )
    return tuple(ranked[:max_count])


def crop(picture: Image, detection: Detection) -> Image:
    """A square around a thing, enlarged to 256 x 256, from a picture (H, W, 3) as the robot took it."""
    height, width = picture.shape[:2]
    side = min(round(max(_AROUND * max(_sides(detection)), _LEAST * max(height, width))), height, width)
    x0, y0, x1, y1 = detection.box
    left = min(max((x0 + x1 - side) // 2, 0), width - side)
    top = min(max((y0 + y1 - side) // 2, 0), height - side)
    part = picture[top : top + side, left : left + side]
    return np.asarray(cv2.resize(part, (_ENLARGED, _ENLARGED), interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


def _sides(detection: Detection) -> tuple[int, int]:
    x0, y0, x1, y1 = detection.box
    return x1 - x0, y1 - y0


def _area(detection: Detection) -> int:
    wide, high = _sides(detection)
    return wide * high
