"""Leniencies of the parser: named rules that can be switched off and are recorded when used.

An answer that follows the protocol needs none of them. No rule accepts an ambiguous answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from homie.kernel.errors import BadInput, suggestion

RULES: Mapping[str, str] = {
    "thought": "A thought before the answer is left out: `<think>...</think>`, a channel of its own.",
    "turn-token": "Tokens of the chat format around the answer are left out: `<|im_end|>`, `</s>`, `Assistant:`.",
    "invisible": "Invisible characters around the answer: zero-width and no-break spaces.",
    "fence": "A fenced block around the answer.",
    "prose": "Words before or after the answer that neither introduce it as something else nor take it back.",
    "other-form": "Labelled text where JSON was asked for, JSON where text was, one subtask where a plan was.",
    "yaml": "The keys and values of the JSON object as lines of YAML.",
    "loose-json": "JSON with other quotes, comments, trailing commas, keys without quotes.",
    "missing-brace": "JSON without its last brace, if nothing else is missing.",
    "json-in-string": "JSON in quotes, as a string of JSON.",
    "wrapper": 'An object, a tag or a box around the answer: `{"answer": {...}}`, `<answer>`, `\\boxed{...}`.',
    "tool-call": 'A call of a tool: `{"name": ..., "arguments": {...}}`, `<tool_call>`, `<function=...>`, `tool_code`.',
    "list": "A list around one answer or one subtask, or with the parts of one subtask.",
    "key-spelling": "Keys in other letters or words: `Subtask`, `sub_task`, `next_subtask`, `chosen_model`.",
    "action-name": "EmbodiedBench's `action_name`, with or without `action_id`.",
    "remark": "Explanations inside a subtask: `reason`, `thought`, `step`.",
    "text-subtask": "A subtask as text in JSON: `Go to, fridge`.",
    "split-plan": "The steps of a plan as objects one after the other.",
    "repeated": "The same answer several times.",
    "labels": "Labels in other letters, emphasised, as headings, numbered, without colon, or without Analysis.",
    "bare": "Nothing but a subtask.",
    "no-brackets": "A subtask without brackets after its label.",
    "open-bracket": "A subtask whose bracket is not closed, where nothing else follows it.",
    "extra-brackets": "Double or round brackets around a subtask.",
    "numbering": "A number or a bullet before a subtask.",
    "empty-parts": "Parts that say nothing after those that do: `[End, None]`, `[Go to, fridge, ]`.",
    "words": "An action and its names without commas: `Go to the fridge`, `Put apple in fridge`.",
    "call": "A subtask as a call: `Pick(apple)`.",
    "action-spelling": "An action in other letters: `GoTo`, `go_to`, `OPEN`.",
    "action-synonym": "Another word for an action: `Navigate to`, `Pick up`, `Place`.",
    "model-form": "A model in brackets, with a remark, in a list, or one that does not matter since there is one only.",
    "beside": "A whole answer not in the text of a reply: in the reasoning of one without text, or as an object.",
    "odd-end": "A whole answer in JSON whose reply ends as a call of a tool, or for a reason that is not known.",
    "no-model": "No model where one could be chosen: the executor chooses.",
}
"""Every leniency: its name and what it accepts."""
FORMAL = frozenset(
    {
        "invisible",
        "fence",
        "turn-token",
        "key-spelling",
        "action-spelling",
        "action-synonym",
        "action-name",
        "remark",
        "empty-parts",
    }
    | {"tool-call", "wrapper", "model-form", "no-model"}
)
"""Leniencies for a text that is still one complete answer and nothing else, so not a draft or a part of one."""
ALL = frozenset(RULES)


class UnclearAnswer(Exception):
    """The answer cannot be parsed. The sentence says why, but not yet what to write instead."""


class Rules:
    """The allowed leniencies, and those used so far in order."""

    def __init__(self, allowed: Iterable[str] = ALL) -> None:
        self._allowed = frozenset(allowed)
        self._used: dict[str, None] = {}

    @property
    def used(self) -> tuple[str, ...]:
        return tuple(self._used)

    def use(self, rule: str) -> None:
        """Record the use of a rule. Raises UnclearAnswer if the rule is switched off."""
        if rule not in self._allowed:
            raise UnclearAnswer(f"The answer does not have the form that was asked for ({rule} is not read).")
        self._used[rule] = None


def parse_rules(text: str) -> frozenset[str]:
    """Parse a setting of leniencies: `all`, `none`, or names separated by commas. A name with a minus is removed.

    Raises:
        BadInput: there is no leniency of that name.

    Example:
        >>> sorted(parse_rules("bare,fence,-fence"))
        ['bare']
    """
    chosen: set[str] = set()
    for word in (part.strip() for part in text.split(",")):
        name = word.removeprefix("-")
        if word in ("all", "none"):
            chosen = set(ALL) if word == "all" else set()
        elif name not in RULES:
            raise BadInput(f"There is no leniency '{name}': {suggestion(name, RULES, 'see docs/prompts.md.')}")
        elif word.startswith("-"):
            chosen.discard(name)
        else:
            chosen.add(name)
    return frozenset(chosen)
