"""Conformance kit for detectors: pictures of several sizes and none at all, without depth."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator

import numpy as np

from homie.kernel.interfaces import Detector
from homie.kernel.registry import DETECTOR
from homie.kernel.types import CameraFrame, Detection, Intrinsics, Observation, Pose, Pose2, Proprioception
from homie.testing.violations import check_description, check_name, describe_error, settle, usable_part

SIZES = ((256, 256), (480, 640), (32, 64), (2, 2))
"""Heights and widths of the pictures in pixels."""
BODY = Proprioception(Pose2(0.0, 0.0, 0.0))


def check_detector(detector: Detector, *observations: Observation, deterministic: bool = True) -> None:
    """Check a detector against `homie.kernel.interfaces.Detector`.

    Boxes must lie inside their picture, masks must have its size, names must be words, and scores must be in 0..1. The
    input must not be modified, nothing printed on stdout, and `describe` must return JSON without secrets.

    Args:
        detector: The detector.
        observations: Additional observations, with objects in them, for the check.
        deterministic: Whether equal pictures must give equal detections.

    Raises:
        NotConforming: Lists every violation.

    Example:
        >>> from homie.kernel.interfaces import Detector
        >>> from homie.testing import check_detector
        >>> class Blind(Detector):
        ...     name = "blind"
        ...
        ...     def detect(self, observation):
        ...         return ()
        >>> check_detector(Blind())
    """
    detector = usable_part(DETECTOR, detector)
    violations = [*check_name(detector), *check_description(detector, "at the start")]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for name, seen in [
            *_synthetic_observations(),
            *((f"observation {n}", observation) for n, observation in enumerate(observations, 1)),
        ]:
            pixels_before = {view: frame.rgb.tobytes() for view, frame in seen.frames.items()}
            try:
                first = detector.detect(seen)
                second = detector.detect(seen) if deterministic else first
            except Exception as error:
                violations.append(describe_error(f"detect ({name})", error))
                continue
            violations += [f"detect ({name}): {sentence}" for sentence in _violations(first, seen)]
            if first != second:
                violations.append(f"detect ({name}) gave other detections for the same pictures.")
            if pixels_before != {view: frame.rgb.tobytes() for view, frame in seen.frames.items()}:
                violations.append(f"detect ({name}) changed its input.")
    if printed.getvalue():
        violations.append("It prints on stdout, which belongs to --json: use stderr or `logging`.")
    settle(violations)


def _synthetic_observations() -> Iterator[tuple[str, Observation]]:
    yield "no pictures", Observation(0.0, BODY, {})
    rng = np.random.default_rng(0)
    for height, width in SIZES:
        for texture, rgb in (
            ("noise", rng.integers(0, 256, (height, width, 3), dtype=np.uint8)),
            ("black", np.zeros((height, width, 3), np.uint8)),
        ):
            rgb.flags.writeable = False
            lens = Intrinsics(width / 2, width / 2, (width - 1) / 2, (height - 1) / 2, width, height)
            frame = CameraFrame("front", rgb, None, lens, Pose(np.zeros(3), np.eye(3)))
            yield f"{texture} of {height} x {width}", Observation(0.0, BODY, {"front": frame})


def _violations(detections: object, seen: Observation) -> Iterator[str]:
    if not isinstance(detections, tuple) or not all(isinstance(detection, Detection) for detection in detections):
        yield "it must return a tuple of Detection."
        return
    last: dict[str, int] = {}
    for detection in detections:
        if detection.view not in seen.frames:
            yield f"'{detection.name}' is in the view '{detection.view}', of which there is no picture."
            continue
        height, width = seen.frames[detection.view].rgb.shape[:2]
        x0, y0, x1, y1 = detection.box
        if not (0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height):
            yield f"the box {detection.box} of '{detection.name}' is not inside its picture of {width} x {height}."
        if not detection.name or detection.name != " ".join(detection.name.split()):
            yield f"a name must be words with single blanks (got {detection.name!r})."
        if not 0.0 <= detection.score <= 1.0:
            yield f"the score of '{detection.name}' must be from 0 to 1 (got {detection.score})."
        if detection.mask is not None and (detection.mask.shape != (height, width) or detection.mask.dtype != np.bool_):
            form = f"{detection.mask.dtype} {detection.mask.shape}"
            yield f"the mask of '{detection.name}' must be bool of {height} x {width} (is {form})."
        area = (x1 - x0) * (y1 - y0)
        if area > last.get(detection.view, area):
            yield f"within a view larger boxes come first ('{detection.name}' comes too late)."
        last[detection.view] = area
