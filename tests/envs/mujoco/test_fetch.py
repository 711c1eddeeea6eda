"""The Fetch's body: servos, contacts, gripper, cameras, in the physics and not in its tables."""

import mujoco
import numpy as np
import pytest

from homie.envs.mujoco.blueprints.parts import Vec3
from homie.envs.mujoco.robots.bodies import fetch
from homie.envs.mujoco.robots.bodies.fetch import HAND, SPEC
from homie.envs.mujoco.robots.bodies.fetch_kinematics import FETCH, ArmKinematics
from homie.envs.mujoco.robots.drive import BASE_JOINTS
from homie.envs.mujoco.robots.joint_servos import PREFIX, place
from homie.kernel.types import VIEWS, Array

LIMBS = SPEC.chain.names


def empty_world() -> mujoco.MjSpec:
    """A floor, with the options of the embedded home."""
    spec = mujoco.MjSpec()
    spec.option.timestep = 0.004
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 5.0
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 0.1], contype=1, conaffinity=3)
    return spec


class Stage:
    """A compiled world with a Fetch added, that gets targets by joint name."""

    def __init__(
        self, spec: mujoco.MjSpec, posture: Array = fetch.REST, pos: Vec3 = (0.0, 0.0, 0.0), yaw: float = 0.0
    ) -> None:
        FETCH.add(spec, pos, yaw)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        place(self.model, self.data, dict(zip(LIMBS, posture, strict=True)))

    def joint(self, name: str) -> float:
        return float(self.data.joint(PREFIX + name).qpos[0])

    def q(self) -> Array:
        return np.array([self.joint(name) for name in LIMBS])

    def tell(self, name: str, value: float) -> None:
        self.data.actuator(PREFIX + name).ctrl = value

    def run(self, seconds: float) -> None:
        mujoco.mj_step(self.model, self.data, nstep=round(seconds / self.model.opt.timestep))

    def move(self, target: Array) -> Array:
        """Ramp the limbs to `target` at 80 % of their speeds; the largest lag behind the ramp, (8,)."""
        start = self.q()
        speeds = 0.8 * SPEC.chain.speeds
        count = int(np.ceil(np.max(np.abs(target - start) / speeds) / SPEC.period))
        lag = np.zeros(8)
        for step in range(1, count + 1):
            command = start + (target - start) * step / count
            for name, value in zip(LIMBS, command, strict=True):
                self.tell(name, value)
            self.run(SPEC.period)
            lag = np.maximum(lag, np.abs(self.q() - command))
        return lag


def test_every_name_has_the_prefix() -> None:
    model = Stage(empty_world(), fetch.REST).model
    names = [model.body(i).name for i in range(1, model.nbody)]
    names += [model.joint(i).name for i in range(model.njnt)]
    names += [model.actuator(i).name for i in range(model.nu)]
    names += [model.camera(i).name for i in range(model.ncam)]
    assert len(names) > 40
    assert all(name.startswith(PREFIX) for name in names)


def test_start_pose_is_the_position_of_the_base_joints() -> None:
    stage = Stage(empty_world(), fetch.REST, (1.5, -0.7, 0.0), 2.0)
    assert [stage.joint(name) for name in BASE_JOINTS] == pytest.approx([1.5, -0.7, 2.0])
    base = stage.data.body(PREFIX + "base_link")
    assert base.xpos == pytest.approx([1.5, -0.7, 0.0])
    assert base.xmat[[0, 3]] == pytest.approx([np.cos(2.0), np.sin(2.0)])
    # The drive's axes are the world's, whatever the heading.
    stage.tell("base_x", 0.5)
    stage.run(1.0)
    moved = base.xpos - [1.5, -0.7, 0.0]
    assert moved[0] > 0.3
    assert abs(moved[1]) < 0.02


