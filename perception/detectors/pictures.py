"""What all detectors have in common that see colours and nothing else.

pictures --look--> boxes with labels and scores --score, overlap, most--> detections in pixels of each view
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from homie.kernel.interfaces import Detector
from homie.kernel.types import Array, Detection, Image, Mask, Observation
from perception.suppression import suppress
from perception.words.names import canonical


class BoxSettings(BaseModel):
    """Settings of every detector that is a network (`--detector-option NAME=VALUE`)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    score: float = Field(0.25, ge=0.0, le=1.0, description="Score below which a box is left out.")
    overlap: float = Field(0.5, ge=0.0, le=1.0, description="Overlap (IoU) above which two of a kind are one.")
    most: int = Field(100, ge=1, le=1000, description="Boxes per picture at most, the surest first.")


@dataclass(frozen=True, slots=True)
class Found:
    """What a network found in one picture: boxes (n, 4) as (x0, y0, x1, y1) in its pixels, scores (n,), n labels."""

    boxes: Array
    scores: Array
    labels: tuple[str, ...]


class PictureDetector(Detector):
    """Looks at the colours of every picture. It gives no masks, no parts and no instances.

    A name is the label of the network in the words of Homie (`refrigerator` -> `fridge`).
    """

    def __init__(self, settings: BoxSettings) -> None:
        super().__init__()
        self._settings = settings

    @abstractmethod
    def look(self, pictures: Sequence[Image]) -> Sequence[Found]:
        """What is in each of the pictures (H, W, 3), which may differ in size. At least one picture is given."""

    def detect(self, observation: Observation) -> tuple[Detection, ...]:
        frames = observation.frames
        if not frames:
            return ()
        found = self.look([frame.rgb for frame in frames.values()])
        return tuple(
            detection
            for (view, frame), one in zip(frames.items(), found, strict=True)
            for detection in detections(one, view, frame.rgb.shape[:2], self._settings)
        )

    def describe(self) -> Mapping[str, object]:
        return self._settings.model_dump(mode="json")


def detections(found: Found, view: str, size: Sequence[int], settings: BoxSettings) -> list[Detection]:
    """What stays of what was found in a view of a size (height, width), larger boxes first.

    Boxes are cut at the edges of the picture; what has no pixel in it is left out.
    """
    names = [canonical(label) for label in found.labels]
    classes = np.array([names.index(name) for name in names], dtype=np.intp)
    limits = np.array([size[1], size[0], size[1], size[0]])
    finite: Mask = np.asarray(np.isfinite(found.boxes).all(axis=1))
    boxes = np.clip(np.rint(np.where(finite[:, None], found.boxes, 0.0)), 0, limits)
    seen = finite & (found.scores >= settings.score) & (boxes[:, 2:] > boxes[:, :2]).all(axis=1)
    index = np.flatnonzero(seen)
    index = index[suppress(found.boxes[index], found.scores[index], classes[index], settings.overlap)][: settings.most]
    made = [Detection(names[i], view, _corners(boxes[i]), min(1.0, float(found.scores[i]))) for i in index]
    return sorted(made, key=lambda one: (one.box[0] - one.box[2]) * (one.box[3] - one.box[1]))


def _corners(box: Array) -> tuple[int, int, int, int]:
    return int(box[0]), int(box[1]), int(box[2]), int(box[3])
