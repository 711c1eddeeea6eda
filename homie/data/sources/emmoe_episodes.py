"""Folders in the format of EMMOE-100 as episodes: each is a demonstration by an expert."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from homie.bench.score.error_code_of_feedback import code_of
from homie.bench.suite.emmoe_files import EmmoeTask, ExpertStep, picture_file, read_task, split_of, task_folders
from homie.data.emmoe_wording import OFFICIAL_MODELS, model_name
from homie.data.episode import Episode, LeftOut, Step
from homie.data.sources.source import Entry, Source
from homie.kernel import registry
from homie.kernel.actions import ACTIONS, Ability
from homie.kernel.errors import BadInput
from homie.kernel.types import SUCCESS, VIEWS, ErrorCode, Feedback, HistoryItem
from homie.runtime.planner_inputs import RoundInput

ROUNDS = 20
"""The rounds of an episode in EMMOE (section 5.1)."""


class EmmoeSource(Source):
    """A folder with task folders of EMMOE-100. Its models get the names that Homie's skill sets have."""

    def entries(self) -> Sequence[Entry]:
        return tuple(
            Entry(
                name=f"{self.label}/{folder.relative_to(self.path).as_posix()}",
                task=f"emmoe-{folder.name}",
                folder=folder,
                split=split_of(folder),
            )
            for folder in task_folders(self.path)
        )

    def read(self, entry: Entry) -> Episode:
        try:
            task = read_task(entry.folder)
        except BadInput as error:
            raise LeftOut(f"damaged: {error}") from error
        return Episode(
            name=entry.name,
            task=entry.task,
            text=task.text,
            steps=read_demonstration(task, entry.folder),
            split=entry.split,
            keypaths=task.keypaths,
            done=True,
        )

    def describe(self) -> Mapping[str, str]:
        return {"kind": "folder of EMMOE-100"}


def read_demonstration(task: EmmoeTask, folder: Path | None = None) -> tuple[Step, ...]:
    """The expert's steps of a task.

    Args:
        folder: Where its pictures are, None for none.
    """
    used = [model_name(step.model) for step in task.expert if step.model not in ("", "None")]
    models = tuple(dict.fromkeys([*OFFICIAL_MODELS, *used]))
    abilities = {name: able for name in models if (able := ability(name)) is not None}
    steps: list[Step] = []
    history: tuple[HistoryItem, ...] = ()
    feedback: Feedback | None = None
    inventory: tuple[str, ...] = ()
    for demonstrated in task.expert:
        before = RoundInput(
            task=task.text,
            round=len(history) + 1,
            rounds=ROUNDS,
            inventory=inventory,
            feedback=feedback,
            actions=ACTIONS,
            models=models,
            abilities=abilities,
        )
        feedback, inventory = _feedback(demonstrated), _inventory(demonstrated)
        places = {view: picture_file(folder, demonstrated.number, view) for view in VIEWS} if folder is not None else {}
        steps.append(
            Step(
                input=before,
                history=history,
                subtask=demonstrated.subtask,
                feedback=feedback,
                analysis=demonstrated.analysis,
                model="" if demonstrated.model == "None" else model_name(demonstrated.model),
                inventory=inventory,
                pictures={view: path for view, path in places.items() if path.exists()},
            )
        )
        history = (*history, HistoryItem(len(history) + 1, demonstrated.subtask, feedback))
    return tuple(steps)


def ability(model: str) -> Ability | None:
    """What a skill set of that name can do, as planners see them; None where there is none."""
    if model not in registry.names("skills"):
        return None
    skills = registry.load("skills", model)
    return Ability(skills.actions, skills.meant_for, skills.about)


def _feedback(step: ExpertStep) -> Feedback:
    """Success is a feedback with None in it, as the official code has it."""
    if "None" in step.feedback:
        return SUCCESS if step.feedback == "None" else Feedback("success", None, step.feedback)
    # A sentence of nobody's table is that of a skill: everything that checks refuse is in it.
    return Feedback("fail", ErrorCode(code_of(step.feedback) or "E1"), step.feedback)


def _inventory(step: ExpertStep) -> tuple[str, ...]:
    return () if step.inventory == "None" else (step.inventory,)
