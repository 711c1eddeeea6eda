"""The `learned` detector: a small network that was trained on pictures of the home, with its weights in the package.

Besides boxes it detects outlines, parts (doors, drawers, handles) and the floors of rooms, so that `--targets sensors`
can open furniture and go to rooms. Its only input is the colours of a picture.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import ClassVar

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from homie.kernel.errors import BadInput
from homie.kernel.types import Detection, Image, Mask, Observation, mask_bounds
from perception.colours import colour_of, lit_colour
from perception.detectors.letterbox import Letterbox
from perception.detectors.picture_detector import detections, split_label
from perception.detectors.simulated import COLOURED
from perception.detectors.yolo_onnx import YoloOnnxDetector, YoloOnnxSettings
from perception.names import vocabulary

SHIPPED = Path(str(files("perception.learned").joinpath("weights/home.onnx")))
"""The weights that ship."""
FILE = "detector.onnx"
STRIDE = 32
"""Sides of the network's input are multiples of it (pixels)."""
BESIDE = 4
"""Width (pixels) of the border around small objects that is removed from the outlines of their support."""
BORDER = 0.2
"""Largest distance of an outline beyond its box, as a share of the box's sides."""
PIECE = 0.8
"""Share of a box inside a higher-scoring box of its class from which it is dropped as a piece of the same object."""
LEAST_FILLED = 12
"""Fewest pixels of an outline; with fewer, a detection has none."""


class LearnedSettings(YoloOnnxSettings):
    """Settings of `learned`."""

    score: float = Field(0.4, ge=0.0, le=1.0, description="Score below which a box is left out.")
    size: int = Field(0, ge=0, le=8192, description="Side in pixels to which pictures are scaled; 0: as in training.")


class LearnedDetector(YoloOnnxDetector):
    """A small network trained on pictures of the home: `learned`, or `learned:FOLDER` of `homie train detector`.

    The constructor raises BadInput for a file of another kind, and MissingPart.
    """

    name = "learned"
    Settings: ClassVar[type[BaseModel] | None] = LearnedSettings

    def __init__(self, argument: str = "", settings: LearnedSettings | None = None) -> None:
        path = Path(argument).expanduser() if argument else SHIPPED
        settings = settings or LearnedSettings.model_validate({})
        super().__init__(str(path / FILE if path.is_dir() else path), settings)
        if len(self._session.get_outputs()) < 2:
            raise BadInput(f"The network in {path} gives no outlines: use --detector yolo-onnx:{path}.")
        meanings = [split_label(name) for name in self._names]
        self._numbers = {
            meaning: [number for number, other in enumerate(meanings) if other == meaning] for meaning in meanings
        }
        self._small = [
            number for (kind, _), numbers in self._numbers.items() if kind in vocabulary().objects for number in numbers
        ]
        self._parted = {kind for kind, part in meanings if part}

    def detect(self, observation: Observation) -> tuple[Detection, ...]:
        return tuple(
            seen for view, frame in observation.frames.items() for seen in self._detect_in_picture(view, frame.rgb)
        )

    def _detect_in_picture(self, view: str, picture: Image) -> list[Detection]:
        height, width = picture.shape[:2]
        scale = min(self._size[0] / width, self._size[1] / height)
        columns, rows = (math.ceil(scale * side / STRIDE - 1e-6) * STRIDE for side in (width, height))
        frame = Letterbox.between((width, height), (columns, rows))
        table, cells = next(self._outputs(frame.put(picture)[None]))
        boxes = self._boxes(frame, [table])
        class_map = _pixel_classes(cells, frame, (width, height))
        reported = _drop_nested_pieces(detections(boxes, view, (height, width), self._settings))
        class_map = np.where(self._beside_small(class_map), -1, class_map).astype(np.int16)
        outlined = (self._add_outline(seen, reported, class_map, picture) for seen in reported)
        return sorted((seen for seen in outlined if seen is not None), key=lambda seen: -_area(seen.box))

    def _beside_small(self, class_map: NDArray[np.int16]) -> Mask:
        """Return the pixels just beside small objects: the cells of an outline are too coarse to separate an object
        from its support."""
        small = np.isin(class_map, self._small)
        nearby: Mask = cv2.dilate(small.astype(np.uint8), np.ones((2 * BESIDE + 1, 2 * BESIDE + 1), np.uint8)) > 0
        return nearby & ~small

    def _add_outline(
        self, seen: Detection, reported: Sequence[Detection], class_map: NDArray[np.int16], picture: Image
    ) -> Detection | None:
        """Add the outline and the colour to a detection; None if only parts of the furniture are visible.

        An outline may extend a little beyond its box, but not into another box of its class.
        """
        x0, y0, x1, y1 = _expand(seen.box, class_map.shape)
        inside: Mask = np.isin(class_map[y0:y1, x0:x1], self._numbers[seen.name, seen.part])
        if np.count_nonzero(inside) < LEAST_FILLED:
            return None if not seen.part and seen.name in self._parted else seen
        mask = np.zeros(class_map.shape, dtype=bool)
        mask[y0:y1, x0:x1] = inside
        own_pixels = np.zeros(class_map.shape, dtype=bool)
        own_pixels[seen.box[1] : seen.box[3], seen.box[0] : seen.box[2]] = True
        for other in reported:
            if other is not seen and (other.name, other.part) == (seen.name, seen.part):
                mask[other.box[1] : other.box[3], other.box[0] : other.box[2]] &= own_pixels[
                    other.box[1] : other.box[3], other.box[0] : other.box[2]
                ]
        if not mask.any():
            return None
        colour = colour_of(lit_colour(picture[mask])) if seen.name in COLOURED else ""
        box = _union(seen.box, mask_bounds(mask))
        return replace(seen, name=f"{colour} {seen.name}".strip(), box=box, mask=mask)


