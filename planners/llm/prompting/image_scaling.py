"""Pictures for a language model: scaled down, and enlarged crops of small objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from homie.kernel.types import Detection, Image

SMALL = 1 / 8
"""Longest side of a small object, as a fraction of its picture's: 32 of 256 pixels, which is two patches of a usual
vision transformer (14 or 16 pixels) each way."""
_CROP_FACTOR = 3
"""Side of a crop in sides of its object, to show the object's surroundings."""
_MIN_CROP = 1 / 6
"""Minimum side of a crop, as a fraction of the picture's: smaller crops do not show where the object is."""
_CROP_PIXELS = 256
"""Side of an enlarged crop, pixels; one tile of GPT-4o holds up to 512."""


def shrink(picture: Image, longest: int) -> Image:
    """Scale a picture (H, W, 3) so that its longest side has at most `longest` pixels; never enlarge it."""
    height, width = picture.shape[:2]
    factor = longest / max(height, width)
    if factor >= 1:
        return picture
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def small_things(
    things: Sequence[Detection], views: Mapping[str, Image], task: str, max_count: int
) -> tuple[Detection, ...]:
    """Return at most `max_count` of the objects that are small in their pictures, those that the task mentions first,
    then by size; of each object the detection with the largest box."""
    largest_by_object: dict[str, Detection] = {}
    for place, detection in enumerate(things):
        if detection.view not in views or max(_sides(detection)) > SMALL * max(views[detection.view].shape[:2]):
            continue
        key = detection.instance or f"{detection.name} {place}"
        if key not in largest_by_object or _area(detection) > _area(largest_by_object[key]):
            largest_by_object[key] = detection
    words = set(task.lower().replace(",", " ").replace(".", " ").split())
    ranked = sorted(
        largest_by_object.values(),
        key=lambda detection: (not words & set(detection.name.lower().split()), -_area(detection)),
    )
    return tuple(ranked[:max_count])


def crop(picture: Image, detection: Detection) -> Image:
    """Return a square around an object, enlarged to 256 x 256, from the robot's original picture (H, W, 3)."""
    height, width = picture.shape[:2]
    side = min(round(max(_CROP_FACTOR * max(_sides(detection)), _MIN_CROP * max(height, width))), height, width)
    x0, y0, x1, y1 = detection.box
    left = min(max((x0 + x1 - side) // 2, 0), width - side)
    top = min(max((y0 + y1 - side) // 2, 0), height - side)
    part = picture[top : top + side, left : left + side]
    return np.asarray(cv2.resize(part, (_CROP_PIXELS, _CROP_PIXELS), interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


def _sides(detection: Detection) -> tuple[int, int]:
    x0, y0, x1, y1 = detection.box
    return x1 - x0, y1 - y0


def _area(detection: Detection) -> int:
    wide, high = _sides(detection)
    return wide * high
