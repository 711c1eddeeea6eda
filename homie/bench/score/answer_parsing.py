"""Statistics of parsing language models' answers: exactly, with a leniency, or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from homie.bench.score.tokens_and_times import EpisodeUsage
from homie.bench.table_formats import Cell, Column, Table


def readings_table(runs: Mapping[str, Sequence[EpisodeUsage]]) -> Table:
    """Return a table with a row per run: numbers of answers parsed exactly, parsed with a leniency, and retried, then
    the number per leniency. No rows if no language model answered."""
    answered = {
        label: episodes for label, episodes in runs.items() if any(episode.usage.answers for episode in episodes)
    }
    counts = {label: _leniency_counts(episodes) for label, episodes in answered.items()}
    rules = sorted(
        {rule for count in counts.values() for rule in count}, key=lambda rule: (-_largest_count(counts, rule), rule)
    )
    rows = tuple(_row(label, answered[label], count, rules) for label, count in counts.items())
    heads = ("answers", "to the letter", "by a leniency", "asked again", *rules)
    notes = (
        "Without leniencies a run would have asked again for every answer that was parsed by one.",
        "An answer may need several leniencies; docs/prompts.md explains each of them.",
    )
    return Table("Answers", (Column("run"), *(Column(head, "count") for head in heads)), rows, notes)


def _leniency_counts(episodes: Sequence[EpisodeUsage]) -> Counter[str]:
    """Return the number of answers per leniency."""
    total: Counter[str] = Counter()
    for episode in episodes:
        total.update(episode.usage.leniencies)
    return total


def _largest_count(counts: Mapping[str, Counter[str]], rule: str) -> int:
    return max(count[rule] for count in counts.values())


def _row(label: str, episodes: Sequence[EpisodeUsage], count: Counter[str], rules: Sequence[str]) -> tuple[Cell, ...]:
    answers = sum(episode.usage.answers for episode in episodes)
    lenient = sum(episode.usage.lenient for episode in episodes)
    again = sum(episode.usage.unreadable for episode in episodes)
    return label, answers, answers - lenient - again, lenient, again, *(count[rule] for rule in rules)
