"""Reading: from what a language model wrote to one decision, or to a sentence that tells it what to write.

text --cleaned--> every answer in it --exactly one--> subtasks, analysis, model --lists--> Reading
                            `--> none, or several: Unreadable

Nothing is evaluated and no action is made up: every word of a subtask stands in the text. Of several answers none is
chosen. What deviates from the protocol is read only by a rule (`planners.llm.reading.rules`), which the reading names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from homie.kernel.actions import ARGUMENTS, ActionTable
from homie.kernel.errors import BadInput
from homie.kernel.types import END, Subtask, model_key
from planners.llm.answers import Layout, how
from planners.llm.reading.cleaning import cleaned
from planners.llm.reading.draft import Draft
from planners.llm.reading.json_answers import draft_of, is_step, speaks
from planners.llm.reading.labelled import Field, block_of, find_fields, model_after, said_before
from planners.llm.reading.loose_json import Broken, Found, find_json, string_of_json
from planners.llm.reading.official import official_draft
from planners.llm.reading.rules import ALL, Rules, Unclear
from planners.llm.reading.subtasks import DECORATION, Lists, short, text_subtask
from planners.llm.reading.surroundings import check_surroundings, only_between

MAX_TEXT = 100_000
"""Characters of an answer that is read at all."""
MAX_ANSWERS = 40
"""Answers of a text that are looked at: no plan is longer."""


class Unreadable(Exception):
    """An answer that is no decision. The message tells the model what is wrong and what to write instead."""


class Unlisted(Unreadable):
    """An answer that is read, but names an action or a model that is not in its list: `reading` has it as it is."""

    def __init__(self, sentence: str, reading: Reading) -> None:
        super().__init__(sentence)
        self.reading = reading


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer says. leniencies: the rules by which it was read, () where it follows the protocol."""

    subtasks: tuple[Subtask, ...]
    analysis: str = ""
    model: str = ""
    leniencies: tuple[str, ...] = ()


def read(
    text: str,
    layout: Layout,
    actions: Sequence[str] = (),
    models: Sequence[str] = (),
    arguments: ActionTable = ARGUMENTS,
    leniencies: Iterable[str] = ALL,
) -> Reading:
    """What an answer says. Raises Unreadable and nothing else.

    `actions`, `models` and `arguments` are the lists of the round; an action or a model that is not in them raises
    Unlisted. leniencies: the rules that are allowed.
    """
    lists, rules = Lists(tuple(actions), tuple(models), arguments), Rules(leniencies)
    try:
        if len(text) > MAX_TEXT:
            raise Unclear(f"The answer has {len(text)} characters, which is too long.")
        sound = text.encode("utf-8", "replace").decode()
        if layout.profile == "strict-emmoe":
            draft = official_draft(sound)
            return Reading(draft.subtasks, _sound(draft.analysis), listed_model(_sound(draft.model), models))
        draft = _only_draft(sound, layout, lists, rules)
        reading = _finished(draft, lists, rules)
    except (Unclear, BadInput) as error:
        raise Unreadable(f"{error} {how(layout.answer)}") from error
    if problem := _unlisted(reading, lists):
        raise Unlisted(f"{problem} {how(layout.answer)}", reading)
    return reading


# ---------------------------------------------------------------- one answer


@dataclass(frozen=True, slots=True)
class _Answer:
    """One answer in a text, and from where to where it reaches. step: a part of a plan, perhaps."""

    draft: Draft
    start: int
    end: int
    step: bool = False


def _only_draft(text: str, layout: Layout, lists: Lists, rules: Rules) -> Draft:
    """The one answer of a text. Raises Unclear."""
    if inside := string_of_json(text):
        rules.use("json-in-string")
        text = inside
    text = cleaned(text, rules)
    if not text.strip():
        raise Unclear("The answer is empty.")
    found = find_json(text)
    broken = any(isinstance(one.value, Broken) for one in found)
    spoken = [one for one in found if speaks(one.value, bare=not broken)]
    fields = find_fields(text, [(one.start, one.end) for one in found])
    labelled = [at for at, one in enumerate(fields) if one.name == "subtask"]
    if len(spoken) + len(labelled) > MAX_ANSWERS:
        raise Unclear("The answer says more than could be meant.")
    answers = [_from_json(text, one, fields, labelled, layout, lists, rules) for one in spoken]
    answers += [_from_label(text, fields, at, layout, lists, rules) for at in labelled]
    if not answers:
        return _bare(text, lists, rules)
    first, *others = answers
    if others and layout.answer == "plan" and all(one.step for one in answers) and _in_a_row(text, answers):
        rules.use("split-plan")
        steps = tuple(subtask for one in answers for subtask in one.draft.subtasks)
        first = _Answer(Draft(steps), first.start, answers[-1].end)
    elif any(_said(one) != _said(first) for one in others):
        several = ", ".join(dict.fromkeys(" ".join(map(str, one.draft.subtasks)) for one in answers))
        raise Unclear(f"The answer says several things ({short(several)}), and which is meant is not clear.")
    elif others:
        rules.use("repeated")
        first = max(answers, key=lambda one: len(one.draft.analysis))
        check_surroundings(text[: min(one.start for one in answers)], text[max(one.end for one in answers) :], rules)
        return first.draft
    check_surroundings(text[: first.start], text[first.end :], rules)
    return first.draft


