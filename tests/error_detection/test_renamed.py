"""Names of entities in a sentence become those that the planner knows."""

from __future__ import annotations

import pytest

from error_detection.names import renamed


@pytest.mark.parametrize(
    ("entities", "names", "sentence"),
    [
        ((), (), "the apple_2 and the apple are in the way"),
        (("apple_2",), ("red apple",), "the red apple and the apple are in the way"),
        (("apple",), ("apple 1",), "the apple_2 and the apple 1 are in the way"),
        (("apple", "apple_2"), ("apple_2", "apple"), "the apple and the apple_2 are in the way"),
    ],
)
def test_only_whole_names_are_exchanged_and_each_once(entities, names, sentence) -> None:
    assert renamed("the apple_2 and the apple are in the way", entities, names) == sentence
