"""What people say, in four houses of no suite: what is claimed to be done is done."""

from __future__ import annotations

import pytest
from spoken import endings, read_spoken

DONE = {"many": 12, "states": 12, "household": 5, "furniture": 8}
"""How many of each house are done at least; more than half of the 66."""


@pytest.mark.slow
@pytest.mark.parametrize("house", list(read_spoken()[0]))
def test_nothing_is_claimed_that_is_not_so(house: str) -> None:
    ended = list(endings(house=house))
    assert [str(ending) for ending in ended if ending.verdict == "wrong"] == []
    assert sum(ending.verdict == "done" for ending in ended) >= DONE[house]
    for ending in ended:
        if ending.verdict == "declined":
            assert "'" in ending.sentence or " to go" in ending.sentence, "a refusal names what it does not understand"
