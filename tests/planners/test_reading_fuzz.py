"""10,000 spoilt answers: none raises anything but UnreadableAnswer, none says a word that is not in the text."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from homie.kernel.actions import WORDS
from homie.kernel.types import Subtask
from planners.llm.answer_formats import Layout
from planners.llm.prompting.answering import as_json
from planners.llm.reading import Reading, UnreadableAnswer, read
from planners.parse_subtask import parse_subtask

DATA = Path(__file__).parent / "data"
GOLDEN = Path(__file__).parents[1] / "golden" / "emmoe_metrics"
ACTIONS = ("Go to", "Pick", "Put", "Open", "Close", "End")
MODELS = ("NoMaD", "PixNav", "octo", "RT-1-X")
TEXT, JSON, PLAN = Layout("text"), Layout("json"), Layout("plan")
SPOILT = 10_000
SEED = 20250515

RUNS = (
    ("[Go to, kitchen]", "[Open, drawer]", "[Put, short_can, drawer]", "[Go to, kitchen_counter]"),
    ("[Go to, yellow_box]", "[Pick, yellow_box]", "[Go to, fridge]", "[Open, fridge]", "[Close, fridge]", "[End]"),
    ("[Go to, beige table]", "[Pick, item on the beige table]", "[Pick, stack of papers]", "[Go to, living room]"),
    ("[Pick, cracker_box]", "[Put, cracker_box, beige_table]", "[Pick, sugar_box]", "[End]"),
    ("[Go to, green_can]", "[Pick, green_can]", "[Put, green_can, brown_table]", "[Open, fridge]", "[End]"),
)
"""Subtasks of the runs that the EMMOE paper prints (appendices C and I)."""


def texts() -> list[str]:
    """Real answers in the text form: what the golden cases have, as far as the official parser takes it."""
    cases = json.loads((GOLDEN / "planner_outputs.json").read_text(encoding="utf-8"))["cases"]
    conversations = json.loads((DATA / "emmoe_conversations.json").read_text(encoding="utf-8"))
    golden = [case["output"] for case in cases if case["expected"]["match"] and case["output"].count("Subtask") == 1]
    outputs = [turn["output"] for case in conversations.values() for turn in case if turn["subtask"] is not None]
    return [*golden, *outputs]


def objects() -> list[tuple[Layout, str, tuple[Subtask, ...]]]:
    """Valid JSON answers, single steps and plans, with what they say."""
    valid = []
    for at, run in enumerate(RUNS):
        steps = tuple(parse_subtask(line) for line in run)
        sentence = f"I don't see \"it\" {{yet}}, so: step {at} [of {len(run)}], // isn't it?"
        model = MODELS[at % len(MODELS)]
        for step in steps:
            answer = {"analysis": sentence, "subtask": as_json(step), "model": model}
            valid.append((JSON, json.dumps(answer, indent=at % 3 or None), (step,)))
        plan = {
            "visual_state_description": sentence,
            "reasoning_and_reflection": "Nothing was tried.",
            "language_plan": "As above.",
            "executable_plan": [as_json(step) for step in steps],
            "model": model,
        }
        valid.append((PLAN, json.dumps(plan), steps))
    return valid


# ---------------------------------------------------------------- spoiling

PIECES = (
    *"{}[]()\"',:;.\\/#*_`| \n\t\0éあ",
    "'", "’", "“", "```json\n", "**", "//", "/*", "*/", "null", "None", "True", "Analysis:", "Subtask:", "Model:",
    "subtask", '"subtask":', '"action":', '"End"', "[End]", "</s>", "<think>", "</think>", "\\u00", "\\ud800", "\ud83d",
    "don't", "__import__('os')", "{{", "}}", "[[", "]]", "1e999", "-", "NaN", "{% x %}",
)  # fmt: skip


def drop(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + text[at + rng.randint(1, 4) :]


def insert(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(PIECES) + text[at:]


def exchange(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(PIECES) + text[at + 1 :]


def cut_text(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text) + 1)]


def behead(text: str, rng: random.Random) -> str:
    return text[rng.randrange(len(text) + 1) :]


def repeat(text: str, rng: random.Random) -> str:
    first, last = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
    return text[:last] + text[first:last] * rng.randint(1, 3) + text[last:]


def swap(text: str, rng: random.Random) -> str:
    words = re.split(r"(\s+)", text)
    first, other = rng.randrange(len(words)), rng.randrange(len(words))
    words[first], words[other] = words[other], words[first]
    return "".join(words)


def requote(text: str, rng: random.Random) -> str:
    return text.replace('"', rng.choice("'’“`"))


def glue(text: str, rng: random.Random) -> str:
    return text + rng.choice(("", "\n", " or ")) + text


def small(text: str, rng: random.Random) -> str:
    return text.lower()


SPOILERS: tuple[Callable[[str, random.Random], str], ...] = (
    drop, insert, exchange, cut_text, behead, repeat, swap, requote, glue, small,
)  # fmt: skip


def spoilt(number: int) -> list[tuple[Layout, str]]:
    """Answers with one to four things done to them; the same ones every time."""
    rng = random.Random(SEED)
    sound = [*((TEXT, text) for text in texts()), *((layout, text) for layout, text, _ in objects())]
    answers = []
    for _ in range(number):
        layout, text = rng.choice(sound)
        for _ in range(rng.randint(1, 4)):
            text = rng.choice(SPOILERS)(text, rng)
        answers.append((layout, text))
    return answers


def stands_in(decision: Reading, text: str) -> bool:
    """Whether every action, target and destination stands in the text, in one piece; escapes of JSON undone.

    Actions may be spelt otherwise, or by another word.
    """
    plain = re.sub(r"\\u([0-9a-fA-F]{4})", lambda code: chr(int(code[1], 16)), text)
    plain = re.sub(r"\\[bfnrt]", " ", plain).replace("\\", "")
    readings = [" ".join(version.encode("utf-8", "replace").decode().split()) for version in (text, plain)]
    names = [part for subtask in decision.subtasks for part in (subtask.target, subtask.destination)]
    letters = [re.sub(r"[\s_-]+", "", version).lower() for version in readings]
    actions = [
        [
            re.sub(r"[\s_-]+", "", words).lower()
            for words in (subtask.action, *WORDS)
            if WORDS.get(words, words) == subtask.action
        ]
        for subtask in decision.subtasks
    ]
    return all(any(part in version for version in readings) for part in names) and all(
        any(words in spelt for words in spellings for spelt in letters) for spellings in actions
    )


# ---------------------------------------------------------------- tests


def test_sound_answers_are_all_read() -> None:
    for text in texts():
        assert len(read(text, TEXT, ACTIONS, MODELS).subtasks) == 1
    for layout, text, steps in objects():
        assert read(text, layout, ACTIONS, MODELS).subtasks == steps


def test_spoilt_answers_are_read_as_they_stand_or_not_at_all() -> None:
    answers = spoilt(SPOILT)
    problems = []
    for layout, text in answers:
        try:
            decision = read(text, layout, ACTIONS, MODELS)
        except UnreadableAnswer as why:
            problems.append(str(why))
            continue
        assert decision.subtasks, text
        assert all(subtask.action for subtask in decision.subtasks)
        assert stands_in(decision, text), (text, decision)
        json.dumps([subtask.target for subtask in decision.subtasks], ensure_ascii=False).encode()
    assert all("Write " in problem and problem.endswith(".") for problem in problems)
    assert SPOILT // 20 < len(problems) < SPOILT - SPOILT // 20  # the spoilers spoil, and not everything


def test_the_spoilt_answers_are_the_same_every_time() -> None:
    assert spoilt(50) == spoilt(50)


def test_a_made_up_word_would_be_noticed() -> None:
    text = "Analysis: x\nSubtask: [Pick, apple]\nModel: octo"
    assert stands_in(read(text, TEXT, ACTIONS), text)
    assert not stands_in(Reading((Subtask("Pick", "pear"),)), text)
    assert not stands_in(Reading((Subtask("Open", "apple"),)), text)


@pytest.mark.parametrize("layout", [TEXT, JSON, PLAN])
def test_noise_is_never_read(layout: Layout) -> None:
    """Random text without the shape of an answer: nothing is made of it."""
    rng = random.Random(SEED)
    letters = "abcdefghijklmnopqrstuvwxyz     ,.!?'\"\n"
    for _ in range(500):
        text = "".join(rng.choices(letters, k=rng.randint(0, 200)))
        with pytest.raises(UnreadableAnswer):
            read(text, layout, ACTIONS, MODELS)
