"""M3's Pick, Put, Open and Close: base velocities, changes of seven joints, and a gripper that wants to hold or not.

In M3's simulation a grasp is magic: what is within 0.15 m of the gripper sticks to it at once. Here the fingers close,
or open, while arm, base and decisions wait; if nothing is between them they open again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from homie.kernel.body import RobotSpec
from homie.kernel.interfaces import Kinematics
from homie.kernel.types import Array, Command, Goal, Observation, Outcome, Subtask
from skills.classical.motion import merged
from skills.m3.layout import STEP
from skills.m3.skill import REST, M3Skill
from skills.policies.policy import Policy, PolicyFailed, Value

BASE_SPEED = 1.5
"""m/s and rad/s of a base action of 1."""

JOINT_STEP = 0.025
"""rad that a joint action of 1 adds to the joint's target."""

GRASP_RANGE = 0.15
"""Metres between gripper and target within which the wish to hold closes the fingers."""

AT_REST = 0.05
"""Metres from the rest within which the gripper is back, for Pick and Put."""

FAR, BACK = 0.3, 0.15
"""Metres from where it began: Open and Close are over when the gripper has been further than FAR and is within BACK."""

FINGER_SECONDS = 0.4
"""What closing or opening may take beyond what the gripper's speed allows."""


class Manipulate(M3Skill):
    """The commands that the four have in common."""

    decisions = 200
    fastest = (BASE_SPEED, BASE_SPEED, JOINT_STEP / STEP)
    spare_seconds = 20.0
    grasps = True
    """Whether the wish to hold closes the fingers."""

    def __init__(self, policy: Policy, spec: RobotSpec, kinematics: Kinematics) -> None:
        super().__init__(policy, spec, kinematics)
        self.available = tuple(name for name in self.networks if name in str(policy.facts["skills"]).split())

    def best(self, *names: str) -> str:
        """The first of some networks that there is. Raises PolicyFailed."""
        found = next((name for name in names if name in self.available), None)
        if found is None:
            raise PolicyFailed(f"M3 has no checkpoint for {names[0]}")
        return found

    def begin(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        super().begin(subtask, goal, observation)
        self.busy = self._prepare()

    def _prepare(self) -> Iterator[Command]:
        """Arm to its rest, an empty hand open."""
        yield from self.to_rest()
        if not self.seen.body.holding:
            yield from self.open_fingers()
        self._wanted = self.q[self.torso :]
        self._began_at = self.gripper_position()
        self._furthest = 0.0

    def obey(self, action: Value) -> None:
        numbers = np.asarray(action, dtype=float)
        self._wanted = np.clip(self._wanted + JOINT_STEP * numbers[2:9], *self.arm.limits.T)
        linear, angular = (BASE_SPEED * self.slowness * numbers[:2]).tolist()
        self.held = merged([self.spec.drive(linear, angular), Command({self.arm.name: self._wanted.tolist()})])
        holding = self.seen.body.holding
        if numbers[9] > 0 and self.grasps and not holding:
            if float(np.linalg.norm(self.goal_at_gripper())) <= GRASP_RANGE:
                self.busy = self._grasp()
        elif numbers[9] < 0 and holding and self.releases():
            self.busy = self.open_fingers()

    def releases(self) -> bool:
        """Whether the wish not to hold opens the fingers."""
        return True

    def gripper_at_rest(self) -> bool:
        """Whether the gripper is back where it rests."""
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
        """Open the hand as far as it goes."""
        for _ in range(self._finger_periods()):
            if self.seen.body.gripper > 0.95 * self.spec.gripper_max and not self.seen.body.holding:
                return
            yield self.spec.grip(self.spec.gripper_max)

    def _finger_periods(self) -> int:
        return math.ceil((self.spec.gripper_max / self.spec.gripper_speed + FINGER_SECONDS) / self.spec.period)


class Pick(Manipulate):
    """Over when something is held and the gripper is back at its rest."""

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
    """Over when the hand is empty and back at its rest; when time is out the hand opens where it is."""

    actions = ("Put",)
    networks = ("place", "place_fridge")
    grasps = False

    def choose(self, goal: Goal) -> str:
        if not self.seen.body.holding:
            raise PolicyFailed("there is nothing in the hand")
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
    """Open and Close: over when the gripper has been away and is back, with nothing in it."""

    last: bool
    """Whether the one that is most open is meant, not the one that is least open."""

    def choose(self, goal: Goal) -> str:
        open_by = [one.opening / one.range for one in goal.articulations]
        if not open_by:
            raise PolicyFailed(f"{goal.name} has no door and no drawer that the robot knows")
        self._index = open_by.index(max(open_by) if self.last else min(open_by))
        hinge, slide = self.networks
        return self.best(hinge if goal.articulations[self._index].kind == "hinge" else slide)

    def target(self) -> Array:
        if len(self.goal.articulations) <= self._index:
            raise PolicyFailed(f"the robot has lost sight of what it moves at {self.goal.name}")
        return self.goal.articulations[self._index].handle

    def judge(self) -> None:
        away = float(np.linalg.norm(self.gripper_position() - self._began_at))
        self._furthest = max(self._furthest, away)
        if self._furthest > FAR and away <= BACK and not self.seen.body.holding:
            self.finish(Outcome.SUCCEEDED)


class Open(MovePanel):
    """By the network for doors or for drawers."""

    actions = ("Open",)
    networks = ("open_fridge", "open_drawer")
    last = False


class Close(MovePanel):
    """By the network for doors or for drawers."""

    actions = ("Close",)
    networks = ("close_fridge", "close_drawer")
    last = True
