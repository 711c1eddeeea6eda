"""The base class of all detectors that work on colour pictures alone.

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
from perception.box_suppression import suppress
from perception.detectors.simulated import PARTS
from perception.names import canonical


class BoxSettings(BaseModel):
    """Settings of every detector that is a network (`--detector-option NAME=VALUE`)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    score: float = Field(0.25, ge=0.0, le=1.0, description="Score below which a box is left out.")
    overlap: float = Field(0.5, ge=0.0, le=1.0, description="Overlap (IoU) above which two of a kind are one.")
    most: int = Field(100, ge=1, le=1000, description="Boxes per picture at most, the surest first.")


@dataclass(frozen=True, slots=True)
class Boxes:
    """Output of a network for one picture: boxes (n, 4) as (x0, y0, x1, y1) in pixels, scores (n,), n labels."""

    boxes: Array
    scores: Array
    labels: tuple[str, ...]


class PictureDetector(Detector):
    """A detector that uses only the colours of a picture. Its detections have no masks or instances.

    A name is the label of the network in Homie's vocabulary (`refrigerator` -> `fridge`, `fridge/door` its part). A
    subclass implements `look`.
    """

    def __init__(self, settings: BoxSettings) -> None:
        super().__init__()
        self._settings = settings

    @abstractmethod
    def look(self, pictures: Sequence[Image]) -> Sequence[Boxes]:
        """Detect boxes in pictures.

        Args:
            pictures: at least one, (H, W, 3) uint8 each, possibly of different sizes.

        Returns:
            One result per picture.
        """

    def detect(self, observation: Observation) -> tuple[Detection, ...]:
        frames = observation.frames
        if not frames:
            return ()
        found_boxes = self.look([frame.rgb for frame in frames.values()])
        return tuple(
            detection
            for (view, frame), boxes in zip(frames.items(), found_boxes, strict=True)
            for detection in detections(boxes, view, frame.rgb.shape[:2], self._settings)
        )

    def describe(self) -> Mapping[str, object]:
        return self._settings.model_dump(mode="json")


def detections(candidates: Boxes, view: str, size: Sequence[int], settings: BoxSettings) -> list[Detection]:
    """Return the detections of one view, larger boxes first.

    Boxes are clipped to the picture; those without a pixel in it, with a low score or suppressed by a better box are
    dropped.

    Args:
        candidates: the output of the network.
        view: name of the view.
        size: (height, width) of its picture.
        settings: thresholds.
    """
    names = [split_label(label) for label in candidates.labels]
    classes = np.array([names.index(name) for name in names], dtype=np.intp)
    limits = np.array([size[1], size[0], size[1], size[0]])
    finite: Mask = np.asarray(np.isfinite(candidates.boxes).all(axis=1))
    boxes = np.clip(np.rint(np.where(finite[:, None], candidates.boxes, 0.0)), 0, limits)
    seen = finite & (candidates.scores >= settings.score) & (boxes[:, 2:] > boxes[:, :2]).all(axis=1)
    index = np.flatnonzero(seen)
    index = index[suppress(candidates.boxes[index], candidates.scores[index], classes[index], settings.overlap)][
        : settings.most
    ]
    accepted = [
        Detection(names[i][0], view, _corners(boxes[i]), min(1.0, float(candidates.scores[i])), part=names[i][1])
        for i in index
    ]
    return sorted(
        accepted, key=lambda detection: (detection.box[0] - detection.box[2]) * (detection.box[3] - detection.box[1])
    )


def split_label(label: str) -> tuple[str, str]:
    """Split a network's label into the kind, in Homie's vocabulary, and the part, which may follow a slash.

    Example:
        >>> split_label("refrigerator"), split_label("Refrigerator/door")
        (('fridge', ''), ('fridge', 'door'))
    """
    kind, _, part = label.rpartition("/")
    return (canonical(kind), part) if kind and part in PARTS else (canonical(label), "")


def _corners(box: Array) -> tuple[int, int, int, int]:
    return int(box[0]), int(box[1]), int(box[2]), int(box[3])
