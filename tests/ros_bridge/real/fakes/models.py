"""Robots as their public URDFs and drivers name them: links, joints, controllers, cameras. Nothing here is Homie's.

A joint is (name, parent, child, origin xyz in m, origin rpy in rad, kind, axis).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

Joint = tuple[str, str, str, tuple[float, ...], tuple[float, ...], str, tuple[float, ...]]
NONE, X, Y, Z = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
OPTICAL = (-math.pi / 2, 0.0, -math.pi / 2)
HALF = math.pi / 2


@dataclass(frozen=True)
class Camera:
    """Topics of pictures, depth and camera info; seconds between pictures, and the focal length in pixels."""

    rgb: str
    depth: str
    info: str
    period: float = 0.2
    focal: float = 140.0


@dataclass(frozen=True)
class Model:
    """A robot.

    Attributes:
        joints: From the root on, each after its parent.
        start: Positions (rad, m) that are not 0.
        controllers: Names of trajectory controllers, and their joints.
        gripper: Name of the gripper action (a GripperCommand, or one that ends in follow_joint_trajectory).
        fingers, opening: Its joints, each of which counts half the opening (m), a single one as the command does.
        counts: What the command counts when closed and when open.
        grip_frame: Between the finger tips; the fingers move along its y.
        cameras: By optical frame.
        wheels: Joints of wheels; a robot without them has no base.
        table, ball: What stands before it.
    """

    joints: tuple[Joint, ...]
    start: dict[str, float]
    controllers: dict[str, tuple[str, ...]]
    gripper: str
    fingers: tuple[str, ...]
    counts: tuple[float, float]
    opening: float
    grip_frame: str
    cameras: dict[str, Camera]
    wheels: tuple[str, ...] = ()
    table: tuple[tuple[float, float, float], ...] = ()
    ball: tuple[float, float, float] = field(default=NONE)


RING = {"front": 0.0, "left": HALF, "back": math.pi, "right": -HALF}
"""Cameras on a mast that a lab has put on its Fetch, rad to the left."""


def _ring(name: str, yaw: float) -> tuple[Joint, Joint]:
    return (
        ("", "base_link", f"{name}_camera_link", (0.0, 0.0, 1.1), (0.0, 0.35, yaw), "fixed", X),
        ("", f"{name}_camera_link", f"{name}_camera_optical_frame", NONE, OPTICAL, "fixed", X),
    )


FETCH = Model(
    joints=(
        ("torso_lift_joint", "base_link", "torso_lift_link", (-0.086875, 0, 0.37743), NONE, "slides", Z),
        ("head_pan_joint", "torso_lift_link", "head_pan_link", (0.053125, 0, 0.603001), NONE, "turns", Z),
        ("head_tilt_joint", "head_pan_link", "head_tilt_link", (0.14253, 0, 0.057999), NONE, "turns", Y),
        ("", "head_tilt_link", "head_camera_link", (0.055, 0, 0.0225), NONE, "fixed", X),
        ("", "head_camera_link", "head_camera_rgb_frame", (0, 0.02, 0), NONE, "fixed", X),
        ("", "head_camera_rgb_frame", "head_camera_rgb_optical_frame", NONE, OPTICAL, "fixed", X),
        ("shoulder_pan_joint", "torso_lift_link", "shoulder_pan_link", (0.119525, 0, 0.34858), NONE, "turns", Z),
        ("shoulder_lift_joint", "shoulder_pan_link", "shoulder_lift_link", (0.117, 0, 0.06), NONE, "turns", Y),
        ("upperarm_roll_joint", "shoulder_lift_link", "upperarm_roll_link", (0.219, 0, 0), NONE, "turns", X),
        ("elbow_flex_joint", "upperarm_roll_link", "elbow_flex_link", (0.133, 0, 0), NONE, "turns", Y),
        ("forearm_roll_joint", "elbow_flex_link", "forearm_roll_link", (0.197, 0, 0), NONE, "turns", X),
        ("wrist_flex_joint", "forearm_roll_link", "wrist_flex_link", (0.1245, 0, 0), NONE, "turns", Y),
        ("wrist_roll_joint", "wrist_flex_link", "wrist_roll_link", (0.1385, 0, 0), NONE, "turns", X),
        ("", "wrist_roll_link", "gripper_link", (0.16645, 0, 0), NONE, "fixed", X),
        *(joint for name, yaw in RING.items() for joint in _ring(name, yaw)),
    ),
    start={
        "torso_lift_joint": 0.05,
        "shoulder_pan_joint": 1.32,
        "shoulder_lift_joint": 1.40,
        "upperarm_roll_joint": -0.2,
        "elbow_flex_joint": 1.72,
        "wrist_flex_joint": 1.66,
    },
    controllers={
        "torso_controller": ("torso_lift_joint",),
        "arm_controller": (
            "shoulder_pan_joint",
            "shoulder_lift_joint",
            "upperarm_roll_joint",
            "elbow_flex_joint",
            "forearm_roll_joint",
            "wrist_flex_joint",
            "wrist_roll_joint",
        ),
        "head_controller": ("head_pan_joint", "head_tilt_joint"),
    },
    gripper="gripper_controller/gripper_action",
    fingers=("l_gripper_finger_joint", "r_gripper_finger_joint"),
    counts=(0.0, 0.1),
    opening=0.1,
    grip_frame="gripper_link",
    cameras={
        "head_camera_rgb_optical_frame": Camera(
            "head_camera/rgb/image_raw", "head_camera/depth_registered/image_raw", "head_camera/rgb/camera_info"
        )
    }
    | {
        f"{name}_camera_optical_frame": Camera(
            f"{name}_camera/image_raw", f"{name}_camera/depth", f"{name}_camera/camera_info", 0.8, 100.0
        )
        for name in RING
    },
    wheels=("l_wheel_joint", "r_wheel_joint"),
    table=((1.3, -0.6, 0.0), (1.9, 0.6, 0.7)),
    ball=(1.45, 0.0, 0.733),
)

FRANKA = Model(
    joints=(
        ("panda_joint1", "panda_link0", "panda_link1", (0, 0, 0.333), NONE, "turns", Z),
        ("panda_joint2", "panda_link1", "panda_link2", NONE, (-HALF, 0, 0), "turns", Z),
        ("panda_joint3", "panda_link2", "panda_link3", (0, -0.316, 0), (HALF, 0, 0), "turns", Z),
        ("panda_joint4", "panda_link3", "panda_link4", (0.0825, 0, 0), (HALF, 0, 0), "turns", Z),
        ("panda_joint5", "panda_link4", "panda_link5", (-0.0825, 0.384, 0), (-HALF, 0, 0), "turns", Z),
        ("panda_joint6", "panda_link5", "panda_link6", NONE, (HALF, 0, 0), "turns", Z),
        ("panda_joint7", "panda_link6", "panda_link7", (0.088, 0, 0), (HALF, 0, 0), "turns", Z),
        ("", "panda_link7", "panda_hand", (0, 0, 0.107), (0, 0, -HALF / 2), "fixed", X),
        ("", "panda_hand", "panda_hand_tcp", (0, 0, 0.1034), NONE, "fixed", X),
        ("", "panda_hand", "camera_color_optical_frame", (0.05, 0, 0.02), NONE, "fixed", X),
    ),
    start={"panda_joint2": -0.785, "panda_joint4": -2.356, "panda_joint6": 1.571, "panda_joint7": 0.785},
    controllers={"panda_arm_controller": tuple(f"panda_joint{number}" for number in range(1, 8))},
    gripper="panda_gripper/gripper_action",
    fingers=("panda_finger_joint1", "panda_finger_joint2"),
    counts=(0.0, 0.04),
    opening=0.08,
    grip_frame="panda_hand_tcp",
    cameras={
        "camera_color_optical_frame": Camera(
            "camera/color/image_raw", "camera/aligned_depth_to_color/image_raw", "camera/color/camera_info"
        )
    },
    table=((0.2, -0.6, -0.7), (0.9, 0.6, 0.0)),
    ball=(0.45, 0.0, 0.033),
)

TIAGO = Model(
    joints=(
        ("", "base_footprint", "base_link", (0, 0, 0.0985), NONE, "fixed", X),
        ("", "base_link", "torso_fixed_link", (-0.06, 0, 0.19), NONE, "fixed", X),
        ("torso_lift_joint", "torso_fixed_link", "torso_lift_link", (0, 0, 0.5), NONE, "slides", Z),
        ("head_1_joint", "torso_lift_link", "head_1_link", (0.02, 0, 0.19), NONE, "turns", Z),
        ("head_2_joint", "head_1_link", "head_2_link", (0.02, 0, 0.06), NONE, "turns", Y),
        ("", "head_2_link", "head_front_camera_link", (0.08, 0, 0), NONE, "fixed", X),
        ("", "head_front_camera_link", "head_front_camera_rgb_optical_frame", NONE, OPTICAL, "fixed", X),
        ("arm_1_joint", "torso_lift_link", "arm_1_link", (0.155, 0.014, -0.15), (0, 0, -HALF), "turns", Z),
        ("arm_2_joint", "arm_1_link", "arm_2_link", (0.125, 0, 0), NONE, "turns", (0.0, -1.0, 0.0)),
        ("arm_3_joint", "arm_2_link", "arm_3_link", NONE, NONE, "turns", X),
        ("arm_4_joint", "arm_3_link", "arm_4_link", (0.31, 0, 0), NONE, "turns", (0.0, -1.0, 0.0)),
        ("arm_5_joint", "arm_4_link", "arm_5_link", NONE, NONE, "turns", X),
        ("arm_6_joint", "arm_5_link", "arm_6_link", (0.31, 0, 0), NONE, "turns", Y),
        ("arm_7_joint", "arm_6_link", "arm_7_link", NONE, NONE, "turns", X),
        ("", "arm_7_link", "gripper_link", (0.07, 0, 0), NONE, "fixed", X),
        ("", "gripper_link", "gripper_grasping_frame", (0.12, 0, 0), NONE, "fixed", X),
    ),
    start={"torso_lift_joint": 0.15, "arm_2_joint": 1.0, "arm_4_joint": 2.3, "arm_6_joint": -1.3},
    controllers={
        "torso_controller": ("torso_lift_joint",),
        "arm_controller": tuple(f"arm_{number}_joint" for number in range(1, 8)),
        "head_controller": ("head_1_joint", "head_2_joint"),
    },
    gripper="gripper_controller/follow_joint_trajectory",
    fingers=("gripper_left_finger_joint", "gripper_right_finger_joint"),
    counts=(0.0, 0.09),
    opening=0.09,
    grip_frame="gripper_grasping_frame",
    cameras={
        "head_front_camera_rgb_optical_frame": Camera(
            "head_front_camera/rgb/image_raw",
            "head_front_camera/depth_registered/image_raw",
            "head_front_camera/rgb/camera_info",
        )
    },
    wheels=("wheel_left_joint", "wheel_right_joint"),
    table=((1.3, -0.6, 0.0), (1.9, 0.6, 0.7)),
    ball=(1.45, 0.0, 0.733),
)

UR5E = Model(
    joints=(
        ("", "base_link", "base_link_inertia", NONE, (0, 0, math.pi), "fixed", X),
        ("shoulder_pan_joint", "base_link_inertia", "shoulder_link", (0, 0, 0.1625), NONE, "turns", Z),
        ("shoulder_lift_joint", "shoulder_link", "upper_arm_link", NONE, (HALF, 0, 0), "turns", Z),
        ("elbow_joint", "upper_arm_link", "forearm_link", (-0.425, 0, 0), NONE, "turns", Z),
        ("wrist_1_joint", "forearm_link", "wrist_1_link", (-0.3922, 0, 0.1333), NONE, "turns", Z),
        ("wrist_2_joint", "wrist_1_link", "wrist_2_link", (0, -0.0997, 0), (HALF, 0, 0), "turns", Z),
        ("wrist_3_joint", "wrist_2_link", "wrist_3_link", (0, 0.0996, 0), (HALF, math.pi, math.pi), "turns", Z),
        ("", "wrist_3_link", "tool0", NONE, NONE, "fixed", X),
        ("", "tool0", "robotiq_85_base_link", (0, 0, 0.01), NONE, "fixed", X),
        ("", "robotiq_85_base_link", "between_the_fingers", (0, 0, 0.13), NONE, "fixed", X),
        ("", "base_link", "camera_link", (1.05, 0, 0.7), (0, 0.9, math.pi), "fixed", X),
        ("", "camera_link", "camera_color_optical_frame", NONE, OPTICAL, "fixed", X),
    ),
    start={
        "shoulder_lift_joint": -1.9,
        "elbow_joint": 2.0,
        "wrist_1_joint": -1.67,
        "wrist_2_joint": -HALF,
    },
    controllers={
        "scaled_joint_trajectory_controller": (
            "shoulder_pan_joint",
            "shoulder_lift_joint",
            "elbow_joint",
            "wrist_1_joint",
            "wrist_2_joint",
            "wrist_3_joint",
        )
    },
    gripper="robotiq_gripper_controller/gripper_cmd",
    fingers=("robotiq_85_left_knuckle_joint",),
    counts=(0.8, 0.0),
    opening=0.085,
    grip_frame="between_the_fingers",
    cameras={
        "camera_color_optical_frame": Camera(
            "camera/color/image_raw", "camera/aligned_depth_to_color/image_raw", "camera/color/camera_info"
        )
    },
    table=((0.2, -0.6, -0.7), (0.9, 0.6, 0.0)),
    ball=(0.45, 0.0, 0.033),
)

MODELS = {"fetch": FETCH, "franka": FRANKA, "tiago": TIAGO, "ur5e": UR5E}
