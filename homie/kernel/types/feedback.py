"""What a planner sees of a subtask: the ten error codes, feedback, history."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from homie.kernel.types.subtasks import Subtask


class ErrorCode(StrEnum):
    """The ten codes of EMMOE, section 4.3 and appendix E.4: each with its meaning in a few words and with the sentence
    of the official code, to the letter, in which `action`, `item` and `container` are filled in.

    They are closed to other packages: planners are trained on them, tables and metrics count them. In this repository
    one more is a line here, which the bench and Gymnasium read, and a rule in its layer of `error_detection/`.

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
        """The sentence with its names in small letters, as the official code writes them."""
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


def unskilled_model(model: str, action: str) -> str:
    """The F1 sentence for a model that is in the list but has no skill for the action (not in the official code)."""
    if not model:
        return f"No model in the model list can {action.lower()}! You should choose another action."
    return f"{model} can not {action.lower()}! You should choose another model in the list."


def no_target(action: str) -> str:
    """The F2 sentence for an action without its target (not in the official code)."""
    return f"{action.lower()} needs a target! Please choose an object"


@dataclass(frozen=True, slots=True)
class Feedback:
    """What became of a subtask. `code` is None exactly when `status` is success.

    A planner may get to see less, by the rules of the episode (`homie.kernel.types.Visibility`): a failure without its
    code, or the status `untold`.

    Attributes:
        message: Why it failed, or with a success `None`, with a remark behind it where there is one (a drawer that the
            arm has pulled open).
        about: Names of things other than the target that it is about, as a planner may use them: the container that is
            closed (L3), the things that are in the way (E1).
        lasting: Whether the same subtask would end the same as long as nothing else is changed, as far as a failed
            skill knows.
    """

    status: Literal["success", "fail", "untold"]
    code: ErrorCode | None = None
    message: str = "None"
    about: tuple[str, ...] = ()
    lasting: bool = False

    @property
    def ok(self) -> bool:
        return self.status == "success"

    @property
    def words(self) -> str:
        """The message, "" where there is none."""
        return self.message.removeprefix("None").removeprefix(", ")


SUCCESS = Feedback("success")
UNTOLD = Feedback("untold")
"""What a planner gets of a result that the protocol withholds."""


@dataclass(frozen=True, slots=True)
class HistoryItem:
    """One executed subtask and its result, as the planner sees in later rounds."""

    number: int
    subtask: Subtask
    feedback: Feedback

    def __str__(self) -> str:
        result = "" if self.feedback == UNTOLD else f"({self.feedback.status})"
        return f"({self.number}) {self.subtask}{result}"
