"""A run from its options: find the parts by name, wire them together, run the episode, leave a consistent folder.

RunOptions --registry--> planner, checks, detector, robot, locator, skills --> run_episode --> EpisodeSummary
"""

from __future__ import annotations

import signal
import threading
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from pydantic import BaseModel, ValidationError

from homie import registry
from homie.agent import EpisodeListener, EpisodeResult, Listeners, run_episode
from homie.errors import BadInput, HomieError, InfrastructureError, Interrupted, suggestion
from homie.executor import Executor, SkillBook
from homie.interfaces import Planner, Robot, Skill
from homie.options import RunOptions, explain
from homie.runstore import EpisodeStore, RunFolder
from homie.video import VideoWriter


@dataclass(frozen=True, slots=True)
class EpisodeSummary:
    """What a run leaves: how the episode ended and where its files are (`video` is None if none was asked for)."""

    result: EpisodeResult
    run_folder: Path
    episode_folder: Path
    video: Path | None


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that an episode needs, wired together. `robot` has to be closed."""

    robot: Robot
    planner: Planner
    executor: Executor


def run(options: RunOptions, listeners: Iterable[EpisodeListener] = ()) -> EpisodeSummary:
    """Run one episode and write its run folder. Bad input raises BadInput before anything is written.

    Ctrl-C and SIGTERM stop the robot first and raise Interrupted; the folder then has whole lines in `steps.jsonl`
    and no `episode.json`, and the same command with the same --out runs the episode again.
    """
    RunFolder.check(options)
    parts = assemble(options)
    with parts.robot:
        folder = RunFolder.open(options, parts.robot, parts.planner.describe())
        try:
            path = folder.episode(options.task, trial=0)
            result = play(options, parts, path, listeners, seed=options.seed, trial=0)
            return EpisodeSummary(result, folder.path, path, path / "video.mp4" if options.video else None)
        finally:
            folder.close()


def play(
    options: RunOptions,
    parts: Parts,
    path: Path,
    listeners: Iterable[EpisodeListener] = (),
    *,
    seed: int,
    trial: int,
) -> EpisodeResult:
    """Run one episode into an empty episode folder. The robot is closed afterwards, however it ended.

    seed: of the episode; the seed of the options only says which scene it is. Raises Interrupted on Ctrl-C and SIGTERM,
    InfrastructureError for what nobody expected, and every other HomieError as it comes.
    """
    robot = parts.robot
    store = EpisodeStore(path, robot, seed=seed, trial=trial, frames=options.frames)
    video = VideoWriter(path / "video.mp4", robot) if options.video else None
    # The store comes last: `episode.json` says that all the rest is there.
    told = Listeners([*listeners, *([video] if video else []), store])
    try:
        with stoppable():
            robot.reset(seed=seed)
            parts.executor.locator.reset(seed=seed)
            result = run_episode(
                options.task,
                parts.planner,
                parts.executor,
                seed=seed,
                rounds=options.rounds,
                listener=told,
            )
    except KeyboardInterrupt:
        with undisturbed():
            _shut_down(robot, video, store)
        raise Interrupted(f"Stopped by the user; the finished rounds are in {path}.") from None
    except BaseException as error:
        _shut_down(robot, video, store)
        if isinstance(error, HomieError) or not isinstance(error, Exception):
            raise
        log = path / "error.log"
        log.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
        raise InfrastructureError(f"Unexpected {type(error).__name__}: {error}. The traceback is in {log}.") from error
    _shut_down(robot, video, store)
    return result


def _shut_down(robot: Robot, video: VideoWriter | None, store: EpisodeStore) -> None:
    """The stop order: stop, hold or park, disconnect, then flush data."""
    try:
        robot.stop()
        robot.close()
    finally:
        try:
            if video:
                video.close()
        finally:
            store.close()


def assemble(options: RunOptions) -> Parts:
    """The parts that the options name, cheap ones first. Raises BadInput, MissingPart."""
    planner = load_planner(options.planner, options.planner_settings)
    checks = registry.load("checks", options.check_order)
    sentences = registry.load("sentences", "emmoe")
    detector = registry.load("detectors", options.detector)()
    locator_class = registry.load("locators", options.targets)
    sets = {name: registry.load("skills", name) for name in _skill_names(options.skills)}
    robot: Robot = registry.load("robots", options.robot)(options)
    try:
        book = SkillBook({name: _by_action(make(robot.spec, robot.kinematics)) for name, make in sets.items()})
        executor = Executor(robot, detector, locator_class(robot), book, checks, sentences, attempts=options.attempts)
    except BaseException:
        robot.close()
        raise
    return Parts(robot, planner, executor)


def load_planner(text: str, settings: Mapping[str, Any] | None = None) -> Planner:
    """A planner from NAME or NAME:ARGUMENT (`scripted:plan.yaml`) and its settings. Raises BadInput, MissingPart."""
    made, argument, checked = check_planner(text, settings)
    return made(argument) if checked is None else made(argument, checked)  # type: ignore[call-arg]


def check_planner(text: str, settings: Mapping[str, Any] | None = None) -> tuple[type[Planner], str, BaseModel | None]:
    """The class, the argument and the checked settings of a planner that is not made yet. Raises as `load_planner`."""
    name, _, argument = text.partition(":")
    made: type[Planner] = registry.load("planners", name)
    given = dict(settings or {})
    if made.Settings is not None:
        return made, argument, _checked(name, made.Settings, given)
    if given:
        raise BadInput(f"The planner '{name}' has no settings (got {', '.join(given)}).")
    return made, argument, None


def _checked(name: str, model: type[BaseModel], given: Mapping[str, Any]) -> BaseModel:
    known = list(model.model_fields)
    for key in given:
        if key not in known:
            hint = suggestion(key, known, f"it knows: {', '.join(known)}.")
            raise BadInput(f"The planner '{name}' has no setting '{key}': {hint}")
    try:
        return model(**given)
    except ValidationError as error:
        raise BadInput(f"Setting of the planner '{name}': {explain(error)}") from error


def _skill_names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names or len(set(names)) < len(names):
        raise BadInput(f"skills: expected different skill sets separated by commas (got {text!r}).")
    return names


def _by_action(skills: Sequence[Skill]) -> dict[str, Skill]:
    return {action: skill for skill in skills for action in skill.actions}


@contextmanager
def stoppable() -> Iterator[None]:
    """SIGTERM stops like Ctrl-C. Only the main thread can receive signals; elsewhere nothing changes."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    with _handling(signal.SIGTERM, stop):
        yield


@contextmanager
def undisturbed() -> Iterator[None]:
    """A second Ctrl-C must not keep the robot from stopping or the files from closing."""
    with _handling(signal.SIGINT, signal.SIG_IGN), _handling(signal.SIGTERM, signal.SIG_IGN):
        yield


@contextmanager
def _handling(number: signal.Signals, handler: object) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(number, handler)  # type: ignore[arg-type]
    try:
        yield
    finally:
        signal.signal(number, before)
