"""A bench whose episodes are played one by one by another program, with its own planner.

    with homie.open_bench("homie-100", planner="function:my-agent", out="runs/my-agent") as bench:
        for episode in bench.unfinished():
            played = bench.play(episode.task.id, decide, trial=episode.trial)
            print(played.score.success)

The run folder is that of `homie bench`: a later call resumes it, `homie compare` and `homie report` read it, and every
episode has the same rules and seed.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self, Unpack

from homie.bench.episode import Episode
from homie.bench.episode_plan import plan
from homie.bench.keywords import BenchKeywords
from homie.bench.options import BenchOptions
from homie.bench.play.checks_before_start import ready
from homie.bench.play.runner import BenchSummary, episode_job, error_of, summary_of
from homie.bench.play.worker import perform
from homie.bench.play.worker_parts import WorkerParts
from homie.bench.resume import BenchFolder, check_known, unfinished_episodes
from homie.bench.score.metric_profiles import make_profile
from homie.bench.score.results import trajectory
from homie.bench.score.scores import Score, score_run
from homie.kernel.errors import BadInput, suggestion
from homie.kernel.function_planner import Decide
from homie.kernel.interfaces import EpisodeListener, Planner
from homie.kernel.registry import PLANNER, part_of, split
from homie.runtime.runstore import check_writable


@dataclass(frozen=True, slots=True)
class PlayedEpisode:
    """Result of an episode.

    Attributes:
        folder: Episode folder.
        ended_by: How it ended, as in `homie.EpisodeResult`; `infrastructure` if it was lost.
        score: Score of the profile `homie`; `score.verdict` is the simulator's, `score.lost` the reason of a loss.
    """

    task: str
    trial: int
    folder: Path
    ended_by: str
    rounds: int
    score: Score


class OpenBench:
    """A bench opened for playing. Created by `homie.open_bench`; `close` releases robots and run folder.

    Thread-safe; several episodes may be played at once.

    Attributes:
        path: Run folder.
        suite: Suite.
        episodes: All episodes, finished or not.
    """

    def __init__(self, options: BenchOptions) -> None:
        """Raises BadInput, MissingPart, after removing a new run folder."""
        self.options, self.suite = ready(options)
        self._folder = BenchFolder.open(self.options, self.suite)
        try:
            self.path = self._folder.path
            self.episodes = plan(self.path, self.options, self.suite)
            if any(unfinished_episodes(self.episodes, again=self.options.again)):
                check_writable(self.path)
            if not self.options.mixed:
                check_known(self.episodes)
        except BaseException:
            self._folder.close()
            raise
        self._lock = threading.Lock()
        self._idle: list[WorkerParts] = []
        self._playing: set[str] = set()
        self._closed = False

    def unfinished(self) -> tuple[Episode, ...]:
        """Return the episodes to be played, all first trials before any second one."""
        remaining = unfinished_episodes(self.episodes, again=self.options.again)
        return tuple(sorted(remaining, key=lambda episode: episode.trial))

    def play(
        self,
        task: str,
        planner: Planner | type[Planner] | Decide | None = None,
        *,
        trial: int = 0,
        listeners: Sequence[EpisodeListener] = (),
        required: Sequence[EpisodeListener] = (),
    ) -> PlayedEpisode:
        """Play an episode, or read the result of a finished one. The robot has stopped when this returns.

        Args:
            task: Task id.
            planner: A planner, its class, or a function; None for the planner of the options.
            trial: Number of the trial, from 0.
            listeners: Receive every event; one that raises an exception receives no more.
            required: Receive events first, and their exceptions count: `homie.Stopped` at a control period ends the
                subtask, every other exception the episode.

        Returns:
            The score. If infrastructure ended the episode, it counts as a failure, and `score.lost` is the reason.

        Raises:
            BadInput: There is no such episode, it is being played, or its scene or goal is invalid.
            Interrupted: Ctrl-C or SIGTERM; the episode stays unfinished.
        """
        episode = self._episode(task, trial)
        planner_part = None if planner is None else part_of(PLANNER, planner)
        with self._reserve(episode) as parts:
            if episode in unfinished_episodes([episode], again=self.options.again):
                self._play(episode, parts, planner_part, listeners, required)
        return self._played_episode(episode)

    def summary(self) -> BenchSummary:
        """Return the summary, as by `homie bench`. Raises BadInput while episodes are unfinished."""
        if remaining := self.unfinished():
            raise BadInput(
                f"{len(remaining)} of {len(self.episodes)} episodes are not played yet, such as {remaining[0].name}."
            )
        return summary_of(self.path)

    def close(self) -> None:
        """Release robots, models and run folder. A new run folder without a finished episode is removed. Idempotent."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for parts in idle:
            parts.close()
        if not any(self.path.glob("episodes/*")):
            self._folder.discard()
        self._folder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _episode(self, task: str, trial: int) -> Episode:
        trials = [episode for episode in self.episodes if episode.task.id == task]
        if not trials:
            known = list(dict.fromkeys(episode.task.id for episode in self.episodes))
            hint = suggestion(task, known, f"the first are {', '.join(known[:3])}.")
            raise BadInput(f"This bench has no task '{task}': {hint}")
        if not 0 <= trial < len(trials):
            raise BadInput(f"The task '{task}' has trials 0 to {len(trials) - 1} in this bench (got {trial}).")
        return trials[trial]

    @contextlib.contextmanager
    def _reserve(self, episode: Episode) -> Iterator[WorkerParts]:
        """Reserve an episode for the caller and provide the parts for playing it."""
        with self._lock:
            if self._closed:
                raise BadInput("This bench is closed: open it again with the same `out`.")
            if episode.name in self._playing:
                raise BadInput(f"The episode {episode.name} is being played: wait for it, or choose another trial.")
            self._playing.add(episode.name)
            parts = self._idle.pop() if self._idle else WorkerParts()
        try:
            yield parts
        finally:
            with self._lock:
                self._playing.discard(episode.name)
                if not (is_closed := self._closed):
                    self._idle.append(parts)
            if is_closed:
                parts.close()

    def _play(
        self,
        episode: Episode,
        parts: WorkerParts,
        planner: Planner | None,
        listeners: Sequence[EpisodeListener],
        required: Sequence[EpisodeListener],
    ) -> None:
        start = time.monotonic()
        episode.begin()
        report = perform(episode_job(self.options, self.suite, episode), parts, planner, listeners, required)
        if report.fatal:
            raise error_of(report)
        if report.cause is not None and episode.ending is None:
            episode.give_up(episode.fail(report.cause, report.message, time.monotonic() - start))

    def _played_episode(self, episode: Episode) -> PlayedEpisode:
        finished = episode.finished
        if finished is None:
            raise BadInput(f"The episode {episode.name} has left nothing that could be scored: play it again.")
        results = score_run(make_profile("homie", self.suite), [trajectory(episode, finished)])
        (score,) = results.scores
        ending = finished.ending
        return PlayedEpisode(episode.task.id, episode.trial, episode.folder, ending.ended_by, ending.rounds, score)


def open_bench(suite: str | Path, *, config: str | Path | None = None, **options: Unpack[BenchKeywords]) -> OpenBench:
    """Open a suite whose episodes this program plays one by one, with its own planners. Used as a context manager.

    Args:
        suite: The name of a suite, a suite file, or a folder of EMMOE-100.
        config: A file of options, or the `run.json` of an earlier bench.
        options: As for `homie.bench`. The planner is given by name, such as `planner="function:my-agent"`, for use in
            tables.

    Raises:
        HomieError: With one clear sentence.
    """
    keywords, objects = split(options)
    for option, _ in objects:
        example = (
            ', such as planner="function:my-agent", and the planner itself to play()' if option == "planner" else ""
        )
        raise BadInput(f"A bench keeps its {option} by name, so that it can go on later: give a name{example}.")
    return OpenBench(BenchOptions.build(None if config is None else Path(config), suite=str(suite), **keywords))
