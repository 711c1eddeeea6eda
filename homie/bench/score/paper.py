"""The paper's error tables checked against its own counts: H3 and H4 are shares of the counts in H5 and H6 (appendix
H.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from homie.bench.score.errors import CODES, GROUPS
from homie.bench.score.metrics import ErrorCounts

HEADS = (*(head for letter, codes in GROUPS.items() for head in (*codes, letter)), "All")
"""The columns of the tables H3-H6: L1..L4, L, D1, D2, D, F1, F2, F, E1, E2, E, All."""


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


def counts_by_head(counts: ErrorCounts) -> dict[str, int]:
    """A row of H5 or H6: errors by code and group; `All` is their sum."""
    row = {head: sum(counts.codes.get(code, 0) for code in GROUPS.get(head, (head,))) for head in HEADS[:-1]}
    return {**row, "All": sum(counts.codes.get(code, 0) for code in CODES)}


def shares_by_head(counts: ErrorCounts) -> dict[str, float | None]:
    """A row of H3 or H4: each code and group as a share of all errors, `All` as a share of all steps."""
    rows = counts_by_head(counts)
    total, steps = rows["All"], counts.steps
    shares = {head: rows[head] / total if total else None for head in HEADS[:-1]}
    return {**shares, "All": total / steps if steps else None}


def percentage(part: int, whole: int) -> str:
    """A percentage with two decimals, rounded half up from the exact quotient; `0.00` if `whole` is 0.

    Example:
        >>> percentage(1, 8)
        '12.50'
    """
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
        whole = counts.steps if head == "All" else sums["All"]
        follows = f"{sums[head]}/{whole}"
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
