"""Reading of answers: the golden EMMOE outputs, and everything that language models do to a format."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from homie.kernel.actions import canonical_action
from homie.kernel.types import END, Subtask
from planners.llm.answer_formats import AnswerFormat, Layout
from planners.llm.prompting.answering import as_json
from planners.llm.reading import MAX_TEXT, Reading, UnlistedName, UnreadableAnswer, match_model, read

DATA = Path(__file__).parent / "data"
GOLDEN = Path(__file__).parents[1] / "golden" / "emmoe_metrics"
ACTIONS = ("Go to", "Pick", "Put", "Open", "Close", "End")
MODELS = ("NoMaD", "PixNav", "octo", "RT-1-X")
TEXT, JSON, PLAN = Layout("text"), Layout("json"), Layout("plan")
STRICT = Layout("text", "strict-emmoe")
APPLE = Subtask("Pick", "apple")


def golden() -> list[dict]:
    return json.loads((GOLDEN / "planner_outputs.json").read_text(encoding="utf-8"))["cases"]


def conversations() -> list[tuple[str, str | None]]:
    cases = json.loads((DATA / "emmoe_conversations.json").read_text(encoding="utf-8"))
    return [(turn["output"], turn["subtask"]) for case in cases.values() for turn in case]


def official(text: str) -> tuple[str, str, str] | None:
    """The strict form as the golden README describes it: three labels, brackets, to the end of the text."""
    match = re.match(r".*Analysis: *(.+?) *Subtask: *\[(.*?)\].*Model: *(.*?)$", text, re.DOTALL)
    return None if match is None else (match[1], match[2], match[3])


def parts(text: str) -> tuple[str, ...]:
    """The parts of an official subtask, as the executor splits it."""
    return tuple(part.strip() for part in text.strip("[]").split(","))


def written_parts(subtask: Subtask) -> tuple[str, ...]:
    return tuple(part for part in (subtask.action, subtask.target, subtask.destination) if part)


def wrong(text: str, layout: Layout = JSON, actions: tuple[str, ...] = ACTIONS) -> str:
    """The model's message about an answer that cannot be read."""
    with pytest.raises(UnreadableAnswer) as excinfo:
        read(text, layout, actions, MODELS)
    return str(excinfo.value)


# ---------------------------------------------------------------- EMMOE


@pytest.mark.parametrize("number", range(96))
def test_the_strict_profile_reads_the_golden_outputs_as_the_official_parser_does(number: int) -> None:
    """To the letter, in the strict form and in the loose one; what that finds nothing in is asked again, and no End."""
    case = golden()[number]
    expected = case["expected"]
    if expected["match"] is None:
        with pytest.raises(UnreadableAnswer):
            read(case["output"], STRICT, ACTIONS)
        return
    reading = read(case["output"], STRICT, ACTIONS)
    assert [written_parts(subtask) for subtask in reading.subtasks] == [parts(expected["subtask"])]
    assert reading.model == expected["model"]
    assert reading.analysis == expected["analysis"].strip()


def test_the_golden_outputs_with_one_answer_are_read_alike_by_default() -> None:
    """Of the 66 that the official parser reads, 64 have one answer. Two have two: the official code takes the last."""
    count = 0
    for case in golden():
        expected = case["expected"]
        if expected["match"] is None:
            continue
        if case["output"].count("Subtask:") > 1:
            count += 1
            assert "says several things" in wrong(case["output"], TEXT)
            continue
        reading = read(case["output"], TEXT, ACTIONS, MODELS)
        assert [written_parts(subtask) for subtask in reading.subtasks] == [parts(expected["subtask"])]
        assert reading.model in MODELS
    assert count == 2


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
        reading = read(text, TEXT, ACTIONS, MODELS)
        assert [written_parts(subtask) for subtask in reading.subtasks] == [parts(inside[1])]
        assert (reading.model in MODELS) is (kind != "no Model")
        assert bool(reading.analysis) is (kind != "no Analysis")
        assert set(reading.leniencies) <= {"no-model" if kind == "no Model" else "labels", "no-model", "prose"}
    assert more == {"small letters": 7, "emphasis": 8, "no Model": 10, "no Analysis": 5}


