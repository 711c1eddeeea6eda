"""Answers in other notations than JSON and labels: calls in XML, boxes, tool code, YAML, invisible characters."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homie.kernel.types import Choice, Subtask
from planners.llm.answer_formats import Layout
from planners.llm.numbered_choices import read_ids
from planners.llm.reading import UnlistedName, UnreadableAnswer, read

ACTIONS = ("Go to", "Pick", "Put", "Open", "Close", "End")
MODELS = ("text",)
WHOLE = '{"analysis": "a", "subtask": {"action": "Pick", "target": "apple"}, "model": "text"}'
LABELLED = "Analysis: a\nSubtask: [Pick, apple]\nModel: text"
PICK = Subtask("Pick", "apple")


def call(name: str, *parameters: tuple[str, str], close: str = "</function>") -> str:
    inner = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in parameters)
    return f"<tool_call>\n<function={name}>\n{inner}{close}\n</tool_call>"


READ = {
    "zero width": "\u200b" + WHOLE,
    "no break": "\u00a0" + WHOLE + "\u00a0",
    "byte order marks": "\ufeff\ufeff" + WHOLE,
    "narrow, wide, joiner": "\u202f\u3000\u2060\n" + WHOLE,
    "behind a fence": f"```json\n\u200b{WHOLE}\n```",
    "behind words": f"Here it is:\u00a0{WHOLE}",
    "Qwen3-Coder": call("Pick", ("target", "apple")),
    "Qwen3-Coder, the decision": call("decision", ("analysis", "a"), ("subtask", WHOLE[28:-18]), ("model", "text")),
    "without the tag around it": call("Pick", ("target", "apple"))
    .replace("<tool_call>", "")
    .replace("</tool_call>", ""),
    "Claude in prompts": '<function_calls><invoke name="Pick"><parameter name="target">apple</parameter></invoke>'
    "</function_calls>",
    "GLM": "<tool_call>Pick\n<arg_key>target</arg_key>\n<arg_value>apple</arg_value>\n</tool_call>",
    "tool code": '```tool_code\nPick(target="apple")\n```',
    "tool code, printed": '```tool_code\nprint(default_api.Pick(target="apple"))\n```',
    "tool code, JSON": f"```tool_code\n{WHOLE}\n```",
    "a fenced subtask": "```\n[Pick, apple]\n```",
    "boxed": rf"\boxed{{{WHOLE}}}",
    "boxed in formulas": rf"The answer is: $\boxed{{{WHOLE}}}$".replace("The answer is: ", "My answer:\n"),
    "boxed twice": rf"\[ \boxed{{{{{WHOLE[1:-1]}}}}} \]",
    "boxed words": r"$$\boxed{\text{Pick(apple)}}$$",
    "boxed subtask": r"\boxed{[Pick, apple]}",
    "boxed with braces escaped": r"\boxed{\{" + WHOLE[1:-1].replace("{", r"\{").replace("}", r"\}") + r"\}}",
    "YAML": "analysis: It is near.\nsubtask:\n  action: Pick\n  target: apple\nmodel: text",
    "YAML, fenced": "```yaml\n---\nsubtask:\n  action: 'Pick'\n  target: \"apple\"\n  destination: null\n```",
    "YAML, flat": "action: Pick\ntarget: apple",
}


@pytest.mark.parametrize("case", READ)
@pytest.mark.parametrize("answer", ["json", "plan"])
def test_one_answer_in_another_notation_is_read(case: str, answer: str) -> None:
    reading = read(READ[case], Layout(answer), ACTIONS, MODELS)  # type: ignore[arg-type]
    assert reading.subtasks == (PICK,)
    assert reading.leniencies or case == "byte order marks", "and how is recorded"


@pytest.mark.parametrize("text", ["\u200b" + LABELLED, LABELLED.replace(": ", ":\u00a0"), LABELLED + "\u200b"])
def test_invisible_characters_around_labels(text: str) -> None:
    assert read(text, Layout("text"), ACTIONS, MODELS).subtasks == (PICK,)


NOT_READ = {
    "a name with something invisible in it": WHOLE.replace("apple", "ap\u200bple, pear"),
    "a call that is not closed": call("Pick", ("target", "apple"), close=""),
    "a call with words in it": call("Pick", ("target", "apple")).replace("</function>", "or pear</function>"),
    "a target given twice": call("Pick", ("target", "apple"), ("target", "pear")),
    "two calls": call("Pick", ("target", "apple")) + call("Open", ("target", "fridge")),
    "a call in a thought": f"<think>{call('Pick', ('target', 'apple'))}</think>",
    "a box in a sentence": r"I would not say \boxed{[Pick, apple]} here.",
    "a box that is not closed": rf"\boxed{{{WHOLE}",
    "two boxes": r"\boxed{[Pick, apple]} \boxed{[Open, fridge]}",
    "two lines of tool code": "```tool_code\nPick('apple')\nOpen('fridge')\n```",
    "words around tool code": "Do not do this:\n```tool_code\nPick('apple')\n```",
    "YAML with a list": "subtask:\n  - action: Pick\n    target: apple\n  - action: Open\n    target: fridge",
    "YAML with another key": "subtask:\n  action: Pick\n  target: apple\n  speed: slow\nmodel: text",
    "YAML with a key twice": "subtask:\n  action: Pick\n  target: apple\n  target: pear",
    "YAML with blocks": "analysis: |\n  It is near.\nsubtask:\n  action: Pick\n  target: apple",
    "YAML without an action": "subtask:\n  target: apple",
    "YAML behind words": "I think:\nsubtask:\n  action: Pick\n  target: apple",
}


@pytest.mark.parametrize("case", NOT_READ)
def test_what_is_not_one_answer_is_asked_again_in_a_sentence_about_its_form(case: str) -> None:
    with pytest.raises(UnreadableAnswer) as error:
        read(NOT_READ[case], Layout("json"), ACTIONS, MODELS)
    assert not isinstance(error.value, UnlistedName), "not as an action that there is not"
    assert "Write one JSON object" in str(error.value) and "action: " not in str(error.value)


def test_numbers_are_read_from_calls_too() -> None:
    choices = [Choice("pick up the apple", PICK), Choice("end the task", Subtask("End"))]
    plan = '{"executable_plan": [{"action_id": 0, "action_name": "pick up the apple"}]}'
    for text in (
        f'{{"name": "decision", "arguments": {plan}}}',
        f"<function=decision><parameter=executable_plan>{plan[20:-1]}</parameter></function>",
        f"\u200b{plan}",
        rf"\boxed{{{plan}}}",
    ):
        reading = read_ids(text, choices)
        assert reading.subtasks == (PICK,) and reading.leniencies


@given(st.text(alphabet='<>/=\\boxed{}"function parameter:\n- action\u200b', max_size=60))
def test_whatever_is_written_is_an_answer_or_a_sentence(text: str) -> None:
    with contextlib.suppress(UnreadableAnswer):
        read(text, Layout("json"), ACTIONS, MODELS)
