"""Numbered boxes in pictures, for planners that get pictures besides a list of names.

The number drawn at a box is that of the object in the list, because `mark` makes both. In EmbodiedBench they may
differ: there the drawn counter skips objects that were not detected (docs/perception.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from homie.kernel.types import Array, Detection, Image, Mask

PixelBox = tuple[int, int, int, int]

COLOURS = (
    (230, 25, 75),
    (60, 180, 75),
    (0, 130, 200),
    (245, 130, 48),
    (145, 30, 180),
    (0, 160, 160),
    (240, 50, 230),
    (128, 96, 0),
)
"""RGB, dark enough for white digits; the colour of a number is fixed."""
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_SCALE = 0.4
_MARGIN = 2
_OTHER_TAG = 0.1
"""Cost of covering a pixel of another tag, which has some hundred pixels: higher than all other costs."""
_AWAY = 0.01
"""Cost of a pixel of distance between a tag and its box: 20 cost as much as covering a fifth of an object."""
_FROM_CORNER = 1e-4
"""Cost of a pixel of distance from the upper left corner, where readers look first; it breaks ties."""


@dataclass(frozen=True, slots=True)
class NumberedBoxes:
    """Objects by number, and the pictures in which these numbers are drawn."""

    things: Mapping[int, Detection]
    pictures: Mapping[str, Image]

    def listed(self, view: str) -> list[str]:
        """Return the numbers and names of a view, as `3: apple`, in the order of the numbers."""
        return [f"{number}: {detection.called}" for number, detection in self.things.items() if detection.view == view]


def in_order(detections: Sequence[Detection], views: Sequence[str]) -> list[Detection]:
    """Sort the detections of some views in reading order: by view, from left to right by their middle, from the top."""
    places = {view: place for place, view in enumerate(views)}
    seen = [detection for detection in detections if detection.view in places]
    return sorted(
        seen,
        key=lambda detection: (
            places[detection.view],
            detection.box[0] + detection.box[2],
            detection.box[1] + detection.box[3],
            detection.name,
        ),
    )


def mark(
    pictures: Mapping[str, Image],
    things: Sequence[Detection | None],
    *,
    widths: Mapping[str, int] | None = None,
    first: int = 1,
) -> NumberedBoxes:
    """Number objects in the order given and draw the numbers in copies of the pictures (H, W, 3), by view.

    The number of None stays unused: that object is in a list of the caller, but was not detected in any picture. So
    does the number of an object in a view without a picture.

    Args:
        widths: By view, width of the picture in which the boxes were detected, if these pictures are scaled.
        first: Number of the first object.
    """
    boxes_by_view = {
        number: detection
        for number, detection in enumerate(things, first)
        if detection is not None and detection.view in pictures
    }
    marked_pictures = dict(pictures)
    for view, picture in pictures.items():
        seen = {number: detection for number, detection in boxes_by_view.items() if detection.view == view}
        if seen:
            width = (widths or {}).get(view, picture.shape[1])
            boxes = {number: detection.box for number, detection in seen.items()}
            masks = {number: detection.mask for number, detection in seen.items() if detection.mask is not None}
            marked_pictures[view] = draw_marks(picture, boxes, picture.shape[1] / width, masks)
    return NumberedBoxes(boxes_by_view, marked_pictures)


def draw_marks(
    picture: Image, boxes: Mapping[int, PixelBox], factor: float = 1.0, masks: Mapping[int, Mask] | None = None
) -> Image:
    """Return a copy of the picture (H, W, 3) with a box around every object and its number in a filled tag beside it.

    Boxes are (x0, y0, x1, y1), upper bounds exclusive, in pixels of a picture `1 / factor` times as large; masks are of
    that picture and mark an object's pixels (default: its whole box). A drawn box leaves out pixels of smaller objects;
    a tag is placed where it covers the least of all objects, and no other tag if there is room.
    """
    marked = np.ascontiguousarray(picture).copy()
    height, width = marked.shape[:2]
    inside = {number: _clipped(box, factor, width, height) for number, box in boxes.items()}
    areas = {number: _pixels_of(box, (masks or {}).get(number), (height, width)) for number, box in inside.items()}
    by_size = sorted(inside, key=lambda number: -int(areas[number].sum()))
    for place, number in enumerate(by_size):
        outline = np.zeros((height, width), np.uint8)
        x0, y0, x1, y1 = inside[number]
        cv2.rectangle(outline, (x0 - 1, y0 - 1), (x1, y1), 1, 1)
        is_free = outline.astype(bool)
        for smaller in by_size[place + 1 :]:
            is_free &= ~areas[smaller]
        marked[is_free] = _colour(number)
    weights = np.zeros((height, width))
    for area in areas.values():
        weights += area / max(int(area.sum()), 1)
    for number in reversed(by_size):  # smallest first: it has the fewest positions for its tag
        x0, y0, x1, y1 = _tag(marked, number, inside[number], weights)
        weights[y0:y1, x0:x1] += _OTHER_TAG
    return marked


def _colour(number: int) -> tuple[int, int, int]:
    return COLOURS[number % len(COLOURS)]


def _clipped(box: PixelBox, factor: float, width: int, height: int) -> PixelBox:
    """Scale and clip a box, with at least one pixel inside the picture."""
    x0, y0, x1, y1 = (round(side * factor) for side in box)
    x0, y0 = min(max(x0, 0), width - 1), min(max(y0, 0), height - 1)
    return x0, y0, min(max(x1, x0 + 1), width), min(max(y1, y0 + 1), height)


def _pixels_of(box: PixelBox, mask: Mask | None, shape: tuple[int, int]) -> Mask:
    """Return the pixels (H, W) of an object: those of its mask, else all of its box."""
    if mask is not None:
        scaled: Mask = cv2.resize(mask.astype(np.uint8), shape[::-1], interpolation=cv2.INTER_NEAREST).astype(bool)
        if scaled.any():
            return scaled
    pixels = np.zeros(shape, bool)
    x0, y0, x1, y1 = box
    pixels[y0:y1, x0:x1] = True
    return pixels


def _tag(picture: Image, number: int, box: PixelBox, weights: Array) -> PixelBox:
    """Draw one number near its box, where it covers least, and return the box of its tag.

    Args:
        weights (H, W): Cost of covering each pixel.
    """
    text = str(number)
    (wide, high), _ = cv2.getTextSize(text, _FONT, _SCALE, 1)
    wide, high = wide + 2 * _MARGIN, high + 2 * _MARGIN
    height, width = picture.shape[:2]
    x0, y0, x1, y1 = box
    lefts = np.unique(np.clip(np.arange(x0 - 3 * wide, x1 + 2 * wide + 1), 0, max(0, width - wide)))
    tops = np.unique(np.clip(np.arange(y0 - 3 * high, y1 + 2 * high + 1), 0, max(0, height - high)))
    summed = np.pad(weights.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    rights, bottoms = np.minimum(lefts + wide, width), np.minimum(tops + high, height)
    hidden = (
        summed[np.ix_(bottoms, rights)]
        - summed[np.ix_(tops, rights)]
        - summed[np.ix_(bottoms, lefts)]
        + summed[np.ix_(tops, lefts)]
    )
    horizontal_gap = np.maximum(0, np.maximum(lefts - (x1 + 1), (x0 - 1) - rights))
    vertical_gap = np.maximum(0, np.maximum(tops - (y1 + 1), (y0 - 1) - bottoms))
    corner = np.abs(tops[:, None] - (y0 - high)) + np.abs(lefts[None, :] - x0)
    cost = hidden + _AWAY * (horizontal_gap[None, :] + vertical_gap[:, None]) + _FROM_CORNER * corner
    row, column = np.unravel_index(int(np.argmin(cost)), cost.shape)
    tag_left, top = int(lefts[column]), int(tops[row])
    cv2.rectangle(picture, (tag_left, top), (tag_left + wide - 1, top + high - 1), _colour(number), cv2.FILLED)
    place = (tag_left + _MARGIN, top + high - _MARGIN - 1)
    cv2.putText(picture, text, place, _FONT, _SCALE, (255, 255, 255), 1, cv2.LINE_AA)
    return tag_left, top, min(tag_left + wide, width), min(top + high, height)
