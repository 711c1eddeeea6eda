"""What a planner sees of a subtask: feedback and history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from homie.kernel.error_codes import ErrorCode
from homie.kernel.types.subtasks import Subtask


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
