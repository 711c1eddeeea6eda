"""Logical errors: L1 hand full, L2 hand empty, L3 closed container, L4 nothing to interact with (EMMOE, appendix E)."""

from __future__ import annotations

import re

from error_detection import messages
from error_detection.layers import Complaint, place
from homie.kernel import domain
from homie.kernel.interfaces import CheckQuestion
from homie.kernel.types import ErrorCode, Subtask

OFFICIAL_OPENABLE = ("drawer", "fridge")
"""Words by which the official code recognises what opens (section 3 of the notes on its executor)."""


def hand_full(question: CheckQuestion) -> Complaint | None:
    """L1: one hand cannot pick, open or close while it holds something."""
    action = question.subtask.action
    if question.inventory and action in ("Pick", "Open", "Close"):
        return Complaint(ErrorCode.L1, messages.hand_full(action))
    return None


def hand_empty(question: CheckQuestion) -> Complaint | None:
    """L2: nothing to put."""
    action = question.subtask.action
    if not question.inventory and action == "Put":
        return Complaint(ErrorCode.L2, messages.hand_empty(action))
    return None


def other_in_hand(question: CheckQuestion) -> Complaint | None:
    """L2 for a Put of something that is not what the hand holds. The official code puts whatever it holds."""
    subtask, inventory = question.subtask, question.inventory
    if subtask.action != "Put" or not (inventory and subtask.target and subtask.destination):
        return None
    if question.locator.names_held(subtask.target, inventory, question.observation):
        return None
    return Complaint(ErrorCode.L2, messages.other_in_hand(subtask.target, inventory[-1]))


def closed_for_put(question: CheckQuestion) -> Complaint | None:
    """L3 for a Put into (or onto something inside) a closed container."""
    return _closed(question) if question.subtask.action == "Put" else None


def closed_for_pick(question: CheckQuestion) -> Complaint | None:
    """L3 for a Pick of something inside a closed container. The paper has it, the official code does not."""
    return _closed(question) if question.subtask.action == "Pick" else None


def _closed(question: CheckQuestion) -> Complaint | None:
    if question.entity is None:
        return None
    container = question.locator.closed_container(question.entity)
    if container is None:
        return None
    named = place(question) if container == question.entity else _spoken(container, question)
    return Complaint(ErrorCode.L3, messages.closed(question.subtask.action, named), (named,))


def _spoken(container: str, question: CheckQuestion) -> str:
    """A name that means just this one, since the planner has to open it: the name that it was told, else `fridge` for
    `fridge_1` where that is the only one, else the exact name."""
    if called := question.locator.called(container):
        return called
    numbered = re.fullmatch(r"(.+)_(\d+)", container)
    if numbered is None:
        return container.replace("_", " ")
    kind, number = numbered.groups()
    other = f"{kind}_{'2' if number == '1' else '1'}"
    resolved = question.locator.resolve(other, Subtask("Open", other), question.observation)
    return container if resolved == other else kind.replace("_", " ")


def interactive(question: CheckQuestion) -> Complaint | None:
    """L4: open or close something without door or drawer, pick what is not loose, put where there is no place."""
    if question.entity is None or suitable(question):
        return None
    return Complaint(ErrorCode.L4, messages.not_interactive(question.subtask.action, place(question)))


def openable_by_name(question: CheckQuestion) -> Complaint | None:
    """L4 of the official code: for open and close only, and before it is known whether the target exists."""
    action, words = question.subtask.action, place(question)
    if action not in ("Open", "Close"):
        return None
    if question.entity is None:
        opens = any(word in words.lower() for word in OFFICIAL_OPENABLE)
    else:
        opens = question.locator.opens(question.entity)
    return None if opens else Complaint(ErrorCode.L4, messages.not_interactive(action, words))


def suitable(question: CheckQuestion) -> bool:
    """Whether the action can be done to the resolved target at all. Actions of other suites always can."""
    locator, entity, action = question.locator, question.entity, question.subtask.action
    assert entity is not None
    if action in ("Open", "Close"):
        return locator.opens(entity)
    if action == "Pick":
        return locator.pickable(entity)
    if action == "Put":
        return _has_place(question, entity)
    return True


def _has_place(question: CheckQuestion, entity: str) -> bool:
    """Whether something can be put there.

    From sensors alone the surfaces of far furniture may not be known yet; that is for the distance check to say.
    """
    locator, observation = question.locator, question.observation
    if locator.is_spot(entity) or entity == locator.held(observation):
        return False
    if locator.goal(entity, question.subtask, observation).surfaces:
        return True
    return not locator.pickable(entity) and not domain.within_reach(locator.distance(entity, observation))
