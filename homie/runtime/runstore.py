"""The run folder: everything a run leaves behind. A kill at any instant loses only the episode in flight.

    RUN/run.json                      configuration, versions, seed; written once, atomically, first
    RUN/scene.json                    the scene spec
    RUN/parts/<sha256>.json           what episodes were made with, and in texts/ their prompts: `provenance`
    RUN/episodes/<task>-<trial>/
        steps.jsonl                   one `homie.kernel.types.RoundRecord` a line, append-only, synced line by line
        inputs.jsonl                  what the planner was told, a line a round, see `homie.runtime.inputs`
        commands.jsonl                every command, requested and sent, see `homie.runtime.commandlog`
        frames/                       round-NN-<view>.png, what the planner was shown
        video.mp4                     see `homie.runtime.video`
        final_state.json              simulators: `WorldState.snapshot()`
        episode.json                  an `EpisodeFile`; written once, atomically, last: there means finished

docs/run-folder.md describes the fields.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import re
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Protocol, TypeVar, runtime_checkable

from PIL import Image as Picture
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from homie.kernel.checksums import FileMark, mark, sealed, unsealed
from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.files import reading, reason_of, slug, sync_folder, to_json, write_atomically, writing
from homie.kernel.interfaces import EpisodeListener, Robot, WorldState
from homie.kernel.options import RunOptions
from homie.kernel.text import first_problem
from homie.kernel.types import (
    Answer,
    CommandSent,
    Decision,
    EpisodeEnded,
    EpisodeResult,
    Event,
    HistoryItem,
    PlannerAnswered,
    PlannerAsked,
    PlannerInput,
    RoundRecord,
    SubtaskRecorded,
)
from homie.runtime.commandlog import CommandLog
from homie.runtime.inputs import HAND, INPUTS, RoundInput
from homie.runtime.provenance import PartsFile, differences, keep, keep_text, read_parts, versions

HASHED = ("steps.jsonl", INPUTS, "commands.jsonl", "final_state.json", "scene.json")
"""Files of an episode that numbers are made of: `episode.json` keeps their SHA-256."""
FRAMES = "frames"
SIZED = ("video.mp4",)
"""Files that are too long to be read again for a table: `episode.json` keeps their length."""
SET_ASIDE = re.compile(r"-partial-(\d+)$")
"""The end of the name of an episode folder that was set aside, with its number."""

Model = TypeVar("Model", bound=BaseModel)
_RECORD = TypeAdapter(RoundRecord)


@runtime_checkable
class Staged(Protocol):
    """A simulator whose scene can be written down and played again with `--scene`."""

    @property
    def scene(self) -> BaseModel:
        """The scene spec."""


class RunFile(BaseModel):
    """`run.json`: how to make this run again. parts: the name of a `provenance.PartsFile`. files: `scene.json`.

    Homie 0.1 wrote format 1, without the last two and without a checksum.
    """

    model_config = ConfigDict(frozen=True)

    format: Literal[1, 2] = 2
    created: str
    seed: int
    options: RunOptions
    versions: dict[str, str]
    platform: str
    parts: str = ""
    files: dict[str, FileMark] = {}


class Usage(BaseModel):
    """What the language model of an episode took.

    `unreadable` answers were asked again, `lenient` ones read by one of the `leniencies`, which are counted by name.
    `cached` answers took nothing; `cache_read_tokens` of the input came from a cache of the provider; `cost` is in US
    dollars, 0 where prices are not known.
    """

    model_config = ConfigDict(frozen=True)

    answers: int = 0
    unreadable: int = 0
    lenient: int = 0
    leniencies: dict[str, int] = {}
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    cache_read_tokens: int = 0

    def plus(self, answers: Iterable[Answer]) -> Usage:
        """With some answers more."""
        total = self
        for one in answers:
            total = Usage(
                answers=total.answers + 1,
                unreadable=total.unreadable + bool(one.problem),
                lenient=total.lenient + bool(one.leniencies),
                leniencies=dict(Counter(total.leniencies) + Counter(one.leniencies)),
                cached=total.cached + one.cached,
                input_tokens=total.input_tokens + one.input_tokens,
                output_tokens=total.output_tokens + one.output_tokens,
                cost=total.cost + one.cost,
                cache_read_tokens=total.cache_read_tokens + one.cache_read_tokens,
            )
        return total


class EpisodeFile(BaseModel):
    """`episode.json`: how one episode ended. Equal episodes differ in `wall_seconds`, the mark of
    `steps.jsonl`, which has timings, and the checksum.

    ended_by: the planner (`ended`), the last round (`rounds`), or, in a bench, something that was neither the planner's
    nor the skills' doing (`infrastructure`), told by `cause`. parts: the name of a `provenance.PartsFile`.
    files: the other files of the episode as they were at its end. Homie 0.1 wrote format 1, without the last two.
    """

    model_config = ConfigDict(frozen=True)

    format: Literal[1, 2] = 2
    task: str
    trial: int
    seed: int
    ended_by: Literal["ended", "rounds", "infrastructure"]
    rounds: int
    history: tuple[HistoryItem, ...]
    inventory: tuple[str, ...]
    robot_seconds: float
    wall_seconds: float
    cause: str = ""
    usage: Usage = Usage()
    parts: str = ""
    files: dict[str, FileMark] = {}


class HeldFolder:
    """A run folder that this process alone holds until `close`. lock: the descriptor from `held_folder`."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock = lock

    def close(self) -> None:
        """Let go of the folder. Idempotent."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


class RunFolder(HeldFolder):
    """The run folder of one episode."""

    @classmethod
    def check(cls, options: RunOptions) -> None:
        """Raise BadInput if `options.out` cannot take this run. Writes nothing."""
        if options.out is None:
            return
        with writing(options.out, "the run folder"):  # no right to look into it, a name that is too long
            _check_existing(options.out, options)

    @classmethod
    def open(cls, options: RunOptions, robot: Robot, parts: PartsFile, texts: Mapping[str, str]) -> RunFolder:
        """Create the run folder, or take up an unfinished one of the same configuration and parts. Raises BadInput.

        texts: what the parts name by its SHA-256 (`Planner.texts`).
        """
        scene = scene_file(robot)
        path, lock = held_folder(options.out, options.task)
        try:
            _check_existing(path, options)
            if (path / "run.json").exists():
                if scene is not None and scene != contents(path / "scene.json"):
                    raise BadInput(f"The run folder {path} was made in another scene: choose another --out.")
                _check_parts(path, parts)
            else:
                with writing(path, "into the run folder"):
                    if scene is not None:
                        write_atomically(path / "scene.json", scene)
                    keep(path, parts, texts, mixed=True)
                    write_model(path / "run.json", _run_file(path, options, parts))
        except BaseException:
            os.close(lock)
            raise
        return cls(path, lock)

    def episode(self, name: str, trial: int) -> Path:
        """A new empty episode folder. What an interrupted episode left there is set aside as `...-partial-N`."""
        path = self.path / "episodes" / f"{slug(name)}-{trial}"
        if (path / "episode.json").exists():
            raise BadInput(f"The episode {path} is finished already.")
        return new_episode(path)


class EpisodeStore(EpisodeListener):
    """Writes one episode folder as the episode goes on. A disk that fails raises InfrastructureError."""

    def __init__(self, folder: Path, robot: Robot, *, seed: int, trial: int, frames: bool, parts: str = "") -> None:
        self.folder = folder
        self._parts = parts
        self._robot = robot
        self._seed = seed
        self._trial = trial
        self._began = time.perf_counter()
        self._usage = Usage()
        self._systems: dict[str, str] = {}  # SHA-256 of the system messages that the model was sent
        self._steps = (folder / "steps.jsonl").open("ab")
        self._inputs = (folder / INPUTS).open("ab")
        self._commands = CommandLog(folder / "commands.jsonl")
        self._frames = frames
        if frames:
            (folder / FRAMES).mkdir()
        sync_folder(folder)

    def on(self, event: Event) -> None:
        match event:
            case PlannerAsked(planner_input):
                self._keep_input(planner_input)
            case PlannerAnswered(_, decision):
                self._keep_usage(decision)
            case CommandSent(observation, sent):
                with recording(self.folder):
                    self._commands.write(observation, sent)
            case SubtaskRecorded(record):
                self._keep_record(record)
            case EpisodeEnded(result):
                self._keep_ending(result)

    def _keep_input(self, planner_input: PlannerInput) -> None:
        views = dict(planner_input.views)
        if planner_input.hand is not None:
            views[HAND] = planner_input.hand
        with recording(self.folder):
            self._inputs.write(RoundInput.of(planner_input).line)
            self._inputs.flush()
            for view, image in views.items() if self._frames else ():
                Picture.fromarray(image).save(frame(self.folder, planner_input.round, view), compress_level=1)

    def _keep_usage(self, decision: Decision) -> None:
        if decision.system and decision.system not in self._systems:
            with recording(self.folder):
                self._systems[decision.system] = keep_text(self.folder.parent.parent, decision.system)
        self._usage = self._usage.plus(decision.answers)

    def _keep_record(self, record: RoundRecord) -> None:
        # Wall time is among the timings, so that equal episodes have equal records without them.
        decision = replace(record.decision, system=self._systems.get(record.decision.system, ""))
        record = replace(record, decision=decision)
        line = to_json(_RECORD.dump_python(record, mode="json", exclude={"execution": {"skill_seconds"}}), indent=None)
        with recording(self.folder):
            self._commands.flush()
            self._steps.write(line)
            self._steps.flush()
            os.fsync(self._steps.fileno())
            os.fsync(self._inputs.fileno())

    def _keep_ending(self, result: EpisodeResult) -> None:
        ending = EpisodeFile(
            task=result.task,
            trial=self._trial,
            seed=self._seed,
            ended_by=result.ended_by,
            rounds=result.rounds,
            history=result.history,
            inventory=result.inventory,
            robot_seconds=result.robot_seconds,
            wall_seconds=round(time.perf_counter() - self._began, 3),
            usage=self._usage,
            parts=self._parts,
        )
        with recording(self.folder):
            if isinstance(self._robot, WorldState):
                write_atomically(self.folder / "final_state.json", to_json(self._robot.snapshot().to_json()))
            write_ending(self.folder, ending)

    def close(self) -> None:
        """Let go of the files. Idempotent."""
        try:
            self._commands.close()
        finally:
            self._inputs.close()
            self._steps.close()


def read_run(run: Path) -> RunFile:
    """The configuration of a run folder. Raises BadInput."""
    return read_model(run / "run.json", RunFile)


def read_episode(folder: Path) -> EpisodeFile | None:
    """How an episode ended, or None if it is unfinished. Raises BadInput for a broken file."""
    return read_model(folder / "episode.json", EpisodeFile) if (folder / "episode.json").exists() else None


def read_steps(folder: Path) -> tuple[RoundRecord, ...]:
    """The records of an episode folder. A last line torn by a kill is left out with a warning. Raises BadInput."""
    path = folder / "steps.jsonl"
    lines = contents(path).split(b"\n")
    if torn := lines.pop():
        warnings.warn(f"{path}: left out a last line that a kill has torn ({len(torn)} bytes).", stacklevel=2)
    try:
        return tuple(_RECORD.validate_python(json.loads(line)) for line in lines)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} holds a line that is no round record: {error}") from error


def frame(folder: Path, round_number: int, view: str) -> Path:
    """Where an episode folder has the picture of a view, or that of the `HAND`, in a round."""
    return folder / FRAMES / f"round-{round_number:02d}-{view}.png"


def episode_folders(run: Path) -> tuple[Path, ...]:
    """The episode folders of a run, by name, without those that were set aside."""
    folders = sorted(path for path in (run / "episodes").glob("*") if path.is_dir())
    return tuple(path for path in folders if not SET_ASIDE.search(path.name))


def tries(folder: Path) -> tuple[Path, ...]:
    """What was set aside of an episode folder, oldest first."""
    numbered = {
        path: int(match[1])
        for path in folder.parent.glob("*-partial-*")
        if (match := SET_ASIDE.fullmatch(path.name.removeprefix(folder.name))) and path.is_dir()
    }
    return tuple(sorted(numbered, key=lambda path: numbered[path]))


def read_model(path: Path, model: type[Model]) -> Model:
    """A sealed JSON file as the model that it was written from. Raises BadInput, also where it was damaged since."""
    try:
        return model.model_validate(unsealed(contents(path)))
    except ValidationError as error:
        raise BadInput(f"{path} is not a valid {model.__name__}: {first_problem(error)}.") from error
    except ValueError as error:
        raise BadInput(f"{path} is damaged: {error}.") from error


def kind_of(run: Path) -> str:
    """Whose run folder this is: `bench`, `run`, or "" where `run.json` does not tell."""
    try:
        return str(unsealed(contents(run / "run.json")).get("kind", "run"))
    except (BadInput, ValueError):
        return ""


def write_model(path: Path, model: BaseModel) -> None:
    """A model as a sealed JSON file (`homie.kernel.checksums`), whole or not at all. Raises OSError."""
    write_atomically(path, sealed(model.model_dump(mode="json")))


def write_ending(folder: Path, ending: EpisodeFile) -> None:
    """`episode.json`, with the marks of the files that are beside it. Raises OSError."""
    marks = {
        name: mark(folder / name, content=name in HASHED) for name in (*HASHED, *SIZED) if (folder / name).exists()
    }
    write_model(folder / "episode.json", ending.model_copy(update={"files": marks}))


def scene_file(robot: Robot) -> bytes | None:
    """`scene.json` of a robot that has a scene."""
    return to_json(robot.scene.model_dump(mode="json")) if isinstance(robot, Staged) else None


def runs_folder() -> Path:
    """Where run folders are made without --out: `runs`, or what the environment variable HOMIE_RUNS says."""
    return Path(os.environ.get("HOMIE_RUNS") or "runs").expanduser()


def held_folder(out: Path | None, name: str, what: str = "run folder") -> tuple[Path, int]:
    """The run folder `out`, or a new one named after the time and `name`, and the lock that keeps others off.

    The lock is a file descriptor; closing it, or the end of the process, lets go. what: what the folder is called in
    errors. Raises BadInput.
    """
    with writing(out or runs_folder(), f"the {what}"):
        path = out or _fresh(name)
        path.mkdir(parents=True, exist_ok=True)
        lock = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise BadInput(f"The {what} {path} is in use by another running homie.") from None
    return path, lock


def new_episode(path: Path) -> Path:
    """Make an empty episode folder. What an interrupted episode left there is set aside as `...-partial-N`."""
    if path.exists():
        number = 1
        while (aside := path.with_name(f"{path.name}-partial-{number}")).exists():
            number += 1
        path.rename(aside)
    path.mkdir(parents=True)
    sync_folder(path.parent)
    return path


def _run_file(path: Path, options: RunOptions, parts: PartsFile) -> RunFile:
    return RunFile(
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        seed=options.seed,
        options=options,
        versions=versions(),
        platform=platform.platform(),
        parts=parts.digest,
        files={"scene.json": mark(path / "scene.json")} if (path / "scene.json").exists() else {},
    )


def _check_parts(path: Path, parts: PartsFile) -> None:
    """Raise BadInput if a run was begun with other parts."""
    before = read_run(path).parts
    if before and before != parts.digest:
        changed = "; ".join(differences(read_parts(path, before), parts))
        raise BadInput(f"The run folder {path} was made with other parts (different: {changed}): choose another --out.")


def _fresh(task: str) -> Path:
    """A new folder <time>-<task> in the folder of runs. Raises OSError."""
    base = runs_folder() / f"{datetime.now():%Y%m%d-%H%M%S}-{slug(task)}"
    base.parent.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        path = base if number == 1 else base.with_name(f"{base.name}-{number}")
        try:
            path.mkdir()
            return path
        except FileExistsError:  # another run that began in the same second
            number += 1


def _check_existing(path: Path, options: RunOptions) -> None:
    """Raise BadInput unless the path is new, an empty folder, or an unfinished run of the same configuration."""
    if not path.exists():
        return
    if not path.is_dir():
        raise BadInput(f"The run folder {path} is a file: choose another --out.")
    if not (path / "run.json").exists():
        ours = (".run.json.tmp", "scene.json", ".scene.json.tmp", "parts", "texts")
        if any(entry.name not in ours for entry in path.iterdir()):
            raise BadInput(f"The folder {path} is not empty and not a run folder: choose another --out.")
        return
    if kind_of(path) == "bench":
        raise BadInput(f"The folder {path} holds a run of `homie bench`: choose another --out.")
    before = read_run(path).options
    decisive = [name for name in RunOptions.model_fields if name != "out"]
    changed = [name for name in decisive if getattr(before, name) != getattr(options, name)]
    if changed:
        raise BadInput(
            f"The run folder {path} belongs to another run (different: {', '.join(changed)}): choose another --out."
        )
    folders = episode_folders(path)
    if folders and all((folder / "episode.json").exists() for folder in folders):
        raise BadInput(f"The run folder {path} holds a finished run: choose another --out.")


def contents(path: Path) -> bytes:
    """The bytes of a file. Raises BadInput."""
    with reading(path):
        return path.read_bytes()


def disk_failure(folder: Path, error: OSError) -> InfrastructureError:
    """What to raise when a file of an episode folder cannot be written."""
    return InfrastructureError(
        f"Cannot write into {folder}: {reason_of(error)}. Make room there and give the same command again with --out: "
        "it runs this episode again."
    )


@contextmanager
def recording(folder: Path) -> Iterator[None]:
    """An OSError in here is raised as the InfrastructureError of a disk that fails."""
    try:
        yield
    except OSError as error:
        raise disk_failure(folder, error) from error
