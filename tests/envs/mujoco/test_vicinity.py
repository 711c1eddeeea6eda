"""Leaving out what nothing can reach: not a bit of the world's state may differ by it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import mujoco
import numpy as np
import pytest

from homie.envs.mujoco.home.home import MujocoHome, open_home
from homie.envs.mujoco.house.contacts import Vicinity
from homie.kernel.options import RunOptions
from homie.kernel.types import Command


@contextmanager
def everything(vicinity: Vicinity) -> Iterator[None]:
    yield


def wild_drive(seed: int, things: int = 12) -> MujocoHome:
    """A robot that drives and turns about with a swinging arm, into what stands there; half of the way in, four things
    fall from above on to what lies in the house."""
    robot = open_home(RunOptions.build(task="benchmark", seed=seed, objects=things))
    try:
        rng = np.random.default_rng(seed)
        rest = np.array(robot.spec.rest["arm"])
        for period in range(120):
            if period % 20 == 0:
                base = float(rng.uniform(-0.5, 1.0)), float(rng.uniform(-1.5, 1.5))
            if period == 60:
                drop(robot, rng)
            robot.act(Command(base=base, arm=tuple(rest + 0.4 * np.sin(period / 8))))
    finally:
        robot.close()
    return robot


def drop(robot: MujocoHome, rng: np.random.Generator) -> None:
    items = robot.home.index.objects
    falling, below = items[:4], items[4:8]
    for item, under in zip(falling, below, strict=True):
        start = int(robot.model.jnt_qposadr[robot.model.body_jntadr[item.body]])
        where = robot.data.xpos[under.body] + rng.uniform(-0.02, 0.02, 3) + (0.0, 0.0, 0.6)
        robot.data.qpos[start : start + 3] = where
        robot.data.qvel[robot.model.body_dofadr[item.body] + 2] = -0.1
    mujoco.mj_forward(robot.model, robot.data)


@pytest.mark.parametrize("seed", [7, 31])
def test_the_state_is_the_same_to_the_bit_as_with_every_body(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    near = wild_drive(seed)
    monkeypatch.setattr(Vicinity, "alone", everything)
    full = wild_drive(seed)
    assert near.data.qpos.tobytes() == full.data.qpos.tobytes()
    assert near.data.qvel.tobytes() == full.data.qvel.tobytes()


def test_most_of_a_quiet_house_takes_no_part_and_all_of_it_does_afterwards() -> None:
    robot = open_home(RunOptions.build(task="benchmark", seed=7, objects=20))
    before = robot.model.body_contype.copy()
    taking_part: list[int] = []
    robot.after_step = lambda: taking_part.append(int(np.count_nonzero(robot.model.body_contype)))
    robot.act(Command())
    robot.close()
    assert max(taking_part) < np.count_nonzero(before) / 2
    assert np.array_equal(robot.model.body_contype, before)


def test_what_lies_on_a_thing_that_can_be_woken_takes_part_as_well() -> None:
    """Two plates in a row on a long shelf, the awake ball next to the first alone: the second stands on the first."""
    spec = mujoco.MjSpec()
    spec.option.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 0.1])
    for name, x, z in (("ball", 0.0, 1.0), ("near", 0.4, 0.05), ("on near", 0.4, 0.16), ("far", 3.0, 0.05)):
        body = spec.worldbody.add_body(name=name, pos=[x, 0, z])
        body.add_freejoint()
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.05, 0.05, 0.05])
        if name != "ball":
            body.sleep = mujoco.mjtSleepPolicy.mjSLEEP_INIT
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetData(model, data)
    data.qpos[2] = 0.6  # the ball reaches the lower box, not the one on it
    mujoco.mj_forward(model, data)
    with Vicinity(model, data, 0.04).alone():
        part = {model.body(body).name for body in np.flatnonzero(model.body_contype)}
    assert part == {"world", "ball", "near", "on near"}
