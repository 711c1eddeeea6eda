"""The contracts of error checks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from homie.kernel.actions import Action
from homie.kernel.interfaces.locator import WorldModel
from homie.kernel.types import (
    Arrangement,
    Attempt,
    Check,
    Decision,
    Observation,
    Subtask,
)


class ErrorCheck(Protocol):
    """One layer of error detection, run before the skill. See `error_detection/`."""

    def __call__(self, question: CheckQuestion) -> Check:
        """What the layer found; a Check without code where it has nothing against the subtask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckQuestion:
    """All that a check may look at.

    Attributes:
        action: What is known of the subtask's action.
        entity: What it is done to (of a Put the destination), None where the words mean nothing.
        world: What is known; it answers questions.
        actions, models: What may be chosen.
        skilled: Whether some skill runs the action under the model that the planner chose.
    """

    decision: Decision
    subtask: Subtask
    action: Action
    entity: str | None
    inventory: tuple[str, ...]
    observation: Observation
    world: WorldModel
    actions: tuple[str, ...]
    models: tuple[str, ...]
    skilled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """An attempt of a skill, for the execution check to judge.

    Attributes:
        action: What is known of it.
        entity: What it was done to, "" for an action that takes no target.
        held: What the hand held before.
        observation: After the attempt; the world model is updated with it.
        feedback_message: The skill's own sentence for the planner.
        before: How things were when the subtask began.
    """

    subtask: Subtask
    action: Action
    entity: str
    held: str | None
    attempt: Attempt
    observation: Observation
    world: WorldModel
    feedback_message: str = ""
    before: Arrangement = field(default_factory=Arrangement)


class ExecutionCheck(Protocol):
    """The fourth layer of error detection, which looks at what a skill has done. See `error_detection.execution`."""

    def judged(self, trial: Trial) -> Attempt:
        """The attempt with the outcome that the world shows: a skill may report success without an effect.

        Args:
            trial: The attempt as the skill reported it, and what is observed and known after it.
        """

    def check(self, trial: Trial) -> Check:
        """The check of a judged attempt.

        Args:
            trial: As for `judged`, with its attempt.

        Returns:
            Without code for success; E1 for what may be tried again, E2 where the object is lost.
        """
