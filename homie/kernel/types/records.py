"""What happened to a subtask: checks, attempts, executions, rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from homie.kernel.error_codes import ErrorCode
from homie.kernel.types.feedback import SUCCESS, Feedback, HistoryItem
from homie.kernel.types.limits import ENDINGS, EndedBy
from homie.kernel.types.subtasks import REPORTS, Decision, Report, Subtask, Who


class Outcome(StrEnum):
    """How one attempt of a skill ended."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    STOPPED = "stopped"
    """By a person, not by its skill."""


@dataclass(frozen=True, slots=True)
class Check:
    """One layer of error detection and what it found.

    Attributes:
        layer: Format, logical, distance or execution, or the name of a check of one's own.
        code: One of the ten, None for nothing wrong.
        message: What is wrong; without a code a remark on the success.
        about, lasting: See `Feedback`.
    """

    layer: str
    code: ErrorCode | None = None
    message: str = ""
    about: tuple[str, ...] = ()
    lasting: bool = False

    @property
    def feedback(self) -> Feedback:
        """What a planner sees of it."""
        if self.code is None:
            return replace(SUCCESS, message=f"{SUCCESS.message}, {self.message}") if self.message else SUCCESS
        return Feedback("fail", self.code, self.message, self.about, self.lasting)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of a skill: which one really ran, how it ended and why, over how much robot time and commands.

    Attributes:
        stands_in_for: The model that was asked for, where another one's skill ran in its place; `run.json` says why.
        about: The names of what kept the skill from it (`homie.kernel.interfaces.Skill.about`).
    """

    number: int
    skill: str
    outcome: Outcome
    reason: str
    robot_seconds: float
    commands: int
    clamped: int = 0
    stands_in_for: str = ""
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Execution:
    """What became of one subtask: the checks in the order made, the attempts, the feedback.

    Attributes:
        skill_seconds: Wall time that the skill took for its commands; records have it among their timings.
    """

    subtask: Subtask
    model: str
    checks: tuple[Check, ...]
    attempts: tuple[Attempt, ...]
    feedback: Feedback
    target: str = ""
    skill_seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """One round of the agent loop, one line of `steps.jsonl` per executed subtask."""

    round: int
    decision: Decision
    execution: Execution
    inventory: tuple[str, ...]
    stamp: float
    timings: Mapping[str, float]

    @property
    def began(self) -> float:
        """Robot time (s) at which its first attempt began, to a control period or two; `stamp` where none was made."""
        return self.stamp - sum(attempt.robot_seconds for attempt in self.execution.attempts)


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """How an episode ended.

    Attributes:
        rounds: How many were played.
        report, answer: What the planner said of its task when it ended it, and its answer to a question; "" for none.
            Only a goal or a world can say whether it is so.
        who: Made the last decision.
    """

    task: str
    ended_by: EndedBy
    rounds: int
    history: tuple[HistoryItem, ...]
    inventory: tuple[str, ...]
    robot_seconds: float
    report: Report = ""
    answer: str = ""
    who: Who = "planner"

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        return ENDINGS[self.ended_by].format(who=self.who)

    @property
    def report_in_words(self) -> str:
        """What was said of the task, "" for nothing."""
        return REPORTS[self.report].format(who=self.who) if self.report else ""
