"""A simulated MoveIt for a simulated robot: `MoveGroup`, planned by Homie itself. Goals are joint positions.

Goals are planned in their own threads; motions are requested from the server of the robot (`ros_bridge.served_robot`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Array, Box, Pose2, Proprioception
from ros_bridge.profiles.model import Profile
from ros_bridge.served_trajectory import Error, Following
from ros_bridge.transport.actions import Outcome, ServedGoal, Status
from ros_bridge.transport.interface import Message
from ros_bridge.transport.readings import UnreadableMessage, heading_of, quaternion_of
from ros_bridge.transport.stamps import stamp

SUCCESS, NO_WAY, CONTROL_FAILED, PREEMPTED = 1, -1, -4, -7
OTHER_GROUP, OTHER_GOAL, OTHER_OBJECT, OTHER_FRAME, OUTSIDE = -15, -16, -19, -21, -27
"""Codes of `moveit_msgs/msg/MoveItErrorCodes`."""
BOX, SPHERE = 1, 2
UPRIGHT = 1e-3
"""Largest x and y of the quaternion of an upright box."""


class Planner(Protocol):
    """Plans paths of an arm: `skills.simulated_moveit_and_nav2.ArmPlanning`."""

    def way(self, begin: Array, end: Array, boxes: Sequence[Box], held: Array) -> list[Array] | None: ...

    def time_path(self, begin: Array, way: Sequence[Array], speed: float) -> Array: ...


class NoPlan(Exception):
    """A goal that is not planned, with the error code of MoveIt."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedMoveGroup:
    """Plans for one arm and moves it.

    Args:
        profile, spec: The robot, and its body.
        planner: Plans the paths.
        measured: Returns the measurements of the robot.
        follow: Moves a group of the profile along positions (n, joints), in the order of its joints there, one every
            control period; what it returns has the outcome and can be cancelled.
    """

    profile: Profile
    spec: RobotSpec
    planner: Planner
    measured: Callable[[], Proprioception]
    follow: Callable[[str, Array, float], Following]

    def execute(self, goal: ServedGoal) -> Outcome:
        """Plan and move, in the thread of the goal."""
        try:
            begin, end = self._ends(goal.message.request)
            boxes, held = self._scene(goal.message.planning_options.planning_scene_diff)
        except NoPlan as error:
            return _outcome(Status.ABORTED, error.code)
        way = self.planner.way(begin, end, boxes, held)
        if way is None:
            return _outcome(Status.ABORTED, NO_WAY)
        reaching = self.profile.reaching
        assert reaching is not None
        share = float(goal.message.request.max_velocity_scaling_factor)
        rows = self.planner.time_path(begin, way, share if 0.0 < share <= 1.0 else 1.0)
        plan_message = {"planned_trajectory": {"joint_trajectory": self._trajectory(rows)}}
        if goal.message.planning_options.plan_only:
            return _outcome(Status.SUCCEEDED, SUCCESS, plan_message)
        if goal.cancelled.is_set():
            return _outcome(Status.CANCELED, PREEMPTED)
        columns = dict(zip(self.spec.chain.names, rows.T, strict=True))
        parts = []
        for name in reaching.moves:
            positions = np.stack([columns[joint.name] for joint in self.profile.groups[name].joints], axis=1)
            parts.append(self.follow(name, positions, goal.accepted))
        while not all(part.ended.wait(self.spec.period) for part in parts):
            has_failed = any(part.ended.is_set() and part.outcome.status is not Status.SUCCEEDED for part in parts)
            if goal.cancelled.is_set() or has_failed:
                for part in parts:
                    part.end(Status.CANCELED, Error.SUCCESSFUL, "the planned motion has ended")
                break
        if goal.cancelled.is_set():
            return _outcome(Status.CANCELED, PREEMPTED)
        arrived = all(part.outcome.status is Status.SUCCEEDED for part in parts)
        return _outcome(*((Status.SUCCEEDED, SUCCESS) if arrived else (Status.ABORTED, CONTROL_FAILED)), plan_message)

    def _ends(self, request: Message) -> tuple[Array, Array]:
        """Return the current and the goal positions of the chain. Raises NoPlan for a goal that is not in joints."""
        reaching, chain = self.profile.reaching, self.spec.chain
        if reaching is None or request.group_name != reaching.group:
            raise NoPlan(OTHER_GROUP)
        if len(request.goal_constraints) != 1:
            raise NoPlan(OTHER_GOAL)
        goal = {
            constraint.joint_name: float(constraint.position)
            for constraint in request.goal_constraints[0].joint_constraints
        }
        if sorted(goal) != sorted(chain.names) or not all(map(math.isfinite, goal.values())):
            raise NoPlan(OTHER_GOAL)
        end = np.array([goal[name] for name in chain.names])
        if np.any(end < chain.limits[:, 0] - 1e-6) or np.any(end > chain.limits[:, 1] + 1e-6):
            raise NoPlan(OUTSIDE)
        return chain.measured(self.measured()), end

    def _scene(self, scene: Message) -> tuple[list[Box], Array]:
        """Return the obstacles in the base frame, and the spheres in the hand. Raises NoPlan."""
        boxes = [box for thing in scene.world.collision_objects for box in self._boxes(thing)]
        balls = [ball for thing in scene.robot_state.attached_collision_objects for ball in self._balls(thing)]
        return boxes, np.array(balls).reshape(-1, 4)

    def _boxes(self, thing: Message) -> list[Box]:
        if thing.header.frame_id != self.profile.frames.base:
            raise NoPlan(OTHER_FRAME)
        at, orientation = thing.pose.position, thing.pose.orientation
        try:
            yaw = heading_of(orientation)
            parts = [quaternion_of(pose.orientation) for pose in thing.primitive_poses]
        except UnreadableMessage as error:
            raise NoPlan(OTHER_OBJECT) from error
        if abs(orientation.x) > UPRIGHT or abs(orientation.y) > UPRIGHT:
            raise NoPlan(OTHER_OBJECT)
        object_pose = Pose2(at.x, at.y, yaw)
        boxes = []
        for shape, pose, part in zip(thing.primitives, thing.primitive_poses, parts, strict=True):
            if shape.type != BOX or len(shape.dimensions) != 3 or abs(part[0]) < 1 - UPRIGHT:
                raise NoPlan(OTHER_OBJECT)
            center = object_pose.transform(np.array([pose.position.x, pose.position.y, pose.position.z + at.z]))
            boxes.append(Box(center, np.array(shape.dimensions, dtype=float) / 2, object_pose.yaw))
        if not all(np.isfinite([*box.center, *box.half, box.yaw]).all() for box in boxes):
            raise NoPlan(OTHER_OBJECT)
        return boxes

    def _balls(self, thing: Message) -> list[tuple[float, float, float, float]]:
        if thing.link_name != self.profile.frames.effector:
            raise NoPlan(OTHER_FRAME)
        shapes = list(zip(thing.object.primitives, thing.object.primitive_poses, strict=True))
        if any(shape.type != SPHERE or len(shape.dimensions) != 1 for shape, _ in shapes):
            raise NoPlan(OTHER_OBJECT)
        return [
            (pose.position.x, pose.position.y, pose.position.z, float(shape.dimensions[0])) for shape, pose in shapes
        ]

    def _trajectory(self, rows: Array) -> Mapping[str, Any]:
        times = (self.spec.period * (number + 1) for number in range(len(rows)))
        points = [{"positions": row, "time_from_start": stamp(at)} for row, at in zip(rows, times, strict=True)]
        return {"joint_names": list(self.spec.chain.names), "points": points}


def _outcome(status: Status, code: int, extra_fields: Mapping[str, Any] | None = None) -> Outcome:
    return Outcome(status, {"error_code": {"val": code}, **(extra_fields or {})})
