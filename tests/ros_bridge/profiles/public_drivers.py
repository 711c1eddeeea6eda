"""Robots with the names of their public drivers on the wire: they come from a URDF and from what is written here, and
know no profile."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ros_bridge.profiles.parts import POINTS
from ros_bridge.profiles.profile_check import GRIPPER, TRAJECTORY
from ros_bridge.served_messages import camera_info, depth_picture, picture, transform
from ros_bridge.transport.actions import ActionServer, Outcome, Status
from ros_bridge.transport.interface import SENSOR
from ros_bridge.transport.stamps import now, stamp
from tests.ros_bridge.profiles.urdf_robots import ROBOTS, turn
from tests.ros_bridge.simulator import MODEL

TWIST = "geometry_msgs/msg/Twist"


@dataclass(frozen=True)
class Driver:
    """What a robot has on the network.

    Attributes:
        urdf: Its name among `ROBOTS`.
        actions, commanded: Kinds by name.
        odometry: Topic; "" for a robot without a base.
        camera: Topics of colour, depth and camera info, and the frame; none for a robot without.
    """

    urdf: str
    actions: dict[str, str]
    commanded: dict[str, str]
    joint_states: str = "/joint_states"
    odometry: str = ""
    camera: tuple[str, ...] = field(default=())


def _controller(name: str) -> tuple[dict[str, str], dict[str, str]]:
    return {f"/{name}/follow_joint_trajectory": TRAJECTORY}, {f"/{name}/joint_trajectory": POINTS}


def _driver(urdf: str, controllers: tuple[str, ...], gripper: tuple[str, str], **more) -> Driver:
    controllers_known = [_controller(name) for name in controllers]
    actions = {name: kind for actions, _ in controllers_known for name, kind in actions.items()} | {
        gripper[0]: gripper[1]
    }
    streams = {name: kind for _, streams in controllers_known for name, kind in streams.items()}
    return Driver(urdf, actions, streams | more.pop("commanded", {}), **more)


DRIVERS = {
    "UR5e with Robotiq 2F-85": _driver(
        "ur5_robotiq", ("scaled_joint_trajectory_controller",), ("/robotiq_gripper_controller/gripper_cmd", GRIPPER)
    ),
    "TIAGo": _driver(
        "tiago",
        ("torso_controller", "arm_controller", "head_controller"),
        ("/gripper_controller/follow_joint_trajectory", TRAJECTORY),
        commanded={"/mobile_base_controller/cmd_vel_unstamped": TWIST},
        odometry="/mobile_base_controller/odom",
        camera=(
            "/head_front_camera/rgb/image_raw",
            "/head_front_camera/depth_registered/image_raw",
            "/head_front_camera/rgb/camera_info",
            "head_front_camera_rgb_optical_frame",
        ),
    ),
    "Stretch": Driver(
        "stretch",
        {"/stretch_controller/follow_joint_trajectory": TRAJECTORY},
        {"/stretch/cmd_vel": TWIST},
        joint_states="/stretch/joint_states",
        odometry="/odom",
        camera=(
            "/camera/color/image_raw",
            "/camera/aligned_depth_to_color/image_raw",
            "/camera/color/camera_info",
            "camera_color_optical_frame",
        ),
    ),
    "SO-101": _driver("so101", ("arm_controller",), ("/gripper_controller/gripper_cmd", GRIPPER)),
    "FR3": _driver("fr3", ("fr3_arm_controller",), ("/franka_gripper/gripper_action", GRIPPER)),
}


class PublicRobot:
    """Publishes what it measures, with all joints where the URDF has 0, and takes whatever it is commanded."""

    def __init__(self, node, driver: Driver) -> None:
        self.node, self.driver = node, driver
        self.joints = ROBOTS[driver.urdf]().joints
        self.servers = [
            ActionServer(node, kind, name, lambda goal: Outcome(Status.SUCCEEDED))
            for name, kind in driver.actions.items()
        ]
        for name, kind in driver.commanded.items():
            node.subscription(kind, name, lambda message: None)
        self.states = node.publisher("sensor_msgs/msg/JointState", driver.joint_states)
        self.tf = node.publisher("tf2_msgs/msg/TFMessage", "/tf")
        self.odometry = node.publisher("nav_msgs/msg/Odometry", driver.odometry) if driver.odometry else None
        self.seen = []
        if driver.camera:
            kinds = zip(driver.camera, ("Image", "Image", "CameraInfo"), strict=False)
            self.seen = [node.publisher(f"sensor_msgs/msg/{kind}", topic, SENSOR) for topic, kind in kinds]
        node.timer(0.05, self.tick)

    def tick(self) -> None:
        at = {"stamp": stamp(now())}
        names = [joint.name for joint in self.joints if joint.kind != "fixed"]
        zeros = [0.0] * len(names)
        fields = {"name": names, "position": zeros, "velocity": zeros}
        self.states.publish(self.node.message("sensor_msgs/msg/JointState", header=at, **fields))
        children = {joint.child for joint in self.joints}
        root = next(joint.parent for joint in self.joints if joint.parent not in children)
        frames = [transform(at, joint.parent, joint.child, pose_of_joint(joint)) for joint in self.joints]
        if self.odometry is not None:
            frames.append(transform(at, "odom", root, np.eye(4)))
            header = {**at, "frame_id": "odom"}
            self.odometry.publish(self.node.message("nav_msgs/msg/Odometry", header=header, child_frame_id=root))
        self.tf.publish(self.node.message("tf2_msgs/msg/TFMessage", transforms=frames))
        contents = (
            picture(np.zeros((12, 16, 3), np.uint8)),
            depth_picture(np.ones((12, 16), np.float32)),
            camera_info(MODEL),
        )
        for publisher, content in zip(self.seen, contents, strict=False):
            kind = "CameraInfo" if content is contents[2] else "Image"
            header = {**at, "frame_id": self.driver.camera[3]}
            publisher.publish(self.node.message(f"sensor_msgs/msg/{kind}", header=header, **content))


def pose_of_joint(joint) -> np.ndarray:
    """The pose (4, 4) of the child of a joint at 0."""
    pose = np.eye(4)
    pose[:3, :3] = turn(joint.rpy)
    pose[:3, 3] = np.array(joint.xyz.split(), float)
    return pose
