"""Events of an episode for listeners: one class per event, in the order in which they occur.

EpisodeStarted; in each round PlannerAsked and PlannerAnswered, then for each subtask SubtaskStarted, SubtaskChecked,
AttemptStarted, CommandSent and PeriodPassed while a skill runs, AttemptEnded and SubtaskRecorded; finally EpisodeEnded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from homie.kernel.types.commands import SentCommand
from homie.kernel.types.goals import Goal
from homie.kernel.types.observations import Observation
from homie.kernel.types.planner_input import PlannerInput
from homie.kernel.types.records import Attempt, Check, EpisodeResult, RoundRecord
from homie.kernel.types.subtasks import Decision, Subtask


@dataclass(frozen=True, slots=True)
class EpisodeStarted:
    """The planner has been reset for a task."""

    task: str


@dataclass(frozen=True, slots=True)
class PlannerAsked:
    """The planner is about to be called.

    Attributes:
        observation: The observation from which the input was made.
    """

    planner_input: PlannerInput
    observation: Observation


@dataclass(frozen=True, slots=True)
class PlannerAnswered:
    """The planner has answered in a round, counted from 1."""

    round: int
    decision: Decision


@dataclass(frozen=True, slots=True)
class SubtaskStarted:
    """A subtask is passed to the executor. There is no such event for End, which is not executed."""

    round: int
    subtask: Subtask


@dataclass(frozen=True, slots=True)
class SubtaskChecked:
    """A layer of error detection has checked the subtask: before a skill runs, or after the last attempt."""

    check: Check


@dataclass(frozen=True, slots=True)
class AttemptStarted:
    """A skill was started with a goal; the first command follows."""

    goal: Goal


@dataclass(frozen=True, slots=True)
class CommandSent:
    """A command, computed from this observation, has passed the safety gate."""

    observation: Observation
    sent: SentCommand


@dataclass(frozen=True, slots=True)
class PeriodPassed:
    """One control period has passed; `observation` was made at its end."""

    observation: Observation


@dataclass(frozen=True, slots=True)
class AttemptEnded:
    """One attempt of a skill is over."""

    attempt: Attempt


@dataclass(frozen=True, slots=True)
class SubtaskRecorded:
    """The subtask is over, or the answer could not be parsed; this is the record of it."""

    record: RoundRecord


@dataclass(frozen=True, slots=True)
class EpisodeEnded:
    """The episode is over."""

    result: EpisodeResult


Event: TypeAlias = (
    EpisodeStarted
    | PlannerAsked
    | PlannerAnswered
    | SubtaskStarted
    | SubtaskChecked
    | AttemptStarted
    | CommandSent
    | PeriodPassed
    | AttemptEnded
    | SubtaskRecorded
    | EpisodeEnded
)
