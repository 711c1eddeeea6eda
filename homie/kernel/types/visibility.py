"""What a planner gets to see: how much of each result and of the history, and whether objects have names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from homie.kernel.types.feedback import UNTOLD, Feedback, HistoryItem
from homie.kernel.types.observations import Detection, NumberedObject
from homie.kernel.types.subtasks import HELD

FeedbackPolicy: TypeAlias = Literal["none", "booleans", "text", "codes"]
HistoryPolicy: TypeAlias = Literal["all", "words", "none"]
ThingsPolicy: TypeAlias = Literal["named", "numbered"]


@dataclass(frozen=True, slots=True)
class Visibility:
    """Policy of what a planner gets to see of an episode; the defaults are EMMOE's, which hides nothing.

    Attributes:
        feedback: `codes` shows everything of a result, `text` hides its code, `about` and `lasting`, `booleans` shows
            success or failure only, `none` nothing. Also applied to the results in the history.
        history: `all` subtasks with their results, the subtasks alone (`words`), or `none`.
        last: Maximum number of subtasks in the history, None for all.
        things: `numbered` hides the names of objects, so that a planner has to see what `object 3` is; objects that
            the locator does not list are then hidden altogether.

    >>> Visibility("booleans").last_result(Feedback("fail", message="It is far away"))
    Feedback(status='fail', code=None, message='fail', about=(), lasting=False)
    """

    feedback: FeedbackPolicy = "codes"
    history: HistoryPolicy = "all"
    last: int | None = None
    things: ThingsPolicy = "named"

    def last_result(self, feedback: Feedback | None) -> Feedback | None:
        """Filter the result of the last subtask. With `booleans` the message is the status: prompts print only that."""
        if feedback is None:
            return None
        result = self._result(feedback)
        return replace(result, message=result.status) if self.feedback == "booleans" else result

    def subtasks(self, history: tuple[HistoryItem, ...]) -> tuple[HistoryItem, ...]:
        """Filter the history; its items keep their numbers."""
        if self.history == "none" or self.last == 0:
            return ()
        recent = history if self.last is None else history[-self.last :]
        if self.history == "words":
            return tuple(replace(item, feedback=UNTOLD) for item in recent)
        return tuple(replace(item, feedback=self._result(item.feedback)) for item in recent)

    def listing(self, listed: Sequence[NumberedObject]) -> tuple[str, ...]:
        """Format the visible lines of a locator's list."""
        if self.things == "named":
            return tuple(map(str, listed))
        return tuple(f"{thing.called}: {thing.place}" for thing in listed)

    def detections(self, detections: Sequence[Detection], listed: Sequence[NumberedObject]) -> tuple[Detection, ...]:
        """Filter the detections, and replace their names by numbers if things are numbered."""
        if self.things == "named":
            return tuple(detections)
        names = {thing.instance: thing.called for thing in listed}
        return tuple(
            replace(detection, name=names[detection.instance], instance=names[detection.instance], number=0)
            for detection in detections
            if detection.instance in names
        )

    def inventory(self, held: tuple[str, ...]) -> tuple[str, ...]:
        """Return the visible names of the held objects."""
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