@pytest.mark.parametrize("degrees", [True, False])
def test_joint_limits_do_not_depend_on_the_angle_unit_of_the_world(degrees: bool) -> None:
    spec = empty_world()
    spec.compiler.degree = degrees
    FETCH.add(spec, (0.0, 0.0, 0.0), 0.5)
    model = spec.compile()
    assert model.joint(PREFIX + "shoulder_pan_joint").range == pytest.approx([-1.6056, 1.6056])
    assert model.joint(PREFIX + "torso_lift_joint").range == pytest.approx([0.0, 0.38615])
    assert model.joint(PREFIX + "base_yaw").qpos0 == pytest.approx([0.5])


def test_holds_a_posture_without_sag() -> None:
    stage = Stage(empty_world(), np.zeros(8))  # the arm stretched out
    stage.run(2.0)
    assert stage.q() == pytest.approx(np.zeros(8), abs=1e-4)
    assert [stage.joint(name) for name in BASE_JOINTS] == pytest.approx([0, 0, 0], abs=1e-4)


def test_limbs_follow_their_targets_and_do_not_overshoot() -> None:
    stage = Stage(empty_world(), fetch.REST)
    for target in (fetch.READY, fetch.CARRY, np.array([0.25, 0.0, -0.2, 0.0, 1.2, 0.0, 0.6, 0.0])):
        lag = stage.move(target)
        assert lag[0] < 0.01
        assert np.max(lag[1:]) < 0.12
        stage.run(0.3)
        assert stage.q() == pytest.approx(target, abs=0.01)
    assert [stage.joint(name) for name in BASE_JOINTS] == pytest.approx([0, 0, 0], abs=0.02)


def test_a_wall_stops_the_base() -> None:
    spec = empty_world()
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.05, 2, 1], pos=[1.0, 0, 1], contype=1, conaffinity=3
    )
    stage = Stage(spec, fetch.REST)
    stage.tell("base_x", 0.8)
    stage.run(3.0)
    # The base's radius is 0.28 m: its front is at the wall's face at 0.95 m.
    assert stage.joint("base_x") == pytest.approx(0.67, abs=0.01)
    assert abs(stage.data.joint(PREFIX + "base_x").qvel[0]) < 0.01
    stage.tell("base_x", -0.5)
    stage.run(1.0)
    assert stage.joint("base_x") < 0.4


def test_a_pushed_arm_does_not_roll_the_base_away() -> None:
    stage = Stage(empty_world(), fetch.CARRY)
    stage.data.body(PREFIX + "gripper_link").xfrc_applied[:3] = [40.0, 0.0, 0.0]  # a door's pull
    stage.run(5.0)
    assert [stage.joint(name) for name in BASE_JOINTS] == pytest.approx([0, 0, 0], abs=0.01)


def graspable(spec: mujoco.MjSpec, stand: float, offset: float = 0.0) -> None:
    """A box of 5 x 5 x 10 cm and 0.3 kg on a pillar, its centre at x 0.75, z `stand` + 0.05."""
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.1, 0.2, stand / 2], pos=[0.80, 0, stand / 2], contype=1, conaffinity=3
    )
    body = spec.worldbody.add_body(name="box", pos=[0.75, offset, stand + 0.05])
    body.add_freejoint()
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.025, 0.025, 0.05], mass=0.3, contype=1, conaffinity=3, condim=4
    )


