"""Evaluation of a detector on labelled pictures: average precision at an overlap of one half, by COCO's own code."""

from __future__ import annotations

import contextlib
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from homie.kernel.interfaces import Detector
from homie.kernel.interfaces.training import DetectorScores
from homie.kernel.types import Array, CameraFrame, Detection, Intrinsics, Observation, Pose, Pose2, Proprioception
from perception.detectors.picture_detector import split_label as meaning
from perception.learned.coco import CocoSplit, Labelled
from perception.memory.memory import kind_of

LARGE = 16 * 16 / (256 * 256)
"""Smallest share of a picture of a large box."""
OVERLAP = 0.5
SURE = 0.3
"""Score from which a box counts in the table of confusions."""
LEAST_CALIBRATED, CERTAIN = 0.1, 0.999
"""Smallest mean score of boxes by which scores are calibrated, since below it nearly all are wrong, and the largest."""
LONGEST_STEP = 1.0
"""Longest step of slope and offset in one iteration of their fit."""
CONFUSIONS = 20
BINS = 10
VIEW = "picture"


def score(detector: Detector, split: CocoSplit) -> DetectorScores:
    """Evaluate a detector on all pictures of a split.

    Classes are compared in Homie's vocabulary: `refrigerator` is a fridge, `fridge/door` its part; classes with the
    same name are merged. Boxes of other classes do not count. The threshold of the detector should be low, since
    precision is averaged over all recalls.

    Raises:
        BadInput: A picture cannot be read.
        InfrastructureError: The detector failed.
    """
    names = [class_of(name) for name in split.classes]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names), 1)}
    results: list[dict[str, Any]] = []
    confused: Counter[tuple[str, str]] = Counter()
    scored: list[tuple[float, bool]] = []
    for picture, labelled in enumerate(split.pictures):
        detections = [d for d in detector.detect(observation_of(labelled)) if named(d) in numbers]
        results += [
            {
                "image_id": picture,
                "category_id": numbers[named(detection)],
                "bbox": [x0, y0, x1 - x0, y1 - y0],
                "score": detection.score,
            }
            for detection in detections
            for x0, y0, x1, y1 in [detection.box]
        ]
        for detection, true in _matches(detections, labelled, names):
            scored.append((detection.score, named(detection) == true))
            if detection.score >= SURE:
                confused[true, named(detection)] += 1
    class_numbers = [numbers[name] for name in names]
    all_precisions, large = (_precisions(split, class_numbers, results, limit) for limit in (0.0, LARGE))
    return DetectorScores(
        every=_mean(all_precisions),
        large=_mean(large),
        by_class={name: value for name, value in zip(numbers, large, strict=True) if value >= 0.0},
        confusions=[
            (true, predicted, count) for (true, predicted), count in confused.most_common() if true != predicted
        ][:CONFUSIONS],
        calibration=list(_calibration(scored)),
    )


def class_of(name: str) -> str:
    """Return a class in Homie's vocabulary: the kind, and the part after a slash.

    Example:
        >>> class_of("Refrigerator/door")
        'fridge/door'
    """
    return "/".join(filter(None, meaning(name)))


def named(detection: Detection) -> str:
    """Return the class of a detection, without the colour that its name may have."""
    return "/".join(filter(None, (kind_of(detection.name), detection.part)))


def observation_of(labelled: Labelled) -> Observation:
    """Convert a labelled picture to the observation of a camera."""
    picture = labelled.picture()
    height, width = picture.shape[:2]
    lens = Intrinsics(width, height, width, width, width / 2, height / 2)
    frame = CameraFrame(VIEW, picture, None, lens, Pose(np.zeros(3), np.eye(3)))
    return Observation(0.0, Proprioception(Pose2(0.0, 0.0, 0.0)), {VIEW: frame})


def _precisions(split: CocoSplit, numbers: Sequence[int], results: Sequence[dict[str, Any]], min_share: float) -> Array:
    """Return the average precision by class, -1 without a label, of boxes of at least a share of their picture.

    Args:
        numbers: Numbers of the split's classes, from 1.
    """
    sides = [float(width * height) for width, height in (picture.size for picture in split.pictures)]
    classes = sorted(set(numbers))
    truth = COCO()
    truth.dataset = {
        "images": [{"id": picture} for picture in range(len(split.pictures))],
        "categories": [{"id": number} for number in classes],
        "annotations": list(_annotations(split, numbers)),
    }
    with contextlib.redirect_stdout(io.StringIO()):  # pycocotools reports to the terminal
        truth.createIndex()
        if not results:
            return np.array([0.0 if truth.getAnnIds(catIds=[n], iscrowd=False) else -1.0 for n in classes])
        predictions = truth.loadRes(list(results))
        for annotation in (*truth.anns.values(), *predictions.anns.values()):
            annotation["area"] = annotation["bbox"][2] * annotation["bbox"][3] / sides[annotation["image_id"]]
        evaluation = COCOeval(truth, predictions, "bbox")
        evaluation.params.iouThrs = np.array([OVERLAP])
        evaluation.params.areaRng = [[min_share, 1e12]]
        evaluation.params.areaRngLbl = ["chosen"]
        evaluation.evaluate()
        evaluation.accumulate()
    precision = evaluation.eval["precision"][0, :, :, 0, -1]  # (recalls, classes); -1 without a label
    return np.where((precision >= 0.0).all(axis=0), precision.mean(axis=0), -1.0)


