"""The base of the M3 skills: the timing of decisions, the networks' inputs, and the arm before the first decision.

    arm to its rest --> (decide --> hold the command --> decide --> ...) --> stop rule, or too many decisions

M3 decides 30 times per second in a simulation whose base starts, turns and stops at once, faster than a Fetch can. Here
a decision is held for as many control periods as the robot needs for it, and velocities are scaled so that base and arm
move as far per decision as in training. The robot is slower, but its path is the same except for its accelerations.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator

import numpy as np

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Array, Command, Failure, FailureReason, Goal, Observation, Outcome, Subtask, wrap_angles
from skills.m3.frames import depth_picture, in_gripper, to_m3
from skills.m3.layout import LAYOUTS, STEP
from skills.policies.policy import Named, Policy, PolicySkill, Value

REST = np.array([0.5, 0.0, 1.0])
"""Rest position of the gripper in the base frame (m); the arm is brought there before every attempt."""

TORSO = 0.1
"""Lift of the torso (m) at rest: it puts the front view at the height of M3's head camera."""

RESET_TURN = 0.1
"""Largest rotation of a joint per step (rad) on the way to the rest posture."""

RESET_STEPS = 50
"""Largest number of steps to a posture; after that the attempt begins wherever the arm is."""

AT_POSTURE = 0.03
"""Tolerance of a posture (rad, m)."""

FOLDED = 0.3
"""Maximum difference (rad) of a joint from the folded posture at which the arm counts as folded; a folded arm is raised
before it reaches out."""

CAMERAS = {"head_depth": "front", "arm_depth": "wrist"}
"""Homie's cameras for M3's images. M3's head camera is at 1.2 m, looks 19 degrees down and has a field of view of 90
degrees, as the front view has except for a decimetre in height; Homie's `head` camera turns and is too narrow."""


