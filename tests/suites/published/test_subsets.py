"""The subsets of EmbodiedBench as attributes of tasks, and which suites are in them."""

from __future__ import annotations

from homie.bench.score.mistakes import has_subsets
from homie.bench.suite.suite import ATTRIBUTES, find_suite
from suites.published.embodiedbench_files import ALFRED_SUBSETS


def test_the_subsets_are_attributes() -> None:
    assert {subset.replace("_", "-") for subset in ALFRED_SUBSETS} <= set(ATTRIBUTES)


def test_suites_in_subsets_have_mistakes() -> None:
    assert has_subsets(find_suite("homie-eb-table")) and has_subsets(find_suite("homie-eb-house"))
    assert not has_subsets(find_suite("homie-eb-nav")), "its planner only steps"