@pytest.mark.parametrize("offset", [0.0, 0.015])
def test_gripper_closes_on_a_box_and_lifts_it_by_friction(offset: float) -> None:
    spec = empty_world()
    graspable(spec, 0.7, offset)
    kinematics = ArmKinematics()
    at_box = kinematics.solve(np.array([0.75, 0.0, 0.77]), np.eye(3), fetch.CARRY)
    heights = np.linspace(0.79, 0.89, 6)
    assert at_box.ok
    up = [at_box.q]
    for height in heights:
        step = kinematics.solve(np.array([0.75, 0.0, height]), np.eye(3), up[-1])
        assert step.ok
        up.append(step.q)
    stage = Stage(spec, at_box.q)
    for finger in HAND.fingers:
        stage.data.joint(PREFIX + finger).qpos = 0.05
        stage.tell(finger, 0.0)
    stage.run(1.0)
    widths = [stage.joint(finger) for finger in HAND.fingers]
    assert sum(widths) == pytest.approx(0.05, abs=0.003)
    assert widths[0] == pytest.approx(widths[1], abs=0.003)
    before = float(stage.data.body("box").xpos[2])
    for q in up:
        stage.move(q)
    stage.run(3.0)
    grip_offset = stage.data.body("box").xpos - stage.data.site(PREFIX + "gripper").xpos
    assert stage.data.body("box").xpos[2] > before + 0.11
    assert np.linalg.norm(grip_offset) < 0.035
    for finger in HAND.fingers:
        stage.tell(finger, 0.05)
    stage.run(1.0)
    assert stage.data.body("box").xpos[2] < before + 0.01


TOUCHES: dict[str, Array] = {
    "hand and base": np.array([0.0, 0.0, 1.5, 0.0, 2.0, 0.0, 1.6, 0.0]),
    "hand and head": np.array([0.2, 0.0, -1.2, 0.0, -2.2, 0.0, 0.0, 0.0]),
    "hand and torso": np.array([0.1, 0.0, 0.9, 0.0, 2.2, 0.0, 2.1, 0.0]),
}
"""Postures in which the arm would be inside the robot."""


@pytest.mark.parametrize("name", TOUCHES)
def test_the_arm_stops_at_the_robot_itself(name: str) -> None:
    """The servos are commanded to go through: they are held up, nowhere by more than 5 mm, and come free again."""
    target = TOUCHES[name]
    assert ArmKinematics().self_distance(target) < -0.03
    stage = Stage(empty_world(), fetch.READY)
    start = stage.q()
    deepest, touching = 0.0, False
    for step in range(1, 81):
        for joint, value in zip(LIMBS, start + (target - start) * min(1.0, step / 60), strict=True):
            stage.tell(joint, value)
        stage.run(0.04)
        depths = [-contact.dist for contact in stage.data.contact if 0 not in contact.geom]
        touching = touching or bool(depths)
        deepest = max([deepest, *depths])
    assert touching and deepest < 0.005
    assert np.max(np.abs(stage.q() - target)) > 0.05
    stage.move(fetch.READY)
    stage.run(0.5)
    assert stage.q() == pytest.approx(fetch.READY, abs=0.02)


@pytest.mark.parametrize("posture", [fetch.REST, fetch.CARRY, fetch.READY], ids=["rest", "carry", "ready"])
def test_postures_for_travelling_touch_nothing(posture: Array) -> None:
    stage = Stage(empty_world(), posture)
    stage.run(0.5)
    assert all(0 in contact.geom for contact in stage.data.contact)


def test_what_is_seen_of_a_link_is_inside_what_touches() -> None:
    """Points of each drawn shape lie within 3 mm of the collision shapes, in several postures; wheels stand lower."""
    model = Stage(empty_world()).model
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    drawn = [g for g in range(model.ngeom) if model.geom_group[g] == 2]
    solid = [g for g in range(model.ngeom) if model.geom_group[g] == 3]
    for posture in (fetch.READY, np.array([0.386, 0.5, -0.5, 1.0, 1.2, 0.7, 1.0, 0.4])):
        place(model, data, dict(zip(LIMBS, posture, strict=True)))
        for geom in drawn:
            for point in _surface(model, data, geom, rng):
                if point[2] > 0.04:
                    out = min(_outside(model, data, other, point) for other in solid)
                    assert out < 0.003, (model.body(model.geom_bodyid[geom]).name, geom, point, out)


