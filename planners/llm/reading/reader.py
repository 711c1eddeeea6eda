"""Parse the answer of a language model into one decision, or into a sentence that tells the model what to write.

text --cleaned--> every answer in it --exactly one--> subtasks, analysis, model --lists--> Reading
                            `--> none, or several: UnreadableAnswer

Nothing is evaluated and no action is invented: every word of a subtask is in the text. Of several different answers
none is chosen. Deviations from the protocol are accepted only by a rule (`planners.llm.reading.rules`), which the
reading records.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from homie.kernel.actions import ARGUMENTS, WORDS, Arguments
from homie.kernel.errors import BadInput
from homie.kernel.types import END, Decision, Report, Subtask, model_key
from planners.llm.answer_formats import Layout, format_instruction
from planners.llm.reading.cleaning import clean_answer
from planners.llm.reading.draft import Draft
from planners.llm.reading.emmoe_official_parser import official_draft
from planners.llm.reading.json_answers import draft_of, is_decision, is_step
from planners.llm.reading.labelled import Field, block_of, find_block, find_fields, model_after
from planners.llm.reading.loose_json import BrokenObject, FoundValue, find_json, string_of_json
from planners.llm.reading.other_notations import yaml_as_json
from planners.llm.reading.rules import ALL, Rules, UnclearAnswer
from planners.llm.reading.subtasks import DECORATION, Lists, short, text_subtask
from planners.llm.reading.surroundings import check_surroundings, has_only_marks, strip_fence

MAX_TEXT = 100_000
"""Maximum characters of an answer; a longer one is rejected."""
MAX_ANSWERS = 40
"""Maximum number of answers in a text: no plan is longer."""
MAX_BARE = 200
"""Maximum characters of a text that consists only of a subtask."""
_CALL = r"([A-Za-z]\w*\([^()]*\))"
_TOOL_CODE = re.compile(rf"print\((?:default_api\.)?{_CALL}\)|default_api\.{_CALL}")
"""A call in `tool_code` of Gemini and Gemma."""


class UnreadableAnswer(Exception):
    """The answer is not a decision. The message tells the model what is wrong and what to write instead."""


class UnlistedName(UnreadableAnswer):
    """The answer was parsed, but names an unlisted action or model; `reading` has it as written."""

    def __init__(self, sentence: str, reading: Reading) -> None:
        super().__init__(sentence)
        self.reading = reading


@dataclass(frozen=True, slots=True)
class Reading:
    """A parsed answer.

    Attributes:
        leniencies: The rules that were needed, () if it follows the protocol.
        report, answer: Report on the task and answer to a question, given with End.
    """

    subtasks: tuple[Subtask, ...]
    analysis: str = ""
    model: str = ""
    leniencies: tuple[str, ...] = ()
    report: Report = ""
    answer: str = ""

    def decision(self, raw: str) -> Decision:
        """Convert to a decision.

        Args:
            raw: The parsed text.
        """
        return Decision(self.subtasks, self.analysis, self.model, raw=raw, report=self.report, answer=self.answer)


def read(
    text: str,
    layout: Layout,
    actions: Sequence[str] = (),
    models: Sequence[str] = (),
    arguments: Arguments = ARGUMENTS,
    leniencies: Iterable[str] = ALL,
    *,
    words: Mapping[str, str] = WORDS,
) -> Reading:
    """Parse the answer of a language model.

    Args:
        text: the answer.
        layout: the requested form.
        actions: the actions of the round; () allows any.
        models: the skill models of the round; () allows any.
        arguments: the arguments of each action.
        leniencies: names of the allowed rules.
        words: synonyms of actions, each with the action that it means.

    Raises:
        UnreadableAnswer: the answer is not one decision.
        UnlistedName: it names an action or a model that is not listed.

    Example:
        >>> text = "Analysis: It is near. Subtask: [Pick, apple] Model: M3"
        >>> reading = read(text, Layout("text", "homie"), ["Pick", "End"], ["M3"])
        >>> str(reading.subtasks[0]), reading.model, reading.leniencies
        ('[Pick, apple]', 'M3', ())
    """
    lists, rules = Lists(tuple(actions), tuple(models), arguments, words), Rules(leniencies)
    try:
        if len(text) > MAX_TEXT:
            raise UnclearAnswer(f"The answer has {len(text)} characters, which is too long.")
        valid_text = text.encode("utf-8", "replace").decode()
        if layout.profile == "strict-emmoe":
            draft = official_draft(valid_text)
            return Reading(draft.subtasks, _writable(draft.analysis), match_model(_writable(draft.model), models))
        draft = _only_draft(valid_text, layout, lists, rules)
        reading = _to_reading(draft, lists, rules)
    except (UnclearAnswer, BadInput) as error:
        raise UnreadableAnswer(f"{error} {format_instruction(layout.answer)}") from error
    if problem := _unlisted_problem(reading, lists):
        raise UnlistedName(f"{problem} {format_instruction(layout.answer)}", reading)
    return reading


# ---------------------------------------------------------------- one answer


@dataclass(frozen=True, slots=True)
class _Answer:
    """One answer in a text, from `start` to `end`.

    Attributes:
        step: Whether it can be one step of a plan.
    """

    draft: Draft
    start: int
    end: int
    step: bool = False


def _only_draft(text: str, layout: Layout, lists: Lists, rules: Rules) -> Draft:
    """Parse the only answer of a text. Raises UnclearAnswer if there is none or more than one."""
    if inside := string_of_json(text):
        rules.use("json-in-string")
        text = inside
    text = clean_answer(text, rules)
    if not text.strip():
        raise UnclearAnswer("The answer is empty.")
    inside = strip_fence(text)
    if json_text := yaml_as_json(inside):
        rules.use("yaml")
        if inside != text:
            rules.use("fence")
        text = json_text
    pieces = find_json(text)
    broken = any(isinstance(item.value, BrokenObject) for item in pieces)
    decisions = [item for item in pieces if is_decision(item.value, bare=not broken)]
    fields = find_fields(text, [(item.start, item.end) for item in pieces])
    label_indices = [at for at, item in enumerate(fields) if item.name == "subtask"]
    if len(decisions) + len(label_indices) > MAX_ANSWERS:
        raise UnclearAnswer("The answer says more than could be meant.")
    answers = [_from_json(text, item, fields, label_indices, layout, lists, rules) for item in decisions]
    answers += [_from_label(text, fields, at, layout, lists, rules) for at in label_indices]
    if not answers:
        return _bare_subtask(text, lists, rules)
    first, *remaining = answers
    if remaining and layout.has_steps and all(item.step for item in answers) and _are_adjacent(text, answers):
        rules.use("split-plan")
        steps = tuple(subtask for item in answers for subtask in item.draft.subtasks)
        last = answers[-1]
        first = _Answer(Draft(steps, report=last.draft.report, answer=last.draft.answer), first.start, last.end)
    elif any(_content(item) != _content(first) for item in remaining):
        summaries = ", ".join(dict.fromkeys(" ".join(map(str, item.draft.subtasks)) for item in answers))
        raise UnclearAnswer(f"The answer says several things ({short(summaries)}), and which is meant is not clear.")
    elif remaining:
        rules.use("repeated")
        first = max(answers, key=lambda item: len(item.draft.analysis))
        check_surroundings(
            text[: min(item.start for item in answers)], text[max(item.end for item in answers) :], rules
        )
        return first.draft
    check_surroundings(text[: first.start], text[first.end :], rules)
    return first.draft


def _content(answer: _Answer) -> tuple[tuple[Subtask, ...], str, str, str]:
    draft = answer.draft
    return draft.subtasks, model_key(draft.model), draft.report, draft.answer


def _from_json(
    text: str,
    piece: FoundValue,
    fields: list[Field],
    label_indices: list[int],
    layout: Layout,
    lists: Lists,
    rules: Rules,
) -> _Answer:
    """Parse the answer in a piece of JSON, with the labels around it if it is a label's value. Raises UnclearAnswer."""
    if isinstance(piece.value, BrokenObject):
        raise UnclearAnswer(f"The JSON of the answer is broken: {piece.value}.")
    if layout.answer == "text":
        rules.use("other-form")
    draft = draft_of(piece.value, layout, lists, rules)
    if not piece.exact and not getattr(piece.value, "cut", False):
        rules.use("loose-json")
    start, end = piece.start, piece.end
    at = next(
        (at for at in label_indices if fields[at].end <= start and has_only_marks(text[fields[at].end : start])), -1
    )
    if at >= 0:
        label_indices.remove(at)
        rules.use("labels")
        start, analysis = find_block(text, fields, at)
        model, end = model_after(text, fields, at, end)
        draft = replace(draft, analysis=draft.analysis or analysis, model=draft.model or model)
    return _Answer(draft, start, end, step=is_step(piece.value))


