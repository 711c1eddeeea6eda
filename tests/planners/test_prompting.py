"""Prompts: templates as files, the six-part instruction, the switches, the schema."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from homie.kernel.actions import ACTION_TABLE, Action, action_table
from homie.kernel.errors import BadInput
from homie.kernel.interfaces.prompts import Message
from homie.kernel.knowledge import Doorway, Knowledge, RememberedThing
from homie.kernel.skill_table import SkillTable
from homie.kernel.types import (
    END_FAILURE,
    END_SUCCESS,
    VIEWS,
    Detection,
    Feedback,
    HistoryItem,
    PlannerInput,
    Subtask,
)
from homie.kernel.world.household_verbs import PERSON_VERBS, VERBS
from perception.numbered_boxes import NumberedBoxes
from planners.llm.answer_formats import Layout
from planners.llm.messages import Request
from planners.llm.prompting.answering import as_json
from planners.llm.prompting.examples import load_examples, parse_examples
from planners.llm.prompting.prompt_builder import Prompt, Turn
from planners.llm.prompting.schemas import decision_schema
from planners.llm.prompting.settings import PromptSettings
from planners.llm.prompting.templates import NAMES, built_in, load_template, parse_template
from planners.llm.reading import read

ACTIONS = ("Go to", "Pick", "Put", "Open", "Close", "End")
COLOURS = dict(zip(VIEWS, (10, 20, 30, 40), strict=True))
GIVEN = PlannerInput(
    task="put the apple in the bowl",
    round=3,
    views={view: np.full((300, 400, 3), COLOURS[view], np.uint8) for view in VIEWS},
    detections=(
        Detection("apple", "right", (10, 10, 60, 60)),
        Detection("table", "front", (100, 50, 300, 250)),
        Detection("apple", "front", (110, 60, 130, 80)),
        Detection("apple", "front", (150, 60, 170, 80)),
        Detection("kitchen", "front", (0, 0, 400, 300), part="floor"),
        Detection("fridge", "left", (0, 0, 50, 90), part="handle"),
    ),
    inventory=("pear",),
    history=(HistoryItem(1, Subtask("Pick", "pear"), Feedback("success")),),
    feedback=Feedback("fail", None, "Unable to put, the fridge is closed, you should open it first"),
    actions=ACTIONS,
    models=("classical", "nomad"),
)
OWN = """---
name: own
version: 7
answer: text
---
{% block system %}Do things with {{ actions | join("/") }}.{% endblock %}
{% block user %}{{ task }}? {{ inventory }}{% endblock %}
"""


def text_of(message: Message) -> str:
    return "\n".join(part for part in message.parts if isinstance(part, str))


def pictures_of(message: Message) -> list[np.ndarray]:
    return [part for part in message.parts if not isinstance(part, str)]


def request_of(planner_input: PlannerInput = GIVEN, **settings: object) -> Request:
    return Prompt(PromptSettings(**settings)).request(planner_input)[0]


# ---------------------------------------------------------------- the instruction


@pytest.mark.parametrize("name", ["emmoe-json", "emmoe-text", "embodiedbench"])
def test_the_six_parts_are_there_in_every_protocol(name: str) -> None:
    request = request_of(template=name)
    system, user = request.messages
    assert (system.role, user.role) == ("system", "user")
    assert [int(picture[0, 0, 0]) for picture in pictures_of(user)] == [10, 20, 30, 40]
    assert [part for part in user.parts[:8] if isinstance(part, str)] == ["Front:", "Left:", "Back:", "Right:"]
    lines = text_of(user).splitlines()
    for line in (
        "Task: put the apple in the bowl",
        "Inventory: pear",
        "History: (1) [Pick, pear](success)",
        "Feedback: Unable to put, the fridge is closed, you should open it first",
    ):
        assert line in lines
    words = text_of(system)
    assert "front, left, back, right" in words
    assert all(f"- {action}: " in words for action in ACTIONS)
    assert "\n- classical.\n- nomad.\n" in words
    assert not pictures_of(system)


def test_nothing_yet_is_said_as_none() -> None:
    user = request_of(replace(GIVEN, inventory=(), history=(), feedback=None)).messages[-1]
    assert "Inventory: None\nHistory: None\nFeedback: None" in text_of(user)


def test_without_models_none_is_asked_for() -> None:
    for name in built_in():
        for message in request_of(replace(GIVEN, models=()), template=name).messages:
            assert "model" not in text_of(message).lower()


def test_actions_of_other_suites_are_listed_and_examples_with_strange_actions_left_out() -> None:
    system = text_of(request_of(replace(GIVEN, actions=("Go to", "Slice", "End")), examples=6).messages[0])
    assert "- Slice\n" in system
    assert '"Go to"' in system and '"Pick"' not in system and '"Put", "target": "scissors"' not in system


def test_a_thing_that_shows_only_its_door_is_in_sight_and_a_handle_alone_is_not() -> None:
    door = Detection("fridge", "front", (0, 0, 400, 300), instance="fridge", part="door")
    handle = Detection("drawer", "front", (0, 0, 9, 9), instance="drawer_1", part="handle")
    alone = replace(GIVEN, detections=(door, handle))
    assert "Front: fridge\n" in text_of(request_of(alone, images=False).messages[-1])
    assert "Front: 1: fridge\n" in text_of(request_of(alone, boxes=True).messages[-1])
    body = Detection("fridge", "front", (0, 0, 20, 300), instance="fridge")
    both = replace(GIVEN, detections=(door, body))
    assert "Front: 1: fridge\n" in text_of(request_of(both, boxes=True).messages[-1])


def test_text_only_lists_the_names_of_every_view() -> None:
    for name in built_in():
        request = request_of(template=name, images=False, boxes=True)
        user = request.messages[-1]
        assert not pictures_of(user)
        assert "Front: table, 2 x apple, kitchen\nLeft: nothing\nBack: nothing\nRight: apple\n" in text_of(user)
        assert "picture" not in "".join(text_of(message).lower() for message in request.messages)


def test_names_next_to_images_are_a_switch() -> None:
    assert "Front: table" not in text_of(request_of(names=False).messages[-1])
    assert "Front: table, 2 x apple, kitchen" in text_of(request_of().messages[-1])
    assert "- Names: " in text_of(request_of().messages[0]) and "- Names: " not in text_of(
        request_of(names=False).messages[0]
    )


def test_numbers_on_the_images_are_the_numbers_in_the_list() -> None:
    plain, marked = request_of().messages[-1], request_of(boxes=True).messages[-1]
    assert "Front: 1: apple, 2: apple, 3: table, kitchen\nLeft: nothing\nBack: nothing\nRight: 4: apple" in text_of(
        marked
    )
    same = [
        np.array_equal(before, other) for before, other in zip(pictures_of(plain), pictures_of(marked), strict=True)
    ]
    assert same == [False, True, True, False]  # rooms and handles get no box
    assert "numbers" in text_of(request_of(boxes=True).messages[0])


def test_images_are_scaled_and_the_originals_left_alone() -> None:
    before = {view: picture.copy() for view, picture in GIVEN.views.items()}
    assert {picture.shape for picture in pictures_of(request_of(boxes=True, image_size=100).messages[-1])} == {
        (75, 100, 3)
    }
    assert all(np.array_equal(before[view], GIVEN.views[view]) for view in VIEWS)


def test_examples_are_a_switch() -> None:
    def number(**settings: object) -> int:
        return text_of(request_of(**settings).messages[0]).count("\nExample ")

    assert [number(examples=count) for count in (0, 1, 6)] == [0, 1, 6]
    assert number() == 7  # of eleven, four are right in one setting only
    with pytest.raises(BadInput, match="has 11 examples, 12 were asked for: use --set examples=11"):
        Prompt(PromptSettings(examples=12))


# ---------------------------------------------------------------- earlier rounds


def request_after(rounds: int, **settings: object) -> Request:
    """The request of the round after some rounds; the pictures of round n are of the colour n."""
    prompt = Prompt(PromptSettings(**settings))
    turns: list[Turn] = []
    for number in range(1, rounds + 1):
        views = {view: np.full((64, 64, 3), number, np.uint8) for view in VIEWS}
        planner_input = replace(GIVEN, task=f"task {number}", views=views)
        turns.append(prompt.request(planner_input, turns)[1].answered("" if number == 2 else f"answer {number}"))
    return prompt.request(GIVEN, turns)[0]


def roles(request: Request) -> list[str]:
    return [message.role for message in request.messages]


def test_single_turn_is_the_default() -> None:
    assert roles(request_after(5)) == ["system", "user"]


def test_a_chat_keeps_a_bounded_window_of_readable_rounds() -> None:
    request = request_after(5, chat_turns=3)
    assert roles(request) == ["system", "user", "assistant", "user", "assistant", "user", "assistant", "user"]
    assert [message.parts for message in request.messages if message.role == "assistant"] == [
        (f"answer {n}",) for n in (3, 4, 5)
    ]
    assert all(not pictures_of(message) for message in request.messages[:-1])
    assert "task 3" in text_of(request.messages[1])
    assert roles(request_after(3, chat_turns=3)).count("assistant") == 2  # round 2 could not be read


def test_past_images_come_before_those_of_now_and_say_how_old_they_are() -> None:
    user = request_after(4, past_images=2).messages[-1]
    assert [int(picture[0, 0, 0]) for picture in pictures_of(user)] == [*[3] * 4, *[4] * 4, 10, 20, 30, 40]
    captions = [part for part in user.parts if isinstance(part, str)]
    assert captions[:2] == ["Front, 2 rounds ago:", "Left, 2 rounds ago:"]
    assert captions[4] == "Front, 1 round ago:" and captions[8] == "Front:"


def test_numbers_are_drawn_on_the_images_of_now_only() -> None:
    prompt = Prompt(PromptSettings(boxes=True, past_images=1))
    _, turn = prompt.request(GIVEN)
    past, now = pictures_of(prompt.request(GIVEN, [turn])[0].messages[-1])[0::4]
    assert np.all(past == COLOURS["front"]) and not np.all(now == COLOURS["front"])


def test_in_a_chat_past_images_stand_in_their_own_turns() -> None:
    request = request_after(4, chat_turns=1, past_images=2)
    assert [len(pictures_of(message)) for message in request.messages] == [0, 4, 0, 8]
    assert [int(picture[0, 0, 0]) for picture in pictures_of(request.messages[1])] == [4] * 4
    assert [int(picture[0, 0, 0]) for picture in pictures_of(request.messages[-1])] == [*[3] * 4, 10, 20, 30, 40]


def test_fewer_views_are_shown_in_their_order() -> None:
    user = request_of(replace(GIVEN, views={view: GIVEN.views[view] for view in ("back", "front")})).messages[-1]
    assert [int(picture[0, 0, 0]) for picture in pictures_of(user)] == [10, 30]


# ---------------------------------------------------------------- templates


VERSIONS = {
    "compact": 3,
    "embodiedbench-arm": 1,
    "embodiedbench-nav": 2,
    **dict.fromkeys(("emmoe-json", "emmoe-text", "embodiedbench"), 4),
}
"""Templates whose version is not the third."""


def test_what_is_recorded_of_a_prompt() -> None:
    for name in built_in():
        folder = files("planners.llm").joinpath("prompt_templates")
        data = folder.joinpath(f"{name}.md").read_bytes()
        description = Prompt(PromptSettings(template=name)).describe()
        assert (description["template"], description["version"]) == (name, VERSIONS.get(name, 3))
        assert description["sha256"] == hashlib.sha256(data).hexdigest()
        examples = description["examples"]
        if name == "compact":
            assert examples is None  # for models that have learnt from examples
            continue
        assert isinstance(examples, dict)
        path = folder.joinpath("examples", f"{examples['name']}.yaml")
        assert examples["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        json.dumps(description)


def test_a_template_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    path.write_text(OWN)
    prompt = Prompt(PromptSettings(template=str(path)))
    request, _ = prompt.request(GIVEN)
    assert request.schema is None
    system, user = request.messages
    assert system.parts == ("Do things with Go to/Pick/Put/Open/Close/End.",)
    assert [part for part in user.parts if isinstance(part, str)] == ["put the apple in the bowl? pear"]
    assert prompt.describe()["version"] == 7


def test_the_template_of_the_manual_is_one(tmp_path: Path) -> None:
    manual = Path(__file__).parents[2] / "docs" / "prompts.md"
    (text,) = re.findall(r"```jinja\n(.*?)```", manual.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "my-prompt.md").write_text(text)
    (tmp_path / "my-examples.yaml").write_text("- {task: t, views: {}, analysis: a, subtasks: ['[End]']}")
    request = request_of(template=str(tmp_path / "my-prompt.md"), names=True)
    assert "Task: t Answer: {" in text_of(request.messages[0])
    assert "front: table, 2 x apple, kitchen" in text_of(request.messages[-1])


def test_its_examples_lie_next_to_it_or_are_built_in(tmp_path: Path) -> None:
    (tmp_path / "few.yaml").write_text("- {task: t, views: {front: [cup]}, analysis: a, subtasks: ['[Pick, cup]']}")
    body = OWN.replace("answer: text", "answer: text\nexamples: few.yaml").replace(
        "{% endblock %}", "{% for one in examples %}{{ one.answer }}{% endfor %}{% endblock %}", 1
    )
    (tmp_path / "mine.md").write_text(body)
    system = request_of(template=str(tmp_path / "mine.md")).messages[0]
    assert system.parts[0].endswith("Analysis: a\nSubtask: [Pick, cup]\nModel: classical")  # type: ignore[union-attr]
    (tmp_path / "mine.md").write_text(body.replace("few.yaml", "rounds"))
    assert "[Put, scissors, drawer]" in text_of(request_of(template=str(tmp_path / "mine.md")).messages[0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must begin with a front matter"),
        ("hello", "must begin with a front matter"),
        ("---\nname: x\n", "must begin with a front matter"),
        (OWN.replace("name: own", "name: [own"), "it is not valid YAML: "),
        (OWN.replace("name: own\nversion: 7\nanswer: text", "just words"), "lines of `key: value`"),
        (
            OWN.replace("version: 7", "version: seven"),
            "version must be a whole number (got 'seven'); its keys",
        ),
        (OWN.replace("version: 7", "version: true"), "version must be a whole number (got true); its keys are name, "),
        (OWN.replace("version: 7\n", ""), "version is missing; its keys are name, version, "),
        (OWN.replace("answer: text", "answer: xml"), "answer must be 'text', "),
        (OWN.replace("version: 7", "version: 7\nstanza: last"), "stanza is not known here (got 'last')"),
        (OWN.replace("version: 7", "versjon: 7"), "versjon is not known here (did you mean 'version'?); its keys"),
        (OWN.replace("block user", "block usr"), "no block 'user'"),
        (OWN + "{% block more %}{% endblock %}", "unknown block 'more': it may have system, user, view."),
        (OWN + "{% block vieww %}{% endblock %}", "unknown block 'vieww': did you mean 'view'?"),
        (OWN.replace("{{ task }}", "{{ task"), "line 7"),
        (
            OWN.replace("answer: text", "answer: text\nexamples: none.yaml"),
            "the examples none.yaml: No such file",
        ),
        (OWN.replace("{{ task }}", "{{ tsak }}"), "uses 'tsak', which has no value here: did you mean 'task'?"),
        (OWN.replace("{{ task }}", "{{ weather }}"), "it may use: task, round, inventory"),
        (OWN.replace("{{ task }}", "{{ view }}"), "'view' is undefined"),
        (OWN.replace("{{ task }}", "{{ task.__class__.__mro__ }}"), "cannot be filled"),
        (OWN.replace("{{ task }}", "{{ task + 1 }}"), "fails"),
        (OWN.replace("{{ task }}", "{% for x in range(9999999999) %}x{% endfor %}"), "Range too big"),
        (OWN.replace("{{ task }}", "{{ self.user() }}"), "fails: maximum recursion depth"),
    ],
)
def test_a_template_that_can_not_be_used_is_reported_in_a_sentence(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    path.write_text(text)
    with pytest.raises(BadInput) as excinfo:
        request_of(template=str(path))
    assert message in str(excinfo.value)
    assert not str(excinfo.value).endswith("..")
    assert not str(excinfo.value).endswith("..")


def test_what_a_template_may_use_is_what_it_is_given() -> None:
    prompt = Prompt(PromptSettings())
    variables = prompt.variables(GIVEN, NumberedBoxes({}, {}))
    assert {*variables, "view", "ago"} == set(NAMES)


def test_missing_templates(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no template 'emoe': write the path of a file or one of: arm, comp"):
        load_template("emoe")
    with pytest.raises(BadInput, match=r"no template 'compct': did you mean 'compact'\?$"):
        load_template("compct")
    with pytest.raises(BadInput, match=r"Cannot read the template .*none.md: No such file"):
        load_template(str(tmp_path / "none.md"))
    with pytest.raises(BadInput, match="Cannot read the template"):
        load_template(str(tmp_path))
    with pytest.raises(BadInput, match="it is not text in UTF-8"):
        parse_template(b"\xff\xfe", "x", None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "it is not valid YAML: "),
        ("a: 1", "must be a list"),
        ("- 3", "Example 1"),
        (
            "- {task: t, views: {up: [cup]}, analysis: a, subtasks: ['[End]']}",
            "Example 1 of 'x': there is no view 'up'",
        ),
        ("- {task: t, views: {}, analysis: a, subtasks: []}", "'subtasks'"),
        ("- {task: t, views: {}, analysis: a, subtasks: ['[Pick']}", "two brackets"),
        ("- {task: t, views: {}, analysis: a, subtasks: ['[End]', '[Pick, a]']}", "nothing can follow"),
        ("- {task: t, analysis: a, subtasks: ['[End]'], numbers: [1], choices: {1: go}}", "either 'subtasks' or"),
        ("- {task: t, analysis: a, numbers: [1, 2], choices: {1: go}}", "'choices' has no name for the number 2"),
        (
            "- {task: t, views: {}, analysis: a, subtasks: ['[End]'], why: b}",
            "why is not known here (got 'b').",
        ),
        ("- {task: t, analysis: a, numbers: [true], choices: {1: go}}", "numbers must be a whole number (got [True])."),
        ("- {tsk: t, analysis: a, subtasks: ['[End]']}", "tsk is not known here (did you mean 'task'?)."),
    ],
)
def test_examples_that_can_not_be_used(text: str, message: str) -> None:
    with pytest.raises(BadInput) as excinfo:
        parse_examples(text.encode(), "x")
    assert message in str(excinfo.value)


@pytest.mark.parametrize(("name", "answer"), [("rounds", "json"), ("rounds", "text"), ("plans", "plan")])
def test_every_example_answers_as_it_should_be_read(name: str, answer: str) -> None:
    examples = load_examples(name, None).all
    assert len(examples) >= 5
    for example in examples:
        decision = read(example.answer(answer, ("classical",), {}), Layout(answer), ACTIONS, ("classical",))  # type: ignore[arg-type]
        assert list(decision.subtasks) == example.steps()
        assert decision.model == "classical"
        assert example.fits(ACTIONS, example.setting) and not example.fits((), example.setting)


# ---------------------------------------------------------------- the schema


def strict(schema: object) -> None:
    """What the strict mode of structured outputs wants of every object in a schema."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])
        assert set(schema) <= {"type", "properties", "required", "additionalProperties", "enum", "anyOf", "items"}
        for inner in (*schema.get("properties", {}).values(), *schema.get("anyOf", ()), schema.get("items")):
            strict(inner)


