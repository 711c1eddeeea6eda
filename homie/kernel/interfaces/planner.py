"""Interface of planners."""

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
"""Text fields of a decision."""


class Planner(Configurable, ABC):
    """High-level policy: makes the next decision from the robot's knowledge. It never sees world state.

    One instance serves one episode at a time; `reset` is called before each. `decide` may raise
    `homie.kernel.errors.PlannerError` (the episode counts as an infrastructure failure) but never makes up a decision.

    Its argument comes from `--planner NAME:ARGUMENT`, its settings from `--set NAME=VALUE`.
    """

    word = "planner"
    keys: ClassVar[tuple[str, ...]] = ()
    """Names of environment variables that may hold its API keys."""
    uses_wrist_camera: bool = False
    """Whether it needs the picture of the robot's `hand` camera (`PlannerInput.hand`)."""

    @abstractmethod
    def reset(self, task: str, *, seed: int) -> None:
        """Forget everything and prepare for a task.

        Args:
            task: The instruction in natural language.
            seed: Seed of everything that the planner samples.

        Raises:
            PlannerError: It cannot start, for instance because its server does not answer.
        """

    @abstractmethod
    def decide(self, planner_input: PlannerInput) -> Decision | Subtask:
        """Make the next decision. Its action may be invalid: the executor checks it.

        Args:
            planner_input: The robot's knowledge in this round: pictures (H, W, 3) uint8, detections, inventory,
                history, feedback. Must not be changed.

        Returns:
            One or more subtasks, or a `problem` if the planner's own output could not be parsed. A bare Subtask is
            taken as a decision with that subtask.

        Raises:
            PlannerError: No decision could be made; the episode ends.
            LimitReached: Its budget is used up; the episode ends by this limit.
        """

    def conclude(self, result: EpisodeResult) -> None:
        """Called at the end of an episode, for planners that report the result of the last subtask to another program.

        Must not raise: the next `reset` raises errors that occur here. Not called if the episode was aborted.

        Args:
            result: How the episode ended, with all subtasks.
        """

    def describe(self) -> Mapping[str, object]:
        """Return what determines its answers (hashes of files and prompts, model, settings), JSON-serializable, without
        secrets.

        The run folder stores it for every episode (`provenance`), and a resumed bench compares it: it must therefore
        be the same for equal planners, before and after an episode.
        """
        return {}

    @classmethod
    def check(cls, argument: str, settings: BaseModel | None) -> None:
        """Check without loading a model whether planners of this class can be constructed, for instance whether keys
        and files are there. A bench calls this before it writes any file.

        Args:
            argument: Argument of the planners.
            settings: Their validated settings.

        Raises:
            BadInput, MissingPart: No planner can be constructed from these.
        """

    @classmethod
    def share(cls, argument: str, settings: BaseModel | None, log: Path) -> SharedPart | None:
        """Create what planners of this class share when several processes have one each; None for nothing.

        Args:
            argument: Argument of the planners.
            settings: Their validated settings.
            log: File for the output of a shared process.
        """
        return None

    def texts(self) -> Mapping[str, str]:
        """Return the texts whose SHA-256 is in `describe` (prompt templates, examples, a plan file), by hex SHA-256."""
        return {}


def call_planner(planner: Planner, planner_input: PlannerInput) -> Decision:
    """Call a planner and check its answer. Raises BadInput as `decision_of`, and whatever the planner raises."""
    return decision_of(planner.decide(planner_input), method_of("planner", planner, "decide"))


def decision_of(answer: object, subject: str) -> Decision:
    """Validate a planner's return value and convert it to a decision. A bare Subtask becomes a decision with it.

    Args:
        answer: Returned by a planner, which may be user code.
        subject: The method or function that returned it, as the beginning of a sentence.

    Raises:
        BadInput: It is not a decision, or has an invalid field; the message says what to return.
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
    """Yield the errors of a decision, each as the end of a sentence."""
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
