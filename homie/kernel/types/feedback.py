"""Results of subtasks in a planner's input: feedback and history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from homie.kernel.error_codes import ErrorCode
from homie.kernel.types.subtasks import Subtask


@dataclass(frozen=True, slots=True)
class Feedback:
    """Result of a subtask. `code` is None exactly when `status` is success.

    The rules of the episode may show a planner less of it (`homie.kernel.types.Visibility`): a failure without its
    code, or the status `untold`.

    Attributes:
        message: Why it failed; for a success `None`, followed by a remark if there is one (the arm has pulled a drawer
            open).
        about: Names, as in a planner's input, of the objects concerned other than the target: the closed container
            (L3), the objects in the way (E1).
        lasting: Whether a retry would fail in the same way until something else changes, as far as the failed skill
            knows.
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
        """The message without its leading `None`, "" if there is no other text."""
        return self.message.removeprefix("None").removeprefix(", ")


SUCCESS = Feedback("success")
UNTOLD = Feedback("untold")
"""Feedback shown to a planner in place of a result that the protocol withholds."""


@dataclass(frozen=True, slots=True)
class HistoryItem:
    """One executed subtask and its result, as a planner sees them in later rounds."""

    number: int
    subtask: Subtask
    feedback: Feedback

    def __str__(self) -> str:
        result = "" if self.feedback == UNTOLD else f"({self.feedback.status})"
        return f"({self.number}) {self.subtask}{result}"
