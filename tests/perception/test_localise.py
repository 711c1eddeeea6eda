"""Localisation against the truth of a rendered scene, and of shapes made by hand."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from furnished import House
from hypothesis import given
from hypothesis import strategies as st

from homie.kernel.types import Box, Detection
from perception.detectors.simulated import SimulatedDetector, SimulatedSettings
from perception.localise import Patch, object_box, patch_of, rectangle
from perception.outlines import level_mask
from perception.scan import Scan


def _patch(house: House, detector: SimulatedDetector, place: str, metres: float, entity: str) -> Patch:
    observation = house.observe(house.before(place, metres))
    detections = [d for d in detector.detect(observation) if d.instance == entity and not d.part]
    best = max(detections, key=lambda d: int(np.count_nonzero(d.mask)))
    scan = Scan.of(observation.frames[best.view])
    assert scan is not None
    patch = patch_of(scan, best)
    assert patch is not None
    return patch


@pytest.mark.parametrize("metres", [0.5, 1.0, 1.5])
@pytest.mark.parametrize(
    ("place", "entity"), [("table_1", "apple_1"), ("table_1", "sugar_box"), ("table_2", "apple_2"), ("table_2", "bowl")]
)
def test_objects_are_found_within_about_two_centimetres(house: House, place: str, entity: str, metres: float) -> None:
    patch = _patch(house, SimulatedDetector(settings=SimulatedSettings(min_pixels=10)), place, metres, entity)
    box = object_box(patch.points, patch.spacing, patch.eye)
    true = house.world.object_box(house.world.objects[entity])
    assert np.linalg.norm(box.center - true.center) < (0.02 if metres <= 1.0 else 0.026)
    assert np.abs(np.sort(box.half[:2]) - np.sort(true.half[:2])).max() < 0.02 + patch.spacing / 2


def test_a_box_without_mask_finds_the_thing_before_its_background(house: House) -> None:
    observation = house.observe(house.before("table_1", 0.6))
    detection = next(d for d in SimulatedDetector().detect(observation) if d.instance == "sugar_box")
    scan = Scan.of(observation.frames[detection.view])
    assert scan is not None
    bare = patch_of(scan, dataclasses.replace(detection, mask=None))
    assert bare is not None
    true = house.world.object_box(house.world.objects["sugar_box"])
    assert np.linalg.norm(np.median(bare.points, axis=0) - true.center) < 0.08


def test_nothing_measured_gives_no_patch(house: House) -> None:
    frame = house.observe(house.before("table_1", 0.6)).frames["front"]
    assert frame.depth is not None
    scan = Scan.of(dataclasses.replace(frame, depth=np.zeros_like(frame.depth)))
    assert scan is not None
    assert patch_of(scan, Detection("x", "front", (10, 10, 60, 60))) is None
    assert Scan.of(dataclasses.replace(frame, depth=None)) is None


def test_level_parts_of_a_table_are_its_top(house: House, detector: SimulatedDetector) -> None:
    patch = _patch(house, detector, "table_1", 0.8, "table_1")
    heights = patch.points[patch.level, 2]
    true = house.world.receptacle_box(house.world.receptacles["table_1"])
    assert len(heights) > 200
    assert np.abs(heights - (true.center[2] + true.half[2])).max() < 0.01


def test_level_mask_of_a_slope_is_empty() -> None:
    x, y = np.meshgrid(np.linspace(0, 1, 20), np.linspace(0, 1, 20))
    everywhere = np.ones(x.shape, dtype=bool)
    flat = np.stack([x, y, np.zeros_like(x)], axis=-1).astype(np.float32)
    slope = np.stack([x, y, 0.4 * y], axis=-1).astype(np.float32)
    assert level_mask(flat, everywhere).all()
    assert not level_mask(slope, everywhere).any()


@given(
    yaw=st.floats(-1.5, 1.5),
    long=st.floats(0.3, 1.0),
    ratio=st.floats(0.3, 0.85),
    x=st.floats(-5, 5),
    y=st.floats(-5, 5),
)
def test_two_sides_over_a_corner_give_the_rectangle(yaw: float, long: float, ratio: float, x: float, y: float) -> None:
    true = Box(np.array([x, y, 0.0]), np.array([long, long * ratio, 1.0]), yaw)
    a, b, c, _ = true.corners()
    t = np.linspace(0, 1, 60)[:, None]
    center, half, angle = rectangle(np.concatenate([a + (b - a) * t, b + (c - b) * t]))
    assert np.linalg.norm(center - true.center[:2]) < 0.01
    assert np.allclose(half, true.half[:2], atol=0.01)
    assert abs(np.sin(angle - yaw)) < 0.02


def test_the_hidden_back_of_a_narrow_front_is_completed() -> None:
    z, y = np.meshgrid(np.linspace(0.7, 0.9, 30), np.linspace(-0.03, 0.03, 12))
    front = np.stack([np.full(z.size, 2.0), y.ravel(), z.ravel()], axis=1).astype(np.float32)
    level_eye = np.array([0.0, 0.0, 0.8])
    box = object_box(front, 0.005, level_eye)
    assert box.center[0] == pytest.approx(2.03, abs=0.01)
    assert np.sort(box.half[:2]) == pytest.approx([0.03, 0.03], abs=0.006)
    assert object_box(front, 0.005, level_eye, complete=False).center[0] == pytest.approx(2.0, abs=0.004)


def test_a_high_box_seen_a_little_from_above_is_as_deep_as_its_top_shows() -> None:
    """A cracker box on a counter: hardly more than its front is seen, and yet it is not a round thing."""
    wide, deep, high = np.arange(-0.08, 0.0801, 0.005), np.arange(0.0, 0.0601, 0.01), np.arange(0.0, 0.2101, 0.005)
    front = np.stack([a.ravel() for a in np.meshgrid([0.0], wide, high)], axis=1)
    top = np.stack([a.ravel() for a in np.meshgrid(deep, wide, [0.21])], axis=1)
    box = object_box(np.concatenate([front, top]), 0.005, np.array([-1.6, 0.0, 0.6]))
    np.testing.assert_allclose(np.sort(box.half), [0.03, 0.08, 0.105], atol=0.006)
    np.testing.assert_allclose(box.center, [0.03, 0.0, 0.105], atol=0.006)
