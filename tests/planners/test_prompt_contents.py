"""What a prompt tells of the home, of the models and of what went before, by setting."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given as generated
from hypothesis import settings as profile
from hypothesis import strategies as st

from homie.kernel.actions import ACTIONS, Ability
from homie.kernel.knowledge import Doorway, Knowledge, RememberedThing
from homie.kernel.types import VIEWS, Detection, Feedback, HistoryItem, PlannerInput, Subtask
from planners.llm.messages import Request
from planners.llm.prompting.examples import load_examples
from planners.llm.prompting.image_scaling import crop, small_things
from planners.llm.prompting.prompt_builder import Prompt
from planners.llm.prompting.settings import PromptSettings

HOUSEHOLD = ["emmoe-json", "emmoe-text", "embodiedbench"]
KNOWN = Knowledge(
    setting="sensors",
    room="kitchen",
    rooms=("kitchen", "hallway"),
    doorways=(Doorway("doorway 1", "kitchen", "hallway", True), Doorway("doorway 2", "kitchen")),
    remembered=(
        RememberedThing("fridge", "kitchen", "", 2, "closed"),
        RememberedThing("kitchen counter 2", "kitchen", "", 5),
        RememberedThing("apple", "kitchen", "on the kitchen counter 2", 5),
        RememberedThing("lamp", "hallway", "", 3, states=("on",)),
        RememberedThing("vase", "hallway", "on the cabinet", 3),
        RememberedThing("mug", "", "", 1),
    ),
)
FAILED = Feedback("fail", None, "Unable to pick, the target is far away")
EMMOE = {
    "nomad": Ability(("Go to",), ("Go to",), "goes to places"),
    "octo": Ability(("Pick", "Put", "Open", "Close"), ("Open", "Close"), "is best at opening and closing"),
    "rt1x": Ability(("Pick", "Put", "Open", "Close"), ("Pick", "Put"), "is best at picking and putting"),
}
GIVEN = PlannerInput(
    task="put the apple in the fridge",
    round=5,
    views={view: np.full((256, 256, 3), 90, np.uint8) for view in VIEWS},
    detections=(
        Detection("kitchen counter", "front", (0, 100, 200, 200), number=2),
        Detection("kitchen counter", "front", (200, 100, 250, 200), number=1),
        Detection("chair", "left", (0, 100, 90, 200)),
        Detection("chair", "left", (100, 100, 190, 200)),
        Detection("apple", "front", (20, 90, 30, 100)),
        Detection("fork", "front", (60, 90, 80, 100)),
    ),
    inventory=(),
    history=(
        HistoryItem(1, Subtask("Pick", "apple"), FAILED),
        HistoryItem(2, Subtask("Go to", "apple"), Feedback("success")),
        HistoryItem(3, Subtask("Open", "fridge"), Feedback("success", None, "None, but the fridge is only ajar")),
        HistoryItem(4, Subtask("Pick", "apple"), FAILED),
    ),
    feedback=FAILED,
    actions=ACTIONS,
    models=tuple(EMMOE),
    abilities=EMMOE,
    knowledge=KNOWN,
)


@cache
def prompt_of(**settings: object) -> Prompt:
    """Reading examples takes a while, and a prompt keeps nothing of what it was asked."""
    return Prompt(PromptSettings(**settings))


def request_of(planner_input: PlannerInput = GIVEN, **settings: object) -> Request:
    return prompt_of(**settings).request(planner_input)[0]


def system(planner_input: PlannerInput = GIVEN, **settings: object) -> str:
    return "".join(part for part in request_of(planner_input, **settings).messages[0].parts if isinstance(part, str))


def round_text(planner_input: PlannerInput = GIVEN, **settings: object) -> str:
    return str(request_of(planner_input, **settings).messages[-1].parts[-1])


def captions(**settings: object) -> list[str]:
    parts = request_of(replace(GIVEN, hand=GIVEN.views["front"]), **settings).messages[-1].parts
    return [str(part) for part in parts[:-1:2]]


# ---------------------------------------------------------------- the home


@pytest.mark.parametrize("template", HOUSEHOLD)
def test_what_is_known_of_the_home_is_reported_room_by_room(template: str) -> None:
    text = round_text(template=template)
    for line in (
        "Front: kitchen counter 2, kitchen counter 1, apple, fork",
        "Left: 2 x chair",
        "Room: kitchen",
        "Rooms known: kitchen, hallway",
        "Doorways: doorway 1 (from the kitchen to the hallway, explored), doorway 2 (from the kitchen, not explored)",
        "Seen so far:",
        "- kitchen: fridge (closed, round 2), kitchen counter 2, apple on the kitchen counter 2",
        "- hallway: lamp (on, round 3), vase on the cabinet (round 3)",
        "- room not known: mug",
    ):
        assert line in text.splitlines()


@pytest.mark.parametrize("template", HOUSEHOLD)
@pytest.mark.parametrize(
    ("switch", "lines", "explained"),
    [
        ("names", ["Front: kitchen"], ["- Names: "]),
        ("rooms", ["Room: ", "Rooms known: ", "Doorways: "], ["- Room: ", "doorway"]),
        ("memory", ["Seen so far:", "- kitchen: fridge"], ["- Seen so far: ", "Seen so far:"]),
    ],
)
def test_what_is_switched_off_is_neither_reported_nor_explained(
    template: str, switch: str, lines: list[str], explained: list[str]
) -> None:
    plain = {"template": template, "examples": 5}
    assert all(f"\n{line}" in f"\n{round_text(**plain)}" for line in lines)
    assert not any(f"\n{line}" in f"\n{round_text(**plain, **{switch: False})}" for line in lines)
    assert all(words in system(**plain) for words in explained)
    assert not any(words in system(**plain, **{switch: False}) for words in explained)


def test_where_nothing_was_detected_no_picture_is_said_to_be_empty() -> None:
    blind = replace(GIVEN, detections=())
    assert "Front: nothing" not in round_text(blind) and "Front: nothing" in round_text(blind, images=False)


@pytest.mark.parametrize("template", HOUSEHOLD)
def test_where_objects_were_before_they_were_taken_is_reported(template: str) -> None:
    taken = (RememberedThing("mug", "kitchen", "in the fridge"), RememberedThing("egg", "", "on the floor"))
    line = "Taken by the robot: mug, which was in the fridge in the kitchen; egg, which was on the floor"
    moved = replace(GIVEN, knowledge=replace(KNOWN, taken=taken))
    assert line in round_text(moved, template=template).splitlines()
    assert line not in round_text(moved, template=template, memory=False)


@pytest.mark.parametrize("template", HOUSEHOLD)
def test_each_setting_says_what_go_to_can_find_there(template: str) -> None:
    sensors = system(template=template)
    background = system(replace(GIVEN, knowledge=replace(KNOWN, setting="background")), template=template)
    other = system(replace(GIVEN, knowledge=Knowledge()), template=template)
    assert "Go to finds only what the robot has seen" in sensors and "go to a doorway" in sensors
    assert "Go to finds everything in this home by its name" in background and "only what" not in background
    assert "Go to finds" not in other and "doorway" not in other
    assert len({sensors, background, other}) == 3


@pytest.mark.parametrize("name", ["rounds", "plans"])
@pytest.mark.parametrize("setting", ["background", "sensors"])
def test_examples_show_every_action_and_what_failures_mean(name: str, setting: str) -> None:
    fit = [example for example in load_examples(name, None).all if example.fits(ACTIONS, setting)]
    assert {step.action for example in fit for step in example.steps()} >= {"Go to", "Pick", "Put", "Open", "End"}
    feedback = " ".join(example.feedback for example in fit)
    for sentence in ("does not exist!", "the target is far away", "is closed, you should open it first"):
        assert sentence in feedback
    missing = next(example for example in fit if "does not exist" in example.feedback)
    assert ("doorway" in missing.subtasks[0]) is (setting == "sensors")


# ---------------------------------------------------------------- what went before


def test_the_history_says_why_earlier_subtasks_failed_and_the_feedback_why_the_last() -> None:
    assert (
        "History: (1) [Pick, apple](fail: Unable to pick, the target is far away) (2) [Go to, apple](success) "
        "(3) [Open, fridge](success: but the fridge is only ajar) (4) [Pick, apple](fail)\n"
        "Feedback: Unable to pick, the target is far away"
    ) in round_text()
    assert f"History: {GIVEN.history_text}\n" in round_text(reasons=False)


def test_earlier_turns_do_not_repeat_what_every_round_tells_anew() -> None:
    prompt = prompt_of(chat_turns=1)
    _, turn = prompt.request(GIVEN)
    request, _ = prompt.request(replace(GIVEN, round=6), [turn.answered("yes")])
    earlier, _, now = ("".join(str(part) for part in message.parts) for message in request.messages[1:])
    assert "Front: kitchen counter 2" in earlier and "Seen so far:" not in earlier and "Doorways:" not in earlier
    assert "Seen so far:" in now and "Doorways:" in now


# ---------------------------------------------------------------- models


@pytest.mark.parametrize("template", HOUSEHOLD)
def test_each_model_is_listed_with_its_actions_and_what_it_is_good_at(template: str) -> None:
    lines = system(template=template).splitlines()
    assert "- nomad (Go to) goes to places." in lines
    assert "- octo (Pick, Put, Open, Close) is best at opening and closing." in lines


@pytest.mark.parametrize("template", HOUSEHOLD)
@pytest.mark.parametrize("models", [("nomad", "octo", "rt1x"), ("rt1x", "nomad"), ("octo", "rt1x", "nomad")])
def test_no_example_has_a_model_do_what_it_cannot(template: str, models: tuple[str, ...]) -> None:
    planner_input = replace(GIVEN, models=models, abilities={name: EMMOE[name] for name in models})
    prompt = prompt_of(template=template)
    assert prompt.fitting(planner_input)
    for example in prompt.fitting(planner_input):
        # without its examples: with them it takes the words of one for no answer
        reading = prompt_of(template=template, examples=0).read(
            example.answer(prompt.template.answer, models, EMMOE), planner_input
        )
        for subtask in reading.subtasks:
            assert subtask.action in (*EMMOE[reading.model].actions, "End")
        meant = {name for name in models if reading.subtasks[0].action in EMMOE[name].meant_for}
        assert template == "embodiedbench" or not meant or reading.model in meant


# ---------------------------------------------------------------- pictures


def test_the_hand_and_small_things_follow_the_views() -> None:
    assert captions() == ["Front:", "Left:", "Back:", "Right:"]
    assert captions(hand=True)[4:] == ["Hand:"]
    assert captions(crops=1)[4:] == ["Apple (front), enlarged:"], "the task has a word of it"
    assert captions(crops=3)[4:] == ["Apple (front), enlarged:", "Fork (front), enlarged:"], "the rest is not small"
    assert captions(crops=3, hand=True, images=False) == []
    assert "camera at the hand" in system(hand=True) and "camera at the hand" not in system()
    assert "enlarged" in system(crops=1) and "enlarged" not in system()


def test_a_crop_is_of_the_picture_as_it_was_taken_and_shows_the_thing_in_its_middle() -> None:
    picture = np.zeros((1024, 1024, 3), np.uint8)
    picture[500:520, 300:320] = 255
    thing = Detection("apple", "front", (300, 500, 320, 520))
    large = replace(GIVEN, views={"front": picture}, detections=(thing,))
    parts = request_of(large, crops=1, image_size=128).messages[-1].parts
    view, enlarged = (part for part in parts if isinstance(part, np.ndarray))
    assert (view.shape, enlarged.shape) == ((128, 128, 3), (256, 256, 3))
    rows, columns = np.nonzero(enlarged[:, :, 0] > 128)
    assert abs(rows.mean() - 128) < 4 and abs(columns.mean() - 128) < 4 and len(rows) > 10 * 400 * (256 / 1024) ** 2


boxes = st.tuples(st.integers(-5, 60), st.integers(-5, 60), st.integers(1, 40), st.integers(1, 40)).map(
    lambda b: (b[0], b[1], b[0] + b[2], b[1] + b[3])
)


@profile(deadline=None, max_examples=60)
@generated(st.lists(st.builds(Detection, st.just("cup"), st.sampled_from(VIEWS), boxes), max_size=6))
def test_crops_hold_for_whatever_a_detector_reports(things: list[Detection]) -> None:
    views = {view: np.zeros((48, 64, 3), np.uint8) for view in VIEWS[:3]}
    chosen = small_things(things, views, "take the cup", 2)
    assert len(chosen) <= 2 and all(detection.view in views for detection in chosen)
    assert all(
        crop(views[detection.view], detection).shape == (256, 256, 3) for detection in things if detection.view in views
    )


def test_every_number_of_a_name_can_be_used_in_an_answer() -> None:
    numbered = set(re.findall(r"kitchen counter \d", round_text()))
    assert numbered == {"kitchen counter 1", "kitchen counter 2"}
    answer = '{"analysis": "", "subtask": {"action": "Go to", "target": "kitchen counter 2"}, "model": "nomad"}'
    assert prompt_of().read(answer, GIVEN).subtasks == (Subtask("Go to", "kitchen counter 2"),)
