"""The paper's error tables from their own counts: H3 and H4 are shares of what H5 and H6 count (appendix H.2)."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from homie.bench.score.errors import CODES, GROUPS
from homie.bench.score.metrics import ErrorCounts

HEADS = (*(head for letter, codes in GROUPS.items() for head in (*codes, letter)), "All")
"""The columns of the tables H3-H6: L1..L4, L, D1, D2, D, F1, F2, F, E1, E2, E, All."""


class Mismatch(NamedTuple):
    """A printed figure that does not follow from the counts, and what does."""

    table: str
    row: str
    column: str
    printed: str
    follows: str


def counts_by_head(counts: ErrorCounts) -> dict[str, int]:
    """A row of H5 or H6: errors by code and kind, `All` is their sum."""
    made = {head: sum(counts.codes.get(code, 0) for code in GROUPS.get(head, (head,))) for head in HEADS[:-1]}
    return {**made, "All": sum(counts.codes.get(code, 0) for code in CODES)}


def shares_by_head(counts: ErrorCounts) -> dict[str, float | None]:
    """A row of H3 or H4, as shares: each code and kind of all errors, `All` of all steps."""
    rows = counts_by_head(counts)
    total, steps = rows["All"], counts.steps
    made = {head: rows[head] / total if total else None for head in HEADS[:-1]}
    return {**made, "All": total / steps if steps else None}


def percentage(part: int, whole: int) -> str:
    """A percentage with two digits, rounded half up from the exact quotient; `0.00` of nothing."""
    exact = Decimal(100 * part) / Decimal(whole) if whole else Decimal(0)
    return str(exact.quantize(Decimal("0.01"), ROUND_HALF_UP))


def check_shares(table: str, row: str, counts: ErrorCounts, printed: Mapping[str, str]) -> list[Mismatch]:
    """The figures of a printed row of percentages that do not follow from the counts (two digits)."""
    made = counts_by_head(counts)
    found = []
    for head in HEADS:
        follows = percentage(*((made["All"], counts.steps) if head == "All" else (made[head], made["All"])))
        if Decimal(follows) != Decimal(printed[head]):
            found.append(Mismatch(table, row, head, printed[head], follows))
    return found


def check_counts(table: str, row: str, counts: ErrorCounts, printed: Mapping[str, str]) -> list[Mismatch]:
    """The sums of a printed row of counts (`7/126`) that are not the sums of its own figures."""
    made = counts_by_head(counts)
    found = []
    for head in (*GROUPS, "All"):
        whole = counts.steps if head == "All" else made["All"]
        follows = f"{made[head]}/{whole}"
        if printed[head] != follows:
            found.append(Mismatch(table, row, head, printed[head], follows))
    return found


def implied_counts(printed: Mapping[str, str], limit: int = 10_000) -> ErrorCounts | None:
    """The smallest whole counts that give every printed share of the ten codes, where the paper has no counts.

    None if no total up to `limit` does. The steps are what the printed `All` says, rounded.
    """
    shares = {code: Decimal(printed[code]) for code in CODES}
    for total in range(1, limit + 1):
        codes = {code: round(share * total / 100) for code, share in shares.items()}
        if sum(codes.values()) == total and all(
            Decimal(percentage(count, total)) == shares[code] for code, count in codes.items()
        ):
            return ErrorCounts(codes, round(100 * total / Decimal(printed["All"])))
    return None
