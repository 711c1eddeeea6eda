"""The built-in suite homie-100: what it must be before anything is played."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from homie.bench.authoring import House, Route, orders
from homie.bench.goals import read_state, unknown_words
from homie.bench.profiles import Homie
from homie.bench.suite import Task, find_suite, read_subtask
from homie.bench.suites import homie_100
from homie.bench.trajectory import Trajectory, written_step
from homie.envs.mujoco.generate import generate
from homie.envs.mujoco.home import open_home
from homie.executor import ACTIONS
from homie.interfaces import WorldState
from homie.options import RunOptions

SUITE = homie_100()
EMMOE = {"short-horizon": 16, "long-horizon": 84, "open-ended": 9, "logical": 49, "human-style": 70}
"""How many of EMMOE's 100 tasks have each attribute."""
TASKS = pytest.mark.parametrize("task", SUITE.tasks, ids=[task.id for task in SUITE.tasks])


@cache
def house(seed: int, rooms: int | None, objects: int) -> House:
    return House(generate(seed, rooms, objects))


def house_of(task: Task) -> House:
    return house(task.scene.seed, task.scene.rooms, task.scene.objects)


def test_it_is_found_by_its_name():
    assert find_suite("homie-100") == SUITE
    assert SUITE.protocol.rounds == 20 and SUITE.protocol.trials == 3


def test_it_has_the_proportions_of_emmoe_100():
    assert len(SUITE.tasks) == 100
    assert Counter(attribute for task in SUITE.tasks for attribute in task.attributes) == EMMOE
    assert Counter(task.split for task in SUITE.tasks) == {"train": 90, "test": 10}
    assert len({task.text for task in SUITE.tasks}) >= 90
    held_out = {attribute for task in SUITE.tasks if task.split == "test" for attribute in task.attributes}
    assert held_out == set(EMMOE)


def test_a_condition_has_both_branches_in_different_houses():
    texts: dict[str, list[Task]] = {}
    for task in SUITE.tasks:
        texts.setdefault(task.text, []).append(task)
    pairs = [tasks for tasks in texts.values() if len(tasks) > 1]
    assert len(pairs) == 5
    for one, other in pairs:
        assert one.scene != other.scene and one.goal != other.goal and one.split == other.split


@TASKS
def test_a_task_is_sound(task: Task):
    assert ("long-horizon" in task.attributes) == (task.expert_length >= 10)
    assert ("long-horizon" in task.attributes) != ("short-horizon" in task.attributes)
    assert 1 < task.expert_length <= SUITE.protocol.rounds
    assert task.goal is not None
    assert unknown_words(task.goal, house_of(task).spec.model_dump()) == []
    assert not task.goal.holds(house_of(task).state), "it is done before it begins"
    assert len(set(task.keypaths)) == len(task.keypaths)


@TASKS
def test_all_that_is_named_is_there_and_only_one_thing_where_it_matters(task: Task):
    here = house_of(task)
    named = [*here.objects.values(), *here.furniture.values()]
    known = {entity.kind.replace("_", " ") for entity in named} | {entity.name for entity in named}
    known |= set(here.rooms.values())
    assert task.expert is not None
    for text in (*task.expert, *(node for path in task.keypaths for node in path)):
        subtask = read_subtask(text)
        assert subtask.action in ACTIONS
        assert {name for name in (subtask.target, subtask.destination) if name} <= known
    for subtask in map(read_subtask, task.expert):
        if subtask.action in ("Pick", "Put"):
            kinds = [thing for thing in here.objects.values() if subtask.target == thing.kind.replace("_", " ")]
            assert len(kinds) == 1, "which one is meant can not be told"


@TASKS
def test_the_expert_does_one_of_the_key_paths(task: Task):
    assert task.expert is not None
    steps = tuple(written_step(text.strip("[]"), True, "None") for text in task.expert)
    length = task.expert_length
    whole = Trajectory(task.id, 0, task.text, task.keypaths, length, steps, len(steps), True)
    assert Homie(SUITE.names).score(whole).success


@TASKS
def test_no_key_path_does_without_what_the_expert_puts_and_closes(task: Task):
    """Doing less than the expert is no success: every Put and Close of its is needed, and the last Go to."""
    assert task.expert is not None
    needed = [n for n, text in enumerate(task.expert) if text.startswith(("[Put", "[Close"))]
    for left_out in needed or [len(task.expert) - 2]:
        done = [text for number, text in enumerate(task.expert) if number != left_out]
        steps = tuple(written_step(text.strip("[]"), True, "None") for text in done)
        less = Trajectory(task.id, 0, task.text, task.keypaths, task.expert_length, steps, len(steps), True)
        assert not Homie(SUITE.names).score(less).success, f"{task.expert[left_out]} is not needed"


def test_declared_names_lead_to_words_that_the_suite_uses_or_a_house_may_have():
    assert SUITE.names["couch"] == "sofa" and SUITE.names["tuna can"] == "tuna fish can"
    assert not set(SUITE.names) & set(SUITE.names.values()), "a name stands for another that stands for a third"


@pytest.mark.parametrize("task", SUITE.tasks[::40], ids=[task.id for task in SUITE.tasks[::40]])
def test_the_state_of_a_house_is_what_the_simulator_says(task: Task):
    here, scene = house_of(task), task.scene
    options = RunOptions(task=task.text, seed=scene.seed, rooms=scene.rooms, objects=scene.objects)
    with open_home(options) as robot:
        robot.reset(seed=0)
        assert isinstance(robot, WorldState)
        real = read_state(robot.snapshot())
    assert here.state.objects == real.objects
    assert here.state.robot == real.robot and here.state.held == real.held
    assert here.state.appliances == real.appliances
    assert sorted(joint.receptacle for joint in here.state.joints.values()) == sorted(
        joint.receptacle for joint in real.joints.values()
    )


# ---------------------------------------------------------------- authoring


def test_a_route_opens_first_what_it_needs_with_an_empty_hand():
    task = SUITE.by_id["drawer-to-fridge"]
    route = Route(house_of(task))
    route.carry("strawberry", "fridge")
    verbs = [read_subtask(text).action for text in route.subtasks]
    assert verbs == ["Go to", "Open", "Go to", "Open", "Pick", "Go to", "Put"]
    route.close_all()
    assert [read_subtask(text).action for text in route.subtasks[7:]] == ["Go to", "Close", "Go to", "Close"]


def test_what_people_call_a_thing_means_it():
    here = house_of(SUITE.by_id["coffee-table"])
    tables = here.of_kind("table")
    said = [here.spoken(name) for name in tables]
    assert len(tables) > 1 and len(set(said)) == len(tables) and None not in said
    assert [here.word(name) for name in tables] == tables and here.word("fridge") == "fridge"


def test_orders_are_all_of_them():
    assert orders([["[a]"], ["[b]"]], ["[x]"]) == [["[x]", "[a]", "[b]", "[End]"], ["[x]", "[b]", "[a]", "[End]"]]


def test_orders_leave_open_when_something_is_closed():
    paths = orders([["[a]"], ["[b]"]], closing={"[Close, x]": {0}})
    assert sorted(paths) == [
        ["[a]", "[Close, x]", "[b]", "[End]"],
        ["[a]", "[b]", "[Close, x]", "[End]"],
        ["[b]", "[a]", "[Close, x]", "[End]"],
    ]
