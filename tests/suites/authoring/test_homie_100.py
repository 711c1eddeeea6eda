"""The built-in suite homie-100: what it must be before anything is played."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from homie.bench.authoring import House, Route, orders, rehearse
from homie.bench.score.metric_profiles import Homie
from homie.bench.score.trajectory import Trajectory, written_step
from homie.bench.suite.shipped import homie_100
from homie.bench.suite.suite import SceneChoice, Task, find_suite, read_subtask
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.generate.requested_changes import Variation
from homie.envs.mujoco.home.home import open_home
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.initial_state import initial_state
from homie.kernel.actions import ACTIONS
from homie.kernel.interfaces import WorldState
from homie.kernel.options import HouseOptions, RunOptions
from homie.kernel.world.conditions import unknown_words
from homie.kernel.world.snapshot import ObjectState
from suites.authoring.homie_100.draft import fingerprint

SUITE = homie_100()
EMMOE = {"short-horizon": 16, "long-horizon": 84, "open-ended": 9, "logical": 49, "human-style": 70}
"""How many of EMMOE's 100 tasks have each attribute."""
TASKS = pytest.mark.parametrize("task", SUITE.tasks, ids=[task.id for task in SUITE.tasks])


@cache
def house(scene: SceneChoice) -> House:
    choice = HouseOptions.model_validate(scene.settings)
    variation = Variation(choice.start, choice.opened, choice.added)
    return House(initial_state(generate(scene.seed, choice.rooms, choice.objects, variation)))


def house_of(task: Task) -> House:
    return house(task.scene)


def test_it_is_found_by_its_name():
    assert find_suite("homie-100") == SUITE
    assert SUITE.protocol.rounds == 20 and SUITE.protocol.trials == 3
    assert SUITE.version == 2


def test_it_has_the_proportions_of_emmoe_100():
    assert len(SUITE.tasks) == 100
    assert Counter(attribute for task in SUITE.tasks for attribute in task.attributes) == EMMOE
    assert Counter(task.split for task in SUITE.tasks) == {"train": 90, "test": 10}
    assert len({task.text for task in SUITE.tasks}) >= 90
    held_out = {attribute for task in SUITE.tasks if task.split == "test" for attribute in task.attributes}
    assert held_out == set(EMMOE)


def test_the_expert_of_every_task_has_done_it():
    """A task that was changed after its expert was played, or one in which it failed, is found here."""
    record = Path(__file__).parents[3] / "docs" / "data" / "homie-100-experts.json"
    played = json.loads(record.read_text("utf-8"))
    assert list(played) == [task.id for task in SUITE.tasks]
    changed = [task.id for task in SUITE.tasks if played[task.id]["task"] != fingerprint(task)]
    assert changed == [], "not played since: suites/authoring/make_homie_100.py experts"
    assert [name for name, entry in played.items() if not (entry["goal"] and entry["keypath"])] == []


def test_a_condition_has_both_branches_in_different_houses_and_forbids_the_other_one():
    texts: dict[str, list[Task]] = {}
    for task in SUITE.tasks:
        texts.setdefault(task.id.removesuffix("-yes").removesuffix("-no"), []).append(task)
    pairs = [tasks for tasks in texts.values() if len(tasks) > 1]
    assert len(pairs) == 6
    for first, other in pairs:
        assert first.scene != other.scene and first.goal != other.goal and first.split == other.split
        assert first.never and other.never


def test_houses_and_plans_are_of_many_kinds():
    skeletons = {tuple(read_subtask(text).action for text in task.expert or ()) for task in SUITE.tasks}
    assert len(skeletons) >= 40
    rooms = Counter(house_of(task).state.robot.room for task in SUITE.tasks)
    assert len(rooms) >= 4 and max(rooms.values()) < 90
    assert sum(bool(task.scene.settings.get("opened")) for task in SUITE.tasks) >= 10
    several = [task for task in SUITE.tasks if max(kinds_of(house_of(task)).values()) > 1]
    assert len(several) >= 18


def kinds_of(here: House) -> Counter[str]:
    return Counter(thing.kind for thing in here.objects.values())


