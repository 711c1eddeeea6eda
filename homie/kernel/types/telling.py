"""What a planner is told: how much of each result and of its history, and whether things have names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from homie.kernel.types.choices import HELD
from homie.kernel.types.feedback import UNTOLD, Feedback, HistoryItem
from homie.kernel.types.observations import Detection, Listed

FeedbackPolicy: TypeAlias = Literal["none", "booleans", "text", "codes"]
HistoryPolicy: TypeAlias = Literal["all", "words", "none"]
ThingsPolicy: TypeAlias = Literal["named", "numbered"]
Faults: TypeAlias = Literal["none", "eb-alfred@2025-02", "eb-navigation@2025-02", "eb-manipulation@2025-02"]
"""Of which official evaluator, by the month of its release, the faults are kept (docs/embodiedbench.md)."""


@dataclass(frozen=True, slots=True)
class Telling:
    """The policy of a protocol; the defaults are EMMOE's, where all is told.

    feedback: `codes` is all of it; `text` leaves out code, names and whether it lasts; `booleans` leaves success or
    failure; `none` not even that. It governs the history too. history: `words` has the subtasks without their results.
    last: how many subtasks the history goes back, None for all. things: `numbered` leaves out the names of things, so
    that a planner has to see what `object 3` is; what a locator does not list is not told at all then. faults: `none`
    tells a planner why its answer could not be read. With those of EB-ALFRED it is asked the same again without a
    word; with those of EB-Navigation and EB-Manipulation an action is drawn by lot in its place. A planner may read it
    to keep to it.

    >>> Telling("booleans").last_result(Feedback("fail", message="It is far away"))
    Feedback(status='fail', code=None, message='fail', about=(), lasting=False)
    """

    feedback: FeedbackPolicy = "codes"
    history: HistoryPolicy = "all"
    last: int | None = None
    things: ThingsPolicy = "named"
    faults: Faults = "none"

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

    def listing(self, listed: Sequence[Listed]) -> tuple[str, ...]:
        """What is told of the things in the list, a line each."""
        if self.things == "named":
            return tuple(map(str, listed))
        return tuple(f"{thing.called}: {thing.place}" for thing in listed)

    def detections(self, detections: Sequence[Detection], listed: Sequence[Listed]) -> tuple[Detection, ...]:
        """What is told of the things in the pictures."""
        if self.things == "named":
            return tuple(detections)
        called = {thing.instance: thing.called for thing in listed}
        return tuple(
            replace(seen, name=called[seen.instance], instance=called[seen.instance], number=0)
            for seen in detections
            if seen.instance in called
        )

    def inventory(self, held: tuple[str, ...]) -> tuple[str, ...]:
        """What is told of the hand."""
        return held if self.things == "named" else (HELD,) * len(held)

    @property
    def goes_on(self) -> bool:
        """Whether the rest of a plan is carried out after one of its subtasks has failed, as by EB-Manipulation."""
        return self.faults == "eb-manipulation@2025-02"

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
