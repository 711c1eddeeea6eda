"""The tables 2, 3 and H3-H6 as the paper prints them (`tests/golden/emmoe_paper`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from typing import Any

from homie.bench.score.emmoe_error_rows import HEADS, counts_by_head
from homie.bench.score.error_code_of_feedback import CODES, GROUPS
from homie.bench.score.metrics import ErrorCounts, Ratio

FILE = Path(__file__).parents[1] / "golden" / "emmoe_paper" / "tables.json"
MODELS = ("GPT-4o", "Gemini", "Qwen2-VL", "MiniCPM", "o1", "SFT+DPO", "SFT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """A printed figure that does not follow from the counts.

    Attributes:
        follows: The figure that does.
    """

    table: str
    row: str
    column: str
    printed: str
    follows: str


@cache
def tables() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(FILE.read_bytes())
    return content


def counts(section: str) -> dict[str, ErrorCounts]:
    """The rows of H5_counts or H6_counts, checked for their own totals."""
    rows = {}
    for model, row in tables()[section].items():
        rows[model] = ErrorCounts(dict(zip(CODES, row["codes"], strict=True)), row["steps"])
        assert rows[model].total == row["errors"]
    return rows


def read_printed_table(table: str) -> dict[str, dict[str, str]]:
    """A table of the paper by model and column."""
    return {model: dict(zip(HEADS, cells, strict=True)) for model, cells in tables()["printed"][table].items()}


def mismatches() -> list[Mismatch]:
    """Every printed figure of H3-H6 that does not follow from the counts in H5 and H6.

    H6 has no row for o1; its row of H4 is compared with the smallest counts that give its ten codes.
    """
    differing: list[Mismatch] = []
    for shares, sums in (("H3", "H5"), ("H4", "H6")):
        for model, row in counts(f"{sums}_counts").items():
            differing += check_shares(shares, model, row, read_printed_table(shares)[model])
            differing += check_counts(sums, model, row, read_printed_table(sums)[model])
    without_counts = read_printed_table("H4")["o1"]
    implied = implied_counts(without_counts)
    assert implied is not None
    differing += check_shares("H4", "o1", implied, without_counts)
    return differing


def pooled_srr() -> dict[str, Ratio]:
    """Errors in successful runs over all errors, for the models that have both rows."""
    good, bad = counts("H5_counts"), counts("H6_counts")
    return {model: Ratio(good[model].total, good[model].total + bad[model].total) for model in bad}


def table2(model: str) -> dict[str, float]:
    """The metrics of a model in table 2."""
    longer = {"Gemini": "Gemini-1.5-Pro", "Qwen2-VL": "Qwen2-VL-7B", "MiniCPM": "MiniCPM-V2.6"}
    row: dict[str, float] = tables()["table2"][longer.get(model, model)]
    return row


def table3(model: str) -> dict[str, list[float]]:
    """The metrics of a model in table 3 by split: SR, PLWSR, TP, SRR, SER."""
    row: dict[str, list[float]] = tables()["table3"][model]
    return row


def percentage(part: int, whole: int) -> str:
    """A percentage with two decimals, rounded half up from the exact quotient; `0.00` if `whole` is 0."""
    exact = Decimal(100 * part) / Decimal(whole) if whole else Decimal(0)
    return str(exact.quantize(Decimal("0.01"), ROUND_HALF_UP))


def check_shares(table: str, row: str, counts: ErrorCounts, printed: Mapping[str, str]) -> list[Mismatch]:
    """The percentages of a printed row that do not follow from the counts (two decimals)."""
    sums = counts_by_head(counts)
    mismatches = []
    for head in HEADS:
        follows = percentage(*((sums["All"], counts.steps) if head == "All" else (sums[head], sums["All"])))
        if Decimal(follows) != Decimal(printed[head]):
            mismatches.append(Mismatch(table=table, row=row, column=head, printed=printed[head], follows=follows))
    return mismatches


def check_counts(table: str, row: str, counts: ErrorCounts, printed: Mapping[str, str]) -> list[Mismatch]:
    """The sums of a printed row of counts (`7/126`) that differ from the sums of the row's own counts."""
    sums = counts_by_head(counts)
    mismatches = []
    for head in (*GROUPS, "All"):
        total = counts.steps if head == "All" else sums["All"]
        follows = f"{sums[head]}/{total}"
        if printed[head] != follows:
            mismatches.append(Mismatch(table=table, row=row, column=head, printed=printed[head], follows=follows))
    return mismatches


def implied_counts(printed: Mapping[str, str], limit: int = 10_000) -> ErrorCounts | None:
    """The smallest whole counts that reproduce every printed share of the ten codes, for rows without printed counts.

    None if no total up to `limit` reproduces them. The number of steps follows from the printed `All`, rounded.
    """
    shares = {code: Decimal(printed[code]) for code in CODES}
    for total in range(1, limit + 1):
        codes = {code: round(share * total / 100) for code, share in shares.items()}
        if sum(codes.values()) == total and all(
            Decimal(percentage(count, total)) == shares[code] for code, count in codes.items()
        ):
            return ErrorCounts(codes, round(100 * total / Decimal(printed["All"])))
    return None