@pytest.mark.parametrize("models", [(), ("classical", "nomad")])
@pytest.mark.parametrize("actions", [ACTIONS, ("End",), ("Go to", "Slice", "Turn on", "End")])
@pytest.mark.parametrize("answer", ["json", "plan"])
def test_schemas_are_strict_and_say_what_may_be_chosen(answer, actions, models) -> None:
    schema = decision_schema(answer, actions, models)
    assert schema is not None and schema["type"] == "object"
    strict(schema)
    properties = schema["properties"]
    assert ("model" in properties) is bool(models)
    if models:
        assert properties["model"]["enum"] == list(models)
    step = properties["subtask"] if answer == "json" else properties["executable_plan"]["items"]
    variants = step.get("anyOf", [step])
    named = [name for variant in variants for name in variant["properties"]["action"]["enum"]]
    assert sorted(named) == sorted(actions)
    for variant in variants:
        parts = set(variant["properties"]) - {"action"}
        arguments = {"End": {"report", "answer"} if answer == "json" else set(), "Put": {"target", "destination"}}
        assert all(parts == arguments.get(name, {"target"}) for name in variant["properties"]["action"]["enum"])
        assert next(iter(variant["properties"])) == "action"


def test_text_has_no_schema() -> None:
    assert decision_schema("text", ACTIONS, ("a",)) is None
    assert request_of(template="emmoe-text").schema is None


