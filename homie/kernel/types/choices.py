"""Numbered actions: the list from which a planner chooses by number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from homie.kernel.types.subtasks import END, Subtask

SentTo: TypeAlias = Literal["things", "furniture", "points"]
"""What a robot can be sent to by number: `things`, everything; `furniture`, only what holds things, so that a planner
has to know or to look where a thing is; `points`, those of a navigation graph, move by move
(`homie.kernel.robot.moves`)."""
HELD = "object in hand"
"""The target of a numbered action that is done with the held object, whatever that is."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One action of the list; its number is its place there, counted from 0.

    Attributes:
        name: As a planner sees it, `pick up the mug 2`.
        subtask: What is carried out, by the names of the scene (`[Pick, mug_2]`); its target may be `HELD`.
    """

    name: str
    subtask: Subtask


def is_interaction(subtask: Subtask) -> bool:
    """Whether a subtask of a list is done to a thing, and is neither a way nor an end.

    Examples:
        >>> listed = (Subtask("Pick", "mug"), Subtask("Go to", "mug"), Subtask("Turn left"), END)
        >>> [is_interaction(subtask) for subtask in listed]
        [True, False, False, False]
    """
    return bool(subtask.target) and subtask.action not in (END.action, "Go to")


def with_held(subtask: Subtask, inventory: Sequence[str]) -> Subtask:
    """A subtask with the held object as its target, where it is done with that. With an empty hand it stays.

    >>> str(with_held(Subtask("Put", HELD, "fridge"), ["apple"]))
    '[Put, apple, fridge]'
    """
    return replace(subtask, target=inventory[-1]) if subtask.target == HELD and inventory else subtask