def _from_label(text: str, fields: list[Field], at: int, layout: Layout, lists: Lists, rules: Rules) -> _Answer:
    if layout.answer != "text":
        rules.use("other-form")
    block = block_of(text, fields, at, lists, rules)
    return _Answer(block.draft, block.start, block.end)


def _are_adjacent(text: str, answers: Sequence[_Answer]) -> bool:
    return all(has_only_marks(text[previous.end : following.start]) for previous, following in pairwise(answers))


def _bare_subtask(text: str, lists: Lists, rules: Rules) -> Draft:
    """Parse a text that consists only of a subtask. Raises UnclearAnswer."""
    inside = strip_fence(text)
    if inside != text:
        rules.use("fence")
    call_text = _plain_call(inside.strip(DECORATION), rules)
    if "\n" in call_text or len(call_text) > MAX_BARE:
        raise UnclearAnswer("The answer has no subtask that can be read.")
    trial = Rules()
    try:
        subtask = text_subtask(call_text, lists, trial)
    except UnclearAnswer as error:
        if call_text.startswith("["):
            raise
        raise UnclearAnswer("The answer has no subtask that can be read.") from error
    if not call_text.startswith("[") and subtask.action not in lists.actions:
        raise UnclearAnswer("The answer has no subtask that can be read.")
    for rule in ("bare", *trial.used):
        rules.use(rule)
    return Draft((subtask,))


