"""Reading of answers: the golden EMMOE outputs, and everything that language models do to a format."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from homie.types import END, Decision, Subtask
from planners.answers import AnswerFormat, Layout
from planners.examples import as_json
from planners.reading import MAX_TEXT, Unreadable, listed_model, read

DATA = Path(__file__).parent / "data"
GOLDEN = Path(__file__).parents[1] / "golden" / "emmoe_metrics"
ACTIONS = ("Go to", "Pick", "Put", "Open", "Close", "End")
MODELS = ("NoMaD", "PixNav", "octo", "RT-1-X")
TEXT, JSON, PLAN = Layout("text"), Layout("json"), Layout("plan")
APPLE = Subtask("Pick", "apple")


def golden() -> list[dict]:
    return json.loads((GOLDEN / "planner_outputs.json").read_text(encoding="utf-8"))["cases"]


def conversations() -> list[tuple[str, str | None]]:
    cases = json.loads((DATA / "emmoe_conversations.json").read_text(encoding="utf-8"))
    return [(one["output"], one["subtask"]) for case in cases.values() for one in case]


def official(text: str) -> tuple[str, str, str] | None:
    """The strict form as the golden README describes it: three labels, brackets, to the end of the text."""
    found = re.match(r".*Analysis: *(.+?) *Subtask: *\[(.*?)\].*Model: *(.*?)$", text, re.DOTALL)
    return None if found is None else (found[1], found[2], found[3])


def parts(text: str) -> tuple[str, ...]:
    """The parts of an official subtask, as the executor splits it."""
    return tuple(part.strip() for part in text.strip("[]").split(","))


def written(subtask: Subtask) -> tuple[str, ...]:
    return tuple(part for part in (subtask.action, subtask.target, subtask.destination) if part)


def wrong(text: str, layout: Layout = JSON, actions: tuple[str, ...] = ACTIONS) -> str:
    """What the model is told about an answer that can not be read."""
    with pytest.raises(Unreadable) as caught:
        read(text, layout, actions, MODELS)
    return str(caught.value)


# ---------------------------------------------------------------- EMMOE


@pytest.mark.parametrize("number", range(96))
def test_the_golden_outputs_are_read_as_the_official_parser_reads_them(number: int) -> None:
    """Strict: identical to the letter. Loose (no brackets): identical too."""
    case = golden()[number]
    expected = case["expected"]
    if expected["match"] is None:
        return
    decision = read(case["output"], TEXT, ACTIONS)
    assert [written(one) for one in decision.subtasks] == [parts(expected["subtask"])]
    assert decision.model == expected["model"]
    assert decision.analysis == expected["analysis"].strip()


def test_a_listed_model_is_recognised_in_what_the_official_parser_keeps() -> None:
    for case in golden():
        if case["expected"]["match"] is not None:
            assert read(case["output"], TEXT, ACTIONS, MODELS).model in MODELS


def test_what_is_read_beyond_the_official_parser() -> None:
    """30 golden outputs that the official parser turns into a bare End are read: by why it refuses them."""
    more: dict[str, int] = {}
    for case in golden():
        text = case["output"]
        if case["expected"]["match"] is not None:
            continue
        kind = (
            "emphasis" if text.startswith("**") else "small letters" if text.startswith("analysis") else
            "no Analysis" if text.startswith("Subtask") else "no Model"
        )  # fmt: skip
        more[kind] = more.get(kind, 0) + 1
        inside = re.search(r"\[(.*?)\]", text, re.DOTALL)
        assert inside is not None
        decision = read(text, TEXT, ACTIONS, MODELS)
        assert [written(one) for one in decision.subtasks] == [parts(inside[1])]
        assert (decision.model in MODELS) is (kind != "no Model")
        assert bool(decision.analysis) is (kind != "no Analysis")
    assert more == {"small letters": 7, "emphasis": 8, "no Model": 10, "no Analysis": 5}


def test_the_raw_conversations_are_read_as_their_histories_tell() -> None:
    told = [(text, subtask) for text, subtask in conversations() if subtask is not None]
    assert len(told) == 165
    for text, subtask in told:
        decision = read(text, TEXT, ACTIONS, MODELS)
        assert [written(one) for one in decision.subtasks] == [parts(subtask)], text


def test_every_strict_answer_of_the_conversations_is_read_identically() -> None:
    strict = [(text, official(text)) for text, _ in conversations()]
    assert sum(found is not None for _, found in strict) > 60
    for text, found in strict:
        if found is not None:
            decision = read(text, TEXT, ACTIONS)
            assert ([written(one) for one in decision.subtasks], decision.model) == ([parts(found[1])], found[2])


FRAGMENTS = (
    "Analysis:", "Subtask:", "Model:", "Analysis: ", " Subtask: ", "\nModel: ", "[Pick, apple]", "[End]",
    "[Put, cup, sink]", "octo", "I see", " ", "\n", "[", "]", "analysis:", "**", "Subtask: [Go to, mug]", "don't",
)  # fmt: skip


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join))
@example("Analysis: a Subtask: [Pick, apple] Analysis: b Subtask: [End] Model: octo")
@example("Analysis: Subtask: [End] Model: Analysis: x Subtask: [Pick, apple]")
@example("Analysis:Subtask: [End] Model: octo")
def test_whatever_the_strict_form_accepts_is_read_identically(text: str) -> None:
    """Pieces of answers in any order against the strict form, for all that it finds a real subtask in."""
    found = official(text)
    if found is None or len(parts(found[1])) > 3 or not all(parts(found[1])) or "[" in found[1] or "*" in found[1]:
        return
    decision = read(text, TEXT, ACTIONS)
    assert [written(one) for one in decision.subtasks] == [parts(found[1])]
    assert decision.model == found[2].strip()


# ---------------------------------------------------------------- labelled text


@pytest.mark.parametrize(
    "text",
    [
        "Analysis: x\nSubtask: [Pick, apple]\nModel: octo",
        "**Analysis:** x\n**Subtask:** [Pick, apple]\n**Model:** octo",
        "### Analysis\nx\n### Subtask\n[Pick, apple]\n### Model\nocto",
        "## **Analysis**\nx\n## **Subtask**\n`[Pick, apple]`\n## **Model**\n`octo`",
        "__Analysis__: x\n__Subtask__: **[Pick, apple]**\n__Model__: *octo*",
        "ANALYSIS: x\nSUBTASK: [Pick, apple]\nMODEL: OCTO",
        "Analysis: x\nSub-task: Pick, apple\nModel: [octo]",
        "Analysis: x\nSubtask: (Pick, apple).\nModel: octo.",
        'Analysis: x\nSubtask: ["Pick", "apple"]\nModel: "octo"',
        "Analysis: x\nSubtask: \\[Pick, apple\\]\nModel: octo\n\nI hope this helps!",
        "Analysis: x\nSubtask: [Pick, apple\nModel: octo",
        "```\nAnalysis: x\nSubtask: [Pick, apple]\nModel: octo\n```",
        "<think>Subtask: [End] or not?</think>\nAnalysis: x\nSubtask: [Pick, apple]\nModel: octo</s>",
    ],
)
def test_labelled_text_in_every_dress(text: str) -> None:
    decision = read(text, TEXT, ACTIONS, MODELS)
    assert (decision.subtasks, decision.model) == ((APPLE,), "octo")
    assert decision.analysis.strip(" \n`") == "x"
    assert decision.raw == text


def test_first_and_last_block() -> None:
    text = "Analysis: a\nSubtask: [Open, fridge]\nModel: octo\nAnalysis: b\nSubtask: [Pick, apple]\nModel: PixNav"
    first, last = read(text, Layout("text", "first"), ACTIONS, MODELS), read(text, TEXT, ACTIONS, MODELS)
    assert (first.subtasks, first.analysis, first.model) == ((Subtask("Open", "fridge"),), "a", "octo")
    assert (last.subtasks, last.analysis, last.model) == ((APPLE,), "b", "PixNav")


def test_end_needs_no_model() -> None:
    assert read("Analysis: all is done\nSubtask: [End]", TEXT, ACTIONS, MODELS).subtasks == (END,)


def test_a_lone_bracket_is_a_subtask() -> None:
    assert read(" [Go to, blue table]\n", TEXT, ACTIONS, MODELS).subtasks == (Subtask("Go to", "blue table"),)


def test_an_unlisted_action_in_brackets_is_read_for_the_executor_to_refuse() -> None:
    text = "Analysis: x\nSubtask: [Grab, apple]\nModel: octo"
    assert read(text, TEXT, ACTIONS, MODELS).subtasks == (Subtask("Grab", "apple"),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        (" \n\t", "is empty"),
        ("I will go to the fridge now.", "no subtask"),
        ("Analysis: x\nSubtask:", "The subtask is empty"),
        ("Analysis: x\nSubtask: []\nModel: octo", "is no subtask"),
        ("Analysis: x\nSubtask: [Pick,]\nModel: octo", "is no subtask"),
        ("Analysis: x\nSubtask: [Put, a, b, c]\nModel: octo", "is no subtask"),
        ("Analysis: x\nSubtask: I should go, perhaps\nModel: octo", "does not begin with an action of the list"),
        ("Analysis: x\nSubtask: Pick apple\nModel: octo", "does not begin with an action of the list"),
        ("Analysis: x\nSubtask: [Pick, app", "is not closed"),
        ("Analysis: x\nSubtask: [maybe I should, ah\nModel: octo", "is not closed"),
        ("x" * (MAX_TEXT + 1), "too long"),
    ],
)
def test_text_that_is_no_answer_is_told_what_to_write(text: str, said: str) -> None:
    problem = wrong(text, TEXT)
    assert said in problem
    assert problem.endswith("Write three lines: 'Analysis: ...', 'Subtask: [action, target]' and 'Model: ...'.")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("octo", "octo"),
        ("OCTO", "octo"),
        ("[RT-1-X]", "RT-1-X"),
        ("RT-1-X</s>", "RT-1-X"),
        ("octo<|im_end|>", "octo"),
        ("octo\nI recommend to open it first.", "octo"),
        ("octo | spare", "octo"),
        ("octopus", "octopus"),
        ("octo is best, or NoMaD", "octo is best, or NoMaD"),
        ("", ""),
    ],
)
def test_a_model_is_recognised_in_decoration_and_else_kept_as_written(text: str, name: str) -> None:
    assert listed_model(text, MODELS) == name


# ---------------------------------------------------------------- JSON

PLAIN = {"analysis": "I don't see it", "subtask": {"action": "Pick", "target": "apple"}, "model": "octo"}
OURS = Decision((APPLE,), "I don't see it", "octo")


def without_raw(decision: Decision) -> Decision:
    return Decision(decision.subtasks, decision.analysis, decision.model)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(PLAIN),
        json.dumps(PLAIN, indent=2),
        f"```json\n{json.dumps(PLAIN)}\n```",
        f"Sure! Here is my answer {{as asked}}:\n```\n{json.dumps(PLAIN)}\n```\nThat's it, isn't it?",
        f"**{json.dumps(PLAIN)}**",
        f"<think>{{\"subtask\": \"End\"}}? no</think>{json.dumps(PLAIN)}",
        str(PLAIN),
        "{'analysis': 'I don't see it', 'subtask': {'action': 'Pick', 'target': 'apple'}, 'model': 'octo'}",
        '{"analysis": "I don\'t see it", "subtask": {"action": "Pick", "target": "apple",}, "model": "octo",}',
        '{// why\n"analysis": "I don\'t see it",/**/ "subtask": {"action":"Pick","target":"apple"}, #\n"model":"octo"}',
        "{“analysis”: “I don't see it”, “subtask”: {“action”: “Pick”, “target”: “apple”}, “model”: “octo”}",
        "{‘analysis’: ‘I don't see it’, ‘subtask’: {‘action’: ‘Pick’, ‘target’: ‘apple’}, ‘model’: ‘octo’}",
        '{analysis: "I don\'t see it", subtask: {action: "Pick", target: "apple"}, model: "octo"}',
        '{"analysis": "I don\'t see it", "subtask": {"action": "Pick", "target": "apple"}, "model": "octo"',
        '{"Analysis": "I don\'t see it", "Subtask": "[Pick, apple]", "Model": "[octo]"}',
        '{"analysis": "I don\'t see it", "subtask": ["Pick", "apple"], "model": "OCTO"}',
        '{"analysis": "I don\'t see it", "subtask": "Pick, apple", "model": "octo", "confidence": 0.9}',
        '{"analysis": "I don\'t see it", "action": "Pick", "target": "apple", "destination": null, "model": "octo"}',
        '{"analysis": "I don\'t see it", "subtask": "Pick, apple", "model": "octo", "model": "octo"}',
        '{"analysis": "I don\'t see it", "subtask": [{"action": "Pick", "target": " apple\\n"}], "model": "octo"}',
    ],
)  # fmt: skip
def test_json_in_every_dress(text: str) -> None:
    assert without_raw(read(text, JSON, ACTIONS, MODELS)) == OURS


def test_valid_text_is_never_broken() -> None:
    """Quotes, apostrophes, braces, comments, fences inside strings stay as they are: valid JSON is read as JSON."""
    odd = 'don\'t "do" {this} // or ```that``` , } ] \\ “quoted” \n Subtask: [End] Model: x'
    said = {"analysis": odd, "subtask": {"action": "Pick", "target": "apple"}, "model": "octo"}
    decision = read(json.dumps(said), JSON, ACTIONS, MODELS)
    assert (decision.analysis, decision.subtasks) == (odd, (APPLE,))
    assert without_raw(read(f"Here:\n{json.dumps(said)}\nbye", JSON, ACTIONS, MODELS)) == without_raw(decision)


NAMES = st.text(st.characters(exclude_characters=",[]", exclude_categories=("Cs", "Cc", "Z")), min_size=1, max_size=12)


@given(analysis=st.text(max_size=60), action=st.sampled_from(ACTIONS[:-1]), target=NAMES, quote=st.booleans())
def test_valid_json_is_read_to_the_letter(analysis: str, action: str, target: str, quote: bool) -> None:
    if target.casefold() in ("none", "null", "n/a"):
        return
    said = {"analysis": analysis, "subtask": as_json(Subtask(action, target)), "model": "octo"}
    decision = read(json.dumps(said, ensure_ascii=quote), JSON, ACTIONS, MODELS)
    assert decision.subtasks == (Subtask(action, target),)
    assert decision.analysis == analysis.encode("utf-8", "replace").decode().strip()


def test_json_is_found_where_text_was_asked_for_and_the_other_way_round() -> None:
    assert without_raw(read(json.dumps(PLAIN), TEXT, ACTIONS, MODELS)) == OURS
    text = "Analysis: I don't see it\nSubtask: [Pick, apple]\nModel: octo"
    assert without_raw(read(text, JSON, ACTIONS, MODELS)) == OURS


def test_first_and_last_json() -> None:
    other = json.dumps({**PLAIN, "subtask": {"action": "End"}})
    text = f"{json.dumps(PLAIN)}\nor rather\n{other}"
    assert read(text, Layout("json", "first"), ACTIONS, MODELS).subtasks == (APPLE,)
    assert read(text, JSON, ACTIONS, MODELS).subtasks == (END,)


def test_a_plan() -> None:
    steps = [Subtask("Go to", "apple"), APPLE, Subtask("Put", "apple", "bowl"), END]
    said = {
        "visual_state_description": "An apple.",
        "reasoning_and_reflection": "Near.",
        "language_plan": "Move it.",
        "executable_plan": [as_json(one) for one in steps],
        "model": "octo",
    }
    decision = read(json.dumps(said), PLAN, ACTIONS, MODELS)
    assert (decision.subtasks, decision.model) == (tuple(steps), "octo")
    assert decision.analysis == "An apple.\nNear.\nMove it."
    for plan in (
        ["[Go to, apple]", "[Pick, apple]", "[Put, apple, bowl]", "End"],
        [["Go to", "apple"], ["Pick", "apple"], ["Put", "apple", "bowl"], ["End"]],
    ):
        assert read(json.dumps({**said, "executable_plan": plan}), PLAN, ACTIONS, MODELS).subtasks == tuple(steps)
    bare = json.dumps([as_json(one) for one in steps])
    assert read(f"```json\n{bare}\n```", PLAN, ACTIONS, MODELS).subtasks == tuple(steps)
    two = json.dumps({"executable_plan": ["End", "End"]})
    assert read(two, PLAN, ACTIONS, MODELS).subtasks == (END, END)
    one = json.dumps({"executable_plan": ["Pick", "apple"]})
    assert read(one, PLAN, ACTIONS, MODELS).subtasks == (APPLE,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "no subtask"),
        ("[]", "no subtask"),
        ("42", "no subtask"),
        ('{"analysis": "x"}', "no subtask"),
        ('{"analysis": "x", "subtask": null}', "no subtask"),
        ('{"analysis": "x", "subtask": {}}', "no 'action'"),
        ('{"analysis": "x", "subtask": 3}', "must be an object"),
        ('{"analysis": "x", "subtask": {"action": "Pick", "target": 3}}', "'target' must be text"),
        ('{"analysis": "x", "subtask": {"action": "Pick", "target": ["apple"]}}', "'target' must be text"),
        ('{"analysis": "x", "subtask": {"action": "Pick", "target": "apple, pear"}}', "is not one name"),
        ('{"analysis": "x", "subtask": {"action": "Put", "destination": "bowl"}}', "no 'target'"),
        ('{"analysis": "x", "subtask": {"action": "Pick", "action": "Open", "target": "apple"}}', "written twice"),
        ('{"subtask": {"action": "Pick", "target": "a"}, "subtask": {"action": "End"}}', "written twice"),
        ('{"subtask": {"action": "End"}, "executable_plan": [{"action": "End"}]}', "both"),
        ('{"subtask": [{"action": "Pick", "target": "a"}, {"action": "End"}]}', "not a list of subtasks"),
        ('{"subtask": "[Pick, apple"}', "one of its two brackets"),
        ('{"executable_plan": []}', "plan is empty"),
        ('{"executable_plan": [{"action": "End"}, {"target": "a"}]}', "Step 2 of the plan"),
        ('{"analysis": "x", "subtask": {"action": "Pick", "target": "app', "broken: a string is not closed"),
        ('{"analysis": "x", "subtask": {"action": "Put", "target": "apple"', "broken"),
        ('{"action": "Put", "target": "apple"', "no subtask"),
        ('{"executable_plan": [{"action": "Pick", "target": "a"}, {"action": "Pu', "broken"),
        ('{"executable_plan": [{"action": "Pick", "target": "a"}', "broken"),
        ('{"a": bare, "executable_plan": [{"action": Go}, {"action": "Pick", "target": "a"}]}', "broken"),
        ('{"analysis": "say "no, "subtask": {"action": "End"}}', "broken"),
        ('{"analysis": ' * 50 + '"x"' + "}" * 50, "nested too deeply"),
        ('{analysis: {"b": ' * 50, "is broken"),
        ("[" * 90_000, "no subtask"),
        ('{"subtask": {"action": __import__("os").system("true")}}', "broken"),
    ],
)  # fmt: skip
def test_json_that_is_no_decision_is_told_what_to_write(text: str, said: str) -> None:
    problem = wrong(text)
    assert said in problem
    assert "Write one JSON object and nothing else" in problem


def test_a_broken_last_block_is_not_replaced_by_an_older_one() -> None:
    assert "broken" in wrong(json.dumps(PLAIN) + '\nNo: {"analysis": "wait", "subtask": {"action": "En')
    assert "not closed" in wrong("Analysis: x\nSubtask: [End]\nAnalysis: y\nSubtask: [Pick, app", TEXT)


def test_valid_json_without_end_is_refused_at_once() -> None:
    """Deep nesting and endless repetition are valid JSON; neither may reach the limits of the interpreter."""
    deep = "[" * 900 + '"End"' + "]" * 900
    assert "nested too deeply" in wrong(f'{{"subtask": {deep}, "x": {deep}, "subtask": [{deep}]}}')
    many = ", ".join(f'"subtask": {number}' for number in range(5_000))
    assert "written twice" in wrong(f"{{{many}}}")


def test_an_analysis_may_speak_of_models() -> None:
    text = "analysis: For this the model: octo is best.\nsubtask: [Pick, apple]\nmodel: RT-1-X"
    decision = read(text, TEXT, ACTIONS, MODELS)
    assert (decision.analysis, decision.model) == ("For this the model: octo is best.", "RT-1-X")


def test_braces_in_prose_after_the_answer_do_no_harm() -> None:
    text = (
        json.dumps(PLAIN)
        + "\nThe form was {key: value} with {braces} and [brackets, {nested}], as you know: it's fine."
    )
    assert without_raw(read(text, JSON, ACTIONS, MODELS)) == OURS


def test_halves_of_surrogate_pairs_can_be_kept_in_files() -> None:
    decision = read('{"analysis": "\\ud83d", "subtask": {"action": "Pick", "target": "x\\udc00"}}', JSON, ACTIONS)
    assert (decision.analysis, decision.subtasks) == ("?", (Subtask("Pick", "x?"),))


TANGLED = (
    "{",
    '{"',
    '{"a":',
    "{a:[",
    '{"a":"',
    "[{",
    '{"a":{',
    "/*{",
    '{"a"//',
    "Analysis: ",
    "Subtask: [",
    "{'a' 'b',",
)


@pytest.mark.parametrize("piece", TANGLED)
@pytest.mark.parametrize("answer", ["text", "json", "plan"])
def test_tangled_text_takes_no_longer_than_its_length_allows(piece: str, answer: AnswerFormat) -> None:
    """The longest answers made of one opening after the other end at once; a quadratic reader would take minutes."""
    wrong((piece * MAX_TEXT)[:MAX_TEXT], Layout(answer))
