"""Tables H3 and H4 of the paper follow from the counts in H5 and H6, but for what their README lists."""

from __future__ import annotations

import re
from dataclasses import astuple
from pathlib import Path

import paper_tables

from homie.bench.score.emmoe_error_rows import HEADS, shares_by_head
from homie.bench.score.metrics import ErrorCounts

PAGE = Path(__file__).resolve().parents[1] / "golden" / "emmoe_paper" / "README.md"


def test_what_does_not_follow_is_listed() -> None:
    listed = [line for line in PAGE.read_text(encoding="utf-8").split("\n") if re.match(r"\| H\d", line)]
    rows = [f"| {' | '.join(astuple(mismatch))} |" for mismatch in paper_tables.mismatches()]
    assert sorted(listed) == sorted(rows)


def test_every_row_was_compared() -> None:
    for table, section in (("H3", "H5_counts"), ("H4", "H6_counts")):
        rows = paper_tables.counts(section)
        assert len(rows) >= 6
        for model, row in rows.items():
            printed = paper_tables.read_printed_table(table)[model]
            assert set(printed) == set(HEADS)
            shares = shares_by_head(row)
            for head in HEADS:
                assert abs(100 * (shares[head] or 0.0) - float(printed[head])) < 0.0151


def test_a_wrong_figure_is_found() -> None:
    counts = ErrorCounts({"L1": 1, "D1": 2}, 10)
    right = {**dict.fromkeys(HEADS, "0"), "L1": "33.33", "L": "33.33", "D1": "66.67", "D": "66.67", "All": "30"}
    assert paper_tables.check_shares("T", "row", counts, right) == []
    (mismatch,) = paper_tables.check_shares("T", "row", counts, {**right, "D1": "66.66"})
    assert (mismatch.column, mismatch.printed, mismatch.follows) == ("D1", "66.66", "66.67")


def test_implied_counts_are_those_that_were_printed() -> None:
    for model in ("GPT-4o", "SFT"):
        row = paper_tables.counts("H6_counts")[model]
        implied = paper_tables.implied_counts(paper_tables.read_printed_table("H4")[model])
        assert implied is not None
        assert row.total % implied.total == 0 or implied.total < row.total
    assert paper_tables.implied_counts(dict.fromkeys(HEADS, "3.00")) is None


def test_implied_counts_are_the_smallest() -> None:
    none = dict.fromkeys(HEADS, "0.00")
    single = paper_tables.implied_counts({**none, "E1": "100.00", "All": "50"})
    assert single is not None and (single.codes["E1"], single.total, single.steps) == (1, 1, 2)
    three = {**none, "L1": "33.33", "D1": "66.67", "All": "30"}
    assert paper_tables.implied_counts(three, limit=2) is None
    implied = paper_tables.implied_counts(three, limit=3)
    assert implied is not None and (implied.codes["L1"], implied.codes["D1"], implied.steps) == (1, 2, 10)


def test_a_percentage_of_nothing_is_nothing() -> None:
    assert [paper_tables.percentage(*of) for of in ((3, 0), (1, 3), (1, 800), (3, 800))] == [
        "0.00",
        "33.33",
        "0.13",
        "0.38",
    ]


def test_srr_next_to_the_counts_is_listed() -> None:
    lines = PAGE.read_text(encoding="utf-8").split("\n")
    listed = [line for line in lines if re.match(r"\| SRR \| .* \| [\d.]+ \|$", line)]
    rows = [
        f"| SRR | {model} | {printed:.2f} | {100 * srr.value:.2f} |"
        for model, srr in paper_tables.pooled_srr().items()
        for printed in (paper_tables.table2(model)["SRR"],)
        if srr.value is not None and f"{100 * srr.value:.2f}" != f"{printed:.2f}"
    ]
    assert listed == rows


def test_success_rates_are_whole_numbers_of_runs() -> None:
    """All of 300 runs, but for SFT+DPO, of which three are missing."""
    for model in paper_tables.MODELS:
        percentage, part = paper_tables.table2(model)["SR"], 297 if model == "SFT+DPO" else 300
        assert is_share(percentage, part)
    assert not is_share(paper_tables.table2("SFT+DPO")["SR"], 300)
    for model, train in (("SFT", 270), ("SFT+DPO", 267)):
        row = paper_tables.table3(model)
        assert is_share(row["train"][0], train) and is_share(row["test"][0], 30)


def is_share(printed: float, runs: int) -> bool:
    return any(f"{100 * successes / runs:.2f}" == f"{printed:.2f}" for successes in range(runs + 1))
