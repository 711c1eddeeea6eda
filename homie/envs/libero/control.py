"""Two ways from Homie's commands to LIBERO's actions: joint targets that are followed closely, or LIBERO's own.

Under `osc`, as in LIBERO's evaluations, an action is a motion of the hand, from where the hand is: a step of up to
5 cm, a turn of up to 0.5 rad, and whether the fingers open or close. The hand is pulled there softly, so that it comes
about a third of the way until the next action. Seven joints have one posture more than a hand has poses: LIBERO's
controller pulls it to where the arm began, and to the joints of a command that has no pose of the hand.
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
"""Largest opening of the fingers (m), and LIBERO's control period (s)."""
STIFFNESS, STEP = 4000.0, 0.5
"""Gain of the joint controller (1/s^2), critically damped, and radians of an action of 1."""
FINGERS_AT = 0.004
"""Metres within which the fingers have their opening."""
DIGITS = 9
"""Of an action, rounded: robosuite keeps the last orientation only where the turn is exactly 0."""
REACHED = 2e-3
"""Metres and radians by which the joints that the gate has passed may miss a pose of the hand: inverse kinematics is no
more exact."""


class Controller(ABC):
    """Turns targets into the numbers of an action, (6,) or (7,), and one for the fingers."""

    name: ClassVar[str]
    """robosuite's."""

    @abstractmethod
    def start(self, controller: Any, timestep: float, q: Array) -> None:
        """Begin an episode with the arm at `q` (7,) and a new controller of robosuite."""

    @abstractmethod
    def aim(self, q: Array, pose: Pose | None = None) -> None:
        """Go to joints (7,), where they are those of a pose of the hand to that."""

    @abstractmethod
    def action(self, q: Array) -> Array:
        """The numbers of the arm at `q`."""

    @abstractmethod
    def fingers(self, opening: float, wanted: float) -> float:
        """1 to close them, -1 to open them, 0 to leave them, by the opening that they have and should have."""


class JointControl(Controller):
    """Joints follow their targets closely, evenly over a period, instead of lagging as in LIBERO's defaults."""

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
    """LIBERO's own operational space controller: a motion of the hand is an action, to nine digits."""

    name = "OSC_POSE"

    def __init__(self, kinematics: PandaKinematics) -> None:
        self._kinematics = kinematics
        self._target: Pose | None = None
        self._largest = np.ones(6)
        self._controller: Any = None
        self._posture: Array = np.zeros(JOINTS)

    def start(self, controller: Any, timestep: float, q: Array) -> None:
        self._controller, self._posture = controller, np.array(controller.initial_joint)
        self._largest = np.array(controller.output_max)
        self._target = None  # actions of zero until the first command, as in LIBERO's evaluations

    def aim(self, q: Array, pose: Pose | None = None) -> None:
        hand_pose = self._kinematics.forward(q)
        exact = pose is not None and float(np.abs(_between(hand_pose, pose)).max()) < REACHED
        self._target = pose if exact else hand_pose
        self._controller.initial_joint = self._posture if exact else np.array(q)

    def action(self, q: Array) -> Array:
        if self._target is None:
            return np.zeros(6)
        missing = _between(self._kinematics.forward(q), self._target) / self._largest
        return np.clip(np.round(missing, DIGITS), -1.0, 1.0)

    def fingers(self, opening: float, wanted: float) -> float:
        return 1.0 if wanted < OPENING / 2 else -1.0


def _between(begin: Pose, end: Pose) -> Array:
    """The motion (6,) from a pose to another, m and rad."""
    return np.concatenate([end.position - begin.position, rotation_vector(end.rotation @ begin.rotation.T)])
