"""Every rule of reading by itself: what it reads, that it is recorded, and that nothing is read without it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from homie.kernel.errors import BadInput
from homie.kernel.types import Subtask
from planners.llm.answer_formats import AnswerFormat, Layout
from planners.llm.reading import ALL, RULES, UnreadableAnswer, parse_rules, read

ACTIONS = ("Go to", "Pick", "Put", "Open", "Close", "End")
MODELS = ("NoMaD", "octo")
GO = '{"analysis": "a", "subtask": {"action": "Go to", "target": "sink"}, "model": "octo"}'
LABELS = "Analysis: a\nSubtask: [Go to, sink]\nModel: octo"


CASES: dict[str, list[dict[AnswerFormat, str]]] = yaml.safe_load(
    (Path(__file__).parent / "data" / "leniencies.yaml").read_text(encoding="utf-8")
)


def test_every_rule_has_its_cases() -> None:
    of_replies = {"beside", "odd-end"}  # tests/planners/test_places_of_answers.py has those
    assert set(CASES) == set(RULES) - of_replies


@pytest.mark.parametrize(
    ("rule", "answer", "text"),
    [(rule, answer, text) for rule, cases in CASES.items() for case in cases for answer, text in case.items()],
)
def test_a_rule_reads_is_recorded_and_can_be_switched_off(rule: str, answer: AnswerFormat, text: str) -> None:
    reading = read(text, Layout(answer), ACTIONS, MODELS)
    assert set(reading.subtasks) == {Subtask("Go to", "sink")}
    assert rule in reading.leniencies
    with pytest.raises(UnreadableAnswer, match=re.escape(f"({rule} is not read)")):
        read(text, Layout(answer), ACTIONS, MODELS, leniencies={*reading.leniencies} - {rule})


@pytest.mark.parametrize(("answer", "text"), [("json", GO), ("text", LABELS)])
def test_what_is_to_the_letter_needs_no_rule(answer: AnswerFormat, text: str) -> None:
    assert read(text, Layout(answer), ACTIONS, MODELS, leniencies=()).leniencies == ()


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("all", ALL),
        ("none", frozenset()),
        ("all,-words", ALL - {"words"}),
        ("fence, prose", {"fence", "prose"}),
        ("none,fence,-fence", frozenset()),
    ],
)
def test_which_rules_a_setting_chooses(text: str, rules: set[str]) -> None:
    assert parse_rules(text) == rules


@pytest.mark.parametrize("text", ["", "fances", "all,-fances", "everything"])
def test_a_rule_that_there_is_not_is_reported(text: str) -> None:
    with pytest.raises(BadInput, match="There is no leniency"):
        parse_rules(text)


def test_the_manual_lists_the_rules() -> None:
    page = (Path(__file__).parents[2] / "docs" / "prompts.md").read_text(encoding="utf-8")
    section = page.split("## Leniencies\n")[1]
    listed = dict(re.findall(r"^- `([a-z-]+)`: (.+)$", section, re.MULTILINE))
    assert {name: words.replace("&#124;", "|") for name, words in listed.items()} == dict(RULES)
