"""Scores from the run folder of a bench.

RUN/suite.json, RUN/episodes/* --trajectories--> a profile --> Results
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from homie.bench.episode import Episode, Finished
from homie.bench.episode_plan import plan
from homie.bench.finished_episodes import PLANNER, BenchFile, SweepFile, is_bench, read_bench
from homie.bench.run_versions import Makeup, makeup
from homie.bench.runs_inside import check_different
from homie.bench.score.metric_profiles import make_profile
from homie.bench.score.mistakes import FailedEpisode, Mistake, has_subsets, mistake_of
from homie.bench.score.scores import Results, Score, score_run
from homie.bench.score.tokens_and_times import EpisodeUsage, episode_usage
from homie.bench.score.trajectory import Trajectory, from_ending
from homie.bench.splits import SPLITS
from homie.bench.suite.suite import ATTRIBUTES, Suite
from homie.kernel.errors import BadInput
from homie.runtime.runstore import read_model


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchRun:
    """One bench run with its scores.

    Attributes:
        label: Name in tables.
        spent: Time and tokens of each episode that was not lost.
        mistakes: Mistakes of the failed episodes of a suite like EmbodiedBench, by (task, trial).
        makeup: Settings, checkpoints and prompts of its episodes.
    """

    label: str
    path: Path
    file: BenchFile
    suite: Suite
    results: Results
    spent: tuple[EpisodeUsage, ...] = ()
    mistakes: Mapping[tuple[str, int], Mistake] = field(default_factory=dict)
    makeup: Makeup = field(default_factory=Makeup)

    @property
    def in_order(self) -> tuple[Score, ...]:
        """Scores of all planned episodes, including lost ones, in the order of the suite."""
        scores = {score.key: score for score in (*self.results.lost, *self.results.scores)}
        keys = [(episode.task.id, episode.trial) for episode in plan(self.path, self.file.options, self.suite)]
        return tuple(scores[key] for key in keys)

    @property
    def planned(self) -> frozenset[tuple[str, int]]:
        """(task, trial) of all planned episodes."""
        return frozenset(score.key for score in (*self.results.scores, *self.results.lost))


def load_run(run: str | Path, profile: str = "homie") -> BenchRun:
    """Score a bench run under a profile; unfinished and damaged episodes count as lost.

    Args:
        run: Run folder.
        profile: One of `PROFILES`.

    Raises:
        BadInput: The folder is not a bench run, or the profile does not exist.
    """
    run = Path(run)
    if not is_bench(run):
        raise BadInput(f"There is no run of a suite in {run}: give the folder that `homie bench` wrote.")
    file, suite, episodes = read_bench(run)
    finished = [(episode, result) for episode in episodes if (result := episode.finished) is not None]
    results = score_run(
        make_profile(profile, suite),
        [trajectory(episode, result) for episode, result in finished],
        [(episode.task.id, episode.trial) for episode in episodes],
    )
    played = [(episode, result) for episode, result in finished if result.ending.ended_by != "infrastructure"]
    return BenchRun(
        label=file.options.planner,
        path=run,
        file=file,
        suite=suite,
        results=results,
        spent=tuple(
            episode_usage(episode.task.id, episode.trial, result.ending, result.records) for episode, result in played
        ),
        mistakes=_mistakes(suite, results, played),
        makeup=makeup(run, [(episode.name, result.ending) for episode, result in played]),
    )


def _mistakes(
    suite: Suite, results: Results, played: Sequence[tuple[Episode, Finished]]
) -> dict[tuple[str, int], Mistake]:
    """Return the mistakes of the failed episodes; none for a suite to which the rules do not apply."""
    failed = {score.key for score in results.scores if score.success is False} if has_subsets(suite) else set()
    return {
        key: mistake_of(FailedEpisode(episode.task, result.records, result.ending.ended_by, episode.final_state()))
        for episode, result in played
        if (key := (episode.task.id, episode.trial)) in failed and result.verdict is not None
    }


def load_runs(folders: Sequence[str | Path], profile: str = "homie") -> tuple[BenchRun, ...]:
    """Score several runs with unique labels: the varied settings of a sweep (`examples=5`), otherwise the planner, plus
    the varied settings or the folder's name for equal planners. Raises BadInput as `load_run` does."""
    if isinstance(folders, str | Path):
        raise BadInput(f"Give run folders as a list, as in [{str(folders)!r}].")
    check_different([Path(folder) for folder in folders])
    runs = [load_run(folder, profile) for folder in folders]
    paths = [run.path.resolve() for run in runs]
    variations = [_variation(path) for path in paths] if len(runs) > 1 else [""] * len(runs)
    if len({path.parent for path in paths}) == 1 and all(variations):
        labels = variations
    else:
        planners = [run.label for run in runs]
        labels = [
            f"{planner} ({values or path.name})" if planners.count(planner) > 1 else planner
            for planner, values, path in zip(planners, variations, paths, strict=True)
        ]
    if len(set(labels)) < len(labels):
        labels = [f"{label} #{number}" for number, label in enumerate(labels, 1)]
    return tuple(replace(run, label=label) for run, label in zip(runs, labels, strict=True))


def _variation(path: Path) -> str:
    """Return the settings in which a run of a sweep differs from the others (`examples=5, targets=sensors`); "" if the
    run is not part of a sweep."""
    file = path.parent / "sweep.json"
    values = read_model(file, SweepFile).runs.get(path.name, {}) if file.exists() else {}
    return ", ".join(f"{name.removeprefix(PLANNER)}={value}" for name, value in values.items())


def trajectory(episode: Episode, finished: Finished) -> Trajectory:
    """Return the trajectory of a finished episode of a bench."""
    task, reached = episode.task, finished.ending.ended_by == "goal"
    base = from_ending(
        finished.ending,
        finished.records,
        task_id=task.id,
        keypaths=task.keypaths,
        expert_length=len(task.expert or ()) if reached else task.expert_length,  # the planner gives no End
        verdict=finished.verdict,
    )
    goal_after = tuple(line.holds for line in finished.goals if line.step)
    goal_at_start = any(line.holds for line in finished.goals if not line.step)
    return replace(
        base, never=task.never, progress=finished.progress, reached=reached, held=goal_after, given=goal_at_start
    )


def groups(suite: Suite) -> dict[str, frozenset[str]]:
    """Return the tasks of each attribute that any task has."""
    tasks_of = {name: frozenset(task.id for task in suite.tasks if name in task.attributes) for name in ATTRIBUTES}
    return {name: tasks for name, tasks in tasks_of.items() if tasks}


def splits(suite: Suite) -> dict[str, frozenset[str]]:
    """Return the tasks of each split that any task is in."""
    tasks_of = {name: frozenset(task.id for task in suite.tasks if task.split == name) for name in SPLITS}
    return {name: tasks for name, tasks in tasks_of.items() if tasks}
