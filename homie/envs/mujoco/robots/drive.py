"""A wheeled base in MuJoCo: three joints, `base_x`, `base_y` (world axes) and `base_yaw`.

Their positions are the pose of the base in the world. They are driven by velocity servos with about the force of
wheels, so a wall stops the robot; wheels are visual only. Callers convert velocities from the base frame to the world
frame: a differential base gets no lateral velocity.
"""

from __future__ import annotations

import math

import mujoco

from homie.envs.mujoco.blueprints.parts import Vec3
from homie.envs.mujoco.robots.joint_servos import PREFIX

BASE_JOINTS = ("base_x", "base_y", "base_yaw")

BASE_FORCE, BASE_TORQUE = 280.0, 53.0
"""Force and torque (N, N m) of two wheels of 8.85 N m, 0.0625 m in radius and 0.375 m apart: those of a Fetch."""

_BASE_GAINS = (15000.0, 15000.0, 1000.0)
"""Servo gains, N s/m and N m s. Much higher gains chatter: the force saturates within one time step."""

_BASE_FRICTION = (60.0, 60.0, 15.0)
"""Dry friction, N and N m: the gears are not back-drivable, so pulling a door does not drag the base along."""


def add_base_servos(spec: mujoco.MjSpec) -> None:
    """Add the servos of a base to a world; `add_base_joints` adds their joints, before the world is compiled."""
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
    radian = math.degrees(1.0) if spec.compiler.degree else 1.0  # in the angle unit of the world's compiler
    # Axes are given in the body's initial frame, so the world axes are rotated by -yaw. `ref` makes positions absolute.
    joints = (
        (slide, (c, -s, 0.0), pos[0]),
        (slide, (s, c, 0.0), pos[1]),
        (hinge, (0.0, 0.0, 1.0), yaw * radian),
    )
    for name, (kind, axis, ref), friction in zip(BASE_JOINTS, joints, _BASE_FRICTION, strict=True):
        base.add_joint(name=PREFIX + name, type=kind, axis=list(axis), ref=ref, frictionloss=friction)
