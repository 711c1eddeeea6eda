"""Tools for authors of suites, in one kitchen with two of several things: what is where, what it is called, what a plan
leads to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from homie.bench.authoring import House, Route, rehearse
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.initial_state import initial_state
from homie.kernel.world.snapshot import WorldSnapshot

SCENES = Path(__file__).parents[2] / "examples" / "scenes"


def house(name: str, *objects: dict[str, Any], **opened: float) -> House:
    """An example scene with more objects, some of its furniture open."""
    content = json.loads((SCENES / f"{name}.json").read_text())
    content["objects"] += objects
    for piece in content["furniture"]:
        piece["open"] = opened.get(piece["name"], 0.0)
    return House(initial_state(SceneSpec.model_validate(content)))


def power_states(state: WorldSnapshot) -> dict[str, object]:
    return {name: thing.states["on"] for name, thing in state.fixed.items() if "on" in thing.states}


def object_entry(
    name: str, kind: str, colour: str, receptacle: str, surface: str, x: float = 0.0, y: float = 0.0
) -> dict[str, Any]:
    return {"name": name, "kind": kind, "colour": colour, "receptacle": receptacle, "surface": surface, "x": x, "y": y}


LEMON = object_entry("lemon", "lemon", "yellow", "fridge", "upper shelf")
MUGS = (
    object_entry("mug_2", "mug", "red", "worktop", "top", 0.0, 0.2),
    object_entry("mug_3", "mug", "red", "kitchen", "floor", 2.9, 2.5),
)


@pytest.fixture(scope="module")
def kitchen() -> House:
    return house("kitchen", LEMON, *MUGS, drawer=0.5, cabinet=0.49)


@pytest.fixture(scope="module")
def rooms() -> House:
    return house("two-rooms", object_entry("mug_2", "mug", "blue", "table", "top", -0.1, -0.1))


def test_what_is_where(kitchen: House, rooms: House) -> None:
    state = kitchen.state
    assert {name: (item.kind, item.relation, item.at, item.room) for name, item in state.objects.items()} == {
        "apple": ("apple", "on", "table", "kitchen"),
        "tuna_fish_can": ("tuna_fish_can", "on", "table", "kitchen"),
        "mug": ("mug", "on", "table", "kitchen"),
        "bowl": ("bowl", "on", "worktop", "kitchen"),
        "lemon": ("lemon", "in", "fridge", "kitchen"),
        "mug_2": ("mug", "on", "worktop", "kitchen"),
        "mug_3": ("mug", "on", "kitchen", "kitchen"),
    }
    assert {name: (joint.receptacle, joint.fraction) for name, joint in state.joints.items()} == {
        "fridge/door": ("fridge", 0.0),
        "drawer/drawer": ("drawer", 0.5),
        "cabinet/door": ("cabinet", 0.49),
    }
    assert power_states(state) == {} and state.robot.room == "kitchen" and rooms.state.robot.room == "kitchen"
    assert [kitchen.stands_open(name) for name in ("fridge", "drawer", "cabinet", "apple")] == [
        False,
        True,
        False,
        False,
    ]
    assert [rooms.room(name) for name in ("orange", "mug", "desk", "study")] == ["kitchen", "study", "study", "study"]
    assert [kitchen.container(name) for name in ("lemon", "fridge", "apple", "table", "mug_3", "kitchen")] == [
        *("fridge", "fridge", None, None, None, None),
    ]
    assert kitchen.of_kind("table", "fridge", "sofa") == ["fridge", "table"] and rooms.of_kind("chair", "desk") == [
        "desk",
        "chair",
    ]
    assert kitchen.things_at("table") == ["apple", "tuna_fish_can", "mug"] and rooms.things_at("study") == ["mug"]
    assert kitchen.things_at("kitchen") == list(state.objects) and kitchen.rooms == {"kitchen": "kitchen"}


def test_what_things_are_called(kitchen: House) -> None:
    assert [kitchen.word(name) for name in ("tuna_fish_can", "mug_2", "worktop", "kitchen")] == [
        *("tuna fish can", "mug_2", "kitchen counter", "kitchen"),
    ]
    assert [kitchen.spoken(name) for name in ("tuna_fish_can", "mug", "mug_2", "worktop")] == [
        *("tuna fish can", "blue mug", None, "kitchen counter"),
    ]


def test_a_route(kitchen: House) -> None:
    route = Route(kitchen)
    route.carry("lemon", "cabinet")
    route.carry("apple", "drawer")
    route.carry("mug", "mug_2")
    route.visit("mug_2")
    assert route.subtasks == [
        *("[Go to, cabinet]", "[Open, cabinet]", "[Go to, fridge]", "[Open, fridge]", "[Pick, lemon]"),
        *("[Go to, cabinet]", "[Put, lemon, cabinet]"),
        *("[Go to, apple]", "[Pick, apple]", "[Go to, drawer]", "[Put, apple, drawer]"),
        *("[Go to, mug]", "[Pick, mug]", "[Go to, mug_2]", "[Put, mug, mug_2]"),
    ]
    del route.subtasks[:]
    route.close_all()
    route.close_all()
    route.close("cabinet")
    route.close("drawer")
    route.open("fridge")
    route.open("fridge")
    route.close("fridge")
    route.close_all()
    assert route.subtasks == [
        *("[Go to, fridge]", "[Close, fridge]", "[Go to, cabinet]", "[Close, cabinet]"),
        *("[Go to, drawer]", "[Close, drawer]", "[Go to, fridge]", "[Open, fridge]", "[Close, fridge]"),
    ]


def place_of(state: WorldSnapshot, name: str) -> tuple[str, str, str | None]:
    item = state.objects[name]
    return item.relation, item.at, item.room


def test_a_rehearsal_of_opening_and_putting(kitchen: House) -> None:
    played = rehearse(kitchen, ["[Go to, fridge]", "[Open, fridge]", "[Pick, lemon]", "[Close, fridge]"])
    assert played.failed == ("[Close, fridge]: the hand is full",)
    assert played.state.held == "lemon" and place_of(played.state, "lemon") == ("held", "robot", "kitchen")
    assert played.state.joints["fridge/door"].fraction == 1.0 and played.state.joints["drawer/drawer"].fraction == 0.5
    plan = ["[Open, fridge]", "[Pick, lemon]", "[Put, lemon, bowl]", "[Pick, apple]", "[Put, apple, table]"]
    rehearsal = rehearse(kitchen, [*plan, "[Pick, mug]", "[Put, mug, fridge]", "[Close, fridge]", "[End]"])
    assert rehearsal.failed == () and rehearsal.state.held is None
    assert place_of(rehearsal.state, "lemon") == ("in", "bowl", "kitchen") and place_of(rehearsal.state, "apple") == (
        "on",
        "table",
        "kitchen",
    )
    assert (
        place_of(rehearsal.state, "mug") == ("in", "fridge", "kitchen")
        and rehearsal.state.joints["fridge/door"].fraction == 0.0
    )
    assert kitchen.state.objects["mug"].at == "table"


@pytest.mark.parametrize(
    ("plan", "problem"),
    [
        (["[Pick, lemon]"], "the fridge is closed"),
        (["[Pick, apple]", "[Put, apple, cabinet]"], None),
        (["[Pick, apple]", "[Put, apple, fridge]"], "the fridge is closed"),
        (["[Pick, apple]", "[Put, apple, moon]"], "nothing can be put on 'moon'"),
        (["[Pick, apple]", "[Put, apple, kitchen]"], "nothing can be put on 'kitchen'"),
        (["[Pick, apple]", "[Close, drawer]"], "the hand is full"),
        (["[Pick, apple]", "[Pick, mug]"], "the hand is full"),
        (["[Pick, apple]", "[Open, fridge]"], "the hand is full"),
        (["[Pick, table]"], "'table' cannot be picked"),
        (["[Open, table]"], "'table' neither opens nor closes"),
        (["[Close, lemon]"], "'lemon' neither opens nor closes"),
        (["[Put, apple, table]"], "the hand is empty"),
        (["[Go to, moon]"], "there is no 'moon'"),
        (["[Open, fridge]", "[Pick, lemon]", "[Put, lemon, bowl]", "[Pick, bowl]", "[Put, bowl, table]",
          "[Pick, lemon]"], None),
        (["[Open, fridge]", "[Pick, bowl]", "[Put, bowl, fridge]", "[Pick, mug]", "[Put, mug, bowl]", "[Close, fridge]",
          "[Pick, mug]"], "the fridge is closed"),
    ],
)  # fmt: skip
def test_what_can_be_done(kitchen: House, plan: list[str], problem: str | None) -> None:
    assert rehearse(kitchen, plan).failed == ((f"{plan[-1]}: {problem}",) if problem else ())


def test_a_word_means_what_is_at_hand_then_what_is_in_the_room(rooms: House) -> None:
    def picked(*plan: str) -> str | None:
        return rehearse(rooms, [*plan, "[Pick, mug]"]).state.held

    assert picked() == "mug", "a name means what has it"
    spec = json.loads((SCENES / "two-rooms.json").read_text())
    spec["objects"][1]["name"] = "mug_1"
    spec["objects"].append(object_entry("mug_2", "mug", "blue", "table", "top", -0.1, -0.1))
    two = House(initial_state(SceneSpec.model_validate(spec)))
    assert rehearse(two, ["[Pick, mug]"]).state.held == "mug_2", "the robot begins in the kitchen"
    assert rehearse(two, ["[Go to, study]", "[Pick, mug]"]).state.held == "mug_1"
    assert rehearse(two, ["[Go to, desk]", "[Pick, mug]"]).state.held == "mug_1"
    assert rehearse(two, ["[Go to, mug_1]", "[Pick, mug]"]).state.held == "mug_1"
    end = rehearse(two, ["[Go to, study]", "[Pick, mug]", "[Put, thing, kitchen counter]"])
    assert place_of(end.state, "mug_1") == ("on", "kitchen_counter", "kitchen") and end.state.robot.room == "study"


def test_of_two_things_in_a_room_the_one_at_hand_is_meant() -> None:
    here = house(
        "kitchen",
        object_entry("lime_1", "lemon", "yellow", "table", "top", -0.2),
        object_entry("lime_2", "lemon", "yellow", "worktop", "top", 0.0, 0.2),
    )
    for first, held in ((), "lime_1"), (("[Go to, worktop]",), "lime_2"), (("[Go to, lime_2]",), "lime_2"):
        assert rehearse(here, [*first, "[Pick, lemon]"]).state.held == held


def test_what_is_hardly_open_is_closed() -> None:
    for fraction, failed in ((0.06, ("[Pick, lemon]: the fridge is closed",)), (0.07, ())):
        assert rehearse(house("kitchen", LEMON, fridge=fraction), ["[Pick, lemon]"]).failed == failed


def test_steps_are_ready_to_be_scored(kitchen: House) -> None:
    first, second, third = rehearse(
        kitchen, ["[Pick, tuna fish can]", "[Put, can, kitchen counter]", "[Open, moon]"]
    ).steps
    assert (first.text, first.success, first.message, first.action) == ("Pick, tuna fish can", True, "None", "Pick")
    assert (first.objects, first.places) == (("tuna fish can", "tuna_fish_can"), ())
    assert (second.text, second.objects) == ("Put, can, kitchen counter", ("tuna fish can", "tuna_fish_can"))
    assert second.places == ("kitchen counter", "worktop")
    assert (third.success, third.message, third.objects) == (False, "there is no 'moon'", ("moon",))


def test_boards_and_appliances() -> None:
    content = json.loads((SCENES / "two-rooms.json").read_text())
    shelf = {"name": "shelf", "kind": "shelf", "colour": "white", "room": "study", "x": 6.0, "y": 3.3, "yaw": -1.57}
    lamps = [
        {"name": name, "kind": "lamp", "colour": "white", "room": "kitchen", "x": x, "y": 0.4, "on": on}
        for name, x, on in (("lamp_1", 0.4, True), ("lamp_2", 3.2, False))
    ]
    content["furniture"] += [shelf, *lamps]
    content["objects"].append(object_entry("bowl", "bowl", "red", "shelf", "middle board"))
    here = House(initial_state(SceneSpec.model_validate(content)))
    assert power_states(here.state) == {"lamp_1": True, "lamp_2": False} and here.state.joints == {}
    assert here.state.objects["bowl"].relation == "in", "what stands on a board is in the shelf"
    assert here.of_kind("lamp", "shelf") == ["shelf"], "nothing can be put on a lamp"
    end = rehearse(here, ["[Pick, orange]", "[Put, orange, shelf]", "[Pick, mug]", "[Put, mug, desk]"])
    assert place_of(end.state, "orange") == ("in", "shelf", "study") and place_of(end.state, "mug") == (
        "on",
        "desk",
        "study",
    )
