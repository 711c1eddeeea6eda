"""The ten error codes of EMMOE, each with its meaning and its message to planners."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from homie.kernel.errors import did_you_mean


class ErrorCode(StrEnum):
    """The ten codes of EMMOE, section 4.3 and appendix E.4: each with a short meaning and the verbatim sentence of the
    official code, a format string with `action`, `item` and `container`.

    Other packages cannot add codes: planners are trained on them, tables and metrics count them. To add one in this
    repository, add a line here, which the bench and Gymnasium read, and a rule in its layer of `error_detection/`.

    >>> ErrorCode.D1.filled(action="Pick")
    'Unable to pick, the target is far away'
    """

    meaning: str
    sentence: str

    def __new__(cls, code: str, meaning: str = "", sentence: str = "") -> ErrorCode:
        member = str.__new__(cls, code)
        member._value_ = code
        member.meaning, member.sentence = meaning, sentence
        return member

    def filled(self, **names: str) -> str:
        """Fill names into the sentence, in lower case as in the official code."""
        return self.sentence.format(**{slot: name.lower() for slot, name in names.items()})

    F1 = (
        "F1",
        "unknown action or model, or unreadable output",
        "{action} is not in the action list! You should only choose actions in the list.",
    )
    F2 = "F2", "unknown target", "{item} does not exist! Please choose another object"
    L1 = "L1", "the hand is full", "Unable to {action}, the hand is full"
    L2 = "L2", "the hand is empty", "Unable to {action}, the hand is empty"
    L3 = "L3", "the container is closed", "Unable to {action}, the {container} is closed, you should open it first"
    L4 = "L4", "not something to interact with", "Can not {action} {item}! Please choose another object"
    D1 = "D1", "too far away", "Unable to {action}, the target is far away"
    D2 = "D2", "too close", "Unable to {action}, the target is too close"
    E1 = "E1", "still failing after all attempts", "Unable to {action}, the subtask is too difficult to perform"
    E2 = "E2", "the object is gone", "Unable to {action}, and the object is missing"


def unknown_action(action: str, known: Iterable[str]) -> str:
    """Return the F1 sentence for an action that is not in the list, with the most similar one (not in the official
    code).

    >>> unknown_action("Pik", ["Go to", "Pick"])
    "pik is not in the action list! You should only choose actions in the list; did you mean 'Pick'?"
    """
    sentence = ErrorCode.F1.filled(action=action)
    hint = did_you_mean(action, known, "; ")
    return f"{sentence.rstrip('.')}{hint}" if hint else sentence


def unskilled_model(model: str, action: str) -> str:
    """Return the F1 sentence for a listed model that has no skill for the action (not in the official code)."""
    if not model:
        return f"No model in the model list can {action.lower()}! You should choose another action."
    return f"{model} can not {action.lower()}! You should choose another model in the list."


def no_target(action: str, *, declared: bool = True) -> str:
    """Return the F2 sentence for an action without its target (not in the official code).

    Args:
        declared: Whether the action is declared: else its author may have forgotten to declare that it takes no target.
    """
    sentence = f"{action.lower()} needs a target! Please choose an object"
    return sentence if declared else f"{sentence}; one that takes none is declared so in `own_actions` of its skill set"