@pytest.mark.parametrize("layout", [TEXT, STRICT])
def test_the_raw_conversations_are_read_as_their_histories_tell(layout: Layout) -> None:
    answers = [(text, subtask) for text, subtask in conversations() if subtask is not None]
    assert len(answers) == 165
    for text, subtask in answers:
        reading = read(text, layout, ACTIONS, MODELS)
        assert [canonical(written_parts(step)) for step in reading.subtasks] == [canonical(parts(subtask))], text


def canonical(words: tuple[str, ...]) -> tuple[str, ...]:
    """With the action in the letters of the list, as the executor has it."""
    return (canonical_action(words[0], ACTIONS) or words[0], *words[1:])


def test_every_strict_answer_of_the_conversations_is_read_identically() -> None:
    strict = [(text, official(text)) for text, _ in conversations()]
    assert sum(expected is not None for _, expected in strict) > 60
    for text, expected in strict:
        if expected is not None:
            reading = read(text, STRICT, ACTIONS)
            assert ([written_parts(subtask) for subtask in reading.subtasks], reading.model) == (
                [parts(expected[1])],
                expected[2],
            )


FRAGMENTS = (
    "Analysis:", "Subtask:", "Model:", "Analysis: ", " Subtask: ", "\nModel: ", "[Pick, apple]", "[End]",
    "[Put, cup, sink]", "octo", "I see", " ", "\n", "[", "]", "analysis:", "**", "Subtask: [Go to, mug]", "don't",
)  # fmt: skip


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join))
@example("Analysis: a Subtask: [Pick, apple] Analysis: b Subtask: [End] Model: octo")
@example("Analysis: Subtask: [End] Model: Analysis: x Subtask: [Pick, apple]")
@example("Analysis:Subtask: [End] Model: octo")
def test_whatever_the_strict_form_accepts_is_read_identically_by_the_strict_profile(text: str) -> None:
    """Pieces of answers in any order against the strict form, for all that it finds a real subtask in."""
    expected = official(text)
    if expected is None or len(parts(expected[1])) > 3 or not all(parts(expected[1])):
        return
    reading = read(text, STRICT)
    assert [written_parts(subtask) for subtask in reading.subtasks] == [parts(expected[1])]
    assert reading.model == expected[2].strip()


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join))
@example("[Pick, apple]\nSubtask: [Go to, mug]")
def test_of_several_answers_none_is_chosen(text: str) -> None:
    """Pieces of answers in any order: what is read by default is the only subtask with a label, where no label stands
    the only one at all. (What an analysis mentions is not an answer.)"""
    try:
        reading = read(text, TEXT, ACTIONS, ("octo",))
    except UnreadableAnswer:
        return
    subtask = r"(Pick, apple|End|Put, cup, sink|Go to, mug)"
    named = re.findall(rf"(?<!\w)Subtask:[\s\[*]*{subtask}", text) or re.findall(subtask, text)
    assert {written_parts(each) for each in reading.subtasks} == {parts(words) for words in named}


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


def test_of_two_blocks_none_is_read() -> None:
    text = "Analysis: a\nSubtask: [Open, fridge]\nModel: octo\nAnalysis: b\nSubtask: [Pick, apple]\nModel: PixNav"
    assert "several things ([Open, fridge], [Pick, apple])" in wrong(text, TEXT)
    twice = text.replace("Open, fridge", "Pick, apple").replace("PixNav", "octo")
    assert read(twice, TEXT, ACTIONS, MODELS).subtasks == (APPLE,)


def test_end_needs_no_model() -> None:
    assert read("Analysis: all is done\nSubtask: [End]", TEXT, ACTIONS, MODELS).subtasks == (END,)


def test_a_lone_bracket_is_a_subtask() -> None:
    assert read(" [Go to, blue table]\n", TEXT, ACTIONS, MODELS).subtasks == (Subtask("Go to", "blue table"),)


def test_an_unlisted_action_is_reported_and_kept_for_the_executor_to_refuse() -> None:
    text = "Analysis: x\nSubtask: [Squeeze, apple]\nModel: octo"
    with pytest.raises(UnlistedName, match="'Squeeze' is not in the list of actions: Go to, Pick") as excinfo:
        read(text, TEXT, ACTIONS, MODELS)
    assert excinfo.value.reading.subtasks == (Subtask("Squeeze", "apple"),)