@TASKS
def test_a_task_is_sound(task: Task):
    assert ("long-horizon" in task.attributes) == (task.expert_length >= 10)
    assert ("long-horizon" in task.attributes) != ("short-horizon" in task.attributes)
    assert 1 < task.expert_length <= SUITE.protocol.rounds
    assert task.goal is not None
    assert unknown_words(task.goal, house_of(task).state) == []
    assert not task.goal.holds(house_of(task).state), "it is done before it begins"
    assert len(set(task.keypaths)) == len(task.keypaths)


@TASKS
def test_all_that_is_named_is_there_and_only_one_thing_where_it_matters(task: Task):
    here = house_of(task)
    names = {thing.kind.replace("_", " ") for thing in here.state.things.values()} | set(here.state.things)
    names |= set(here.rooms.values())
    assert task.expert is not None
    for text in (*task.expert, *(node for path in task.keypaths for node in path)):
        subtask = read_subtask(text)
        assert subtask.action in ACTIONS
        assert {name for name in (subtask.target, subtask.destination) if name} <= names
    for subtask in map(read_subtask, task.expert):
        if subtask.action in ("Pick", "Put"):
            kind = subtask.target.replace(" ", "_")
            meant = [name for name, thing in here.objects.items() if kind in (name, thing.kind)]
            assert len(meant) == 1, "which one is meant is not clear"


@TASKS
def test_no_key_path_does_without_what_the_expert_puts_and_closes(task: Task):
    """Doing less than the expert is not a success: every Put and Close of its is needed, and the last Go to."""
    assert task.expert is not None
    needed = [n for n, text in enumerate(task.expert) if text.startswith(("[Put", "[Close"))]
    for left_out in needed or [len(task.expert) - 2]:
        remaining = [text for number, text in enumerate(task.expert) if number != left_out]
        steps = tuple(written_step(text.strip("[]"), True, "None") for text in remaining)
        less = Trajectory(
            task_id=task.id,
            trial=0,
            task=task.text,
            keypaths=task.keypaths,
            expert_length=task.expert_length,
            steps=steps,
            length=len(steps),
            last_message_has_end=True,
        )
        assert not Homie(SUITE.names).score(less).success, f"{task.expert[left_out]} is not needed"


def test_declared_names_lead_to_words_that_the_suite_uses_or_a_house_may_have():
    assert SUITE.names["couch"] == "sofa" and SUITE.names["tuna can"] == "tuna fish can"
    assert not set(SUITE.names) & set(SUITE.names.values()), "a name stands for another that stands for a third"


def where(thing: ObjectState) -> tuple[str, ...]:
    return thing.kind, thing.colour, thing.relation, thing.at, thing.surface, str(thing.room)


SAMPLE = [SUITE.by_id[name] for name in ("lemon-sofa", "burglars", "bananas-tv")]
"""A plain house, one with open furniture and another start, one with several of a kind."""


@pytest.mark.parametrize("task", SAMPLE, ids=[task.id for task in SAMPLE])
def test_the_state_of_a_house_is_what_the_simulator_says(task: Task):
    here, scene = house_of(task), task.scene
    options = RunOptions(
        task=task.text,
        seed=scene.seed,
        **scene.settings,
    )
    with open_home(options) as robot:
        robot.reset(seed=0)
        assert isinstance(robot, WorldState)
        real = robot.snapshot()
    assert {name: where(thing) for name, thing in here.state.objects.items()} == {
        name: where(thing) for name, thing in real.objects.items()
    }
    for name, thing in here.state.things.items():
        assert thing.position == pytest.approx(real.things[name].position, abs=0.005), name
    pose = {"position": None, "rgb": None}
    assert {name: thing.model_copy(update=pose) for name, thing in here.state.fixed.items()} == {
        name: thing.model_copy(update=pose) for name, thing in real.fixed.items()
    }
    assert (here.state.robot.room, here.state.held) == (real.robot.room, real.held)
    assert here.state.joints.keys() == real.joints.keys() and here.state.rooms == real.rooms


# ---------------------------------------------------------------- authoring


def test_a_route_opens_first_what_it_needs_with_an_empty_hand():
    task = SUITE.by_id["drawer-to-fridge"]
    route = Route(house_of(task))
    route.carry("strawberry", "fridge")
    verbs = [read_subtask(text).action for text in route.subtasks]
    assert verbs == ["Go to", "Open", "Go to", "Open", "Pick", "Go to", "Put"]
    route.close_all()
    assert [read_subtask(text).action for text in route.subtasks[7:]] == ["Go to", "Close", "Go to", "Close"]


