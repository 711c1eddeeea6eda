"""Homie's own feedback sentences for planners, in addition to the ten of the official code.

The sentences are the interface to planners trained on EMMOE data, so wherever the paper (appendix E.1) or the official
code has one it is quoted verbatim: it is defined with its code (`homie.kernel.types.ErrorCode`), and filled in with the
action and the target in lower case. The sentences here follow that style.
"""

from __future__ import annotations

from collections.abc import Sequence

from error_detection.failure_advice import explain_reason
from homie.kernel.actions import format_arguments
from homie.kernel.errors import did_you_mean
from homie.kernel.types import ErrorCode

# ---------------------------------------------------------------- F: format


def unknown_model(model: str, models: Sequence[str]) -> str:
    """F1: the model is not in the list. Ours: the official code ignores the chosen model."""
    end = did_you_mean(model, models, "; ") or "."
    return f"{model} is not in the model list! You should only choose models in the list{end}"


def extra_name(action: str, arguments: Sequence[str], name: str) -> str:
    """F1: a name that the action does not take. Ours."""
    takes = f"{action.lower()} takes {format_arguments(arguments)}"
    return f"{takes}, so {name.lower()} is one name too many! Please leave it out"


def no_place(action: str, name: str) -> str:
    """F2: an action that takes an object and a place was given one name. Ours: the official code takes the place."""
    return f"{action.lower()} needs a target and a destination, and {name.lower()} is one name only! Please name both"


# ---------------------------------------------------------------- L: logical


def other_in_hand(action: str, name: str, held: str) -> str:
    """L2: the hand holds something else. Ours: the official code puts the held object, whatever its name."""
    return f"Unable to {action.lower()} {name.lower()}, what is in the hand is the {held.lower()}"


# ---------------------------------------------------------------- E: execution


def in_closed_container(container: str) -> str:
    """A remark on a successful Go to: its target cannot be seen or taken yet. Ours."""
    return f"it is in the {container.lower()}, which is closed"


def missing(action: str, where: str) -> str:
    """E2: the object is no longer in the hand. Our sentence says where it is, if that is known."""
    sentence = ErrorCode.E2.filled(action=action)
    return f"{sentence}: it is {where} now" if where else sentence


def too_difficult(action: str, reason: str = "") -> str:
    """E1: the skill has failed in every attempt. What follows the sentence of the official code is ours: reason and
    advice, if planners see that reason (`error_detection.failure_advice`)."""
    sentence = ErrorCode.E1.filled(action=action)
    explanation = explain_reason(reason)
    return f"{sentence}: {explanation}" if explanation else sentence
