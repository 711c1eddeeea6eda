"""Reference answers in the formats that models should write, for examples and training data."""

from __future__ import annotations

import json
from collections.abc import Sequence

from homie.kernel.errors import BadInput
from homie.kernel.types import END, Report, Subtask
from planners.llm.answer_formats import AnswerFormat


def write_answer(
    form: AnswerFormat,
    steps: Sequence[Subtask],
    *,
    model: str = "",
    analysis: str | None = None,
    report: Report = "",
    answer: str = "",
    seen: str | None = None,
    plan: str | None = None,
) -> str:
    """Write an answer in a format.

    Args:
        form: the format. Only `plan` and `poses` can have more than the first step.
        steps: the subtasks, at least one.
        model: the chosen model, "" for none.
        analysis: the reasons; None omits the field, also for `seen` and `plan`.
        report: the report on the task with End, "" for none (`json` only).
        answer: the answer to a question with End, "" for none (`json` only).
        seen: description of the pictures (`plan` and `poses` only).
        plan: the plan in words (`plan` and `poses` only).

    Raises:
        BadInput: the format is `poses`, and a step is not a pose.
    """
    model_field = {"model": model} if model else {}
    if form == "text":
        lines = [f"Analysis: {analysis}"] if analysis is not None else []
        return "\n".join([*lines, f"Subtask: {steps[0]}", *([f"Model: {model}"] if model else [])])
    if form == "json":
        ending = {"report": report, "answer": answer} if steps[0] == END else {}
        subtask = {**as_json(steps[0]), **{key: text for key, text in ending.items() if text}}
        return _json({"analysis": analysis, "subtask": subtask, **model_field})
    return _json(
        {
            "visual_state_description": seen,
            "reasoning_and_reflection": analysis,
            "language_plan": plan,
            "executable_plan": [seven_numbers(step) for step in steps if step != END]
            if form == "poses"
            else [as_json(step) for step in steps],
            **({} if form == "poses" else model_field),
        }
    )


def write_numbered_answer(
    steps: Sequence[tuple[int, str]], *, seen: str | None, analysis: str | None, plan: str | None
) -> str:
    """Write an answer by number, from numbers and their names in the list. The texts are as in `write_answer`."""
    return _json(
        {
            "visual_state_description": seen,
            "reasoning_and_reflection": analysis,
            "language_plan": plan,
            "executable_plan": [{"action_id": number, "action_name": name} for number, name in steps],
        }
    )


def as_json(subtask: Subtask) -> dict[str, str]:
    """Return a subtask in the form of JSON answers, without empty parts."""
    parts = {"action": subtask.action, "target": subtask.target, "destination": subtask.destination}
    return {key: value for key, value in parts.items() if value}


def seven_numbers(move: Subtask) -> list[int]:
    """Return the target pose of a Move in the form of JSON answers. Raises BadInput for any other subtask."""
    try:
        return [int(number) for number in move.target.strip("[]").split(",")]
    except ValueError:
        raise BadInput(
            f"The template answers by poses, and {move} is none: use another one, such as --template embodiedbench."
        ) from None


def _json(fields: dict[str, object]) -> str:
    return json.dumps({name: value for name, value in fields.items() if value is not None}, ensure_ascii=False)