def test_json_of_a_subtask_has_only_its_parts() -> None:
    assert as_json(Subtask("End")) == {"action": "End"}
    assert as_json(Subtask("Put", "a", "b")) == {"action": "Put", "target": "a", "destination": "b"}


# ---------------------------------------------------------------- verbs of skill sets


EXPLAINED = ("emmoe-json", "emmoe-text", "embodiedbench")


def system_of(template: str, *declared: Action) -> str:
    """The system message where skill sets declare actions other than those of EMMOE."""
    skill_table = SkillTable({}, table=action_table([declared]))
    actions = (*(name for name in ACTION_TABLE if name != "End"), *(action.name for action in declared), "End")
    given = replace(GIVEN, actions=actions, arguments=skill_table.arguments, explanations=skill_table.explanations)
    request, _ = Prompt(PromptSettings(template=template)).request(given)
    return str(request.messages[0].parts[0])


@pytest.mark.parametrize("template", EXPLAINED)
def test_each_verb_of_the_house_is_explained_in_a_line(template: str) -> None:
    verbs = [*(verb.action for verb in VERBS.values()), *(verb.action for verb in PERSON_VERBS.values())]
    system = system_of(template, *verbs)
    lines = dict(re.findall(r"^- ([A-Z][a-z ]+): (.+)$", system, re.MULTILINE))
    for verb in verbs:
        assert lines[verb.name] == verb.about and verb.about.endswith("."), verb.name
        assert verb.hand != "empty" or "gripper empty" in verb.about, verb.name
        assert verb.hand != "full" or "gripper" in verb.about, verb.name
        assert "destination" not in verb.arguments or "the destination" in verb.about, verb.name
    assert "sink that is on" in lines["Wash"] and "closed and on" in lines["Heat"] and "closed" in lines["Cool"]
    assert lines["Pick"].startswith("take an object"), "those of EMMOE are explained as before"


