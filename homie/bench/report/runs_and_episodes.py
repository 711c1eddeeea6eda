"""Data of a report: the runs, their scores, and every episode with its rounds.

run folders --load--> Source ... with Shown episodes --> homie.bench.report
"""

from __future__ import annotations

import errno
import math
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Literal, TypeAlias

import yaml

from homie.bench.episode import Episode, FailedTry
from homie.bench.episode_plan import plan
from homie.bench.finished_episodes import BenchFile, is_bench
from homie.bench.goal_lines import GoalLine, read_goals
from homie.bench.options import BenchOptions
from homie.bench.report.origins import Origin, origin, origins
from homie.bench.runs_inside import check_different, is_run, runs_inside
from homie.bench.score.metric_profiles import Homie
from homie.bench.score.results import BenchRun, load_runs
from homie.bench.score.scores import Results, Score, score_run
from homie.bench.score.trajectory import Trajectory, from_ending
from homie.kernel.errors import BadInput
from homie.kernel.options import RunOptions
from homie.kernel.support.files import entries_of, reason_of
from homie.kernel.types import RoundRecord
from homie.kernel.world.conditions import Condition, conjuncts, serialize_condition
from homie.runtime.provenance import read_parts
from homie.runtime.runstore import FRAMES, EpisodeFile, RunFile, episode_folders, read_run, read_steps
from homie.runtime.runstore.damage import DAMAGED, DamagedEpisode, damaged_record, read_finished

Outcome: TypeAlias = Literal["succeeded", "failed", "lost", "unfinished", "not scored", "said End", "out of rounds"]
"""Outcome of an episode. `said End` and `out of rounds` (or of another limit) are those of a single run, which has no
success criterion."""
SINGLE = "single runs"
VIDEO = "video.mp4"


@dataclass(frozen=True, slots=True)
class Round:
    """One round: its number and its records, one for each subtask."""

    number: int
    records: tuple[RoundRecord, ...]

    @property
    def decided_in(self) -> float | None:
        """Wall time in s from the pictures to the decision, None if it was not recorded."""
        return self.records[0].timings.get("plan")

    @property
    def took(self) -> float | None:
        """Wall time of the whole round in s."""
        return self.records[-1].timings.get("total")

    @property
    def decision(self) -> str:
        """The subtasks on one line, or `unreadable`."""
        return " ".join(map(str, self.records[0].decision.subtasks)) or "unreadable"


