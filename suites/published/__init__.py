"""Tasks of published benchmarks. In Homie's homes: `homie-states` (docs/houses.md), `homie-eb-house`,
`homie-eb-rearrange`, `homie-eb-nav` and `homie-eb-table` (docs/published-benchmarks.md), `homie-menu` and
`homie-menu-graph` (docs/published-benchmarks.md); from files that a benchmark released: `embodiedbench`, `alfred`."""

from __future__ import annotations

from homie.bench.suite.shipped import shipped
from homie.bench.suite.suite import Suite
from suites.published.quirks import EB_ALFRED, EB_MANIPULATION, EB_NAVIGATION, with_quirks


def homie_menu() -> Suite:
    """125 tasks by numbered options in the five categories of EmbodiedEval."""
    return shipped(__name__, "homie-menu")


def homie_menu_graph() -> Suite:
    """The tasks of homie-menu on a navigation graph, each with few interactions of its own."""
    return shipped(__name__, "homie-menu-graph")


def homie_states() -> Suite:
    """72 tasks over verbs and states of a household, and people, in generated houses with states."""
    return shipped(__name__, "homie-states")


def homie_eb_house() -> Suite:
    """50 errands in generated houses, each in the six ways of EmbodiedBench's subsets, played by numbers."""
    return shipped(__name__, "homie-eb-house")


def homie_eb_rearrange() -> Suite:
    """50 errands that move things, in the six ways of EmbodiedBench's subsets; the robot is sent to furniture alone."""
    return shipped(__name__, "homie-eb-rearrange")


def homie_eb_table() -> Suite:
    """48 scenes of a Panda's table, each in the five ways of EB-Manipulation's subsets, played by seven numbers."""
    return shipped(__name__, "homie-eb-table")


def homie_eb_nav() -> Suite:
    """60 targets in generated houses, each in the five ways of EB-Navigation's subsets, by small steps."""
    return shipped(__name__, "homie-eb-nav")


def homie_eb_house_strict() -> Suite:
    """homie-eb-house as the official evaluator of EB-ALFRED plays its tasks, its faults included."""
    return with_quirks(homie_eb_house(), "homie-eb-house-strict-eb", EB_ALFRED)


def homie_eb_rearrange_strict() -> Suite:
    """homie-eb-rearrange with the faults of the official evaluator of EB-Habitat, which are those of EB-ALFRED."""
    return with_quirks(homie_eb_rearrange(), "homie-eb-rearrange-strict-eb", EB_ALFRED)


def homie_eb_nav_strict() -> Suite:
    """homie-eb-nav with the faults of the official evaluator of EB-Navigation."""
    return with_quirks(homie_eb_nav(), "homie-eb-nav-strict-eb", EB_NAVIGATION)


def homie_eb_table_strict() -> Suite:
    """homie-eb-table with the faults of the official evaluator of EB-Manipulation, which counts no failures."""
    return with_quirks(homie_eb_table(), "homie-eb-table-strict-eb", EB_MANIPULATION, failures=None)
