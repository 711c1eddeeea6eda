"""Numbered actions for language models: the list as lines of a prompt, the history by number, parsing of answers.

choices --choice_lines--> `7: find the mug 2`
`{"executable_plan": [{"action_id": 7, ...}]}` --read_ids--> Reading
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from homie.kernel.types import END, END_SUCCESS, HELD, NO_QUIRKS, Choice, PlannerInput, Quirks, Subtask
from planners.llm.answer_formats import format_instruction
from planners.llm.reading import ALL, MAX_TEXT, Reading, UnreadableAnswer
from planners.llm.reading.cleaning import clean_answer
from planners.llm.reading.json_answers import is_decision, unwrap
from planners.llm.reading.loose_json import BrokenObject, FoundValue, Members, Value, find_json
from planners.llm.reading.rules import Rules, UnclearAnswer
from planners.llm.reading.subtasks import Lists
from planners.llm.reading.surroundings import check_surroundings

PLAN = "executable_plan"
_TEXT_KEYS = ("visual_state_description", "reasoning_and_reflection", "language_plan")


def choice_lines(choices: Sequence[Choice]) -> list[str]:
    """Return the list of actions, a line each."""
    return [f"{number}: {choice.name}" for number, choice in enumerate(choices)]


def by_number(planner_input: PlannerInput) -> PlannerInput:
    """Return the input with its history by number: `(1) [7: find the mug 2](success)`. Unnumbered subtasks stay."""
    lines_by_subtask = {choice.subtask: line for choice, line in _lines(planner_input.choices)}

    def said(subtask: Subtask) -> Subtask:
        line = lines_by_subtask.get(subtask) or lines_by_subtask.get(replace(subtask, target=HELD))
        return subtask if line is None else Subtask(line)

    history = tuple(replace(item, subtask=said(item.subtask)) for item in planner_input.history)
    return replace(planner_input, history=history)


def read_ids(
    text: str, choices: Sequence[Choice], leniencies: Iterable[str] = ALL, *, quirks: Quirks = NO_QUIRKS
) -> Reading:
    """Parse an answer whose plan consists of numbers in the list.

    Only the number counts; the name next to it is for people. An empty plan ends the task if the list has an end.

    Args:
        text: the answer.
        choices: the list.
        leniencies: names of the rules for answers that deviate from the format.
        quirks: of the evaluator, which may parse answers itself or accept numbers beyond the list.

    Raises:
        UnreadableAnswer: the answer is not one plan, or has a number that is not in the list.
    """
    if quirks.reads:
        try:
            return Reading(*quirks.read(text, choices))
        except ValueError as error:
            raise UnreadableAnswer(f"{error} {format_instruction('ids')}") from error
    rules = Rules(leniencies)
    try:
        if len(text) > MAX_TEXT:
            raise UnclearAnswer(f"The answer has {len(text)} characters, which is too long.")
        plan, analysis = _plan(clean_answer(text.encode("utf-8", "replace").decode(), rules), rules)
        numbers = [_number(step, place) for place, step in enumerate(plan, 1)]
        subtasks = _subtasks(numbers, choices, quirks)
        choice_subtasks = [choice.subtask for choice in choices]
        if not subtasks and END not in choice_subtasks and END_SUCCESS not in choice_subtasks:
            raise UnclearAnswer("The plan is empty, and the task cannot be ended: choose an action.")
        if END.action in [subtask.action for subtask in subtasks[:-1]]:
            raise UnclearAnswer("Nothing can follow the end of the task: it is the last step.")
    except UnclearAnswer as error:
        raise UnreadableAnswer(f"{error} {format_instruction('ids')}") from error
    return Reading(subtasks or (END,), analysis, leniencies=rules.used)


def _subtasks(numbers: Sequence[int], choices: Sequence[Choice], quirks: Quirks) -> tuple[Subtask, ...]:
    """Return the subtasks of a plan's numbers. Raises UnclearAnswer for an unlisted number that no quirk accepts."""
    first_invalid = next(
        (place for place, number in enumerate(numbers) if not 0 <= number < len(choices)), len(numbers)
    )
    subtasks = tuple(choices[number].subtask for number in numbers[:first_invalid])
    if first_invalid == len(numbers):
        return subtasks
    if (last := quirks.beyond(numbers[first_invalid])) is not None:
        return (*subtasks, last)
    raise UnclearAnswer(f"There is no action {numbers[first_invalid]}: the numbers go from 0 to {len(choices) - 1}.")


def _lines(choices: Sequence[Choice]) -> Iterable[tuple[Choice, str]]:
    return zip(choices, choice_lines(choices), strict=True)


def _plan(text: str, rules: Rules) -> tuple[list[Value], str]:
    """Parse the steps of the only plan in a text, and its analysis. Raises UnclearAnswer."""
    pieces = [_unwrap(piece, rules) for piece in find_json(text) if isinstance(piece.value, Members | BrokenObject)]
    if broken := next((piece.value for piece in pieces if isinstance(piece.value, BrokenObject)), None):
        raise UnclearAnswer(f"The JSON of the answer is broken: {broken}.")
    plans = [piece for piece in pieces if isinstance(piece.value, Members) and _has_plan(piece.value)]
    if len(plans) != 1:
        raise UnclearAnswer(f"The answer has {'several plans' if plans else 'no plan'}.")
    (piece,) = plans
    assert isinstance(piece.value, Members)
    if piece.value.cut:
        rules.use("missing-brace")
    elif not piece.exact:
        rules.use("loose-json")
    check_surroundings(text[: piece.start], text[piece.end :], rules)
    plan_values = piece.value.all(PLAN)
    if len(plan_values) != 1 or not isinstance(plan_values[0], list):
        raise UnclearAnswer(f"'{PLAN}' has to be one list of steps.")
    texts = [value.strip() for key in _TEXT_KEYS for value in piece.value.all(key)[:1] if isinstance(value, str)]
    return plan_values[0], "\n".join(texts)


def _unwrap(piece: FoundValue, rules: Rules) -> FoundValue:
    """Unwrap a piece of JSON from the tool call or object around its plan. Raises UnclearAnswer."""
    if not isinstance(piece.value, Members) or _has_plan(piece.value) or not is_decision(piece.value, bare=False):
        return piece
    value = unwrap(piece.value, Lists(), rules)
    return replace(piece, value=value) if isinstance(value, Members) else piece


def _has_plan(value: Members) -> bool:
    return bool(value.all(PLAN))


def _number(step: Value, place: int) -> int:
    """Parse the number of a step. Raises UnclearAnswer."""
    numbers = step.all("action_id") if isinstance(step, Members) else []
    if len(numbers) != 1 or isinstance(numbers[0], bool) or not isinstance(numbers[0], int | float | str):
        raise UnclearAnswer(f"Step {place} of the plan has no 'action_id' that is one number of the list.")
    try:
        number = float(numbers[0])
    except ValueError:
        number = 0.5
    if not number.is_integer():
        raise UnclearAnswer(
            f"Step {place} of the plan has the 'action_id' {numbers[0]!r}, "
            "which is no whole number."  # codespell:ignore
        )
    return int(number)
