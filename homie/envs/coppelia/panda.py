"""The Panda in a CoppeliaSim scene, identified by its joints because models differ in names and frames."""

from __future__ import annotations

import numpy as np

from homie.envs.coppelia.link import Link
from homie.envs.mujoco.robots.bodies.panda_ik import SHOULDER
from homie.envs.mujoco.robots.bodies.panda_kinematics import PandaKinematics
from homie.kernel.errors import BadInput
from homie.kernel.types import Array, Pose, Pose2, quaternion_rotation

PATHS = ("/Franka", "/Panda")
"""Paths of the model in CoppeliaSim's own browser, and of the one in RLBench's scenes."""
JOINTS, FINGERS = 7, 2
KEPT_APART = 0.004
"""Excess (m) of the opening over its target above which an object is between the fingers."""
AMISS = 0.005
"""Maximum distance (m) of a joint from its axis in the Panda's kinematics."""


def pose_of(numbers: object) -> Pose:
    """Convert a pose of CoppeliaSim: position (m) and quaternion x, y, z, w."""
    values = np.asarray(numbers, float)
    return Pose(values[:3], quaternion_rotation(np.roll(values[3:], 1)))


def _joint_type(link: Link, kind: str) -> int:
    return int(link.constant(f"joint_{kind}", f"joint_{kind}_subtype"))  # older versions have the second name


class Panda:
    """The Panda of a scene: handles of its joints, base pose, and kinematics.

    Args:
        link: Connection to CoppeliaSim.
        path: Path of its model, "" for one of `PATHS`.

    Raises:
        BadInput: There is no such model, or it is no Panda with its hand.
    """

    def __init__(self, link: Link, path: str) -> None:
        models = [(name, handle) for name in ([path] if path else PATHS) if (handle := link.find(name)) is not None]
        if not models:
            names = path or " or ".join(PATHS)
            raise BadInput(f"The scene has no {names}: load one with a Panda, or name it by --robot-option model=PATH.")
        self.path, self.root = models[0]
        joints = link.tree(self.root, "joint")
        turning, sliding = (
            [joint for joint in joints if link("getJointType", joint) == _joint_type(link, kind)]
            for kind in ("revolute", "prismatic")
        )
        if len(turning) < JOINTS or len(sliding) < FINGERS:
            raise BadInput(
                f"{self.path} has {len(turning)} turning and {len(sliding)} sliding joints: a Panda has {JOINTS}, "
                f"and {FINGERS} for its fingers."
            )
        self._link, self.joints, self.fingers = link, turning[:JOINTS], sliding[:FINGERS]
        control, position = (link.constant(name) for name in ("jointintparam_dynctrlmode", "jointdynctrl_position"))
        for joint in (*self.joints, *self.fingers):
            link("setObjectInt32Param", joint, control, position)
        self.update()
        self._target_opening = self.opening
        self._locate_base()

    def update(self) -> None:
        """Measure joint positions `q` (7,), rad, joint velocities `speeds` (7,), rad/s, and the `opening`, m."""
        self.q: Array = np.array([self._link("getJointPosition", joint) for joint in self.joints], float)
        self.speeds: Array = np.array([self._link("getJointVelocity", joint) for joint in self.joints], float)
        self.opening = float(sum(self._link("getJointPosition", finger) for finger in self.fingers))

    def _locate_base(self) -> None:
        """Compute the base pose: below the intersection of the first two axes, which is the same in every model."""
        first, second = (pose_of(self._link("getObjectPose", joint)) for joint in self.joints[:2])
        yaw = float(np.arctan2(second.rotation[1, 2], second.rotation[0, 2]) - np.pi / 2 - self.q[0])
        self.base = Pose2(float(first.position[0]), float(first.position[1]), (yaw + np.pi) % (2 * np.pi) - np.pi)
        self.kinematics = PandaKinematics(height=float(second.position[2] - SHOULDER[2]))
        self._check_joints()

    def _check_joints(self) -> None:
        origins, axes = self.kinematics.frames(self.q)
        for number, joint in enumerate(self.joints, 1):
            at = self.base.inverse(pose_of(self._link("getObjectPose", joint)).position)
            offset, axis = at - origins[number], axes[number][:, 2]
            if np.linalg.norm(offset - axis * (offset @ axis)) > AMISS:
                raise BadInput(f"{self.path} is no Panda: its joint {number} is not where that of a Panda is.")

    @property
    def grips(self) -> bool:
        """Whether an object keeps the fingers further apart than their target."""
        return self.opening > self._target_opening + KEPT_APART

    def hand(self) -> Pose:
        """Return the gripper pose in the scene frame."""
        pose, turn = self.kinematics.forward(self.q), Pose2(0.0, 0.0, self.base.yaw)
        axes = [turn.transform(axis) for axis in pose.rotation.T]
        return Pose(self.base.transform(pose.position), np.column_stack(axes))

    def move(self, q: Array, opening: float) -> None:
        """Set the targets of the joints (rad) and of the gripper opening (m)."""
        for joint, target in zip(self.joints, q, strict=True):
            self._link("setJointTargetPosition", joint, float(target))
        for finger in self.fingers:
            self._link("setJointTargetPosition", finger, opening / FINGERS)
        self._target_opening = opening
