"""Logical errors: L1 hand full, L2 hand empty, L3 closed container, L4 nothing to interact with (EMMOE, appendix E)."""

from __future__ import annotations

from error_detection import further_sentences, names_for_planners
from error_detection.layers import Violation, official, place
from homie.kernel.interfaces import CheckQuestion
from homie.kernel.types import ErrorCode
from homie.kernel.world import thresholds

OFFICIAL_OPENABLE = ("drawer", "fridge")
"""Words by which the official code recognises objects that open (section 3 of the notes on its executor)."""


def hand_full(question: CheckQuestion) -> Violation | None:
    """L1: one hand cannot pick, open or close while it holds something."""
    if question.inventory and question.action.hand == "empty":
        return official(ErrorCode.L1, action=question.action.name)
    return None


def hand_empty(question: CheckQuestion) -> Violation | None:
    """L2: there is nothing to put."""
    if not question.inventory and question.action.hand == "full":
        return official(ErrorCode.L2, action=question.action.name)
    return None


def other_in_hand(question: CheckQuestion) -> Violation | None:
    """L2 for a Put of something that is not the held object. The official code puts whatever it holds."""
    subtask, action, inventory = question.subtask, question.action, question.inventory
    if action.inventory != "gives" or not (inventory and subtask.target and subtask.destination):
        return None
    if question.world.names_held(subtask.target, inventory, question.observation):
        return None
    return Violation(ErrorCode.L2, further_sentences.other_in_hand(action.name, subtask.target, inventory[-1]))


def closed(question: CheckQuestion) -> Violation | None:
    """L3 for a Put into a closed container (or onto something inside of it), and for a Pick out of it."""
    if not question.action.accessible or question.entity is None:
        return None
    container = question.world.closed_container(question.entity)
    if container is None:
        return None
    itself = container == question.entity
    named = place(question) if itself else names_for_planners.name_of(container, question.world, question.observation)
    return official(ErrorCode.L3, (named,), action=question.action.name, container=named)


def closed_for_put(question: CheckQuestion) -> Violation | None:
    """L3 for a Put only: the official code picks objects out of closed containers."""
    return closed(question) if question.action.inventory == "gives" else None


def interactive(question: CheckQuestion) -> Violation | None:
    """L4: open or close something without door or drawer, pick what is not loose, put where there is no place."""
    if question.entity is None or is_suitable(question):
        return None
    return official(ErrorCode.L4, action=question.action.name, item=place(question))


def openable_by_name(question: CheckQuestion) -> Violation | None:
    """L4 of the official code: for open and close only, and before it is known whether the target exists."""
    words = place(question)
    if question.action.target != "opens":
        return None
    if question.entity is None:
        opens = any(word in words.lower() for word in OFFICIAL_OPENABLE)
    else:
        opens = question.world.opens(question.entity)
    return None if opens else official(ErrorCode.L4, action=question.action.name, item=words)


def is_suitable(question: CheckQuestion) -> bool:
    """Return whether the action can be done to the resolved target at all (`Action.target`)."""
    world, entity = question.world, question.entity
    assert entity is not None
    return _has_place(question, entity) if question.action.target == "place" else world.fits(entity, question.action)


def _has_place(question: CheckQuestion, entity: str) -> bool:
    """Return whether something can be put there.

    From sensors alone the surfaces of far furniture may not be known yet; then the distance check decides.
    """
    world, observation = question.world, question.observation
    if world.is_spot(entity) or entity == world.held(observation):
        return False
    if world.has_place(entity):
        return True
    return not world.pickable(entity) and not thresholds.within_reach(world.distance(entity, observation))


RULES = (hand_full, hand_empty, other_in_hand, closed, interactive)
