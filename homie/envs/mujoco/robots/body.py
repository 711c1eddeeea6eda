"""A body for a simulated robot: what stands in the model, what is known of it, and how it reaches.

An MJCF file is enough (`SimulatedBody.of_mjcf`). In it stand the robot's root body at the origin, a site `gripper`
between the finger pads (x out along the fingers, y the direction in which they close), cameras with the names of the
robot's views, and a position servo for each joint, with the joint's name. What touches has contype 2 and conaffinity 1.
Joints of the base are none of the file's: a group of the kind `base` gets those of `homie.envs.mujoco.robots.drive`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import mujoco

from homie.envs.mujoco.blueprints.parts import Vec3
from homie.envs.mujoco.robots.drive import add_base_drive
from homie.envs.mujoco.robots.grasping import Hand
from homie.envs.mujoco.robots.limbs import PREFIX
from homie.envs.mujoco.robots.model_kinematics import ModelKinematics
from homie.kernel.body import RobotSpec
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Kinematics

Adding: TypeAlias = Callable[[mujoco.MjSpec, Vec3, float], None]
"""Adds a robot to a world at a position (m) and with a heading (rad)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedBody:
    """A body that can stand in a simulated world.

    Args:
        spec: Its groups and postures.
        hand: What its gripper is called in the model.
        add: Adds it to a world, every name with `robot/` before it.
        kinematics: Makes its kinematics.
        finger_lead: Metres ahead of a finger at which its servo pushes with all its force.
        start: Joints (rad, m) by name at the start of an episode, besides those of `spec.rest`.
    """

    spec: RobotSpec
    hand: Hand
    add: Adding
    kinematics: Callable[[], Kinematics]
    finger_lead: float
    start: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of_mjcf(
        cls, path: Path, spec: RobotSpec, hand: Hand, start: Mapping[str, float] | None = None
    ) -> SimulatedBody:
        """The body of an MJCF file, with kinematics that are worked out from it.

        Raises:
            BadInput: The file cannot be read, or lacks what `spec` and `hand` name.
        """
        model = _loaded(path)
        _check(model, path, spec, hand)
        servo = model.actuator(hand.fingers[0])

        def add(world: mujoco.MjSpec, pos: Vec3, yaw: float) -> None:
            child = mujoco.MjSpec.from_file(str(path))
            turn = [math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)]
            world.attach(child, prefix=PREFIX, frame=world.worldbody.add_frame(pos=list(pos), quat=turn))
            if spec.first("base") is not None:
                add_base_drive(world, world.body(PREFIX + hand.base), pos, yaw)

        return cls(
            spec=spec,
            hand=hand,
            add=add,
            kinematics=lambda: ModelKinematics(model, spec),
            finger_lead=float(servo.forcerange[1] / servo.gainprm[0]) if servo.forcelimited[0] else math.inf,
            start=start or {},
        )


def _loaded(path: Path) -> mujoco.MjModel:
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        raise BadInput(f"Cannot read the robot {path}: {str(error).strip()}") from error


def _check(model: mujoco.MjModel, path: Path, spec: RobotSpec, hand: Hand) -> None:
    limbs = [name for group in spec.groups if group.kind not in ("base", "gripper") for name in group.names]
    kinds = mujoco.mjtObj
    needed = (
        (kinds.mjOBJ_JOINT, "joint", (*limbs, *hand.fingers)),
        (kinds.mjOBJ_ACTUATOR, "actuator", (*limbs, *hand.fingers)),
        (kinds.mjOBJ_BODY, "body", (hand.base, hand.body)),
        (kinds.mjOBJ_GEOM, "geom", hand.pads),
        (kinds.mjOBJ_SITE, "site", ("gripper",)),
    )
    for kind, word, names in needed:
        for name in names:
            if mujoco.mj_name2id(model, kind, name) < 0:
                raise BadInput(f"The robot {path} has no {word} '{name}', which its description names.")
