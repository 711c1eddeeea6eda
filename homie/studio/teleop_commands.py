"""A hand on the robot: from deflections and sliders to commands, which the safety gate limits as any other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from homie.kernel.interfaces import Robot
from homie.kernel.types import Array, Command, Observation, Pose, rotation_z

REACH_SPEED, WRIST_SPEED = 0.20, 0.8
"""m/s and rad/s of the hand at full deflection: slow enough to stop within a centimetre of where one lets go."""
FARTHEST = 0.35
"""rad (m for a torso) by which a joint may turn for one step of the hand: a solution further away swings the arm."""
LEAD = 0.06
"""m by which the wanted pose may be ahead of the hand: what holds the arm back must not build up a jump."""


@dataclass(frozen=True, slots=True)
class Stick:
    """What a hand does, each deflection from -1 to 1.

    Args:
        drive: Ahead.
        turn: To the left.
        reach: Of the gripper in the base frame: x ahead, y left, z up.
        wrist: Of the gripper about the z of the base.
        grip: 1 opens, -1 closes, 0 leaves it.
        joints: Where groups are to go (rad, m), by group, each a number per joint: sliders.
    """

    drive: float = 0.0
    turn: float = 0.0
    reach: tuple[float, float, float] = (0.0, 0.0, 0.0)
    wrist: float = 0.0
    grip: float = 0.0
    joints: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def moves(self) -> bool:
        """Whether it asks for anything."""
        return bool(self.drive or self.turn or any(self.reach) or self.wrist or self.grip or self.joints)


RELEASED = Stick()


class Hand:
    """Turns what a hand does into commands for one robot, a control period each."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._pose: Pose | None = None
        """Where the gripper is wanted while the hand moves it; None while it does not."""
        self.message = ""
        """Why the arm did not follow the last command, "" where it did."""

    def command(self, stick: Stick, observation: Observation) -> Command:
        """The command of one control period. A group that the robot has not is left out."""
        spec = self._robot.spec
        self.message = ""
        targets: dict[str, Sequence[float]] = {}
        gripper = spec.first("gripper")
        if spec.first("base") is not None:
            driving = spec.drive(_unit(stick.drive) * spec.max_linear, _unit(stick.turn) * spec.max_angular)
            targets |= driving.targets
        if gripper is not None and stick.grip:
            targets[gripper.name] = (spec.gripper_max if stick.grip > 0 else 0.0,)
        known = {group.name: len(group.joints) for group in spec.groups if group.kind != "base"}
        targets |= {name: values for name, values in stick.joints.items() if known.get(name) == len(values)}
        if any(stick.reach) or stick.wrist:
            targets |= self._reach(stick, observation)
        else:
            self._pose = None
        return Command(targets)

    def _reach(self, stick: Stick, observation: Observation) -> Mapping[str, tuple[float, ...]]:
        """Targets that move the gripper on by one control period; none where the arm cannot."""
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
        # Where the whole pose cannot be kept the hand may turn, as a person's does.
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
