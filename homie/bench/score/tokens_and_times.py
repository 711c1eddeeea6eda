"""Usage of episodes: tokens, cost, decision times, wall time and robot time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from homie.bench.table_formats import Cell, Column, Table
from homie.kernel.types import RoundRecord
from homie.runtime.runstore import EpisodeFile, Usage

SLOW = 0.95
"""Quantile of decision times called p95 in tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeUsage:
    """Usage of one episode.

    Attributes:
        usage: Tokens and cost of its language model, zero without one.
        decisions: Wall time in s of each decision, from the pictures to the subtasks, including retries and pauses.
        robot_seconds, wall_seconds: Duration of the whole episode.
    """

    task_id: str
    trial: int
    usage: Usage
    decisions: tuple[float, ...]
    robot_seconds: float
    wall_seconds: float

    @property
    def key(self) -> tuple[str, int]:
        return self.task_id, self.trial


def episode_usage(task_id: str, trial: int, ending: EpisodeFile, records: Sequence[RoundRecord]) -> EpisodeUsage:
    """Return the usage of a finished episode.

    Args:
        records: Records of its rounds, in order.
    """
    rounds = (next(round_records) for _, round_records in groupby(records, key=lambda record: record.round))
    decisions = tuple(first_record.timings["plan"] for first_record in rounds if "plan" in first_record.timings)
    return EpisodeUsage(
        task_id=task_id,
        trial=trial,
        usage=ending.usage,
        decisions=decisions,
        robot_seconds=ending.robot_seconds,
        wall_seconds=ending.wall_seconds,
    )


def usage_table(runs: Mapping[str, Sequence[EpisodeUsage]], successes: Mapping[str, int]) -> Table:
    """Return a table with a row per run: tokens, dollars, decision times, wall time and robot time per episode.

    Args:
        successes: Number of successful episodes of each run.
    """
    rows = tuple((label, *_row(episodes, successes[label])) for label, episodes in runs.items())
    counts = ("episodes", "decisions", "tokens in", "tokens out")
    numbers = (
        *("cost, $", "$ per success", "decision median, s", "decision p95, s"),
        *("wall, s", "robot, s", "real-time factor"),
    )
    columns = (
        Column("run"),
        *(Column(head, "count") for head in counts),
        *(Column(head, "number") for head in numbers),
    )
    notes = [
        "Over the episodes that were not lost. Tokens and cost: sums over all of them; cost where prices are known.",
        "Decision: wall seconds from the pictures to the subtasks. Wall and robot: mean seconds per episode.",
        "Real-time factor: robot seconds per wall second. Wall time depends on the machine and on parallel workers.",
        *(note for label, episodes in runs.items() for note in _cache_notes(label, episodes)),
    ]
    return Table("Usage", columns, rows, tuple(notes))


def _row(episodes: Sequence[EpisodeUsage], successes: int) -> tuple[Cell, ...]:
    decisions = [seconds for episode in episodes for seconds in episode.decisions]
    has_answers = any(episode.usage.answers for episode in episodes)
    cost = sum(episode.usage.cost for episode in episodes)
    wall, robot = sum(episode.wall_seconds for episode in episodes), sum(episode.robot_seconds for episode in episodes)
    median, slow = np.quantile(decisions, [0.5, SLOW]) if decisions else (None, None)
    return (
        len(episodes),
        len(decisions),
        sum(episode.usage.input_tokens for episode in episodes) if has_answers else None,
        sum(episode.usage.output_tokens for episode in episodes) if has_answers else None,
        cost or None,
        cost / successes if cost and successes else None,
        None if median is None else float(median),
        None if slow is None else float(slow),
        wall / len(episodes) if episodes else None,
        robot / len(episodes) if episodes else None,
        robot / wall if wall else None,
    )


def _cache_notes(label: str, episodes: Sequence[EpisodeUsage]) -> list[str]:
    """Return notes on answers and input tokens that came from a cache."""
    names = ("cached", "answers", "cache_read_tokens", "input_tokens")
    cached, answers, read_tokens, tokens = (sum(getattr(episode.usage, name) for episode in episodes) for name in names)
    notes = []
    if cached:
        remark = "they took no tokens and hardly any time"
        notes.append(f"{label}: {cached} of {answers} answers came from the cache; {remark}.")
    if read_tokens:
        notes.append(f"{label}: {read_tokens / max(1, tokens):.0%} of the tokens in came from the provider's cache.")
    return notes
