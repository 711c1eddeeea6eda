"""The reader of the ablation: it reads what the prompt says, acts on that alone, and does a task in a home of words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from text_world import stage

from benchmarks.prompt_jobs import jobs_by_text, playable
from benchmarks.prompt_question import Question, Step, read_question
from benchmarks.prompt_reader import ROOMS, next_subtask
from benchmarks.prompt_serving import EndpointServer
from homie.bench.suite.suite import find_suite
from homie.kernel.actions import ACTIONS
from homie.kernel.interfaces.prompts import Message
from homie.kernel.knowledge import Doorway, Knowledge, RememberedThing
from homie.kernel.types import VIEWS, Detection, Feedback, HistoryItem, PlannerInput, Subtask
from homie.runtime.assembly import load_planner
from planners.llm.prompting.prompt_builder import Prompt
from planners.llm.prompting.settings import PromptSettings

KNOWN = Knowledge(
    "sensors",
    "kitchen",
    ("kitchen", "hallway"),
    (
        Doorway("doorway 1", "kitchen", "hallway", True),
        Doorway("doorway 2", "kitchen", "hallway"),
        Doorway("doorway 3", "kitchen"),
    ),
    (
        RememberedThing("microwave", "kitchen", "on kitchen counter 1", 1, "closed", ("off", "clean")),
        RememberedThing("lamp", "hallway", "on the navy sofa", 3, states=("on",)),
        RememberedThing("apple", "hallway", "on the navy sofa", 2),
        RememberedThing("navy sofa", "hallway", "", 2),
    ),
)
GIVEN = PlannerInput(
    task="put the apple into the microwave",
    round=4,
    views={view: np.zeros((8, 8, 3), np.uint8) for view in VIEWS},
    detections=(
        Detection("kitchen counter", "front", (0, 0, 4, 4), number=2),
        Detection("chair", "left", (0, 0, 4, 4)),
        Detection("chair", "left", (4, 0, 8, 4)),
    ),
    inventory=(),
    history=(
        HistoryItem(1, Subtask("Pick", "apple"), Feedback("fail", None, "Unable to pick, the target is far away")),
        HistoryItem(2, Subtask("Go to", "navy sofa"), Feedback("success")),
        HistoryItem(3, Subtask("Put", "apple", "stove"), Feedback("fail", None, "Unable to put, the hand is empty")),
    ),
    feedback=Feedback("fail", None, "Unable to put, the hand is empty"),
    actions=ACTIONS,
    models=("classical",),
    knowledge=KNOWN,
)
JOBS = [("Open", "microwave"), ("Pick", "apple"), ("Put", "apple", "microwave")]


def text_of(message: Message) -> str:
    return "\n".join(part for part in message.parts if isinstance(part, str))


@cache
def prompt_of(**settings: object) -> Prompt:
    """Reading examples takes a while, and a prompt keeps nothing of what it was asked."""
    return Prompt(PromptSettings(**settings))


def question(planner_input: PlannerInput = GIVEN, **settings: object) -> Question:
    """The prompt of a round, rendered and read back."""
    request, _ = prompt_of(**settings).request(planner_input)
    return read_question(text_of(request.messages[0]), [], text_of(request.messages[-1]))


def test_what_the_prompt_says_is_what_is_read() -> None:
    read = question()
    assert (read.task, read.inventory, read.room, read.rooms) == (
        "put the apple into the microwave",
        "None",
        "kitchen",
        ("kitchen", "hallway"),
    )
    assert read.doorways == ("doorway 3",), "the others lead to a room that is known"
    assert {(item.name, item.room, item.place, item.state, item.seen) for item in read.things} == {
        ("kitchen counter 2", "", "", "", True),
        ("chair", "", "", "", True),
        ("microwave", "kitchen", "on kitchen counter 1", "closed", False),
        ("apple", "hallway", "on the navy sofa", "", False),
        ("lamp", "hallway", "on the navy sofa", "", False),
        ("navy sofa", "hallway", "", "", False),
    }
    assert [(step.parts, step.ok, step.why) for step in read.history] == [
        (("Pick", "apple"), False, "Unable to pick, the target is far away"),
        (("Go to", "navy sofa"), True, ""),
        (("Put", "apple", "stove"), False, "Unable to put, the hand is empty"),
    ]
    assert not read.anywhere and read.names and read.memory
    assert question(replace(GIVEN, knowledge=replace(KNOWN, setting="background"))).anywhere


@pytest.mark.parametrize(
    ("settings", "lost"),
    [
        ({"names": False}, {"kitchen counter 2", "chair"}),
        ({"memory": False}, {"microwave", "apple", "lamp", "navy sofa"}),
        (
            {"names": False, "memory": False},
            {"kitchen counter 2", "chair", "microwave", "apple", "lamp", "navy sofa"},
        ),
    ],
)
def test_what_is_switched_off_is_not_known(settings: Mapping[str, object], lost: set[str]) -> None:
    everything = {item.name for item in question().things}
    assert {item.name for item in question(**settings).things} == everything - lost
    assert question(rooms=False).doorways == () and question(reasons=False).history[0].why == ""


def test_it_goes_to_what_the_task_names_and_looks_for_the_rest() -> None:
    start = replace(GIVEN, history=(), feedback=None)
    assert next_subtask(question(start), JOBS) == ("Go to", "microwave")
    assert next_subtask(question(start), [("Pick", "apple")]) == ("Go to", "apple")
    assert next_subtask(question(start), [("Pick", "mug")]) == ("Go to", "doorway 3")
    assert next_subtask(question(start, rooms=False), [("Pick", "mug")])[0] == "Go to"
    anywhere = replace(start, knowledge=replace(KNOWN, setting="background"))
    assert next_subtask(question(anywhere), [("Pick", "mug")]) == ("Go to", "mug")


def test_it_acts_where_it_stands_and_ends_when_all_is_done() -> None:
    subtasks = [Subtask("Go to", "microwave"), Subtask("Open", "microwave"), Subtask("Go to", "apple")]
    for number, subtask in enumerate([Subtask("Open", "microwave"), None, Subtask("Pick", "apple")], 1):
        history = tuple(
            HistoryItem(place, step, Feedback("success")) for place, step in enumerate(subtasks[:number], 1)
        )
        read = question(replace(GIVEN, history=history, feedback=Feedback("success")))
        expected = subtask or Subtask("Go to", "apple")
        assert Subtask(*next_subtask(read, JOBS)) == expected
    last = (HistoryItem(1, Subtask("Pick", "apple"), Feedback("success")),)
    assert next_subtask(question(replace(GIVEN, history=last, feedback=None)), [("Pick", "apple")]) == ("End",)


def test_what_it_came_to_in_a_search_is_opened_before_anything_else_is_tried() -> None:
    history = (HistoryItem(1, Subtask("Go to", "fridge"), Feedback("success")),)
    blind = question(replace(GIVEN, history=history, feedback=None), names=False, rooms=False, memory=False)
    tried = replace(blind, history=(*(Step(("Go to", room), True) for room in ROOMS), *blind.history))
    assert next_subtask(tried, [("Pick", "mug")]) == ("Open", "fridge")


def test_what_a_failure_calls_closed_is_opened_first() -> None:
    shut = Feedback("fail", None, "Unable to pick, the cabinet 2 is closed, you should open it first")
    history = (HistoryItem(1, Subtask("Pick", "apple"), shut),)
    read = question(replace(GIVEN, history=history, feedback=shut))
    assert next_subtask(read, [("Pick", "apple")]) == ("Go to", "cabinet 2")


def test_it_plays_over_http_as_any_model(monkeypatch: pytest.MonkeyPatch) -> None:
    with EndpointServer({"pick up the lemon": [("Pick", "lemon")]}) as served:
        planner = load_planner("chat:reader", {"base_url": served.url()})
        result = stage().play("pick up the lemon", planner)
    assert result.ended_by == "ended"
    assert result.history[-2].subtask == Subtask("Pick", "lemon") and result.history[-2].feedback.ok


def test_its_tasks_are_those_that_can_be_said_in_words() -> None:
    tasks = playable(find_suite("homie-100"))
    jobs = jobs_by_text(tasks)
    assert len(jobs) == len(tasks) >= 30
    assert jobs["put something one can eat on the tv stand"] == [("Pick", "banana"), ("Put", "banana", "tv stand")]
    assert all(step[0] != "End" and not step[-1][-1].isdigit() for each in jobs.values() for step in each)