def test_an_unlisted_model_is_reported_and_kept_for_the_executor_to_refuse() -> None:
    with pytest.raises(UnlistedName, match="'RT-2' is not in the list of models: NoMaD") as excinfo:
        read("Analysis: x\nSubtask: [Pick, apple]\nModel: RT-2", TEXT, ACTIONS, MODELS)
    assert (excinfo.value.reading.subtasks, excinfo.value.reading.model) == ((APPLE,), "RT-2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        (" \n\t", "is empty"),
        ("I will go to the fridge now.", "no subtask"),
        ("Analysis: x\nSubtask:", "The subtask is empty"),
        ("Analysis: x\nSubtask: []\nModel: octo", "is not a subtask"),
        ("Analysis: x\nSubtask: [Pick,]\nModel: octo", "Pick takes a target, and [Pick] does not have that"),
        ("Analysis: x\nSubtask: [Put, a, b, c]\nModel: octo", "is not a subtask"),
        ("Analysis: x\nSubtask: I should go, perhaps\nModel: octo", "does not begin with an action of the list"),
        ("Analysis: x\nSubtask: Pick apple and pear\nModel: octo", "does not begin with an action of the list"),
        ("Analysis: x\nSubtask: [Pick, app", "is not closed"),
        ("Analysis: x\nSubtask: [maybe I should, ah\nModel: octo", "is not closed"),
        ("x" * (MAX_TEXT + 1), "too long"),
    ],
)
def test_text_that_is_no_answer_is_answered_with_what_to_write(text: str, message: str) -> None:
    problem = wrong(text, TEXT)
    assert message in problem
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
    assert match_model(text, MODELS) == name


# ---------------------------------------------------------------- JSON

PLAIN = {"analysis": "I don't see it", "subtask": {"action": "Pick", "target": "apple"}, "model": "octo"}
OURS = Reading((APPLE,), "I don't see it", "octo")


def plainly(reading: Reading) -> Reading:
    """Without how it was read."""
    return replace(reading, leniencies=())


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
    assert plainly(read(text, JSON, ACTIONS, MODELS)) == OURS


def test_valid_text_is_never_broken() -> None:
    """Quotes, apostrophes, braces, comments, fences inside strings stay as they are: valid JSON is read as JSON."""
    odd = 'don\'t "do" {this} // or ```that``` , } ] \\ “quoted” \n Subtask: [End] Model: x'
    answer = {"analysis": odd, "subtask": {"action": "Pick", "target": "apple"}, "model": "octo"}
    decision = read(json.dumps(answer), JSON, ACTIONS, MODELS)
    assert (decision.analysis, decision.subtasks) == (odd, (APPLE,))
    assert plainly(read(f"Here:\n{json.dumps(answer)}\nbye", JSON, ACTIONS, MODELS)) == plainly(decision)


NAMES = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=12)


@given(
    analysis=st.text(max_size=60),
    action=st.sampled_from(("Go to", "Pick", "Open", "Close")),
    target=NAMES,
    quote=st.booleans(),
)
def test_valid_json_is_read_to_the_letter(analysis: str, action: str, target: str, quote: bool) -> None:
    if target.casefold() in ("none", "null", "n/a", "nil"):  # words for a missing target
        return
    answer = {"analysis": analysis, "subtask": as_json(Subtask(action, target)), "model": "octo"}
    decision = read(json.dumps(answer, ensure_ascii=quote), JSON, ACTIONS, MODELS)
    assert decision.subtasks == (Subtask(action, target),)
    assert decision.analysis == analysis.encode("utf-8", "replace").decode().strip()


def test_json_is_found_where_text_was_asked_for_and_the_other_way_round() -> None:
    assert plainly(read(json.dumps(PLAIN), TEXT, ACTIONS, MODELS)) == OURS
    text = "Analysis: I don't see it\nSubtask: [Pick, apple]\nModel: octo"
    assert plainly(read(text, JSON, ACTIONS, MODELS)) == OURS


def test_of_two_objects_none_is_read() -> None:
    other = json.dumps({**PLAIN, "subtask": {"action": "End"}})
    assert "several things" in wrong(f"{json.dumps(PLAIN)}\nor rather\n{other}")
    assert plainly(read(f"{json.dumps(PLAIN)}\n{json.dumps(PLAIN)}", JSON, ACTIONS, MODELS)) == OURS


