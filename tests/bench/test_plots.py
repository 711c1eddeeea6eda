"""The plots of a report, against drawings that a person has looked at (tests/golden/plots).

Where the design has changed, write them anew and look at them in a browser: python tests/bench/test_plots.py
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markupsafe import Markup

from homie.bench.intervals_and_tests import Interval
from homie.bench.report.svg_drawing import Bar, Stack, columns, legend, share_bars, stacked_bars, totals

GOLDEN = Path(__file__).parents[1] / "golden" / "plots"
BARS = [
    Bar(label="all", value=0.375, interval=Interval(0.2, 0.61), note="of 8 episodes"),
    Bar(label="", value=0.5, interval=None, style="s1"),
    Bar(label="an attribute with a name that is long", value=None, interval=Interval(0.0, 1.0)),
    Bar(label="instruction comprehension", value=0.25),
    Bar(label="nothing <done>", value=0.0, interval=Interval(0.0, 0.3125), note="of 4 episodes", style="s1"),
]
RATES = [
    Stack("rule, succeeded", {"D1": 1.25, "Go to": 0.0, "E1": 22.0}, "3/80"),
    Stack("rule, failed", {"D1": 30.0, "F2": 0.5}, "9/30"),
    Stack("nothing", {}, "0/0"),
]
COUNTS = [
    Stack("1", {"succeeded": 2, "failed": 1}),
    Stack("2", {"succeeded": 0, "failed": 0}),
    Stack("3", {"failed": 5}),
    Stack("4", {"out of rounds": 1}),
]


def drawings() -> dict[str, Markup]:
    """What is compared, by name."""
    return {
        "shares": share_bars("Success rate by attribute", BARS),
        "shares-none": share_bars("Success rate", []),
        "stacked": stacked_bars("Errors per 100 steps", RATES),
        "stacked-unit": stacked_bars("Shares", [Stack("rule", {"L1": 0.3, "L2": 0.12})], " %"),
        "stacked-none": stacked_bars("Errors", []),
        "columns": columns("Episodes by steps", COUNTS),
        "columns-every": columns("Episodes by steps", COUNTS, 3),
        "columns-none": columns("Episodes by steps", []),
        "legend": legend([("s0", "rule & chat"), ("Go to", "Go to: 3")]),
    }


def lines(drawing: Markup) -> str:
    """With one element a line, to be read and compared."""
    return re.sub(r"(?<=>)(?=<(rect|text|path|li|/svg|/ul))", "\n", str(drawing)) + "\n"


@pytest.mark.parametrize("name", drawings())
def test_it_is_drawn_as_when_somebody_looked(name: str) -> None:
    assert lines(drawings()[name]) == (GOLDEN / f"{name}.svg").read_text(encoding="utf-8")


def test_the_golden_drawings_are_all_compared() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(drawings())


@pytest.mark.parametrize(
    ("most", "marks"),
    [(0.03, "0 0.01 0.02 0.03"), (1, "0 0.25 0.5 0.75 1"), (3, "0 1 2 3"), (4, "0 1 2 3 4"), (7, "0 2 4 6 8"),
     (9, "0 2.5 5 7.5 10"), (18, "0 5 10 15 20"), (40, "0 10 20 30 40"), (41, "0 20 40 60"), (0, "0 0.25")],
)  # fmt: skip
def test_the_marks_of_an_axis_are_round_numbers(most: float, marks: str) -> None:
    drawn = stacked_bars("", [Stack("", {"a": most})])
    axis = re.findall(r'text-anchor="middle">([^<]*)</text>', str(drawn).split("<rect")[0].split("<title")[0])
    assert " ".join(axis).startswith(marks)


@pytest.mark.parametrize(
    ("most", "marks"), [(1, ["0", "1"]), (3, ["0", "1", "2", "3"]), (7, ["0", "2", "4", "6", "8"])]
)
def test_episodes_are_whole(most: int, marks: list[str]) -> None:
    axis = re.findall(r'text-anchor="end">([^<]*)</text>', str(columns("", [Stack("", {"a": most})])))
    assert axis == marks


def test_totals_leave_out_what_is_nothing() -> None:
    assert totals([Stack("a", {"L1": 1.0, "L2": 0.0}), Stack("b", {"L1": 0.5})]) == {"L1": 1.5}


if __name__ == "__main__":
    for each, drawing in drawings().items():
        (GOLDEN / f"{each}.svg").write_text(lines(drawing), encoding="utf-8")
