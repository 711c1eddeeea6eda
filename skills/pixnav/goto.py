"""PixNav's Go to: drives to the target, given its pixel, in steps of 25 cm and 30 degrees."""

from __future__ import annotations

import numpy as np

from homie.kernel.robot.body import Group
from homie.kernel.types import VIEWS, CameraFrame, Command, Failure, FailureReason, Goal, Observation, Outcome, Subtask
from skills.motion.motions import Motion, Stuck
from skills.pixnav.actions import DOWN, FORWARD, LEFT, RIGHT, STEP, STOP, TURN, UP
from skills.pixnav.goal import find, mark, turn_to
from skills.policies.policy import PolicyFailed
from skills.policies.routine import PolicyRoutine

CAMERA = "head"
"""The camera that can look up and down."""
LEVEL = 0.0
"""Tilt (rad) at which the head camera is level, as PixNav's camera is at first."""
SPEED = 0.4
"""Speed (m/s) of `forward`."""
FORWARD_SECONDS, TURN_SECONDS, NOD_SECONDS = 3.0, 4.0, 1.5
"""Time limits (s) of the actions."""
SHORT = 0.05
"""A step forward that is shorter by this (m) counts as a collision."""
NODDED = 0.05
"""Tolerance (rad) of the head's posture."""


class PixNavGoTo(PolicyRoutine):
    """Folds the arm, turns to the target, marks it in the image of the head camera, and executes PixNav's actions.

    It succeeds when PixNav decides to stop. The forced stop after 33 decisions is a timeout.
    """

    name = "pixnav/go_to"
    actions = ("Go to",)
    cameras = (*VIEWS, CAMERA)
    max_seconds = 180.0

    @property
    def head(self) -> Group:
        """The group of the head's joints."""
        head = self.spec.head
        assert head is not None  # checked by PixNav.around
        return head

    def aim(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        self.target = find(goal, observation)

    def routine(self) -> Motion:
        yield from self.tuck()
        yield from self.turn(turn_to(self.target, self.base))
        first = yield from self.begin_at()
        yield from self.obey(first)

    def begin_at(self) -> Motion:
        """Mark the target in an image of the level camera, or of one step lower; returns the frame. Raises PolicyFailed
        if the target is in neither."""
        for tilt in (LEVEL, LEVEL + TURN):
            yield from self.nod(tilt)
            frame = yield from self.look(CAMERA)
            pixel = mark(self.target, frame)
            if pixel is not None:
                self.policy.reset({"picture": frame.rgb, "pixel": pixel})
                return frame
        raise PolicyFailed(FailureReason.TARGET_NOT_IN_HEAD_PICTURE)

    def obey(self, frame: CameraFrame) -> Motion:
        """Decide and act until PixNav stops, then level the camera."""
        collided = False
        while True:
            decision = self.policy.step({"picture": frame.rgb, "collided": collided})
            if decision["action"] == STOP:
                yield from self.nod(LEVEL)
                if decision["forced"]:
                    self.finish(Outcome.TIMED_OUT, Failure(FailureReason.NO_STOP, count=self.policy.facts["calls"]))
                    yield Command()
                return
            collided = yield from self.execute(int(np.asarray(decision["action"])))
            frame = yield from self.look(CAMERA)

    def execute(self, action: int) -> Motion:
        """Execute one action with feedback from odometry and a time limit; returns whether it was cut short."""
        begin = self.base
        if action == FORWARD:
            yield from self.straight(STEP, speed=SPEED, seconds=FORWARD_SECONDS)
            return float(np.linalg.norm(self.base.xy - begin.xy)) < STEP - SHORT
        if action in (UP, DOWN):
            tilt = float(self.head.measured(self.seen.body)[1])
            yield from self.nod(tilt + (TURN if action == DOWN else -TURN))
            return False
        assert action in (LEFT, RIGHT)
        try:
            yield from self.turn(begin.yaw + (TURN if action == LEFT else -TURN), seconds=TURN_SECONDS)
        except Stuck:
            return True
        return False

    def nod(self, tilt: float) -> Motion:
        """Tilt the head to an angle (rad), within its limits."""
        posture = (0.0, float(np.clip(tilt, *self.head.limits[1])))
        for _ in range(int(NOD_SECONDS / self.spec.period)):
            if float(np.sum(np.abs(self.head.measured(self.seen.body) - posture))) < NODDED:
                return
            yield Command({self.head.name: posture})