def _surface(model: mujoco.MjModel, data: mujoco.MjData, geom: int, rng: np.random.Generator) -> Array:
    """Points (12, 3) at the rim of a shape, where it reaches furthest."""
    kind, size = model.geom_type[geom], model.geom_size[geom]
    turn = rng.uniform(0, 2 * np.pi, 12)
    ends = np.sign(rng.uniform(-1, 1, (12, 3)))
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        local = ends * size
    elif kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        local = np.stack([size[0] * np.cos(turn), size[0] * np.sin(turn), size[1] * ends[:, 2]], 1)
    else:
        assert kind == mujoco.mjtGeom.mjGEOM_CAPSULE
        away = rng.normal(size=(12, 3))
        away /= np.linalg.norm(away, axis=1, keepdims=True)
        local = size[0] * away + np.stack([0 * turn, 0 * turn, size[1] * np.sign(away[:, 2])], 1)
    return np.asarray(data.geom_xpos[geom] + local @ data.geom_xmat[geom].reshape(3, 3).T)


def _outside(model: mujoco.MjModel, data: mujoco.MjData, geom: int, point: Array) -> float:
    """Metres from a point to a shape, 0 inside."""
    local = data.geom_xmat[geom].reshape(3, 3).T @ (point - data.geom_xpos[geom])
    kind, size = model.geom_type[geom], model.geom_size[geom]
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return float(np.linalg.norm(np.maximum(np.abs(local) - size, 0.0)))
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        over = np.array([np.hypot(local[0], local[1]) - size[0], abs(local[2]) - size[1]])
        return float(np.linalg.norm(np.maximum(over, 0.0)))
    along = np.clip(local[2], -size[1], size[1])
    return max(0.0, float(np.linalg.norm(local - [0.0, 0.0, along]) - size[0]))


def test_cardinal_cameras_are_90_degrees_apart_counter_clockwise_from_the_front() -> None:
    yaw = 0.7
    stage = Stage(empty_world(), fetch.REST, (1.0, 2.0, 0.0), yaw)
    assert VIEWS == ("front", "left", "back", "right")
    for number, view in enumerate(VIEWS):
        axes = stage.data.camera(PREFIX + view).xmat.reshape(3, 3)
        forward, up = -axes[:, 2], axes[:, 1]
        heading = yaw + number * np.pi / 2
        level = np.array([np.cos(heading), np.sin(heading), 0.0])
        assert forward == pytest.approx(level * np.cos(np.deg2rad(20)) - [0, 0, np.sin(np.deg2rad(20))], abs=1e-6)
        assert up[2] > 0.9
        assert stage.model.camera(PREFIX + view).fovy == pytest.approx(90.0)
        away = stage.data.camera(PREFIX + view).xpos - [1.0, 2.0, 0.0]
        assert away @ level > 0.2


def test_the_wrist_camera_looks_along_the_fingers_and_a_little_down() -> None:
    stage = Stage(empty_world(), fetch.READY)
    camera, gripper = stage.data.camera(PREFIX + "wrist"), stage.data.site(PREFIX + "gripper")
    axes = gripper.xmat.reshape(3, 3)
    forward = -camera.xmat.reshape(3, 3)[:, 2]
    assert axes.T @ forward == pytest.approx([np.cos(np.deg2rad(25)), 0.0, -np.sin(np.deg2rad(25))], abs=1e-6)
    assert axes.T @ (camera.xpos - gripper.xpos) == pytest.approx([-0.05, 0.0, 0.09], abs=1e-6)
    assert stage.model.camera(PREFIX + "wrist").fovy == pytest.approx(90.0)


def test_head_camera_follows_pan_and_tilt() -> None:
    stage = Stage(empty_world(), fetch.REST)
    camera = stage.data.camera(PREFIX + "head")
    assert -camera.xmat.reshape(3, 3)[:, 2] == pytest.approx([1, 0, 0], abs=1e-6)
    stage.tell("head_pan_joint", 1.0)
    stage.tell("head_tilt_joint", 0.5)
    stage.run(2.0)
    expected = [np.cos(1.0) * np.cos(0.5), np.sin(1.0) * np.cos(0.5), -np.sin(0.5)]
    assert -camera.xmat.reshape(3, 3)[:, 2] == pytest.approx(expected, abs=5e-3)
