"""Numbered actions: the list of a scene, and benches that are played from it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from homie.bench.authoring.numbered import listed
from homie.bench.options import BenchOptions
from homie.bench.play import runner
from homie.bench.play.progress import Progress
from homie.household import VERBS
from homie.kernel.errors import BadInput
from homie.kernel.types import HELD, Subtask
from homie.kernel.vocabulary.actions import ACTION_TABLE
from homie.kernel.world import FixedState, JointState, ObjectState, RoomState, WorldSnapshot
from homie.runtime.inputs import read_inputs
from homie.runtime.runstore import read_steps

WORLD = WorldSnapshot(
    objects={
        "mug_10": ObjectState(kind="mug", relation="on", at="table", receives="in", states={"clean": True}),
        "mug_2": ObjectState(kind="mug", relation="on", at="table", receives="in", states={"clean": False}),
        "bread": ObjectState(kind="bread", relation="on", at="table", receives="on", states={"sliced": False}),
    },
    fixed={
        "table": FixedState(kind="table", receives="on", states={"clean": False}),
        "fridge": FixedState(kind="fridge", receives="in"),
        "lamp": FixedState(kind="lamp", states={"on": False}),
    },
    rooms={"kitchen_1": RoomState(kind="kitchen")},
    joints={"fridge/door": JointState(receptacle="fridge", fraction=0.0)},
)
TABLE = {**ACTION_TABLE, **{name: verb.action for name, verb in VERBS.items()}}


def names(*actions: str) -> list[str]:
    return [choice.name for choice in listed(WORLD, actions, TABLE, lambda name: name.replace("_", " "))]


def test_every_action_is_listed_with_what_it_can_be_tried_on_by_kind() -> None:
    assert names("Go to", "End") == [
        *("find the kitchen", "find the bread", "find the fridge", "find the lamp", "find the mug 2"),
        *("find the mug 10", "find the table", "end the task"),
    ]
    assert names("Pick")[:-1] == ["pick up the bread", "pick up the mug 2", "pick up the mug 10"]
    put = "put down the object in hand"
    assert names("Put")[:-1] == [
        *(f"{put} in the fridge", f"{put} in the mug 2", f"{put} in the mug 10", f"{put} on the table"),
    ]
    assert names("Open", "Close")[:-1] == ["open the fridge", "close the fridge"]
    assert names("Turn on", "Turn off")[:-1] == ["turn on the lamp", "turn off the lamp"]
    assert names("Slice")[:-1] == ["slice the bread"]
    assert names("Wipe")[:-1] == ["wipe the mug 2", "wipe the mug 10", "wipe the table"]
    assert names("Wash")[:-1] == ["wash the mug 2", "wash the mug 10"], "a table is not washed"


def test_what_the_hand_holds_is_named_when_it_is_done() -> None:
    (choice, *_) = listed(WORLD, ["Put"], TABLE, str)
    assert choice.subtask == Subtask("Put", HELD, "fridge")


def suite(folder: Path, *experts: list[str], goal: object = None, **protocol: object) -> Path:
    asked = {"text": "put the key on the table", "goal": goal or {"on": ["key", "table"]}}
    tasks = [{"id": f"t{number}", **asked, "expert": steps} for number, steps in enumerate(experts)]
    path = folder / "numbered.json"
    limits = {"rounds": 40, "trials": 1, "actions": "numbered", "steps": 30, "failures": 10, **protocol}
    path.write_text(json.dumps({"format": 1, "name": "numbered", "protocol": limits, "tasks": tasks}))
    return path


def bench(path: Path, out: Path, **options: object) -> runner.BenchSummary:
    arguments = {
        "suite": str(path),
        "out": out,
        "robot": "homie_grid:open_grid",
        "skills": "own",
        "retries": 0,
        **options,
    }
    return runner.bench(BenchOptions.build(**arguments), Progress(Console(file=io.StringIO(), width=200)))


RIGHT = [
    *("[Go to, chest]", "[Open, chest]", "[Pick, key]", "[Go to, table]"),
    *(f"[Put, {HELD}, table]", "[End]"),
]


def test_an_expert_and_a_random_planner_play_by_numbers(tmp_path: Path) -> None:
    path = suite(tmp_path, RIGHT, [step.replace(HELD, "key") for step in RIGHT])
    lines = bench(path, tmp_path / "expert", planner="expert").lines
    assert [line.success for line in lines] == [True, False], "[Put, key, table] has no number"
    (first, *_) = read_inputs(tmp_path / "expert" / "episodes" / "t0-0")
    assert "put down the object in hand on the table" in [choice.name for choice in first.choices]
    bench(path, tmp_path / "random", planner="random", tasks="t0")
    chosen = [record.execution.subtask for record in read_steps(tmp_path / "random" / "episodes" / "t0-0")]
    allowed = {choice.subtask for choice in first.choices} | {
        Subtask("Put", "key", place) for place in ("chest", "table")
    }
    assert chosen and set(chosen) <= allowed


def test_goal_progress_is_counted_by_condition(tmp_path: Path) -> None:
    goal = {"all": [{"on": ["key", "table"]}, {"open": "chest"}, {"held": "key"}]}
    summary = bench(suite(tmp_path, RIGHT, RIGHT[:2], goal=goal), tmp_path / "run", planner="expert")
    assert not any(line.success for line in summary.lines)
    assert summary.metrics["GP"].value == pytest.approx((2 / 3 + 1 / 3) / 2), "two of three, then one of three"


def test_from_sensors_there_are_no_numbers(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="task 't0': numbered actions name the things of a scene, and --targets sensors"):
        bench(
            suite(tmp_path, RIGHT, goal={"held": "nothing"}),
            tmp_path / "run",
            planner="expert",
            robot="mujoco",
            skills="ideal",
            targets="sensors",
        )
