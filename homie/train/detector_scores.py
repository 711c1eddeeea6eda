"""Scores of any detector on labelled pictures: `homie detector score`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from homie.kernel import registry
from homie.kernel.errors import MissingPart
from homie.kernel.interfaces.training import LEAST_SCORE, DetectorMeasurement
from homie.kernel.options import DETECTOR, Options
from homie.kernel.support.packages import missing_part
from homie.kernel.support.validation_sentences import Usage


class DetectorScoreOptions(Options):
    """Options of `homie detector score`: a detector, and the labelled pictures to score it on."""

    usage: ClassVar[Usage] = Usage("detector score", "data", "data/detections --detector learned:models/eyes")

    data: Path = Field(description="The folder of a data set of `homie data detections`, or another in COCO's layout.")
    detector: str = Field("learned", description=DETECTOR)
    detector_settings: dict[str, Any] = Field({}, description="Settings of the detector (`homie list detectors NAME`).")
    split: Literal["train", "validation", "test"] = Field("test", description="The pictures it is measured on.")


def score_detector(options: DetectorScoreOptions, over: Callable[[int, int], object]) -> DetectorMeasurement:
    """Score a detector. Without a setting `score`, boxes count from a score of `LEAST_SCORE` on.

    Args:
        options: Detector and pictures.
        over: Called after each picture with the number done and the number of pictures.

    Raises:
        BadInput: The data set or the detector cannot be used.
        MissingPart: A package is not installed.
        InfrastructureError: The detector failed.
    """
    settings = options.detector_settings
    base_detector = registry.make_part(registry.DETECTOR, options.detector, settings)
    detector = base_detector
    if "score" not in settings and "score" in getattr(getattr(base_detector, "Settings", None), "model_fields", ()):
        detector = registry.make_part(registry.DETECTOR, options.detector, {**settings, "score": LEAST_SCORE})
    try:
        measure: Callable[..., DetectorMeasurement] = registry.load("tools", "detector-measure")
    except MissingPart as error:
        package = str(getattr(error.__cause__, "name", "pycocotools"))
        raise missing_part("homie detector score", package, "detections") from error
    return measure(detector, base_detector, options.data, options.split, over)
