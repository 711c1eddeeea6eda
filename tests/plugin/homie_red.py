"""Detector of a third-party package: red regions are apples, or the name in its settings."""

from __future__ import annotations

import cv2
import numpy as np
from pydantic import BaseModel, Field

from homie import Detection, Detector, Image, Observation


class RedSettings(BaseModel):
    called: str = Field("apple", description="Name of what is red.")
    least: int = Field(20, ge=1, description="Pixels below which a patch is left out.")


class Red(Detector):
    name = "red"
    Settings = RedSettings

    def __init__(self, argument: str, settings: RedSettings) -> None:
        super().__init__(argument)
        self._settings = settings

    def detect(self, observation: Observation) -> tuple[Detection, ...]:
        views = observation.frames.items()
        return tuple(detection for view, frame in views for detection in self._patches(view, frame.rgb))

    def _patches(self, view: str, picture: Image) -> list[Detection]:
        red = (picture[..., 0] > 150) & (picture[..., 1:].max(axis=2) < 90)
        _, labels, patches, _ = cv2.connectedComponentsWithStats(red.astype(np.uint8))
        detections = [
            Detection(self._settings.called, view, (x, y, x + width, y + height), mask=labels == number)
            for number, (x, y, width, height, pixels) in enumerate(patches.tolist())
            if number > 0 and pixels >= self._settings.least  # label 0 is the background, which is not red
        ]
        return sorted(detections, key=lambda item: (item.box[0] - item.box[2]) * (item.box[3] - item.box[1]))

    def describe(self) -> dict[str, object]:
        return self._settings.model_dump()