@pytest.mark.parametrize("template", EXPLAINED)
def test_a_verb_of_another_package_brings_its_own_sentence_or_none(template: str) -> None:
    system = system_of(template, Action(name="Fold", about="fold laundry."), Action(name="Hum", arguments=()))
    assert "- Fold: fold laundry.\n" in system and "- Hum\n" in system


def test_two_declarations_may_differ_in_their_words_for_planners() -> None:
    bare, messages = Action(name="Fold"), Action(name="Fold", about="fold laundry.")
    for declared in ([bare], [messages]), ([messages], [bare]):
        assert action_table(declared)["Fold"].about == "fold laundry."


# ---------------------------------------------------------------- targets


def test_targets_are_held_to_what_is_in_sight_remembered_held_or_in_the_task() -> None:
    remembered = (
        RememberedThing("kitchen counter 2", room="kitchen"),
        RememberedThing("fridge", room="kitchen", state="closed"),
    )
    doorways = (Doorway("doorway 1", "kitchen"),)
    knowledge = Knowledge("background", "kitchen", ("kitchen", "living room"), doorways, remembered)
    task = "Please put the tomato soup can in the fridge, then close it."
    request = request_of(replace(GIVEN, task=task, knowledge=knowledge), targets="known")
    assert request.schema is not None
    strict(request.schema)
    variants = request.schema["properties"]["subtask"]["anyOf"]
    names = {
        action: [
            set(variant["properties"][part]["enum"])
            for part in ("target", "destination")
            if part in variant["properties"]
        ]
        for variant in variants
        for action in variant["properties"]["action"]["enum"]
    }
    (targets,) = names["Pick"]
    assert {"table", "apple", "pear", "kitchen counter 2", "fridge", "doorway 1", "kitchen", "living room"} <= targets
    assert {"tomato soup can", "can"} <= targets
    assert not targets & {
        "the fridge",
        "can in",
        "in the fridge",
        "it",
        "please put",
        "fridge, then",
        "can in the fridge then",
    }
    assert names["Put"] == [targets, targets] and names["End"] == []
    assert request_of().schema == request_of(targets="open").schema != request.schema


