"""Non-maximum suppression: what holds for any boxes."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from homie.kernel.types import Array
from perception.box_suppression import overlaps, suppress

unhurried = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
edges = st.integers(0, 12)
some = st.lists(
    st.tuples(edges, edges, edges, edges, st.integers(0, 10), st.integers(0, 2)), max_size=25
)  # few values, so that ties and empty boxes come up
limits = st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0])


def parts(rows: list[tuple[int, ...]]) -> tuple[Array, Array, np.ndarray]:
    table = np.array(rows, dtype=np.float64).reshape(-1, 6)
    boxes = np.concatenate([np.minimum(table[:, :2], table[:, 2:4]), np.maximum(table[:, :2], table[:, 2:4])], axis=1)
    return boxes, table[:, 4] / 10, table[:, 5].astype(np.intp)


@unhurried
@given(some, limits)
def test_what_stays_is_sorted_apart_and_stays_again(rows: list[tuple[int, ...]], limit: float) -> None:
    boxes, scores, classes = parts(rows)
    remaining = suppress(boxes, scores, classes, limit)
    assert len(set(remaining.tolist())) == len(remaining)
    assert (np.diff(scores[remaining]) <= 0).all()
    ties = np.flatnonzero(np.diff(scores[remaining]) == 0)
    assert (remaining[ties] < remaining[ties + 1]).all()
    for place, index in enumerate(remaining):
        before = remaining[:place][classes[remaining[:place]] == classes[index]]
        assert (overlaps(boxes[index], boxes[before]) <= limit).all()
    again = suppress(boxes[remaining], scores[remaining], classes[remaining], limit)
    assert again.tolist() == list(range(len(remaining)))


@unhurried
@given(some, limits)
def test_what_goes_goes_for_a_better_one_of_its_class(rows: list[tuple[int, ...]], limit: float) -> None:
    boxes, scores, classes = parts(rows)
    remaining = suppress(boxes, scores, classes, limit)
    for index in set(range(len(boxes))) - set(remaining.tolist()):
        better = remaining[(classes[remaining] == classes[index]) & (scores[remaining] >= scores[index])]
        assert (overlaps(boxes[index], boxes[better]) > limit).any()


@unhurried
@given(some, limits)
def test_each_class_is_suppressed_by_itself(rows: list[tuple[int, ...]], limit: float) -> None:
    boxes, scores, classes = parts(rows)
    remaining = set(suppress(boxes, scores, classes, limit).tolist())
    for label in set(classes.tolist()):
        of_class = np.flatnonzero(classes == label)
        alone = of_class[suppress(boxes[of_class], scores[of_class], classes[of_class], limit)]
        assert set(alone.tolist()) == {index for index in remaining if classes[index] == label}


@unhurried
@given(some)
def test_overlap_is_a_share(rows: list[tuple[int, ...]]) -> None:
    boxes, _, _ = parts(rows)
    for box in boxes:
        shares = overlaps(box, boxes)
        assert ((shares >= 0) & (shares <= 1)).all()
    for index, box in enumerate(boxes):
        if (box[2:] > box[:2]).all():
            assert overlaps(box, boxes)[index] == 1.0


def test_overlap_by_hand() -> None:
    box = np.array([0.0, 0.0, 10.0, 10.0])
    others = np.array([[5.0, 0.0, 15.0, 10.0], [10.0, 0.0, 20.0, 10.0], [2.0, 2.0, 4.0, 4.0]])
    assert overlaps(box, others).tolist() == [1 / 3, 0.0, 0.04]
