"""What goes with a thing that is picked, and what would fall from it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from homes import one_room

from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.robots.bodies.fetch import SPEC
from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.kernel.actions import action_of
from homie.kernel.types import Box, Goal, Outcome, Subtask
from skills.classical.pick import Pick, contents, standing_on
from skills.motion.held_object import Hand

BOWL = Box(np.array([1.0, 0.0, 0.78]), np.array([0.08, 0.08, 0.027]), name="bowl")


def _box_at(name: str, x: float, bottom: float, half: float) -> Box:
    return Box(np.array([x, 0.0, bottom + half]), np.full(3, half), name=name)


def _goal(*loose: Box) -> Goal:
    return replace(Goal("bowl", "", BOWL.center, BOWL), loose=loose)


def test_fruit_goes_with_its_bowl_and_what_covers_the_rim_does_not() -> None:
    plum, other = (
        _box_at("plum", 1.03, 0.755, 0.026),
        replace(BOWL, center=BOWL.center + np.array([0.0, 0.0, 0.015]), name="bowl 2"),
    )
    assert contents(_goal(plum, other, _box_at("lemon", 1.2, 0.755, 0.03))) == [plum]


def test_what_stands_on_a_thing_is_named_and_what_is_in_it_or_over_it_is_not() -> None:
    on_it, on_that = _box_at("can", 1.02, 0.807, 0.03), _box_at("lid", 1.02, 0.867, 0.03)
    assert standing_on(_goal(on_it, on_that, _box_at("plum", 1.0, 0.755, 0.026), _box_at("mug", 1.2, 0.807, 0.04))) == [
        on_it
    ]


def test_the_arm_goes_around_the_board_that_is_on_its_straight_way_to_a_bowl() -> None:
    """The bowl is low in the corner of a cabinet whose door stands open, beside a wall."""
    house = generate(33005)
    doors = [
        piece.model_copy(update={"open": 0.9}) if piece.name == "cabinet_3" else piece for piece in house.furniture
    ]
    before_it = house.robot.model_copy(update={"x": 4.11, "y": 4.92, "yaw": -0.2})
    with MujocoHome(house.model_copy(update={"furniture": doors, "robot": before_it})) as home:
        locator = home.background()
        locator.reset(seed=0)
        skill = Pick(SPEC, ArmKinematics(), Hand())
        skill.start(Subtask("Pick", "bowl"), locator.goal("bowl_1", action_of("Pick"), home.observe()), home.observe())
        skill.act(home.observe())
    assert skill.outcome is Outcome.RUNNING, skill.reason


@pytest.mark.slow
def test_what_looks_like_a_plate_is_taken_by_its_rim_again_after_fingers_closed_on_nothing() -> None:
    """From sensors its parts are not known, and its place not to the centimetre."""
    table = {"name": "table", "kind": "table", "colour": "wood", "x": 2.0, "y": 2.4}
    plate = {"name": "plate", "kind": "plate", "colour": "white", "receptacle": "table", "surface": "top"}
    skill, outcomes = Pick(SPEC, ArmKinematics(), Hand()), []
    with MujocoHome(one_room([table], [{**plate, "x": 0.0, "y": -0.15}], (2.0, 1.2, 1.57))) as home:
        locator = home.background()
        locator.reset(seed=0)
        for off in (0.04, 0.0):
            goal = replace(locator.goal("plate", action_of("Pick"), home.observe()), parts=())
            assert goal.box is not None
            away = goal.box.center[:2] - home.observe().body.base.xy
            guess = goal.box.center - off * np.array([*away / np.linalg.norm(away), 0.0])
            skill.start(Subtask("Pick", "plate"), replace(goal, box=replace(goal.box, center=guess)), home.observe())
            while skill.outcome is Outcome.RUNNING:
                home.act(skill.act(home.observe()))
            outcomes.append(skill.outcome)
    assert outcomes == [Outcome.FAILED, Outcome.SUCCEEDED], skill.reason
