"""An expert that continues a script of subtasks from any history.

script, history --> remaining steps --> next step

The remaining steps follow from the subtasks that succeeded: a step done out of order counts as done, and the effects
of subtasks outside the script are undone if they are in the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from homie.kernel.actions import action_of, entity_words
from homie.kernel.error_codes import ErrorCode
from homie.kernel.knowledge import RememberedThing
from homie.kernel.types.feedback import Feedback, HistoryItem
from homie.kernel.types.subtasks import END, Subtask

_FURNITURE = re.compile(r"(?:on|in) (?!(?:the )?floor$)(?:the )?(.+)")
"""Place of a remembered object, except the floor: objects cannot be put back there."""
TRIES = 3
"""Failures of the expert's own step after which it gives no label: the step seems to be impossible in this home."""


@dataclass(frozen=True, slots=True)
class _Step:
    """A remaining subtask. where: what the robot goes to before it. anywhere: whether any destination is accepted."""

    subtask: Subtask
    where: str
    anywhere: bool = False


@dataclass
class _Progress:
    """Progress of a script after the subtasks so far.

    Attributes:
        left: Remaining steps, in order.
        script: All steps.
        places: See `next_step`.
        at: The target that the robot last went to, "" once it turns out to be too far away.
        hand: The held object, "" for none.
        failures: Number of failures of each subtask since the last success.
    """

    left: list[_Step]
    script: tuple[_Step, ...]
    places: Mapping[str, str]
    at: str = ""
    hand: str = ""
    failures: dict[Subtask, int] = field(default_factory=dict)

    def take(self, item: HistoryItem) -> None:
        subtask, feedback = item.subtask, item.feedback
        if not feedback.ok:
            self._record_failure(subtask, feedback)
            return
        self.failures.clear()
        if subtask.action == "Go to":
            self.at = subtask.target
            if len(self.left) > 1 and _matches(self.left[0], "Go to", subtask.target):
                del self.left[0]  # but keep the last step: the robot may leave the place and have to return to it
            return
        index = next((i for i, step in enumerate(self.left) if _completes(subtask, step)), None)
        if subtask.action == "Close" and self._needs_open(subtask.target):
            self._open_first(subtask.target)
        elif index is not None:
            skipped = [step for step in self.left[:index] if step.subtask.action != "Go to"]  # ways to the step done
            self.left = skipped + self.left[index + 1 :]
        else:
            self._undo(subtask)
        if subtask.action == "Open":
            self._close_later(subtask.target)
        inventory = action_of(subtask.action).inventory
        self.hand = subtask.target if inventory == "takes" else "" if inventory == "gives" else self.hand

    def _record_failure(self, subtask: Subtask, feedback: Feedback) -> None:
        self.failures[subtask] = self.failures.get(subtask, 0) + 1
        if feedback.code in (ErrorCode.D1, ErrorCode.D2):
            self.at = ""
        elif feedback.code is ErrorCode.E2 and self.hand:
            self._pick_again(self.hand)
            self.hand = ""
        elif feedback.code is ErrorCode.L3:
            closed = feedback.about[0] if feedback.about else entity_words(subtask, action_of(subtask.action).arguments)
            self._open_first(closed)

    def _undo(self, subtask: Subtask) -> None:
        """Add steps that undo a subtask that succeeded and is not in the script."""
        target = subtask.target
        if subtask.action == "Pick":
            place = self.place_of(target)
            return_step = _Step(Subtask("Put", target, place), place, anywhere=True)
            put_steps = [step for step in self.script if _matches(step, "Put", target)]
            self.left.insert(0, put_steps[-1] if put_steps else return_step)
        elif subtask.action == "Put":
            self._pick_again(target)

    def _open_first(self, name: str) -> None:
        if not any(_matches(step, "Open", name) for step in self.left):
            self.left.insert(0, _Step(Subtask("Open", name), name))

    def _close_later(self, name: str) -> None:
        """Add a Close that the script has for this target, before the final Go to steps."""
        close_step = next((step for step in self.script if _matches(step, "Close", name)), None)
        if close_step is None or any(_matches(step, "Close", name) for step in self.left):
            return
        position = len(self.left)
        while position and self.left[position - 1].subtask.action == "Go to":
            position -= 1
        self.left.insert(position, close_step)

    def _pick_again(self, name: str) -> None:
        """Add a Pick of an object before the remaining Put of it, if there is one."""
        position = self._index_of_put(name)
        if position is not None:
            self.left.insert(position, _Step(Subtask("Pick", name), name))

    def _index_of_put(self, name: str) -> int | None:
        """Return the index in `left` of the step that puts an object down, None if there is none."""
        return next((i for i, step in enumerate(self.left) if _matches(step, "Put", name)), None)

    def _needs_open(self, target: str) -> bool:
        """Whether the script has a remaining step between Open and Close of this target."""
        is_open = False
        for step in self.script:
            if step.subtask.action in ("Open", "Close") and same_name(step.subtask.target, target):
                is_open = step.subtask.action == "Open"
            elif is_open and step in self.left:
                return True
        return False

    def place_of(self, name: str) -> str:
        """Return where an object can be put down: where it was first seen, else where the robot is."""
        return next((place for known, place in self.places.items() if same_name(known, name)), "") or self.at

    def next(self) -> Subtask | None:
        if not self.left:
            return END
        step = self.left[0]
        hand = action_of(step.subtask.action).hand
        if hand == "empty" and self.hand:
            step = self._free_hand()
        elif hand == "full" and not self.hand:
            step = _Step(Subtask("Pick", step.subtask.target), step.subtask.target)
        if action_of(step.subtask.action).near and step.where and not same_name(step.where, self.at):
            step = _Step(Subtask("Go to", step.where), "")
        if step.subtask.action == "Go to" and same_name(step.subtask.target, self.at):
            self.left.remove(step)
            return self.next()
        no_destination = step.subtask.action == "Put" and not step.subtask.destination
        return None if no_destination or self.failures.get(step.subtask, 0) >= TRIES else step.subtask

    def _free_hand(self) -> _Step:
        """Return a step that puts down the held object: at its destination in the script unless that has to be opened
        first, else where it came from."""
        position = self._index_of_put(self.hand)
        if position is not None:
            step = self.left[position]
            if not any(_matches(earlier, "Open", step.subtask.destination) for earlier in self.left[:position]):
                return step
        place = self.place_of(self.hand)
        return _Step(Subtask("Put", self.hand, place), place)


