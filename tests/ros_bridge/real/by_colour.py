"""A detector for the room of the fake robots: what is red is an apple, what is brown a table."""

from __future__ import annotations

import numpy as np

from homie import Detection, Detector, Observation

LEAST = 8
"""Pixels of the smallest patch."""


class ByColour(Detector):
    """One box around the pixels of each colour in each picture."""

    name = "by-colour"

    def detect(self, observation: Observation) -> tuple[Detection, ...]:
        detections = []
        for view, frame in observation.frames.items():
            red, green, blue = np.moveaxis(frame.rgb.astype(int), -1, 0)
            for name, mask in {"apple": (red > 150) & (green < 60), "table": (red - blue > 60) & (green > 60)}.items():
                if mask.sum() >= LEAST:
                    rows, columns = mask.nonzero()
                    box = (int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1)
                    detections.append(Detection(name, view, box, mask=mask))
        return tuple(detections)
