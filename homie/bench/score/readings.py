"""How the answers of language models were read: to the letter, by which leniency, or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from homie.bench.score.usage import Spent
from homie.bench.tables import Cell, Column, Table


def readings_table(runs: Mapping[str, Sequence[Spent]]) -> Table:
    """A row per run: how many answers were read to the letter, by a leniency, or asked again; then how many each
    leniency has read. No rows where no language model answered."""
    asked = {label: episodes for label, episodes in runs.items() if any(one.usage.answers for one in episodes)}
    counts = {label: _counted(episodes) for label, episodes in asked.items()}
    rules = sorted({rule for count in counts.values() for rule in count}, key=lambda rule: (-_most(counts, rule), rule))
    rows = tuple(_row(label, asked[label], count, rules) for label, count in counts.items())
    heads = ("answers", "to the letter", "by a leniency", "asked again", *rules)
    notes = (
        "Without its leniencies a run would have asked again as often as an answer was read by one.",
        "An answer may need several; docs/answers.md says what each of them reads.",
    )
    return Table("Answers", (Column("run"), *(Column(head, "count") for head in heads)), rows, notes)


def _counted(episodes: Sequence[Spent]) -> Counter[str]:
    """How many answers each leniency has read."""
    total: Counter[str] = Counter()
    for one in episodes:
        total.update(one.usage.leniencies)
    return total


def _most(counts: Mapping[str, Counter[str]], rule: str) -> int:
    return max(count[rule] for count in counts.values())


def _row(label: str, episodes: Sequence[Spent], count: Counter[str], rules: Sequence[str]) -> tuple[Cell, ...]:
    answers = sum(one.usage.answers for one in episodes)
    lenient = sum(one.usage.lenient for one in episodes)
    again = sum(one.usage.unreadable for one in episodes)
    return label, answers, answers - lenient - again, lenient, again, *(count[rule] for rule in rules)
