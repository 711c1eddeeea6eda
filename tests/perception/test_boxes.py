"""Drawn boxes: where they are, which number they carry, and that they leave the rest alone."""

from __future__ import annotations

import numpy as np

from homie.types import Detection
from perception.boxes import COLOURS, draw_boxes

GRAY = np.full((128, 128, 3), 90, dtype=np.uint8)


def test_outline_is_drawn_and_the_rest_is_left_alone() -> None:
    drawn = draw_boxes(GRAY, [Detection("cup", "front", (20, 30, 60, 80))], "front")
    assert drawn.shape == GRAY.shape
    assert tuple(drawn[79, 40]) == COLOURS[0]
    assert tuple(drawn[55, 59]) == COLOURS[0]
    assert (drawn[90:, :] == 90).all()
    assert (drawn[:, 70:] == 90).all()
    assert (GRAY == 90).all()


def test_only_the_detections_of_the_view_are_drawn() -> None:
    other = [Detection("cup", "left", (20, 30, 60, 80))]
    assert np.array_equal(draw_boxes(GRAY, other, "front"), GRAY)


def test_the_mark_is_the_index_in_the_whole_list() -> None:
    box = (20, 40, 60, 80)
    alone = draw_boxes(GRAY, [Detection("cup", "front", box)], "front")
    second = draw_boxes(GRAY, [Detection("pan", "left", box), Detection("cup", "front", box)], "front")
    same_place = draw_boxes(GRAY, [Detection("pan", "left", (0, 0, 9, 9)), Detection("cup", "front", box)], "front")
    assert not np.array_equal(alone, second)
    assert np.array_equal(second, same_place)


def test_marks_do_not_cover_each_other() -> None:
    box = (40, 40, 90, 90)
    one = [Detection("cup", "front", box)]
    two = [*one, Detection("pan", "front", box)]
    first, both = draw_boxes(GRAY, one, "front"), draw_boxes(GRAY, two, "front")
    mark = (first == COLOURS[0]).all(axis=-1)
    mark[40:90, 40:90] = False
    assert mark.any()
    assert (both[mark] == COLOURS[0]).all()


def test_scale_enlarges_picture_and_boxes() -> None:
    drawn = draw_boxes(GRAY, [Detection("cup", "front", (20, 30, 60, 80))], "front", scale=3)
    assert drawn.shape == (384, 384, 3)
    assert tuple(drawn[239, 120]) == COLOURS[0]
