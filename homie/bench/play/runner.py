"""The bench runner: plays every episode of a suite into one run folder, whatever fails on the way.

suite --plan--> episodes --unfinished--> jobs --> pool of workers --> reports --> finished, run again, or given up

An episode is finished if and only if its folder says so. Therefore the same command resumes after a kill at any time,
and a result depends only on task, trial, seed and planner.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from homie.bench.episode import UNREADABLE, Episode
from homie.bench.episode_plan import plan
from homie.bench.intervals_and_tests import Estimate
from homie.bench.options import BenchOptions
from homie.bench.play.checks_before_start import done_at_start, ready
from homie.bench.play.pool import Limits, LocalPool, Pool
from homie.bench.play.progress import Progress
from homie.bench.play.worker import EXPERT, Job, Report
from homie.bench.play.worker_count import workers_of
from homie.bench.resume import BenchFolder, check_known, unfinished_episodes
from homie.bench.score.compare import first_table
from homie.bench.score.compare_tables import Intervals
from homie.bench.score.metrics import WORLD, shown_in
from homie.bench.score.results import load_run
from homie.bench.suite.suite import Suite
from homie.kernel.errors import BadInput, HomieError, InfrastructureError, Interrupted, MissingPart
from homie.kernel.interfaces import Planner, SharedPart
from homie.kernel.options import PartsOptions, RunOptions
from homie.kernel.scenes import scene_options
from homie.kernel.support.files import reason_of
from homie.runtime.assembly import named_planner
from homie.runtime.clean_stop import ignore_stop_signals, stoppable
from homie.runtime.provenance import check_code

TICK = 1.0
"""Seconds after which the runner checks for interrupts even without messages from workers."""

QUICK = "ideal"
"""Prefix of skill sets without motion, for which building a house takes as long as playing an episode in it: a worker
then stays in its scene. With all others every task is played once before any is repeated."""

MakePool = Callable[[Path], Pool]
Order = Callable[[Sequence[Episode]], Sequence[Episode]]


@dataclass(frozen=True, slots=True)
class EpisodeLine:
    """One episode in a summary.

    Attributes:
        success: Success as counted by SR.
        world: Verdict of the simulator, None if unknown.
    """

    task: str
    trial: int
    ended_by: str
    rounds: int
    success: bool
    world: bool | None
    cause: str


@dataclass(frozen=True, slots=True)
class BenchSummary:
    """Summary of a bench: the first row of the tables of `homie compare`, with its notes.

    Attributes:
        success, interval: SR and its 95 % interval.
        metrics: SR and the other metrics, each with its interval.
        infrastructure: Number of episodes ended by infrastructure; they count as failures.
        judged: Number of episodes with a verdict of the simulator.
    """

    run_folder: Path
    suite: str
    planner: str
    episodes: int
    infrastructure: int
    causes: dict[str, int]
    judged: int
    successes: int
    success: float | None
    interval: tuple[float, float] | None
    metrics: dict[str, Estimate]
    notes: tuple[str, ...]
    lines: tuple[EpisodeLine, ...]


def bench(
    options: BenchOptions,
    progress: Progress | None = None,
    *,
    pool: MakePool | None = None,
    order: Order = tuple,
) -> BenchSummary:
    """Run the unfinished episodes of a bench and summarise it. Bad input raises BadInput and leaves no new run folder.

    Args:
        pool: Makes the pool that plays episodes; worker processes of this machine by default.
        order: Order of the episodes; no result depends on it.

    Raises:
        Interrupted: Ctrl-C or SIGTERM, after the robots have stopped.
        InfrastructureError: The disk cannot be written. Episodes that infrastructure ended raise nothing.
    """
    options, suite = ready(options)
    folder = BenchFolder.open(options, suite)
    progress = progress or Progress()
    try:
        episodes = plan(folder.path, options, suite)
        # Every task once before repeating any: an error in a suite shows early, and an unfinished run covers all tasks.
        remaining = sorted(unfinished_episodes(episodes, again=options.again), key=lambda episode: episode.trial)
        if remaining:
            folder.check_writable()
        if not options.mixed:
            check_code(folder.path)
            if remaining:
                check_known(episodes)
        names = {episode.name for episode in remaining}
        progress.began(
            suite,
            len(episodes),
            [episode for episode in episodes if episode.name not in names],
            [episode for episode in remaining if episode.damaged],
        )
        if remaining:
            progress.given(*done_at_start(options, suite.select(options.tasks, options.split)))
        size = workers_of(options.workers, len(remaining), options.robot, ray=options.ray is not None)
        make_pool = pool or (lambda run: _pool(run, options, size))
        if remaining:
            if options.workers is None and size > 1:
                progress.side_by_side(size)
            _Runner(options, suite, make_pool(folder.path), progress).run(order(remaining))
        if options.clean:
            _clean(episodes)
        return summary_of(folder.path)
    except (BadInput, MissingPart):  # errors that only a worker can detect, such as a broken checkpoint
        folder.discard()
        raise
    finally:
        progress.close()
        folder.close()


class _Runner:
    """Feeds a pool until every episode is finished or given up."""

    def __init__(self, options: BenchOptions, suite: Suite, pool: Pool, progress: Progress) -> None:
        self._options, self._suite = options, suite
        self._pool, self._progress = pool, progress

    def run(self, episodes: Sequence[Episode]) -> None:
        waiting = deque(episodes)
        running: dict[Path, Episode] = {}
        try:
            with stoppable() as check_stop:
                while waiting or running:
                    check_stop()
                    while waiting and self._pool.free:
                        index = self._pool.choice([episode.task for episode in waiting])
                        episode = waiting[index]
                        del waiting[index]
                        episode.begin()
                        job = self._job(episode)
                        self._pool.submit(job)
                        running[job.folder] = episode
                        self._progress.started(episode)
                    for job, report, seconds in self._pool.wait(TICK):
                        episode = running.pop(job.folder)
                        if self._needs_retry(episode, job, report, seconds):
                            waiting.append(episode)
        except KeyboardInterrupt:
            with ignore_stop_signals():
                self._pool.close()
            raise Interrupted("Stopped by the user; give the same command again with --out to go on.") from None
        except OSError as error:
            raise InfrastructureError(
                f"Cannot write {error.filename or 'the run folder'}: {reason_of(error)}. Give the same command again "
                "with --out when that is repaired; nothing finished is lost."
            ) from error
        finally:
            self._pool.close()

    def _job(self, episode: Episode) -> Job:
        return episode_job(self._options, self._suite, episode)

    def _needs_retry(self, episode: Episode, job: Job, report: Report, seconds: float) -> bool:
        """Process a report and return whether to run the episode again. Raises errors that would affect every other
        episode."""
        if report.fatal:
            raise error_of(report)
        if report.cause is None or episode.ending is not None:  # it may have died just after the end
            self._progress.finished(episode, seconds)
            return False
        failure = episode.fail(report.cause, report.message, seconds)
        retry = failure.attempt <= self._options.retries and report.cause != UNREADABLE and not report.final
        self._progress.failed_try(episode, failure, retry=retry)
        if not retry:
            episode.give_up(failure)
            self._progress.gave_up(episode, seconds)
        return retry


def episode_job(options: BenchOptions, suite: Suite, episode: Episode) -> Job:
    """Return what a worker needs to play one episode."""
    protocol = suite.protocol_of(episode.task)
    return Job(
        suite=suite.name,
        task=episode.task,
        trial=episode.trial,
        seed=episode.seed,
        folder=episode.folder.resolve(),
        options=episode_options(options, suite, episode),
        names=suite.names,
        mixed=options.mixed,
        protocol=protocol,
        rounds=options.rounds or protocol.rounds,
    )


def episode_options(options: BenchOptions, suite: Suite, episode: Episode) -> RunOptions:
    """Return the options of one episode. Their seed selects the scene; their rounds are those of the whole run."""
    scene = episode.task.scene
    scene_values = scene_options(options.robot, scene.settings)
    parts = {name: getattr(options, name) for name in PartsOptions.model_fields}
    values = {
        **parts,
        "task": episode.task.text,
        "seed": scene.seed,
        "scene": scene.spec,
        "rounds": options.rounds or suite.protocol.rounds,
        **scene_values,
        "robot_settings": {**options.robot_settings, **scene_values.get("robot_settings", {})},
    }
    return RunOptions(**values)


def _pool(run: Path, options: BenchOptions, size: int) -> Pool:
    limits = Limits(options.timeout, options.memory, options.recycle)
    if options.ray is None:
        stay_in_scene = all(name.partition(":")[0].startswith(QUICK) for name in options.skills.split(","))
        return LocalPool(
            run, size, limits, shared_part(run, options) if size > 1 else None, stay_in_scene=stay_in_scene
        )
    from homie.bench.play.ray_pool import RayPool  # imported only if used: it needs an extra

    return RayPool(run, size, limits, options.ray)


def shared_part(run: Path, options: BenchOptions) -> SharedPart | None:
    """Return a resource shared by the planners of several workers, not yet started; None for none. Raises BadInput."""
    if options.planner == EXPERT:
        return None
    planner_part = named_planner(options.planner, options.planner_settings)
    if not (isinstance(planner_part.make, type) and issubclass(planner_part.make, Planner)):
        return None  # a function may be a factory of planners
    return planner_part.make.share(planner_part.argument, planner_part.settings, run / "workers" / "model.log")


def error_of(report: Report) -> HomieError:
    """Return the error described by a report."""
    kinds = (BadInput, MissingPart)
    kind = next((kind for kind in kinds if kind.exit_code == report.exit_code), InfrastructureError)
    return kind(report.message)


def _clean(episodes: Sequence[Episode]) -> None:
    """Remove the files of failed tries of finished episodes. Raises InfrastructureError."""
    try:
        for episode in episodes:
            episode.clean()
    except OSError as error:
        raise InfrastructureError(f"Cannot remove {error.filename}: {reason_of(error)}.") from error


def summary_of(run: Path) -> BenchSummary:
    """Return the summary of a bench whose episodes are all finished or given up. Raises BadInput."""
    scored = load_run(run)
    lines: list[EpisodeLine] = []
    causes: Counter[str] = Counter()
    for episode, score in zip(plan(run, scored.file.options, scored.suite), scored.in_order, strict=True):
        ending = episode.ending
        assert ending is not None, "the runner returns only when all are finished"
        if score.lost:
            causes[score.lost.partition(":")[0]] += 1
        lines.append(
            EpisodeLine(
                *(score.task_id, score.trial, ending.ended_by, ending.rounds),
                success=bool(score.success),
                world=score.verdict,
                cause=score.lost,
            )
        )
    table = first_table([scored])
    metrics = {name: Intervals().of(scored.results, name) for name in (*shown_in("metrics"), WORLD)}
    return BenchSummary(
        run_folder=run,
        suite=scored.suite.name,
        planner=scored.file.options.planner,
        episodes=len(lines),
        infrastructure=sum(causes.values()),
        causes=dict(causes),
        judged=sum(line.world is not None for line in lines),
        successes=sum(line.success for line in lines),
        success=metrics["SR"].value,
        interval=metrics["SR"].interval,
        metrics=metrics,
        notes=table.notes,
        lines=tuple(lines),
    )
