"""All that a planner sees in generated houses, compared with the world by `fact_audit.py`."""

from __future__ import annotations

import pytest
from fact_audit import audit

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
@pytest.mark.parametrize(("seed", "objects", "also"), [(31010, 14, ()), (33400, 5, ("doorway to a wrong room",))])
def test_what_is_reported_on_a_walk_through_a_house_is_consistent(
    seed: int, objects: int, also: tuple[str, ...]
) -> None:
    """In the first, a far look once opened a shut cabinet, and a doorway led from the living room to itself. In the
    second, floor behind a doorway of the living room is as near to one in another of its walls."""
    faults = audit(seed, objects=objects).wrong
    assert {fault: faults[fault] for fault in (*NEVER, *also) if faults[fault]} == {}