def next_step(script: Sequence[Subtask], history: Sequence[HistoryItem], places: Mapping[str, str]) -> Subtask | None:
    """Return the expert's next subtask, None if it has none.

    Args:
        script: Subtasks of the expert from the start.
        history: Subtasks so far, by any planner.
        places: By object name, the furniture that it was first seen on or in: the place to put it down.
    """
    steps = _steps_of(script)
    progress = _Progress(list(steps), steps, places)
    for item in history:
        progress.take(item)
    return progress.next()


def _steps_of(script: Sequence[Subtask]) -> tuple[_Step, ...]:
    """Convert a script to steps, each with the target that the robot goes to before it; a Go to is only a step of its
    own if the next subtask does not need it."""
    steps: list[_Step] = []
    location = ""
    for number, subtask in enumerate(script):
        if subtask.action == END.action:
            break
        if subtask.action != "Go to":
            steps.append(_Step(subtask, location))
            continue
        location = subtask.target
        next_subtask = script[number + 1] if number + 1 < len(script) else END
        if next_subtask.action in ("Go to", END.action) or not action_of(next_subtask.action).near:
            steps.append(_Step(subtask, ""))
    return tuple(steps)


def _matches(step: _Step, action: str, target: str) -> bool:
    return step.subtask.action == action and same_name(step.subtask.target, target)


def _completes(subtask: Subtask, step: _Step) -> bool:
    if not _matches(step, subtask.action, subtask.target):
        return False
    return step.anywhere or same_name(subtask.destination, step.subtask.destination)


def same_name(name: str, other: str) -> bool:
    """Whether two names can refer to the same object: `can`, `the soup can`, `soup can 2`."""
    words, other_words = (set(text.lower().split()) - {"the", "a", "an"} for text in (name, other))
    return words == other_words or (
        bool(words) and bool(other_words) and (words <= other_words or other_words <= words)
    )


def add_places(places: dict[str, str], remembered: Iterable[RememberedThing]) -> None:
    """Add the furniture that objects are first seen on or in, for `next_step`.

    Args:
        places: Furniture by object name; updated in place.
        remembered: Objects that a planner knows now.
    """
    for item in remembered:
        if match := _FURNITURE.fullmatch(item.place):
            places.setdefault(item.name, match[1])
