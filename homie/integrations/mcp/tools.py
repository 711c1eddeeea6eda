"""The tools of a robot, as data: created from its table of actions, so that third-party skill sets add their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from homie.kernel.actions import Action, ActionTable, action_of
from homie.kernel.errors import BadInput, suggestion
from homie.kernel.types import END

LONGEST = 200
"""Maximum length of an argument in characters: names are much shorter."""
_WORDS = {
    "target": "What it is done to, in words, such as `apple` or `kitchen counter 2`.",
    "destination": "Where it goes, in words, such as `fridge`.",
    "model": "The skill set that is to do it; leave it out for the first that can.",
    "reason": "Why, in a sentence.",
    "answer": "The answer, where the task is a question.",
}
_NEEDS = {
    "empty": "The hand has to be empty.",
    "full": "Something has to be in the hand.",
    "loose": "For objects that can be carried.",
    "place": "For furniture and containers.",
    "opens": "For what has a door or a drawer.",
}


@dataclass(frozen=True, slots=True)
class Field:
    """Argument of a tool: text, one of several choices, or a boolean."""

    about: str
    required: bool = True
    choices: tuple[str, ...] = ()
    is_truth: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the argument."""
        if self.is_truth:
            return {"type": "boolean", "description": self.about}
        limits: dict[str, Any] = {"enum": list(self.choices)} if self.choices else {"maxLength": LONGEST}
        if self.required and not self.choices:
            limits["minLength"] = 1
        return {"type": "string", "description": self.about, **limits}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool.

    Attributes:
        action: Action of the robot that it performs, "" for none.
        reads: Whether it has no side effects.
        repeatable: Whether a second call has no further effect.
    """

    name: str
    about: str
    fields: Mapping[str, Field] = field(default_factory=dict)
    action: str = ""
    reads: bool = False
    repeatable: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments."""
        return {
            "type": "object",
            "properties": {name: field.schema for name, field in self.fields.items()},
            "required": [name for name, field in self.fields.items() if field.required],
            "additionalProperties": False,
        }

    def checked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Validate arguments against the schema and strip whitespace. Raises BadInput."""
        for name in arguments:
            if name not in self.fields:
                known = suggestion(str(name)[:40], self.fields, f"it takes {', '.join(self.fields) or 'nothing'}.")
                raise BadInput(f"{self.name} takes no '{str(name)[:40]}': {known}")
        return {name: self._check_argument(name, field, arguments.get(name)) for name, field in self.fields.items()}

    def _check_argument(self, name: str, field: Field, value: Any) -> Any:
        if value is None and not field.required:
            return False if field.is_truth else ""
        if field.is_truth:
            if not isinstance(value, bool):
                raise BadInput(f"{self.name} needs '{name}': true or false.")
            return value
        if not isinstance(value, str) or len(value) > LONGEST or not value.isprintable():
            raise BadInput(f"{self.name} needs '{name}': up to {LONGEST} printable characters.")
        value = value.strip()
        if field.choices and (value or field.required) and value not in field.choices:
            known = suggestion(value[:40], field.choices, f"choose one of {', '.join(field.choices)}.")
            raise BadInput(f"{self.name} has no {name} '{value[:40]}': {known}")
        if field.required and not value:
            raise BadInput(f"{self.name} needs '{name}': it is empty.")
        return value


def of_robot(views: Sequence[str]) -> list[Tool]:
    """Return the tools that every robot has."""
    all_views = (*views, "all")
    return [
        Tool(
            "observe",
            "Look: a picture of what the robot sees in one direction, or in all of them.",
            {"view": Field("The camera.", required=False, choices=all_views)},
            reads=True,
            repeatable=True,
        ),
        Tool(
            "scene",
            "What is known of the home now: names in sight and by which view, rooms, things seen before. Names given "
            "here are understood by every other tool.",
            reads=True,
            repeatable=True,
        ),
        Tool("status", "The task, what is in the hand, the last result, and what is left of the budget.", reads=True),
        Tool("stop", "Stop the robot now, whatever it does. Always allowed, for everybody.", repeatable=True),
        Tool(
            "report",
            "End the task: say whether it is done. This also lets go of the robot, so that others may have it.",
            {
                "success": Field("Whether the task is done.", is_truth=True),
                "reason": Field(_WORDS["reason"], required=False),
                "answer": Field(_WORDS["answer"], required=False),
            },
        ),
    ]


def of_suite() -> list[Tool]:
    """Return the tools for the tasks of a suite."""
    return [
        Tool("list_tasks", "The tasks of the suite, and which of them are still to be done.", reads=True),
        Tool(
            "start_task",
            "Begin a task: the robot is brought to the start of its scene. Without a name the next that is left.",
            {"task": Field("Its id, from list_tasks.", required=False)},
        ),
    ]


def of_actions(
    actions: Sequence[str], table: ActionTable, models: Sequence[str], used_names: Sequence[str]
) -> list[Tool]:
    """Return a tool for each action except End.

    Args:
        actions: Actions of the robot and its skills.
        table: Properties of actions.
        models: Skill sets that a call may choose from.
        used_names: Names of other tools.
    """
    choice = {"model": Field(_WORDS["model"], required=False, choices=tuple(models))} if len(models) > 1 else {}
    tools = []
    for name in actions:
        if name == END.action:
            continue
        action = action_of(name, table)
        called = "_".join(name.lower().split())
        fields = {argument: Field(_WORDS[argument]) for argument in action.arguments}
        tools.append(
            Tool(
                f"do_{called}" if called in used_names else called,
                about=_describe(action),
                fields={**fields, **choice},
                action=name,
            )
        )
    return tools


def _describe(action: Action) -> str:
    """Return a description of an action and its preconditions, from the table."""
    sentences = [f"{action.name} {action.about}".strip().rstrip(".") + "."]
    sentences += [_NEEDS[need] for need in (action.hand, action.target) if need]
    if action.near:
        sentences.append("The robot has to be within reach: go there first.")
    if action.accessible:
        sentences.append("Not inside of something closed: open that first.")
    return " ".join(sentences)
