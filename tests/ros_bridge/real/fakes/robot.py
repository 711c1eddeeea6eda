"""A robot in rclpy as its drivers show it: joint states of two publishers, odometry, transforms, camera, controllers.

    python -m tests.ros_bridge.real.fakes.robot fetch [RATE] [--ros-args -r __ns:=/fetch1]

It moves as commanded, without masses; nothing stops its base but a command. With a RATE its time is that of a
simulator, so many simulated seconds in a real one, published on /clock. Written against rclpy's documented API: it
imports nothing of Homie. Lines on stdin are faults of its drivers, see `Faults` in `messages.py`.
"""

from __future__ import annotations

import math
import random
import sys
import threading
import time
import traceback
from functools import partial

import numpy as np
import rclpy
from builtin_interfaces.msg import Time
from control_msgs.action import FollowJointTrajectory, GripperCommand
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from rclpy.utilities import remove_ros_args
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, CompressedImage, Image, JointState
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory

from tests.ros_bridge.real.fakes import messages
from tests.ros_bridge.real.fakes.models import MODELS, Model
from tests.ros_bridge.real.fakes.world import World

PERIOD, SHORTEST = 0.02, 0.01
"""Seconds between two joint states, and at least so many of this machine."""
RAMP = 4.0
"""m/s^2 and rad/s^2 of the base's own motors."""
FASTEST = 2.5
"""rad/s and m/s of its joints, however far away a point is."""
ARRIVED = 0.001
"""rad and m from its last point at which a trajectory has ended."""
CLOSING = 0.1
"""m/s by which the opening of the gripper changes."""
WIDTH, HEIGHT = 160, 120
INVALID_JOINTS, GOAL_TOLERANCE_VIOLATED = -2, -5
"""Error codes of FollowJointTrajectory, whose message here is built without its constants."""


class Motion:
    """Joints on their way along points, from where they are at a time."""

    def __init__(self, names, stamp, start, trajectory) -> None:
        self.names, self.begun, self.ended = names, stamp, threading.Event()
        self.succeeded = False
        ends = [point.time_from_start.sec + point.time_from_start.nanosec * 1e-9 for point in trajectory.points]
        self.times, self.points = [0.0, *ends], np.array([start, *(point.positions for point in trajectory.points)])

    def at(self, now):
        passed = now - self.begun
        return passed >= self.times[-1], [np.interp(passed, self.times, column) for column in self.points.T]


