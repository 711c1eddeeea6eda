"""JSON schemas of decisions: what a structured answer may say, with the actions and the models of this round.

Written so that the strict modes of endpoints and grammar libraries take them: an object at the root, every property
required, none besides them, the action first so that the variants of a subtask can be told apart at once. What may be
left out may be null here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from homie.kernel.types import END, REPORTS
from homie.kernel.vocabulary.actions import ARGUMENTS, Arguments, arguments_of
from planners.llm.answers import AnswerFormat

_TEXT: Mapping[str, object] = {"type": "string"}
_NULL: Mapping[str, object] = {"type": "null"}
_ENDING: Mapping[str, object] = {
    "report": {"anyOf": [{"type": "string", "enum": [name for name in REPORTS if name]}, _NULL]},
    "answer": {"anyOf": [_TEXT, _NULL]},
}
"""What may be said with End."""


def decision_schema(
    answer: AnswerFormat,
    actions: Sequence[str],
    models: Sequence[str],
    arguments: Arguments = ARGUMENTS,
    *,
    analysis: bool = True,
) -> Mapping[str, object] | None:
    """The schema of an answer (equation 5 of EMMOE, or a plan of EmbodiedBench), None for free text.

    Args:
        analysis: Whether its texts come before the subtasks.
    """
    chosen = {"model": {"type": "string", "enum": list(models)}} if models else {}
    if answer == "json":
        analysed = {"analysis": _TEXT} if analysis else {}
        return _object({**analysed, "subtask": _subtask(actions, arguments, ending=True), **chosen})
    texts = ("visual_state_description", "reasoning_and_reflection", "language_plan") if analysis else ()
    if answer == "ids":
        steps = {"type": "array", "items": _object({"action_id": {"type": "integer"}, "action_name": _TEXT})}
        return _object({**dict.fromkeys(texts, _TEXT), "executable_plan": steps})
    if answer == "poses":
        steps = {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}
        return _object({**dict.fromkeys(texts, _TEXT), "executable_plan": steps})
    if answer == "plan":
        steps = {"type": "array", "items": _subtask(actions, arguments)}
        return _object({**dict.fromkeys(texts, _TEXT), "executable_plan": steps, **chosen})
    return None


def _subtask(actions: Sequence[str], arguments: Arguments, *, ending: bool = False) -> Mapping[str, object]:
    """A subtask: one variant for each set of parts, so that End has no target and Put has a place.

    Args:
        ending: Whether End may have a report and an answer. It has none where its target is the report.
    """
    variants: dict[tuple[tuple[str, ...], bool], list[str]] = {}
    for action in actions:
        parts = arguments_of(action, arguments)
        variants.setdefault((parts, ending and action == END.action and not parts), []).append(action)
    forms = [
        _object(
            {"action": {"type": "string", "enum": names}, **dict.fromkeys(parts, _TEXT), **(_ENDING if ends else {})}
        )
        for (parts, ends), names in variants.items()
    ]
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _object(properties: Mapping[str, object]) -> Mapping[str, object]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
