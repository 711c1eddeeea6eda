"""Format verdicts as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from benchmarks.episodes.put_verdicts import Verdict
from homie.bench.intervals_and_tests import wilson


def report(title: str, verdicts: Sequence[Verdict]) -> str:
    """Format a section: results by sort of destination, failures by cause, and every failure."""
    lines = [f"## {title}", "", "| destination | episodes | as asked, doors as they were or closed | 95 % (Wilson) |"]
    lines[-1] += " as asked | rounds | robot s | wall s | longest row of one E1 |"
    lines.append("|---|---|---|---|---|---|---|---|---|")
    sorts = [sort for sort in ("furniture", "bowl", "stack") if any(v.sort == sort for v in verdicts)]
    for sort in (*sorts, "all"):
        lines.append(_row(sort, [v for v in verdicts if sort in (v.sort, "all")]))
    failed = [v for v in verdicts if not v.success]
    if failed:
        lines += ["", "| episodes | cause of the failure |", "|---|---|"]
        lines += [f"| {count} | {cause} |" for cause, count in Counter(v.cause for v in failed).most_common()]
        lines += ["", "| seed | task | what stood in the way |", "|---|---|---|"]
        lines += [f"| {v.seed} | {v.task} | {v.cause} |" for v in failed]
    return "\n".join(lines) + "\n"


def _row(name: str, verdicts: Sequence[Verdict]) -> str:
    count, successes = len(verdicts), sum(v.success for v in verdicts)
    low, high = (100 * bound for bound in wilson(successes, count))
    placed = sum(v.placed for v in verdicts)
    medians = (
        np.median([getattr(v, field) for v in verdicts]) for field in ("rounds", "robot_seconds", "wall_seconds")
    )
    rounds, robot, wall = (f"{value:.0f}" for value in medians)
    share = f"**{successes}** ({100 * successes / count:.0f} %)"
    row = max(v.row for v in verdicts)
    return f"| {name} | {count} | {share} | {low:.0f}-{high:.0f} % | {placed} | {rounds} | {robot} | {wall} | {row} |"
