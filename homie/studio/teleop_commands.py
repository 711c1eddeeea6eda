"""Manual control: from stick deflections and sliders to commands, which the safety gate limits as any other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from homie.kernel.interfaces import Robot
from homie.kernel.types import Array, Command, Observation, Pose, rotation_z

REACH_SPEED, WRIST_SPEED = 0.20, 0.8
"""Gripper speeds at full deflection, m/s and rad/s: slow enough to stop within a centimetre of the release point."""
FARTHEST = 0.35
"""Maximum joint change per step of the gripper, rad (m for a torso): a farther IK solution would swing the arm."""
LEAD = 0.06
"""Maximum lead of the target position over the measured one, m, so that an obstructed arm does not jump when freed."""


@dataclass(frozen=True, slots=True)
class Stick:
    """Operator input, each deflection from -1 to 1.

    Args:
        drive: Base velocity, forward positive.
        turn: Base yaw rate, left positive.
        reach: Gripper velocity in the base frame: x forward, y left, z up.
        wrist: Gripper yaw rate about the base's z axis.
        grip: 1 opens, -1 closes, 0 leaves it.
        joints: Joint targets of sliders (rad, m) by group, one number per joint.
    """

    drive: float = 0.0
    turn: float = 0.0
    reach: tuple[float, float, float] = (0.0, 0.0, 0.0)
    wrist: float = 0.0
    grip: float = 0.0
    joints: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def moves(self) -> bool:
        """Whether any input differs from the released stick."""
        return bool(self.drive or self.turn or any(self.reach) or self.wrist or self.grip or self.joints)


RELEASED = Stick()


class Hand:
    """Converts operator input into commands of one control period each for one robot."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._pose: Pose | None = None
        """Target pose of the gripper while the operator moves it, else None."""
        self.message = ""
        """Why the arm did not follow the last command, "" if it did."""

    def command(self, stick: Stick, observation: Observation) -> Command:
        """Return the command of one control period, without groups that the robot lacks."""
        spec = self._robot.spec
        self.message = ""
        targets: dict[str, Sequence[float]] = {}
        gripper = spec.first("gripper")
        if spec.first("base") is not None:
            drive_command = spec.drive(_unit(stick.drive) * spec.max_linear, _unit(stick.turn) * spec.max_angular)
            targets |= drive_command.targets
        if gripper is not None and stick.grip:
            targets[gripper.name] = (spec.gripper_max if stick.grip > 0 else 0.0,)
        joint_counts = {group.name: len(group.joints) for group in spec.groups if group.kind != "base"}
        targets |= {name: values for name, values in stick.joints.items() if joint_counts.get(name) == len(values)}
        if any(stick.reach) or stick.wrist:
            targets |= self._reach(stick, observation)
        else:
            self._pose = None
        return Command(targets)

    def _reach(self, stick: Stick, observation: Observation) -> Mapping[str, tuple[float, ...]]:
        """Return joint targets that move the gripper by one control period; none if the arm cannot."""
        chain, kinematics, period = self._robot.spec.chain, self._robot.kinematics, self._robot.spec.period
        if not chain.groups:
            self.message = f"The {self._robot.spec.name} has no arm."
            return {}
        q = chain.measured(observation.body)
        hand_pose = kinematics.forward(q)
        last_pose = self._pose or hand_pose
        step = np.array([_unit(value) for value in stick.reach]) * REACH_SPEED * period
        turn = rotation_z(_unit(stick.wrist) * WRIST_SPEED * period)
        position = hand_pose.position + _limit_length(last_pose.position + step - hand_pose.position, LEAD)
        pose = Pose(position, turn @ last_pose.rotation)
        # If the full pose is unreachable, let the orientation change, unless the operator controls it.
        for rotation in (pose.rotation, None) if not stick.wrist else (pose.rotation,):
            solution = kinematics.solve(pose.position, rotation, q)
            if solution.ok and np.max(np.abs(chain.nearest(solution.q, q) - q)) <= FARTHEST:
                self._pose = Pose(position, pose.rotation if rotation is not None else kinematics.forward(q).rotation)
                return chain.targets(solution.q)
        self.message = "The arm cannot go further that way."
        return {}


def _unit(value: float) -> float:
    return float(min(max(value, -1.0), 1.0))


def _limit_length(vector: Array, longest: float) -> Array:
    length = float(np.linalg.norm(vector))
    return vector * (longest / length) if length > longest else vector
