"""Counts over episodes: the statistics of EMMOE's appendix B.2, for any data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import mean
from typing import Any

from homie.data.episode import Episode, SkippedEpisode
from homie.data.examples.pairs import pairs, teachable
from homie.data.sources.source import Source, reading_episode
from homie.data.training_examples import EpisodeOver, every


@dataclass
class Statistics:
    """Counts over episodes, accumulated episode by episode.

    Attributes:
        outcomes: Episodes by outcome (`done`, `not done`; `said End` or `no End` if success is unknown).
        actions: All subtasks by action.
        failures: Failed subtasks by error code.
        models: Successful subtasks by model.
        lengths: Number of subtasks of each episode.
    """

    episodes: int = 0
    tasks: set[str] = field(default_factory=set)
    houses: set[str] = field(default_factory=set)
    splits: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    lengths: list[int] = field(default_factory=list)
    analyses: int = 0
    pictures: int = 0
    conversations: int = 0
    preferences: Counter[str] = field(default_factory=Counter)
    left_out: dict[str, str] = field(default_factory=dict)

    def add(self, episode: Episode) -> None:
        """Count an episode."""
        self.episodes += 1
        self.tasks.add(episode.task)
        if episode.house:
            self.houses.add(episode.house)
        self.splits[episode.split or "not said"] += 1
        outcome = {True: "done", False: "not done", None: "said End" if episode.ended else "no End"}
        self.outcomes[outcome[episode.done]] += 1
        self.lengths.append(len(episode.steps))
        for step in episode.steps:
            self.actions[step.subtask.action] += 1
            self.analyses += bool(step.analysis)
            self.pictures += len(step.pictures)
            if step.feedback.code is not None:
                self.failures[step.feedback.code] += 1
            elif step.model:
                self.models[step.model] += 1
        self.conversations += len(teachable(episode))
        self.preferences.update(pair.kind for pair in pairs(episode))

    @property
    def subtasks(self) -> int:
        """Number of subtasks of all episodes, including End and failures."""
        return sum(self.lengths)

    def report(self) -> dict[str, Any]:
        """Return all counts as JSON-ready values."""
        return {
            "episodes": self.episodes,
            "tasks": len(self.tasks),
            "houses": len(self.houses),
            "splits": dict(self.splits),
            "outcomes": dict(self.outcomes),
            "subtasks": self.subtasks,
            "failed": self.failures.total(),
            "mean_length": round(mean(self.lengths), 2) if self.lengths else 0.0,
            "longest": max(self.lengths, default=0),
            "actions": dict(self.actions.most_common()),
            "models": dict(self.models.most_common()),
            "error_codes": dict(sorted(self.failures.items())),
            "analyses": self.analyses,
            "pictures": self.pictures,
            "conversations": self.conversations,
            "pairs": dict(self.preferences),
            "left_out": self.left_out,
        }


def count(sources: Sequence[Source], progress: EpisodeOver | None = None) -> Statistics:
    """Count all episodes of some sources. Raises BadInput."""
    total = Statistics()
    for source, entry in every(sources):
        reason = ""
        try:
            with reading_episode(entry):
                total.add(source.read(entry))
        except SkippedEpisode as why:
            reason = total.left_out[entry.name] = str(why)
        if progress is not None:
            progress(entry, reason)
    return total
