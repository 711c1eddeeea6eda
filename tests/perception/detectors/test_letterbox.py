"""Pictures in frames: where they are, and back."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perception.detectors.letterbox import GRAY, Letterbox

unhurried = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
sides = st.integers(1, 700)


@unhurried
@given(sides, sides, st.integers(32, 640), st.integers(32, 640))
def test_a_picture_fits_its_frame_and_its_box_comes_back(width: int, height: int, wide: int, high: int) -> None:
    box = Letterbox.between((width, height), (wide, high))
    assert box.left >= 0 and box.left + box.size[0] <= wide
    assert box.top >= 0 and box.top + box.size[1] <= high
    assert box.size[0] == wide or box.size[1] == high
    frame = np.array([[box.left, box.top, box.left + box.size[0], box.top + box.size[1]]], dtype=np.float64)
    # the scaled picture has whole pixels, and one at least: up to half of one is lost, almost one in the thinnest
    assert np.abs(box.back(frame) - [[0, 0, width, height]]).max() * box.scale[0] <= (1 if min(box.size) == 1 else 0.51)


def test_the_frame_is_gray_around_the_picture() -> None:
    box = Letterbox.between((100, 50), (64, 64))
    framed = box.put(np.zeros((50, 100, 3), np.uint8))
    assert framed.shape == (64, 64, 3)
    assert (framed[:16] == GRAY).all() and (framed[48:] == GRAY).all()
    assert (framed[16:48] == 0).all()


def test_what_fits_is_left_as_it_is() -> None:
    picture = np.arange(64 * 64 * 3, dtype=np.uint8).reshape(64, 64, 3)
    assert (Letterbox.between((64, 64), (64, 64)).put(picture) == picture).all()
