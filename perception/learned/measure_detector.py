"""Scores and latency of any detector on the labelled pictures of a data set."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path

from homie.kernel.interfaces import Detector
from homie.kernel.interfaces.training import DetectorMeasurement
from homie.kernel.types import Detection, Observation
from perception.learned.coco import read_split
from perception.learned.scoring import class_of, named, observation_of, score

TIMED = 50
"""Number of pictures on which the time is measured."""


def measure(
    detector: Detector, usual: Detector, data: Path, split: str, over: Callable[[int, int], object]
) -> DetectorMeasurement:
    """Measure the scores and the time of a detector.

    Args:
        detector: The detector with a low threshold, for the scores.
        usual: The same detector with its usual settings, for the time.
        data: The folder of a data set in the layout of COCO.
        split: Name of the split.
        over: Called after each picture with the number done and the number of pictures.

    Raises:
        BadInput: The data set cannot be used.
        InfrastructureError: The detector failed.
    """
    pictures = read_split(data, split)
    counted = _Counted(detector, frozenset(map(class_of, pictures.classes)), len(pictures.pictures), over)
    scores = score(counted, pictures)
    seconds = []
    for labelled in pictures.pictures[:TIMED]:
        observation = observation_of(labelled)
        start = time.perf_counter()
        usual.detect(observation)
        seconds.append(time.perf_counter() - start)
    return DetectorMeasurement(
        scores=scores,
        pictures=len(pictures.pictures),
        boxes=counted.boxes,
        others=counted.others,
        milliseconds=round(1000 * statistics.median(seconds), 1),
    )


class _Counted(Detector):
    """Wrapper that counts the boxes of a detector."""

    name = "counted"

    def __init__(
        self, detector: Detector, classes: frozenset[str], pictures: int, over: Callable[[int, int], object]
    ) -> None:
        super().__init__()
        self._detector, self._classes, self._pictures, self._over = detector, classes, pictures, over
        self._done = self.boxes = self.others = 0

    def detect(self, observation: Observation) -> tuple[Detection, ...]:
        detections = self._detector.detect(observation)
        self._done += 1
        self.boxes += len(detections)
        self.others += sum(named(detection) not in self._classes for detection in detections)
        self._over(self._done, self._pictures)
        return tuple(detections)
