"""A world without physics, from outside of Homie, run and judged like any other (tests/plugin/homie_grid.py)."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from homie_grid import CELL, Grid
from rich.console import Console

import homie
from error_detection.execution import check
from homie.bench.options import BenchOptions
from homie.bench.play.progress import Progress
from homie.bench.play.runner import BenchSummary, bench
from homie.envs.symbolic_robot import SymbolicRobot
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.errors import BadInput, CommandRefused
from homie.kernel.interfaces import Trial
from homie.kernel.types import Attempt, Command, ErrorCode, Failure, FailureReason, Outcome, Pose, Subtask
from homie.kernel.world.conditions import parse_condition
from homie.kernel.world.snapshot import FixedState, JointState, ObjectState, RobotState, RoomState, WorldSnapshot
from homie.testing import check_locator, check_robot
from perception.detectors.simulated import SimulatedDetector

ROOT = Path(__file__).parents[3]
GRID = {"robot": "homie_grid:open_grid", "skills": "own"}
EXPERT = ["Go to, chest", "Open, chest", "Pick, key", "Go to, table", "Put, key, table", "Go to, plant", "Water, plant"]
DONE = {"all": [{"on": ["key", "table"]}, {"is": ["plant", "watered"]}, {"open": "chest"}]}


@pytest.fixture
def grid() -> Grid:
    world = Grid()
    world.reset(seed=1)
    return world


def play(folder: Path, goal: object, expert: list[str], **options: object) -> BenchSummary:
    task = {"id": "a", "text": "water the plant", "goal": goal, "expert": [f"[{step}]" for step in expert]}
    path = folder / "suite.json"
    path.write_text(json.dumps({"format": 1, "name": "grid", "protocol": {"trials": 1}, "tasks": [task]}))
    arguments = {**GRID, "suite": str(path), "planner": "expert", "out": folder / "run", **options}
    return bench(BenchOptions.build(**arguments), Progress(Console(file=io.StringIO())))


def test_it_is_short_and_the_docs_name_it():
    assert len((ROOT / "tests/plugin/homie_grid.py").read_text().splitlines()) < 60
    assert "`tests/plugin/homie_grid.py`" in (ROOT / "docs/robots.md").read_text()


def test_the_kits_find_nothing_wrong(grid):
    check_robot(grid)
    check_locator(grid.background(), grid, ["key", "table", "chest", "plant"])


def test_subtasks_are_checked_carried_out_and_refused_in_its_own_words():
    with homie.open(**GRID, seed=1) as session:
        assert session.actions == ("Go to", "Pick", "Put", "Open", "Close", "Water", "End")
        assert session.call("Pick", "key").feedback.code is ErrorCode.L3, "in a shut chest"
        assert session.call("Open", "chest").feedback.code is ErrorCode.D1, "cells away"
        assert session.call("Go to", "chest").feedback.ok and session.call("Open", "chest").feedback.ok
        assert session.call("Pick", "key").feedback.ok and session.inventory == ("key",)
        assert session.call("Close", "chest").feedback.code is ErrorCode.L1, "the hand is full"
        record = session.call("Water", "chest").feedback
        assert (record.code, record.message) == (ErrorCode.E1, "Unable to water that! Please go to a plant first")
        assert session.world_state().held == "key"
        session.reset(seed=1)
        assert session.world_state().objects["key"].at == "chest" and session.inventory == ()


def test_a_bench_plays_it_and_judges_its_goal(tmp_path):
    run = play(tmp_path, DONE, EXPERT)
    assert (run.judged, run.successes, run.lines[0].world) == (1, 1, True)
    lazy = play(tmp_path, DONE, EXPERT[:-1], out=tmp_path / "lazy")
    assert (lazy.judged, lazy.successes) == (1, 0)
    with pytest.raises(BadInput, match="is eaten, which nothing of that name can be: the states here are: watered"):
        play(tmp_path, {"is": ["key", "eaten"]}, EXPERT, out=tmp_path / "none")


def test_a_planner_sees_what_is_in_sight_and_can_say_its_names(tmp_path):
    ran = homie.run("open the chest", **GRID, out=tmp_path / "run", video=False, frames=False)
    assert ran.result.ended_by == "ended" and [str(item.subtask) for item in ran.result.history][1] == "[Open, chest]"


def test_things_are_called_by_names_that_mean_them(grid):
    detector, locator = SimulatedDetector(), grid.background()
    detections = locator.arranged(detector.detect(grid.observe(grid.views)))
    assert [(detection.name, detection.instance) for detection in detections] == [
        (name, name) for name in ("chest", "table", "plant")
    ]
    assert all(
        locator.resolve(detection.name, ACTION_TABLE["Go to"], grid.observe()) == detection.instance
        for detection in detections
    )


class Flat(SymbolicRobot):
    """Two rooms without any coordinates, two cups, one of them in a shut cupboard."""

    def _restart(self, *, seed: int) -> None:
        self.room = "kitchen"

    def snapshot(self) -> WorldSnapshot:
        return WorldSnapshot(
            objects={
                "cup_1": ObjectState(kind="cup", relation="in", at="cupboard", room="kitchen"),
                "cup_2": ObjectState(kind="cup", relation="on", at="shelf", room="study"),
            },
            fixed={
                "cupboard": FixedState(kind="cupboard", room="kitchen", receives="in"),
                "shelf": FixedState(kind="shelf", room="study", receives="on"),
            },
            rooms={"kitchen": RoomState(kind="kitchen"), "study": RoomState(kind="study")},
            joints={"cupboard/door": JointState(receptacle="cupboard", fraction=0.0)},
            held=None,
            robot=RobotState(room=self.room),
        )

    def perform(self, subtask: Subtask, entity: str) -> str:
        self.room = entity
        return ""


def test_a_world_without_coordinates():
    flat = Flat()
    flat.reset(seed=0)
    locator = flat.background()
    here = flat.observe()
    assert flat.visible() == ["cupboard"], "the cup is in it, the rest in another room"
    assert locator.resolve("cup", ACTION_TABLE["Pick"], here) == "cup_2", "the one that can be got at"
    assert locator.resolve("cup 1", ACTION_TABLE["Pick"], here) == "cup_1" and locator.called("cup_1") == "cup 1"
    assert locator.resolve("moon", ACTION_TABLE["Pick"], here) is None
    assert locator.closed_container("cup_1") == locator.closed_container("cupboard") == "cupboard"
    assert locator.arrived("kitchen", here) and not locator.arrived("study", here)
    assert flat.perform(Subtask("Go to", "study"), "study") == "" and locator.arrived("study", flat.observe())
    assert parse_condition({"robot_in": "study"}).holds(flat.snapshot())


def test_only_a_robot_that_performs_has_actions_of_its_own():
    with pytest.raises(BadInput, match="carries out no whole actions by itself: choose skills for it by --skills"):
        homie.open(robot="tiny", targets="tiny", skills="own")


def test_what_is_in_the_next_cell_is_out_of_reach(grid):
    locator = grid.background()
    for name in ("chest", "table", "plant"):
        metres = locator.distance(name, grid.observe())
        assert metres >= CELL or grid.at[name] == grid.at["robot"]


def test_states_of_the_world_verify_actions_of_its_own(grid):
    locator = grid.background()
    assert locator.state("plant", "watered", grid.observe()) is False
    grid.at["robot"] = grid.at["plant"]
    assert grid.perform(Subtask("Water", "plant"), "plant") == ""
    assert locator.state("plant", "watered", grid.observe()) is True
    assert locator.state("chest", "open", grid.observe()) is False and locator.state("chest", "closed", grid.observe())
    for entity, state in (("plant", "open"), ("chest", "watered"), ("moon", "watered")):
        assert locator.state(entity, state, grid.observe()) is None


def test_a_body_without_an_arm_reaches_nothing_and_takes_no_space() -> None:
    kinematics, q = Grid.kinematics, np.zeros(0)
    here = kinematics.forward(q)
    assert not kinematics.solve(here.position, here.rotation, q).ok
    assert len(kinematics.link_points(q)) == 0 and kinematics.self_distance(q) > 1.0
    robot = Grid()
    robot.reset(seed=0)
    with pytest.raises(CommandRefused, match="has no arm, so no effector to bring to a pose"):
        robot.act(Command(effector=Pose(np.zeros(3), np.eye(3))))


def test_what_blocked_a_skill_is_reported_by_the_name_that_the_planner_knows():
    flat = Flat()
    flat.reset(seed=0)
    reason = Failure(FailureReason.NO_GRASP, blockers=["cup_1"])
    attempt = Attempt(1, "pick", Outcome.FAILED, reason, 0.0, 0, about=("cup_1",))
    trial = Trial(
        subtask=Subtask("Pick", "cup 2"),
        action=ACTION_TABLE["Pick"],
        entity="cup_2",
        held=None,
        attempt=attempt,
        observation=flat.observe(),
        world=flat.background(),
    )
    verdict = check(trial)
    assert verdict.code is ErrorCode.E1 and verdict.about == ("cup 1",)
    assert "the cup 1 is in the way. Please move it away" in verdict.message and attempt.about == ("cup_1",)


def test_a_thing_that_ended_up_elsewhere_is_reported_with_its_place(grid):
    grid.key = ("on", "plant")
    trial = Trial(
        subtask=Subtask("Put", "key", "table"),
        action=ACTION_TABLE["Put"],
        entity="table",
        held="key",
        attempt=Attempt(1, "put", Outcome.FAILED, "", 0.0, 0),
        observation=grid.observe(),
        world=grid.background(),
    )
    verdict = check(trial)
    assert verdict.code is ErrorCode.E2 and "on the plant" in verdict.message


class Desk(Grid):
    """The same, with everything at hand: an arm that cannot go anywhere."""

    actions = ("Pick", "Put", "Open", "End")

    def snapshot(self) -> WorldSnapshot:
        return super().snapshot().model_copy(update={"robot": RobotState()})


def test_the_rule_planner_goes_nowhere_with_an_arm(tmp_path):
    desk = Desk()
    with homie.open(robot=desk, skills="own", planner="rule") as session:
        summary = session.run("put the key on the table", out=tmp_path / "run", video=False)
        assert session.world_state().objects["key"].at == "table"
    steps = [str(item.subtask) for item in summary.result.history]
    assert steps == ["[Pick, key]", "[Open, chest]", "[Pick, key]", "[Put, key, table]", "[End]"]