@dataclass(frozen=True, slots=True)
class KeyPath:
    """A key path and the number of its nodes that were reached in order.

    Attributes:
        raised: Exception of the profile, if any.
    """

    nodes: tuple[str, ...]
    reached: int
    raised: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEpisode:
    """One episode on the page.

    Attributes:
        run: Label of its run.
        name: Folder name.
        task: Task id, or the instruction of a single run.
        score: None if the episode is unfinished.
        goals: Truth of its goal from the start on, if recorded.
        conditions: Conditions of the goal, in the form of suite files.
        closed: Its pictures or video if access is denied, `FILE (why)`.
    """

    run: str
    name: str
    task: str
    text: str
    trial: int
    folder: Path
    outcome: Outcome
    rounds: tuple[Round, ...]
    score: Score | None = None
    ending: EpisodeFile | None = None
    attributes: tuple[str, ...] = ()
    split: str = ""
    keypaths: tuple[KeyPath, ...] = ()
    failures: tuple[FailedTry, ...] = ()
    goals: tuple[GoalLine, ...] = ()
    conditions: tuple[str, ...] = ()
    closed: str = ""

    @property
    def unread(self) -> str:
        """Its unreadable file, `FILE (why)`; "" if all can be read."""
        cause = self.ending.cause if self.ending else ""
        return cause.removeprefix(f"{DAMAGED}: ") if cause.startswith(f"{DAMAGED}: ") else self.closed

    @property
    def decisions(self) -> tuple[float, ...]:
        """Wall time of each decision in s."""
        return tuple(seconds for part in self.rounds if (seconds := part.decided_in) is not None)

    @property
    def codes(self) -> tuple[str, ...]:
        """Error codes of its feedback, in order."""
        codes = (record.execution.feedback.code for part in self.rounds for record in part.records)
        return tuple(str(code) for code in codes if code)

    @property
    def steps(self) -> int:
        """Number of subtasks, including End and unreadable outputs."""
        return sum(len(part.records) for part in self.rounds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One planner in the report: a bench run, or all single runs of one planner.

    Attributes:
        facts: Options of the run.
        machine: Date, versions and platform.
        bench: None for single runs.
        origins: Settings, checkpoints and prompts of its episodes.
    """

    label: str
    results: Results
    episodes: tuple[PageEpisode, ...]
    facts: Mapping[str, str]
    machine: Mapping[str, str]
    bench: BenchRun | None = None
    origins: tuple[Origin, ...] = ()


def load(folders: Sequence[Path], profile: str = "homie") -> tuple[Source, ...]:
    """Read run folders of `homie bench` and `homie run`, or all run folders in a folder; single runs are grouped by
    planner and its settings.

    Raises:
        BadInput: A folder is not a run and contains none, or is given twice.
    """
    folders = runs_inside(folders)
    check_different(folders)
    for folder in folders:
        if not is_run(folder):
            raise BadInput(
                f"There is no run in {folder}: give a folder that `homie run` or `homie bench` wrote, or one with such "
                "folders in it."
            )
    benches = load_runs([folder for folder in folders if is_bench(folder)], profile)
    singles = [(folder, read_run(folder)) for folder in folders if not is_bench(folder)]
    singles.sort(key=lambda item: _planner(item[1]))
    groups = groupby(singles, key=lambda item: _planner(item[1]))
    labels = {run.label for run in benches}
    return (
        *(_bench(run) for run in benches),
        *(_single(f"{name} ({SINGLE})" if name in labels else name, list(runs)) for name, runs in groups),
    )


def _planner(file: RunFile) -> str:
    return f"{file.options.planner} {_settings(file.options)}".strip()


def _settings(options: RunOptions | BenchOptions) -> str:
    return ", ".join(f"{name}={value}" for name, value in options.planner_settings.items())


def _bench(run: BenchRun) -> Source:
    scores = {score.key: score for score in (*run.results.scores, *run.results.lost)}
    episodes = plan(run.path, run.file.options, run.suite)
    options = run.file.options
    facts = {
        "suite": run.suite.name,
        "planner": options.planner,
        "settings": _settings(options),
        "targets": options.targets,
        "profile": run.results.profile,
        "seed": str(run.file.seed),
    }
    shown_episodes = tuple(
        _shown_episode(run.label, episode, scores[episode.task.id, episode.trial]) for episode in episodes
    )
    known_facts = {name: text for name, text in facts.items() if text}
    episode_origins = origins(run.path, run.makeup.batches)
    return Source(
        label=run.label,
        results=run.results,
        episodes=shown_episodes,
        facts=known_facts,
        machine=_machine(run.file),
        bench=run,
        origins=episode_origins,
    )


def _machine(file: BenchFile | RunFile) -> dict[str, str]:
    return {
        "created": file.created,
        "versions": ", ".join(f"{name} {number}" for name, number in file.versions.items()),
        "platform": file.platform,
    }


def _shown_episode(label: str, episode: Episode, score: Score) -> PageEpisode:
    ending, task = episode.ending, episode.task
    outcome: Outcome = "unfinished"
    if ending is not None and ending.ended_by == "infrastructure":
        outcome = "lost"
    elif ending is not None and score.success is None:
        outcome = "not scored"
    elif ending is not None:
        outcome = "succeeded" if score.success else "failed"
    shares = score.tp_per_keypath or (0.0,) * len(task.keypaths)
    paths = tuple(
        KeyPath(nodes, 0, share) if isinstance(share, str) else KeyPath(nodes, round(share * len(nodes)))
        for nodes, share in zip(task.keypaths, shares, strict=False)
    )
    return PageEpisode(
        run=label,
        name=episode.name,
        task=task.id,
        text=task.text,
        trial=episode.trial,
        folder=episode.folder,
        outcome=outcome,
        rounds=_rounds(episode.folder),
        score=score if ending is not None else None,
        ending=ending,
        attributes=task.attributes,
        split=task.split,
        keypaths=paths,
        failures=episode.failures,
        goals=_goals(episode.folder),
        conditions=() if task.goal is None else tuple(_condition_text(condition) for condition in conjuncts(task.goal)),
        closed=_unreadable_media(episode.folder),
    )


def _goals(folder: Path) -> tuple[GoalLine, ...]:
    """Return the goal lines of an episode folder; none if they cannot be read, which the episode's outcome reports."""
    try:
        return read_goals(folder)
    except (BadInput, OSError):
        return ()


def _condition_text(condition: Condition) -> str:
    """Format a condition as in a suite file: `in: [apple, fridge]`."""
    return yaml.safe_dump(serialize_condition(condition), default_flow_style=True, width=math.inf).strip()[1:-1]


def _single(label: str, runs: Sequence[tuple[Path, RunFile]]) -> Source:
    """Return the single runs of a planner, which have neither key paths nor a success condition: success is not
    judged."""
    shown_episodes: list[PageEpisode] = []
    trajectories: list[Trajectory] = []
    for path, file in runs:
        for folder in episode_folders(path):
            ending, records = _read_single(folder, file)
            name = f"{path.resolve().name}/{folder.name}" if len(runs) > 1 else folder.name
            score = None
            if ending is not None:
                trajectories.append(from_ending(ending, records, task_id=name))
                score = Homie().score(trajectories[-1])
            shown_episodes.append(
                PageEpisode(
                    run=label,
                    name=name,
                    task=ending.task if ending else file.options.task,
                    text=ending.task if ending else file.options.task,
                    trial=ending.trial if ending else 0,
                    folder=folder,
                    outcome=_outcome_of(ending),
                    rounds=_rounds(folder),
                    score=score,
                    ending=ending,
                    closed=_unreadable_media(folder),
                )
            )
    first_file = runs[0][1]
    facts = {
        "planner": _planner(first_file),
        "targets": ", ".join(sorted({file.options.targets for _, file in runs})),
        "seeds": ", ".join(str(seed) for seed in sorted({file.seed for _, file in runs})),
    }
    # All of these runs have the same planner and settings: the first represents them.
    parts = read_parts(runs[0][0], first_file.parts)
    episode_origins = (
        (origin(runs[0][0], (shown_episodes[0].name,), parts),) if parts is not None and shown_episodes else ()
    )
    results = score_run(Homie(), trajectories)
    return Source(
        label=label,
        results=results,
        episodes=tuple(shown_episodes),
        facts=facts,
        machine=_machine(first_file),
        origins=episode_origins,
    )


def _read_single(folder: Path, file: RunFile) -> tuple[EpisodeFile | None, tuple[RoundRecord, ...]]:
    """Return the ending and records of a single run's episode; a damaged episode counts as lost."""
    try:
        return read_finished(folder) or (None, ())
    except DamagedEpisode as damage:
        return damaged_record(damage, task=file.options.task, trial=0, seed=file.seed), ()


def _outcome_of(ending: EpisodeFile | None) -> Outcome:
    if ending is None:
        return "unfinished"
    match ending.ended_by:
        case "ended" | "goal":
            return "said End"
        case "infrastructure":
            return "lost"
        case "rounds" | "steps" | "failures" | "calls" | "robot_seconds":
            return "out of rounds"


def _unreadable_media(folder: Path) -> str:
    try:
        entries_of(folder / FRAMES)
    except OSError as error:
        return f"{FRAMES} ({reason_of(error)})"
    film = folder / VIDEO
    readable = os.access(film, os.R_OK) or not os.path.exists(film)
    return "" if readable else f"{VIDEO} ({os.strerror(errno.EACCES)})"


def _rounds(folder: Path) -> tuple[Round, ...]:
    """Return the rounds in an episode folder; none if they cannot be read, which the episode's outcome reports."""
    try:
        with warnings.catch_warnings(action="ignore"):  # a line truncated by a kill: the page says "unfinished"
            records = read_steps(folder)
    except BadInput:
        return ()
    return tuple(Round(number, tuple(group)) for number, group in groupby(records, key=lambda record: record.round))
