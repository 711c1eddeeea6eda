"""Move: bring the tool to a pose given by seven numbers, then open or close the gripper."""

from __future__ import annotations

import numpy as np

from homie.kernel.types import FailureReason, Pose
from skills.discrete_actions.arm_actions import ArmAction
from skills.discrete_actions.arm_clearance import Clearance
from skills.discrete_actions.arm_paths import NoWay, find_way
from skills.motion.motions import Motion, RoutineSkill, Stuck

ARRIVED, TURNED = 0.01, 0.06
"""m and rad within which the tool is where it should be."""
SPEED = 0.55
"""Of the largest joint speeds."""


class Move(RoutineSkill):
    """Plans a way around what stands there and follows it. The target of the subtask is the action, in numbers.

    Of the goal: `position` is where the tool shall be, `solids` are what hand and arm keep out of, `obstacles` what the
    thing in the hand keeps out of, `box` is that thing's box.
    """

    name = "arm/move"
    actions = ("Move",)
    max_seconds = 30.0

    def routine(self) -> Motion:
        action = ArmAction.read(self.subtask.target)
        target = self.to_base(Pose(self.goal.position, action.gripper.rotation))
        base = np.array([self.base.x, self.base.y, 0.0])
        clearance = Clearance(
            self.kinematics,
            base,
            self.goal.position - action.pose.position,
            self.goal.solids,
            self.goal.obstacles,
            self.seen.body.gripper,
            self.q,
            self.goal.box,
        )
        try:
            way = find_way(self.kinematics, self.q, target, clearance.obstructed)
        except NoWay as no:
            raise Stuck(str(no)) from None
        yield from self.follow_joints(way, speed=SPEED, tolerance=0.002, patience=0.8)
        pose = self.kinematics.forward(self.q)
        off = float(np.linalg.norm(pose.position - target.position))
        if off > ARRIVED or np.linalg.norm(pose.rotation - target.rotation) > TURNED * np.sqrt(2.0):
            raise Stuck(FailureReason.ARM_STOPPED, centimetres=off * 100)
        yield from self.gripper(self.spec.gripper_max if action.open else 0.0)

    @property
    def feedback_message(self) -> str:
        return f"Unable to move to {self.subtask.target}: {self.reason}." if self.reason else ""
