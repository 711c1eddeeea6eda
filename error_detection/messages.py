"""The table of messages: every sentence that goes back to a planner, in one place.

The sentences are the interface to planners trained on EMMOE data, so wherever the paper (appendix E.1) or the
official code has one it is quoted to the letter: the action in lower case, the target as the planner wrote it in
lower case; the ten of the official code stand with their codes (`homie.kernel.types.ErrorCode`). Those without an
official counterpart say so.
"""

from __future__ import annotations

from collections.abc import Sequence

from error_detection.reasons import explained
from homie.kernel.types import ErrorCode
from homie.kernel.vocabulary.actions import spoken

# ---------------------------------------------------------------- F: format


def unknown_action(action: str) -> str:
    """F1: the action is not in the list."""
    return ErrorCode.F1.sentence.format(action=action.lower())


def unknown_model(model: str) -> str:
    """F1: the model is not in the list. Ours: the official code ignores the chosen model."""
    return f"{model} is not in the model list! You should only choose models in the list."


def unskilled_model(model: str, action: str) -> str:
    """F1: the model is in the list but has no skill for the action. Ours."""
    if not model:
        return f"No model in the model list can {action.lower()}! You should choose another action."
    return f"{model} can not {action.lower()}! You should choose another model in the list."


def unknown_target(item: str) -> str:
    """F2: the target does not exist in the scene, or cannot be recognised."""
    return ErrorCode.F2.sentence.format(item=item.lower())


def no_target(action: str) -> str:
    """F2: the action was given without a target. Ours."""
    return f"{action.lower()} needs a target! Please choose an object"


def extra_name(action: str, arguments: Sequence[str], name: str) -> str:
    """F1: a name that the action does not take. Ours."""
    return f"{action.lower()} takes {spoken(arguments)}, so {name.lower()} is one name too many! Please leave it out"


def no_place(action: str, name: str) -> str:
    """F2: an action that takes an object and a place was given one name. Ours: the official code takes the place."""
    return f"{action.lower()} needs a target and a destination, and {name.lower()} is one name only! Please name both"


# ---------------------------------------------------------------- L: logical


def hand_full(action: str) -> str:
    """L1: pick, open or close with something in the hand."""
    return ErrorCode.L1.sentence.format(action=action.lower())


def hand_empty(action: str) -> str:
    """L2: put with nothing in the hand."""
    return ErrorCode.L2.sentence.format(action=action.lower())


def other_in_hand(action: str, name: str, held: str) -> str:
    """L2: the hand holds something else. Ours: the official code puts what it holds, whatever it is called."""
    return f"Unable to {action.lower()} {name.lower()}, what is in the hand is the {held.lower()}"


def closed(action: str, container: str) -> str:
    """L3: the target is, or is inside, a closed container."""
    return ErrorCode.L3.sentence.format(action=action.lower(), container=container.lower())


def not_interactive(action: str, item: str) -> str:
    """L4: the target is nothing that the action can be done to."""
    return ErrorCode.L4.sentence.format(action=action.lower(), item=item.lower())


# ---------------------------------------------------------------- D: distance


def far_away(action: str) -> str:
    """D1: the target is more than 2 m away."""
    return ErrorCode.D1.sentence.format(action=action.lower())


def too_close(action: str) -> str:
    """D2: the target is less than 0.1 m away."""
    return ErrorCode.D2.sentence.format(action=action.lower())


# ---------------------------------------------------------------- E: execution


def too_difficult(action: str, reason: str = "") -> str:
    """E1: the skill has failed in every attempt. What follows the sentence of the official code is ours: why, and what
    may help, if the reason in the record is one that planners are told (`error_detection.reasons`)."""
    sentence = ErrorCode.E1.sentence.format(action=action.lower())
    why = explained(reason)
    return f"{sentence}: {why}" if why else sentence


def missing(action: str) -> str:
    """E2: after a put the object is neither in the hand nor in its place."""
    return ErrorCode.E2.sentence.format(action=action.lower())