class M3Skill(PolicySkill):
    """One action by M3's networks. Subclasses choose the network, its commands, and the end of an attempt.

    Raises:
        BadInput: the robot's arm does not have seven joints, or it has no base.
    """

    networks: tuple[str, ...]
    """The networks that the skill may use, all of one layout."""
    decisions: int
    """Maximum number of decisions."""
    fastest: tuple[float, float, float]
    """The largest base velocities (m/s, rad/s) and joint velocity (rad/s) that a decision may command."""
    spare_seconds: float
    """Time (s) for motions without decisions."""

    def __init__(self, policy: Policy, spec: RobotSpec, kinematics: Kinematics) -> None:
        super().__init__(policy, spec, kinematics)
        self.name = f"m3/{self.networks[0]}"
        spec.require("M3", "base", "arm", "gripper", postures=True)
        self.chain, self.torso = spec.chain, spec.chain.torso
        self.arm = self.chain.groups[-1]
        if len(self.arm.joints) != 7:
            raise BadInput(f"M3 moves arms of seven joints; that of the {spec.name} has {len(self.arm.joints)}.")
        linear, angular, joint = self.fastest
        slowest_joint = float(np.min(self.arm.speeds))
        slowdown = max(linear / spec.max_linear, angular / spec.max_angular, joint / slowest_joint) * STEP
        self.periods = max(1, math.ceil(slowdown / spec.period - 1e-9))
        """Control periods per decision."""
        self.slowness = STEP / (self.periods * spec.period)
        """Factor by which velocities are multiplied."""
        self.reset_periods = math.ceil(RESET_TURN / slowest_joint / spec.period)
        """Control periods per step on the way to the rest posture."""
        busy = 2 * RESET_STEPS * self.reset_periods + self.decisions * self.periods
        self.max_seconds = busy * spec.period + self.spare_seconds
        self.cameras = tuple(CAMERAS[name] for name in LAYOUTS[self.networks[0]].cameras)
        self._raised, self._folded = self.chain.posture(spec.ready[0]), self.chain.posture(spec.rest)
        raised = self._raised.copy()
        raised[: self.torso] = np.clip(TORSO, *self.chain.limits[: self.torso].T)
        self._rest_posture = kinematics.solve(REST, None, raised, locked_torso=True).q

    @abstractmethod
    def choose(self, goal: Goal) -> str:
        """Return the name of the network for a goal. May raise PolicyFailed."""

    @abstractmethod
    def target(self) -> Array:
        """Return the goal point (3,) of the network, in the odometry frame."""

    @abstractmethod
    def judge(self) -> None:
        """Check the stop rule before each decision: call `finish` if the attempt is over, set `busy` for motions to do
        first."""

    @abstractmethod
    def obey(self, action: Value) -> None:
        """Convert a decision into `held` and, for motions that take longer, `busy`; or call `finish`."""

    # ------------------------------------------------------------ timing

    def begin(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        self.goal, self.seen = goal, observation
        self.network = self.choose(goal)
        self.name = f"m3/{self.network}"
        self.policy.reset({"skill": self.network})
        self.held = Command()
        """The command of the last decision."""
        self.busy: Iterator[Command] | None = self.move_to_rest()
        """Commands to execute before the next decision and before `held`."""
        self.decided = 0
        self._periods_left = 0

    def revise(self, goal: Goal) -> None:
        self.goal = goal

    def required_cameras(self) -> tuple[str, ...]:
        return self.cameras if self.busy is None and self._periods_left == 0 else ()

    def steer(self, observation: Observation) -> Command:
        self.seen = observation
        if self.busy is None and self._periods_left == 0:
            if not set(self.cameras) <= set(observation.frames):
                return Command()  # the locator has used other cameras
            self._decide()
        if self.busy is not None:
            command = next(self.busy, None)
            if command is not None:
                return command
            self.busy = None
            if self._periods_left == 0:
                return Command()  # the images come with the next observation
        self._periods_left -= 1
        return self.held

    def _decide(self) -> None:
        self.judge()
        if self.outcome is not Outcome.RUNNING or self.busy is not None:
            return
        if self.decided == self.decisions:
            self.out_of_time()
            return
        self.decided += 1
        self._periods_left = self.periods
        self.obey(self.policy.step(self._inputs())["action"])

    def out_of_time(self) -> None:
        """End the attempt when all decisions are used up."""
        self.finish(Outcome.TIMED_OUT, Failure(FailureReason.DECISIONS_RAN_OUT, count=self.decisions))

    # ------------------------------------------------------------ inputs of the network

    @property
    def q(self) -> Array:
        """Measured joint positions of torso and arm, (n,)."""
        return self.chain.measured(self.seen.body)

    def gripper_position(self) -> Array:
        """Return the gripper's position in the base frame, (3,)."""
        return self.kinematics.forward(self.q).position

    def goal_at_gripper(self) -> Array:
        """Return the target in the gripper's frame, (3,)."""
        return in_gripper(self.seen.body.base.inverse(self.target()), self.kinematics.forward(self.q))

    def _inputs(self) -> Named:
        layout = LAYOUTS[self.network]
        states: dict[str, Value] = {
            "arm_joint_pos": wrap_angles(self.q[self.torso :]),
            "is_grasped": float(self.seen.body.holding),
            "gripper_pos_at_base": to_m3(self.gripper_position()),
            "goal_at_gripper": self.goal_at_gripper(),
            "goal_at_base": to_m3(self.seen.body.base.inverse(self.target())),
        }
        pictures = {name: depth_picture(self.seen.frames[CAMERAS[name]]) for name in layout.cameras}
        return {**pictures, **{name: states[name] for name, _ in layout.states}}

    # ------------------------------------------------------------ the arm before the first decision

    def move_to_rest(self) -> Iterator[Command]:
        """Move torso and arm to the rest posture; a folded arm is raised first."""
        folded = self.chain.nearest(self._folded, self.q)
        if np.max(np.abs(folded - self.q)) < FOLDED:
            yield from self._to_posture(self._raised)
        yield from self._to_posture(self._rest_posture)

    def _to_posture(self, posture: Array) -> Iterator[Command]:
        command, target = self.q, self.chain.nearest(posture, self.q)
        step = np.full(len(target), RESET_TURN)
        step[: self.torso] = self.chain.speeds[: self.torso] * self.reset_periods * self.spec.period
        for _ in range(RESET_STEPS):
            if np.max(np.abs(target - self.q)) < AT_POSTURE:
                return
            remaining = target - command
            command = command + remaining / max(1.0, float(np.max(np.abs(remaining) / step)))
            for _ in range(self.reset_periods):
                yield self.chain.command(command)