def _drop_nested_pieces(reported: Sequence[Detection]) -> list[Detection]:
    """Remove detections that lie inside a higher-scoring one of their class, as pieces of the same object."""
    remaining: list[Detection] = []
    for seen in sorted(reported, key=lambda seen: -seen.score):
        similar_boxes = (other.box for other in remaining if (other.name, other.part) == (seen.name, seen.part))
        if not any(_overlap_share(seen.box, box) > PIECE for box in similar_boxes):
            remaining.append(seen)
    return sorted(remaining, key=lambda seen: -_area(seen.box))


def _area(box: tuple[int, int, int, int]) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def _overlap_share(box: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> float:
    """Return the intersection of two boxes as a share of the smaller one."""
    width = min(box[2], other[2]) - max(box[0], other[0])
    height = min(box[3], other[3]) - max(box[1], other[1])
    return max(0, width) * max(0, height) / min(_area(box), _area(other))


def _expand(box: tuple[int, int, int, int], shape: tuple[int, ...]) -> tuple[int, int, int, int]:
    """Expand a box by a border, clipped to the picture (height, width)."""
    x0, y0, x1, y1 = box
    margin_x, margin_y = round(BORDER * (x1 - x0)), round(BORDER * (y1 - y0))
    return max(0, x0 - margin_x), max(0, y0 - margin_y), min(shape[1], x1 + margin_x), min(shape[0], y1 + margin_y)


def _union(box: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Return the smallest box around two boxes."""
    return min(box[0], other[0]), min(box[1], other[1]), max(box[2], other[2]), max(box[3], other[3])


def _pixel_classes(cells: NDArray[np.int32], frame: Letterbox, size: tuple[int, int]) -> NDArray[np.int16]:
    """Return the class of each pixel (height, width) of a picture from the fine cells of its frame."""
    full_frame = cv2.resize(cells.astype(np.int16), frame.frame, interpolation=cv2.INTER_NEAREST)
    picture_cells = full_frame[frame.top : frame.top + frame.size[1], frame.left : frame.left + frame.size[0]]
    return cv2.resize(picture_cells, size, interpolation=cv2.INTER_NEAREST).astype(np.int16)
