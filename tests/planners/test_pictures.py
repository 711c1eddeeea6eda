"""Pictures for a language model: sizes."""

from __future__ import annotations

import numpy as np
import pytest

from planners.llm.prompting.image_scaling import shrink


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
