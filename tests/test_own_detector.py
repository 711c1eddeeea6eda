"""A detector of a package, chosen by module and class (tests/plugin/homie_red.py)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from homie.kernel.errors import BadInput
from homie.kernel.registry import DETECTOR, make_part
from homie.kernel.types import CameraFrame, Intrinsics, Observation, Pose, Pose2, Proprioception
from homie.testing import check_detector

ROOT = Path(__file__).parents[1]


def picture_with(*patches: tuple[int, int, int, int]) -> Observation:
    """A gray picture with red patches (x0, y0, x1, y1)."""
    picture = np.full((60, 80, 3), 90, np.uint8)
    for x0, y0, x1, y1 in patches:
        picture[y0:y1, x0:x1] = (200, 30, 40)
    frame = CameraFrame("front", picture, None, Intrinsics(60, 60, 40, 30, 80, 60), Pose(np.zeros(3), np.eye(3)))
    return Observation(0.0, Proprioception(Pose2(0.0, 0.0, 0.0)), {"front": frame})


def test_that_of_the_examples_conforms_and_finds_what_is_red(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "examples")
    detector = make_part(DETECTOR, "own_detector:Red")
    check_detector(detector, picture_with((10, 10, 18, 16)))
    (detection,) = detector.detect(picture_with((10, 10, 18, 16)))
    assert (detection.name, detection.box) == ("apple", (10, 10, 18, 16))


def test_it_conforms_and_finds_what_is_red_the_largest_first() -> None:
    small, large = (10, 10, 18, 16), (30, 20, 60, 50)
    detector = make_part(DETECTOR, "homie_red:Red")
    check_detector(detector, picture_with(small, large))
    detections = detector.detect(picture_with(small, large, (70, 5, 72, 7)))
    assert [(detection.name, detection.box) for detection in detections] == [("apple", large), ("apple", small)]
    assert [int(detection.mask.sum()) for detection in detections] == [30 * 30, 8 * 6]


def test_its_settings_are_those_of_the_command_line() -> None:
    detector = make_part(DETECTOR, "homie_red:Red", {"called": "tomato", "least": 1})
    assert [detection.name for detection in detector.detect(picture_with((70, 5, 72, 7)))] == ["tomato"]
    with pytest.raises(BadInput, match="has no setting 'cald'"):
        make_part(DETECTOR, "homie_red:Red", {"cald": "tomato"})
