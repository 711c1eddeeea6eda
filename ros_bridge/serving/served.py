"""A robot of Homie, simulated or not, as a robot of ROS 2: the topics, actions and transforms of a profile.

```
/cmd_vel, trajectories, gripper --> one command a period --> Robot.act (through its safety gate)
/odom, /joint_states, /tf, cameras <-- what it measures and sees, at true rates
```
"""

from __future__ import annotations

import functools
import logging
import math
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from homie.kernel.body import Group
from homie.kernel.errors import BadInput, CommandRefused
from homie.kernel.interfaces import Robot
from homie.kernel.types import Array, CameraFrame, Command, Pose2, Proprioception
from ros_bridge.profiles.live import GRIPPER, TRAJECTORY
from ros_bridge.profiles.model import Camera, Profile
from ros_bridge.serving.following import Error, Following
from ros_bridge.serving.written import camera_info, depth_picture, picture, transform
from ros_bridge.transport.actions import ActionServer, Outcome, ServedGoal, Status
from ros_bridge.transport.interface import LATCHED, NEWEST, SENSOR, Message, Node
from ros_bridge.transport.stamps import now, seconds, stamp

log = logging.getLogger("homie.ros_bridge")

VELOCITY_LIFE = 0.5
"""Seconds that a velocity is driven without being said again, as the drivers of such robots have it."""
BEHIND = 1.0
"""Seconds that the simulation may be behind the clock on the wall; what is more is given up and logged."""
CAMERA_SHARE = 0.4
"""The part of the time that pictures may take: without a graphics card one takes several control periods."""
GRIP_SECONDS = 3.0
"""Seconds in which the fingers have arrived or met something."""
STILL = 0.002
"""m/s below which fingers have stopped."""


