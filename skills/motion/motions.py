"""Motions that classical skills are composed of, each a generator of commands.

A skill is written as a routine: `yield from` one motion after the other. Each `yield` is one control period; when it
returns, `self.seen` is the newest observation. A motion that cannot continue raises `Stuck` with the reason.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import numpy as np

from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import Chain, RobotSpec
from homie.kernel.types import (
    Array,
    Box,
    Command,
    Failure,
    FailureReason,
    Goal,
    Observation,
    Outcome,
    Pose,
    Pose2,
    Subtask,
    rotation_z,
)
from homie.kernel.types.failure_reasons import MOST_NAMED, with_repetitions
from skills.attempts import AttemptSkill
from skills.motion.arm_path_search import Joints

BLOCKED = 0.35
"""Remaining joint error (rad or m) that means an obstacle, rather than a servo that leans on something."""

STILL, LEANING = 0.0125, 0.3
"""Joint speed (rad/s or m/s) up to which an arm stands still, and seconds after which it counts as leaning on
something: waiting longer brings it no nearer."""
NEARING = 0.1
"""Speed (rad/s or m/s) of the joint farthest from its target from which it still approaches, and is waited for."""
FINGERS_STILL = 0.005
"""Speed (m/s) of the opening up to which the fingers stand still."""

BRISK = 0.9
"""Fraction of the maximum joint speeds at which the arm moves where nothing has to be touched."""

RAMP = 0.2
"""Seconds in which a joint accelerates and decelerates: without it the arm shakes at every corner of its path."""

Motion = Generator[Command, None, Any]


class Stuck(Exception):
    """The motion cannot continue.

    Attributes:
        failure: The reason of the attempt's failure, a `Failure` where planners get advice.
    """

    def __init__(self, reason: FailureReason | str, *, blockers: Sequence[Box] | None = None, **details: Any) -> None:
        """Create the error of a motion that cannot continue.

        Args:
            reason: A reason, or a text for the record alone.
            blockers: The objects in the way; None if there are none.
            details: The arguments of the reason (`homie.kernel.types.Failure`).
        """
        names = None if blockers is None else [box.name for box in blockers]
        self.failure = reason if isinstance(reason, str) else Failure(reason, blockers=names, **details)
        super().__init__(self.failure)

    @property
    def about(self) -> tuple[str, ...]:
        """Names of the objects in the way; () for more than can be named."""
        blockers = (self.failure.blockers or ()) if isinstance(self.failure, Failure) else ()
        return blockers if len(blockers) <= MOST_NAMED else ()


class NotRetryable(Stuck):
    """Nothing was tried, and a retry would change nothing: the obstacles have to be removed first."""


AGAIN = 6
"""Consecutive failures at one target for one reason after which the skill stops being retryable."""


class RoutineSkill(AttemptSkill):
    """A skill whose behaviour is one routine. Returning from it is success, raising Stuck is failure.

    Before a failure is reported, and when the time runs out, `recovery` frees the robot.
    """

    freeing: float = 0.0
    """Seconds of an attempt's time that are reserved for the recovery."""

    def __init__(self, spec: RobotSpec, kinematics: Kinematics) -> None:
        self.spec = spec
        self.kinematics = kinematics
        self.chain = spec.chain
        self.joints = Joints(spec.chain)
        self._failures: list[tuple[str, str]] = []
        self._renew()
        self._pending_outcome = Outcome.SUCCEEDED

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        self.subtask = subtask
        self.goal = goal
        self.seen = observation
        self._start_stamp = observation.stamp
        self._renew()
        self._pending_outcome = Outcome.SUCCEEDED
        self._motion = self.routine()

    def revise(self, goal: Goal) -> None:
        self.goal = goal

    def act(self, observation: Observation) -> Command:
        self.seen = observation
        if (
            self._pending_outcome is Outcome.SUCCEEDED
            and observation.stamp - self._start_stamp > self.max_seconds - self.freeing
        ):
            self._motion.close()
            self._recover(Outcome.TIMED_OUT, Failure(FailureReason.TIMED_OUT, seconds=self.max_seconds - self.freeing))
        for _ in range(2):  # the routine, and the recovery if it is stuck
            try:
                return next(self._motion)
            except StopIteration:
                self._outcome = self._pending_outcome
                if self._pending_outcome is Outcome.SUCCEEDED:
                    self._failures = []
            except Stuck as stuck:
                if self._pending_outcome is Outcome.SUCCEEDED:
                    self._fail(stuck)
                    continue
                self._outcome = self._pending_outcome
            break
        return Command()

    def _fail(self, stuck: Stuck) -> None:
        """End the attempt with a recovery; repeated failures for the same reason are not retryable."""
        reason, self._about = stuck.failure, stuck.about
        failure = (self.goal.name, reason)
        self._failures = [*self._failures, failure] if failure in self._failures[-1:] else [failure]
        gives_up = len(self._failures) >= AGAIN
        self._retryable = not gives_up and not isinstance(stuck, NotRetryable)
        if gives_up:
            reason = with_repetitions(reason, len(self._failures))
        self._recover(Outcome.FAILED, reason)

    def _recover(self, outcome: Outcome, reason: str) -> None:
        self._pending_outcome, self._reason = outcome, reason
        self._motion = self.recovery()

    def recovery(self) -> Motion:
        """Recovery after a failure, before it is reported. Raising Stuck ends it."""
        return
        yield

    @abstractmethod
    def routine(self) -> Motion:
        """Yield the commands of the behaviour."""

    # ------------------------------------------------------------ state

    @property
    def base(self) -> Pose2:
        """Base pose by odometry."""
        return self.seen.body.base

    @property
    def q(self) -> Array:
        """Measured joint values of torso and arm, (n,)."""
        return self.chain.measured(self.seen.body)

    def gripper_pose(self) -> Pose:
        """Return the gripper pose in the odometry frame, from measured joints."""
        return self.to_odometry(self.kinematics.forward(self.q))

    def to_odometry(self, pose: Pose) -> Pose:
        """Transform a pose from the base frame to the odometry frame."""
        return Pose(self.base.transform(pose.position), rotation_z(self.base.yaw) @ pose.rotation)

    def to_base(self, pose: Pose, base: Pose2 | None = None) -> Pose:
        """Transform a pose from the odometry frame to the frame of the base (or of a planned base pose)."""
        base = base or self.base
        return Pose(base.inverse(pose.position), rotation_z(-base.yaw) @ pose.rotation)

    # ------------------------------------------------------------ arm and gripper

    def posture(self, q: Array, *, speed: float = BRISK, tolerance: float = 0.03, patience: float = 1.2) -> Motion:
        """Move torso and arm to joint values (n,), all joints arriving together. Raises Stuck if blocked."""
        yield from self.follow_joints([q], speed=speed, tolerance=tolerance, patience=patience)

    def follow_joints(
        self, path: Sequence[Array], *, speed: float = BRISK, tolerance: float = 0.03, patience: float = 1.5
    ) -> Motion:
        """Move through joint values one after the other without stopping in between."""
        command = self.q
        for command in time_path(self.chain, self.q, path, speed * self.chain.speeds, self.spec.period):
            yield self.chain.command(command)
        yield from self._settle(command, tolerance, patience)
        worst = int(np.argmax(np.abs(self.q - command)))
        if abs(self.q[worst] - command[worst]) >= BLOCKED:
            name = self.chain.names[worst]
            raise Stuck(FailureReason.ARM_BLOCKED, why=f"{name} is {abs(self.q[worst] - command[worst]):.2f} off")

    def _settle(self, command: Array, tolerance: float, patience: float) -> Motion:
        """Wait until every joint is where it was commanded, or does not approach any further.

        A robot that is slower than its limits may take as long as it needs.
        """
        waited, still, last = 0.0, 0.0, self.q
        while (joint_error := np.max(np.abs(self.q - command))) > tolerance and waited <= patience and still < LEANING:
            yield self.chain.command(command)
            approaches = joint_error - np.max(np.abs(self.q - command)) > NEARING * self.spec.period
            waited = 0.0 if approaches else waited + self.spec.period
            still = still + self.spec.period if np.max(np.abs(self.q - last)) < STILL * self.spec.period else 0.0
            last = self.q

    def line(self, pose: Pose, *, speed: float = 0.15, locked_torso: bool = False, patience: float = 1.5) -> Motion:
        """Move the gripper on a straight line to a pose in the odometry frame. Raises Stuck if IK or path is
        blocked."""
        path = self.line_joints(self.q, pose, locked_torso=locked_torso)
        if path is None:
            raise Stuck(FailureReason.OFF_STRAIGHT_LINE)
        yield from self.along(path, pose, speed=speed, patience=patience)

    def along(self, path: list[Array], pose: Pose, *, speed: float = 0.15, patience: float = 1.5) -> Motion:
        """Follow the joint path of a line at a gripper speed in m/s."""
        length = float(np.linalg.norm(pose.position - self.gripper_pose().position))
        command = self.q
        min_duration = length / max(1, len(path)) / speed
        for command in time_path(self.chain, self.q, path, self.chain.speeds, self.spec.period, least=min_duration):
            yield self.chain.command(command)
        yield from self._settle(command, 0.03, patience)

    def line_joints(
        self, q0: Array, pose: Pose, *, base: Pose2 | None = None, locked_torso: bool = False, step: float = 0.03
    ) -> list[Array] | None:
        """Return joint values along the straight gripper line from q0 to a pose in the odometry frame, or None if
        unreachable."""
        target = self.to_base(pose, base)
        start = self.kinematics.forward(q0)
        length = float(np.linalg.norm(target.position - start.position))
        count = max(1, int(np.ceil(length / step)))
        path, q = [], q0
        for i in range(1, count + 1):
            t = i / count
            position = start.position + (target.position - start.position) * t
            rotation = slerp(start.rotation, target.rotation, t)
            solution = self.kinematics.solve(position, rotation, q, locked_torso=locked_torso)
            nearest = self.chain.nearest(solution.q, q)
            if not solution.ok or np.max(np.abs(nearest - q)) > 0.9:
                return None
            q = nearest
            path.append(q)
        return path

    def gripper(self, width: float, *, patience: float = 1.5) -> Motion:
        """Open or close the gripper until it has the width (m) or stops moving."""
        still, last = 0.0, self.seen.body.gripper
        waited = 0.0
        while waited < patience:
            yield self.spec.grip(width)
            width_now = self.seen.body.gripper
            still = still + self.spec.period if abs(width_now - last) < FINGERS_STILL * self.spec.period else 0.0
            if abs(width_now - width) < 0.003 or still > 0.25:
                return
            last, waited = width_now, waited + self.spec.period

    def together(self, *motions: Motion) -> Motion:
        """Run motions of different limbs at the same time until all are over. The first that is stuck ends them all."""
        running = list(motions)
        while running:
            commands = []
            for motion in tuple(running):
                try:
                    commands.append(next(motion))
                except StopIteration:
                    running.remove(motion)
            if commands:
                yield merge_commands(commands)

    def run_alongside(self, motion: Motion, other: Motion) -> Motion:
        """Run a motion together with one of another limb, which stops where it is when the first is over."""
        for command in motion:
            other_command = next(other, None)
            yield command if other_command is None else merge_commands([command, other_command])

    def wait(self, seconds: float) -> Motion:
        """Stand still for some seconds."""
        for _ in range(int(np.ceil(seconds / self.spec.period))):
            yield Command()


