"""What a maker of tasks refuses when a suite is made, and that no task of a built-in suite is done before it begins."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from homie.bench.authoring.house import House
from homie.bench.suite.suite import find_suite
from homie.envs.mujoco.table.table_scene import FAMILIES
from homie.kernel.interfaces import WorldState
from homie.kernel.options import RunOptions
from homie.kernel.scenes import scenes_of
from homie.kernel.world.conditions import Condition, unknown_words
from homie.kernel.world.snapshot import FixedState, ObjectState, RoomState, WorldSnapshot
from homie.runtime.assembly import assemble
from suites.authoring.homie_eb.house_drawing import STEPS
from suites.authoring.homie_eb.house_errands import Numbered, TaskTemplate
from suites.authoring.make_homie_eb_house import RECIPE
from suites.authoring.states_script import UnsuitedHouse

HOUSE = House(
    WorldSnapshot(
        rooms={"kitchen": RoomState(kind="kitchen")},
        fixed={
            "table": FixedState(kind="table", colour="wood", room="kitchen", receives="on"),
            "desk": FixedState(kind="desk", colour="white", room="kitchen", receives="on"),
        },
        objects={"apple": ObjectState(kind="apple", colour="red", room="kitchen", relation="on", at="table")},
    )
)


def errand(goal: dict[str, list[str]], times: int = 1) -> TaskTemplate:
    """Bring the apple to the desk, so many times over."""

    def act(script: Numbered) -> None:
        for _ in range(times):
            script.fetch("apple")
            script.bring("desk")

    return TaskTemplate("Bring {x} to {f}.", {"x": "apple", "f": "desk"}, (goal,), act, frozenset({"apple", "desk"}))


@pytest.mark.parametrize(
    "refused",
    [
        errand({"at": ["apple", "table"]}),
        errand({"at": ["apple", "lamp"]}),
        errand({"at": ["apple", "desk"]}, times=STEPS),
    ],
    ids=["its goal holds at the start", "its goal names what is not there", "its expert needs too many actions"],
)
def test_a_task_that_cannot_be_one_is_refused(refused: TaskTemplate) -> None:
    with pytest.raises(UnsuitedHouse, match="is done already, names what is not there, or takes too long"):
        RECIPE.task(HOUSE, 0, [refused], "e01-base", "base", "Bring the apple.")
    taken = RECIPE.task(HOUSE, 0, [errand({"at": ["apple", "desk"]})], "e01-base", "base", "Bring the apple.")
    assert taken["expert"][-1] == "[End]" and taken["goal"] == {"at": ["apple", "desk"]}


def asked_of_homes(name: str) -> Iterator[tuple[str, Condition, WorldSnapshot]]:
    """Each goal of a suite with its world before anything has happened; equal ones of paired tasks once."""
    visited: set[str] = set()
    for task in find_suite(name).tasks:
        about = f"{task.scene.model_dump_json()} {task.goal}"
        if task.goal is None or about in visited:
            continue
        visited.add(about)
        world = scenes_of("mujoco").begin(task.scene.seed, task.scene.settings)
        assert world is not None
        yield task.id, task.goal, world


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["homie-eb-house", "homie-eb-rearrange", "homie-eb-nav", "homie-menu", "homie-menu-graph", "homie-states"]
)
def test_no_goal_holds_at_the_start_and_each_names_what_is_there(name: str) -> None:
    goals = list(asked_of_homes(name))
    assert len(goals) >= 50
    for task, goal, world in goals:
        assert not goal.holds(world), task
        assert not unknown_words(goal, world), task


@pytest.mark.parametrize("family", FAMILIES)
def test_no_table_is_done_at_the_start(family: str) -> None:
    tasks = find_suite("homie-eb-table").select(f"{family}-*-base")
    assert len(tasks) == 12
    for task in tasks:
        options = RunOptions.build(
            task=task.text, robot=f"franka:{family}", seed=task.scene.seed, planner="random", picture_size="16"
        )
        with assemble(options) as parts:
            parts.reset(options.seed)
            assert isinstance(parts.robot, WorldState)
            assert task.goal is not None and not task.goal.holds(parts.robot.snapshot()), task.id
