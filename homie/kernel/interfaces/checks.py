"""Interfaces of error checks."""

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
        """Return the result of the layer; a Check without code if it does not object to the subtask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckQuestion:
    """Input of a check.

    Attributes:
        action: Properties of the subtask's action.
        entity: Its target (the destination of a Put), None if the words resolve to no entity.
        world: World model to query.
        actions, models: Names that the planner may choose from.
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
    """An attempt of a skill, as input of the execution check.

    Attributes:
        action: Properties of the action.
        entity: Its target, "" for an action that takes no target.
        held: The object held before.
        observation: The observation after the attempt; the world model is already updated with it.
        feedback_message: The skill's own sentence for the planner.
        before: The arrangement of objects and doors when the subtask began.
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
    """The fourth layer of error detection, which judges the effect of a skill. See `error_detection.execution`."""

    def judged(self, trial: Trial) -> Attempt:
        """Correct the outcome of an attempt by the state of the world: a skill may report success without an effect.

        Args:
            trial: The attempt as reported by the skill, with the observation and world model after it.
        """

    def check(self, trial: Trial) -> Check:
        """Return the check of a judged attempt.

        Args:
            trial: As for `judged`, with the attempt that it returned.

        Returns:
            A check without code for success; E1 if a retry may succeed, E2 if the object is lost.
        """
