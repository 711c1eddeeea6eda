"""The contract of planners."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, get_args

from pydantic import BaseModel

from homie.kernel.errors import BadInput
from homie.kernel.interfaces.parts import Configurable, SharedPart, brief, method_of
from homie.kernel.types import (
    Answer,
    Decision,
    EpisodeResult,
    PlannerInput,
    Report,
    Subtask,
)

TEXTS = ("analysis", "model", "raw", "problem", "system", "question", "answer", "advice")
"""The fields of a decision that are text."""


class Planner(Configurable, ABC):
    """A brain: from what the robot knows to the next decision. It never sees world state.

    One instance serves one episode at a time; `reset` is called before each. `decide` may raise
    `homie.kernel.errors.PlannerError` (the episode ends as infrastructure) but never invents a decision.

    Its argument is that of `--planner NAME:ARGUMENT`, its settings those of `--set NAME=VALUE`.
    """

    word = "planner"
    keys: ClassVar[tuple[str, ...]] = ()
    """Names of environment variables that may hold its API keys."""
    uses_wrist_camera: bool = False
    """Whether it wants the picture of the robot's `hand` camera (`PlannerInput.hand`)."""

    @abstractmethod
    def reset(self, task: str, *, seed: int) -> None:
        """Forget everything and prepare for a task.

        Args:
            task: The instruction in natural language.
            seed: Of everything that the planner samples.

        Raises:
            PlannerError: It cannot begin, for instance because its server does not answer.
        """

    @abstractmethod
    def decide(self, planner_input: PlannerInput) -> Decision | Subtask:
        """The next decision. Its action may be wrong: checking is the executor's work.

        Args:
            planner_input: What the robot knows in this round: pictures (H, W, 3) uint8, detections, inventory, history,
                feedback. Not to be changed.

        Returns:
            One subtask or more, or a `problem` where the planner's own output could not be read. A Subtask alone is a
            decision of it.

        Raises:
            PlannerError: No decision could be made; the episode ends.
            LimitReached: What it may spend is used up; the episode ends by this limit.
        """

    def conclude(self, result: EpisodeResult) -> None:
        """The episode is over. For planners that have to tell another program what became of the last subtask.

        It raises nothing: what goes wrong here is for the next `reset` to raise. Not called for an episode that was
        lost.

        Args:
            result: How it ended, with all subtasks.
        """

    def describe(self) -> Mapping[str, object]:
        """What decides its answers (hashes of its files and prompts, model, settings), JSON-ready, without secrets.

        The run folder keeps it for every episode (`provenance`), and a bench that goes on compares it: so it
        says the same of equal planners, before an episode and after it.
        """
        return {}

    @classmethod
    def check(cls, argument: str, settings: BaseModel | None) -> None:
        """Find out what would keep every planner of this class from being made, such as a key or a file that is
        missing, without loading a model. A bench asks before it writes anything.

        Args:
            argument: the argument of those planners.
            settings: their settings, checked.

        Raises:
            BadInput, MissingPart: No planner can be made of these.
        """

    @classmethod
    def share(cls, argument: str, settings: BaseModel | None, log: Path) -> SharedPart | None:
        """What planners of this class share when several processes make one each, None for nothing.

        Args:
            argument: the argument of those planners.
            settings: their settings, checked.
            log: the file for what a shared process writes.
        """
        return None

    def texts(self) -> Mapping[str, str]:
        """The texts whose SHA-256 its description names (prompt templates, examples, a plan file), by that, in hex."""
        return {}


def decided(planner: Planner, planner_input: PlannerInput) -> Decision:
    """What a planner decides in a round. Raises BadInput as `decision_of`, and whatever the planner raises."""
    return decision_of(planner.decide(planner_input), method_of("planner", planner, "decide"))


def decision_of(answer: object, subject: str) -> Decision:
    """What a planner has returned, as a decision. A Subtask alone is a decision of it.

    Args:
        answer: From a planner, which may be a user's own.
        subject: The method or function that has returned it, at the beginning of a sentence.

    Raises:
        BadInput: It is not a decision, or has a wrong field; the sentence says what to return.
    """
    if inspect.iscoroutine(answer):
        answer.close()
        raise BadInput(
            f"{subject} is async: write it with `def`, or make a homie.FunctionPlanner of an async function."
        )
    if isinstance(answer, Subtask):
        answer = Decision((answer,))
    if not isinstance(answer, Decision):
        raise BadInput(
            f"{subject} returned {brief(answer)}: return a homie.Decision or a homie.Subtask, such as "
            'homie.Subtask("Go to", "apple").'
        )
    subtasks: object = answer.subtasks
    if isinstance(subtasks, Subtask | list):
        answer = replace(answer, subtasks=tuple(subtasks) if isinstance(subtasks, list) else (subtasks,))
    if fault := next(_faults(answer), ""):
        raise BadInput(f"{subject} returned a homie.Decision {fault}.")
    return answer


def _faults(decision: Decision) -> Iterator[str]:
    """What is wrong with a decision, as the end of a sentence."""
    subtasks: object = decision.subtasks
    if not isinstance(subtasks, tuple) or not all(isinstance(subtask, Subtask) for subtask in subtasks):
        yield f"whose `subtasks` are {brief(subtasks)}: give a tuple of homie.Subtask"
        return
    for subtask in subtasks:
        if not all(isinstance(part, str) for part in (subtask.action, subtask.target, subtask.destination)):
            yield f"with {brief(subtask)}: give action, target and destination as text"
        elif not subtask.action:
            yield f"with {brief(subtask)}: give an action"
    for name in TEXTS:
        if not isinstance(value := getattr(decision, name), str):
            yield f"whose `{name}` is {brief(value)}: give a text"
    if decision.report not in get_args(Report):
        yield f"whose `report` is {brief(decision.report)}: give one of {', '.join(map(repr, get_args(Report)))}"
    answers: object = decision.answers
    if not isinstance(answers, tuple) or not all(isinstance(answer, Answer) for answer in answers):
        yield f"whose `answers` are {brief(answers)}: give a tuple of homie.kernel.types.Answer"
    if subtasks and decision.problem:
        yield "with subtasks and a `problem`: give one of the two, for a problem says why there is no subtask"
    if not subtasks and not decision.problem:
        yield "without a subtask: give one (homie.END ends the task), or say in `problem` why there is none"
