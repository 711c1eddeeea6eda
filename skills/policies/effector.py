"""Skills of policies that move the hand by small steps: RT-1-X and Octo.

    raise the arm --> look at the target --> (pictures --> policy --> motion --> gripper poses) again and again

The robot stands while the policy decides, or carries out the motions of the answer before (`skills.policies.pacing`).

A motion is added to the previous target of the hand (on a compliant robot to where the hand is), in the base frame, and
reached on a straight line within one period of the policy's rate. What the arm cannot reach is shortened or left out.
The attempt ends when the policy says so, when the hand has done what it was sent for, or after a number of motions.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from typing import Annotated, ClassVar, TypeAlias, cast

import numpy as np
from pydantic import Field

from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import RobotSpec
from homie.kernel.robot.conventions import check_period
from homie.kernel.types import Array, Command, Failure, FailureReason, Goal, Observation, Outcome, Pose, Subtask
from skills.motion.motions import merged
from skills.policies.instructions import instruction
from skills.policies.motions import CONVENTIONS, Motion, rotation_matrix
from skills.policies.pacing import Pacing, pacing
from skills.policies.policy import Policy, PolicySkill, Value

LONGEST, WIDEST = 0.10, 0.5
"""What a larger motion of the hand is shortened to (m, rad): unsure policies ask for metres."""

FARTHEST, FURTHEST = 0.05, 0.15
"""The same for the base (m, rad). It drives blindly."""

LEAD = 0.10
"""How far (m) the target of the hand may be from its pose; if further, something is in the way."""

LARGEST_JUMP = 1.2
"""The largest change of a joint (rad) from one pose to the next: more means that the arm would flip over."""

SHARES = (1.0, 0.5, 0.25)
"""Shares of a motion that are tried, where the arm cannot make all of it."""

HELD_SECONDS = 1.0
"""So long the hand holds a thing after Pick, or nothing after Put, when the action is done."""

RAISE_SECONDS, RAISE_SPEED = 8.0, 0.8
"""To raise the arm: the longest time, and the share of the joints' speeds."""
FOLDED, AT_POSTURE = 0.3, 0.05
"""A joint (rad) is in a travelling posture, and at the raised one."""

LOOK_SECONDS = 1.0

CameraName: TypeAlias = Annotated[
    str, Field(description="The robot's camera that it sees through; empty: head, else front.")
]
DeviceName: TypeAlias = Annotated[str, Field(description="Where the network runs: auto, cpu, cuda.")]
MostMotions: TypeAlias = Annotated[int, Field(ge=1, le=1000, description="The most motions of one attempt.")]
"""Settings that policies of the hand have in common."""