def _said(answer: _Answer) -> tuple[tuple[Subtask, ...], str]:
    return answer.draft.subtasks, model_key(answer.draft.model)


def _from_json(
    text: str, found: Found, fields: list[Field], labelled: list[int], layout: Layout, lists: Lists, rules: Rules
) -> _Answer:
    """What a piece of JSON says, with the labels around it where it is the value of one. Raises Unclear."""
    if isinstance(found.value, Broken):
        raise Unclear(f"The JSON of the answer is broken: {found.value}.")
    if layout.answer == "text":
        rules.use("other-form")
    draft = draft_of(found.value, layout, lists, rules)
    if not found.exact and not getattr(found.value, "cut", False):
        rules.use("loose-json")
    start, end = found.start, found.end
    at = next((at for at in labelled if fields[at].end <= start and only_between(text[fields[at].end : start])), -1)
    if at >= 0:
        labelled.remove(at)
        rules.use("labels")
        start, analysis = said_before(text, fields, at)
        model, end = model_after(text, fields, at, end)
        draft = Draft(draft.subtasks, draft.analysis or analysis, draft.model or model)
    return _Answer(draft, start, end, step=is_step(found.value))


def _from_label(text: str, fields: list[Field], at: int, layout: Layout, lists: Lists, rules: Rules) -> _Answer:
    if layout.answer != "text":
        rules.use("other-form")
    block = block_of(text, fields, at, lists, rules)
    return _Answer(block.draft, block.start, block.end)


def _in_a_row(text: str, answers: Sequence[_Answer]) -> bool:
    return all(only_between(text[one.end : other.start]) for one, other in pairwise(answers))


def _bare(text: str, lists: Lists, rules: Rules) -> Draft:
    """A text that is nothing but a subtask. Raises Unclear."""
    plain = text.strip(f"{DECORATION}")
    if "\n" in plain or len(plain) > 200:
        raise Unclear("The answer has no subtask that can be read.")
    trial = Rules()
    try:
        subtask = text_subtask(plain, lists, trial)
    except Unclear as error:
        if plain.startswith("["):
            raise
        raise Unclear("The answer has no subtask that can be read.") from error
    if not plain.startswith("[") and subtask.action not in lists.actions:
        raise Unclear("The answer has no subtask that can be read.")
    for rule in ("bare", *trial.used):
        rules.use(rule)
    return Draft((subtask,))


# ---------------------------------------------------------------- the lists


def _finished(draft: Draft, lists: Lists, rules: Rules) -> Reading:
    """The draft with its model looked up. Raises Unclear for what follows End."""
    if END in draft.subtasks[:-1]:
        raise Unclear("Nothing can follow End: it is the last step.")
    subtasks = tuple(
        Subtask(*(_sound(part) for part in (one.action, one.target, one.destination))) for one in draft.subtasks
    )
    written = _sound(draft.model)
    model = listed_model(written, lists.models)
    if subtasks == (END,) and model not in lists.models:
        model = ""  # nobody carries it out
    if model != written:
        rules.use("model-form")
    if not model and lists.models and subtasks != (END,):
        rules.use("no-model")
    return Reading(subtasks, _sound(draft.analysis), model, rules.used)


def _unlisted(reading: Reading, lists: Lists) -> str:
    """What is not in its list, in a sentence; "" where all is."""
    for one in reading.subtasks:
        if lists.actions and one.action not in lists.actions:
            return f"'{short(one.action)}' is not in the list of actions: {', '.join(lists.actions)}."
    if reading.model and lists.models and model_key(reading.model) not in map(model_key, lists.models):
        return f"'{short(reading.model)}' is not in the list of models: {', '.join(lists.models)}."
    return ""


def listed_model(written: str, models: Sequence[str]) -> str:
    """The listed name if the first line is one but for brackets, quotes and marks; otherwise all as it was written."""
    plain = written.strip()
    first = (plain.splitlines() or [""])[0].partition("</s>")[0].partition("<|")[0].partition("|")[0]
    bare = first.strip(" \t*_`'\"“”‘’[]().,;")
    known = {name.casefold(): name for name in models}
    return known.get(plain.casefold()) or known.get(bare.casefold()) or plain


def _sound(text: str) -> str:
    """Without halves of surrogate pairs, which no file could keep, and without blanks around."""
    return text.encode("utf-8", "replace").decode().strip()
