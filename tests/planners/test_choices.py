"""Numbered actions for language models: what they are asked, how their answers are read, whole episodes by numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from homie.kernel.errors import BadInput
from homie.kernel.robot.graph_moves import MOVES as GRAPH_MOVES
from homie.kernel.robot.small_steps import STEPS as STEP_NAMES
from homie.kernel.types import END, HELD, NO_QUIRKS, VIEWS, Choice, Feedback, HistoryItem, PlannerInput, Subtask
from planners.llm.messages import LanguageModel, Reply, Request
from planners.llm.model_planner import ModelPlanner
from planners.llm.numbered_choices import read_ids
from planners.llm.prompting.examples import load_examples
from planners.llm.prompting.prompt_builder import Prompt
from planners.llm.prompting.settings import PromptSettings
from planners.llm.prompting.writer import TemplateWriter
from planners.llm.reading import UnreadableAnswer

TEMPLATE = "embodiedbench-ids"
CHOICES = (
    Choice("find the mug 2", Subtask("Go to", "mug_2")),
    Choice("pick up the mug 2", Subtask("Pick", "mug_2")),
    Choice("put down the object in hand on the table", Subtask("Put", HELD, "table")),
    Choice("end the task", END),
)
GIVEN = PlannerInput(
    task="put the mug on the table",
    round=2,
    views={view: np.zeros((64, 64, 3), np.uint8) for view in VIEWS},
    detections=(),
    inventory=(),
    history=(
        HistoryItem(1, Subtask("Go to", "mug_2"), Feedback("success")),
        HistoryItem(2, Subtask("Put", "mug_2", "table"), Feedback("fail", message="the hand is empty")),
    ),
    feedback=None,
    actions=("Go to", "Pick", "Put", "End"),
    models=("ideal", "chores"),
    choices=CHOICES,
)


def answer(*numbers: object, **more: object) -> str:
    steps = [{"action_id": number, "action_name": "as listed"} for number in numbers]
    reply = {
        "visual_state_description": "A mug.",
        "reasoning_and_reflection": "It is near.",
        "language_plan": "Take it.",
    }
    return json.dumps({**reply, "executable_plan": steps, **more})


class Listed(LanguageModel):
    """Answers from a list and keeps the questions."""

    def __init__(self, *replies: str | Reply) -> None:
        self.replies = [Reply(reply) if isinstance(reply, str) else reply for reply in replies]
        self.asked: list[Request] = []

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        return self.replies[len(self.asked) - 1]

    def reset(self, *, seed: int) -> None: ...

    def describe(self) -> dict[str, object]:
        return {}


def decide(*replies: str, planner_input: PlannerInput = GIVEN, **settings: object):
    model = Listed(*replies)
    planner = ModelPlanner(model, PromptSettings(**{"template": TEMPLATE, **settings}))
    planner.reset(planner_input.task, seed=0)
    return planner.decide(planner_input), model


def test_the_list_is_said_once_and_the_history_by_its_numbers() -> None:
    request, turn = Prompt(PromptSettings(template=TEMPLATE)).request(GIVEN)
    (system,) = request.messages[0].parts
    assert "\n0: find the mug 2\n1: pick up the mug 2\n" in str(system) and "\n3: end the task\n" in str(system)
    put_line = "2: put down the object in hand on the table"
    assert f"History: (1) [0: find the mug 2](success) (2) [{put_line}](fail)\n" in turn.text
    assert "find the mug 2" not in turn.text.replace("[0: find the mug 2]", "")


def test_the_schema_is_a_plan_of_numbers_and_has_no_model() -> None:
    request, _ = Prompt(PromptSettings(template=TEMPLATE)).request(GIVEN)
    assert request.schema is not None
    properties = request.schema["properties"]
    assert list(properties) == [
        *("visual_state_description", "reasoning_and_reflection", "language_plan", "executable_plan")
    ]
    item = properties["executable_plan"]["items"]
    assert item["properties"]["action_id"] == {"type": "integer"} and item["required"] == ["action_id", "action_name"]


def test_an_answer_is_the_actions_of_its_numbers() -> None:
    decision, _ = decide(answer(0, 1, 2, 3))
    assert decision.subtasks == tuple(choice.subtask for choice in CHOICES)
    assert decision.analysis == "A mug.\nIt is near.\nTake it." and not decision.model


@pytest.mark.parametrize(
    ("text", "numbers", "rules"),
    [
        (answer(1), [1], ()),
        (answer(), [3], ()),
        (answer("2", 3.0), [2, 3], ()),
        (f"```json\n{answer(0)}\n```", [0], ("fence",)),
        ("{'executable_plan': [{'action_id': 1, 'action_name': 'pick up'},]}", [1], ("loose-json",)),
        (answer(0)[:-1], [0], ("missing-brace",)),
    ],
)
def test_how_plans_of_numbers_are_read(text: str, numbers: list[int], rules: tuple[str, ...]) -> None:
    reading = read_ids(text, CHOICES)
    assert reading.subtasks == tuple(CHOICES[number].subtask for number in numbers)
    assert reading.leniencies == rules


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (answer(0, 4), "There is no action 4: the numbers go from 0 to 3."),
        (answer(-1), "There is no action -1"),
        (answer(1.5), "Step 1 of the plan has the 'action_id' 1.5, which is no whole number."),  # codespell:ignore
        (answer(0, "pick"), "Step 2 of the plan has the 'action_id' 'pick'"),
        (answer(True), "Step 1 of the plan has no 'action_id'"),
        (answer(3, 0), "Nothing can follow the end of the task"),
        ('{"executable_plan": "0"}', "'executable_plan' has to be one list of steps"),
        ('{"executable_plan": [{"action_name": "find the mug 2"}]}', "Step 1 of the plan has no 'action_id'"),
        ('{"plan": [0]}', "The answer has no plan."),
        (f"{answer(0)} {answer(1)}", "The answer has several plans."),
        (f"{answer(0)} No, wait.", "makes it doubtful|goes on in the middle"),
        ("", "The answer has no plan."),
        ("x" * 100_001, "too long"),
    ],
)
def test_what_is_no_plan_of_numbers_is_reported_with_what_to_write(text: str, problem: str) -> None:
    with pytest.raises(UnreadableAnswer, match=problem) as excinfo:
        read_ids(text, CHOICES)
    assert str(excinfo.value).endswith('"executable_plan": [{"action_id": 3, "action_name": "..."}].')


def test_a_leniency_can_be_switched_off() -> None:
    with pytest.raises(UnreadableAnswer, match="fence is not read"):
        read_ids(f"```json\n{answer(0)}\n```", CHOICES, ())


def test_a_wrong_number_is_asked_again_and_then_is_a_problem() -> None:
    decision, model = decide(answer(9), answer(1))
    assert decision.subtasks == (CHOICES[1].subtask,) and len(model.asked) == 2
    assert "There is no action 9" in str(model.asked[1].messages[-1].parts[0])
    decision, model = decide(answer(9), reasks=0)
    assert decision.subtasks == () and decision.problem.startswith("There is no action 9: the numbers go from 0 to 3.")


def test_template_and_suite_have_to_fit() -> None:
    with pytest.raises(BadInput, match="'embodiedbench-ids' is for suites with numbered actions, and here is no list"):
        decide(answer(0), planner_input=replace(GIVEN, choices=()))
    with pytest.raises(BadInput, match="'emmoe-json' asks for their names: use --template embodiedbench-ids"):
        decide(answer(0), template="emmoe-json")
    with pytest.raises(BadInput, match="'embodiedbench-arm' asks for poses of an arm, and no skill here goes to poses"):
        decide(answer(0), template="embodiedbench-arm", planner_input=replace(GIVEN, choices=()))


def test_training_data_are_refused_by_numbers() -> None:
    with pytest.raises(BadInput, match="answers by the numbers of a suite's actions, and training data have subtasks"):
        TemplateWriter(PromptSettings(template=TEMPLATE))


MOVES = CHOICES[:3]
"""A list without an end."""


def test_a_number_beyond_the_list_is_refused() -> None:
    with pytest.raises(UnreadableAnswer, match=r"There is no action 9"):
        read_ids(answer(0, 9), MOVES, quirks=NO_QUIRKS)


def test_the_template_of_small_steps_shows_one_picture_and_no_names() -> None:
    request, turn = Prompt(PromptSettings(template="embodiedbench-nav")).request(
        replace(GIVEN, views={"front": GIVEN.views["front"]}, choices=MOVES)
    )
    assert "0: find the mug 2" in str(request.messages[0].parts[0])
    assert [part for part in request.messages[-1].parts if isinstance(part, str)] == ["Front:", turn.text]
    assert "Names" not in turn.text and turn.text.startswith("Task: put the mug on the table")
    blind = Prompt(PromptSettings(template="embodiedbench-nav", images=False))
    text = blind.request(replace(GIVEN, views={"front": GIVEN.views["front"]}))[1].text
    assert text.startswith("Front: nothing\nTask:")


# ---------------------------------------------------------------- examples by number


def by_name(*names: str) -> PlannerInput:
    """A round whose list has these actions."""
    choices = [Choice(name, Subtask("End") if name == "end the task" else Subtask(name)) for name in names]
    return replace(GIVEN, choices=tuple(choices))


ERRANDS = by_name(
    *("find the mug", "pick up the mug", "put down the object in hand on the bed", "open the fridge"),
    *("close the fridge", "turn on the lamp", "turn off the lamp", "heat the mug", "end the task"),
)
FURNITURE = by_name(
    *("navigate to the bed", "pick up the mug", "put down the object in hand on the bed", "open the fridge"),
    *("close the fridge", "end the task"),
)
STEPS = by_name(*STEP_NAMES)


@pytest.mark.parametrize(
    ("template", "given", "number", "words"),
    [
        ("embodiedbench-ids", ERRANDS, 5, "find the fridge"),
        ("embodiedbench-ids", FURNITURE, 2, "navigate to the fridge"),
        ("embodiedbench-nav", STEPS, 3, "towel"),
    ],
)
def test_examples_by_number_are_those_whose_verbs_the_list_has(template, given, number, words) -> None:
    prompt = Prompt(PromptSettings(template=template))
    assert len(prompt.fitting(given)) == number
    system = prompt.request(given)[0].messages[0].parts[0]
    assert isinstance(system, str) and system.count("Example ") == number and words in system
    assert ("The robot is sent to furniture" in system) == (given is FURNITURE)
    fewer = Prompt(PromptSettings(template=template, examples=1)).request(given)[0].messages[0].parts[0]
    assert isinstance(fewer, str) and fewer.count("Example ") == 1
    none = Prompt(PromptSettings(template=template, examples=0)).request(given)[0].messages[0].parts[0]
    assert isinstance(none, str) and "Example" not in none


def test_moves_on_a_graph_are_explained_with_the_one_picture_that_there_is() -> None:
    listed = by_name(*GRAPH_MOVES, "pick up the mug", "answer: red", "answer: green")
    for images in (True, False):
        prompt = Prompt(PromptSettings(template="embodiedbench-ids", images=images))
        system = prompt.request(listed)[0].messages[0].parts[0]
        assert isinstance(system, str) and "Move forward drives it to the point that it faces" in system
        assert ("- A picture: what the camera on the robot's head sees." in system) == images
        assert "left, back, right" not in system and "Find a thing before" not in system
        assert "- The task is a question." in system and "end it: with the last action" not in system
    other = Prompt(PromptSettings(template="embodiedbench-ids")).request(ERRANDS)[0].messages[0].parts[0]
    assert isinstance(other, str) and "Move forward" not in other and "is a question" not in other


@pytest.mark.parametrize("name", ["numbers", "steps"])
def test_examples_by_number_are_read_as_they_are_written_from_their_own_list(name: str) -> None:
    for example in load_examples(name, None).all:
        longest = max(example.choices) + 1
        own = [Choice("do nothing", Subtask("nothing"))] * longest
        for number, called in example.choices.items():
            own[number] = Choice(called, END if called == "end the task" else Subtask(called))
        own += [] if END in [choice.subtask for choice in own] else [Choice("end the task", END)]
        read = read_ids(example.answer("ids", (), {}), own, frozenset())
        assert list(read.subtasks) == [own[number].subtask for number in example.numbers]


def test_an_example_that_comes_back_is_no_answer() -> None:
    prompt = Prompt(PromptSettings(template="embodiedbench-nav"))
    example = prompt.fitting(STEPS)[0]
    with pytest.raises(UnreadableAnswer, match="an example of the instructions"):
        prompt.read(example.answer("ids", (), {}), STEPS)


def test_pictures_of_examples_come_first_and_once() -> None:
    prompt = Prompt(PromptSettings(template="embodiedbench-nav", example_images=True, image_size=100, chat_turns=2))
    first, turn = prompt.request(STEPS)
    again, _ = prompt.request(STEPS, [turn.answered("an answer")])
    for request in (first, again):
        user_messages = [message for message in request.messages if message.role == "user"]
        parts = user_messages[0].parts
        assert list(parts[:6:2]) == [f"Picture of example {number}:" for number in (1, 2, 3)]
        assert [getattr(part, "shape", None) for part in parts[1:6:2]] == [(100, 100, 3)] * 3
        texts = [part for message in request.messages for part in message.parts if isinstance(part, str)]
        assert texts.count("Picture of example 1:") == 1
    described = prompt.describe()["examples"]
    assert isinstance(described, dict) and sorted(described["pictures"]) == [f"steps-{n}.jpg" for n in (1, 2, 3)]
    without = Prompt(PromptSettings(template="embodiedbench-nav", example_images=True, images=False))
    assert all(isinstance(part, str) for part in without.request(STEPS)[0].messages[-1].parts)


def test_templates_without_pictured_examples_say_so() -> None:
    with pytest.raises(BadInput, match="has no examples with pictures"):
        Prompt(PromptSettings(template="embodiedbench-ids", example_images=True))


def test_examples_of_another_form_are_refused(tmp_path: Path) -> None:
    text = files("planners.llm").joinpath("prompt_templates", "embodiedbench-ids.md").read_text(encoding="utf-8")
    (tmp_path / "mine.md").write_text(text.replace("examples: numbers", "examples: plans"))
    with pytest.raises(BadInput, match="asks for numbers, and its examples 'plans' are not by number"):
        Prompt(PromptSettings(template=str(tmp_path / "mine.md")))
