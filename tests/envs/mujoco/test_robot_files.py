"""The MJCF files of the robots by themselves: as somebody opens them in MuJoCo's own viewer."""

from __future__ import annotations

import warnings

import mujoco
import numpy as np
import pytest

from homie.envs.mujoco.house.build import empty_spec
from homie.envs.mujoco.house.contacts import PAD_SOLIMP, SOLIMP, SOLREF, stiffen
from homie.envs.mujoco.robots.bodies import fetch, panda
from homie.envs.mujoco.robots.bodies.fetch_kinematics import FETCH

ROBOTS = {"fetch": fetch, "panda": panda}
POSTURES = [("fetch", "rest"), ("fetch", "carry"), ("fetch", "ready"), ("fetch", ""), ("panda", "ready")]
"""Keyframes by robot; "" is all joints at 0, in which a viewer shows it."""


@pytest.mark.parametrize(("name", "posture"), POSTURES)
def test_a_file_by_itself_holds_a_posture_for_a_second(name: str, posture: str) -> None:
    model = mujoco.MjModel.from_xml_path(str(ROBOTS[name].FILE.path))
    data = mujoco.MjData(model)
    if posture:
        mujoco.mj_resetDataKeyframe(model, data, model.key(posture).id)
    start = data.qpos.copy()
    mujoco.mj_step(model, data, nstep=round(1.0 / model.opt.timestep))
    assert data.time == pytest.approx(1.0)
    np.testing.assert_allclose(data.qpos, start, atol=1e-3)
    np.testing.assert_allclose(data.qvel, 0.0, atol=1e-3)


@pytest.mark.parametrize("name", ROBOTS)
def test_a_world_gets_a_robot_as_it_is_in_its_file(name: str) -> None:
    file = ROBOTS[name].FILE
    world = empty_spec("world")
    stiffen(world)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # MuJoCo's, of options in which the two differ
        file.add(world, (1.0, 2.0, 0.5), 0.7)
        model = world.compile()
    alone = file.model
    for number in range(1, alone.nbody):
        body = model.body(f"robot/{alone.body(number).name}")
        assert body.mass == alone.body(number).mass
        np.testing.assert_array_equal(body.inertia, alone.body(number).inertia)
    for number in range(alone.nu):
        servo, own = model.actuator(f"robot/{alone.actuator(number).name}"), alone.actuator(number)
        np.testing.assert_array_equal(servo.forcerange, own.forcerange)
        np.testing.assert_allclose(servo.biasprm, own.biasprm, rtol=1e-9)
    assert model.opt.timestep == world.option.timestep and model.nkey == 0


def test_the_fetch_touches_as_stiffly_as_the_houses_do() -> None:
    model, pads = fetch.FILE.model, [fetch.FILE.model.geom(pad).id for pad in fetch.HAND.pads]
    for number in range(model.ngeom):
        np.testing.assert_array_equal(model.geom_solref[number], SOLREF)
        np.testing.assert_array_equal(model.geom_solimp[number], PAD_SOLIMP if number in pads else SOLIMP)
    np.testing.assert_array_equal(model.pair_solref, [SOLREF] * model.npair)
    np.testing.assert_array_equal(model.pair_solimp, [SOLIMP] * model.npair)


def test_a_servo_limit_is_the_limit_of_its_joint() -> None:
    for robot in ROBOTS.values():
        model = robot.FILE.model
        for number in range(model.nu):
            joint = model.joint(model.actuator(number).name)
            if model.jnt_limited[joint.id]:
                np.testing.assert_array_equal(model.actuator(number).ctrlrange, joint.range)


def test_the_fetch_is_driven_by_the_first_servos_of_its_world() -> None:
    world = empty_spec("world")
    FETCH.add(world, (0.0, 0.0, 0.0), 0.0)
    model = world.compile()
    assert [model.actuator(number).name for number in range(3)] == ["robot/base_x", "robot/base_y", "robot/base_yaw"]
    assert [model.joint(number).name for number in range(3)] == ["robot/base_x", "robot/base_y", "robot/base_yaw"]
