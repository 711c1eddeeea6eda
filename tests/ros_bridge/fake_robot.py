"""A robot of a profile on a real DDS wire: drives by the last velocity with a ramp, follows trajectories, publishes
what it measures. It has no timeout of its own: what stops it is the guard.

    python -m tests.ros_bridge.fake_robot DOMAIN PROFILE
"""

from __future__ import annotations

import itertools
import math
import sys
import threading
import time

import numpy as np

from ros_bridge.profiles.chain import effector
from ros_bridge.profiles.model import Profile, read_profile
from ros_bridge.profiles.profile_check import GRIPPER, TRAJECTORY
from ros_bridge.transport.actions import ActionServer, Outcome, ServedGoal, Status
from ros_bridge.transport.dds.node import DdsNode
from ros_bridge.transport.interface import NEWEST, SENSOR, Node
from ros_bridge.transport.network import Network
from ros_bridge.transport.stamps import now, seconds, stamp

PERIOD = 0.02
DECELERATION = 4.0
"""m/s^2 and rad/s^2: the ramp of the robot itself; from 0.5 m/s it stands after 0.125 s."""


class FakeRobot:
    """Its joints, base and topics."""

    def __init__(self, node: Node, profile: Profile, camera_rate: float = 0.0, clock=None) -> None:
        """clock: of its stamps; with one somebody else calls `tick`, every PERIOD of it."""
        self.node, self.profile, self.clock = node, profile, clock or now
        self.joints = {joint.name: 0.0 for group in profile.groups.values() for joint in group.joints}
        for group in profile.groups.values():
            for joint in group.joints:
                low, high = joint.limits
                self.joints[joint.name] = 0.0 if low < 0 < high else low + 0.1 * (high - low)
        self.speeds = dict.fromkeys(self.joints, 0.0)
        self.commanded, self.speed, self.pose = np.zeros(2), np.zeros(2), np.zeros(3)
        self.lock = threading.Lock()
        self.states = node.publisher("sensor_msgs/msg/JointState", profile.joint_states)
        self.tf = node.publisher("tf2_msgs/msg/TFMessage", "/tf")
        self.servers = [ActionServer(node, TRAJECTORY, group.action, self.follow) for group in profile.groups.values()]
        if profile.gripper is not None:
            self.servers.append(ActionServer(node, GRIPPER, profile.gripper.action, self.grip))
        if profile.base is not None:
            self.odometry = node.publisher("nav_msgs/msg/Odometry", profile.base.odometry)
            node.subscription("geometry_msgs/msg/Twist", profile.base.command, self.on_twist, NEWEST)
        if clock is None:
            node.timer(PERIOD, self.tick)
        if camera_rate:
            camera = next(iter(profile.cameras.values()))
            self.rgb = node.publisher("sensor_msgs/msg/Image", camera.rgb, SENSOR)
            node.timer(1 / camera_rate, lambda: self.picture(camera.frame))

    def on_twist(self, message):
        self.commanded = np.array([message.linear.x, message.angular.z])

    def follow(self, goal: ServedGoal) -> Outcome:
        trajectory = goal.message.trajectory
        names = list(trajectory.joint_names)
        if not set(names) <= set(self.joints):
            return Outcome(Status.ABORTED, {"error_code": -2, "error_string": "invalid joints"})
        began, start, last = time.monotonic(), np.array([self.joints[name] for name in names]), 0.0
        for point in trajectory.points:
            end, target = seconds(point.time_from_start), np.asarray(point.positions)
            while (at := time.monotonic() - began) < end:
                if goal.cancelled.wait(PERIOD):
                    self._move(names, np.array([self.joints[name] for name in names]), np.zeros(len(names)))
                    return Outcome(Status.CANCELED, {"error_string": "cancelled"})
                share = min((at - last) / (end - last), 1.0)
                self._move(names, start + share * (target - start), (target - start) / (end - last))
            self._move(names, target, np.zeros(len(names)))
            start, last = target, end
        return Outcome(Status.SUCCEEDED)

    def grip(self, goal: ServedGoal) -> Outcome:
        return Outcome(Status.SUCCEEDED, {"position": goal.message.command.position, "reached_goal": True})

    def tick(self):
        step = DECELERATION * PERIOD
        self.speed += np.clip(self.commanded - self.speed, -step, step)
        (forward, turn), heading = self.speed, self.pose[2]
        self.pose += np.array([forward * math.cos(heading), forward * math.sin(heading), turn]) * PERIOD
        header = {"stamp": stamp(self.clock())}
        with self.lock:
            names, positions = list(self.joints), list(self.joints.values())
            velocities = list(self.speeds.values())
        fields = {"name": names, "position": positions, "velocity": velocities}
        self.states.publish(self.node.message("sensor_msgs/msg/JointState", header=header, **fields))
        if self.profile.base is not None:
            twist = {"twist": {"linear": {"x": forward}, "angular": {"z": turn}}}
            pose = {"pose": {"position": {"x": self.pose[0], "y": self.pose[1]}}}
            self.odometry.publish(self.node.message("nav_msgs/msg/Odometry", header=header, twist=twist, pose=pose))
        self._transforms(header)

    def picture(self, frame):
        header = {"stamp": stamp(now()), "frame_id": frame}
        pixels = np.zeros(64 * 64 * 3, np.uint8)
        fields = {"height": 64, "width": 64, "step": 192, "encoding": "rgb8", "data": pixels}
        self.rgb.publish(self.node.message("sensor_msgs/msg/Image", header=header, **fields))

    def _move(self, names, positions, velocities):
        with self.lock:
            self.joints.update(zip(names, map(float, positions), strict=True))
            self.speeds.update(zip(names, map(float, velocities), strict=True))

    def _transforms(self, header):
        frames = self.profile.frames
        x, y, z = effector(self.profile.chain, self.joints)[:3, 3]
        moved = [(frames.base, frames.effector, (x, y, z))]
        if self.profile.base is not None:
            moved.append((frames.odometry, frames.base, (self.pose[0], self.pose[1], 0.0)))
        entries = [
            {
                "header": {**header, "frame_id": parent},
                "child_frame_id": child,
                "transform": {"translation": dict(zip("xyz", place, strict=True)), "rotation": {"w": 1.0}},
            }
            for parent, child, place in moved
        ]
        self.tf.publish(self.node.message("tf2_msgs/msg/TFMessage", transforms=entries))


def main(domain: str, profile: str) -> None:
    with DdsNode("/robot", Network(int(domain), "lo")) as node:
        FakeRobot(node, read_profile(profile), camera_rate=10.0)
        print("up", flush=True)
        for _ in itertools.count():
            time.sleep(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
