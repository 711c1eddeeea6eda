"""Two controllers that convert Homie's commands to LIBERO's actions: tight joint control, or LIBERO's own OSC.

Under `osc`, as in LIBERO's evaluations, an action is a motion of the hand relative to its current pose: a translation
of up to 5 cm, a rotation of up to 0.5 rad, and whether the fingers open or close. The controller is compliant: the hand
covers about a third of the motion until the next action. The seventh joint is redundant: LIBERO's controller pulls the
arm to its initial posture, or to the joints of a command without a hand pose.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from homie.envs.mujoco.robots.bodies.panda_kinematics import PandaKinematics, rotation_vector
from homie.kernel.types import Array, Pose

Control: TypeAlias = Literal["joints", "osc"]
JOINTS = 7
OPENING, PERIOD = 0.08, 0.05
"""Maximum gripper opening (m), and LIBERO's control period (s)."""
STIFFNESS, STEP = 4000.0, 0.5
"""Gain of the joint controller (1/s^2), critically damped, and joint motion (rad) of an action of 1."""
FINGERS_AT = 0.004
"""Tolerance of the gripper opening, m."""
DIGITS = 9
"""Decimal digits of an action: robosuite keeps the last orientation only if the rotation is exactly 0."""
REACHED = 2e-3
"""Maximum deviation (m, rad) between a hand pose and the joints that the gate has passed: the accuracy of inverse
kinematics."""


class Controller(ABC):
    """Converts targets to an arm action, (6,) or (7,), and a gripper action."""

    name: ClassVar[str]
    """Name of the controller in robosuite."""

    @abstractmethod
    def start(self, controller: Any, timestep: float, q: Array) -> None:
        """Start an episode with the arm at `q` (7,) and a new controller of robosuite."""

    @abstractmethod
    def aim(self, q: Array, pose: Pose | None = None) -> None:
        """Set the target to joints (7,), or to a hand pose if these joints reach it."""

    @abstractmethod
    def action(self, q: Array) -> Array:
        """Return the arm action at the current joints `q`."""

    @abstractmethod
    def fingers(self, opening: float, wanted: float) -> float:
        """Return the gripper action, 1 to close, -1 to open, 0 to keep, from the current and the target opening (m)."""


class JointControl(Controller):
    """Stiff joint control, interpolated over a control period, without the lag of LIBERO's defaults."""

    name = "JOINT_POSITION"

    def start(self, controller: Any, timestep: float, q: Array) -> None:
        from robosuite.controllers.interpolators.linear_interpolator import LinearInterpolator

        controller.kp = np.full(JOINTS, STIFFNESS)
        controller.kd = 2.0 * np.sqrt(controller.kp)
        controller.output_max, controller.output_min = np.full(JOINTS, STEP), np.full(JOINTS, -STEP)
        controller.action_scale = None
        controller.interpolator = LinearInterpolator(JOINTS, 1.0 / timestep, 1.0 / PERIOD, ramp_ratio=1.0)
        controller.interpolator.set_goal(q)
        self.aim(q)

    def aim(self, q: Array, pose: Pose | None = None) -> None:
        self._target = q

    def action(self, q: Array) -> Array:
        return np.clip((self._target - q) / STEP, -1.0, 1.0)

    def fingers(self, opening: float, wanted: float) -> float:
        gap = opening - wanted
        return 1.0 if wanted < FINGERS_AT else float(np.sign(gap)) * (abs(gap) > FINGERS_AT)


class HandControl(Controller):
    """LIBERO's own operational space controller: an action is a hand motion, rounded to nine digits."""

    name = "OSC_POSE"

    def __init__(self, kinematics: PandaKinematics) -> None:
        self._kinematics = kinematics
        self._target: Pose | None = None
        self._max_motion = np.ones(6)
        self._controller: Any = None
        self._posture: Array = np.zeros(JOINTS)

    def start(self, controller: Any, timestep: float, q: Array) -> None:
        self._controller, self._posture = controller, np.array(controller.initial_joint)
        self._max_motion = np.array(controller.output_max)
        self._target = None  # zero actions until the first command, as in LIBERO's evaluations

    def aim(self, q: Array, pose: Pose | None = None) -> None:
        hand_pose = self._kinematics.forward(q)
        is_exact = pose is not None and float(np.abs(_motion_between(hand_pose, pose)).max()) < REACHED
        self._target = pose if is_exact else hand_pose
        self._controller.initial_joint = self._posture if is_exact else np.array(q)

    def action(self, q: Array) -> Array:
        if self._target is None:
            return np.zeros(6)
        motion = _motion_between(self._kinematics.forward(q), self._target) / self._max_motion
        return np.clip(np.round(motion, DIGITS), -1.0, 1.0)

    def fingers(self, opening: float, wanted: float) -> float:
        return 1.0 if wanted < OPENING / 2 else -1.0


def _motion_between(begin: Pose, end: Pose) -> Array:
    """Return the motion (6,) from one pose to another: translation (m) and rotation vector (rad)."""
    return np.concatenate([end.position - begin.position, rotation_vector(end.rotation @ begin.rotation.T)])
