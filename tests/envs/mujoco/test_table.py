"""The Panda's table: predicates on world state, the robot, the list of things, the expert, error messages."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import mujoco
import numpy as np
import pytest

from homie.envs.mujoco.table.expert import TableExpert, plan
from homie.envs.mujoco.table.robot import FrankaTable, open_table
from homie.envs.mujoco.table.sampled_tables import generate
from homie.envs.mujoco.table.table_scene import FAMILIES, TABLE_TOP, TableScene, Thing
from homie.envs.mujoco.table.things import AREA, SORTER_HEIGHT, hole_places
from homie.kernel import registry
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.agent import run_episode
from homie.kernel.episode_rules import EpisodeRules
from homie.kernel.errors import BadInput, CommandRefused
from homie.kernel.executor import Executor
from homie.kernel.interfaces import Listeners, Planner, Robot, Skill
from homie.kernel.look_and_detect import Senses
from homie.kernel.options import RunOptions
from homie.kernel.skill_table import SkillTable
from homie.kernel.types import (
    END,
    Command,
    Decision,
    Execution,
    Goal,
    Observation,
    Outcome,
    PlannerInput,
    Pose,
    Subtask,
)
from homie.kernel.world.conditions import parse_condition
from homie.runtime.assembly import assemble

HOLES = ("cube", "star", "cylinder", "triangular prism")
THINGS = (
    Thing(name="red_cube", kind="cube", colour="red", x=0.10, y=-0.31, yaw=0.3),
    Thing(name="blue_cylinder", kind="cylinder", colour="blue", x=0.25, y=-0.10),
    Thing(name="green_star", kind="star", colour="green", x=0.35, y=-0.25, yaw=1.0),
    Thing(name="shape_sorter", kind="shape sorter", colour="beige", x=0.10, y=0.12, holes=HOLES, yaw=0.2),
    Thing(name="teal_container", kind="container", colour="teal", x=0.33, y=0.22, yaw=-0.4),
    Thing(name="orange_area", kind="area", colour="orange", x=0.45, y=0.0, yaw=np.pi / 2),
    Thing(name="purple_area", kind="area", colour="purple", x=0.0, y=-0.05, yaw=0.0),
    Thing(name="yellow_sponge", kind="sponge", colour="yellow", x=0.08, y=0.35),
)
SCENE = TableScene(family="pick", seed=0, instruction="Do it.", things=THINGS, conditions=())


@pytest.fixture(scope="module")
def shared() -> Iterator[FrankaTable]:
    with FrankaTable(SCENE) as robot:
        yield robot


@pytest.fixture
def table(shared) -> FrankaTable:
    shared.reset(seed=0)
    return shared


def place(table: FrankaTable, name: str, x: float, y: float, z: float, yaw: float = 0.0, tip: float = 0.0) -> None:
    """Put a thing somewhere by hand: its origin (m), turned by yaw, then leaning."""
    joint = table.data.joint(name)
    joint.qpos[:3] = (x, y, z)
    joint.qpos[3:] = (np.cos(yaw / 2) * np.cos(tip / 2), np.cos(yaw / 2) * np.sin(tip / 2), 0.0, np.sin(yaw / 2))
    mujoco.mj_forward(table.model, table.data)
    table.world.update(table.world.held)


def met(table: FrankaTable, relation: str, *things: str) -> bool:
    return parse_condition({relation: list(things)}).holds(table.snapshot())


class TestPredicates:
    def test_in_a_container(self, table):
        assert not met(table, "in", "red_cube", "teal_container")
        place(table, "red_cube", 0.35, 0.20, TABLE_TOP + 0.005)
        assert met(table, "in", "red_cube", "teal_container")
        place(table, "red_cube", 0.33, 0.22, TABLE_TOP + 0.10)  # above it
        assert not met(table, "in", "red_cube", "teal_container")
        place(table, "red_cube", 0.33, 0.11, TABLE_TOP)  # beside it
        assert not met(table, "in", "red_cube", "teal_container")

    def test_what_is_held_is_not_in_it(self, table):
        place(table, "red_cube", 0.33, 0.22, TABLE_TOP + 0.005)
        table.world.held = "red_cube"
        assert not met(table, "in", "red_cube", "teal_container")

    def test_on_another_thing(self, table):
        assert not met(table, "on", "red_cube", "blue_cylinder")
        place(table, "red_cube", 0.255, -0.105, TABLE_TOP + 0.045)
        assert met(table, "on", "red_cube", "blue_cylinder") and not met(table, "on", "blue_cylinder", "red_cube")
        place(table, "red_cube", 0.25, -0.10, TABLE_TOP + 0.06)  # over it
        assert not met(table, "on", "red_cube", "blue_cylinder")
        place(table, "red_cube", 0.275, -0.10, TABLE_TOP + 0.045)  # half beside it
        assert not met(table, "on", "red_cube", "blue_cylinder")

    def test_sorted_into_its_own_hole(self, table):
        sorter = SCENE.thing("shape_sorter")
        c, s = np.cos(sorter.yaw), np.sin(sorter.yaw)
        for hole, (x, y) in zip(HOLES, hole_places(HOLES), strict=True):
            at = (sorter.x + c * x - s * y, sorter.y + s * x + c * y)
            place(table, "red_cube", *at, TABLE_TOP + 0.005, yaw=sorter.yaw)
            assert met(table, "sorted", "red_cube", "shape_sorter") is (hole == "cube")
        x, y = hole_places(HOLES)[0]
        at = (sorter.x + c * x - s * y, sorter.y + s * x + c * y)
        place(table, "red_cube", *at, TABLE_TOP + SORTER_HEIGHT)  # on the lid
        assert not met(table, "sorted", "red_cube", "shape_sorter")

    def test_where_things_are_as_the_final_state_tells_it(self, table):
        def where_it_is(name: str = "red_cube") -> tuple[str, str]:
            entry = table.snapshot().objects[name]
            return entry.relation, entry.at

        assert where_it_is() == where_it_is("blue_cylinder") == ("on", "table")
        for point, expected in (
            ((0.33, 0.22, TABLE_TOP + 0.005), ("in", "teal_container")),
            ((0.10, 0.12, TABLE_TOP + 0.005), ("in", "shape_sorter")),
            ((0.10, 0.12, TABLE_TOP + SORTER_HEIGHT), ("on", "shape_sorter")),
            ((0.25, -0.10, TABLE_TOP + 0.045), ("on", "blue_cylinder")),
            ((0.25, -0.90, 0.0), ("on", "floor")),
        ):
            place(table, "red_cube", *point)
            assert where_it_is() == expected
        table.world.held = "red_cube"
        assert where_it_is() == ("held", "gripper")
        fixed = {"shape_sorter", "teal_container", "orange_area", "purple_area", "table", "floor"}
        assert set(table.snapshot().fixed) == fixed

    def test_an_area_is_wiped_by_the_sponge_on_the_table(self, table):
        assert not met(table, "is", "orange_area", "wiped")
        for y in np.arange(-AREA[0], AREA[0] + 0.01, 0.02):
            place(table, "yellow_sponge", 0.45, y, TABLE_TOP + 0.03, yaw=np.pi / 2)  # in the air
        assert not met(table, "is", "orange_area", "wiped")
        for y in np.arange(-AREA[0], AREA[0] + 0.01, 0.02):
            place(table, "yellow_sponge", 0.45, y, TABLE_TOP, yaw=np.pi / 2)
        assert met(table, "is", "orange_area", "wiped") and not met(table, "is", "purple_area", "wiped")
        for x in np.arange(-AREA[0], AREA[0] + 0.01, 0.02):
            place(table, "yellow_sponge", x, -0.05, TABLE_TOP)
        assert met(table, "is", "purple_area", "wiped") and not met(table, "is_not", "purple_area", "wiped")
        table.reset(seed=0)
        assert table.world.wiped == {"orange_area": set(), "purple_area": set()}

    def test_a_part_of_an_area_is_not_wiped(self, table):
        for y in np.arange(-AREA[0], 0.0, 0.02):
            place(table, "yellow_sponge", 0.45, y, TABLE_TOP, yaw=np.pi / 2)
        assert not met(table, "is", "orange_area", "wiped")


class TestRobot:
    def test_everything_rests_where_the_scene_has_it(self, table):
        for thing in THINGS:
            box = table.world.box(thing.name)
            assert abs(box.center[2] - box.half[2] - TABLE_TOP) < 0.002
            at = table.data.xpos[table.built.things[thing.name].body]
            np.testing.assert_allclose(at[:2], [thing.x, thing.y], atol=1e-3)

    def test_nothing_stands_in_anything_else(self, table):
        deepest = min((contact.dist for contact in table.data.contact), default=0.0)
        assert deepest > -0.002

    def test_a_base_command_is_refused_and_nothing_moves(self, table):
        before = table.observe()
        with pytest.raises(CommandRefused, match="franka has no group 'base': it has arm, gripper"):
            table.act(Command(base=(0.5, 0.2)))
        assert table.observe().stamp == before.stamp and table.observe().body == before.body

    def test_an_effector_pose_becomes_joint_targets_within_the_speeds(self, table):
        here = table.kinematics.forward(np.array(list(table.observe().body.joints.values())))
        target = Pose(here.position + np.array([0.0, 0.05, -0.05]), here.rotation)
        for _ in range(40):
            table.act(Command(effector=target))
        reached = table.kinematics.forward(np.array(list(table.observe().body.joints.values())))
        assert np.linalg.norm(reached.position - target.position) < 0.003
        with pytest.raises(CommandRefused, match="not finite"):
            table.act(Command(effector=Pose(np.array([np.nan, 0.0, 1.0]), np.eye(3))))

    def test_observations_have_both_cameras(self, table):
        observation = table.observe(table.views)
        assert set(observation.frames) == {"front", "wrist"} and observation.frames["front"].rgb.shape == (500, 500, 3)
        names = {
            observation.frames["front"].instance_names[k]
            for k in np.unique(observation.frames["front"].instances)
            if k >= 0
        }
        assert {thing.name for thing in THINGS} <= names

    def test_of_the_classical_skills_it_has_those_without_driving(self, table):
        skills = registry.load("skills", "classical")("").skills(table.spec, table.kinematics)
        assert [action for skill in skills for action in skill.actions] == ["Pick", "Put", "Open", "Close"]

    def test_options_choose_the_skills_that_go_with_the_robot(self):
        assert RunOptions(task="x", robot="franka:wipe").skills == "arm"
        assert RunOptions(task="x", robot="franka:wipe", skills="remote:ws://x").skills == "remote:ws://x"
        assert RunOptions(task="x").skills == "classical"

    def test_what_it_can_not_do_is_refused_at_once(self):
        with pytest.raises(BadInput, match="The robot franka does not support --grasp: leave out --grasp"):
            open_table(RunOptions(task="x", robot="franka", grasp="friction"))
        with pytest.raises(BadInput, match="choose one of: pick, stack, sort, wipe"):
            open_table(RunOptions(task="x", robot="franka:knead"), "knead")


class TestListing:
    def test_things_are_listed_by_y_with_the_cells_they_are_in(self, table):
        locator = table.background()
        observation = table.observe(table.views)
        detections = registry.load("detectors", "simulated")("").detect(observation)
        locator.update(observation, detections)
        listing, arranged = [str(line) for line in locator.listing()], locator.arranged(detections)
        assert len(listing) == len(THINGS)
        order = sorted(THINGS, key=lambda thing: thing.y)
        assert [line.split(": ")[1].split(" at ")[0] for line in listing] == [thing.words for thing in order]
        assert [detection.instance for detection in arranged if detection.view == "front"] == [
            thing.name for thing in order
        ]
        for number, (line, thing) in enumerate(zip(listing, order, strict=True), 1):
            assert line.startswith(f"object {number}: ")
            cell = np.array(json.loads(line.split(" at ")[1]))
            middle = table.world.box(thing.name).center
            # What cameras see of a thing is its near side and its top.
            assert np.abs(-0.3 + 0.01 * cell[0] + 0.005 - middle[0]) < 0.05
            assert np.abs(-0.5 + 0.01 * cell[1] + 0.005 - middle[1]) < 0.03


# ---------------------------------------------------------------- actions through the executor


def executor(robot: FrankaTable, skill: Skill | None = None) -> Executor:
    locator = robot.background()
    locator.reset(seed=0)
    skill = skill or registry.load("skills", "arm")("").skills(robot.spec, robot.kinematics)[0]
    skill_table = SkillTable({"arm": dict.fromkeys(skill.actions, skill)})
    detector, checks = registry.load("detectors", "simulated")(""), registry.load("checks", "paper")
    execution, actions = registry.load("execution", "emmoe"), skill_table.actions(robot)
    return Executor(Senses(robot, detector, locator), skill_table, checks, execution, attempts=1, actions=actions)


def move(robot: FrankaTable, target: str) -> Execution:
    subtask = Subtask("Move", target)
    return executor(robot).execute(Decision((subtask,)), subtask, (), robot.observe(), Listeners())


class TestErrors:
    def answer(self, table: FrankaTable, target: str) -> tuple[str, str]:
        feedback = move(table, target).feedback
        return str(feedback.code), feedback.message

    def test_a_value_out_of_range_is_named(self, table):
        target = "[54, 120, 49, 0, 60, 90, 1]"
        message = f"Unable to move to {target}: y must be between 0 and 99, not 120."
        assert self.answer(table, target) == ("F2", message)
        assert self.answer(table, "above the cube")[0] == "F2"

    def test_out_of_reach(self, table):
        code, message = self.answer(table, "[99, 99, 60, 0, 60, 90, 1]")
        assert code == "E1" and message.endswith("[99, 99, 60, 0, 60, 90, 1]: the arm does not reach there.")

    def test_into_the_table(self, table):
        code, message = self.answer(table, "[60, 50, 12, 0, 60, 60, 1]")
        assert code == "E1" and "the fingers would run into something at [" in message

    def test_into_a_thing(self, table):
        # Straight down onto the container's wall with the palm across.
        wall = np.array([0.33, 0.22]) + 0.07 * np.array([np.cos(-0.4), np.sin(-0.4)])
        x, y = np.floor((wall - [-0.3, -0.5]) / 0.01).astype(int)
        code, message = self.answer(table, f"[{x}, {y}, 15, 0, 60, 60, 0]")
        assert code == "E1" and "would run into something" in message

    def test_nothing_has_moved_after_a_refusal(self, table):
        before = table.data.qpos.copy()
        for target in ("[99, 99, 60, 0, 60, 90, 1]", "[60, 50, 12, 0, 60, 60, 1]", "[200, 50, 12, 0, 60, 60, 1]"):
            assert not move(table, target).feedback.ok
        np.testing.assert_allclose(table.data.qpos, before, atol=2e-3)

    def test_other_actions_are_not_in_the_list(self, table):
        subtask = Subtask("Pick", "red cube")
        execution = executor(table).execute(Decision((subtask,)), subtask, (), table.observe(), Listeners())
        assert execution.feedback.code == "F1"

    def test_a_good_move_arrives(self, table):
        assert move(table, "[40, 40, 40, 0, 60, 60, 0]").feedback.ok
        here = table.kinematics.forward(np.array(list(table.observe().body.joints.values())))
        np.testing.assert_allclose(here.position, [0.405, -0.095, 1.005], atol=0.003)
        assert table.observe().body.gripper < 0.002


def play_family(family: str, seed: int) -> tuple[FrankaTable, list[Execution]]:
    scene = generate(family, seed)  # type: ignore[arg-type]
    robot = FrankaTable(scene)
    return robot, [move(robot, str(action)) for action in plan(scene)]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_expert_does_the_task(family, seed):
    robot, executions = play_family(family, seed)
    with robot:
        assert all(execution.feedback.ok for execution in executions), [
            execution.feedback.message for execution in executions
        ]
        assert robot.world.success and robot.snapshot().success is True
        assert robot.world.held is None or family == "wipe"


def test_half_of_the_experts_actions_do_not_do_the_task():
    for family in FAMILIES:
        scene = generate(family, 0)
        with FrankaTable(scene) as robot:
            actions = plan(scene)
            for action in actions[: len(actions) // 2]:
                move(robot, str(action))
            assert not robot.world.success


def test_the_same_actions_have_the_same_result():
    ends = []
    for _ in range(2):
        robot, _made = play_family("stack", 2)
        with robot:
            ends.append(robot.data.qpos.copy())
    np.testing.assert_array_equal(*ends)


def test_the_expert_as_a_planner_plans_for_the_table_of_its_robot():
    """Whatever the seed of the episode; of the given family, if one is given; of no other world."""
    scene = generate("sort", 5)
    expected = tuple(Subtask("Move", str(action)) for action in plan(scene))
    with FrankaTable(scene) as robot:
        for argument in ("", "sort"):
            expert = TableExpert(argument)
            expert.bind(robot)
            expert.reset("x", seed=99)
            assert expert.decide(None).subtasks == expected  # type: ignore[arg-type]
        with pytest.raises(BadInput, match="table-expert:pick was given a table of the family 'sort'"):
            TableExpert("pick").bind(robot)
    with pytest.raises(BadInput, match="did you mean 'stack'"):
        TableExpert("stak")
    with pytest.raises(BadInput, match="knows tables only: give `--robot franka:FAMILY`"):
        assemble(RunOptions(task="x", planner="table-expert", rooms=2, objects=0))


class Curious(Planner):
    """Keeps its input, moves once, then ends."""

    name = "curious"

    def reset(self, task: str, *, seed: int) -> None:
        self.inputs: list[PlannerInput] = []

    def decide(self, planner_input: PlannerInput) -> Decision:
        self.inputs.append(planner_input)
        return Decision((Subtask("Move", "[40, 50, 60, 0, 60, 60, 1]") if len(self.inputs) == 1 else END,))


def test_a_planner_is_given_the_list_and_sees_both_cameras(table):
    planner = Curious()
    result = run_episode("x", planner, executor(table), EpisodeRules(rounds=5), seed=0, listener=Listeners())
    assert result.ended_by == "ended" and result.history[0].feedback.ok
    first = planner.inputs[0]
    assert set(first.views) == {"front", "wrist"} and first.actions == ("Move", "End") and first.models == ("arm",)
    assert len(first.listing) == len(THINGS)
    in_front = [detection.instance for detection in first.detections if detection.view == "front"]
    assert [name.replace("_", " ") for name in in_front] == [
        line[10:].split(" at ")[0].strip() for line in first.listing
    ]


@pytest.mark.slow
def test_a_json_plan_of_numbers_runs_through_the_command_line(tmp_path: Path):
    scene = generate("pick", 0)
    script = [{"subtasks": [["Move", str(action)] for action in plan(scene)]}]
    script.insert(0, {"subtasks": [["Move", "[100, 0, 0, 0, 0, 0, 1]"]]})
    (tmp_path / "plan.json").write_text(json.dumps(script))
    command = [
        sys.executable,
        "-m",
        "homie",
        "run",
        scene.instruction,
        "--robot",
        "franka:pick",
        "--no-video",
        "--json",
    ]
    command += ["--planner", f"scripted:{tmp_path / 'plan.json'}", "--out", str(tmp_path / "run")]
    completed = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert completed.returncode == 0, completed.stderr
    episode = next((tmp_path / "run" / "episodes").iterdir())
    assert json.loads((episode / "final_state.json").read_text())["success"] is True
    steps = [json.loads(line) for line in (episode / "steps.jsonl").read_text().splitlines()]
    assert steps[0]["execution"]["feedback"]["code"] == "F2"
    assert steps[1]["execution"]["attempts"][0]["skill"] == "arm/move"
    entry = scene.thing(next(scene.conditions[0].words())).words
    assert [entry] in [step["inventory"] for step in steps] and steps[-1]["inventory"] == []
    assert TableScene.load(tmp_path / "run" / "scene.json") == scene


class Fixed(Skill):
    """Goes to a point above the goal, down to it, and closes the gripper, by poses of the hand in the base frame."""

    name = "fixed/pick"
    actions = ("Pick",)
    max_seconds = 8.0

    def __init__(self, away: tuple[float, float, float], width: float) -> None:
        self._away, self._width = np.array(away), width

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        self._began, self._goal, self._outcome = observation.stamp, goal, Outcome.RUNNING

    def act(self, observation: Observation) -> Command:
        passed = observation.stamp - self._began
        local = observation.body.base.inverse(self._goal.position) + self._away
        local[2] += 0.012 + max(0.0, 0.12 - 0.06 * max(0.0, passed - 2.0))
        down = np.array([[0.0, 0.0, -1.0], [0.0, -1.0, 0.0], [-1.0, 0.0, 0.0]])
        if passed > 7.0:
            self._outcome = Outcome.SUCCEEDED
        return Command(effector=Pose(local, down), gripper=0.08 if passed < 5.0 else self._width)

    @property
    def outcome(self) -> Outcome:
        return self._outcome


@pytest.mark.parametrize(("away", "ok"), [((0.0, 0.0, 0.0), True), ((0.0, 0.15, 0.0), False)])
def test_other_skills_move_the_same_robot_by_names_of_things(table, away, ok):
    table_executor = executor(table, Fixed(away, 0.0))
    subtask = Subtask("Pick", "blue cylinder")
    execution = table_executor.execute(Decision((subtask,)), subtask, (), table.observe(), Listeners())
    assert execution.target == "blue_cylinder" and execution.feedback.ok is ok
    assert (table.world.held == "blue_cylinder") is ok
    assert execution.attempts[0].reason == ("" if ok else "done by its own account, without effect")


def test_names_mean_things(table):
    locator, observation = table.background(), table.observe()
    for words, meant in (("the red cube", "red_cube"), ("cube", "red_cube"), ("shape sorter", "shape_sorter")):
        assert locator.resolve(words, ACTION_TABLE["Pick"], observation) == meant
    assert locator.resolve("fridge", ACTION_TABLE["Pick"], observation) is None


def test_the_robot_keeps_the_contract(shared):
    assert issubclass(FrankaTable, Robot)
    assert executor(shared).actions == ("Move", "End")
    reaching = Fixed((0.0, 0.0, 0.0), 0.0)
    assert SkillTable({"fixed": {"Pick": reaching}}).actions(shared) == ("Pick", "End")
