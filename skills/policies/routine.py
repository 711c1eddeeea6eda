"""Policy skills that are written as routines: motions of the classical skills before, between and after decisions."""

from __future__ import annotations

from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import CameraFrame, Command, Goal, Observation, Subtask
from skills.motion.driving import MobileSkill
from skills.motion.motions import Motion, RoutineSkill
from skills.policies.policy import Policy, PolicySkill

EPSILON = 1e-6
"""Seconds that stamps are off by."""


class PolicyRoutine(PolicySkill, MobileSkill):
    """A policy skill whose behaviour is one routine. Returning from it is success, Stuck and PolicyFailed are failure.

    Subclasses write `aim` and `routine`. A routine that wants a picture stands and waits for it (`look`), or goes on
    moving and takes it when it comes (`ask`, `answer`).
    """

    wanted: str = ""
    """The camera whose picture the routine takes next, "" for none."""
    due: float = 0.0
    """The stamp from which on it takes it, s."""

    def __init__(self, policy: Policy, spec: RobotSpec, kinematics: Kinematics) -> None:
        MobileSkill.__init__(self, spec, kinematics)
        PolicySkill.__init__(self, policy, spec, kinematics)

    def aim(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        """Make the goal for the policy. Raises PolicyFailed where it cannot be made."""

    def begin(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        self.wanted = ""
        RoutineSkill.start(self, subtask, goal, observation)
        self.aim(subtask, goal, observation)

    def steer(self, observation: Observation) -> Command:
        return RoutineSkill.act(self, observation)

    def required_cameras(self) -> tuple[str, ...]:
        is_due = bool(self.wanted) and self.seen.stamp + self.spec.period >= self.due - EPSILON
        return (self.wanted,) if is_due else ()

    def ask(self, camera: str, due: float) -> None:
        """Want a picture, from a stamp on."""
        self.wanted, self.due = camera, due

    def answer(self) -> CameraFrame | None:
        """The picture that was asked for, once it is due and there; the locator may have looked elsewhere."""
        if not self.wanted or self.seen.stamp < self.due - EPSILON:
            return None
        frame = self.seen.frames.get(self.wanted)
        if frame is not None:
            self.wanted = ""
        return frame

    def look(self, camera: str) -> Motion:
        """Stand until there is a picture of the camera; returns the frame."""
        self.ask(camera, self.seen.stamp)
        while (frame := self.answer()) is None:
            yield Command()
        return frame
