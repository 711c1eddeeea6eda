"""What became of a subtask, as integrations tell it to other programs."""

from __future__ import annotations

from typing import Any

from homie.kernel.types import Feedback, Subtask


def subtask_result(feedback: Feedback, subtask: Subtask) -> dict[str, Any]:
    """The code of the feedback, and its sentence where the subtask failed."""
    return {
        "ok": feedback.ok,
        "code": "success" if feedback.code is None else str(feedback.code),
        "message": "" if feedback.ok else feedback.message,
        "subtask": str(subtask),
    }
