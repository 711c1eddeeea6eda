"""What is remembered between two questions is what would have been found: answers of the kinematics, the floor plan."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from homie.envs.mujoco.home.floorplan import FloorPlan
from homie.envs.mujoco.home.home import open_home
from homie.envs.mujoco.robots.bodies.fetch import READY
from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.kernel.options import RunOptions
from homie.kernel.types import Command

HELD = np.array([[0.05, 0.0, 0.0, 0.04]])


def test_answers_are_those_of_fresh_kinematics():
    kinematics, rng = ArmKinematics(), np.random.default_rng(3)
    pose = kinematics.forward(READY)
    targets = [pose.position + rng.uniform(-0.15, 0.15, 3) for _ in range(4)]
    for target in [*targets, *targets]:
        for rotation, locked in ((pose.rotation, False), (pose.rotation, True), (None, False)):
            fresh = ArmKinematics().solve(target, rotation, READY, locked_torso=locked)
            answer = kinematics.solve(target, rotation, READY, locked_torso=locked)
            assert answer.q.tobytes() == fresh.q.tobytes() and answer.ok == fresh.ok
            assert (answer.position_error, answer.rotation_error) == (fresh.position_error, fresh.rotation_error)
            for finger_gap in (None, HELD, HELD + 0.02):
                assert kinematics.self_distance(answer.q, finger_gap) == ArmKinematics().self_distance(
                    answer.q, finger_gap
                )
            answer.q[:] = 0.0  # whoever has asked may write into it


@pytest.fixture(scope="module")
def home():
    home = open_home(RunOptions.build(task="-", seed=3, rooms=2, objects=8))
    yield home
    home.close()


def test_the_floor_plan_follows_what_moves(home):
    plan, world = FloorPlan(home.world), home.world
    before = plan.grid()
    before.occupied[:] = True  # whoever has asked may write into it
    assert (plan.grid().occupied == FloorPlan(world).grid().occupied).all() and not plan.grid().occupied.all()
    thing = next(iter(world.objects.values()))
    address = int(home.model.jnt_qposadr[home.model.body_jntadr[thing.body]])
    home.data.qpos[address : address + 3] = [*home.data.qpos[home._base[:2]] + [0.8, 0.0], 0.1]
    mujoco.mj_forward(home.model, home.data)
    lying = plan.grid().occupied
    assert (lying == FloorPlan(world).grid().occupied).all() and lying.sum() != before.unknown.sum()
    world.held = thing.name
    carried = plan.grid().occupied
    assert (carried == FloorPlan(world).grid().occupied).all() and carried.sum() < lying.sum()
    world.held = None


def test_a_period_at_once_is_a_period_step_by_step(home):
    """Where the base does not drive ahead, the physics of a period is one call, and the same to the last bit."""
    states = []
    for step_by_step in (False, True):
        home.reset(seed=3)
        home.after_step = (lambda: None) if step_by_step else None
        for k in range(30):
            home.act(Command(base=(0.0, 0.6), torso=0.01 * k, gripper=0.05))
        states.append((home.data.qpos.copy(), home.data.qvel.copy(), home.data.act.copy()))
    home.after_step = None
    for once, stepped in zip(*states, strict=True):
        assert np.array_equal(once, stepped)
