"""A run from its options: wire the parts together, run the episode, leave a consistent folder.

RunOptions --assemble--> Parts --run_episode--> EpisodeSummary
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from homie.kernel.agent import run_episode
from homie.kernel.episode_rules import EpisodeRules
from homie.kernel.errors import HomieError, Interrupted, RobotFault
from homie.kernel.interfaces import Announcer, EpisodeListener, Listeners, Robot
from homie.kernel.options import RunOptions
from homie.kernel.registry import NO_OBJECTS, Objects
from homie.kernel.support.documents import load_json
from homie.kernel.support.files import DISK
from homie.kernel.support.own_code import unexpected
from homie.kernel.types import EpisodeResult, Event
from homie.runtime.announcements import Announcements
from homie.runtime.assembly import Parts, assemble
from homie.runtime.clean_stop import stoppable, undisturbed
from homie.runtime.provenance import PartsFile
from homie.runtime.runstore import EpisodeStore, RunFolder, disk_failure, read_steps, recording
from homie.runtime.task_outcome import Conclusion, Verdict

if TYPE_CHECKING:
    from homie.runtime.video import VideoWriter

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EpisodeSummary:
    """What a run leaves: how the episode ended and where its files are (`video` is None if none was asked for).

    Attributes:
        verdict: Of the world, None where its scene sets no task.
        conclusion: What became of the task, in sentences.
    """

    result: EpisodeResult
    run_folder: Path
    episode_folder: Path
    video: Path | None
    verdict: Verdict | None = None
    conclusion: Conclusion | None = None


def run(
    options: RunOptions, listeners: Iterable[EpisodeListener] = (), objects: Objects = NO_OBJECTS
) -> EpisodeSummary:
    """Run one episode and write its run folder.

    Args:
        options: Everything that `homie run` takes.
        listeners: Get every event of the episode.
        objects: Parts that were made in Python (`homie.kernel.registry.split`).

    Returns:
        How it ended and where its folder is.

    Raises:
        BadInput: An option or a file is wrong, and nothing has been written; or a part has returned what it may not.
        MissingPart: An optional package is not installed.
        Interrupted: Ctrl-C or SIGTERM; the robot was stopped first. The folder has whole lines in `steps.jsonl` and no
            `episode.json`, and the same command with the same --out runs the episode again.
        PlannerError: The planner could not decide.
        PartError: The code of a part that is not Homie's raised an exception.
        InfrastructureError: The machine, a server, the robot or the simulator failed.
    """
    RunFolder.check(options)
    start = time.monotonic()
    parts = assemble(options, objects)
    log.info("robot %s, planner %s: %.1f s", options.robot, options.planner, time.monotonic() - start)
    with parts:
        return record(options, parts, listeners, ending=parts.close)


def _keep_open() -> None:
    """The parts go on to another episode."""


def record(
    options: RunOptions,
    parts: Parts,
    listeners: Iterable[EpisodeListener],
    *,
    required: Iterable[EpisodeListener] = (),
    ending: Callable[[], None] = _keep_open,
) -> EpisodeSummary:
    """Run one episode on parts that are there, and write its run folder. Raises as `run`.

    Args:
        required: As for `play`.
        ending: What the owner of the parts does with them, once the robot has stopped, before the files are closed: a
            robot that is not needed any more is released first. Nothing but the owner closes parts.
    """
    file = PartsFile.of(parts.describe(), options)
    folder = RunFolder.open(options, parts.robot, file, parts.planner.texts())
    try:
        path = folder.episode(options.task, trial=0)
        log.info("episode folder %s", path)
        store = EpisodeStore(path, parts.robot, seed=options.seed, trial=0, frames=options.frames, parts=file.digest)
        rules = EpisodeRules(rounds=options.rounds)
        result = play(options, parts, store, rules, listeners=listeners, required=required, ending=ending)
        video = path / "video.mp4" if options.video else None
        verdict = own_verdict(path)
        analyses = [step.decision.analysis for step in read_steps(path)[-1:]]
        conclusion = Conclusion.of(result, verdict, "".join(analyses))
        return EpisodeSummary(result, folder.path, path, video, verdict, conclusion)
    finally:
        folder.close()


def own_verdict(episode: Path) -> Verdict | None:
    """What the world of a finished episode says of its scene's own task; None where there is none."""
    path = episode / "final_state.json"
    state = load_json(path) if path.exists() else {}
    return Verdict.of(state)


def play(
    options: RunOptions,
    parts: Parts,
    store: EpisodeStore,
    rules: EpisodeRules,
    *,
    listeners: Iterable[EpisodeListener] = (),
    required: Iterable[EpisodeListener] = (),
    ending: Callable[[], None] = _keep_open,
) -> EpisodeResult:
    """Run one episode into an empty episode folder, from the start of the scene. However it ended, the robot stops, and
    `ending` is called (see `record`), before the files are closed.

    Args:
        options: Task and video; the seed of the options only says which scene it is.
        parts: Robot, planner and executor.
        store: Of the episode folder, with the seed of the episode.
        rules: Of the episode.
        listeners: Get every event. One that raises gets no more of them, and the episode goes on.
        required: Those that may end it by an exception: they write files that it cannot do without, or stop it.
        ending: Called once the robot has stopped.

    Raises:
        Interrupted: Ctrl-C, SIGTERM or SIGHUP.
        PartError: An unexpected exception of code that is not Homie's.
        InfrastructureError: Any other unexpected exception.
        HomieError: Every other, as it comes.
    """
    robot, path = parts.robot, store.folder
    video = _video_of(robot, path / "video.mp4") if options.video else None
    # The store comes last: `episode.json` says that all the rest is there.
    announced = [Announcements(robot)] if isinstance(robot, Announcer) else []
    listener = Listeners([*([video] if video else []), *required, store], optional=[*announced, *listeners])
    try:
        with stoppable() as check_stop:
            parts.reset(store.seed)
            result = run_episode(
                options.task,
                parts.planner,
                parts.executor,
                rules,
                seed=store.seed,
                listener=Listeners([_StopCheck(check_stop), listener]),
            )
    except KeyboardInterrupt:
        with undisturbed():
            _shut_down(parts, ending, video, store)
        raise Interrupted(f"Stopped by the user; the finished rounds are in {path}.") from None
    except BaseException as error:
        try:
            _shut_down(parts, ending, video, store)
        except RobotFault as fault:  # report first what ended the episode
            log.error("%s", fault)
        if isinstance(error, HomieError) or not isinstance(error, Exception):
            raise
        if isinstance(error, OSError) and error.errno in DISK:
            raise disk_failure(path, error) from error
        trace = path / "error.log"
        trace.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
        raise unexpected(error, f"The traceback is in {trace}.") from error
    _shut_down(parts, ending, video, store)
    return result


def _video_of(robot: Robot, path: Path) -> VideoWriter:
    from homie.runtime.video import VideoWriter  # imports PyAV, which a run without video does not need

    return VideoWriter(path, robot)


class _StopCheck(EpisodeListener):
    """Ends an episode at its next event where a library has swallowed the exception of a stop signal."""

    def __init__(self, check: Callable[[], None]) -> None:
        self._check = check

    def on(self, event: Event) -> None:
        self._check()


def _shut_down(parts: Parts, ending: Callable[[], None], video: VideoWriter | None, store: EpisodeStore) -> None:
    """The stop order: stop, hold or park, disconnect, then flush data."""
    try:
        try:
            parts.robot.stop()
        finally:
            ending()
    finally:
        with recording(store.folder):
            try:
                if video:
                    video.close()
            finally:
                store.close()
