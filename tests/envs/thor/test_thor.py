"""The robot `thor` on a fake: AI2-THOR's actions, their conditions, and the world that comes of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import homie
from homie.envs.thor.actions import STEPS
from homie.envs.thor.robot import ThorRobot
from homie.envs.thor.settings import Approach, ThorSettings
from homie.kernel.errors import BadInput, MissingPart
from homie.kernel.robot import small_steps
from homie.kernel.support.packages import installed_version
from homie.kernel.types import Subtask
from homie.testing import check_robot
from homie.testing.thor_fake import FakeThor

KITCHEN = ThorSettings(kinds=("Fridge", "Microwave", "Sink", "SinkBasin", "Faucet", "Apple", "Mug", "Mug"))
EMPTY = ThorSettings(pose=(0.0, 0.9, 0.0, 0.0, 0.0), things={"Bread|+00.00|+00.98|+03.00": (0.0, 0.98, 3.0)})


def robot_of(chosen: ThorSettings) -> ThorRobot:
    return ThorRobot.of("fake", chosen)


def do(robot: ThorRobot, *actions: str) -> list[str]:
    """What the robot answers to actions that are written `Pick apple`."""
    return [robot.perform(Subtask(verb, name), name) for verb, _, name in (text.partition(": ") for text in actions)]


def test_it_keeps_the_contract_of_robots() -> None:
    check_robot(robot_of(KITCHEN))


def test_without_the_package_or_with_another_argument_it_says_what_to_do() -> None:
    with pytest.raises(BadInput, match="takes 'fake' or nothing"):
        ThorRobot.of("standin", KITCHEN)
    if installed_version("ai2thor") is None:
        with pytest.raises(MissingPart, match="ai2thor"):
            ThorRobot.of("", KITCHEN)


def test_a_thing_is_carried_into_the_fridge_and_is_cold_once_that_is_closed() -> None:
    robot = robot_of(KITCHEN)
    assert do(robot, "Go to: apple", "Pick: apple") == ["", ""]
    assert robot.snapshot().held == "apple"
    assert do(robot, "Go to: fridge", "Put: fridge") == [
        "",
        "Target openable Receptacle is CLOSED, can't place if target is not open!",
    ]
    assert do(robot, "Open: fridge", "Put: fridge") == ["", ""]
    assert not robot.snapshot().objects["apple"].states["cooled"]
    assert do(robot, "Close: fridge") == [""]
    apple = robot.snapshot().objects["apple"]
    assert (apple.relation, apple.at, apple.states["cooled"], apple.states["heated"]) == ("in", "fridge", True, False)
    assert do(robot, "Pick: apple") == ["Target object not found within the specified visibility."]


def test_what_is_in_the_basin_is_clean_and_what_is_in_the_microwave_is_hot_when_it_is_turned_on() -> None:
    robot = robot_of(KITCHEN)
    wash = ("Go to: mug", "Pick: mug", "Go to: sink_basin", "Put: sink_basin", "Go to: faucet", "Turn on: faucet")
    assert do(robot, *wash) == [""] * 6
    cook = ("Go to: apple", "Pick: apple", "Go to: microwave", "Open: microwave", "Put: microwave")
    assert do(robot, *cook, "Turn on: microwave") == [*[""] * 5, "Target must be closed to Toggle On!"]
    assert do(robot, "Close: microwave", "Turn on: microwave") == ["", ""]
    objects = robot.snapshot().objects
    assert [objects[name].states["clean"] for name in ("mug", "mug_2", "apple")] == [True, False, False]
    assert [objects[name].states["heated"] for name in ("mug", "apple")] == [False, True]


def test_what_is_put_into_a_sink_is_in_its_basin() -> None:
    options = {"robot": "thor:fake", "robot_settings": {"kinds": list(KITCHEN.kinds)}, "skills": "own"}
    with homie.open(**options) as session:
        calls = (("Go to", "mug"), ("Pick", "mug"), ("Go to", "sink"), ("Put", "mug", "sink"))
        assert all(session.call(*call).feedback.ok for call in calls)
        assert session.world_state().objects["mug"].at == "sink_basin"


def test_a_sliced_thing_is_replaced_by_slices_of_its_kind() -> None:
    robot = robot_of(ThorSettings(kinds=("Apple",), actions="eb-alfred"))
    assert do(robot, "Find: apple", "SliceObject: apple") == ["", ""]
    assert do(robot, "SliceObject: apple") == ["apple is not the objectId on any object in the scene!"]
    objects = robot.snapshot().objects
    assert len(objects) == 3 and all(item.kind == "apple" and item.states["sliced"] for item in objects.values())


def test_one_hand_holds_one_thing() -> None:
    robot = robot_of(KITCHEN)
    assert do(robot, "Go to: mug", "Pick: mug", "Pick: apple") == [
        "",
        "",
        "Agent hand has something in it already! Can't pick up anything else",
    ]


def test_what_is_far_away_or_behind_the_agent_is_not_visible() -> None:
    robot = robot_of(EMPTY)
    assert robot.visible() == []
    assert do(robot, "Go to: bread") == [""] and "bread" in robot.visible()
    assert do(robot, small_steps.TURN_RIGHT, small_steps.TURN_RIGHT) == ["", ""]
    assert robot.visible() == []


def test_it_moves_by_the_stride_until_a_wall_and_says_what_blocks_it() -> None:
    robot = robot_of(EMPTY)
    answers = do(robot, *[small_steps.BACKWARD] * 10)
    assert answers[0] == "" and answers[-1].startswith("wall is blocking Agent 0 from moving by")
    here = robot.snapshot().robot
    assert here.y == pytest.approx(-small_steps.STRIDE * answers.count("")) and here.x == pytest.approx(0.0)
    assert (
        do(robot, small_steps.TILT_UP, small_steps.TILT_UP)[1]
        == "can't look up beyond 30 degrees above the forward horizon"
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(list(STEPS)), max_size=12))
def test_whatever_steps_it_takes_it_stays_in_its_room_on_its_grid_and_a_failed_step_changes_nothing(
    taken: list[str],
) -> None:
    robot = robot_of(EMPTY.model_copy(update={"picture_size": "16x16"}))
    for step in taken:
        before = robot.snapshot().robot
        refused = robot.perform(Subtask(step), "")
        now = robot.snapshot().robot
        assert now.x is not None and now.y is not None and now.yaw is not None
        assert not refused or now == before
        assert all(abs(4 * value - round(4 * value)) < 1e-6 for value in (now.x, now.y))
        assert -1.5 <= now.x <= 1.5 and -1.5 <= now.y <= 4.5


def test_without_a_size_its_pictures_are_those_of_ai2_thor() -> None:
    assert robot_of(EMPTY.model_copy(update={"picture_size": None})).picture_size == (300, 300)


def test_a_restart_undoes_everything() -> None:
    robot = robot_of(KITCHEN)
    before = robot.snapshot()
    do(robot, "Go to: apple", "Pick: apple")
    assert robot.snapshot() != before
    robot.reset(seed=1)
    assert robot.snapshot() == before


def test_the_task_of_a_scene_is_done_within_its_metres_of_the_point() -> None:
    approach = Approach(target="Bread|1", point=(0.0, 0.98, 3.0), metres=1.0)
    robot = robot_of(EMPTY.model_copy(update={"approach": approach}))
    verdicts = []
    for _ in range(8):
        do(robot, small_steps.FORWARD)
        verdicts.append(robot.snapshot().success)
    assert verdicts == [False] * 7 + [True], "eight moves of 25 cm leave 1 m"


def test_the_picture_shows_the_thing_where_its_position_is() -> None:
    robot = robot_of(EMPTY)
    frame = robot.observe(("front",)).frames["front"]
    assert frame.instances is not None and frame.depth is not None
    rows, columns = np.nonzero(frame.instances == frame.instance_names.index("bread"))
    bread = np.array(robot.snapshot().objects["bread"].position)
    across, down, ahead = frame.pose.rotation.T @ (bread - frame.pose.position)
    lens = frame.intrinsics
    assert abs(columns.mean() - (lens.cx + lens.fx * across / ahead)) < 2
    assert abs(rows.mean() - (lens.cy + lens.fy * down / ahead)) < 2
    assert frame.depth[rows[0], columns[0]] == pytest.approx(ahead, abs=0.35), "its front, not its middle"


def test_hidden_things_are_gone_and_a_start_inside_of_something_is_refused() -> None:
    robot = robot_of(EMPTY.model_copy(update={"hidden": tuple(EMPTY.things)}))
    assert "bread" not in robot.snapshot().things
    with pytest.raises(BadInput, match="give a free place"):
        FakeThor(EMPTY.model_copy(update={"pose": (0.0, 0.9, 3.0, 0.0, 0.0)}))


def test_an_action_that_there_is_not_is_an_error_as_in_ai2thor() -> None:
    with pytest.raises(ValueError, match="Invalid action: Fly"):
        FakeThor(EMPTY).step(action="Fly")


def test_headings_are_homies() -> None:
    robot = robot_of(EMPTY)
    do(robot, small_steps.TURN_RIGHT, small_steps.FORWARD)
    here = robot.snapshot().robot
    assert (here.x, here.y) == pytest.approx((0.25, 0.0)) and math.cos(here.yaw or 0.0) == pytest.approx(1.0)


def test_the_fake_has_the_argument_of_version_0_1_too() -> None:
    old, new = (ThorRobot.of(argument, EMPTY) for argument in ("stand-in", "fake"))  # codespell:ignore
    assert old.describe() == new.describe()
    with pytest.warns(DeprecationWarning, match="thor_fake"):
        from homie.envs.thor.stand_in.controller import StandIn  # codespell:ignore
    assert StandIn is FakeThor
