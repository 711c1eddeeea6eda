"""Execution of a run from its options: construct the parts, run the episode, leave a consistent run folder.

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
from homie.kernel.support.own_code import unexpected_error
from homie.kernel.types import EpisodeResult, Event
from homie.runtime.announcements import Announcements
from homie.runtime.assembly import Parts, assemble
from homie.runtime.clean_stop import ignore_stop_signals, stoppable
from homie.runtime.provenance import PartsFile
from homie.runtime.runstore import EpisodeStore, RunFolder, disk_failure, read_steps, recording
from homie.runtime.task_outcome import Conclusion, Verdict

if TYPE_CHECKING:
    from homie.runtime.video import VideoWriter

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EpisodeSummary:
    """Result of a run and the paths of its files (`video` is None if it was not requested).

    Attributes:
        verdict: The simulator's verdict on its scene's own task, None if it has none.
        conclusion: The outcome of the task, in sentences.
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
        options: All options of `homie run`.
        listeners: Receive every event of the episode.
        objects: Parts given as Python objects (`homie.kernel.registry.split`).

    Returns:
        The result and the path of the run folder.

    Raises:
        BadInput: An option or a file is invalid, and nothing has been written; or a part has returned an invalid value.
        MissingPart: An optional package is not installed.
        Interrupted: Ctrl-C or SIGTERM; the robot was stopped first. The folder has complete lines in `steps.jsonl` and
            no `episode.json`, and the same command with the same --out runs the episode again.
        PlannerError: The planner could not decide.
        PartError: The code of a user's part raised an exception.
        InfrastructureError: The machine, a server, the robot or the simulator failed.
    """
    RunFolder.check(options)
    start = time.monotonic()
    parts = assemble(options, objects)
    log.info("robot %s, planner %s: %.1f s", options.robot, options.planner, time.monotonic() - start)
    with parts:
        return record(options, parts, listeners, ending=parts.close)


def _keep_open() -> None:
    """Do nothing: the parts are used for another episode."""


def record(
    options: RunOptions,
    parts: Parts,
    listeners: Iterable[EpisodeListener],
    *,
    required: Iterable[EpisodeListener] = (),
    ending: Callable[[], None] = _keep_open,
) -> EpisodeSummary:
    """Run one episode on existing parts, and write its run folder. Raises as `run`.

    Args:
        required: As for `play`.
        ending: Called once the robot has stopped, before the files are closed, so that the owner of the parts can
            release a robot that is no longer needed. Nothing but the owner closes parts.
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
    """Read the simulator's verdict on the scene's own task from a finished episode; None if it has no task."""
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
    """Run one episode from the start of the scene, and record it in an empty episode folder. However it ends, the robot
    is stopped and `ending` is called (see `record`) before the files are closed.

    Args:
        options: Task and video; the seed of the options only selects the scene.
        parts: Robot, planner and executor.
        store: Writer of the episode folder, with the seed of the episode.
        rules: Rules of the episode.
        listeners: Receive every event. If one raises, it gets no more events, and the episode continues.
        required: Listeners whose exceptions end the episode: they write necessary files, or stop it.
        ending: Called once the robot has stopped.

    Raises:
        Interrupted: Ctrl-C, SIGTERM or SIGHUP.
        PartError: An unexpected exception of user code.
        InfrastructureError: Any other unexpected exception.
        HomieError: Any other HomieError, unchanged.
    """
    robot, path = parts.robot, store.folder
    video = _video_of(robot, path / "video.mp4") if options.video else None
    # The store comes last: `episode.json` marks all other files as complete.
    announcers = [Announcements(robot)] if isinstance(robot, Announcer) else []
    listener = Listeners([*([video] if video else []), *required, store], optional=[*announcers, *listeners])
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
        with ignore_stop_signals():
            _shut_down(parts, ending, video, store)
        raise Interrupted(f"Stopped by the user; the finished rounds are in {path}.") from None
    except BaseException as error:
        try:
            _shut_down(parts, ending, video, store)
        except RobotFault as fault:  # but raise the error that ended the episode
            log.error("%s", fault)
        if isinstance(error, HomieError) or not isinstance(error, Exception):
            raise
        if isinstance(error, OSError) and error.errno in DISK:
            raise disk_failure(path, error) from error
        trace = path / "error.log"
        trace.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
        raise unexpected_error(error, f"The traceback is in {trace}.") from error
    _shut_down(parts, ending, video, store)
    return result


def _video_of(robot: Robot, path: Path) -> VideoWriter:
    from homie.runtime.video import VideoWriter  # imports PyAV, which a run without video does not need

    return VideoWriter(path, robot)


class _StopCheck(EpisodeListener):
    """Listener that ends an episode at the next event if a library has swallowed the exception of a stop signal."""

    def __init__(self, check: Callable[[], None]) -> None:
        self._check = check

    def on(self, event: Event) -> None:
        self._check()


def _shut_down(parts: Parts, ending: Callable[[], None], video: VideoWriter | None, store: EpisodeStore) -> None:
    """Shut down in the fixed order: stop, hold or park, disconnect, then flush data."""
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
