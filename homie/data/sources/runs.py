"""Run folders of `homie bench` and `homie run` as episodes, whether the planner was an agent, an expert or a person."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from homie.bench.finished_episodes import BenchFile, read_bench
from homie.bench.score.metric_profiles import make_profile
from homie.bench.score.results import trajectory
from homie.bench.suite.suite import read_subtask
from homie.data.episode import Episode, SkippedEpisode, Step
from homie.data.recording.demonstration import Demonstration
from homie.data.recording.hand_motions import hand_demonstrations
from homie.data.recording.notes import SUCCESS, Mark, analyses, is_discarded, mark_of, read_notes
from homie.data.recording.recording_to_demonstration import demonstration_of
from homie.data.sources.source import Entry, Source
from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_json
from homie.kernel.support.files import entries_of, reading, to_json
from homie.kernel.types import END, VIEWS, WITHOUT_REASON, Execution, HistoryItem, RoundRecord
from homie.runtime.planner_inputs import HAND, INPUTS, RoundInput, read_inputs
from homie.runtime.runstore import FRAMES, EpisodeFile, RunFile, episode_folders, frame, read_run
from homie.runtime.runstore.damage import DamagedEpisode, describe_change, read_finished
from homie.runtime.session import own_verdict
from homie.runtime.task_outcome import Verdict

SCENE = "scene.json"


def _house(source: Source, entry: Entry) -> str:
    """Return the house of an episode. Raises SkippedEpisode."""
    try:
        return source.house(entry)
    except BadInput as error:
        raise SkippedEpisode(f"damaged: {error}") from error


class BenchSource(Source):
    """The run folder of a bench. An episode is done if its goal holds or, without a goal, by its key paths."""

    def __init__(self, path: Path, label: str) -> None:
        super().__init__(path, label)
        self._file, suite, episodes = read_bench(path)
        self._profile = make_profile("homie", suite)
        self._episodes_by_name = {episode.name: episode for episode in episodes}

    def entries(self) -> Sequence[Entry]:
        return tuple(
            Entry(
                name=f"{self.label}/{planned.name}",
                task=planned.task.id,
                folder=planned.folder,
                split=planned.task.split,
            )
            for planned in self._episodes_by_name.values()
        )

    def read(self, entry: Entry) -> Episode:
        planned = self._episodes_by_name[entry.folder.name]
        finished = planned.finished
        if finished is None:
            raise SkippedEpisode("it is not finished")
        if finished.ending.ended_by == "infrastructure":
            raise SkippedEpisode(finished.ending.cause or "infrastructure ended it")
        done = finished.verdict
        if done is None:
            done = self._profile.score(trajectory(planned, finished)).success
        return Episode(
            name=entry.name,
            task=entry.task,
            text=planned.task.text,
            steps=read_played(entry.folder, finished.records),
            house=_house(self, entry),
            split=entry.split,
            keypaths=planned.task.keypaths,
            done=done,
            expert=tuple(read_subtask(step) for step in planned.task.expert or ()),
        )

    def demonstration(self, entry: Entry, fps: int | None) -> Demonstration:
        return _as_demonstration(self.read(entry), entry.folder, self._file, fps)

    def subtasks(self, entry: Entry, action: str, fps: int | None) -> Iterator[Demonstration]:
        return _subtasks(self, entry, action, self._file, fps)

    def house(self, entry: Entry) -> str:
        return house_of(entry.folder / SCENE)

    def describe(self) -> Mapping[str, str]:
        return {"kind": "bench", "suite": self._file.options.suite, **_versions(self._file)}


class RunSource(Source):
    """Run folder of single runs, including recordings. The task is the instruction; success is given by a person's
    mark, else by the simulator if it was given the same task."""

    def __init__(self, path: Path, label: str) -> None:
        super().__init__(path, label)
        self._file = read_run(path)

    def entries(self) -> Sequence[Entry]:
        task = self._file.options.task
        return tuple(
            Entry(name=f"{self.label}/{folder.name}", task=task, folder=folder) for folder in episode_folders(self.path)
        )

    def read(self, entry: Entry) -> Episode:
        ending, records = _read_finished(entry.folder)
        try:
            notes = read_notes(entry.folder)
        except BadInput as error:
            raise SkippedEpisode(f"damaged: {error}") from error
        if is_discarded(notes):
            raise SkippedEpisode("a person discarded it")
        verdict, corrections = own_verdict(entry.folder), analyses(notes)
        return Episode(
            name=entry.name,
            task=entry.task,
            text=ending.task,
            steps=tuple(
                replace(step, analysis=corrections.get(step.input.round, step.analysis))
                for step in read_played(entry.folder, records)
            ),
            house=_house(self, entry),
            done=_success(mark_of(notes), verdict, ending.task),
        )

    def demonstration(self, entry: Entry, fps: int | None) -> Demonstration:
        return _as_demonstration(self.read(entry), entry.folder, self._file, fps)

    def subtasks(self, entry: Entry, action: str, fps: int | None) -> Iterator[Demonstration]:
        return _subtasks(self, entry, action, self._file, fps)

    def house(self, entry: Entry) -> str:
        recorded_mark = self._file.files.get(SCENE)
        if recorded_mark is not None and (wrong := describe_change(self.path / SCENE, recorded_mark)):
            raise BadInput(f"{self.path / SCENE} is damaged: {wrong}.")
        return house_of(self.path / SCENE)

    def describe(self) -> Mapping[str, str]:
        return {"kind": "run", **_versions(self._file)}


def _subtasks(
    source: Source, entry: Entry, action: str, file: BenchFile | RunFile, fps: int | None
) -> Iterator[Demonstration]:
    """Yield the subtasks of an action in a finished episode that nobody discarded. Raises SkippedEpisode."""
    episode = source.read(entry)
    yield from hand_demonstrations(
        entry.folder, name=episode.name, action=action, robot=_robot(file), fps=fps, origin=_origin(file)
    )


def _as_demonstration(episode: Episode, folder: Path, file: BenchFile | RunFile, fps: int | None) -> Demonstration:
    """Convert a finished episode to a demonstration. Raises SkippedEpisode."""
    records = _read_finished(folder)[1]
    return demonstration_of(folder, episode, records, robot=_robot(file), fps=fps, origin=_origin(file))


def _robot(file: BenchFile | RunFile) -> str:
    robot, _, argument = file.options.robot.partition(":")
    if robot == "ros":  # for robots on a network, the profile names the robot
        robot = Path(argument).stem
    return robot


def _origin(file: BenchFile | RunFile) -> str:
    planner = file.options.planner
    decider = {"human": "a person", "bag": "whoever drove it when the bag was recorded"}.get(
        planner, f"the planner {planner}"
    )
    return f"recorded with Homie, decisions by {decider}"


def _success(mark: Mark | None, verdict: Verdict | None, task: str) -> bool | None:
    """Return whether an episode did its task, None if unknown."""
    if mark is not None:
        return mark == SUCCESS
    return verdict.done if verdict is not None and verdict.task == task else None


def read_played(folder: Path, records: Sequence[RoundRecord]) -> tuple[Step, ...]:
    """Return the steps of a finished episode folder. Raises SkippedEpisode, OSError."""
    inputs = _inputs(folder)
    frame_names = {path.name for path in entries_of(folder / FRAMES) if path.suffix == ".png"}
    steps: list[Step] = []
    history: tuple[HistoryItem, ...] = ()
    asked: set[int] = set()
    for record in records:
        if record.decision.problem:
            continue
        if record.round not in inputs:
            raise SkippedEpisode(f"{INPUTS} has no round {record.round}")
        places = {view: frame(folder, record.round, view) for view in (*VIEWS, HAND)}
        for view in inputs[record.round].pictures if frame_names else ():  # none: played without --frames
            if frame(folder, record.round, view).name not in frame_names:
                raise SkippedEpisode(f"damaged: {frame(folder, record.round, view).name} is missing")
        execution = record.execution
        steps.append(
            Step(
                input=inputs[record.round],
                history=history,
                subtask=execution.subtask,
                feedback=execution.feedback,
                analysis=_reason(record.decision.analysis),
                model=_model(record.decision.model, execution, inputs[record.round]),
                inventory=record.inventory,
                pictures={view: path for view, path in places.items() if path.name in frame_names},
                asked=record.round not in asked,
                report=record.decision.report if execution.subtask.action == END.action else "",
                answer=record.decision.answer if execution.subtask.action == END.action else "",
            )
        )
        asked.add(record.round)
        history = (*history, HistoryItem(len(history) + 1, execution.subtask, execution.feedback))
    return tuple(steps)


def _reason(analysis: str) -> str:
    """Return the analysis of a decision on one line, "" if a person gave no reason."""
    text = " ".join(analysis.split())
    return "" if text in WITHOUT_REASON else text


class _House(BaseModel):
    rooms: Any
    doorways: Any = None
    furniture: list[dict[str, Any]] = []


def house_of(scene: Path) -> str:
    """Return a hash that identifies a house: of its rooms, doorways and furniture, but not of objects or open doors.

    Of a scene without rooms everything is hashed; "" without a scene. Raises BadInput for an unreadable scene, as
    otherwise episodes of one house could be in both sides of a split.
    """
    if not scene.exists():
        return ""
    with reading(scene):
        content = load_json(scene)
        if isinstance(content, dict) and "rooms" in content:
            house = _House.model_validate(content)
            furniture = [
                {name: piece.get(name) for name in ("name", "kind", "colour", "room", "x", "y", "yaw")}
                for piece in house.furniture
            ]
            content = {"rooms": house.rooms, "doorways": house.doorways, "furniture": furniture}
    return hashlib.sha256(to_json(content)).hexdigest()[:12]


def _read_finished(folder: Path) -> tuple[EpisodeFile, tuple[RoundRecord, ...]]:
    try:
        finished = read_finished(folder)
    except DamagedEpisode as damage:
        raise SkippedEpisode(f"damaged: {damage}") from damage
    if finished is None:
        raise SkippedEpisode("it is not finished")
    return finished


def _inputs(folder: Path) -> dict[int, RoundInput]:
    if not (folder / INPUTS).exists():
        raise SkippedEpisode(f"it has no {INPUTS}: an older Homie made it, so its planner input is unknown")
    try:
        return {item.round: item for item in read_inputs(folder)}
    except BadInput as error:
        raise SkippedEpisode(f"damaged: {error}") from error


def _model(chosen: str, execution: Execution, round_input: RoundInput) -> str:
    """Return the model chosen for a subtask; if none was, the one whose skill ran last, or would have run.

    Otherwise an answer rejected before any skill ran would differ from others by not naming a model.
    """
    action = execution.subtask.action
    if chosen or action == END.action:
        return chosen
    if execution.attempts:
        last = execution.attempts[-1]
        return last.stands_in_for or last.skill.partition("/")[0]
    capable = [name for name, ability in round_input.abilities.items() if action in ability.actions]
    return next(iter((*capable, *round_input.models)), "")


def _versions(file: BenchFile | RunFile) -> dict[str, str]:
    versions = ", ".join(f"{name} {number}" for name, number in file.versions.items())
    return {"planner": file.options.planner, "seed": str(file.seed), "versions": versions}
