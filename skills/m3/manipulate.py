"""M3's Pick, Put, Open and Close: base velocities, changes of seven joints, and whether to hold.

In M3's simulation an object within 0.15 m of the gripper attaches to it at once. Here the fingers close or open while
arm, base and decisions pause; if the fingers hold nothing, they open again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Array, Command, FailureReason, Goal, Observation, Outcome, Subtask
from skills.m3.layout import STEP
from skills.m3.skill import REST, M3Skill
from skills.motion.motions import merge_commands
from skills.policies.policy import Policy, PolicyFailed, Value

BASE_SPEED = 1.5
"""Base velocity (m/s and rad/s) of an action of 1."""

JOINT_STEP = 0.025
"""Angle (rad) that an action of 1 adds to the target of a joint."""

GRASP_RANGE = 0.15
"""Distance (m) between gripper and target within which an action to hold closes the fingers."""

AT_REST = 0.05
"""Distance (m) from its rest position within which the gripper is back, for Pick and Put."""

FAR, BACK = 0.3, 0.15
"""Distances (m) from the start: Open and Close end when the gripper has been further than FAR and is within BACK."""

FINGER_SECONDS = 0.4
"""Time (s) for closing or opening in addition to that at the gripper's speed."""

OPENED = 0.95
"""Fraction of the maximum opening from which the gripper counts as open."""


class Manipulate(M3Skill):
    """Commands that the four skills share."""

    decisions = 200
    fastest = (BASE_SPEED, BASE_SPEED, JOINT_STEP / STEP)
    spare_seconds = 20.0
    grasps = True
    """Whether an action to hold closes the fingers."""

    def __init__(self, policy: Policy, spec: RobotSpec, kinematics: Kinematics) -> None:
        super().__init__(policy, spec, kinematics)
        self.available = tuple(name for name in self.networks if name in str(policy.facts["skills"]).split())

    def best(self, *names: str) -> str:
        """Return the first available network of some. Raises PolicyFailed if none is."""
        available = next((name for name in names if name in self.available), None)
        if available is None:
            raise PolicyFailed(FailureReason.NO_CHECKPOINT, skill=names[0])
        return available

    def begin(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        super().begin(subtask, goal, observation)
        self.busy = self._prepare()

    def _prepare(self) -> Iterator[Command]:
        """Move the arm to its rest posture, and open an empty hand."""
        yield from self.move_to_rest()
        if not self.seen.body.holding:
            yield from self.open_fingers()
        self._joint_target = self.q[self.torso :]
        self._start_position = self.gripper_position()
        self._max_distance = 0.0

    def obey(self, action: Value) -> None:
        numbers = np.asarray(action, dtype=float)
        self._joint_target = np.clip(self._joint_target + JOINT_STEP * numbers[2:9], *self.arm.limits.T)
        linear, angular = (BASE_SPEED * self.slowness * numbers[:2]).tolist()
        self.held = merge_commands(
            [self.spec.drive(linear, angular), Command({self.arm.name: self._joint_target.tolist()})]
        )
        holding = self.seen.body.holding
        if numbers[9] > 0 and self.grasps and not holding:
            if float(np.linalg.norm(self.goal_at_gripper())) <= GRASP_RANGE:
                self.busy = self._grasp()
        elif numbers[9] < 0 and holding and self.releases():
            self.busy = self.open_fingers()

    def releases(self) -> bool:
        """Whether an action not to hold opens the fingers."""
        return True

    def gripper_at_rest(self) -> bool:
        """Whether the gripper is back at its rest position."""
        return float(np.linalg.norm(self.gripper_position() - REST)) <= AT_REST

    # ------------------------------------------------------------ fingers

    def _grasp(self) -> Iterator[Command]:
        for _ in range(self._finger_periods()):
            if self.seen.body.holding:
                return
            yield self.spec.grip(0.0)
        if not self.seen.body.holding:
            yield from self.open_fingers()

    def open_fingers(self) -> Iterator[Command]:
        """Open the hand fully."""
        for _ in range(self._finger_periods()):
            if self.seen.body.gripper > OPENED * self.spec.gripper_max and not self.seen.body.holding:
                return
            yield self.spec.grip(self.spec.gripper_max)

    def _finger_periods(self) -> int:
        return math.ceil((self.spec.gripper_max / self.spec.gripper_speed + FINGER_SECONDS) / self.spec.period)


class Pick(Manipulate):
    """Ends when an object is held and the gripper is back at its rest position."""

    actions = ("Pick",)
    networks = ("pick", "pick_fridge")

    def choose(self, goal: Goal) -> str:
        behind_a_door = any(surface.access is not None for surface in goal.surfaces[:1])
        return self.best("pick_fridge", "pick") if behind_a_door else self.best("pick")

    def target(self) -> Array:
        return self.goal.position

    def releases(self) -> bool:
        return False

    def judge(self) -> None:
        if self.seen.body.holding and self.gripper_at_rest():
            self.finish(Outcome.SUCCEEDED)


class Place(Manipulate):
    """Ends when the hand is empty and back at its rest position; on a time-out the hand opens where it is."""

    actions = ("Put",)
    networks = ("place", "place_fridge")
    grasps = False

    def choose(self, goal: Goal) -> str:
        if not self.seen.body.holding:
            raise PolicyFailed(FailureReason.HAND_EMPTY)
        inside = any(surface.access is not None for surface in goal.surfaces[:1])
        return self.best("place_fridge", "place") if inside else self.best("place")

    def target(self) -> Array:
        return self.goal.surfaces[0].center if self.goal.surfaces else self.goal.position

    def judge(self) -> None:
        if not self.seen.body.holding and self.gripper_at_rest():
            self.finish(Outcome.SUCCEEDED)

    def out_of_time(self) -> None:
        self.busy = self._let_go()

    def _let_go(self) -> Iterator[Command]:
        yield from self.open_fingers()
        super().out_of_time()


class MovePanel(Manipulate):
    """Open and Close: end when the gripper has moved away and returned, with nothing in it."""

    last: bool
    """Whether the most open door or drawer is the target instead of the least open one."""

    def choose(self, goal: Goal) -> str:
        open_by = [articulation.opening / articulation.range for articulation in goal.articulations]
        if not open_by:
            raise PolicyFailed(FailureReason.NO_DOOR_OR_DRAWER, name=goal.name)
        self._index = open_by.index(max(open_by) if self.last else min(open_by))
        hinge, slide = self.networks
        return self.best(hinge if goal.articulations[self._index].kind == "hinge" else slide)

    def target(self) -> Array:
        if len(self.goal.articulations) <= self._index:
            raise PolicyFailed(FailureReason.SIGHT_LOST, name=self.goal.name)
        return self.goal.articulations[self._index].handle

    def judge(self) -> None:
        distance = float(np.linalg.norm(self.gripper_position() - self._start_position))
        self._max_distance = max(self._max_distance, distance)
        if self._max_distance > FAR and distance <= BACK and not self.seen.body.holding:
            self.finish(Outcome.SUCCEEDED)


class Open(MovePanel):
    """Open with the network for doors or for drawers."""

    actions = ("Open",)
    networks = ("open_fridge", "open_drawer")
    last = False


class Close(MovePanel):
    """Close with the network for doors or for drawers."""

    actions = ("Close",)
    networks = ("close_fridge", "close_drawer")
    last = True
