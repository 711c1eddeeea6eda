"""Episode for training: input, pictures, decision and result of every step."""

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
        input: Input of the planner before the step.
        history: Earlier subtasks.
        model: The chosen model, or the one that ran if the choice was left open; "" for End.
        inventory: Held object after the step.
        pictures: Picture files by view name, including the wrist camera.
        asked: Whether the planner was queried for this step. Of a decision with several subtasks this is only the
            first, the one that the pictures belong to.
        report, answer: Report and answer given with End, "" for none.
        replaced: The planner's own subtask, if `subtask` is a different one by the expert.
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
        """Number of the step in the history, from 1."""
        return len(self.history) + 1

    @property
    def ends(self) -> bool:
        """Whether the step is End."""
        return self.subtask.action == END.action


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One episode. Planner outputs that could not be parsed are not among its steps.

    Attributes:
        name: Unique among all episodes of its sources, such as `my-run/lemon-sofa-0`.
        task: Task id.
        house: Equal for episodes in the same house; "" if unknown.
        split: `train` or `test`; "" if unknown.
        done: Whether the task was done at the end; None if unknown.
        expert: Subtasks that complete the task; () if unknown.
        labelled: Whether the subtasks of the steps are labels by the expert.
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
        """Whether the last step is End."""
        return bool(self.steps) and self.steps[-1].ends


class SkippedEpisode(Exception):
    """Raised for an episode that cannot be used. The message is the reason, to follow the episode's name and a
    colon."""
