"""Folders in the format of EMMOE-100 as episodes, each a demonstration by an expert."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from homie.bench.score.error_code_of_feedback import code_of
from homie.bench.suite.emmoe_files import EmmoeTask, ExpertStep, picture_file, read_task, split_of, task_folders
from homie.data.emmoe_wording import OFFICIAL_MODELS, model_name
from homie.data.episode import Episode, SkippedEpisode, Step
from homie.data.sources.source import Entry, Source
from homie.kernel import registry
from homie.kernel.actions import ACTIONS, Ability
from homie.kernel.errors import BadInput
from homie.kernel.types import SUCCESS, VIEWS, ErrorCode, Feedback, HistoryItem
from homie.runtime.planner_inputs import RoundInput

ROUNDS = 20
"""Number of rounds of an episode in EMMOE (section 5.1)."""


class EmmoeSource(Source):
    """A folder with task folders of EMMOE-100. Its model names are mapped to those of Homie's skill sets."""

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
            raise SkippedEpisode(f"damaged: {error}") from error
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
    """Return the expert's steps of a task.

    Args:
        folder: Folder with the pictures, None for none.
    """
    expert_models = [model_name(step.model) for step in task.expert if step.model not in ("", "None")]
    models = tuple(dict.fromkeys([*OFFICIAL_MODELS, *expert_models]))
    abilities = {name: model_ability for name in models if (model_ability := ability(name)) is not None}
    steps: list[Step] = []
    history: tuple[HistoryItem, ...] = ()
    feedback: Feedback | None = None
    inventory: tuple[str, ...] = ()
    for expert_step in task.expert:
        round_input = RoundInput(
            task=task.text,
            round=len(history) + 1,
            rounds=ROUNDS,
            inventory=inventory,
            feedback=feedback,
            actions=ACTIONS,
            models=models,
            abilities=abilities,
        )
        feedback, inventory = _feedback(expert_step), _inventory(expert_step)
        files = {view: picture_file(folder, expert_step.number, view) for view in VIEWS} if folder is not None else {}
        steps.append(
            Step(
                input=round_input,
                history=history,
                subtask=expert_step.subtask,
                feedback=feedback,
                analysis=expert_step.analysis,
                model="" if expert_step.model == "None" else model_name(expert_step.model),
                inventory=inventory,
                pictures={view: path for view, path in files.items() if path.exists()},
            )
        )
        history = (*history, HistoryItem(len(history) + 1, expert_step.subtask, feedback))
    return tuple(steps)


def ability(model: str) -> Ability | None:
    """Return the ability of a skill set as shown to planners; None if there is no such skill set."""
    if model not in registry.names("skills"):
        return None
    skills = registry.load("skills", model)
    return Ability(skills.actions, skills.meant_for, skills.about)


def _feedback(step: ExpertStep) -> Feedback:
    """Parse a step's feedback. As in the official code, a message that contains "None" is success."""
    if "None" in step.feedback:
        return SUCCESS if step.feedback == "None" else Feedback("success", None, step.feedback)
    # A message without an error code is one of a skill: the messages of all checks have codes.
    return Feedback("fail", ErrorCode(code_of(step.feedback) or "E1"), step.feedback)


def _inventory(step: ExpertStep) -> tuple[str, ...]:
    return () if step.inventory == "None" else (step.inventory,)
