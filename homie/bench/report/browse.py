"""What a page lets one browse by: every episode with what it can be filtered by, and every task by run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from homie.bench.report.data import Shown, Source
from homie.kernel.text import printable

FACETS = ("run", "outcome", "lost by", "world", "done by", "split", "attribute", "code")
"""What episodes are filtered by besides words, in the order of the page."""


@dataclass(frozen=True, slots=True)
class Listed:
    """An episode with its number on the page, counted from 1, and its values by facet."""

    number: int
    episode: Shown
    facets: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task with its episodes by the label of the run, in the order of trials. number: on the page, from 1."""

    number: int
    name: str
    text: str
    attributes: tuple[str, ...]
    split: str
    by_run: Mapping[str, tuple[Listed, ...]]
    done_by: str

    @property
    def episodes(self) -> tuple[Listed, ...]:
        return tuple(one for some in self.by_run.values() for one in some)

    @property
    def rivals(self) -> tuple[Listed, Listed] | None:
        """Two episodes to begin a comparison with: the first of two runs, or else the first two trials."""
        firsts = [some[0] for some in self.by_run.values() if some]
        pair = firsts if len(firsts) > 1 else self.episodes
        return (pair[0], pair[1]) if len(pair) > 1 else None


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All episodes and tasks of a page. facets: the values of each that tells episodes apart."""

    episodes: tuple[Listed, ...]
    tasks: tuple[TaskRow, ...]
    facets: Mapping[str, tuple[str, ...]]


def catalogue(sources: Sequence[Source]) -> Catalogue:
    """Number the episodes of some runs, group them by task, and say what they can be filtered by."""
    numbered = list(enumerate((one for source in sources for one in source.episodes), 1))
    names = list(dict.fromkeys(one.task for _, one in numbered))
    done = {name: _done_by([one for _, one in numbered if one.task == name], len(sources)) for name in names}
    episodes = tuple(Listed(number, one, _facets(one, done[one.task])) for number, one in numbered)
    tasks = []
    for number, name in enumerate(names, 1):
        some = [one for one in episodes if one.episode.task == name]
        by_run = {source.label: tuple(one for one in some if one.episode.run == source.label) for source in sources}
        first = some[0].episode
        tasks.append(TaskRow(number, name, first.text, first.attributes, first.split, by_run, done[name]))
    return Catalogue(episodes, tuple(tasks), _values(episodes))


def _done_by(episodes: Sequence[Shown], runs: int) -> str:
    """Which runs did a task in some trial, in words; "" where there is one run, or nothing is judged."""
    judged = dict.fromkeys(one.run for one in episodes if one.outcome in ("succeeded", "failed", "lost"))
    did = dict.fromkeys(one.run for one in episodes if one.outcome == "succeeded")
    if runs < 2 or not judged:
        return ""
    if not did:
        return "no run"
    if len(did) == 1:
        return f"only {next(iter(did))}"
    return "every run" if len(did) == runs else "several runs"


def _facets(one: Shown, done_by: str) -> dict[str, tuple[str, ...]]:
    verdict = one.score.verdict if one.score else None
    world = {True: ("done",), False: ("not done",), None: ()}[verdict]
    if one.score and one.score.disagrees:
        world = (*world, "disagrees with key path")
    found: dict[str, tuple[str, ...]] = {
        "run": (one.run,),
        "outcome": (one.outcome,),
        "lost by": (one.ending.cause.partition(":")[0],) if one.outcome == "lost" and one.ending else (),
        "world": world,
        "done by": (done_by,) if done_by else (),
        "split": (one.split,) if one.split else (),
        "attribute": one.attributes,
        "code": tuple(sorted(set(one.codes))),
    }
    return {name: tuple(map(printable, found[name])) for name in FACETS}


def _values(episodes: Sequence[Listed]) -> dict[str, tuple[str, ...]]:
    """The values of each facet in the order in which they first occur; codes by name. Facets of one value are left out,
    unless only some episodes have it."""
    found = {}
    for name in FACETS:
        values = tuple(dict.fromkeys(value for one in episodes for value in one.facets[name]))
        everywhere = len(values) == 1 and all(one.facets[name] for one in episodes)
        if values and not everywhere:
            found[name] = tuple(sorted(values)) if name == "code" else values
    return found
