"""Move: bring the tool to a pose given by seven numbers, then open or close the gripper."""

from __future__ import annotations

import numpy as np

from homie.kernel.types import FailureReason, Pose
from skills.discrete_actions.arm_actions import ArmAction
from skills.discrete_actions.arm_clearance import Clearance
from skills.discrete_actions.arm_paths import NoWay, find_way
from skills.motion.motions import Motion, RoutineSkill, Stuck

ARRIVED, TURNED = 0.01, 0.06
"""Tolerances (m and rad) of the tool's final pose."""
SPEED = 0.55
"""Fraction of the maximum joint speeds."""


class Move(RoutineSkill):
    """Plans a collision-free path and follows it. The target of the subtask is the action, in numbers.

    Fields of the goal: `position` is the target of the tool, `solids` are obstacles of hand and arm, `obstacles` those
    of the held object, `box` is the held object's box.
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
            way = find_way(self.kinematics, self.q, target, clearance.describe_collision)
        except NoWay as error:
            raise Stuck(str(error)) from None
        yield from self.follow_joints(way, speed=SPEED, tolerance=0.002, patience=0.8)
        pose = self.kinematics.forward(self.q)
        distance = float(np.linalg.norm(pose.position - target.position))
        if distance > ARRIVED or np.linalg.norm(pose.rotation - target.rotation) > TURNED * np.sqrt(2.0):
            raise Stuck(FailureReason.ARM_STOPPED, centimetres=distance * 100)
        yield from self.gripper(self.spec.gripper_max if action.open else 0.0)

    @property
    def feedback_message(self) -> str:
        return f"Unable to move to {self.subtask.target}: {self.reason}." if self.reason else ""