def test_parts_of_a_known_name_and_what_surrounds_it_are_no_targets() -> None:
    knowledge = replace(GIVEN.knowledge, remembered=(RememberedThing("bleach cleanser"), RememberedThing("banana")))
    task = "Carry the bleach cleanser and the banana as well onto the coffee table"
    request = request_of(replace(GIVEN, task=task, knowledge=knowledge), targets="known")
    assert request.schema is not None
    targets = {
        name
        for variant in request.schema["properties"]["subtask"]["anyOf"]
        for name in variant["properties"].get("target", {}).get("enum", ())
    }
    assert {"bleach cleanser", "banana", "coffee table", "table"} <= targets
    assert not {name for name in targets if "well" in name or "bleach" in name} - {"bleach cleanser"}


def test_a_report_with_end_is_held_to_what_may_be_reported() -> None:
    reported = replace(GIVEN, ends=(END_SUCCESS, END_FAILURE), arguments={**GIVEN.arguments, "End": ("target",)})
    schema = request_of(reported, targets="known").schema
    assert schema is not None
    (end,) = [
        variant["properties"]
        for variant in schema["properties"]["subtask"]["anyOf"]
        if variant["properties"]["action"]["enum"] == ["End"]
    ]
    assert end["target"]["enum"] == ["success", "failure"]