def test_a_plan() -> None:
    steps = [Subtask("Go to", "apple"), APPLE, Subtask("Put", "apple", "bowl"), END]
    answer = {
        "visual_state_description": "An apple.",
        "reasoning_and_reflection": "Near.",
        "language_plan": "Move it.",
        "executable_plan": [as_json(step) for step in steps],
        "model": "octo",
    }
    decision = read(json.dumps(answer), PLAN, ACTIONS, MODELS)
    assert (decision.subtasks, decision.model) == (tuple(steps), "octo")
    assert decision.analysis == "An apple.\nNear.\nMove it."
    for plan in (
        ["[Go to, apple]", "[Pick, apple]", "[Put, apple, bowl]", "End"],
        [["Go to", "apple"], ["Pick", "apple"], ["Put", "apple", "bowl"], ["End"]],
    ):
        assert read(json.dumps({**answer, "executable_plan": plan}), PLAN, ACTIONS, MODELS).subtasks == tuple(steps)
    bare = json.dumps([as_json(step) for step in steps])
    assert read(f"```json\n{bare}\n```", PLAN, ACTIONS, MODELS).subtasks == tuple(steps)
    for more in (["End", "End"], ["End", "[Pick, apple]"]):
        assert "Nothing can follow End" in wrong(json.dumps({"executable_plan": more}), PLAN)
    assert "and one is asked for" in wrong(json.dumps({"executable_plan": ["[Pick, apple]", "End"]}), JSON)
    step = json.dumps({"executable_plan": ["Pick", "apple"]})
    assert read(step, PLAN, ACTIONS, MODELS).subtasks == (APPLE,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "no subtask"),
        ("[]", "not a subtask"),
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
        ('{"subtask": [{"action": "Pick", "target": "a"}, {"action": "End"}]}', "2 subtasks, and one is asked for"),
        ('{"subtask": "[Pick, apple"}', "is not closed"),
        ('{"executable_plan": []}', "plan is empty"),
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
def test_json_that_is_no_decision_is_answered_with_what_to_write(text: str, message: str) -> None:
    problem = wrong(text)
    assert message in problem
    assert "Write one JSON object and nothing else" in problem


def test_a_name_in_characters_of_a_newer_unicode_is_a_name() -> None:
    name = "\U0001fae9\U0001ccf1"  # Unicode 16 and later, which grammars allow
    reading = read(json.dumps({"analysis": "x", "subtask": {"action": "Pick", "target": name}}), JSON, ACTIONS)
    assert reading.subtasks[0].target == name


def test_a_broken_last_block_is_not_replaced_by_an_older_one() -> None:
    assert "broken" in wrong(json.dumps(PLAIN) + '\nNo: {"analysis": "wait", "subtask": {"action": "En')
    assert "not closed" in wrong("Analysis: x\nSubtask: [End]\nAnalysis: y\nSubtask: [Pick, app", TEXT)
    assert "Step 2 of the plan" in wrong('{"executable_plan": [{"action": "End"}, {"target": "a"}]}', PLAN)


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
    text = json.dumps(PLAIN) + "\nThe form was {key: value} with {braces} and {nested {ones}}, as you know: it's fine."
    assert plainly(read(text, JSON, ACTIONS, MODELS)) == OURS


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
    "{a:1}Subtask:",
    "<think></think>",
    "{'subtask':'End'}",
    "Model: ",
)


@pytest.mark.parametrize("piece", TANGLED)
@pytest.mark.parametrize("answer", ["text", "json", "plan"])
def test_tangled_text_takes_no_longer_than_its_length_allows(piece: str, answer: AnswerFormat) -> None:
    """The longest answers made of one opening after the other end at once; a quadratic reader would take minutes."""
    wrong((piece * MAX_TEXT)[:MAX_TEXT], Layout(answer))


def test_an_answer_that_is_said_forty_times_is_one_and_more_often_is_not_read():
    answer = json.dumps(PLAIN)
    often = read("\n".join([answer] * 40), JSON, ACTIONS, MODELS)
    assert often.subtasks == read(answer, JSON, ACTIONS, MODELS).subtasks
    assert "says more than could be meant" in wrong("\n".join([answer] * 41))
