"""Records of subtasks and episodes: checks, attempts, executions, rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from homie.kernel.error_codes import ErrorCode
from homie.kernel.types.feedback import SUCCESS, Feedback, HistoryItem
from homie.kernel.types.limits import ENDINGS, EndedBy
from homie.kernel.types.subtasks import REPORTS, Decision, Report, Subtask, Who


class Outcome(StrEnum):
    """State of an attempt of a skill."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    STOPPED = "stopped"
    """Stopped by a person, not by its skill."""


@dataclass(frozen=True, slots=True)
class Check:
    """Result of one layer of error detection.

    Attributes:
        layer: Format, logical, distance or execution, or the name of a user-defined check.
        code: One of the ten error codes, None for no error.
        message: The error; without a code a remark on the success.
        about, lasting: See `Feedback`.
    """

    layer: str
    code: ErrorCode | None = None
    message: str = ""
    about: tuple[str, ...] = ()
    lasting: bool = False

    @property
    def feedback(self) -> Feedback:
        """The check as feedback for a planner."""
        if self.code is None:
            return replace(SUCCESS, message=f"{SUCCESS.message}, {self.message}") if self.message else SUCCESS
        return Feedback("fail", self.code, self.message, self.about, self.lasting)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of a skill: the skill that actually ran, its outcome and reason, robot time and number of commands.

    Attributes:
        stands_in_for: The requested model if the skill of another one ran as fallback; `run.json` says why.
        about: Names of the entities that blocked the skill (`homie.kernel.interfaces.Skill.about`).
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
    """Result of one subtask: the checks and attempts in chronological order, and the feedback.

    Attributes:
        skill_seconds: Wall time that the skill took to compute its commands; in records it is part of the timings.
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
        """Robot time (s) at which its first attempt began, within a control period or two; `stamp` without attempts."""
        return self.stamp - sum(attempt.robot_seconds for attempt in self.execution.attempts)


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """Result of an episode.

    Attributes:
        rounds: Number of rounds played.
        report, answer: The planner's report on the task when it ended it, and its answer to a question; "" for none.
            They are claims: only goal and world state tell whether they are true.
        who: Who made the last decision.
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
        """Why it ended, in words."""
        return ENDINGS[self.ended_by].format(who=self.who)

    @property
    def report_in_words(self) -> str:
        """The report on the task in words, "" for none."""
        return REPORTS[self.report].format(who=self.who) if self.report else ""
