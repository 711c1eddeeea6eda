"""A bench whose episodes another program plays, one by one, with a planner of its own.

    with homie.open_bench("homie-100", planner="function:my-agent", out="runs/my-agent") as bench:
        for episode in bench.unfinished():
            played = bench.play(episode.task.id, decide, trial=episode.trial)
            print(played.score.success)

The run folder is that of `homie bench`: a later call goes on with what is left, `homie compare` and `homie report` read
it, and every episode has the rules and the seed that it has there.
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
from homie.bench.play.runner import BenchSummary, episode_job, raised, summary_of
from homie.bench.play.worker import perform
from homie.bench.play.worker_parts import WorkerParts
from homie.bench.resume import BenchFolder, check_known, unfinished
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
    """What became of one episode.

    Attributes:
        folder: Its files.
        ended_by: How it ended, as `homie.EpisodeResult` has it; `infrastructure` where it was lost.
        score: Under the profile `homie`; `score.verdict` is that of the world, `score.lost` why it was lost.
    """

    task: str
    trial: int
    folder: Path
    ended_by: str
    rounds: int
    score: Score


class OpenBench:
    """A bench that is open to be played. Made by `homie.open_bench`; `close` releases robots and run folder.

    Any thread may call it, and several episodes may be played at once.

    Attributes:
        path: The run folder.
        suite: What is played.
        episodes: All episodes, finished or not.
    """

    def __init__(self, options: BenchOptions) -> None:
        """Raises BadInput, MissingPart; then a run folder that is new is not left behind."""
        self.options, self.suite = ready(options)
        self._folder = BenchFolder.open(self.options, self.suite)
        try:
            self.path = self._folder.path
            self.episodes = plan(self.path, self.options, self.suite)
            if any(unfinished(self.episodes, again=self.options.again)):
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
        """The episodes that are still to be played, every task once before any again."""
        remaining = unfinished(self.episodes, again=self.options.again)
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
        """Play an episode, or read what it has left where it is finished. The robot has stopped when this returns.

        Args:
            task: The id of the task.
            planner: Decides: a planner, its class, or a function; None for that of the options.
            trial: Which of the trials.
            listeners: Get every event; one that raises gets no more.
            required: Get them first, and what one of them raises counts: `homie.Stopped` when a period has passed ends
                the subtask, every other exception the episode.

        Returns:
            The score. Where infrastructure ended the episode, which counts as not succeeded, `score.lost` says why.

        Raises:
            BadInput: There is no such episode, it is being played, or its scene or goal is wrong.
            Interrupted: Ctrl-C or SIGTERM; the episode is unfinished.
        """
        episode = self._episode(task, trial)
        planner_part = None if planner is None else part_of(PLANNER, planner)
        with self._reserve(episode) as parts:
            if episode in unfinished([episode], again=self.options.again):
                self._play(episode, parts, planner_part, listeners, required)
        return self._result(episode)

    def summary(self) -> BenchSummary:
        """The summary, as `homie bench` has it. Raises BadInput while episodes are left."""
        if remaining := self.unfinished():
            raise BadInput(
                f"{len(remaining)} of {len(self.episodes)} episodes are not played yet, such as {remaining[0].name}."
            )
        return summary_of(self.path)

    def close(self) -> None:
        """Release robots, models and run folder. A run folder without a finished episode is removed if it is new.
        Idempotent."""
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
        """The parts for an episode that nobody else is playing."""
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
            raise raised(report)
        if report.cause is not None and episode.ending is None:
            episode.give_up(episode.fail(report.cause, report.message, time.monotonic() - start))

    def _result(self, episode: Episode) -> PlayedEpisode:
        finished = episode.finished
        if finished is None:
            raise BadInput(f"The episode {episode.name} has left nothing that could be scored: play it again.")
        results = score_run(make_profile("homie", self.suite), [trajectory(episode, finished)])
        (score,) = results.scores
        ending = finished.ending
        return PlayedEpisode(episode.task.id, episode.trial, episode.folder, ending.ended_by, ending.rounds, score)


def open_bench(suite: str | Path, *, config: str | Path | None = None, **options: Unpack[BenchKeywords]) -> OpenBench:
    """A suite whose episodes this program plays one by one, with planners of its own. Use it as a context manager.

    Args:
        suite: The name of a suite, a suite file, or a folder of EMMOE-100.
        config: A file of options, or the `run.json` of an earlier bench.
        options: As for `homie.bench`. The planner has a name, as `planner="function:my-agent"`: that is what tables
            call it.

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
