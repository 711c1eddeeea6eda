"""What people say, in four houses of no suite: what is claimed to be done is done."""

from __future__ import annotations

import pytest
from spoken import endings, read_spoken

import homie

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


@pytest.mark.slow
def test_things_are_taken_from_where_was_said_or_it_is_said_from_where() -> None:
    """The only cabinet of the living room is blue, and the bedroom has no wardrobe, though plums elsewhere."""
    with homie.open(planner="rule", skills="ideal", picture_size=64, rounds=20, seed=70001) as session:
        taken = list(
            session.rounds("take the mug from the white cabinet in the living room and put it on the blue table")
        )
        assert taken[-1].decision.report == "success"
        assert "I took the blue cabinet for the living room white cabinet" in taken[-1].decision.analysis
        session.reset()
        before = session.world_state().objects
        rounds = list(session.rounds("grab the plum from the wardrobe in the bedroom and put it in the bowl"))
        assert rounds[-1].decision.report == "failure"
        assert "I have not found the bedroom wardrobe" in rounds[-1].decision.analysis
        assert {name: item.at for name, item in session.world_state().objects.items()} == {
            name: item.at for name, item in before.items()
        }