def time_path(
    chain: Chain, begin: Array, path: Sequence[Array], speeds: Array, period: float, *, least: float = 0.0
) -> Iterator[Array]:
    """Yield the joint values (n,) of every control period (s) along a path that begins at `begin`, none above its
    speed.

    Speeds change over `RAMP` seconds: each value is the mean over that time of a path at constant speeds.

    Args:
        least: Minimum duration (s) of each segment.
    """
    ramp_periods = max(1, round(RAMP / period))
    postures = [begin] * ramp_periods
    for posture in path:
        start, target = postures[-1], chain.nearest(posture, postures[-1])
        duration = max(least, float(np.max(np.abs(target - start) / speeds)))
        steps = max(1, int(np.ceil(duration / period)))
        postures += [start + (target - start) * (step / steps) for step in range(1, steps + 1)]
    postures += [postures[-1]] * ramp_periods
    sums = np.cumsum([np.zeros_like(postures[0]), *postures], axis=0)
    yield from (sums[ramp_periods:] - sums[:-ramp_periods])[1:] / ramp_periods


def merge_commands(commands: Sequence[Command]) -> Command:
    """Merge commands into one; for each group the first command that has it applies."""
    targets = {group: values for command in reversed(commands) for group, values in command.targets.items()}
    return Command(targets, next((command.effector for command in commands if command.effector is not None), None))


