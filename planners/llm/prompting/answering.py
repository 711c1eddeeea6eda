"""Answers as models should write them: what examples show and what training data teach."""

from __future__ import annotations

import json
from collections.abc import Sequence

from homie.kernel.errors import BadInput
from homie.kernel.types import END, Report, Subtask
from planners.llm.answer_formats import AnswerFormat


def written_answer(
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
    """An answer in a format.

    Args:
        form: the format. Only `plan` and `poses` have room for more than the first step.
        steps: the subtasks, one at least.
        model: the chosen model, "" for none.
        analysis: why; None leaves its field out, as it does with the two others.
        report: what is said of the task with End, "" for nothing (`json` only).
        answer: the answer to a question, said with End, "" for none (`json` only).
        seen: what the pictures show (`plan` and `poses` only).
        plan: the plan in words (`plan` and `poses` only).

    Raises:
        BadInput: `poses` were asked for, and a step is none.
    """
    chosen = {"model": model} if model else {}
    if form == "text":
        lines = [f"Analysis: {analysis}"] if analysis is not None else []
        return "\n".join([*lines, f"Subtask: {steps[0]}", *([f"Model: {model}"] if model else [])])
    if form == "json":
        ending = {"report": report, "answer": answer} if steps[0] == END else {}
        subtask = {**as_json(steps[0]), **{key: text for key, text in ending.items() if text}}
        return _json({"analysis": analysis, "subtask": subtask, **chosen})
    return _json(
        {
            "visual_state_description": seen,
            "reasoning_and_reflection": analysis,
            "language_plan": plan,
            "executable_plan": [seven_numbers(step) for step in steps if step != END]
            if form == "poses"
            else [as_json(step) for step in steps],
            **({} if form == "poses" else chosen),
        }
    )


def numbered_answer(
    steps: Sequence[tuple[int, str]], *, seen: str | None, analysis: str | None, plan: str | None
) -> str:
    """An answer by number, of numbers and their names in the list. The texts are as in `written_answer`."""
    return _json(
        {
            "visual_state_description": seen,
            "reasoning_and_reflection": analysis,
            "language_plan": plan,
            "executable_plan": [{"action_id": number, "action_name": name} for number, name in steps],
        }
    )


def as_json(subtask: Subtask) -> dict[str, str]:
    """A subtask as JSON answers write it: only the parts that it has."""
    parts = {"action": subtask.action, "target": subtask.target, "destination": subtask.destination}
    return {key: value for key, value in parts.items() if value}


def seven_numbers(move: Subtask) -> list[int]:
    """The target of a Move as JSON answers write it. Raises BadInput for any other subtask."""
    try:
        return [int(number) for number in move.target.strip("[]").split(",")]
    except ValueError:
        raise BadInput(
            f"The template answers by poses, and {move} is none: use another one, such as --template embodiedbench."
        ) from None


def _json(fields: dict[str, object]) -> str:
    return json.dumps({name: value for name, value in fields.items() if value is not None}, ensure_ascii=False)
