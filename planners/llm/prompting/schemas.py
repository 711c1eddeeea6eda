"""JSON schemas of structured answers, with the actions and models of the current round.

They are accepted by the strict modes of endpoints and grammar libraries: an object at the root, every property
required, no others, the action first so that the variants of a subtask differ at the start. Optional fields are
nullable.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from homie.kernel.actions import ARGUMENTS, Arguments, arguments_of
from homie.kernel.types import END, END_FAILURE, END_SUCCESS, REPORTS, Subtask
from planners.llm.answer_formats import AnswerFormat

_TEXT: Mapping[str, object] = {"type": "string"}
_NULL: Mapping[str, object] = {"type": "null"}
_END_FIELDS: Mapping[str, object] = {
    "report": {"anyOf": [{"type": "string", "enum": [name for name in REPORTS if name]}, _NULL]},
    "answer": {"anyOf": [_TEXT, _NULL]},
}
"""Optional fields of End."""


def decision_schema(
    answer: AnswerFormat,
    actions: Sequence[str],
    models: Sequence[str],
    arguments: Arguments = ARGUMENTS,
    *,
    analysis: bool = True,
    targets: Sequence[str] = (),
) -> Mapping[str, object] | None:
    """Return the schema of an answer (equation 5 of EMMOE, or a plan of EmbodiedBench), None for free text.

    Args:
        answer: The format of the answer.
        actions: Names of the actions.
        models: Names of the models; empty for a schema without a model.
        arguments: The arguments of each action.
        analysis: Whether texts come before the subtasks.
        targets: The allowed names of targets and destinations; empty for any text.
    """
    chosen = {"model": {"type": "string", "enum": list(models)}} if models else {}
    if answer == "json":
        analysis_field = {"analysis": _TEXT} if analysis else {}
        return _object({**analysis_field, "subtask": _subtask(actions, arguments, targets, ending=True), **chosen})
    texts = ("visual_state_description", "reasoning_and_reflection", "language_plan") if analysis else ()
    if answer == "ids":
        steps = {"type": "array", "items": _object({"action_id": {"type": "integer"}, "action_name": _TEXT})}
        return _object({**dict.fromkeys(texts, _TEXT), "executable_plan": steps})
    if answer == "poses":
        steps = {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}
        return _object({**dict.fromkeys(texts, _TEXT), "executable_plan": steps})
    if answer == "plan":
        steps = {"type": "array", "items": _subtask(actions, arguments, targets)}
        return _object({**dict.fromkeys(texts, _TEXT), "executable_plan": steps, **chosen})
    return None


def _subtask(
    actions: Sequence[str], arguments: Arguments, targets: Sequence[str], *, ending: bool = False
) -> Mapping[str, object]:
    """Return the schema of a subtask: one variant for each set of arguments, so that for example End has no target.

    Args:
        actions: Names of the actions.
        arguments: The arguments of each action.
        targets: The allowed names of targets and destinations; empty for any text.
        ending: Whether End may have a report and an answer. It has none if its target is the report.
    """
    variants: dict[tuple[tuple[str, ...], bool], list[str]] = {}
    for action in actions:
        parts = arguments_of(action, arguments)
        is_single = action == END.action and (bool(targets) if parts else ending)
        variants.setdefault((parts, is_single), []).append(action)
    forms = [_variant(names, parts, targets, ending=is_single) for (parts, is_single), names in variants.items()]
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _variant(
    names: Sequence[str], parts: Sequence[str], targets: Sequence[str], *, ending: bool
) -> Mapping[str, object]:
    if ending and parts:
        target: Mapping[str, object] = {"type": "string", "enum": [END_SUCCESS.target, END_FAILURE.target]}
    else:
        target = {"type": "string", "enum": list(targets)} if targets else _TEXT
    action = {"type": "string", "enum": names}
    return _object({"action": action, **dict.fromkeys(parts, target), **(_END_FIELDS if ending and not parts else {})})


def _object(properties: Mapping[str, object]) -> Mapping[str, object]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def among_actions(schema: Mapping[str, Any], accepts: Callable[[str], bool]) -> Mapping[str, Any] | None:
    """Restrict the schema of a single-subtask answer to some actions; None if it allows none of them, or no others.

    Args:
        schema: From `decision_schema`.
        accepts: Whether to allow an action.
    """
    variants = _variants(schema)
    chosen = [other for variant in variants if (other := _restrict_actions(variant, accepts)) is not None]
    return None if not chosen or chosen == variants else _replace_variants(schema, chosen)


def exclude_steps(schema: Mapping[str, Any], steps: Collection[Subtask]) -> Mapping[str, Any]:
    """Exclude subtasks from the schema of a single-subtask answer, as far as it lists its targets.

    Args:
        schema: From `decision_schema`.
        steps: The excluded subtasks.
    """
    actions = {step.action for step in steps}
    variants = [
        other
        for v in _variants(schema)
        if (other := _restrict_actions(v, lambda name: name not in actions)) is not None
    ]
    for action in sorted(actions):
        excluded = [step for step in steps if step.action == action]
        for variant in _variants(schema):
            if (single_action := _restrict_actions(variant, action.__eq__)) is not None:
                variants += _exclude_targets(single_action, excluded)
    return _replace_variants(schema, variants) if variants else schema


def _exclude_targets(variant: Mapping[str, Any], steps: Sequence[Subtask]) -> Iterator[Mapping[str, Any]]:
    """Split the variant of one action into variants that exclude some subtasks."""
    targets = _names(variant, "target")
    if not targets:
        yield variant
        return
    excluded = {step.target for step in steps}
    if allowed := [name for name in targets if name not in excluded]:
        yield _restrict_names(variant, "target", allowed)
    for target in sorted(excluded.intersection(targets)):
        destinations = {step.destination for step in steps if step.target == target}
        if places := [name for name in _names(variant, "destination") if name not in destinations]:
            yield _restrict_names(_restrict_names(variant, "target", [target]), "destination", places)


def _variants(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    subtask = schema.get("properties", {}).get("subtask", {})
    return list(subtask.get("anyOf", [subtask]))


def _replace_variants(schema: Mapping[str, Any], variants: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    chosen = variants[0] if len(variants) == 1 else {"anyOf": variants}
    return {**schema, "properties": {**schema["properties"], "subtask": chosen}}


def _restrict_actions(variant: Mapping[str, Any], accepts: Callable[[str], bool]) -> Mapping[str, Any] | None:
    actions = [name for name in _names(variant, "action") if accepts(name)]
    return _restrict_names(variant, "action", actions) if actions else None


def _names(variant: Mapping[str, Any], part: str) -> Sequence[str]:
    names: Sequence[str] = variant.get("properties", {}).get(part, {}).get("enum", ())
    return names


def _restrict_names(variant: Mapping[str, Any], part: str, names: Sequence[str]) -> Mapping[str, Any]:
    properties = variant["properties"]
    return {**variant, "properties": {**properties, part: {**properties[part], "enum": list(names)}}}
