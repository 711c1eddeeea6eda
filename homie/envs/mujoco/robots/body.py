"""A body for a simulated robot: its MuJoCo model, its specification, and its kinematics.

An MJCF file and a spec are enough (`SimulatedBody.of_mjcf`). The file has the root body at the origin, a site `gripper`
between the finger pads (x out along the fingers, y the direction in which they close), cameras named as the robot's
views, and a position servo for each joint, with the joint's name. Collision geoms have contype 2 and conaffinity 1.
The file has no joints of a base: a group of the kind `base` gets those of `homie.envs.mujoco.robots.drive`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

import mujoco

from homie.envs.mujoco.blueprints.parts import Vec3
from homie.envs.mujoco.robots.grasping import Hand
from homie.envs.mujoco.robots.mjcf import RobotFile
from homie.envs.mujoco.robots.model_kinematics import ModelKinematics
from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import RobotSpec
from homie.kernel.support.text import format_count

Adding: TypeAlias = Callable[[mujoco.MjSpec, Vec3, float], None]
"""Adds a robot to a world at a position (m) and heading (rad)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedBody:
    """A robot body that can be added to a simulated world.

    Args:
        spec: Its groups and postures.
        hand: Names of its gripper's parts in the model.
        add: Adds it to a world, with the prefix `robot/` on every name.
        kinematics: Creates its kinematics.
        finger_lead: Distance (m) between finger target and finger at which the servo's force saturates.
        start: Initial joint positions (rad, m) by name, in addition to those of `spec.rest`.
    """

    spec: RobotSpec
    hand: Hand
    add: Adding
    kinematics: Callable[[], Kinematics]
    finger_lead: float
    start: Mapping[str, float] = field(default_factory=dict)

    @property
    def about(self) -> str:
        """Its groups in one sentence, shown by `homie list bodies`."""
        groups = (
            group.kind if group.kind == "base" else f"{group.kind} of {format_count(len(group.joints), 'joint')}"
            for group in self.spec.groups
        )
        return f"{', '.join(groups).capitalize()}."

    @classmethod
    def of_mjcf(
        cls,
        file: RobotFile,
        spec: RobotSpec,
        hand: Hand,
        start: Mapping[str, float] | None = None,
        kinematics: Callable[[], Kinematics] | None = None,
    ) -> SimulatedBody:
        """Create a body from an MJCF file.

        Args:
            file: The file.
            spec: Its groups and postures.
            hand: Names of its gripper's parts in the file.
            start: See the field of the same name.
            kinematics: Creates its kinematics; by default they are derived from the file.

        Raises:
            BadInput: The file lacks what `spec` and `hand` name.
        """
        _check(file, spec, hand)
        drive = "" if spec.first("base") is None else hand.base
        return cls(
            spec=spec,
            hand=hand,
            add=partial(file.add, drive=drive),
            kinematics=kinematics or partial(ModelKinematics, file.model, spec),
            finger_lead=file.servo_lead(hand.fingers[0]),
            start=start or {},
        )


def _check(file: RobotFile, spec: RobotSpec, hand: Hand) -> None:
    limbs = [name for group in spec.groups if group.kind not in ("base", "gripper") for name in group.names]
    kinds = mujoco.mjtObj
    required = (
        (kinds.mjOBJ_JOINT, "joint", (*limbs, *hand.fingers)),
        (kinds.mjOBJ_ACTUATOR, "actuator", (*limbs, *hand.fingers)),
        (kinds.mjOBJ_BODY, "body", (hand.base, hand.body)),
        (kinds.mjOBJ_GEOM, "geom", hand.pads),
        (kinds.mjOBJ_SITE, "site", ("gripper",)),
    )
    for kind, word, names in required:
        for name in names:
            file.require(kind, word, name)
