"""A detector as real ones are: boxes with names, a little off, and nothing else."""

from __future__ import annotations

import numpy as np

from homie.kernel.interfaces import Detector
from homie.kernel.types import Detection, Observation
from perception.detectors.simulated import SimulatedDetector


class BoxesOnly(Detector):
    """What the simulated detector sees, without masks, parts, instances and rooms, in boxes that are a little off.

    A door, a drawer or a handle is part of the box of its thing. jitter: pixels that every edge may be off, each way.
    """

    name = "boxes-only"

    def __init__(self, argument: str = "", jitter: float = 1.5, seed: int = 0) -> None:
        super().__init__(argument)
        self._simulated = SimulatedDetector()
        self._jitter = jitter
        self._random = np.random.default_rng(seed)

    def detect(self, observation: Observation) -> tuple[Detection, ...]:
        merged: dict[tuple[str, str], Detection] = {}
        for detection in self._simulated.detect(observation):
            key = (detection.view, detection.instance)
            if detection.part in ("floor", "button", "handle"):
                continue
            box = np.array(detection.box)
            if key in merged:
                merged_box = np.array(merged[key].box)
                box = np.concatenate([np.minimum(box[:2], merged_box[:2]), np.maximum(box[2:], merged_box[2:])])
            x0, y0, x1, y1 = (int(side) for side in box)
            merged[key] = Detection(detection.name, detection.view, (x0, y0, x1, y1))
        return tuple(self._off(detection, observation) for detection in merged.values())

    def _off(self, detection: Detection, observation: Observation) -> Detection:
        height, width = observation.frames[detection.view].rgb.shape[:2]
        x0, y0, x1, y1 = np.rint(detection.box + self._random.uniform(-self._jitter, self._jitter, 4)).astype(int)
        x0, y0 = min(max(int(x0), 0), width - 2), min(max(int(y0), 0), height - 2)
        box = (x0, y0, min(max(int(x1), x0 + 2), width), min(max(int(y1), y0 + 2), height))
        return Detection(detection.name, detection.view, box, score=0.8)
