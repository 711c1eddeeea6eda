"""How suites of errands are drawn: which houses are asked for, what a task says of itself, what is not taken."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

from homie.bench.authoring import House
from homie.bench.authoring.errand_drawing import LOGICAL, LONG, LONGEST, _attributes, _is_sound, _sample, draw_suite
from homie.bench.suite.suite import Task
from homie.kernel.errors import BadInput
from homie.kernel.world.snapshot import FixedState, JointState, ObjectState, RobotState, RoomState, WorldSnapshot

KINDS = ("apple", "pear", "lemon", "fork", "can", "box", "cup", "pen")
PLACES = {"table": "kitchen", "sofa": "hall", "desk": "hall", "shelf": "bath", "bed": "bath"}
Asked = list[tuple[int, dict[str, Any]]]


def world(opened: float = 0.0) -> WorldSnapshot:
    """Three rooms, five surfaces, a fridge, eight things on the surfaces."""
    places = list(PLACES)
    return WorldSnapshot(
        rooms={room: RoomState(kind=room) for room in ("kitchen", "hall", "bath")},
        fixed={
            **{name: FixedState(kind=name, room=room, receives="on") for name, room in PLACES.items()},
            "fridge": FixedState(kind="fridge", room="kitchen", receives="in"),
        },
        objects={
            kind: ObjectState(kind=kind, relation="on", at=places[number % 5], room=PLACES[places[number % 5]])
            for number, kind in enumerate(KINDS)
        },
        joints={"fridge/door": JointState(receptacle="fridge", fraction=opened)},
        robot=RobotState(room="hall"),
    )


class Houses:
    """The same house for every seed, open where that is asked for; every third has no such furniture."""

    def __init__(self) -> None:
        self.asked: Asked = []

    def __call__(self, seed: int, settings: Mapping[str, Any]) -> WorldSnapshot:
        self.asked.append((seed, dict(settings)))
        if len(self.asked) % 3 == 0:
            raise BadInput("There is no such furniture.")
        return world(1.0 if "opened" in settings else 0.0)


@pytest.fixture(scope="module")
def houses() -> Houses:
    return Houses()


@pytest.fixture(scope="module")
def tasks(houses: Houses) -> list[dict[str, Any]]:
    return list(draw_suite(120, houses, seed=3, test=0.1).to_json()["tasks"])


def test_the_houses_are_of_two_to_four_rooms_and_some_stand_open(houses: Houses, tasks: list[dict[str, Any]]) -> None:
    settings = [settings for _, settings in houses.asked]
    assert {each["rooms"] for each in settings} == {2, 3, 4}
    assert {each["objects"] for each in settings} == set(range(14, 23))
    opened = [each["opened"] for each in settings if "opened" in each]
    assert {name for names in opened for name in names} <= {"fridge", "cabinet", "drawer_1", "microwave"}
    assert all(len(names) == 1 for names in opened)
    assert 0.02 < len(opened) / len(settings) < 0.25, "one template of twenty-one wants that"
    assert len({seed for seed, _ in houses.asked}) == len(houses.asked)
    assert {task["scene"]["seed"] for task in tasks} <= {seed for seed, _ in houses.asked}
    shut = [task for task in tasks if "-shut-" in task["id"]]
    assert shut and all("opened" in task["scene"] for task in shut)
    assert max(sum(task["scene"]["seed"] == seed for task in tasks) for seed, _ in houses.asked) == 4


def test_what_a_task_says_of_itself(tasks: list[dict[str, Any]]) -> None:
    assert len({task["id"] for task in tasks}) == len(tasks) == 120
    kinds = sorted({task["id"].rpartition("-")[0] for task in tasks})
    for kind in kinds:
        numbers = [int(task["id"][-4:]) for task in tasks if task["id"].rpartition("-")[0] == kind]
        assert numbers == list(range(1, len(numbers) + 1)), "each template of a group has its own count"
    for task in tasks:
        group, name = task["id"].split("-", 1)[0], task["id"].split("-", 1)[1].rpartition("-")[0]
        assert task["split"] == ("train" if group == "train" else "test")
        assert ("logical" in task["attributes"]) is (name in LOGICAL), task
        horizon = "long-horizon" if len(task["expert"]) >= 10 else "short-horizon"
        assert task["attributes"][0] == horizon
    human = [task for task in tasks if "human-style" in task["attributes"]]
    assert 0 < len(human) < 120
    assert not [task for task in tasks if task["id"].startswith("wording-") and task not in human]


def test_what_the_suite_says_of_itself() -> None:
    drawn = draw_suite(10, Houses(), seed=5)
    about = drawn.to_json()
    assert (about["format"], about["name"]) == (1, "errands-5")
    assert about["protocol"] == {"rounds": 40, "trials": 1}
    assert drawn.counts == {"train": 6, "template": 1, "object": 1, "house": 1, "wording": 1}
    assert (len(drawn.templates), len(drawn.objects)) == (4, 2), "a fifth of 19 and of 8, rounded up"
    assert about["description"].startswith("10 errands sampled; train is without the templates ")
    assert about["description"].endswith(", and without a share of the houses.")
    for name in (*drawn.templates, *drawn.objects):
        assert name in about["description"]
    alone = draw_suite(3, Houses(), seed=5, test=0.0)
    assert alone.to_json()["description"] == "3 errands sampled."
    assert (alone.templates, alone.objects, alone.counts["train"]) == ((), (), 3)


def test_what_is_held_out_may_be_chosen_by_name() -> None:
    drawn = draw_suite(60, Houses(), seed=5, test=0.05, validation=0.05, templates=["sort", "place"], kinds=["pear"])
    assert (drawn.templates, drawn.objects) == (("place", "sort"), ("pear",))
    tasks = drawn.to_json()["tasks"]
    of = {group: {task["id"].removeprefix(f"{group}-").rpartition("-")[0] for task in tasks if group in task["id"]}
          for group in ("train", "validation-template")}  # fmt: skip
    assert not of["train"] & {"sort", "place"} and of["validation-template"] == {"place"}
    assert not [task for task in tasks if task["split"] == "train" and "pear" in str(task["goal"])]
    for name in ("fetch", "nests"):
        with pytest.raises(BadInput, match=rf"^The template '{name}' cannot be held out: those that can are place, "):
            draw_suite(9, Houses(), seed=5, templates=[name])
    with pytest.raises(BadInput, match=r"^None of the houses has a 'peer' to hold out: they have apple, "):
        draw_suite(9, Houses(), seed=5, test=0.0, kinds=["peer"])


def test_shares_that_leave_nothing_for_training_are_refused() -> None:
    with pytest.raises(BadInput, match=r"^4 groups of 0\.2 and 0\.05 leave no task for training: ask for less\.$"):
        draw_suite(100, Houses(), seed=5, test=0.2, validation=0.05)


def test_sixty_barren_houses_in_a_row_are_enough() -> None:
    requests: Asked = []

    def barren(seed: int, settings: Mapping[str, Any]) -> WorldSnapshot:
        requests.append((seed, dict(settings)))
        return world() if len(requests) == 1 else WorldSnapshot()

    with pytest.raises(BadInput, match=r"^60 houses gave no further task of the group 'train': ask for fewer, or hold"):
        draw_suite(9, barren, seed=3, test=0.0)
    assert len(requests) in (61, 62), "the first may have given something"


def test_a_sampled_share_is_one_at_least_and_never_all() -> None:
    rng = random.Random(1)
    names = ("a", "b", "c", "d", "e")
    assert [len(_sample(names, share, rng)) for share in (0.0, 0.01, 0.2, 0.21, 0.9, 1.0)] == [0, 1, 1, 2, 4, 4]
    assert _sample(("a",), 0.5, rng) == _sample((), 0.5, rng) == ()
    assert set(_sample(names, 0.4, rng)) <= set(names)


def test_from_ten_subtasks_a_task_is_long() -> None:
    assert LONG == 10 and LONGEST == 19
    nine = ["[End]"] * 9
    assert _attributes(nine, human=False, logical=False) == ["short-horizon"]
    assert _attributes([*nine, "[End]"], human=True, logical=True) == ["long-horizon", "logical", "human-style"]


@pytest.mark.parametrize(
    ("change", "sound"),
    [
        ({}, True),
        ({"goal": {"at": ["apple", "table"]}}, False),
        ({"goal": {"at": ["apple", "bed"]}}, False),
        ({"keypaths": [["[Pick, apple]", "[Put, apple, bed]", "[End]"]]}, False),
        ({"expert": ["[Go to, apple]", "[Open, apple]", "[Pick, apple]", "[Put, apple, sofa]", "[End]"]}, False),
        ({"expert": [*["[Go to, hall]"] * 15, "[Pick, apple]", "[Go to, sofa]", "[Put, apple, sofa]", "[End]"]}, True),
        ({"expert": [*["[Go to, hall]"] * 16, "[Pick, apple]", "[Go to, sofa]", "[Put, apple, sofa]", "[End]"]}, False),
    ],
)
def test_what_is_sound(change: dict[str, object], sound: bool) -> None:
    """Open at first, done by its expert without a failing step, by goal and key path, in time."""
    task = {
        "id": "move",
        "text": "put the apple on the sofa",
        "attributes": ["short-horizon"],
        "split": "train",
        "scene": {"seed": 1},
        "goal": {"at": ["apple", "sofa"]},
        "keypaths": [["[Pick, apple]", "[Put, apple, sofa]", "[End]"]],
        "expert": ["[Go to, apple]", "[Pick, apple]", "[Go to, sofa]", "[Put, apple, sofa]", "[End]"],
    }
    assert _is_sound(Task.model_validate({**task, **change}), House(world())) is sound
