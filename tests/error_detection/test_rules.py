"""Rules of error detection one by one: where they have nothing to say, and the metre at which they begin to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from homes import one_room, play
from text_world import home, stage

from error_detection import code_order, distance, format, logical, paper_order
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.interfaces import CheckQuestion, Listeners
from homie.kernel.types import VIEWS, Decision, ErrorCode, Subtask


@pytest.fixture
def scene():
    world = home()
    world.at = "lamp_1"
    return stage(world=world)


def question(scene, action: str, target: str = "", destination: str = "", **more: object) -> CheckQuestion:
    """About the apple in the hand of a robot at the lamp."""
    observation = scene.executor.robot.observe(VIEWS)
    scene.locator.update(observation, scene.executor.senses.detector.detect(observation))
    subtask = Subtask(action, target, destination)
    usual = CheckQuestion(
        decision=Decision((subtask,)),
        subtask=subtask,
        action=ACTION_TABLE[action],
        entity=None,
        inventory=("apple",),
        observation=observation,
        world=scene.locator,
        actions=scene.executor.actions,
        models=("text",),
        skilled=True,
    )
    return replace(usual, **more)


@pytest.mark.parametrize(
    ("subtask", "inventory"),
    [
        (("Put", "lemon", "table"), ()),
        (("Put", "", "table"), ("apple",)),
        (("Put", "lemon", ""), ("apple",)),
        (("Pick", "lemon", "table"), ("apple",)),
        (("Put", "apple", "table"), ("apple",)),
    ],
)
def test_what_is_put_is_no_matter_where_something_else_is_missing(scene, subtask, inventory) -> None:
    assert logical.other_in_hand(question(scene, *subtask, inventory=inventory)) is None


def test_rules_about_targets_have_nothing_to_say_without_one(scene) -> None:
    rules = (logical.closed_for_put, logical.closed, logical.interactive, format.pickable_or_place)
    for rule in (*rules, distance.within_reach):
        for action in ("Pick", "Put"):
            assert rule(question(scene, action, "moon", "moon")) is None


@pytest.mark.parametrize(
    ("metres", "code"), [(2.0, None), (2.01, ErrorCode.D1), (0.1, None), (0.09, ErrorCode.D2), (1.0, None)]
)
@pytest.mark.parametrize("action", ["Pick", "Put", "Open", "Close", "Go to"])
def test_how_near_is_near(scene, action, metres, code) -> None:
    scene.world.distances = {"fridge_1": metres}
    check = distance.within_reach(question(scene, action, "fridge", entity="fridge_1"))
    assert (check and check.code) == (None if action == "Go to" else code)


@pytest.mark.parametrize(("metres", "is_known"), [(2.0, True), (2.01, False)])
def test_of_what_is_in_reach_it_is_known_that_nothing_can_be_put_there(scene, metres, is_known) -> None:
    scene.world.distances = {"lamp_1": metres}
    put_question = question(scene, "Put", "apple", "lamp", entity="lamp_1")
    assert (logical.interactive(put_question) is not None) is is_known
    refused = format.pickable_or_place(put_question)
    assert (refused is not None) is is_known and (not is_known or refused.message.startswith("lamp "))


def test_the_official_order_calls_a_place_that_is_none_unknown() -> None:
    for checks, code in ((paper_order, ErrorCode.L4), (code_order, ErrorCode.F2)):
        world = home()
        world.at = "lamp_1"
        world.things["apple_1"].place = "hand"
        scene = stage(world=world, checks=checks)
        subtask = Subtask("Put", "apple", "lamp")
        observation = scene.executor.robot.observe(VIEWS)
        execution = scene.executor.execute(Decision((subtask,)), subtask, ("apple",), observation, Listeners())
        assert execution.feedback.code is code


def test_a_closed_container_has_the_name_that_the_planner_was_given(scene, monkeypatch) -> None:
    pick = question(scene, "Pick", "banana", entity="banana_1", inventory=())

    def sentence() -> str:
        check = logical.closed(pick)
        assert check is not None and check.code is ErrorCode.L3
        return check.message

    assert "the fridge is closed" in sentence()
    questions = []

    def resolve(words, action, observation):  # type: ignore[no-untyped-def]
        questions.append((words, action.name))
        return words

    monkeypatch.setattr(scene.locator, "resolve", resolve)
    assert "the fridge_1 is closed" in sentence(), "there is a second"
    assert questions == [("fridge_2", "Open")]
    monkeypatch.setattr(scene.locator, "called", lambda entity: f"white {entity}")
    assert "the white fridge_1 is closed" in sentence()


def test_going_to_what_is_shut_in_succeeds_and_says_where_it_is(tmp_path: Path) -> None:
    fridge = {"name": "fridge", "kind": "fridge", "colour": "white", "x": 3.5, "y": 3.5, "yaw": -1.5708}
    can = {"name": "tuna_fish_can", "kind": "tuna_fish_can", "colour": "green", "receptacle": "fridge"}
    script = ["[Go to, tuna fish can]", "[Open, fridge]", "[Go to, tuna fish can]"]
    records = play(
        tmp_path, one_room([fridge], [can | {"surface": "upper shelf", "x": 0.1, "y": 0.0}]), script, skills="ideal"
    )
    reported = [record.execution.feedback for record in records[:3]]
    assert [feedback.ok for feedback in reported] == [True] * 3
    assert [feedback.message for feedback in reported] == [
        "None, it is in the fridge, which is closed",
        "None",
        "None",
    ]