def _plain_call(text: str, rules: Rules) -> str:
    """Strip a call of its `tool_code` wrapper: `print(default_api.Pick("apple"))`."""
    if not (match := _TOOL_CODE.fullmatch(text)):
        return text
    rules.use("tool-call")
    return match[1] or match[2]


# ---------------------------------------------------------------- the lists


def _to_reading(draft: Draft, lists: Lists, rules: Rules) -> Reading:
    """Convert a draft to a reading, with its model looked up in the list.

    Raises UnclearAnswer if a subtask follows End.
    """
    if END.action in [subtask.action for subtask in draft.subtasks[:-1]]:
        raise UnclearAnswer("Nothing can follow End: it is the last step.")
    subtasks = tuple(
        Subtask(*(_writable(part) for part in (subtask.action, subtask.target, subtask.destination)))
        for subtask in draft.subtasks
    )
    model_name = _writable(draft.model)
    model = match_model(model_name, lists.models)
    is_end = [subtask.action for subtask in subtasks] == [END.action]
    if is_end and model not in lists.models:
        model = ""  # End needs no model
    if model != model_name:
        rules.use("model-form")
    if not model and lists.models and not is_end:
        rules.use("no-model")
    return Reading(subtasks, _writable(draft.analysis), model, rules.used, draft.report, _writable(draft.answer))


def _unlisted_problem(reading: Reading, lists: Lists) -> str:
    """Return a sentence about an unlisted action or model; "" if all are listed."""
    for subtask in reading.subtasks:
        if lists.actions and subtask.action not in lists.actions:
            return f"'{short(subtask.action)}' is not in the list of actions: {', '.join(lists.actions)}."
    if reading.model and lists.models and model_key(reading.model) not in map(model_key, lists.models):
        return f"'{short(reading.model)}' is not in the list of models: {', '.join(lists.models)}."
    return ""


def match_model(written: str, models: Sequence[str]) -> str:
    """Return the listed name in the first line, ignoring brackets, quotes and marks; otherwise the text as written."""
    stripped = written.strip()
    first = (stripped.splitlines() or [""])[0].partition("</s>")[0].partition("<|")[0].partition("|")[0]
    bare = first.strip(" \t*_`'\"“”‘’[]().,;")
    listed_names = {name.casefold(): name for name in models}
    return listed_names.get(stripped.casefold()) or listed_names.get(bare.casefold()) or stripped


def _writable(text: str) -> str:
    """Remove lone surrogates, which cannot be written to files, and surrounding blanks."""
    return text.encode("utf-8", "replace").decode().strip()
