"""The skill set `steps` on the Fetch in a room: eight small actions, and moves that something stops."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from homes import one_room

from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.actions import action_table
from homie.kernel.errors import BadInput
from homie.kernel.types import Outcome, Pose2, Subtask, wrap_angles
from skills.discrete_actions.skill_set import Steps
from skills.discrete_actions.step import Step
from skills.discrete_actions.step_actions import SMALL

FORWARD, BACKWARD, RIGHTWARD, LEFTWARD, TURN_RIGHT, TURN_LEFT, UP, DOWN = SMALL


@pytest.fixture(scope="module")
def home() -> Iterator[MujocoHome]:
    table = {"name": "table", "kind": "table", "colour": "brown", "x": 2.9, "y": 2.0, "yaw": 0.0}
    with MujocoHome(one_room([table], robot=(1.6, 2.0, 0.0)), picture_size=(16, 16), shade=False) as robot:
        yield robot


def take_actions(home: MujocoHome, *names: str) -> tuple[Pose2, Step]:
    """Where the base is after some actions from the start, and the skill after the last of them."""
    home.reset(seed=0)
    locator = home.background()
    locator.reset(seed=0)
    (step,) = Steps("").skills(home.spec, home.kinematics)
    assert isinstance(step, Step)
    for name in names:
        observation = home.observe()
        step.start(Subtask(name), locator.here(observation), observation)
        while step.outcome is Outcome.RUNNING:
            home.act(step.act(home.observe()))
    return home.measured().base, step


@pytest.mark.parametrize(
    ("names", "x", "y", "degrees"),
    [
        ((FORWARD,), 0.25, 0.0, 0),
        ((BACKWARD, BACKWARD), -0.5, 0.0, 0),
        ((RIGHTWARD,), 0.0, -0.25, 0),
        ((LEFTWARD, FORWARD), 0.25, 0.25, 0),
        ((TURN_LEFT, FORWARD, TURN_RIGHT, TURN_RIGHT), 0.0, 0.25, -90),
    ],
)
def test_a_step_ends_where_it_says(home: MujocoHome, names: tuple[str, ...], x: float, y: float, degrees: int) -> None:
    start, _ = take_actions(home)
    base, step = take_actions(home, *names)
    assert step.outcome is Outcome.SUCCEEDED
    assert (base.x - start.x, base.y - start.y) == pytest.approx((x, y), abs=0.02)
    assert abs(wrap_angles(base.yaw - start.yaw - math.radians(degrees))) < 0.03
    assert max(abs(speed) for speed in home.measured().base_velocity) < 0.02, "it rests, so that pictures are sharp"


def test_errors_do_not_add_up(home: MujocoHome) -> None:
    start, _ = take_actions(home)
    square = (LEFTWARD, TURN_LEFT, LEFTWARD, TURN_LEFT, LEFTWARD, TURN_LEFT, LEFTWARD, TURN_LEFT)
    base, _ = take_actions(home, *square)
    assert math.dist(base.xy, start.xy) < 0.025 and abs(wrap_angles(base.yaw - start.yaw)) < 0.03


def test_a_move_into_something_fails_and_moves_nothing(home: MujocoHome) -> None:
    before, _ = take_actions(home, FORWARD, FORWARD)
    base, step = take_actions(home, FORWARD, FORWARD, FORWARD)
    assert (step.outcome, step.retryable) == (Outcome.FAILED, False)
    assert step.feedback_message == "Unable to move forward by 0.25, something is in the way"
    assert math.dist(base.xy, before.xy) < 0.01
    base, step = take_actions(home, FORWARD, FORWARD, FORWARD, LEFTWARD)
    assert step.outcome is Outcome.SUCCEEDED and not step.feedback_message


def test_a_move_that_is_stopped_on_its_way_is_taken_back(home: MujocoHome) -> None:
    """What no plan of the floor shows: here the plan is that of an empty room."""
    home.reset(seed=0)
    locator = home.background()
    locator.reset(seed=0)
    (step,) = Steps("").skills(home.spec, home.kinematics)
    for _ in range(6):
        observation = home.observe()
        goal = locator.here(observation)
        assert goal.grid is not None
        goal.grid.occupied[:] = False
        before = home.measured().base
        step.start(Subtask(FORWARD), goal, observation)
        while step.outcome is Outcome.RUNNING:
            home.act(step.act(home.observe()))
        if step.outcome is Outcome.FAILED:
            break
    assert step.outcome is Outcome.FAILED and step.reason == "something is in the way"
    assert math.dist(home.measured().base.xy, before.xy) < 0.04


def test_the_camera_is_tilted_as_far_as_it_can_be(home: MujocoHome) -> None:
    def tilt(*names: str) -> tuple[float, Step]:
        _, step = take_actions(home, *names)
        head = home.spec.head
        assert head is not None
        return float(np.degrees(head.measured(home.measured())[1])), step

    start = tilt()[0]
    assert tilt(DOWN)[0] == pytest.approx(start + 30.0, abs=1.0)
    assert tilt(DOWN, DOWN, UP)[0] == pytest.approx(start + 30.0, abs=1.0)
    degrees, step = tilt(UP, UP, UP)
    assert degrees == pytest.approx(start - 60.0, abs=1.0) and step.outcome is Outcome.FAILED
    assert step.feedback_message.endswith("the camera cannot be tilted any further")
    assert tilt(UP, FORWARD)[0] == pytest.approx(start - 30.0, abs=1.0), "it stays so while the base moves"


def test_the_actions_are_those_of_eb_navigation_in_their_order() -> None:
    assert list(SMALL) == [
        *("Move forward by 0.25", "Move backward by 0.25", "Move rightward by 0.25", "Move leftward by 0.25"),
        *("Rotate to the right by 90 degrees", "Rotate to the left by 90 degrees"),
        *("Tilt the camera upward by 30 degrees", "Tilt the camera downward by 30 degrees"),
    ]
    assert all(action_table([Steps.own_actions])[name].arguments == () for name in SMALL)


def test_a_body_without_a_head_takes_no_steps() -> None:
    from homie.envs.mujoco.robots.bodies.panda import SPEC

    with pytest.raises(BadInput, match="The skill set 'steps' needs a base that drives and a head"):
        Steps("").skills(SPEC, None)  # type: ignore[arg-type]
