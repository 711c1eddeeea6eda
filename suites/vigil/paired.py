"""Effect of feedback: the same episodes, played by the same agent without and with it (paper, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from homie.bench.intervals_and_tests import Term, bootstrap
from homie.bench.score.plugin_runs import Comparison
from homie.bench.table_formats import Cell, Column, Table
from homie.kernel.errors import BadInput
from homie.kernel.support.text import format_count
from homie.runtime.runstore import read_model
from homie.runtime.runstore.json_lines import read_complete_lines
from suites.published.vigil_episode import Family
from suites.published.vigil_rates import feedback_effect, rates
from suites.published.vigil_score import Score
from suites.vigil.record import Record
from suites.vigil.results import EPISODES, HEAD, Head

CHANGES: tuple[tuple[str, Callable[[Score], bool]], ...] = (
    ("W", lambda score: score.world),
    ("B", lambda score: score.benchmark),
    ("FR", lambda score: score.false_report),
    ("NR", lambda score: score.no_report),
)
"""Rates whose change is shown with an interval."""
COUNTS = ("too far", "path blocked", "retries", "steps")
"""Means per episode that are shown without and with feedback."""


def feedback_table(folders: Sequence[Path]) -> Table:
    """The change by family and over all, for W, B, FR and NR with 95 % intervals.

    Args:
        folders: run folders of `homie vigil`, one with `--feedback silent` and one with `--feedback told`.

    Raises:
        BadInput: they are not two such runs of one agent, or not the same episodes are finished in both.
    """
    silent, with_feedback_records = _two_runs(folders)
    pairs = [(silent[name], with_feedback_records[name]) for name in silent]
    families = [family for family in Family if any(record.family is family for record, _ in pairs)]
    groups = [(family.name, [pair for pair in pairs if pair[0].family is family]) for family in families]
    columns = (
        Column("family"),
        Column("n", "count"),
        *(Column(f"{name}, told - silent", "percent") for name, _ in CHANGES),
        *(Column(f"{name} {when}", "number") for name in COUNTS for when in ("silent", "told")),
    )
    rows = tuple(_row(name, members) for name, members in (*groups, ("all", pairs)))
    note = (
        "Points of the same episodes; 95 % intervals by bootstrap over houses, none where all changed alike. The others"
        " are means per episode."
    )
    return Table("What feedback changed", columns, rows, (note,))


def _row(name: str, pairs: Sequence[tuple[Record, Record]]) -> tuple[Cell, ...]:
    scored = [(record.house, record.score(), other.score()) for record, other in pairs]
    effect = feedback_effect(rates([score for _, score, _ in scored]), rates([other for _, _, other in scored]))
    changes = [
        bootstrap(Term(house, float(value(other)) - float(value(score)), 1.0) for house, score, other in scored)
        for _, value in CHANGES
    ]
    counts = (effect.too_far, effect.path_blocked, effect.retries, effect.steps)
    return (name, len(pairs), *changes, *(mean for both in counts for mean in both))


def _two_runs(folders: Sequence[Path]) -> tuple[dict[str, Record], dict[str, Record]]:
    heads = {read_model(folder / HEAD, Head).feedback: folder for folder in folders}
    if len(folders) != 2 or set(heads) != {"silent", "told"}:
        raise BadInput(
            "Runs of `homie vigil` are compared in twos, one with --feedback silent and one with --feedback told; "
            "planners side by side: --protocols PAGE."
        )
    silent, with_feedback = (read_model(heads[feedback] / HEAD, Head) for feedback in ("silent", "told"))
    changed = {"feedback", "prompt"}  # the prompt names the feedback
    compared = [name for name in Head.model_fields if name not in changed]
    other = [name for name in compared if getattr(silent, name) != getattr(with_feedback, name)]
    if other:
        raise BadInput(
            f"{heads['silent']} and {heads['told']} differ in more than feedback ({', '.join(other)}): play both with "
            "the same other options."
        )
    without, given = (_records(heads[feedback]) for feedback in ("silent", "told"))
    if not without or without.keys() != given.keys():
        unpaired = len(without.keys() ^ given.keys())
        raise BadInput(
            f"{format_count(unpaired, 'episode')} in only one of {heads['silent']} and {heads['told']}: give each "
            "command once more, it plays what is left."
        )
    return without, given


def _records(folder: Path) -> dict[str, Record]:
    records, _ = read_complete_lines(folder / EPISODES, Record)
    return {record.id: record for record in records}


COMPARISON = Comparison(HEAD, lambda folders: (feedback_table(folders),))
"""How `homie compare` recognizes runs of `homie vigil`, and the tables that it makes of them."""
