"""What a planner is told of its own subtasks: how much of each result, and how much of its history."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from homie.kernel.types.feedback import UNTOLD, Feedback, HistoryItem

FeedbackPolicy: TypeAlias = Literal["none", "booleans", "text", "codes"]
HistoryPolicy: TypeAlias = Literal["all", "words", "none"]


@dataclass(frozen=True, slots=True)
class Telling:
    """The policy of a protocol; the defaults are EMMOE's, where all is told.

    feedback: `codes` is all of it; `text` leaves out code, names and whether it lasts; `booleans` leaves success or
    failure; `none` not even that. It governs the history too. history: `words` has the subtasks without their results.
    last: how many subtasks the history goes back, None for all.

    >>> Telling("booleans").last_result(Feedback("fail", message="It is far away"))
    Feedback(status='fail', code=None, message='fail', about=(), lasting=False)
    """

    feedback: FeedbackPolicy = "codes"
    history: HistoryPolicy = "all"
    last: int | None = None

    def last_result(self, feedback: Feedback | None) -> Feedback | None:
        """What is told of the last subtask. Of `booleans` the sentence is the status, since prompts print only that."""
        if feedback is None:
            return None
        result = self._result(feedback)
        return replace(result, message=result.status) if self.feedback == "booleans" else result

    def subtasks(self, history: tuple[HistoryItem, ...]) -> tuple[HistoryItem, ...]:
        """What is told of the subtasks so far. Their numbers stay."""
        if self.history == "none" or self.last == 0:
            return ()
        recent = history if self.last is None else history[-self.last :]
        if self.history == "words":
            return tuple(replace(item, feedback=UNTOLD) for item in recent)
        return tuple(replace(item, feedback=self._result(item.feedback)) for item in recent)

    def _result(self, feedback: Feedback) -> Feedback:
        match self.feedback:
            case "codes":
                return feedback
            case "text":
                return Feedback(feedback.status, message=feedback.message)
            case "booleans":
                return Feedback(feedback.status)
            case "none":
                return UNTOLD
