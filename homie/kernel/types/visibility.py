"""What a planner gets to see: how much of each result and of its history, and whether objects have names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from homie.kernel.types.feedback import UNTOLD, Feedback, HistoryItem
from homie.kernel.types.observations import Detection, Listed
from homie.kernel.types.subtasks import HELD

FeedbackPolicy: TypeAlias = Literal["none", "booleans", "text", "codes"]
HistoryPolicy: TypeAlias = Literal["all", "words", "none"]
ThingsPolicy: TypeAlias = Literal["named", "numbered"]


@dataclass(frozen=True, slots=True)
class Visibility:
    """What a planner gets to see of an episode; the defaults are EMMOE's, which hides nothing.

    Attributes:
        feedback: `codes` shows all of a result, `text` hides its code, names and whether it lasts, `booleans` shows
            success or failure only, `none` nothing. It holds for the results in the history too.
        history: `all` subtasks with their results, the subtasks alone (`words`), or `none`.
        last: How many subtasks the history goes back, None for all.
        things: `numbered` hides the names of objects, so that a planner has to see what `object 3` is; what the
            locator does not list is hidden altogether then.

    >>> Visibility("booleans").last_result(Feedback("fail", message="It is far away"))
    Feedback(status='fail', code=None, message='fail', about=(), lasting=False)
    """

    feedback: FeedbackPolicy = "codes"
    history: HistoryPolicy = "all"
    last: int | None = None
    things: ThingsPolicy = "named"

    def last_result(self, feedback: Feedback | None) -> Feedback | None:
        """The visible result of the last subtask. Prompts print the message only: that of `booleans` is the status."""
        if feedback is None:
            return None
        result = self._result(feedback)
        return replace(result, message=result.status) if self.feedback == "booleans" else result

    def subtasks(self, history: tuple[HistoryItem, ...]) -> tuple[HistoryItem, ...]:
        """The visible history; its numbers stay."""
        if self.history == "none" or self.last == 0:
            return ()
        recent = history if self.last is None else history[-self.last :]
        if self.history == "words":
            return tuple(replace(item, feedback=UNTOLD) for item in recent)
        return tuple(replace(item, feedback=self._result(item.feedback)) for item in recent)

    def listing(self, listed: Sequence[Listed]) -> tuple[str, ...]:
        """The visible lines of a locator's list."""
        if self.things == "named":
            return tuple(map(str, listed))
        return tuple(f"{thing.called}: {thing.place}" for thing in listed)

    def detections(self, detections: Sequence[Detection], listed: Sequence[Listed]) -> tuple[Detection, ...]:
        """The visible detections."""
        if self.things == "named":
            return tuple(detections)
        names = {thing.instance: thing.called for thing in listed}
        return tuple(
            replace(detection, name=names[detection.instance], instance=names[detection.instance], number=0)
            for detection in detections
            if detection.instance in names
        )

    def inventory(self, held: tuple[str, ...]) -> tuple[str, ...]:
        """The visible held objects."""
        return held if self.things == "named" else (HELD,) * len(held)

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
