"""Whole scripted episodes in the embedded home: what was asked for is what the world looks like in the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from homes import PLANS, SCENES, final_state, one_room, play

SHUT = 0.06
"""Fraction of its range up to which a door or a drawer counts as closed."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("container", "thing", "joint"),
    [
        ("fridge", "apple", "fridge/door"),
        ("drawer", "tuna_fish_can", "drawer/drawer"),
        ("cabinet", "mug", "cabinet/door"),
    ],
)
def test_open_put_in_close(tmp_path: Path, container: str, thing: str, joint: str) -> None:
    """The plans of examples/plans: open the container, fetch the thing, put it in, close it again."""
    records = play(tmp_path, SCENES / "kitchen.json", PLANS / f"{container}.yaml")
    assert [str(record.execution.subtask) for record in records if not record.execution.feedback.ok] == []
    state: dict[str, Any] = final_state(tmp_path)
    there = state["objects"][thing]
    assert (there["relation"], there["at"]) == ("in", container)
    assert abs(state["joints"][joint]["fraction"]) < SHUT
    assert state["held"] is None
    others = {name: place["at"] for name, place in state["objects"].items() if name != thing}
    stay = {"apple": "table", "tuna_fish_can": "table", "mug": "table", "bowl": "worktop"}
    assert others == {name: at for name, at in stay.items() if name != thing}


def test_into_a_bowl(tmp_path: Path) -> None:
    script = ["[Go to, apple]", "[Pick, apple]", "[Go to, bowl]", "[Put, apple, bowl]"]
    records = play(tmp_path, SCENES / "kitchen.json", script)
    assert [record.execution.feedback.message for record in records if not record.execution.feedback.ok] == []
    state: dict[str, Any] = final_state(tmp_path)
    assert (state["objects"]["apple"]["relation"], state["objects"]["apple"]["at"]) == ("in", "bowl")
    assert state["objects"]["bowl"]["at"] == "worktop"


def test_a_bowl_is_carried_with_what_is_in_it_and_emptied(tmp_path: Path) -> None:
    """D10: a bowl with something in it could not be moved, and nothing be taken out of one."""
    furniture = [
        {"name": "table", "kind": "table", "colour": "wood", "x": 2.0, "y": 2.4},
        {"name": "kitchen_counter", "kind": "kitchen_counter", "colour": "white", "x": 0.36, "y": 1.0},
    ]
    at = {"receptacle": "table", "surface": "top", "x": -0.1, "y": -0.1}
    objects = [
        {"name": "bowl", "kind": "bowl", "colour": "red", **at},
        {"name": "plum", "kind": "plum", "colour": "purple", **at, "z": 0.036, "pitch": 0.6, "roll": 0.4},
    ]
    script = ["[Pick, bowl]", "[Put, bowl, kitchen counter]", "[Pick, plum]", "[Put, plum, kitchen counter]"]
    records = play(tmp_path, one_room(furniture, objects, (2.0, 0.8, 1.57)), script)
    states: dict[str, Any] = final_state(tmp_path)["objects"]  # type: ignore[assignment]
    assert [record.execution.feedback.message for record in records if not record.execution.feedback.ok] == []
    assert (states["bowl"]["at"], states["plum"]["at"]) == ("kitchen_counter", "kitchen_counter")


def test_from_one_table_to_another_next_to_what_stands_there(tmp_path: Path) -> None:
    furniture = [
        {"name": "brown_table", "kind": "table", "colour": "brown", "x": 0.6, "y": 2.0},
        {"name": "white_table", "kind": "table", "colour": "white", "x": 3.6, "y": 2.0, "yaw": 3.1416, "width": 0.8},
    ]

    def on(table: str, kind: str, colour: str, x: float, y: float) -> dict[str, object]:
        return {
            "name": kind, "kind": kind, "colour": colour, "receptacle": table, "surface": "top", "x": x, "y": y
        }  # fmt: skip

    objects = [
        on("brown_table", "sugar_box", "yellow", 0.15, 0.0),
        on("white_table", "tomato_soup_can", "red", 0.15, 0.2),
        on("white_table", "bleach_cleanser", "white", 0.1, -0.2),
    ]
    scene = one_room(furniture, objects, (2.1, 1.0, 1.5), (4.2, 4.0))
    script = ["[Go to, sugar box]", "[Pick, sugar box]", "[Go to, white table]", "[Put, sugar box, white table]"]
    records = play(tmp_path, scene, script)
    assert [record.execution.feedback.message for record in records if not record.execution.feedback.ok] == []
    state: dict[str, Any] = final_state(tmp_path)
    assert {name: place["at"] for name, place in state["objects"].items()} == {
        "sugar_box": "white_table", "tomato_soup_can": "white_table", "bleach_cleanser": "white_table"
    }  # fmt: skip
    upright = [place["quaternion"] for name, place in state["objects"].items() if name != "sugar_box"]
    assert all(abs(q[1]) + abs(q[2]) < 0.05 for q in upright), "nothing is knocked over"


def test_going_to_rooms_and_through_a_doorway(tmp_path: Path) -> None:
    records = play(tmp_path, SCENES / "two-rooms.json", ["[Go to, study]", "[Go to, kitchen]", "[Go to, desk]"])
    assert all(record.execution.feedback.ok for record in records)
    assert len(records) == 4


def test_a_bowl_stays_on_the_shelf_when_the_hand_leaves_it(tmp_path: Path) -> None:
    furniture = [
        {"name": "shelf", "kind": "shelf", "colour": "wood", "x": 0.26, "y": 1.5},
        {"name": "table", "kind": "table", "colour": "wood", "x": 3.0, "y": 1.5},
    ]
    bowl = {
        "name": "bowl",
        "kind": "bowl",
        "colour": "red",
        "receptacle": "table",
        "surface": "top",
        "x": -0.2,
        "y": 0.0,
    }
    script = ["[Go to, bowl]", "[Pick, bowl]", "[Go to, shelf]", "[Put, bowl, shelf]"]
    records = play(tmp_path, one_room(furniture, [bowl], (1.6, 0.6, 0.0)), script)
    assert [record.execution.feedback.message for record in records if not record.execution.feedback.ok] == []
    state: dict[str, Any] = final_state(tmp_path)
    assert state["objects"]["bowl"]["at"] == "shelf"


def test_what_is_higher_than_a_shut_drawer_is_not_put_into_it(tmp_path: Path) -> None:
    furniture = [
        {"name": "drawer", "kind": "drawer", "colour": "white", "x": 0.4, "y": 1.5, "open": 1.0},
        {"name": "table", "kind": "table", "colour": "wood", "x": 3.0, "y": 1.5},
    ]
    box = {"receptacle": "table", "surface": "top", "x": -0.2, "y": 0.0}
    objects = [{"name": "cracker_box", "kind": "cracker_box", "colour": "red", **box}]
    script = ["[Go to, cracker box]", "[Pick, cracker box]", "[Go to, drawer]", "[Put, cracker box, drawer]"]
    records = play(tmp_path, one_room(furniture, objects, (1.6, 0.6, 0.0)), script)
    assert "too tall for the space there" in records[3].execution.feedback.message
    assert final_state(tmp_path)["held"] == "cracker_box"
