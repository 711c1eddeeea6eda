"""Joint positions and servo targets of a robot's groups in a MuJoCo model."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Command, GripperState

PREFIX = "robot/"
"""Name prefix of every element of a model that belongs to the robot."""


class Limbs:
    """Joints and position servos of all groups except bases and grippers, and the fingers of the gripper.

    A servo has the name of its joint.

    Args:
        fingers: The joints whose positions add up to the gripper opening.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, spec: RobotSpec, fingers: tuple[str, ...]) -> None:
        self._data = data
        self._groups = [group for group in spec.groups if group.kind not in ("base", "gripper")]
        self.names = tuple(name for group in self._groups for name in group.names)
        joints = [model.joint(PREFIX + name) for name in (*self.names, *fingers)]
        count = len(self.names)
        self._qpos, self._fingers = np.split(np.array([int(joint.qposadr[0]) for joint in joints]), [count])
        self._dofs, self._finger_dofs = np.split(np.array([int(joint.dofadr[0]) for joint in joints]), [count])
        servos = {name: model.actuator(PREFIX + name).id for name in (*self.names, *fingers)}
        self._ctrl = {group.name: [servos[name] for name in group.names] for group in self._groups}
        self._servos = [servos[name] for name in self.names]
        self.finger_servos = [servos[name] for name in fingers]

    def positions(self) -> dict[str, float]:
        """Return joint positions by name, rad or m."""
        return dict(zip(self.names, self._data.qpos[self._qpos].tolist(), strict=True))

    def velocities(self) -> dict[str, float]:
        """Return joint velocities by name, rad/s or m/s."""
        return dict(zip(self.names, self._data.qvel[self._dofs].tolist(), strict=True))

    def opening(self) -> float:
        """Return the gripper opening, m."""
        return float(sum(self._data.qpos[self._fingers].tolist()))

    def gripper(self, contact: tuple[bool, bool], holding: bool) -> GripperState:
        """Return the gripper state: measured opening and speed, with the given contact and grasp state."""
        return GripperState(self.opening(), contact, holding, float(sum(self._data.qvel[self._finger_dofs].tolist())))

    def tell(self, command: Command) -> None:
        """Set the servo targets of a command."""
        for name, servos in self._ctrl.items():
            targets = command.get(name)
            if targets is not None:
                self._data.ctrl[servos] = targets

    def set_opening(self, width: float) -> None:
        """Set finger positions and servo targets to an opening (m). For code that sets the world state directly."""
        self._data.qpos[self._fingers] = width / len(self._fingers)
        self._data.ctrl[self.finger_servos] = width / len(self._fingers)

    def hold(self) -> None:
        """Set every servo target to the current joint position."""
        self._data.ctrl[self._servos] = self._data.qpos[self._qpos]


def place(model: mujoco.MjModel, data: mujoco.MjData, positions: Mapping[str, float]) -> None:
    """Set joint positions (rad, m) and servo targets of the robot by name. For the start of an episode."""
    for name, value in positions.items():
        data.joint(PREFIX + name).qpos = value
        data.actuator(PREFIX + name).ctrl = value
    mujoco.mj_forward(model, data)