class EffectorSkill(PolicySkill):
    """One action by motions of the hand.

    Facts: `rate` (motions per second), `steps` (the most of one attempt), `camera` and `wrist` (which of the robot's
    cameras the policy sees through; camera "": `head` where there is one, else `front`; wrist "": none), `drives`
    (whether motions of the base count), `say ACTION` (see skills.policies.instructions), those of
    `homie.kernel.robot.conventions.HandConventions`, and those of `skills.policies.pacing.pacing`. Raises BadInput for
    a policy that means other numbers than `skills.policies.motions.CONVENTIONS`, or is faster than the robot.
    """

    model: ClassVar[str]

    def __init__(
        self, policy: Policy, spec: RobotSpec, kinematics: Kinematics, action: str, pace: Pacing | None = None
    ) -> None:
        """Make a skill of a policy.

        Args:
            pace: One for all skills of a policy that exist at the same time.
        """
        super().__init__(policy, spec, kinematics)
        facts = policy.facts
        self.pace = pace or pacing(policy, spec.period)
        self.deliberates = self.pace.stands
        CONVENTIONS.check(f"The policy of {self.model}", facts)
        check_period(f"The policy of {self.model}", 1.0 / cast(float, facts["rate"]), spec.period)
        self.actions = (action,)
        self.name = f"{self.model}/{action.lower()}"
        self.rate, self.steps = cast(float, facts["rate"]), cast(int, facts["steps"])
        self.chain = spec.chain
        self.drives = bool(facts["drives"]) and spec.first("base") is not None
        primary = str(facts["camera"]) or ("front" if spec.head is None else "head")
        wrist = str(facts["wrist"])
        self.eyes = {"primary": primary, "wrist": wrist} if wrist else {"primary": primary}
        self.max_seconds = self.steps / self.rate + RAISE_SECONDS + 2 * LOOK_SECONDS

    def begin(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        self.goal, self.seen = goal, observation
        body = observation.body
        opening = min(body.gripper / self.spec.gripper_max, 1.0)
        text = instruction(self.policy.facts, subtask, task=goal.task)
        instruction_text = instruction(self.policy.facts, subtask, goal.name, goal.task)
        self.pace.begin({"text": text, "listed": instruction_text, "gripper": opening})
        self._stood = 0
        self._wanted = {"Pick": True, "Put": False}.get(subtask.action)
        """Whether the hand should hold something in the end, None if it does not matter."""
        if self._wanted is body.holding:
            self._wanted = None
        self._since: float | None = None
        self._looks = False
        self._commands = self._routine()

    def required_cameras(self) -> tuple[str, ...]:
        return tuple(self.eyes.values()) if self._looks else ()

    def steer(self, observation: Observation) -> Command:
        self.seen = observation
        self._judge()
        return next(self._commands, Command()) if self.outcome is Outcome.RUNNING else Command()

    def _judge(self) -> None:
        """Finish when the hand has held, or not held, for long enough."""
        if self._wanted is None or self.seen.body.holding is not self._wanted:
            self._since = None
        elif self._since is None:
            self._since = self.seen.stamp
        elif self.seen.stamp - self._since >= HELD_SECONDS:
            self.finish(Outcome.SUCCEEDED, "the hand holds something" if self._wanted else "the hand has let go")

    # ------------------------------------------------------------ the routine

    def _routine(self) -> Iterator[Command]:
        yield from self._raise_arm()
        yield from self._look()
        self._pose, self._missed, count = self.kinematics.forward(self.q), 0, 0
        while count < self.steps:
            motion = yield from self._decision(count)
            if motion.terminate:
                self.finish(Outcome.SUCCEEDED, "done, says the policy")
                return
            commands = self._commands_of(motion, self._periods(count))
            count += 1
            self._looks = False
            yield from commands[:-1]
            # The pictures for the next motion come with the observation after the last command.
            self._looks = count < self.steps and self.pace.due(count)
            yield commands[-1]
        missed = f", {self._missed} of them out of reach" if self._missed else ""
        late_clause = f", {self.pace.late} came too late" if self.pace.late else ""
        stood_clause = f", {self._stood * self.spec.period:.1f} s without one" if self._stood else ""
        reason = Failure(FailureReason.MOTIONS_RAN_OUT, count=count, more=f"{missed}{late_clause}{stood_clause}")
        self.finish(Outcome.TIMED_OUT, reason)

    def _decision(self, count: int) -> Generator[Command, None, Motion]:
        """Ask the policy if it is time, and hold still until the motion is there."""
        motion = None
        while motion is None:
            if self.pace.due(count):
                self._looks = True
                if all(camera in self.seen.frames for camera in self.eyes.values()):
                    self.pace.ask(count, self._given())
                    self._looks = False
            motion = self.pace.motion(count)
            if motion is None:
                self._stood += not self._looks
                yield Command(effector=self._pose)
        return motion

    def _periods(self, count: int) -> int:
        """Control periods of the next motion, so that all of them together keep the policy's rate."""
        motion_periods = 1.0 / (self.rate * self.spec.period)
        return max(1, round((count + 1) * motion_periods) - round(count * motion_periods))

    def _given(self) -> dict[str, Value]:
        return {name: self.seen.frames[camera].rgb for name, camera in self.eyes.items()}

    def _commands_of(self, motion: Motion, periods: int) -> list[Command]:
        """The commands of one motion, one per control period."""
        begin = self._target()
        turn = _shortened(motion.rotation, WIDEST)
        goal, share = self._reachable(begin, _shortened(motion.translation, LONGEST), turn)
        base = self._base_speed(motion.base, periods) if self.drives else None
        width = motion.opening * self.spec.gripper_max
        commands = []
        for count in range(1, periods + 1):
            part = count / periods
            position = begin.position + part * (goal.position - begin.position)
            pose = Pose(position, rotation_matrix(part * share * turn) @ begin.rotation)
            first_commands = [self.spec.grip(width), Command(effector=pose)]
            commands.append(merged(first_commands if base is None else [*first_commands, self.spec.drive(*base)]))
        self._pose = goal
        return commands

    def _target(self) -> Pose:
        """Where the next motion begins: at the last target of the hand, or at its pose if it could not follow."""
        hand_pose = self.kinematics.forward(self.q)
        if self.spec.compliant:
            return hand_pose
        return self._pose if float(np.linalg.norm(self._pose.position - hand_pose.position)) < LEAD else hand_pose

    def _reachable(self, begin: Pose, step: Array, turn: Array) -> tuple[Pose, float]:
        """The pose after as much of a motion as the arm can make, and what share of it that is."""
        for share in SHARES:
            pose = Pose(begin.position + share * step, rotation_matrix(share * turn) @ begin.rotation)
            solution = self.kinematics.solve(pose.position, pose.rotation, self.q)
            if solution.ok and np.max(np.abs(solution.q - self.q)) < LARGEST_JUMP:
                return pose, share
        self._missed += 1
        return begin, 0.0

    def _base_speed(self, motion: Array, periods: int) -> tuple[float, float]:
        """Velocities (m/s, rad/s) for a motion of the base; what it has to the side is left out."""
        seconds = periods * self.spec.period
        forward, turn = float(np.clip(motion[0], -FARTHEST, FARTHEST)), float(np.clip(motion[2], -FURTHEST, FURTHEST))
        return forward / seconds, turn / seconds

    # ------------------------------------------------------------ before the first decision

    @property
    def q(self) -> Array:
        """The joints of torso and arm as measured, (n,)."""
        return self.chain.measured(self.seen.body)

    def _raise_arm(self) -> Iterator[Command]:
        """From a travelling posture to the raised one; an arm that is out or raised already stays where it is."""
        folded = [self._nearest(self.chain.posture(posture)) for posture in (self.spec.rest, self.spec.carry)]
        if min(float(np.max(np.abs(posture - self.q))) for posture in folded) > FOLDED:
            return
        begin, target = self.q, self._nearest(self.chain.posture(self.spec.ready[0]))
        if np.max(np.abs(begin - target)) < AT_POSTURE:
            return
        speeds = RAISE_SPEED * self.spec.period * self.chain.speeds
        periods = max(1, math.ceil(np.max(np.abs(target - begin) / speeds)))
        for count in range(1, math.ceil(RAISE_SECONDS / self.spec.period)):
            if count > periods and np.max(np.abs(self.q - target)) < AT_POSTURE:
                return
            yield self.chain.command(begin + (target - begin) * min(1.0, count / periods))

    def _nearest(self, posture: Array) -> Array:
        """A posture with the joints that turn without end on the turn where they are."""
        return self.chain.nearest(posture, self.q)

    def _look(self) -> Iterator[Command]:
        """Turn the head, if there is one that turns, to the target."""
        local = self.seen.body.base.inverse(self.goal.position)
        head, gaze = self.spec.head, self.spec.gaze(local, self.chain.lift(self.q))
        if head is None or gaze is None:
            return
        for _ in range(math.ceil(LOOK_SECONDS / self.spec.period)):
            yield Command({head.name: gaze})


def _shortened(vector: Array, longest: float) -> Array:
    """A vector no longer than that."""
    length = float(np.linalg.norm(vector))
    return vector if length <= longest else np.asarray(vector * (longest / length))