class ServedRobot:
    """Plays a robot on the network.

    Args:
        node: The node that offers it.
        robot: The robot; after this only `run` may touch it.
        profile: The names it has on the network; its joints must be those of the robot.
        camera: The camera of the robot that is that of the profile.
        camera_rate: Pictures a second; 0 for none.

    Raises:
        BadInput: The profile is of another robot.
    """

    def __init__(self, node: Node, robot: Robot, profile: Profile, camera: str, camera_rate: float) -> None:
        self._node, self._robot, self._profile = node, robot, profile
        self._lock = threading.Lock()
        self._velocity, self._velocity_at = (0.0, 0.0), -math.inf
        self._following: dict[str, Following] = {}
        self._opening: float | None = None
        self._body = robot.measured()
        self._camera, self._camera_period = camera, 1.0 / camera_rate if camera_rate else math.inf
        self._picture_due = -math.inf
        self._behind_told = False
        self._groups = {name: self._group(name) for name in profile.groups}
        self._gripper = robot.spec.first("gripper") if profile.gripper is not None else None
        self._servers = self._serve()
        self._joints = node.publisher("sensor_msgs/msg/JointState", profile.joint_states)
        self._tf = node.publisher("tf2_msgs/msg/TFMessage", "/tf")
        self._odometry = None
        if profile.base is not None:
            self._odometry = node.publisher("nav_msgs/msg/Odometry", profile.base.odometry)
            node.subscription("geometry_msgs/msg/Twist", profile.base.command, self._on_velocity, NEWEST)
        self._pictures: tuple[Camera, dict[str, Any]] | None = None
        if camera_rate and profile.cameras:
            described = next(iter(profile.cameras.values()))
            topics = {"rgb": described.rgb, "depth": described.depth}
            made = {key: node.publisher("sensor_msgs/msg/Image", name, SENSOR) for key, name in topics.items() if name}
            made["info"] = node.publisher("sensor_msgs/msg/CameraInfo", described.info, LATCHED)
            self._pictures = (described, made)

    def run(self, over: Callable[[], bool]) -> None:
        """Act and publish in step with the clock on the wall until it is over; then stop the robot."""
        due = time.monotonic()
        try:
            while not over():
                self._act()
                self._publish()
                due += self._robot.spec.period
                rest = due - time.monotonic()
                if rest > 0:
                    time.sleep(rest)
                elif rest < -BEHIND:
                    due = self._give_up(due)
        finally:
            for server in self._servers:
                server.close()
            self._robot.stop()

    def _give_up(self, due: float) -> float:
        """Begin to count time anew: this machine is slower than the robot."""
        if not self._behind_told:
            log.warning("The simulation is slower than the clock: fewer pictures (--camera-rate) may help.")
        self._behind_told = True
        return max(due, time.monotonic())

    # ------------------------------------------------------------ what comes in

    def _group(self, name: str) -> Group:
        """The group of the robot whose joints those of a group of the profile are."""
        joints = [joint.name for joint in self._profile.groups[name].joints]
        group = next((each for each in self._robot.spec.groups if sorted(each.names) == sorted(joints)), None)
        if group is None:
            raise BadInput(
                f"The profile {self._profile.name} is not that of the {self._robot.spec.name}: it has no group of the "
                f"joints {', '.join(joints)}."
            )
        return group

    def _serve(self) -> list[ActionServer]:
        servers = []
        for name, described in self._profile.groups.items():
            follow = functools.partial(self._follow, self._groups[name])
            servers.append(ActionServer(self._node, TRAJECTORY, described.action, follow))
        if self._gripper is not None and self._profile.gripper is not None:
            servers.append(ActionServer(self._node, GRIPPER, self._profile.gripper.action, self._grip))
        return servers

    def _on_velocity(self, message: Message) -> None:
        with self._lock:
            self._velocity = (float(message.linear.x), float(message.angular.z))
            self._velocity_at = time.monotonic()

    def _follow(self, group: Group, goal: ServedGoal) -> Outcome:
        """Follow a trajectory, in the goal's own thread; `_act` does the moving."""
        trajectory = goal.message.trajectory
        names = list(trajectory.joint_names)
        if sorted(names) != sorted(group.names):
            return Outcome(Status.ABORTED, {"error_code": int(Error.INVALID_JOINTS), "error_string": "other joints"})
        order = [names.index(name) for name in group.names]
        times = np.array([seconds(point.time_from_start) for point in trajectory.points])
        rows = [np.asarray(point.positions, dtype=float) for point in trajectory.points]
        whole = bool(rows) and all(len(row) == len(names) and np.isfinite(row).all() for row in rows)
        if not whole or times[0] < 0 or np.any(np.diff(times) <= 0):
            text = "points must have all joints and rising times"
            return Outcome(Status.ABORTED, {"error_code": int(Error.INVALID_GOAL), "error_string": text})
        with self._lock:
            start = group.measured(self._body)
            positions = np.vstack([start, np.array(rows)[:, order]])
            following = Following(time.monotonic(), np.maximum(times, 1e-3), positions)
            replaced, self._following[group.name] = self._following.get(group.name), following
        if replaced is not None:
            replaced.end(Status.ABORTED, Error.INVALID_GOAL, "another trajectory came")
        while not following.ended.wait(self._robot.spec.period):
            if goal.cancelled.is_set():
                self._let_go(group.name, following)
                following.end(Status.CANCELED, Error.SUCCESSFUL, "cancelled")
        return following.outcome

    def _let_go(self, name: str, following: Following) -> None:
        with self._lock:
            if self._following.get(name) is following:
                del self._following[name]

    def _grip(self, goal: ServedGoal) -> Outcome:
        """Bring the fingers to an opening and wait until they are there or have met something."""
        assert self._profile.gripper is not None and self._gripper is not None
        position = float(goal.message.command.position)
        opening = position * (2.0 if self._profile.gripper.position == "finger" else 1.0)
        if not math.isfinite(opening):
            return Outcome(Status.ABORTED)
        with self._lock:
            self._opening = float(np.clip(opening, 0.0, self._profile.gripper.width))
        end = time.monotonic() + GRIP_SECONDS
        reached, state = False, self._body.grippers[self._gripper.name]
        while not goal.cancelled.wait(2 * self._robot.spec.period) and time.monotonic() < end and not reached:
            state = self._body.grippers[self._gripper.name]
            reached = abs(state.opening - self._opening) <= 0.003
            if state.holding and abs(state.speed) < STILL:
                break
        result = {"position": position if reached else state.opening, "stalled": not reached, "reached_goal": reached}
        return Outcome(Status.CANCELED if goal.cancelled.is_set() else Status.SUCCEEDED, result)

    # ------------------------------------------------------------ what goes out

    def _act(self) -> None:
        """One period: the newest velocity, every trajectory, the fingers."""
        present = time.monotonic()
        targets: dict[str, tuple[float, ...]] = {}
        with self._lock:
            base = self._robot.spec.first("base")
            if base is not None:
                fresh = present - self._velocity_at <= VELOCITY_LIFE
                targets[base.name] = self._velocity if fresh else (0.0, 0.0)
            for name, following in self._following.items():
                targets[name] = tuple(following.target(present).tolist())
            if self._gripper is not None and self._opening is not None:
                targets[self._gripper.name] = (self._opening,)
        try:
            self._robot.act(Command(targets))
        except CommandRefused as error:
            log.warning("Refused: %s", error)
            self._robot.act(Command({}))
        self._body = self._robot.measured()
        with self._lock:
            groups = {group.name: group for group in self._groups.values()}
            for name, following in list(self._following.items()):
                if following.ended.is_set() or following.judge(present, groups[name].measured(self._body)):
                    del self._following[name]

    def _publish(self) -> None:
        body, at = self._body, {"stamp": stamp(now())}
        names = list(body.joints)
        fields: dict[str, Any] = {
            "name": names,
            "position": [body.joints[name] for name in names],
            "velocity": [body.velocities.get(name, 0.0) for name in names],
        }
        self._joints.publish(self._node.message("sensor_msgs/msg/JointState", header=at, **fields))
        frames = self._profile.frames
        moved = [self._effector(body)]
        if self._odometry is not None:
            base = _planar(body.base)
            moved.append(transform(at, frames.odometry, frames.base, base))
            placed = transform(at, frames.odometry, frames.base, base)["transform"]
            linear, angular = body.base_velocity
            message = self._node.message(
                "nav_msgs/msg/Odometry",
                header={**at, "frame_id": frames.odometry},
                child_frame_id=frames.base,
                pose={"pose": {"position": placed["translation"], "orientation": placed["rotation"]}},
                twist={"twist": {"linear": {"x": linear}, "angular": {"z": angular}}},
            )
            self._odometry.publish(message)
        present = time.monotonic()
        if self._pictures is not None and present >= self._picture_due:
            moved.append(self._picture(*self._pictures, body, at))
            took = time.monotonic() - present
            self._picture_due = present + max(self._camera_period, took / CAMERA_SHARE)
        self._tf.publish(self._node.message("tf2_msgs/msg/TFMessage", transforms=moved))

    def _effector(self, body: Proprioception) -> dict[str, Any]:
        pose = self._robot.kinematics.forward(self._robot.spec.chain.measured(body))
        frames = self._profile.frames
        placed = _matrix(pose.position, pose.rotation)
        return transform({"stamp": stamp(now())}, frames.base, frames.effector, placed)

    def _picture(
        self, described: Camera, publishers: Mapping[str, Any], body: Proprioception, at: dict[str, Any]
    ) -> dict[str, Any]:
        """Publish what the camera sees now. Returns where it is in the base frame."""
        frame: CameraFrame = self._robot.observe([self._camera]).frames[self._camera]
        header = {**at, "frame_id": described.frame}
        publishers["rgb"].publish(self._node.message("sensor_msgs/msg/Image", header=header, **picture(frame.rgb)))
        if "depth" in publishers and frame.depth is not None:
            fields = depth_picture(frame.depth)
            publishers["depth"].publish(self._node.message("sensor_msgs/msg/Image", header=header, **fields))
        info = camera_info(frame.intrinsics)
        publishers["info"].publish(self._node.message("sensor_msgs/msg/CameraInfo", header=header, **info))
        placed = np.linalg.inv(_planar(body.base)) @ _matrix(frame.pose.position, frame.pose.rotation)
        return transform(at, self._profile.frames.base, described.frame, placed)


def _planar(pose: Pose2) -> Array:
    """A pose on the floor as a matrix (4, 4)."""
    c, s = math.cos(pose.yaw), math.sin(pose.yaw)
    return _matrix(np.array([pose.x, pose.y, 0.0]), np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))


def _matrix(position: Array, rotation: Array) -> Array:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation, position
    return matrix
