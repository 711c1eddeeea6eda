"""Rows of the EMMOE paper's error tables: H3 and H4 are shares of the counts in H5 and H6 (appendix H.2)."""

from __future__ import annotations

from homie.bench.score.error_code_of_feedback import CODES, GROUPS
from homie.bench.score.metrics import ErrorCounts

HEADS = (*(head for letter, codes in GROUPS.items() for head in (*codes, letter)), "All")
"""Columns of the tables H3-H6: L1..L4, L, D1, D2, D, F1, F2, F, E1, E2, E, All."""


def counts_by_head(counts: ErrorCounts) -> dict[str, int]:
    """Return a row of H5 or H6: errors by code and group; `All` is their sum."""
    row = {head: sum(counts.codes.get(code, 0) for code in GROUPS.get(head, (head,))) for head in HEADS[:-1]}
    return {**row, "All": sum(counts.codes.get(code, 0) for code in CODES)}


def shares_by_head(counts: ErrorCounts) -> dict[str, float | None]:
    """Return a row of H3 or H4: each code and group as a share of all errors, `All` as a share of all steps."""
    rows = counts_by_head(counts)
    total, steps = rows["All"], counts.steps
    shares = {head: rows[head] / total if total else None for head in HEADS[:-1]}
    return {**shares, "All": total / steps if steps else None}
