"""The outcome of a task: the state of the world, separate from the planner's report and the success of subtasks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from homie.kernel.support.text import format_count
from homie.kernel.types import END, WITHOUT_REASON, EpisodeResult

Status: TypeAlias = Literal["done", "not done", "declined", "nothing done", "not checked"]
"""`done`, `not done`: the goal holds in the world, or not. `declined`: the planner did not understand the task and
did not begin. `nothing done`: no subtask succeeded, and no question was answered. `not checked`: some subtask
succeeded, and no goal is known."""
NOTHING: tuple[Status, ...] = ("declined", "nothing done")
"""Statuses of a run in which nothing was done."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A simulator's verdict on its scene's own task: whether it is done, and the instruction.

    Attributes:
        unmet: Conditions of its goal that do not hold, in the format of suites.
    """

    done: bool
    task: str
    unmet: tuple[str, ...] = ()

    @classmethod
    def of(cls, state: dict[str, Any]) -> Verdict | None:
        """Read the verdict from the content of `final_state.json`, None if the scene has no task of its own."""
        is_done = state.get("success")
        if not isinstance(is_done, bool):
            return None
        unmet_conditions = [entry["condition"] for entry in state.get("conditions", ()) if not entry.get("met")]
        return cls(
            is_done, str(state.get("instruction", "")), tuple(json.dumps(condition) for condition in unmet_conditions)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """Result of a run, in sentences.

    Attributes:
        status: Status in at most two words.
        world: Whether the goal holds, or that none is known.
        planner: What ended the episode, and what the planner claims.
        subtasks: How many succeeded.
        reason: The planner's last words, if relevant, or the limit that ended the episode.
    """

    status: Status
    world: str
    planner: str
    subtasks: str
    reason: str = ""

    @classmethod
    def of(cls, result: EpisodeResult, verdict: Verdict | None, analysis: str = "") -> Conclusion:
        """Derive the conclusion of an episode.

        Args:
            analysis: Analysis of the planner's last decision.
        """
        attempted = [item for item in result.history if item.subtask.action != END.action]
        success_count = sum(item.feedback.ok for item in attempted)
        status = _status(result, verdict, success_count)
        return cls(
            status=status,
            world=_world_sentence(result, verdict),
            planner=_planner_sentence(result),
            subtasks=f"{success_count} of {format_count(len(attempted), 'subtask')} succeeded"
            if attempted
            else "no subtask was tried",
            reason=_reason(result, status, analysis),
        )


def _status(result: EpisodeResult, verdict: Verdict | None, success_count: int) -> Status:
    is_judged = verdict is not None and verdict.task == result.task
    if is_judged and verdict is not None and verdict.done:
        return "done"
    if result.report == "declined":
        return "declined"
    if not success_count and (not result.answer or result.report == "failure"):  # "I do not know" is not an answer
        return "nothing done"
    return "not done" if is_judged else "not checked"


def _reason(result: EpisodeResult, status: Status, analysis: str) -> str:
    if result.ended_by in ("ended", "goal"):
        return analysis if status in NOTHING or result.report == "failure" else ""
    last_words = f" Its last words: {analysis}" if analysis and analysis not in WITHOUT_REASON else ""
    return f"{result.ending.capitalize()} before the {result.who} did.{last_words}"


def _world_sentence(result: EpisodeResult, verdict: Verdict | None) -> str:
    if verdict is None:
        return "No goal is given, so nothing checked whether the task succeeded."
    verb_text = "holds" if verdict.done else "does not hold"
    unmet_text = f" Not met: {'; '.join(verdict.unmet)}." if verdict.unmet else ""
    if verdict.task == result.task:
        return f"The goal {verb_text} in the simulated world.{unmet_text}"
    return (
        f"Nothing checked whether this instruction was carried out. The goal of the scene's own task, "
        f'"{verdict.task}", {verb_text}.{unmet_text}'
    )


def _planner_sentence(result: EpisodeResult) -> str:
    ending_text = f"{result.ending.capitalize()} after {format_count(result.rounds, 'round')}"
    report = result.report_in_words
    if not report and result.ended_by == "ended" and not result.answer:
        report = f"{'it did not say' if result.who == 'planner' else 'nobody said'} whether the task is done"
    return f"{ending_text}; {report}." if report else f"{ending_text}."