# ---------------------------------------------------------------- few words


def test_the_compact_template_says_what_is_known_in_few_words() -> None:
    remembered = (
        RememberedThing("fridge", "kitchen", state="closed", seen=1),
        RememberedThing("lamp", "bedroom", "on the desk", states=("on",)),
        RememberedThing("mug", "", "in the drawer 2"),
        RememberedThing("kitchen table", "kitchen", seen=1),
        RememberedThing("bowl", "kitchen", "on the kitchen table"),
        RememberedThing("plum", "kitchen", "in the bowl"),
        RememberedThing("milk", "kitchen", "in the fridge"),
        RememberedThing("cup", "kitchen", "on the fridge"),
        RememberedThing("tray", "kitchen", "on the fork"),
    )
    doorways = (Doorway("doorway 1", "kitchen", "bedroom", explored=True), Doorway("doorway 2", "kitchen"))
    taken = (RememberedThing("pear", "kitchen", "on the kitchen table"), RememberedThing("egg", "bedroom"))
    knowledge = Knowledge("sensors", "kitchen", ("kitchen", "bedroom", "bathroom"), doorways, remembered, taken)
    late = replace(
        GIVEN, knowledge=knowledge, history=(*GIVEN.history, failed_item(2, "Open", "fridge", "the hand is full"))
    )
    user = text_of(request_of(late, template="compact", images=False).messages[-1])
    assert user.splitlines() == [
        "Task: put the apple in the bowl",
        "kitchen (here): fridge closed (cup, inside milk), kitchen table (bowl (inside plum)), tray on fork",
        "bedroom: lamp on on desk",
        "bathroom: nothing seen",
        "somewhere: mug in drawer 2",
        "not explored: doorway 2",
        "before: pear on kitchen table, egg in bedroom",
        "Hand: pear",
        "Steps: Pick pear; Open fridge (fail: the hand is full)",
    ]
    circle = (RememberedThing("fork", "kitchen", "on the tray"), RememberedThing("tray", "kitchen", "on the fork"))
    around = replace(GIVEN, knowledge=replace(knowledge, remembered=circle))
    assert "fork on tray, tray on fork" in text_of(request_of(around, template="compact", images=False).messages[-1])
    later = replace(late, history=(*late.history, failed_item(3, "Put", "pear", "Unable to put")))
    brief = text_of(request_of(later, template="compact", images=False, reasons=False).messages[-1])
    assert brief.splitlines()[-1] == "Steps: Pick pear; Open fridge (fail); Put pear (fail: Unable to put)"
    went = HistoryItem(4, Subtask("Go to", "plum"), Feedback("success", None, ""))
    there = replace(late, history=(*GIVEN.history, went))
    assert text_of(request_of(there, template="compact").messages[-1]).endswith("Steps: Pick pear; Go to plum in bowl")
    many = replace(GIVEN, history=tuple(failed_item(number, "Pick", f"thing {number}", "") for number in range(1, 12)))
    assert "Steps: Pick thing 4 (fail); Pick thing 5" in text_of(request_of(many, template="compact").messages[-1])


def failed_item(number: int, action: str, target: str, message: str) -> HistoryItem:
    return HistoryItem(number, Subtask(action, target), Feedback("fail", None, message))
