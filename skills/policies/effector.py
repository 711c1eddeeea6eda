"""Skills of policies that move the hand by small steps: RT-1-X and Octo.

    raise the arm --> look at the target --> (images --> policy --> motion --> gripper poses) repeated

The robot stands while the policy decides, or executes the motions of the previous answer (`skills.policies.pacing`).

A motion is added to the previous target of the hand (on a compliant robot to the hand's pose), in the base frame, and
reached on a straight line within one period of the policy's rate. Motions that the arm cannot reach are shortened or
left out. The attempt ends when the policy terminates it, when the hand has reached the required state, or after a
number of motions.
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
from skills.motion.motions import merge_commands
from skills.policies.instructions import instruction
from skills.policies.motions import CONVENTIONS, Motion, rotation_matrix
from skills.policies.pacing import Pacing, pacing
from skills.policies.policy import Policy, PolicySkill, Value

LONGEST, WIDEST = 0.10, 0.5
"""Limits (m, rad) to which a larger motion of the hand is shortened: unsure policies ask for metres."""

FARTHEST, FURTHEST = 0.05, 0.15
"""The same for the base (m, rad), which drives without seeing where."""

LEAD = 0.10
"""Maximum distance (m) of the hand's target from its pose; a larger one means that an obstacle is in the way."""

LARGEST_JUMP = 1.2
"""Maximum change of a joint (rad) from one pose to the next: more means that the arm would flip over."""

SHARES = (1.0, 0.5, 0.25)
"""Fractions of a motion that are tried if the arm cannot make all of it."""

HELD_SECONDS = 1.0
"""Seconds for which the hand must hold an object after Pick, or nothing after Put, for the action to be done."""

RAISE_SECONDS, RAISE_SPEED = 8.0, 0.8
"""Timeout for raising the arm, and the fraction of the joints' speeds used."""
FOLDED, AT_POSTURE = 0.3, 0.05
"""Joint tolerances (rad) for a travelling posture, and for the raised one."""

LOOK_SECONDS = 1.0

CameraName: TypeAlias = Annotated[
    str, Field(description="The robot's camera that it sees through; empty: head, else front.")
]
DeviceName: TypeAlias = Annotated[str, Field(description="Where the network runs: auto, cpu, cuda.")]
MostMotions: TypeAlias = Annotated[int, Field(ge=1, le=1000, description="The most motions of one attempt.")]
"""Settings shared by the policies of the hand."""