class Robot:
    """The nodes of one robot. rate: of its time, None for that of this machine."""

    def __init__(self, model: Model, rate: float | None, faults: messages.Faults) -> None:
        self.model, self.faults, self.lock = model, faults, threading.Lock()
        self.rate = rate or 1.0
        self.began = (time.time() if rate is None else 0.0) - self.rate * time.monotonic()
        self.world = World(model.table, model.ball)
        moving = [joint[0] for joint in model.joints if joint[0]]
        self.joints = {name: model.start.get(name, 0.0) for name in moving}
        self.speeds = dict.fromkeys(moving, 0.0)
        self.commanded, self.speed, self.place = np.zeros(2), np.zeros(2), np.zeros(3)
        self.wheels = np.zeros(2)
        self.motions: dict[str, Motion] = {}
        self.opening = self.wish = model.opening
        self.ticked = self.now()
        self.executor = MultiThreadedExecutor(8)
        self.driver, self.hand = self.node("driver"), self.node("gripper_driver")
        self.frames, self.camera = self.node("robot_state_publisher"), self.node("camera_driver")
        self.states = self.driver.create_publisher(JointState, "joint_states", 10)
        self.finger_states = self.hand.create_publisher(JointState, "joint_states", 10)
        self.tf = self.frames.create_publisher(TFMessage, "/tf", 100)
        self.clock = None if rate is None else self.frames.create_publisher(Clock, "/clock", qos_profile_sensor_data)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.frames.create_publisher(TFMessage, "/tf_static", latched).publish(messages.fixed_frames(model))
        if model.wheels:
            self.odometry = self.driver.create_publisher(Odometry, "odom", 10)
            self.driver.create_subscription(Twist, "cmd_vel", self.drive, 1)
        together = ReentrantCallbackGroup()
        for name in model.controllers:
            topic = f"{name}/joint_trajectory"
            self.driver.create_subscription(
                JointTrajectory, topic, lambda message, name=name: self.follow(name, message), 1
            )
            self.act(FollowJointTrajectory, f"{name}/follow_joint_trajectory", self.following(name), together)
        if model.gripper.endswith("follow_joint_trajectory"):
            self.act(FollowJointTrajectory, model.gripper, self.grip_along, together)
        else:
            self.act(GripperCommand, model.gripper, self.grip, together)
        self.seen = {
            frame: [
                self.camera.create_publisher(kind, topic, qos_profile_sensor_data)
                for kind, topic in ((Image, camera.rgb), (Image, camera.depth), (CameraInfo, camera.info))
            ]
            for frame, camera in model.cameras.items()
        }

        self.compressed = {
            frame: self.camera.create_publisher(CompressedImage, f"{camera.rgb}/compressed", qos_profile_sensor_data)
            for frame, camera in model.cameras.items()
        }

    def now(self) -> float:
        """s of its clock."""
        return self.began + self.rate * time.monotonic() + self.faults.leap

    def send(self, publisher, message):
        """Publish a message, where it is not lost on its way."""
        if random.random() >= self.faults.lost:
            publisher.publish(message)

    def node(self, name):
        node = rclpy.create_node(name)
        self.executor.add_node(node)
        return node

    def act(self, kind, name, execute, group):
        accept = {"cancel_callback": lambda goal: CancelResponse.ACCEPT, "callback_group": group}
        ActionServer(self.driver, kind, name, execute, **accept)

    # ------------------------------------------------------------ what it is commanded

    def drive(self, twist):
        with self.lock:
            self.commanded = np.array([twist.linear.x, twist.angular.z])

    def follow(self, controller, trajectory):
        """Go along points from now on, whatever the controller did before; None where the joints are not its own."""
        names = list(trajectory.joint_names)
        if sorted(names) != sorted(self.model.controllers[controller]) or not trajectory.points:
            return None
        with self.lock:
            before = self.motions.get(controller)
            motion = Motion(names, self.now(), [self.joints[name] for name in names], trajectory)
            self.motions[controller] = motion
        if before is not None:
            before.ended.set()
        return motion

    def following(self, controller):
        def execute(goal):
            result, motion = FollowJointTrajectory.Result(), self.follow(controller, goal.request.trajectory)
            if motion is None:
                result.error_code = INVALID_JOINTS
                goal.abort()
                return result
            while not motion.ended.wait(0.01):
                if goal.is_cancel_requested:
                    with self.lock:
                        self.motions = {name: each for name, each in self.motions.items() if each is not motion}
                    goal.canceled()
                    return result
            (goal.succeed if motion.succeeded else goal.abort)()
            return result

        return execute

    def grip(self, goal):
        command, result = goal.request.command, GripperCommand.Result()
        closed, opened = self.model.counts
        share = (opened - closed) / self.model.opening
        if not self.bring_fingers((command.position - closed) / share, goal):
            return result
        result.stalled = self.opening - self.wish > 0.001
        result.position, result.effort = closed + self.opening * share, command.max_effort
        result.reached_goal = not result.stalled
        goal.succeed()
        return result

    def grip_along(self, goal):
        """A joint_trajectory_controller of both fingers, which aborts where they do not arrive."""
        result = FollowJointTrajectory.Result()
        if not self.bring_fingers(sum(goal.request.trajectory.points[-1].positions), goal):
            return result
        if self.opening - self.wish > 0.001:
            result.error_code = GOAL_TOLERANCE_VIOLATED
            goal.abort()
        else:
            goal.succeed()
        return result

    def bring_fingers(self, opening, goal):
        """Bring the fingers to an opening until they are there or hold something; False where the goal is cancelled."""
        self.wish = wish = min(max(opening, 0.0), self.model.opening)
        ends = self.now() + 5.0
        while abs(self.opening - wish) > 0.001 and self.now() < ends and not (self.world.held and wish < self.opening):
            time.sleep(0.02)
            if goal.is_cancel_requested:
                self.wish = self.opening
                goal.canceled()
                return False
        return True

    # ------------------------------------------------------------ what it does

    def tick(self):
        with self.lock:
            now = self.now()
            stamp = time_message(now)
            passed, self.ticked = max(now - self.ticked, 1e-6), now
            self.move(passed)
            self.speed += np.clip(self.commanded - self.speed, -RAMP * passed, RAMP * passed)
            (forward, turn), heading = self.speed, self.place[2]
            self.place += np.array([forward * math.cos(heading), forward * math.sin(heading), turn]) * passed
            self.wheels += forward / 0.06 * passed
            poses = messages.poses(self.model, self.joints, self.place)
            step = CLOSING * passed
            to = self.opening + min(max(self.wish - self.opening, -step), step)
            self.opening = self.world.grip(poses[self.model.grip_frame], to)
            body, speeds = dict(self.joints), dict(self.speeds)
        body |= dict(zip(self.model.wheels, self.wheels, strict=False))
        for part in messages.joint_states(stamp, body, speeds, self.faults):
            self.send(self.states, part)
        fingers = dict.fromkeys(self.model.fingers, self.opening / 2)
        if len(fingers) == 1:
            closed, opened = self.model.counts
            fingers = dict.fromkeys(fingers, closed + (opened - closed) * self.opening / self.model.opening)
        for part in messages.joint_states(stamp, fingers, {}, self.faults):
            self.send(self.finger_states, part)
        if self.model.wheels:
            self.send(self.odometry, messages.odometry(stamp, self.place, self.speed, self.faults))
        self.send(self.tf, messages.moving_frames(stamp, self.model, body, self.place, self.faults))
        if self.clock is not None:
            self.clock.publish(Clock(clock=stamp))

    def move(self, passed):
        before = dict(self.joints)
        for motion in self.motions.values():
            over, positions = motion.at(self.ticked)
            for name, to in zip(motion.names, positions, strict=True):
                self.joints[name] += float(np.clip(to - before[name], -FASTEST * passed, FASTEST * passed))
                over = over and abs(self.joints[name] - to) < ARRIVED
            if over:
                motion.succeeded = True
                motion.ended.set()
        self.motions = {name: motion for name, motion in self.motions.items() if not motion.ended.is_set()}
        self.speeds = {name: (at - before[name]) / passed for name, at in self.joints.items()}

    def look(self, frame):
        with self.lock:
            stamp, now = time_message(self.now()), messages.poses(self.model, self.joints, self.place)
        focal = self.model.cameras[frame].focal
        picture, depth = self.world.picture(now[frame], WIDTH, HEIGHT, focal)
        messages_sent = [
            *messages.pictures(stamp, frame, picture, depth, self.faults),
            messages.camera_info(stamp, frame, WIDTH, HEIGHT, focal, self.faults),
        ]
        if self.compressed[frame].get_subscription_count():
            self.send(self.compressed[frame], messages.compressed(stamp, frame, picture))
        for publisher, message in zip(self.seen[frame], messages_sent, strict=True):
            self.send(publisher, message)


