"""Episodes for the tests of training data: as objects, and as run folders that no robot has made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image as Picture
from pydantic import TypeAdapter

from homie.data.emmoe_wording import OFFICIAL_MODELS
from homie.data.episode import Episode, Step
from homie.data.sources.emmoe_episodes import ability
from homie.kernel.actions import ACTIONS
from homie.kernel.options import RunOptions
from homie.kernel.support.files import to_json
from homie.kernel.types import (
    SUCCESS,
    VIEWS,
    Attempt,
    Decision,
    ErrorCode,
    Execution,
    Feedback,
    HistoryItem,
    Outcome,
    RoundRecord,
    Subtask,
)
from homie.runtime.planner_inputs import INPUTS, RoundInput
from homie.runtime.runstore import EpisodeFile, RunFile, frame, write_ending, write_model
from homie.runtime.runstore.damage import history_of

FAR = Feedback("fail", ErrorCode.D1, "Unable to pick, the target is far away")
ABILITIES = {name: able for name in OFFICIAL_MODELS if (able := ability(name)) is not None}
MODEL_OF = {"Go to": "nomad", "Pick": "rt1x", "Put": "rt1x", "Open": "octo", "Close": "octo", "End": ""}
TEXT = "put the apple in the fridge"
GO, PICK, AWAY, PUT, END = (
    Subtask("Go to", "apple"),
    Subtask("Pick", "apple"),
    Subtask("Go to", "fridge"),
    Subtask("Put", "apple", "fridge"),
    Subtask("End"),
)
DONE: tuple[tuple[Subtask, Feedback], ...] = tuple((subtask, SUCCESS) for subtask in (GO, PICK, AWAY, PUT, END))
REPLANNED = ((PICK, FAR), *DONE)
"""A failure, and what was done instead."""


def episode(acts: Sequence[tuple[Subtask, Feedback]] = DONE, name: str = "run/episode-0", text: str = TEXT) -> Episode:
    """An episode without pictures in which this was done."""
    steps: list[Step] = []
    history: tuple[HistoryItem, ...] = ()
    feedback: Feedback | None = None
    for subtask, result in acts:
        before = RoundInput(
            task=text,
            round=len(history) + 1,
            rounds=20,
            feedback=feedback,
            actions=ACTIONS,
            models=OFFICIAL_MODELS,
            abilities=ABILITIES,
            pictures=VIEWS,
        )
        model = MODEL_OF.get(subtask.action, "nomad")
        steps.append(
            Step(input=before, history=history, subtask=subtask, feedback=result, model=model, analysis=f"so {subtask}")
        )
        history = (*history, HistoryItem(len(history) + 1, subtask, result))
        feedback = result
    return Episode(name=name, task=name.rpartition("/")[2], text=text, steps=tuple(steps))


def write_run(
    path: Path,
    names: Sequence[str],
    acts: Sequence[tuple[Subtask, Feedback]] = DONE,
    *,
    choosing: bool = True,
    text: str = TEXT,
) -> Path:
    """A run folder with finished episodes of these names in which this was done; each has pictures of its own.

    choosing: whether the planner chose the models.
    """
    options = RunOptions(task=text, planner="rule")
    (path / "episodes").mkdir(parents=True)
    write_model(path / "run.json", RunFile(created="", seed=0, options=options, versions={}, platform=""))
    (path / "scene.json").write_bytes(to_json({"rooms": ["kitchen"], "furniture": []}))
    for number, name in enumerate(names):
        write_episode(path / "episodes" / name, episode(acts), seed=number, choosing=choosing)
    return path


def write_episode(folder: Path, played: Episode, *, seed: int, choosing: bool = True) -> None:
    """The files of an episode folder."""
    (folder / "frames").mkdir(parents=True)
    records = []
    generator = np.random.default_rng(seed)
    for step in played.steps:
        for view in VIEWS:
            picture = generator.integers(0, 255, (24, 32, 3), np.uint8)
            Picture.fromarray(picture).save(frame(folder, step.input.round, view))
        attempts = (Attempt(1, f"{step.model}/x", Outcome.SUCCEEDED, "", 1.0, 5),) if step.feedback.ok else ()
        chosen = step.model if choosing else ""
        execution = Execution(step.subtask, chosen, (), attempts, step.feedback, step.subtask.target)
        decision = Decision((step.subtask,), step.analysis, chosen, report=step.report, answer=step.answer)
        records.append(RoundRecord(step.input.round, decision, execution, (), float(step.number), {}))
    adapter = TypeAdapter(RoundRecord)
    lines = [adapter.dump_python(record, mode="json", exclude={"execution": {"skill_seconds"}}) for record in records]
    (folder / "steps.jsonl").write_bytes(b"".join(to_json(line, indent=None) for line in lines))
    (folder / INPUTS).write_bytes(b"".join(step.input.line for step in played.steps))
    write_ending(
        folder,
        EpisodeFile(
            task=played.text,
            trial=0,
            seed=seed,
            ended_by="ended" if played.ended else "rounds",
            rounds=len(records),
            history=history_of(tuple(records)),
            inventory=(),
            robot_seconds=1.0,
            wall_seconds=1.0,
        ),
    )


def files_of(folder: Path) -> dict[str, bytes]:
    """Everything in a folder, by its path in it."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
