"""Run folders of a bench, written by the bench's own code without a robot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter

from homie.bench.episode import Episode
from homie.bench.episode_plan import plan
from homie.bench.options import BenchOptions
from homie.bench.resume import BenchFolder
from homie.bench.suite.suite import Suite
from homie.kernel.options import RunOptions
from homie.kernel.support.checksums import seal
from homie.kernel.support.files import to_json, write_atomically
from homie.kernel.types import (
    SUCCESS,
    Attempt,
    Decision,
    ErrorCode,
    Execution,
    Feedback,
    Outcome,
    RoundRecord,
    Subtask,
)
from homie.runtime.runstore import EpisodeFile, RunFile, read_episode, read_steps, write_ending
from homie.runtime.runstore.damage import history_of

FAR = Feedback("fail", ErrorCode.D1, "Unable to pick, the target is far away")
PICK, END = Subtask("Pick", "apple"), Subtask("End")
DONE, WANDERED, LATE, RENAMED = "done", "wandered", "late", "renamed"
"""Ways an episode can go: at once; to an End without anything done; after an error; the apple put by a wrong name."""
ENTITIES = {"apple": "apple_1", "table": "table_1", "spaceship": "table_1"}
"""What the executor makes of a subtask, by its target (a Put is about its place)."""


def suite(tasks: int = 4, **more: object) -> Suite:
    """Tasks to pick an apple, every other one long-horizon, the last one of the split `test`."""
    return Suite.model_validate(
        {
            "format": 1,
            "name": "small",
            "tasks": [
                {
                    "id": f"task-{number}",
                    "text": "take the apple",
                    "attributes": ["long-horizon" if number % 2 else "short-horizon"],
                    "split": "test" if number == tasks - 1 else "train",
                    "keypaths": [["[Pick, apple]", "[End]"]],
                    "goal": {"held": "apple"},
                    "expert": ["[Go to, apple]", "[Pick, apple]"],
                }
                for number in range(tasks)
            ],
            **more,
        }
    )


def rounds(way: str) -> list[RoundRecord]:
    """The records of an episode that went a way."""
    steps = {
        DONE: [(PICK, SUCCESS)],
        WANDERED: [(Subtask("Go to", "table"), SUCCESS)],
        LATE: [(PICK, FAR), (PICK, SUCCESS)],
        RENAMED: [(PICK, SUCCESS), (Subtask("Put", "spaceship", "table"), SUCCESS)],
    }[way]
    records = []
    for number, (subtask, feedback) in enumerate([*steps, (END, SUCCESS)], 1):
        tries = (Attempt(1, "classical", Outcome.SUCCEEDED, "", 1.0, 5),) if feedback.ok and subtask != END else ()
        execution = Execution(subtask, "", (), tries, feedback, ENTITIES.get(subtask.target, ""))
        records.append(RoundRecord(number, Decision((subtask,)), execution, ("apple",), float(number), {}))
    return records


def write_run(
    path: Path,
    ways: Mapping[tuple[str, int], str],
    *,
    planner: str = "rule",
    tasks: Suite | None = None,
    held: Sequence[tuple[str, int]] | None = None,
    trials: int = 2,
) -> Path:
    """A run folder. ways: how each episode went; one that is not named is unfinished, another text is its cause of
    infrastructure. held: the episodes that end with the apple in the hand (default: those that were done)."""
    chosen = tasks or suite()
    options = BenchOptions(suite="small.yaml", planner=planner, out=path, trials=trials)
    BenchFolder.open(options, chosen).close()
    for episode in plan(path, options, chosen):
        way = ways.get((episode.task.id, episode.trial))
        if way is None:
            continue
        lost = way not in (DONE, WANDERED, LATE, RENAMED)
        holds = way in (DONE, LATE) if held is None else (episode.task.id, episode.trial) in held
        apple = {"kind": "apple", "relation": "held" if holds else "on", "at": "hand" if holds else "table"}
        state = {"objects": {"apple_1": apple}, "held": "apple_1" if holds else None}
        _write_episode(episode, [] if lost else rounds(way), state, way if lost else "")
    return path


def _write_episode(episode: Episode, records: list[RoundRecord], state: object, cause: str) -> None:
    episode.begin()
    if not cause:
        write_atomically(episode.folder / "final_state.json", to_json(state))
    (episode.folder / "steps.jsonl").write_bytes(_lines(records))
    write_ending(episode.folder, _ending(episode.task.text, episode.trial, episode.seed, records, cause))


def _lines(records: Sequence[RoundRecord]) -> bytes:
    dump = TypeAdapter(RoundRecord).dump_python
    return b"".join(to_json(dump(record, mode="json"), indent=None) for record in records)


def _ending(task: str, trial: int, seed: int, records: Sequence[RoundRecord], cause: str) -> EpisodeFile:
    return EpisodeFile(
        task=task,
        trial=trial,
        seed=seed,
        ended_by="infrastructure" if cause else "ended",
        rounds=len(records),
        history=history_of(tuple(records)),
        inventory=(),
        robot_seconds=1.0,
        wall_seconds=1.0,
        cause=cause,
    )


def rewrite(
    episode: Path, change: Callable[[RoundRecord], RoundRecord] = lambda record: record, **more: object
) -> None:
    """Write a finished episode anew, every record changed, with other values in `episode.json`."""
    records = tuple(change(record) for record in read_steps(episode))
    (episode / "steps.jsonl").write_bytes(_lines(records))
    ending = read_episode(episode)
    assert ending is not None
    ended_by = "ended" if records[-1].execution.subtask.action == "End" else "rounds"
    write_ending(episode, ending.model_copy(update={"history": history_of(records), "ended_by": ended_by, **more}))


def write_single(path: Path, ways: Mapping[str, str], *, seed: int = 0, **options: object) -> Path:
    """The folder of a single run. ways: how each episode went, by folder; "" is unfinished, another text is its cause
    of infrastructure."""
    path.mkdir()
    chosen = RunOptions.build(**{"task": "take the apple", **options})
    run = RunFile(
        created="2026-01-02", seed=seed, options=chosen, versions={"homie": "1", "mujoco": "3"}, platform="here"
    )
    for name, way in ways.items():
        folder = path / "episodes" / name
        folder.mkdir(parents=True)
        lost = way not in ("", DONE, WANDERED, LATE, RENAMED)
        records = [] if lost else rounds(way or WANDERED)
        (folder / "steps.jsonl").write_bytes(_lines(records))
        if way:
            write_ending(folder, _ending(chosen.task, 1, seed, records, way if lost else ""))
    write_atomically(path / "run.json", seal(run.model_dump(mode="json")))
    return path
