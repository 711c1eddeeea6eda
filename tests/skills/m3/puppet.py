"""A Fetch that follows commands at once, without physics, and a policy that solves M3's tasks by kinematics.

The policy sees only what M3's networks are given, in M3's frames, and answers with M3's actions: a skill that told it
something wrong, or obeyed it wrongly, would not bring the gripper where it has to be.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from homie.envs.mujoco.robots.bodies.fetch import SPEC
from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.kernel.interfaces import Skill
from homie.kernel.types import (
    CameraFrame,
    Command,
    Goal,
    GripperState,
    Intrinsics,
    Observation,
    Outcome,
    Pose,
    Pose2,
    Proprioception,
    Subtask,
)
from skills.m3.layout import DEPTH_RANGE, LAYOUTS, STOP
from skills.m3.skill import REST, TORSO

KINEMATICS = ArmKinematics()
CAMERA = Intrinsics(128.0, 128.0, 127.5, 127.5, 256, 256)


class Puppet:
    """`thing`: where something is that can be held, in the odometry frame."""

    def __init__(self, thing: np.ndarray, base: Pose2 | None = None) -> None:
        self.base, self.thing = base or Pose2(0.0, 0.0, 0.0), thing
        self.q = SPEC.chain.posture(SPEC.rest)
        self.stamp = self.width = 0.0
        self.holding = False
        self.commands: list[Command] = []

    def gripper(self) -> np.ndarray:
        return self.base.transform(KINEMATICS.forward(self.q).position)

    def observe(self, cameras: Collection[str] = ()) -> Observation:
        body = Proprioception(
            base=self.base,
            joints=dict(zip(SPEC.chain.names, self.q.tolist(), strict=True)),
            grippers={"gripper": GripperState(self.width, (self.holding, self.holding), self.holding)},
        )
        depth = np.full((256, 256), 2.0, np.float32)
        here = Pose(np.zeros(3), np.eye(3))
        rgb = np.zeros((256, 256, 3), np.uint8)
        return Observation(self.stamp, body, {name: CameraFrame(name, rgb, depth, CAMERA, here) for name in cameras})

    def act(self, command: Command) -> None:
        self.commands.append(command)
        v, w = command.get("base") or (0.0, 0.0)
        yaw = self.base.yaw + w * SPEC.period
        x, y = self.base.x + v * SPEC.period * np.cos(yaw), self.base.y + v * SPEC.period * np.sin(yaw)
        self.base = Pose2(float(x), float(y), float(yaw))
        torso, arm, opening = (command.get(group) for group in ("torso", "arm", "gripper"))
        self.q[:1] = self.q[:1] if torso is None else torso
        self.q[1:] = self.q[1:] if arm is None else arm
        if opening is not None:
            step = SPEC.gripper_speed * SPEC.period
            self.width += float(np.clip(opening[0] - self.width, -step, step))
            if opening[0] > self.width:
                self.holding = False
            elif self.width < 0.05 and np.linalg.norm(self.gripper() - self.thing) < 0.05:
                self.holding = True
        if self.holding:
            self.thing = self.gripper()
        self.stamp = round(self.stamp + SPEC.period, 6)


def perform(skill: Skill, robot: Puppet, goal: Goal, seconds: float = 200.0) -> Outcome:
    """Run an attempt as the executor does."""
    observation = robot.observe(skill.cameras)
    skill.start(Subtask(skill.actions[0], goal.name), goal, observation)
    until = robot.stamp + seconds
    while skill.outcome is Outcome.RUNNING:
        assert robot.stamp < until, "it never ends"
        robot.act(skill.act(observation))
        observation = robot.observe(skill.required_cameras())
    return skill.outcome


class Solver:
    """The policy. `given` keeps its input."""

    def __init__(self, skills: str = "navigate pick place open_drawer close_drawer open_fridge close_fridge") -> None:
        self.facts = {"skills": skills}
        self.inputs: list[dict[str, object]] = []

    def reset(self, goal):
        self.skill = goal["skill"]
        self.inputs = []
        self.been = False

    def step(self, inputs):
        layout = LAYOUTS[self.skill]
        assert set(inputs) - {"allowed"} == {*layout.cameras, *(name for name, _ in layout.states)}
        assert ("allowed" in inputs) == layout.discrete
        for camera in layout.cameras:
            assert inputs[camera].shape == (128, 128) and inputs[camera].max() <= DEPTH_RANGE
        self.inputs.append(inputs)
        return {"action": self.drive(inputs) if self.skill == "navigate" else self.reach(inputs)}

    def drive(self, inputs) -> int:
        forward, _, right = inputs["goal_at_base"]
        if np.hypot(forward, right) < 0.7:
            return STOP
        bearing = np.arctan2(-right, forward)
        if abs(bearing) > 0.15:
            return 5 * 1 + (3 if bearing > 0 else 1)
        return 5 * 2 + 2

    def reach(self, inputs) -> np.ndarray:
        def plain(point):
            return np.array([point[0], -point[2], point[1]])

        q = np.concatenate([[TORSO], inputs["arm_joint_pos"]])
        goal, is_held = plain(inputs["goal_at_base"]), bool(inputs["is_grasped"])
        gripper = KINEMATICS.forward(q)
        np.testing.assert_allclose(plain(inputs["gripper_pos_at_base"]), gripper.position, atol=0.04)
        inside = gripper.rotation.T @ (goal - gripper.position)
        np.testing.assert_allclose(inputs["goal_at_gripper"], inside, atol=0.04)
        near = np.linalg.norm(inside) < 0.02
        self.been = self.been or near
        putting = self.skill.startswith("place")
        there = is_held == putting and not (self.been and not self.skill.startswith("pick"))
        target = goal if there else REST
        change = np.remainder(KINEMATICS.solve(target, None, q, locked_torso=True).q - q + np.pi, 2 * np.pi) - np.pi
        grip = -1.0 if putting and near else 1.0 if self.skill.startswith("pick") and near else 0.0
        arm = np.clip(change[1:] / 0.025, -1, 1)
        return np.concatenate([[0.0, 0.0], arm, [grip]]).astype(np.float32)
