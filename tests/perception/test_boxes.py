"""Numbered boxes: one number in list and picture, boxes and tags where they belong, axes of a frame."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from furnished import House
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from homie.kernel.types import VIEWS, Detection, Intrinsics, Pose2, in_sight
from perception.detectors.simulated import SimulatedDetector
from perception.numbered_boxes import COLOURS, draw_marks, in_order, mark

unhurried = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
GREY = np.full((200, 300, 3), 120, np.uint8)


def changed_pixels(drawn: np.ndarray, before: np.ndarray) -> np.ndarray:
    return np.any(drawn != before, axis=2)


def test_a_box_is_outlined_from_outside_and_numbered_and_the_picture_is_left_alone() -> None:
    before = GREY.copy()
    drawn = draw_marks(GREY, {1: (100, 80, 200, 160)})
    assert np.array_equal(GREY, before)
    marked = changed_pixels(drawn, GREY)
    assert marked[79, 99:201].all() and marked[160, 99:201].all()  # upper bounds are exclusive
    assert marked[79:161, 99].all() and marked[79:161, 200].all()
    assert not marked[161:].any() and not marked[:, 201:].any()
    assert not marked[80:160, 100:200].any()  # what is in the box can be seen


def test_boxes_belong_to_the_picture_before_it_was_shrunk() -> None:
    marked = changed_pixels(draw_marks(GREY, {1: (200, 160, 400, 320)}, 0.5), GREY)
    assert marked[79, 100:200].all() and marked[160, 100:200].all() and not marked[161:].any()


def test_an_outline_goes_around_what_is_smaller() -> None:
    """A thing in front of the edge of a table keeps all its pixels, by its mask alone."""
    mask = np.zeros(GREY.shape[:2], bool)
    mask[150:170, 140:150] = True
    boxes = {1: (50, 60, 250, 160), 2: (140, 150, 150, 170)}
    marked = changed_pixels(draw_marks(GREY, boxes, masks={2: mask}), GREY)
    assert marked[160, 60:139].all() and not marked[mask].any()


def test_numbers_look_different_and_the_same_number_the_same() -> None:
    first, other = draw_marks(GREY, {1: (50, 50, 90, 90)}), draw_marks(GREY, {9: (50, 50, 90, 90)})
    assert np.array_equal(first[52, 60:89], other[52, 60:89]) or not np.array_equal(first, other)
    assert not np.array_equal(first, other)
    assert np.array_equal(first, draw_marks(GREY, {1: (50, 50, 90, 90)}))


def test_tags_avoid_each_other() -> None:
    """Five things in one place: every tag keeps its pixels, but for those on the outlines."""
    ring = np.zeros(GREY.shape[:2], bool)
    ring[49:91, 49:91], ring[50:90, 50:90] = True, False

    def coloured(drawn: np.ndarray, number: int) -> int:
        return int(((drawn == COLOURS[number]).all(axis=2) & ~ring).sum())

    drawn = draw_marks(GREY, dict.fromkeys(range(1, 6), (50, 50, 90, 90)))
    for number in range(1, 6):
        assert coloured(drawn, number) > 0.8 * coloured(draw_marks(GREY, {number: (50, 50, 90, 90)}), number) > 60


BORDERS = [(-20, -20, 10, 10), (290, 190, 400, 400), (0, 0, 0, 0), (299, 199, 300, 200), (500, 500, 600, 600)]


@pytest.mark.parametrize("box", BORDERS)
def test_boxes_at_and_beyond_the_border(box: tuple[int, int, int, int]) -> None:
    drawn = draw_marks(GREY, {12: box})
    assert drawn.shape == GREY.shape
    assert changed_pixels(drawn, GREY).any()


@pytest.mark.parametrize("size", [(1, 1), (3, 200), (8, 8)])
def test_tiny_pictures(size: tuple[int, int]) -> None:
    assert draw_marks(np.zeros((*size, 3), np.uint8), {1: (0, 0, 1, 1), 2: (0, 0, 1, 1)}).shape == (*size, 3)


# ---------------------------------------------------------------- one number


views = st.sampled_from(VIEWS)
boxes = st.tuples(st.integers(0, 250), st.integers(20, 150), st.integers(20, 45), st.integers(20, 45)).map(
    lambda b: (b[0], b[1], b[0] + b[2], b[1] + b[3])
)
some = st.lists(
    st.builds(Detection, st.sampled_from(["apple", "bowl", "table"]), views, boxes), min_size=1, max_size=12
)


@unhurried
@given(st.lists(st.one_of(st.none(), st.builds(Detection, st.just("cup"), views, boxes)), max_size=12))
def test_a_number_is_the_place_in_the_list_whatever_was_not_found(things: list[Detection | None]) -> None:
    pictures = dict.fromkeys(VIEWS[:3], GREY)
    marked = mark(pictures, things)
    for number, thing in marked.things.items():
        assert things[number - 1] is thing
    lost = {number for number, thing in enumerate(things, 1) if thing is None or thing.view == VIEWS[3]}
    assert set(marked.things) == set(range(1, len(things) + 1)) - lost
    assert list(marked.pictures) == list(pictures)


@unhurried
@given(some)
def test_the_list_and_the_picture_have_the_same_numbers(things: list[Detection]) -> None:
    """Drawing the things of the list one by one gives the same outlines at the same places."""
    pictures = dict.fromkeys(VIEWS, GREY)
    marked = mark(pictures, in_order(things, VIEWS))
    listed = [line for view in VIEWS for line in marked.listed(view)]
    assert [int(line.split(":")[0]) for line in listed] == list(range(1, len(things) + 1))
    assert sorted(line.split(": ")[1] for line in listed) == sorted(detection.name for detection in things)
    for view in VIEWS:
        numbers = {number: detection.box for number, detection in marked.things.items() if detection.view == view}
        assert np.array_equal(marked.pictures[view], draw_marks(GREY, numbers) if numbers else GREY)
        assert all(f"{number}: {marked.things[number].name}" in marked.listed(view) for number in numbers)


@unhurried
@given(some, st.randoms(use_true_random=False))
def test_the_order_depends_on_what_is_seen_only(things: list[Detection], random: object) -> None:
    shuffled = list(things)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    ordered = in_order(things, VIEWS)
    assert in_order(shuffled, VIEWS) == ordered
    assert [VIEWS.index(detection.view) for detection in ordered] == sorted(
        VIEWS.index(detection.view) for detection in things
    )
    for first, other in pairwise(ordered):
        assert first.view != other.view or sum(first.box[::2]) <= sum(other.box[::2])


def test_marks_in_a_rendered_room_hide_next_to_nothing_of_what_they_mark(
    house: House, detector: SimulatedDetector
) -> None:
    observation = house.observe(Pose2(3.0, 3.0, 0.0))
    things = [detection for detection in in_sight(detector.detect(observation)) if detection.part != "floor"]
    pictures = {view: observation.frames[view].rgb for view in VIEWS}
    marked = mark(pictures, in_order(things, VIEWS))
    assert len(marked.things) == len(things) > 6
    for number, thing in marked.things.items():
        drawn = changed_pixels(marked.pictures[thing.view], pictures[thing.view])
        assert thing.mask is not None
        assert drawn[thing.mask].mean() < 0.25, thing.name
        x0, y0, x1, y1 = thing.box
        around = marked.pictures[thing.view][max(y0 - 12, 0) : y1 + 12, max(x0 - 12, 0) : x1 + 12]
        assert (around == COLOURS[number % len(COLOURS)]).all(axis=2).any(), thing.name
    assert any("sugar box" in line for view in VIEWS for line in marked.listed(view))


def test_boxes_of_scaled_pictures_are_scaled() -> None:
    thing = Detection("cup", "front", (200, 160, 400, 320))
    marked = mark({"front": GREY}, [thing], widths={"front": 600})
    assert np.array_equal(marked.pictures["front"], draw_marks(GREY, {1: (100, 80, 200, 160)}))
    assert list(mark({"front": GREY}, [thing], first=0).things) == [0]


# ---------------------------------------------------------------- axes

K = Intrinsics(200.0, 200.0, 149.5, 99.5, 300, 200)
