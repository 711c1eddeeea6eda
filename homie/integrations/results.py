"""Result of a subtask in the form that integrations give to other programs."""

from __future__ import annotations

from typing import Any

from homie.kernel.types import Feedback, Subtask


def subtask_result(feedback: Feedback, subtask: Subtask) -> dict[str, Any]:
    """Return the code of the feedback, and its message if the subtask failed."""
    return {
        "ok": feedback.ok,
        "code": "success" if feedback.code is None else str(feedback.code),
        "message": "" if feedback.ok else feedback.message,
        "subtask": str(subtask),
    }