def _annotations(split: CocoSplit, numbers: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Yield the labels with ids from 1: pycocotools treats a label with id 0 as not detected."""
    labels = [
        (picture, numbers[number], box, crowd)
        for picture, labelled in enumerate(split.pictures)
        for crowd, boxes, classes in (
            (0, labelled.boxes, labelled.classes),
            (1, labelled.crowds, labelled.crowd_classes),
        )
        for box, number in zip(boxes.tolist(), classes, strict=True)
    ]
    for identity, (picture, category, (x0, y0, x1, y1), crowd) in enumerate(labels, 1):
        yield {
            "id": identity,
            "image_id": picture,
            "category_id": category,
            "bbox": [x0, y0, x1 - x0, y1 - y0],
            "area": 0.0,  # a share of the picture, set before the evaluation
            "iscrowd": crowd,
        }


def _mean(precisions: Array) -> float:
    known = precisions[precisions >= 0.0]
    return float(known.mean()) if len(known) else 0.0


def _matches(
    detections: Sequence[Detection], labelled: Labelled, names: Sequence[str]
) -> Iterator[tuple[Detection, str]]:
    """Match each detection to the unmatched label with the largest overlap; yields its class, "" for no match.

    A label of the same class is preferred to others.
    """
    is_free = np.ones(len(labelled.boxes), dtype=bool)
    truth = np.array([names[index] for index in labelled.classes])
    for detection in sorted(detections, key=lambda detection: -detection.score):
        overlaps = _overlaps(np.array(detection.box, dtype=np.float64), labelled.boxes) * is_free
        fitting = overlaps >= OVERLAP
        if not fitting.any():
            yield detection, ""
            continue
        is_same_class = fitting & (truth == named(detection))
        index = int(np.argmax(overlaps * (is_same_class if is_same_class.any() else fitting)))
        is_free[index] = False
        yield detection, str(truth[index])


def _overlaps(box: Array, boxes: Array) -> Array:
    """Return the IoU of a box (4,) with others (n, 4)."""
    low, high = np.maximum(box[:2], boxes[:, :2]), np.minimum(box[2:], boxes[:, 2:])
    shared = np.clip(high - low, 0.0, None).prod(axis=1)
    union = np.prod(box[2:] - box[:2]) + np.prod(boxes[:, 2:] - boxes[:, :2], axis=1) - shared
    overlaps: Array = shared / np.maximum(union, 1e-9)
    return overlaps


def _calibration(scored: Sequence[tuple[float, bool]]) -> Iterator[tuple[float, float, int]]:
    """Yield for each tenth of the score range the mean score, the share of correct boxes, and their number."""
    scores, right = np.array([s for s, _ in scored]), np.array([r for _, r in scored], dtype=bool)
    for number in range(BINS):
        chosen = (scores >= number / BINS) & (scores < (number + 1) / BINS + (number == BINS - 1))
        if chosen.any():
            yield float(scores[chosen].mean()), float(right[chosen].mean()), int(chosen.sum())


def fit_calibration(bins: Sequence[tuple[float, float, int]]) -> tuple[float, float]:
    """Fit the slope and the offset of logits with which a score is the share of right boxes with that score.

    Platt scaling: a logistic regression on the bins, each with one more right and one more wrong box.

    Args:
        bins: Mean score, share of right boxes and number of boxes, as in `DetectorScores.calibration`.

    Returns:
        1 and 0, no change, if there are fewer than two bins, or if higher scores are not better.
    """
    known = np.array([b for b in bins if b[0] >= LEAST_CALIBRATED], dtype=np.float64).reshape(-1, 3)
    if len(known) < 2:
        return 1.0, 0.0
    scores, shares, counts = np.minimum(known.T[0], CERTAIN), known.T[1], known.T[2]
    inputs = np.column_stack([np.log(scores / (1.0 - scores)), np.ones(len(scores))])
    right, counts = shares * counts + 1.0, counts + 2.0
    parameters = np.array([1.0, 0.0])

    def cost(tried: Array) -> float:
        logits = inputs @ tried
        return float((counts * np.logaddexp(0.0, logits) - right * logits).sum())

    for _ in range(200):  # Newton's method with short steps: a long one can end where the curvature vanishes
        expected = np.exp(-np.logaddexp(0.0, -inputs @ parameters))
        curvature = (inputs * (counts * expected * (1.0 - expected))[:, None]).T @ inputs
        step = np.linalg.lstsq(curvature, inputs.T @ (right - counts * expected), rcond=1e-9)[0]  # scores may be equal
        step *= LONGEST_STEP / max(float(np.linalg.norm(step)), LONGEST_STEP)
        lengths = (0.5**halvings for halvings in range(30))
        length = next((factor for factor in lengths if cost(parameters + factor * step) < cost(parameters)), 0.0)
        if length == 0.0:
            break
        parameters = parameters + length * step
    slope, offset = parameters.tolist()
    return (slope, offset) if slope > 0.0 else (1.0, 0.0)
