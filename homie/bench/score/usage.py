"""What episodes took: tokens, money, time to decide, wall and robot time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from homie.bench.tables import Cell, Column, Table
from homie.kernel.types import RoundRecord
from homie.runtime.runstore import EpisodeFile, Usage

SLOW = 0.95
"""The share of decisions that came faster than the time called p95."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What one episode took.

    usage: of its language model, if it has any. decisions: wall seconds of each decision, from the pictures to the
    subtasks, questions that were repeated and pauses included. robot_seconds, wall_seconds: of the whole episode.
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


def spent(task_id: str, trial: int, ending: EpisodeFile, records: Sequence[RoundRecord]) -> Spent:
    """What a finished episode took. records: its rounds, in order."""
    rounds = (next(some) for _, some in groupby(records, key=lambda record: record.round))
    decisions = tuple(first.timings["plan"] for first in rounds if "plan" in first.timings)
    return Spent(task_id, trial, ending.usage, decisions, ending.robot_seconds, ending.wall_seconds)


def usage_table(runs: Mapping[str, Sequence[Spent]], successes: Mapping[str, int]) -> Table:
    """A row per run: tokens and dollars, the time of a decision, wall and robot time of an episode.

    successes: how many of these episodes each run succeeded in.
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
        "Over the episodes that were not lost. Tokens and cost: all of them together; cost where prices are known.",
        "A decision: wall seconds from the pictures to the subtasks. Wall and robot: mean seconds of an episode.",
        "Real-time factor: robot seconds per wall second. Wall time is of this machine and the workers that share it.",
        *(note for label, episodes in runs.items() for note in _cached(label, episodes)),
    ]
    return Table("Usage", columns, rows, tuple(notes))


def _row(episodes: Sequence[Spent], successes: int) -> tuple[Cell, ...]:
    decisions = [seconds for one in episodes for seconds in one.decisions]
    asked = any(one.usage.answers for one in episodes)
    cost = sum(one.usage.cost for one in episodes)
    wall, robot = sum(one.wall_seconds for one in episodes), sum(one.robot_seconds for one in episodes)
    median, slow = np.quantile(decisions, [0.5, SLOW]) if decisions else (None, None)
    return (
        len(episodes),
        len(decisions),
        sum(one.usage.input_tokens for one in episodes) if asked else None,
        sum(one.usage.output_tokens for one in episodes) if asked else None,
        cost or None,
        cost / successes if cost and successes else None,
        None if median is None else float(median),
        None if slow is None else float(slow),
        wall / len(episodes) if episodes else None,
        robot / len(episodes) if episodes else None,
        robot / wall if wall else None,
    )


def _cached(label: str, episodes: Sequence[Spent]) -> list[str]:
    """What one has to know of answers, and of parts of questions, that came from a cache."""
    names = ("cached", "answers", "cache_read_tokens", "input_tokens")
    cached, answers, read, tokens = (sum(getattr(one.usage, name) for one in episodes) for name in names)
    notes = []
    if cached:
        took = "they took no tokens and hardly any time"
        notes.append(f"{label}: {cached} of {answers} answers came from the cache; {took}.")
    if read:
        notes.append(f"{label}: {read / max(1, tokens):.0%} of the tokens in came from the provider's cache.")
    return notes
