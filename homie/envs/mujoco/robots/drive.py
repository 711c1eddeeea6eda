"""A base on wheels in MuJoCo: three joints, `base_x`, `base_y` (world axes) and `base_yaw`.

Their positions are the pose of the base in the world. They are driven by velocity servos of about the force that wheels
have, so a wall stops the robot; wheels are only drawn. Whoever drives them turns velocities of the base into those of
the world: a differential base is given none to the side.
"""

from __future__ import annotations

import math

import mujoco

from homie.envs.mujoco.blueprints.parts import Vec3
from homie.envs.mujoco.robots.joint_servos import PREFIX

BASE_JOINTS = ("base_x", "base_y", "base_yaw")

BASE_FORCE, BASE_TORQUE = 280.0, 53.0
"""What two wheels of 8.85 N m, 0.0625 m in radius and 0.375 m apart give (N, N m): those of a Fetch."""

_BASE_GAINS = (15000.0, 15000.0, 1000.0)
"""N s/m and N m s. Much more would chatter: the force would saturate within one time step."""

_BASE_FRICTION = (60.0, 60.0, 15.0)
"""N and N m: gears that are not driven backwards, so that a door being pulled does not drag the base along."""


def add_base_servos(spec: mujoco.MjSpec) -> None:
    """Add the servos of a base to a world; `add_base_joints` adds what they drive, before the world is compiled."""
    limits = (BASE_FORCE, BASE_FORCE, BASE_TORQUE)
    for name, gain, limit in zip(BASE_JOINTS, _BASE_GAINS, limits, strict=True):
        servo = spec.add_actuator(
            name=PREFIX + name, target=PREFIX + name, trntype=mujoco.mjtTrn.mjTRN_JOINT, forcerange=[-limit, limit]
        )
        servo.set_to_velocity(kv=gain)


def add_base_joints(spec: mujoco.MjSpec, base: mujoco.MjsBody, pos: Vec3, yaw: float) -> None:
    """Give a body at `pos` (m) with heading `yaw` (rad) the joints of a base."""
    c, s = math.cos(yaw), math.sin(yaw)
    slide, hinge = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
    radian = math.degrees(1.0) if spec.compiler.degree else 1.0  # in the unit in which the world reads angles
    # Axes are in the body's initial frame: turned back, so that they are the world's. `ref` makes positions absolute.
    joints = (
        (slide, (c, -s, 0.0), pos[0]),
        (slide, (s, c, 0.0), pos[1]),
        (hinge, (0.0, 0.0, 1.0), yaw * radian),
    )
    for name, (kind, axis, ref), friction in zip(BASE_JOINTS, joints, _BASE_FRICTION, strict=True):
        base.add_joint(name=PREFIX + name, type=kind, axis=list(axis), ref=ref, frictionloss=friction)
