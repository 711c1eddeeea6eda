"""Pictures for a language model: sizes, boxes, numbers."""

from __future__ import annotations

import numpy as np
import pytest

from planners.marks import draw_marks, shrink

GREY = np.full((200, 300, 3), 120, np.uint8)


@pytest.mark.parametrize(
    ("size", "longest", "expected"),
    [
        ((200, 300), 150, (100, 150)),
        ((300, 200), 150, (150, 100)),
        ((256, 256), 256, (256, 256)),
        ((100, 80), 256, (100, 80)),
        ((1, 1000), 32, (1, 32)),
        ((7, 5), 6, (6, 4)),
    ],
)
def test_pictures_are_shrunk_in_their_proportions_and_never_enlarged(
    size: tuple[int, int], longest: int, expected: tuple[int, int]
) -> None:
    picture = np.full((*size, 3), 77, np.uint8)
    small = shrink(picture, longest)
    assert small.shape == (*expected, 3)
    assert small.dtype == np.uint8
    assert np.all(small == 77)


def changed(drawn: np.ndarray, before: np.ndarray) -> np.ndarray:
    return np.any(drawn != before, axis=2)


def test_a_box_is_outlined_and_numbered_and_the_picture_is_left_alone() -> None:
    before = GREY.copy()
    drawn = draw_marks(GREY, {1: (100, 80, 200, 160)})
    assert np.array_equal(GREY, before)
    marked = changed(drawn, GREY)
    assert marked[80, 100:200].all() and marked[159, 100:200].all()  # upper bounds are exclusive
    assert marked[80:160, 100].all() and marked[80:160, 199].all()
    assert not marked[160:].any() and not marked[:, 200:].any() and not marked[:80].any()
    assert not marked[100:150, 130:190].any()  # what is in the box can be seen


def test_boxes_belong_to_the_picture_before_it_was_shrunk() -> None:
    marked = changed(draw_marks(GREY, {1: (200, 160, 400, 320)}, 0.5), GREY)
    assert marked[80, 100:200].all() and marked[159, 100:200].all() and not marked[160:].any()


def test_numbers_look_different_and_the_same_number_the_same() -> None:
    one, other = draw_marks(GREY, {1: (50, 50, 90, 90)}), draw_marks(GREY, {9: (50, 50, 90, 90)})
    assert np.array_equal(one[52, 60:89], other[52, 60:89]) or not np.array_equal(one, other)
    assert not np.array_equal(one, other)
    assert np.array_equal(one, draw_marks(GREY, {1: (50, 50, 90, 90)}))


def test_tags_avoid_each_other() -> None:
    """Five things in one place: every tag keeps its own pixels."""
    drawn = draw_marks(GREY, dict.fromkeys(range(1, 6), (50, 50, 90, 90)))
    for number in range(1, 6):
        alone = draw_marks(GREY, {number: (50, 50, 90, 90)})[50:60, 50:58]
        assert any(np.array_equal(drawn[top : top + 10, 50:58], alone) for top in range(50, 120)), number


BORDERS = [(-20, -20, 10, 10), (290, 190, 400, 400), (0, 0, 0, 0), (299, 199, 300, 200), (500, 500, 600, 600)]


@pytest.mark.parametrize("box", BORDERS)
def test_boxes_at_and_beyond_the_border(box: tuple[int, int, int, int]) -> None:
    drawn = draw_marks(GREY, {12: box})
    assert drawn.shape == GREY.shape
    assert changed(drawn, GREY).any()


@pytest.mark.parametrize("size", [(1, 1), (3, 200), (8, 8)])
def test_tiny_pictures(size: tuple[int, int]) -> None:
    assert draw_marks(np.zeros((*size, 3), np.uint8), {1: (0, 0, 1, 1), 2: (0, 0, 1, 1)}).shape == (*size, 3)
