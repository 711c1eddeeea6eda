"""Base of policy skills written as routines: motions of the classical skills before, between and after decisions."""

from __future__ import annotations

from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import CameraFrame, Command, Goal, Observation, Subtask
from skills.motion.driving import MobileSkill
from skills.motion.motions import Motion, RoutineSkill
from skills.policies.policy import Policy, PolicySkill

EPSILON = 1e-6
"""Tolerance (s) of time stamps."""


class PolicyRoutine(PolicySkill, MobileSkill):
    """A policy skill whose behaviour is one routine. Returning from it is success, Stuck and PolicyFailed are failure.

    Subclasses implement `aim` and `routine`. A routine that needs an image stands and waits for it (`look`), or
    continues to move and takes it when it is available (`ask`, `answer`).
    """

    wanted: str = ""
    """The camera whose image the routine takes next; "" for none."""
    due: float = 0.0
    """The stamp from which the routine takes it, s."""

    def __init__(self, policy: Policy, spec: RobotSpec, kinematics: Kinematics) -> None:
        MobileSkill.__init__(self, spec, kinematics)
        PolicySkill.__init__(self, policy, spec, kinematics)

    def aim(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        """Build the goal for the policy. Raises PolicyFailed if that is impossible."""

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
        """Request an image of a camera, from a stamp on."""
        self.wanted, self.due = camera, due

    def answer(self) -> CameraFrame | None:
        """Return the requested image once it is due and available; the locator may have used other cameras."""
        if not self.wanted or self.seen.stamp < self.due - EPSILON:
            return None
        frame = self.seen.frames.get(self.wanted)
        if frame is not None:
            self.wanted = ""
        return frame

    def look(self, camera: str) -> Motion:
        """Stand until there is an image of the camera; returns the frame."""
        self.ask(camera, self.seen.stamp)
        while (frame := self.answer()) is None:
            yield Command()
        return frame
