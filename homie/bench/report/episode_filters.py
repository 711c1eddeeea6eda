"""Index of a report page: every episode with its filter values, and every task with its episodes by run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from homie.bench.report.runs_and_episodes import PageEpisode, Source
from homie.kernel.support.text import printable

FACETS = ("run", "outcome", "lost by", "world", "done by", "split", "attribute", "code")
"""The filters of the page other than free text, in the order of the page."""


@dataclass(frozen=True, slots=True)
class EpisodeEntry:
    """An episode with its number on the page, from 1, and its values for each filter."""

    number: int
    episode: PageEpisode
    facets: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """A task with its episodes by run label, in the order of their trials.

    Attributes:
        number: Number on the page, from 1.
    """

    number: int
    name: str
    text: str
    attributes: tuple[str, ...]
    split: str
    by_run: Mapping[str, tuple[EpisodeEntry, ...]]
    done_by: str

    @property
    def episodes(self) -> tuple[EpisodeEntry, ...]:
        return tuple(episode for trials in self.by_run.values() for episode in trials)

    @property
    def rivals(self) -> tuple[EpisodeEntry, EpisodeEntry] | None:
        """The two episodes that a comparison starts with: the first of two runs, otherwise the first two trials."""
        first_trials = [trials[0] for trials in self.by_run.values() if trials]
        pair = first_trials if len(first_trials) > 1 else self.episodes
        return (pair[0], pair[1]) if len(pair) > 1 else None


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All episodes and tasks of a page.

    Attributes:
        facets: The values of each filter that distinguishes episodes.
    """

    episodes: tuple[EpisodeEntry, ...]
    tasks: tuple[TaskRow, ...]
    facets: Mapping[str, tuple[str, ...]]


def catalogue(sources: Sequence[Source]) -> Catalogue:
    """Number the episodes of some runs, group them by task and collect their filter values."""
    numbered = list(enumerate((episode for source in sources for episode in source.episodes), 1))
    names = list(dict.fromkeys(episode.task for _, episode in numbered))
    done_by = {
        name: _successful_runs([episode for _, episode in numbered if episode.task == name], len(sources))
        for name in names
    }
    episodes = tuple(
        EpisodeEntry(number, episode, _facets(episode, done_by[episode.task])) for number, episode in numbered
    )
    tasks = []
    for number, name in enumerate(names, 1):
        task_episodes = [episode for episode in episodes if episode.episode.task == name]
        by_run = {
            source.label: tuple(episode for episode in task_episodes if episode.episode.run == source.label)
            for source in sources
        }
        first = task_episodes[0].episode
        tasks.append(
            TaskRow(
                number=number,
                name=name,
                text=first.text,
                attributes=first.attributes,
                split=first.split,
                by_run=by_run,
                done_by=done_by[name],
            )
        )
    return Catalogue(episodes, tuple(tasks), _values(episodes))


def _successful_runs(episodes: Sequence[PageEpisode], runs: int) -> str:
    """Describe the runs that succeeded at a task in some trial; "" for a single run or without any judged episode."""
    judged = dict.fromkeys(episode.run for episode in episodes if episode.outcome in ("succeeded", "failed", "lost"))
    succeeded = dict.fromkeys(episode.run for episode in episodes if episode.outcome == "succeeded")
    if runs < 2 or not judged:
        return ""
    if not succeeded:
        return "no run"
    if len(succeeded) == 1:
        return f"only {next(iter(succeeded))}"
    return "every run" if len(succeeded) == runs else "several runs"


def _facets(episode: PageEpisode, done_by: str) -> dict[str, tuple[str, ...]]:
    verdict = episode.score.verdict if episode.score else None
    world = {True: ("done",), False: ("not done",), None: ()}[verdict]
    if episode.score and episode.score.disagrees:
        world = (*world, "disagrees with key path")
    values: dict[str, tuple[str, ...]] = {
        "run": (episode.run,),
        "outcome": (episode.outcome,),
        "lost by": (episode.ending.cause.partition(":")[0],) if episode.outcome == "lost" and episode.ending else (),
        "world": world,
        "done by": (done_by,) if done_by else (),
        "split": (episode.split,) if episode.split else (),
        "attribute": episode.attributes,
        "code": tuple(sorted(set(episode.codes))),
    }
    return {name: tuple(map(printable, values[name])) for name in FACETS}


def _values(episodes: Sequence[EpisodeEntry]) -> dict[str, tuple[str, ...]]:
    """Return the values of each filter in the order of their first occurrence, error codes sorted by name.

    A filter with a single value is left out, unless only some episodes have that value.
    """
    facets = {}
    for name in FACETS:
        values = tuple(dict.fromkeys(value for episode in episodes for value in episode.facets[name]))
        is_universal = len(values) == 1 and all(episode.facets[name] for episode in episodes)
        if values and not is_universal:
            facets[name] = tuple(sorted(values)) if name == "code" else values
    return facets
