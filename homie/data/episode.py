"""An episode for training: input, pictures, decision and result of every step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from homie.kernel.types import END, Feedback, HistoryItem, Report, Subtask
from homie.runtime.planner_inputs import RoundInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One subtask of an episode.

    Attributes:
        input: The planner's input before it.
        history: The subtasks before it.
        model: The one that was chosen, or that ran where the choice was left open; "" for End.
        inventory: What was in the hand after it.
        pictures: Files by the names of the views, the camera at the hand among them.
        asked: Whether the planner was asked for this step; of a decision with several subtasks only the first is one
            that its pictures belong to.
        report, answer: What was said of the task with End, "" for nothing.
        replaced: What the planner did, where `subtask` is another, of the expert.
    """

    input: RoundInput
    history: tuple[HistoryItem, ...]
    subtask: Subtask
    feedback: Feedback
    analysis: str = ""
    model: str = ""
    inventory: tuple[str, ...] = ()
    pictures: Mapping[str, Path] = field(default_factory=dict)
    asked: bool = True
    report: Report = ""
    answer: str = ""
    replaced: Subtask | None = None

    @property
    def number(self) -> int:
        """Its number in the history, from 1."""
        return len(self.history) + 1

    @property
    def ends(self) -> bool:
        """Whether it says that the task is finished."""
        return self.subtask.action == END.action


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One episode. What could not be read of a planner's output is not a step of it.

    Attributes:
        name: Unlike that of any other episode of its sources, such as `my-run/lemon-sofa-0`.
        task: The id of the task.
        house: Episodes of equal ones were in the same house, "" where nobody knows.
        split: `train` or `test`, "" where nobody says.
        done: Whether the task was done in the end, None where nobody can tell.
        expert: Subtasks that do the task, () where nobody says.
        labelled: Whether the subtasks of its steps are labels of the expert.
    """

    name: str
    task: str
    text: str
    steps: tuple[Step, ...]
    house: str = ""
    split: str = ""
    keypaths: tuple[tuple[str, ...], ...] = ()
    done: bool | None = None
    expert: tuple[Subtask, ...] = ()
    labelled: bool = False

    @property
    def ended(self) -> bool:
        """Whether the planner said End."""
        return bool(self.steps) and self.steps[-1].ends


class LeftOut(Exception):
    """An episode that cannot be used. The message says why, to follow its name and a colon."""
