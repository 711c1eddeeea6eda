"""A robot without physics that follows commands at once: what a skill commands can be seen number by number."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from homie.envs.mujoco.robots.bodies.fetch import REST, SPEC
from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.kernel.types import (
    Array,
    Box,
    Command,
    Goal,
    GripperState,
    Observation,
    OccupancyGrid,
    Outcome,
    Pose,
    Pose2,
    Proprioception,
    Subtask,
    rotation_z,
)
from skills.motion.driving import MobileSkill
from skills.motion.held_object import Hand
from skills.motion.motions import Motion, RoutineSkill

PERIOD = SPEC.period
KINEMATICS = ArmKinematics()


def empty_floor(size: float = 6.0) -> OccupancyGrid:
    """Free floor of some metres each way, the origin in its middle."""
    cells = np.zeros((round(size / 0.05),) * 2, dtype=bool)
    return OccupancyGrid(cells, cells, np.full(2, -size / 2), 0.05)


def floor_round(*things: Box) -> OccupancyGrid:
    """Free floor but for what stands on it."""
    grid = empty_floor()
    occupied = grid.occupied.copy()
    for box in things:
        low, high = (np.floor((box.center[:2] + s * box.half[:2] - grid.origin) / 0.05).astype(int) for s in (-1, 1))
        occupied[low[1] : high[1] + 1, low[0] : high[0] + 1] = True
    return replace(grid, occupied=occupied)


def nowhere(grid: OccupancyGrid | None = None) -> Goal:
    """A goal for skills that need no more of it than a map."""
    return Goal("nothing", "", np.zeros(3), grid=grid)


class ObedientRobot:
    """The Fetch's joints and base, each at its target one control period later.

    Args:
        base: Where it stands.
        q: Torso and arm (8,).
        opening: Of the gripper, m.
        holding: Whether it feels something in the gripper.
    """

    def __init__(self, base: Pose2, q: Array = REST, opening: float = 0.1, holding: bool = False) -> None:
        names = (*SPEC.chain.names, "head_pan_joint", "head_tilt_joint")
        joints = dict(zip(names, (*q.tolist(), 0.0, 0.0), strict=True))
        self.body = Proprioception(base, joints=joints, grippers={"gripper": GripperState(opening, holding=holding)})
        self.stamp = 0.0
        self.commands: list[Command] = []
        self.may_be_at: Callable[[Pose2], bool] = lambda base: True
        """Where nothing holds the base."""
        self.stops_joint: dict[str, float] = {}
        """Joints that something stops, and the largest value that they come to."""
        self.slow_joints: dict[str, float] = {}
        """Joints that are slower than they are commanded, and their speed (rad/s, m/s)."""
        self.stops_fingers: Callable[[], float] = lambda: 0.0
        """The width (m) of what is between the fingers; 0 where nothing is."""

    @property
    def base(self) -> Pose2:
        """Where the base is."""
        return self.body.base

    @property
    def gripper(self) -> Pose:
        """The gripper in the odometry frame."""
        pose = KINEMATICS.forward(SPEC.chain.measured(self.body))
        return Pose(self.base.transform(pose.position), rotation_z(self.base.yaw) @ pose.rotation)

    @property
    def velocities(self) -> list[tuple[float, float]]:
        """The commands of the base, period by period; (0, 0) where there was none."""
        return [(float(v), float(w)) for v, w in (command.get("base") or (0.0, 0.0) for command in self.commands)]

    def observe(self) -> Observation:
        """What it feels now."""
        return Observation(self.stamp, self.body)

    def put_at(self, base: Pose2) -> None:
        """Somebody pushes it there."""
        self.body = replace(self.body, base=base)

    def drop(self) -> None:
        """What it held is gone."""
        self.stops_fingers = lambda: 0.0
        self.body = replace(self.body, grippers={"gripper": GripperState(self.body.gripper)})

    def act(self, command: Command) -> None:
        """One control period."""
        self.commands.append(command)
        v, w = command.get("base") or (0.0, 0.0)
        base = self.body.base
        yaw = base.yaw + w * PERIOD
        middle = base.yaw + w * PERIOD / 2
        there = Pose2(base.x + v * PERIOD * math.cos(middle), base.y + v * PERIOD * math.sin(middle), yaw)
        moves = self.may_be_at(there)
        joints = dict(self.body.joints)
        for group in SPEC.groups:
            if group.kind not in ("base", "gripper") and (values := command.get(group.name)) is not None:
                joints.update(zip(group.names, map(float, values), strict=True))
        for name, speed in self.slow_joints.items():
            step, at = speed * PERIOD, self.body.joints[name]
            joints[name] = at + min(max(joints[name] - at, -step), step)
        joints |= {name: min(joints[name], most) for name, most in self.stops_joint.items()}
        velocity = (v, w) if moves else (0.0, 0.0)
        self.body = Proprioception(there if moves else base, velocity, joints, self.body.grippers)
        if (opening := command.get("gripper")) is not None:
            self._move_fingers(float(opening[0]))
        self.stamp += PERIOD

    def _move_fingers(self, opening: float) -> None:
        now, step, width = self.body.gripper, SPEC.gripper_speed * PERIOD, self.stops_fingers()
        moved = now + float(np.clip(opening - now, -step, step))
        holding = width > 0.0 and moved <= width
        state = GripperState(width if holding else moved, holding=holding)
        self.body = replace(self.body, grippers={"gripper": state})


def in_posture(robot: ObedientRobot, posture: Array) -> bool:
    """Whether the arm is in a posture, whatever the torso does."""
    q = SPEC.chain.measured(robot.body)
    return bool(np.max(np.abs(SPEC.chain.nearest(posture, q) - q)[1:]) < 0.1)


class Routine(MobileSkill):
    """A skill whose routine the test chooses."""

    def __init__(self, behaviour: Callable[[MobileSkill], Motion], hand: Hand | None = None) -> None:
        super().__init__(SPEC, KINEMATICS, hand)
        self._behaviour = behaviour

    def routine(self) -> Motion:
        yield from self._behaviour(self)


def play(skill: RoutineSkill, robot: ObedientRobot, goal: Goal, seconds: float = 60.0) -> float:
    """Run an attempt to its end, or for so long. Returns how long it took, s."""
    start = robot.stamp
    skill.start(Subtask("Go to", goal.name), goal, robot.observe())
    while skill.outcome is Outcome.RUNNING and robot.stamp - start < seconds:
        robot.act(skill.act(robot.observe()))
    return robot.stamp - start
