"""Hand over, Show and Follow: their effects, ideal and by motion, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import homie
from homie.kernel.types import Command
from homie.kernel.world.conditions import parse_condition
from homie.runtime.open_session import Session

SCENE = {
    "rooms": [{"name": "hall", "kind": "study", "x0": 0, "y0": 0, "x1": 6, "y1": 5}],
    "furniture": [
        {"name": "table", "kind": "table", "colour": "white", "room": "hall", "x": 5.3, "y": 4.0, "yaw": 3.1416}
    ],
    "objects": [
        {"name": "apple", "kind": "apple", "colour": "red", "receptacle": "table", "surface": "top", "x": 0.2, "y": 0},
        {"name": "mug", "kind": "mug", "colour": "blue", "receptacle": "table", "surface": "top", "x": 0.2, "y": 0.3},
    ],
    "people": [
        {"id": "anna", "position": [2.5, 1.2], "facing": 90, "colour": "red", "gesture": "hand_out"},
        {"id": "bob", "position": [4.3, 0.8], "facing": 180, "colour": "green", "path": [[4.3, 2.6], [2.6, 3.8]]},
    ],
    "robot": {"x": 4.4, "y": 3.4, "yaw": 0.5},
}
GOALS = {
    "Hand over": parse_condition({"given": ["apple", "anna"]}),
    "Show": parse_condition({"shown": ["apple", "anna"]}),
    "Follow": parse_condition({"followed": "bob"}),
    "near": parse_condition({"near": "bob"}),
}


@pytest.fixture(scope="module", params=["ideal,ideal-people", "classical,people"])
def hall(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    yield from _open(tmp_path_factory.mktemp("hall"), request.param)


@pytest.fixture(scope="module")
def ideal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    yield from _open(tmp_path_factory.mktemp("ideal"), "ideal,ideal-people")


def _open(folder: Path, skills: str) -> Iterator[Session]:
    file = folder / "hall.json"
    file.write_text(json.dumps(SCENE))
    with homie.open(scene=file, skills=skills, picture_size=64, shade=False, rounds=60) as session:
        yield session


def test_a_thing_is_shown_given_and_taken_back(hall: Session) -> None:
    hall.reset()
    for words in (("Go to", "apple"), ("Pick", "apple"), ("Go to", "anna")):
        assert hall.call(*words).feedback.ok, words
    for words in (("Show", "apple", "anna"), ("Hand over", "apple", "anna")):
        assert not GOALS[words[0]].holds(hall.world_state())
        execution = hall.call(*words)
        assert execution.feedback.ok, execution
        assert GOALS[words[0]].holds(hall.world_state())
    world = hall.world_state()
    assert (world.objects["apple"].relation, world.objects["apple"].at, world.held) == ("held", "anna", None)
    assert hall.call("Pick", "apple").feedback.ok
    world = hall.world_state()
    assert (world.objects["apple"].at, world.held) == ("robot", "apple")


def test_a_person_is_followed_to_where_it_walks(hall: Session) -> None:
    hall.reset()
    assert hall.call("Go to", "bob").feedback.ok
    assert not GOALS["Follow"].holds(hall.world_state())
    execution = hall.call("Follow", "bob")
    assert execution.feedback.ok, execution
    world = hall.world_state()
    assert GOALS["Follow"].holds(world) and GOALS["near"].holds(world)
    assert world.people["bob"].position == pytest.approx((2.6, 3.8, 0.85), abs=0.05)


def test_what_is_refused(ideal: Session) -> None:
    ideal.reset()
    script = (
        (("Follow", "bob"), "D1", "Unable to follow, the target is far away"),
        (("Show", "apple", "anna"), "L2", "Unable to show, the hand is empty"),
        (("Hand over", "apple", "anna"), "L2", "Unable to hand over, the hand is empty"),
        (("Go to", "anna"), None, ""),
        (("Pick", "anna"), "L4", "Can not pick anna! Please choose another object"),
        (("Open", "anna"), "L4", "Can not open anna! Please choose another object"),
        (("Follow", "anna"), "L4", "Can not follow anna, it has to have a way to go"),
        (("Go to", "apple"), None, ""),
        (("Pick", "apple"), None, ""),
        (("Hand over", "apple", "table"), "L4", "Can not hand over table! Please choose another object"),
        (("Hand over", "apple", "anna"), "D1", "Unable to hand over, the target is far away"),
        (("Go to", "anna"), None, ""),
        (("Put", "apple", "anna"), "L4", "Can not put anna! Please choose another object"),
        (("Show", "mug", "anna"), "L2", "Unable to show mug, what is in the hand is the apple"),
        (("Hand over", "mug", "anna"), "L2", "Unable to hand over mug, what is in the hand is the apple"),
        (("Go to", "bob"), None, ""),
        (("Hand over", "apple", "bob"), "L4", "Can not hand over bob, it has to hold out an empty hand"),
    )
    for words, code, sentence in script:
        feedback = ideal.call(*words).feedback
        assert feedback.code == code, words
        assert sentence in ("", feedback.message), words


def test_what_is_let_go_elsewhere_nobody_has(ideal: Session) -> None:
    ideal.reset()
    for words in (("Go to", "apple"), ("Pick", "apple"), ("Go to", "anna")):
        assert ideal.call(*words).feedback.ok
    ideal.robot.act(Command({"gripper": (0.1,)}))
    world = ideal.world_state()
    assert world.held is None and not GOALS["Hand over"].holds(world)
