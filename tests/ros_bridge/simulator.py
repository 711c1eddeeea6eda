"""A simulator on a real DDS wire: a fake robot whose time is its own, told on /clock. Commands come on stdin.

    python -m tests.ros_bridge.simulator DOMAIN PROFILE

rate X: X simulated seconds in a real one; 0 is paused, and nothing is published, as Gazebo does it
frozen X: the same, and the last measurements are published all the time, as others do it
reset: time and robot begin again        leap X: time goes X seconds forward at once
"""

from __future__ import annotations

import sys
import threading
import time

import numpy as np

from homie.kernel.types import Intrinsics
from ros_bridge.profiles.model import read_profile
from ros_bridge.served_messages import camera_info, depth_picture, picture, transform
from ros_bridge.transport.clocks import CLOCK, CLOCK_TOPIC
from ros_bridge.transport.dds.node import DdsNode
from ros_bridge.transport.interface import LATCHED, SENSOR
from ros_bridge.transport.network import Network
from ros_bridge.transport.stamps import stamp
from tests.ros_bridge.fake_robot import PERIOD, FakeRobot

CLOCK_EVERY, CAMERA_EVERY = 5, 5
"""Periods between two messages on /clock and two pictures: ten in a simulated second each."""
MODEL = Intrinsics(30.0, 30.0, 8.0, 6.0, 16, 12)


class Simulator:
    """Steps the robot in its own time."""

    def __init__(self, node, profile):
        self.node, self.periods, self.rate, self.frozen = node, 0, 1.0, False
        self.robot = FakeRobot(node, profile, clock=lambda: self.periods * PERIOD)
        self.camera = next(iter(profile.cameras.values()))
        self.clock = node.publisher(CLOCK, CLOCK_TOPIC, SENSOR)
        self.rgb, self.depth = (
            node.publisher("sensor_msgs/msg/Image", topic, SENSOR) for topic in (self.camera.rgb, self.camera.depth)
        )
        self.info = node.publisher("sensor_msgs/msg/CameraInfo", self.camera.info, SENSOR)
        self.fingers = node.publisher("sensor_msgs/msg/JointState", profile.joint_states)
        fixed = node.publisher("tf2_msgs/msg/TFMessage", "/tf_static", LATCHED)
        moved = transform({"stamp": stamp(0)}, profile.frames.base, self.camera.frame, np.eye(4))
        fixed.publish(node.message("tf2_msgs/msg/TFMessage", transforms=[moved]))

    def run(self):
        while True:
            time.sleep(PERIOD / self.rate if self.rate else PERIOD)
            if self.rate or self.frozen:
                self.periods += 1 if self.rate else 0
                self.step()

    def step(self):
        self.robot.tick()
        at = {"stamp": stamp(self.periods * PERIOD)}
        names = list(self.robot.profile.gripper.joints)
        closed = {"name": names, "position": [0.0] * len(names)}
        self.fingers.publish(self.node.message("sensor_msgs/msg/JointState", header=at, **closed))
        if self.periods % CLOCK_EVERY == 0 or self.frozen:
            self.clock.publish(self.node.message(CLOCK, clock=at["stamp"]))
        if self.periods % CAMERA_EVERY == 0:
            self.info.publish(self.node.message("sensor_msgs/msg/CameraInfo", header=at, **camera_info(MODEL)))
            deep = depth_picture(np.ones((12, 16), np.float32))
            self.depth.publish(self.node.message("sensor_msgs/msg/Image", header=at, **deep))
            pictures = picture(np.full((12, 16, 3), self.periods % 250, np.uint8))
            self.rgb.publish(self.node.message("sensor_msgs/msg/Image", header=at, **pictures))

    def obey(self, words):
        if words[0] in ("rate", "frozen"):
            self.rate, self.frozen = float(words[1]), words[0] == "frozen"
        elif words[0] == "leap":
            self.periods += round(float(words[1]) / PERIOD)
        else:
            self.periods = 0
            self.robot.commanded, self.robot.speed, self.robot.pose = np.zeros(2), np.zeros(2), np.zeros(3)


def main(domain: str, profile: str) -> None:
    with DdsNode("/simulator", Network(int(domain), "lo")) as node:
        simulator = Simulator(node, read_profile(profile))
        threading.Thread(target=simulator.run, daemon=True).start()
        print("up", flush=True)
        for line in sys.stdin:
            simulator.obey(line.split())
            print("done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
