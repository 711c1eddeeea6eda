"""The tables H3-H6 as the paper prints them, and their counts, from the reference material."""

from __future__ import annotations

import golden
import pytest

from homie.bench.errors import CODES
from homie.bench.metrics import ErrorCounts, Ratio
from homie.bench.paper import HEADS, Mismatch, check_counts, check_shares, implied_counts

MODELS = ("GPT-4o", "Gemini", "Qwen2-VL", "MiniCPM", "o1", "SFT+DPO", "SFT")


def counts(section: str) -> dict[str, ErrorCounts]:
    """The rows of H5_success_counts or H6_failed_counts, checked for their own totals."""
    rows = {}
    for model, row in golden.read(golden.SHARED / "data" / "emmoe" / "paper_tables.json")[section].items():
        values = [value for letter in "LDFE" for value in row[letter]]
        rows[model] = ErrorCounts(dict(zip(CODES, values, strict=True)), row["steps"])
        assert rows[model].total == row["err"]
    return rows


def printed(table: str) -> dict[str, dict[str, str]]:
    """A table of the paper by model and column."""
    path = golden.SHARED / "papers" / "emmoe.txt"
    if not path.exists():
        pytest.skip("the text of the paper is not here")
    text = path.read_text(encoding="utf-8")
    rows: dict[str, dict[str, str]] = {}
    for line in text[text.index(f"Table {table}: ") :].split("\n")[1:]:
        cells = [cell.strip() for cell in line.split("\t")]
        if line.startswith("Table "):
            break
        if len(cells) == len(HEADS) + 1 and cells[0] != "Models":
            model = next(name for name in MODELS if name.lower() in cells[0].lower())
            rows[model] = dict(zip(HEADS, cells[1:], strict=True))
    return rows


def mismatches() -> list[Mismatch]:
    """Every printed figure of H3-H6 that does not follow from the counts in H5 and H6.

    H6 has no row for o1; its row of H4 is compared with the smallest counts that give its ten codes.
    """
    found: list[Mismatch] = []
    for shares, sums, section in (("H3", "H5", "H5_success_counts"), ("H4", "H6", "H6_failed_counts")):
        for model, row in counts(section).items():
            found += check_shares(shares, model, row, printed(shares)[model])
            found += check_counts(sums, model, row, printed(sums)[model])
    without_counts = printed("H4")["o1"]
    implied = implied_counts(without_counts)
    assert implied is not None
    found += check_shares("H4", "o1", implied, without_counts)
    return found


def pooled_srr() -> dict[str, Ratio]:
    """Errors in successful runs over all errors, for the models that have both rows."""
    good, bad = counts("H5_success_counts"), counts("H6_failed_counts")
    return {model: Ratio(good[model].total, good[model].total + bad[model].total) for model in bad}


def table2(model: str) -> dict[str, float]:
    """The metrics of a model in table 2."""
    rows: dict[str, dict[str, float]] = golden.read(golden.SHARED / "data" / "emmoe" / "paper_tables.json")["table2"]
    longer = {"Gemini": "Gemini-1.5-Pro", "Qwen2-VL": "Qwen2-VL-7B", "MiniCPM": "MiniCPM-V2.6"}
    return rows[longer.get(model, model)]


def table3(model: str) -> dict[str, list[float]]:
    """The metrics of a model in table 3 by split: SR, PLWSR, TP, SRR, SER."""
    rows: dict[str, dict[str, list[float]]] = golden.read(golden.SHARED / "data" / "emmoe" / "paper_tables.json")[
        "table3"
    ]
    return rows[model]
