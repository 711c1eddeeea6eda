"""A corpus of answers in the styles of ten families: what says one thing is read, what does not is asked again.

No answer is ever read as something that it does not say.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from homie.kernel.types import END, Subtask
from planners.llm.answer_formats import Layout
from planners.llm.reading import RULES, UnlistedName, UnreadableAnswer, read
from planners.parse_subtask import parse_subtask

FOLDER = Path(__file__).parent / "data" / "answers"
FAMILIES = sorted(path.stem for path in FOLDER.glob("*.yaml"))
ACTIONS = ("Go to", "Pick", "Put", "Open", "Close", "End")
MODELS = ("NoMaD", "PixNav", "octo", "RT-1-X")
SITUATIONS = (
    ("Go to", "fridge", "The apple belongs in the fridge, which is not within reach yet.", "NoMaD"),
    ("Pick", "red apple", "I stand at the counter and the hand is empty, so I can take it now.", "RT-1-X"),
    ("Open", "kitchen drawer", "The drawer is closed. Nothing can go in before it is open.", "octo"),
)
AT_ONCE = 0.9
"""The share of valid answers that have to be read without asking again."""


@dataclass(frozen=True)
class Sample:
    """One answer. says: its subtasks; None for one that says none, several, or something that is not a subtask."""

    name: str
    layout: Layout
    text: str
    says: tuple[Subtask, ...] | None


def corpus(kind: str) -> Iterator[Sample]:
    """All answers that are `valid` or `invalid`."""
    for family in FAMILIES:
        styles = yaml.safe_load((FOLDER / f"{family}.yaml").read_text(encoding="utf-8"))[kind]
        for answer, named in styles.items():
            for style, entry in named.items():
                yield from samples(f"{family}, {answer}, {style}", Layout(answer), entry, kind == "valid")


def samples(name: str, layout: Layout, entry: str | dict[str, object], valid: bool) -> Iterator[Sample]:
    if isinstance(entry, dict):
        says = tuple(parse_subtask(subtask) for subtask in entry.get("says", ()))  # type: ignore[attr-defined]
        yield Sample(name, layout, str(entry["text"]), says if valid else None)
        return
    for number, (action, target, analysis, model) in enumerate(SITUATIONS, 1):
        text = entry
        for mark, words in marks(action, target, analysis, model).items():
            text = text.replace(f"<<{mark}>>", words)
        assert "<<" not in text, name
        says = (Subtask(action, target),)
        if "<<plan>>" in entry:
            says = (Subtask("Go to", target), *says)
        yield Sample(f"{name} {number}", layout, text, says if valid else None)
        if text == entry:
            return


def marks(action: str, target: str, analysis: str, model: str) -> dict[str, str]:
    step = {"action": action, "target": target}
    reply = {"analysis": analysis, "subtask": step, "model": model}
    end, other = {"action": "End"}, {"action": "Go to", "target": "table"}
    plan = {"language_plan": analysis, "executable_plan": [{"action": "Go to", "target": target}, step], "model": model}
    return {
        "json": json.dumps(reply),
        "pretty": json.dumps(reply, indent=2),
        "sub": json.dumps(step),
        "label": f"Analysis: {analysis}\nSubtask: [{action}, {target}]\nModel: {model}",
        "plan": json.dumps(plan),
        "end": json.dumps({**reply, "subtask": end}),
        "other": json.dumps({**reply, "subtask": other}),
        "endlabel": f"Analysis: All is done.\nSubtask: [End]\nModel: {model}",
        "a": action,
        "t": target,
        "n": analysis,
        "m": model,
    }


VALID, INVALID = list(corpus("valid")), list(corpus("invalid"))


def read_answer(sample: Sample) -> tuple[Subtask, ...] | None:
    """What an answer is read as; None where it is asked again."""
    try:
        return read(sample.text, sample.layout, ACTIONS, MODELS).subtasks
    except UnreadableAnswer:
        return None


def test_the_corpus_is_as_large_as_it_says() -> None:
    assert len(FAMILIES) == 10
    assert len({sample.text for sample in VALID}) >= 400
    assert len({sample.text for sample in INVALID}) >= 300


def test_no_answer_is_read_as_something_that_it_does_not_say() -> None:
    wrong = [
        (sample.name, subtasks)
        for sample in (*VALID, *INVALID)
        if (subtasks := read_answer(sample)) not in (None, sample.says)
    ]
    assert wrong == []


def test_valid_answers_are_read_at_once() -> None:
    unread = [sample.name for sample in VALID if read_answer(sample) is None]
    assert len(unread) <= (1 - AT_ONCE) * len(VALID), unread


@pytest.mark.parametrize("sample", INVALID[::7], ids=lambda sample: sample.name)
def test_invalid_answers_are_asked_again_with_a_reason(sample: Sample) -> None:
    with pytest.raises(UnreadableAnswer) as excinfo:
        read(sample.text, sample.layout, ACTIONS, MODELS)
    reason = str(excinfo.value).partition("Write ")[0].strip()
    assert reason.endswith(".") and len(reason) > 15


def test_what_is_not_in_its_list_never_becomes_something_that_is() -> None:
    for sample in INVALID:
        try:
            read(sample.text, sample.layout, ACTIONS, MODELS)
        except UnlistedName as unlisted:
            reading = unlisted.reading
            assert END not in reading.subtasks
            assert any(step.action not in ACTIONS for step in reading.subtasks) or reading.model not in MODELS
        except UnreadableAnswer:
            pass


def test_without_leniencies_only_what_is_to_the_letter_is_read() -> None:
    """Each valid answer is read by the rules that its reading names, and no longer when one of them is off."""
    used: set[str] = set()
    for sample in VALID:
        if read_answer(sample) is None:
            continue
        rules = read(sample.text, sample.layout, ACTIONS, MODELS).leniencies
        used |= set(rules)
        if not rules:
            assert read(sample.text, sample.layout, ACTIONS, MODELS, leniencies=()).subtasks == sample.says
            continue
        allowed = set(RULES) - {rules[0]}
        with pytest.raises(UnreadableAnswer):
            read(sample.text, sample.layout, ACTIONS, MODELS, leniencies=allowed)
        assert read(sample.text, sample.layout, ACTIONS, MODELS, leniencies=rules).leniencies == rules
    assert len(used) > 20