class EffectorSkill(PolicySkill):
    """One action by motions of the hand.

    Facts: `rate` (motions per second), `steps` (maximum motions of one attempt), `camera` and `wrist` (the robot's
    cameras for the policy's images; camera "": `head` if the robot has one, else `front`; wrist "": none), `drives`
    (whether motions of the base are carried out), `say ACTION` (see skills.policies.instructions), those of
    `homie.kernel.robot.conventions.HandConventions`, and those of `skills.policies.pacing.pacing`. Raises BadInput for
    a policy whose conventions differ from `skills.policies.motions.CONVENTIONS`, or that is faster than the robot.
    """

    model: ClassVar[str]

    def __init__(
        self, policy: Policy, spec: RobotSpec, kinematics: Kinematics, action: str, pace: Pacing | None = None
    ) -> None:
        """Build a skill around a policy.

        Args:
            pace: Shared by all skills of a policy that exist at the same time.
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
        self._idle_periods = 0
        self._wanted_holding = {"Pick": True, "Put": False}.get(subtask.action)
        """Whether the hand should hold an object at the end; None if it does not matter."""
        if self._wanted_holding is body.holding:
            self._wanted_holding = None
        self._held_since: float | None = None
        self._needs_images = False
        self._commands = self._routine()

    def required_cameras(self) -> tuple[str, ...]:
        return tuple(self.eyes.values()) if self._needs_images else ()

    def steer(self, observation: Observation) -> Command:
        self.seen = observation
        self._judge()
        return next(self._commands, Command()) if self.outcome is Outcome.RUNNING else Command()

    def _judge(self) -> None:
        """Finish once the hand has held an object, or none, for long enough."""
        if self._wanted_holding is None or self.seen.body.holding is not self._wanted_holding:
            self._held_since = None
        elif self._held_since is None:
            self._held_since = self.seen.stamp
        elif self.seen.stamp - self._held_since >= HELD_SECONDS:
            self.finish(
                Outcome.SUCCEEDED, "the hand holds something" if self._wanted_holding else "the hand has let go"
            )

    # ------------------------------------------------------------ the routine

    def _routine(self) -> Iterator[Command]:
        yield from self._raise_arm()
        yield from self._look()
        self._pose, self._missed_motions, count = self.kinematics.forward(self.q), 0, 0
        while count < self.steps:
            motion = yield from self._decision(count)
            if motion.terminate:
                self.finish(Outcome.SUCCEEDED, "done, says the policy")
                return
            commands = self._commands_of(motion, self._periods(count))
            count += 1
            self._needs_images = False
            yield from commands[:-1]
            # The images for the next motion come with the observation after the last command.
            self._needs_images = count < self.steps and self.pace.due(count)
            yield commands[-1]
        missed_clause = f", {self._missed_motions} of them out of reach" if self._missed_motions else ""
        late_clause = f", {self.pace.late} came too late" if self.pace.late else ""
        idle_clause = f", {self._idle_periods * self.spec.period:.1f} s without one" if self._idle_periods else ""
        reason = Failure(FailureReason.MOTIONS_RAN_OUT, count=count, more=f"{missed_clause}{late_clause}{idle_clause}")
        self.finish(Outcome.TIMED_OUT, reason)

    def _decision(self, count: int) -> Generator[Command, None, Motion]:
        """Query the policy if it is due, and hold still until the motion is available."""
        motion = None
        while motion is None:
            if self.pace.due(count):
                self._needs_images = True
                if all(camera in self.seen.frames for camera in self.eyes.values()):
                    self.pace.ask(count, self._policy_inputs())
                    self._needs_images = False
            motion = self.pace.motion(count)
            if motion is None:
                self._idle_periods += not self._needs_images
                yield Command(effector=self._pose)
        return motion

    def _periods(self, count: int) -> int:
        """Return the control periods of the next motion, so that all motions together keep the policy's rate."""
        motion_periods = 1.0 / (self.rate * self.spec.period)
        return max(1, round((count + 1) * motion_periods) - round(count * motion_periods))

    def _policy_inputs(self) -> dict[str, Value]:
        return {name: self.seen.frames[camera].rgb for name, camera in self.eyes.items()}

    def _commands_of(self, motion: Motion, periods: int) -> list[Command]:
        """Return the commands of one motion, one per control period."""
        begin = self._target()
        turn = _clip_length(motion.rotation, WIDEST)
        goal, share = self._reachable(begin, _clip_length(motion.translation, LONGEST), turn)
        base = self._base_speed(motion.base, periods) if self.drives else None
        width = motion.opening * self.spec.gripper_max
        commands = []
        for count in range(1, periods + 1):
            part = count / periods
            position = begin.position + part * (goal.position - begin.position)
            pose = Pose(position, rotation_matrix(part * share * turn) @ begin.rotation)
            first_commands = [self.spec.grip(width), Command(effector=pose)]
            commands.append(
                merge_commands(first_commands if base is None else [*first_commands, self.spec.drive(*base)])
            )
        self._pose = goal
        return commands

    def _target(self) -> Pose:
        """Return the start of the next motion: the last target of the hand, or its pose if it could not follow."""
        hand_pose = self.kinematics.forward(self.q)
        if self.spec.compliant:
            return hand_pose
        return self._pose if float(np.linalg.norm(self._pose.position - hand_pose.position)) < LEAD else hand_pose

    def _reachable(self, begin: Pose, step: Array, turn: Array) -> tuple[Pose, float]:
        """Return the pose after as much of a motion as the arm can make, and the fraction made."""
        for share in SHARES:
            pose = Pose(begin.position + share * step, rotation_matrix(share * turn) @ begin.rotation)
            solution = self.kinematics.solve(pose.position, pose.rotation, self.q)
            if solution.ok and np.max(np.abs(solution.q - self.q)) < LARGEST_JUMP:
                return pose, share
        self._missed_motions += 1
        return begin, 0.0

    def _base_speed(self, motion: Array, periods: int) -> tuple[float, float]:
        """Return velocities (m/s, rad/s) for a motion of the base; its lateral part is left out."""
        seconds = periods * self.spec.period
        forward, turn = float(np.clip(motion[0], -FARTHEST, FARTHEST)), float(np.clip(motion[2], -FURTHEST, FURTHEST))
        return forward / seconds, turn / seconds

    # ------------------------------------------------------------ before the first decision

    @property
    def q(self) -> Array:
        """The joints of torso and arm as measured, (n,)."""
        return self.chain.measured(self.seen.body)

    def _raise_arm(self) -> Iterator[Command]:
        """Move from a travelling posture to the raised one; an arm that is already out or raised stays where it is."""
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
        """Return a posture with its continuous joints on the turn where they are."""
        return self.chain.nearest(posture, self.q)

    def _look(self) -> Iterator[Command]:
        """Turn the head towards the target, if the robot has one that turns."""
        local = self.seen.body.base.inverse(self.goal.position)
        head, gaze = self.spec.head, self.spec.gaze(local, self.chain.lift(self.q))
        if head is None or gaze is None:
            return
        for _ in range(math.ceil(LOOK_SECONDS / self.spec.period)):
            yield Command({head.name: gaze})


def _clip_length(vector: Array, longest: float) -> Array:
    """Scale a vector down to at most a length."""
    length = float(np.linalg.norm(vector))
    return vector if length <= longest else np.asarray(vector * (longest / length))
