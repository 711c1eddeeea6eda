"""All that a planner sees in generated houses, compared with the world by `benchmarks/episodes/fact_audit.py`."""

from __future__ import annotations

import pytest

from benchmarks.episodes.fact_audit import audit

NEVER = (
    "state changes although nothing moved",
    "doorway joins a room to itself",
    "furniture on or in an object",
    "things on or in each other",
    "a name changes or gets a number",
    "a name means another thing than before",
    "two things share a name",
)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [31010, 31011])
def test_what_is_reported_on_a_walk_through_a_house_is_consistent(seed: int) -> None:
    """In the first, a far look once opened a shut cabinet, and a doorway led from the living room to itself."""
    faults = audit(seed, objects=14).wrong
    assert {fault: faults[fault] for fault in NEVER if faults[fault]} == {}


@pytest.mark.slow
def test_a_doorway_is_compared_with_the_opening_that_the_robot_would_go_through() -> None:
    """Floor behind a doorway of the living room is as near to one in another of its walls."""
    assert audit(33400, objects=5).wrong["doorway to a wrong room"] == {}