def time_message(seconds):
    return Time(sec=int(seconds), nanosec=int(seconds % 1.0 * 1e9))


def repeat(over, period, action):
    while not over.is_set():
        start = time.monotonic()
        action()
        over.wait(max(0.0, period - (time.monotonic() - start)))


def spin(executor):
    """Until the end: a callback that fails, as when an answer has nobody to go to, does not make the robot deaf."""
    while rclpy.ok():
        try:
            executor.spin()
        except ExternalShutdownException:
            return
        except Exception:
            traceback.print_exc()


def main(name: str, rate: str = "") -> None:
    rclpy.init(args=sys.argv)
    faults, over = messages.Faults(), threading.Event()
    robot = Robot(MODELS[name], float(rate) if rate else None, faults)
    spinning = threading.Thread(target=spin, args=(robot.executor,))
    jobs = [(max(PERIOD / robot.rate, SHORTEST), robot.tick)]
    jobs += [(camera.period / robot.rate, partial(robot.look, frame)) for frame, camera in robot.model.cameras.items()]
    threads = [threading.Thread(target=repeat, args=(over, *job)) for job in jobs]
    for thread in (spinning, *threads):
        thread.start()
    print("up", flush=True)
    for line in sys.stdin:
        faults.set(*line.split())
        print("done", flush=True)
    over.set()
    for thread in threads:
        thread.join()
    for motion in robot.motions.values():  # whose servers wait for their end
        motion.ended.set()
    rclpy.shutdown()  # first: Executor.shutdown() does not always wake the thread
    spinning.join()
    for node in (robot.driver, robot.hand, robot.frames, robot.camera):
        node.destroy_node()


if __name__ == "__main__":
    main(*remove_ros_args(sys.argv)[1:])