def test_a_route_neither_opens_what_is_open_nor_closes_what_it_has_not_opened():
    task = SUITE.by_id["open-fridge-fruit"]
    route = Route(house_of(task))
    route.carry("pear", "fridge")
    assert [read_subtask(text).action for text in route.subtasks] == ["Go to", "Pick", "Go to", "Put"]
    route.close_all()
    assert len(route.subtasks) == 4
    route.close("fridge")
    assert route.subtasks[4:] == ["[Close, fridge]"]


def test_what_people_call_a_thing_means_it():
    here = house_of(SUITE.by_id["meat-from-fridge"])
    tables = here.of_kind("table")
    phrases = [here.spoken(name) for name in tables]
    assert len(tables) > 1 and len(set(phrases)) == len(tables) and None not in phrases
    assert [here.word(name) for name in tables] == tables and here.word("fridge") == "fridge"


def test_what_is_where_in_a_house_and_what_it_is_called():
    here = House(initial_state(SceneSpec.load(Path(__file__).parents[3] / "examples" / "scenes" / "kitchen.json")))
    assert here.word("kitchen") == "kitchen" and here.word("fridge") == "fridge"
    assert here.room("mug") == "kitchen" == here.room("table") and here.room("kitchen") == "kitchen"
    assert set(here.things_at("table")) >= {"mug"} and "mug" in here.things_at("kitchen")
    assert here.things_at("nowhere") == [] and here.of_kind("table", "cabinet") == ["cabinet", "table"]
    assert here.container("fridge") == "fridge" and here.container("table") is None and here.container("mug") is None
    assert not here.stands_open("fridge") and not here.stands_open("mug")


def test_orders_are_all_that_are_allowed():
    assert list(orders({"a": ["[a]"], "b": ["[b]", "[c]"]})) == [
        ["[a]", "[b]", "[c]", "[End]"],
        ["[b]", "[c]", "[a]", "[End]"],
    ]
    paths = orders({"a": ["[a]"], "b": ["[b]"], "shut": ["[x]"]}, {"shut": {"a"}})
    assert sorted(paths) == [
        ["[a]", "[b]", "[x]", "[End]"],
        ["[a]", "[x]", "[b]", "[End]"],
        ["[b]", "[a]", "[x]", "[End]"],
    ]


# ---------------------------------------------------------------- rehearsals


@pytest.mark.parametrize(
    ("plan", "failed"),
    [
        (["[Put, pear, fridge]"], "the hand is empty"),
        (["[Pick, pear]", "[Pick, peach]"], "the hand is full"),
        (["[Pick, pear]", "[Open, fridge]"], "the hand is full"),
        (["[Pick, sofa]"], "'sofa' cannot be picked"),
        (["[Open, sofa]"], "'sofa' neither opens nor closes"),
        (["[Go to, moon]"], "there is no 'moon'"),
        (["[Close, fridge]", "[Pick, pear]", "[Put, pear, fridge]"], "the fridge is closed"),
        (["[Pick, pear]", "[Put, pear, fridge]", "[Close, fridge]", "[Pick, pear]"], "the fridge is closed"),
        (["[Pick, pear]", "[Put, pear, kitchen]"], "nothing can be put on 'kitchen'"),
    ],
)
def test_a_rehearsal_refuses_what_the_robot_would(plan: list[str], failed: str):
    here = house_of(SUITE.by_id["open-fridge-fruit"])
    end = rehearse(here, plan)
    assert len(end.failed) == 1 and end.failed[0] == f"{plan[-1]}: {failed}"
    assert not end.steps[-1].success and all(step.success for step in end.steps[:-1])


def test_a_rehearsal_leaves_the_house_alone_and_means_the_thing_at_hand():
    task = SUITE.by_id["bananas-tv"]
    here = house_of(task)
    before = here.state.model_copy(deep=True)
    there = [name for name in here.things_at("tv_stand") if here.objects[name].kind == "banana"]
    end = rehearse(here, ["[Go to, tv stand]", "[Pick, banana]", "[Go to, sofa]", "[Put, banana, sofa]"])
    assert here.state == before
    moved = [name for name, thing in end.state.objects.items() if thing != before.objects[name]]
    assert len(moved) == 1 and moved[0] in there
    assert end.state.objects[moved[0]].at == "sofa" and end.state.robot.room == here.room("sofa")