def gripper_rotation(yaw: float, pitch: float, roll: float = 0.0) -> Array:
    """Return the rotation of a gripper whose fingers point along `yaw`, `pitch` radians below the horizon, rolled about
    them.

    With roll 0 the fingers close horizontally (gripper y is level).
    """
    cp, sp = math.cos(pitch), math.sin(pitch)
    tilt = np.array([[cp, 0.0, sp], [0.0, 1.0, 0.0], [-sp, 0.0, cp]])
    cr, sr = math.cos(roll), math.sin(roll)
    spin = np.array([[1.0, 0.0, 0.0], [0.0, cr, -sr], [0.0, sr, cr]])
    rotation: Array = rotation_z(yaw) @ tilt @ spin
    return rotation


def slerp(a: Array, b: Array, t: float) -> Array:
    """Return the rotation a fraction `t` of the way from a to b, both (3, 3)."""
    relative = a.T @ b
    angle = float(np.arccos(np.clip((np.trace(relative) - 1.0) / 2.0, -1.0, 1.0)))
    if angle < 1e-6:
        return b
    if angle > np.pi - 1e-3:
        return b if t >= 0.5 else a
    skew = (relative - relative.T) / (2.0 * np.sin(angle))
    part = np.eye(3) + np.sin(angle * t) * skew + (1.0 - np.cos(angle * t)) * (skew @ skew)
    rotation: Array = a @ part
    return rotation


def wrap(angle: float) -> float:
    """Wrap an angle to (-pi, pi]."""
    return math.pi - (math.pi - float(angle)) % (2 * math.pi)
