"""The `learned` detector: a small network that was trained on pictures of the home, with its weights in the package.

Besides boxes it gives outlines, parts (doors, drawers, handles) and the floors of rooms, so that `--targets sensors`
can open things and go to rooms. It knows nothing but the colours of a picture.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import ClassVar

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from homie.kernel.errors import BadInput
from homie.kernel.types import Detection, Image, Mask, Observation
from perception.colours import colour_of, lit_colour
from perception.detectors.letterbox import Letterbox
from perception.detectors.picture_detector import detections, named
from perception.detectors.simulated import COLOURED
from perception.detectors.yolo_onnx import YoloOnnxDetector, YoloOnnxSettings

WEIGHTS = "weights/home.onnx"
FILE = "detector.onnx"
STRIDE = 32
"""Sides of pictures are multiples of it."""
LEAST_FILLED = 12
"""Pixels of an outline below which a detection has none."""


class LearnedSettings(YoloOnnxSettings):
    """Settings of `learned`."""

    score: float = Field(0.3, ge=0.0, le=1.0, description="Score below which a box is left out.")


class LearnedDetector(YoloOnnxDetector):
    """`--detector learned`, or `learned:FOLDER` of `homie train detector`.

    The constructor raises BadInput for a file of another kind, and MissingPart.
    """

    name = "learned"
    Settings: ClassVar[type[BaseModel] | None] = LearnedSettings

    def __init__(self, argument: str = "", settings: LearnedSettings | None = None) -> None:
        path = Path(argument).expanduser() if argument else Path(str(files("perception.learned").joinpath(WEIGHTS)))
        super().__init__(str(path / FILE if path.is_dir() else path), settings or LearnedSettings.model_validate({}))
        if len(self._session.get_outputs()) < 2:
            raise BadInput(f"The network in {path} gives no outlines: use --detector yolo-onnx:{path}.")
        meanings = [named(name) for name in self._names]
        self._numbers = {
            meaning: [number for number, other in enumerate(meanings) if other == meaning] for meaning in meanings
        }
        self._parted = {kind for kind, part in meanings if part}

    def detect(self, observation: Observation) -> tuple[Detection, ...]:
        return tuple(seen for view, frame in observation.frames.items() for seen in self._in_picture(view, frame.rgb))

    def _in_picture(self, view: str, picture: Image) -> list[Detection]:
        height, width = picture.shape[:2]
        frame = Letterbox.between((width, height), (-(-width // STRIDE) * STRIDE, -(-height // STRIDE) * STRIDE))
        table, cells = next(self._outputs(frame.put(picture)[None]))
        boxes = self._boxes(frame, table)
        filled = _spread(cells, frame, (width, height))
        outlined = (
            self._outlined(seen, filled, picture) for seen in detections(boxes, view, (height, width), self._settings)
        )
        return [seen for seen in outlined if seen is not None]

    def _outlined(self, seen: Detection, filled: NDArray[np.int16], picture: Image) -> Detection | None:
        """A detection with its outline and colour; None where all that is seen of a thing are its parts."""
        x0, y0, x1, y1 = seen.box
        inside: Mask = np.isin(filled[y0:y1, x0:x1], self._numbers[seen.name, seen.part])
        if np.count_nonzero(inside) < LEAST_FILLED:
            return None if not seen.part and seen.name in self._parted else seen
        mask = np.zeros(filled.shape, dtype=bool)
        mask[y0:y1, x0:x1] = inside
        colour = colour_of(lit_colour(picture[mask])) if seen.name in COLOURED else ""
        return replace(seen, name=f"{colour} {seen.name}".strip(), mask=mask)


def _spread(cells: NDArray[np.int32], frame: Letterbox, size: tuple[int, int]) -> NDArray[np.int16]:
    """The class of each pixel (height, width) of a picture from the fine cells of its frame."""
    whole = cv2.resize(cells.astype(np.int16), frame.frame, interpolation=cv2.INTER_NEAREST)
    shown = whole[frame.top : frame.top + frame.size[1], frame.left : frame.left + frame.size[0]]
    return cv2.resize(shown, size, interpolation=cv2.INTER_NEAREST).astype(np.int16)
