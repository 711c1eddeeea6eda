"""What is believed of a detector that errs: sure looks and looks from several places, the likelier of two kinds."""

from __future__ import annotations

import numpy as np
import pytest

from homie.kernel.types import Detection
from perception.localise import Patch
from perception.memory.evidence import BELIEVED, EYE_CELL, FLOOR_CELL, Evidence

HALF = 0.68
"""Score of a look of which two are enough: its odds are a little more than half of those of `BELIEVED`."""


def patch(x: float, y: float, z: float = 0.8, eye: float = 0.0, size: float = 0.03) -> Patch:
    """400 points around a place, seen from so far along the x axis (m)."""
    side = np.linspace(-size, size, 20, dtype=np.float32)
    across, along = np.meshgrid(side, side)
    points = np.stack([x + across, y + along, np.full_like(across, z)], axis=-1).reshape(-1, 3)
    return Patch(points, np.ones(400, dtype=bool), 0.004, np.array([eye, 0.0, 1.1]), (200, 30, 30))


def report(kind: str, score: float, view: str = "head", part: str = "") -> Detection:
    return Detection(kind, view, (0, 0, 9, 9), score, part=part)


def believes(evidence: Evidence, kind: str, score: float, where: Patch, view: str = "head") -> bool:
    return evidence.add(kind, report(kind, score, view), where, small=True) is not None


def test_one_sure_look_is_enough_and_one_unsure_look_never() -> None:
    assert believes(Evidence(), "apple", BELIEVED, patch(1.0, 0.0))
    evidence = Evidence()
    for _ in range(20):
        assert not believes(evidence, "apple", HALF, patch(1.0, 0.0))


@pytest.mark.parametrize(("eye", "view"), [(2 * EYE_CELL, "head"), (0.0, "front")])
def test_unsure_looks_from_two_places_or_cameras_are_enough(eye: float, view: str) -> None:
    evidence = Evidence()
    assert not believes(evidence, "apple", HALF, patch(1.0, 0.0))
    assert believes(evidence, "apple", HALF, patch(1.03, 0.02, eye=eye), view)
    assert not believes(evidence, "apple", HALF, patch(3.0, 0.0, eye=eye), view)  # another place


def test_of_two_kinds_at_one_place_the_likelier_is_believed() -> None:
    evidence = Evidence()
    assert believes(evidence, "apple", 0.85, patch(1.0, 0.0))
    assert believes(evidence, "peach", 0.9, patch(1.01, 0.0))
    assert evidence.is_outvoted("apple", np.array([1.0, 0.0, 0.8]))
    assert not believes(evidence, "apple", 0.85, patch(1.0, 0.0))
    assert believes(evidence, "apple", 0.85, patch(1.0, 0.0, eye=1.0))
    assert not evidence.is_outvoted("apple", np.array([1.0, 0.0, 0.8]))


def test_one_good_look_weighs_more_than_several_poor_ones() -> None:
    evidence = Evidence()
    for eye in (0.0, 1.0, 2.0, 3.0):
        believes(evidence, "can", 0.5, patch(1.0, 0.0, eye=eye))
    assert believes(evidence, "box", 0.9, patch(1.0, 0.0, eye=4.0))
    assert evidence.is_outvoted("can", np.array([1.0, 0.0, 0.8]))


@pytest.mark.parametrize("metres", [0.06, 0.12, 0.2])
def test_reports_of_a_neighbour_of_the_same_kind_take_no_evidence_from_an_object(metres: float) -> None:
    evidence = Evidence()
    for eye in (0.0, 1.0, 2.0):
        assert believes(evidence, "can", 0.9, patch(1.0, 0.0, eye=eye))
    assert believes(evidence, "can", 0.7, patch(1.0, metres))
    believes(evidence, "peach", 0.8, patch(1.0, 0.0))
    assert not evidence.is_outvoted("can", np.array([1.0, 0.0, 0.8]))


def test_what_lies_in_a_bowl_does_not_speak_against_the_bowl() -> None:
    evidence = Evidence()
    assert believes(evidence, "bowl", 0.85, patch(1.0, 0.0))
    assert believes(evidence, "apple", 0.9, patch(1.0, 0.0, z=0.82))
    assert believes(evidence, "bowl", 0.85, patch(1.0, 0.0))


def test_floor_belongs_to_the_likelier_room_cell_by_cell() -> None:
    evidence = Evidence()
    wide = patch(FLOOR_CELL, FLOOR_CELL / 2, z=0.0, size=0.9 * FLOOR_CELL)
    kitchen = evidence.add("kitchen", report("kitchen", 0.9, part="floor"), wide, small=False)
    assert kitchen is not None and len(kitchen.points) == len(wide.points)
    beside = patch(1.5 * FLOOR_CELL, FLOOR_CELL / 2, z=0.0, size=0.4 * FLOOR_CELL)
    for eye in (1.0, 2.0):
        evidence.add("hall", report("hall", 0.85, part="floor"), patch_from(beside, eye), small=False)
    again = evidence.add("kitchen", report("kitchen", 0.9, part="floor"), wide, small=False)
    assert again is not None and not in_the_hall(again.points).any()
    hall = evidence.add("hall", report("hall", 0.85, part="floor"), wide, small=False)
    assert hall is not None and in_the_hall(hall.points).all()


def in_the_hall(points: np.ndarray) -> np.ndarray:
    return (np.floor(points[:, :2] / FLOOR_CELL) == [1, 0]).all(axis=1)


def patch_from(patch: Patch, eye: float) -> Patch:
    return Patch(patch.points, patch.level, patch.spacing, np.array([eye, 0.0, 1.1]), patch.rgb)
