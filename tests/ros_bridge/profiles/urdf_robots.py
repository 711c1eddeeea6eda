"""Robots as public descriptions have them: their links, joints and names, and what exporters make of them."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

import numpy as np


@dataclass
class J:
    """A joint. limits: lower, upper, velocity, as they are written; None for what is left out."""

    name: str
    kind: str
    parent: str
    child: str
    xyz: str = "0 0 0"
    rpy: str = "0 0 0"
    axis: str | None = "0 0 1"
    limits: tuple[str | None, str | None, str | None] = ("-2", "2", "1.5")
    mimic: tuple[str, str, str] | None = None


@dataclass
class Robot:
    """A robot. effectors: the links that may stand for its hand; fingers: joints that open it; gripper: what of the
    profile's gripper is known."""

    name: str
    joints: list[J]
    effectors: Sequence[str]
    fingers: Sequence[str] = ()
    base: str | None = None
    gripper: dict[str, object] | None = None
    arm: Sequence[str] | None = None
    extra_links: list[str] = field(default_factory=list)
    before: str = ""
    inside: str = ""
    attributes: str = ""
    encoding: str = "utf-8"
    line: str = "\n"
    named: bool = True
    """Whether names say what is the hand; not where they were replaced."""

    def text(self) -> str:
        links = dict.fromkeys(
            [link for joint in self.joints for link in (joint.parent, joint.child)] + self.extra_links
        )
        lines = [f"{self.before}<robot name={quoteattr(self.name)}{self.attributes}>{self.inside}"]
        lines += [f"  <link name={quoteattr(link)}/>" for link in links]
        lines += [_joint(joint) for joint in self.joints]
        return self.line.join([*lines, "</robot>"])

    def data(self) -> bytes:
        return self.text().encode(self.encoding)


def _joint(joint: J) -> str:
    parts = [f'  <joint name={quoteattr(joint.name)} type="{joint.kind}">']
    parts.append(f"<parent link={quoteattr(joint.parent)}/><child link={quoteattr(joint.child)}/>")
    parts.append(f'<origin xyz="{joint.xyz}" rpy="{joint.rpy}"/>')
    if joint.axis is not None:
        parts.append(f'<axis xyz="{joint.axis}"/>')
    if joint.kind in ("revolute", "prismatic"):
        keys = zip(("lower", "upper", "velocity"), joint.limits, strict=True)
        limits = " ".join(f'{key}="{value}"' for key, value in keys if value is not None)
        parts.append(f'<limit effort="10" {limits}/>')
    if joint.mimic is not None:
        name, multiplier, offset = joint.mimic
        parts.append(f'<mimic joint={quoteattr(name)} multiplier="{multiplier}" offset="{offset}"/>')
    return "".join(parts) + "</joint>"


def fixed(parent: str, child: str, xyz: str = "0 0 0.05", name: str = "") -> J:
    return J(name or f"{child}_joint", "fixed", parent, child, xyz, axis=None)


def serial(links: Sequence[str], joints: Sequence[str], kind: str = "revolute") -> list[J]:
    """An arm whose joints turn about y and z by turns, a decimetre apart."""
    return [
        J(name, kind, parent, child, f"0 {0.01 * index} 0.1", axis="0 0 1" if index % 2 == 0 else "0 1 0")
        for index, (name, parent, child) in enumerate(zip(joints, links, links[1:], strict=False))
    ]


def turn(rpy: str) -> np.ndarray:
    """The rotation (3, 3) of the `rpy` of a URDF."""
    r, p, y = (float(word) for word in rpy.split())

    def about(angle: float, matrix: Callable[[float, float], list[list[float]]]) -> np.ndarray:
        return np.array(matrix(np.cos(angle), np.sin(angle)))

    return (
        about(y, lambda c, s: [[c, -s, 0], [s, c, 0], [0, 0, 1]])
        @ about(p, lambda c, s: [[c, 0, s], [0, 1, 0], [-s, 0, c]])
        @ about(r, lambda c, s: [[1, 0, 0], [0, c, -s], [0, s, c]])
    )


def fr3() -> Robot:
    """The FR3 of franka_description: the Panda with other names, and with fingers that both are driven by one."""
    robot = panda()
    names = {joint.name: joint.name.replace("panda_", "fr3_") for joint in robot.joints}
    for joint in robot.joints:
        joint.name = names[joint.name]
        joint.parent, joint.child = (link.replace("panda_", "fr3_") for link in (joint.parent, joint.child))
        joint.mimic = None if joint.mimic is None else (names[joint.mimic[0]], *joint.mimic[1:])
    gripper = {"joints": ("fr3_finger_joint1",), "position": "finger", "width": 0.08}
    arm = [f"fr3_joint{index}" for index in range(1, 8)]
    return Robot("fr3", robot.joints, ["fr3_hand_tcp"], list(names.values())[-3:-1], "fr3_link0", gripper, arm)


def panda(hand: bool = True, tcp: bool = True) -> Robot:
    links = [f"panda_link{index}" for index in range(8)]
    arm = [f"panda_joint{index}" for index in range(1, 8)]
    joints = [*serial(links, arm), fixed("panda_link7", "panda_link8", "0 0 0.107", "panda_joint8")]
    if not hand:
        return Robot("panda", joints, ["panda_link8"], base="panda_link0", arm=arm)
    joints.append(fixed("panda_link8", "panda_hand", "0 0 0"))
    open_ = ("0", "0.04", "0.2")
    joints += [
        J("panda_finger_joint1", "prismatic", "panda_hand", "panda_leftfinger", "0 0 0.0584", axis="0 1 0",
          limits=open_),
        J("panda_finger_joint2", "prismatic", "panda_hand", "panda_rightfinger", "0 0 0.0584", axis="0 -1 0",
          limits=open_, mimic=("panda_finger_joint1", "1", "0")),
    ]  # fmt: skip
    if tcp:
        joints.append(fixed("panda_hand", "panda_hand_tcp", "0 0 0.1034"))
    return Robot(
        "panda", joints, ["panda_hand_tcp" if tcp else "panda_hand"], ["panda_finger_joint1", "panda_finger_joint2"],
        "panda_link0", {"joints": ("panda_finger_joint1",), "position": "finger", "width": 0.08}, arm,
    )  # fmt: skip


UR = ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"]
UR_LINKS = ["base_link_inertia", "shoulder_link", "upper_arm_link", "forearm_link", "wrist_1_link", "wrist_2_link"]


def ur(world: bool = True) -> Robot:
    """As `tests/envs/mujoco/bodies_of_others/ur5e.xml`."""
    links, turn = [*UR_LINKS, "wrist_3_link"], "3.1415927"
    placed = [
        ("0 0 0.1625", "0 0 0"),
        ("0 0 0", "1.5707963 0 0"),
        ("-0.425 0 0", "0 0 0"),
        ("-0.3922 0 0.1333", "0 0 0"),
        ("0 -0.0997 0", "1.5707963 0 0"),
        ("0 0.0996 0", f"1.5707963 {turn} {turn}"),
    ]
    joints = [fixed("world", "base_link", "0 0 0", "base_joint")] if world else []
    joints += [
        J("base_link-base_link_inertia", "fixed", "base_link", "base_link_inertia", rpy=f"0 0 {turn}", axis=None)
    ]
    for name, parent, child, (xyz, rpy) in zip(UR, links, links[1:], placed, strict=False):
        most = turn if name == "elbow_joint" else "6.2831853"
        joints.append(J(name, "revolute", parent, child, xyz, rpy, limits=(f"-{most}", most, turn)))
    joints += [
        fixed("base_link", "base", "0 0 0", "base_link-base_fixed_joint"),
        fixed("wrist_3_link", "ft_frame", "0 0 0"),
        fixed("wrist_3_link", "flange", "0 0 0", "wrist_3-flange"),
        fixed("flange", "tool0", "0 0 0", "flange-tool0"),
    ]
    return Robot("ur5", joints, ["tool0"], base="base_link", arm=UR)


def robotiq(parent: str, prefix: str = "robotiq_85_") -> list[J]:
    """Its knuckles turn, 0 when open; all others follow the left one."""
    turn, drive = ("0", "0.8", "0.5"), f"{prefix}left_knuckle_joint"
    joints = [fixed(parent, f"{prefix}base_link", "0 0 0.01")]
    for side, sign, y in (("left", "1", "0.0306"), ("right", "-1", "-0.0306")):
        base, knuckle, tip = f"{prefix}base_link", f"{prefix}{side}_knuckle", f"{prefix}{side}_finger_tip"
        follows = None if side == "left" else (drive, "-1", "0")
        limits = turn if side == "left" else ("-0.8", "0", "0.5")
        inner = f"{prefix}{side}_inner_knuckle"
        joints += [
            J(f"{knuckle}_joint", "revolute", base, f"{knuckle}_link", f"0 {y} 0.054", axis="1 0 0", limits=limits,
              mimic=follows),
            J(f"{inner}_joint", "revolute", base, f"{inner}_link", f"0 {float(y) / 2} 0.06", axis="1 0 0",
              limits=limits, mimic=(drive, sign, "0")),
            fixed(f"{knuckle}_link", f"{prefix}{side}_finger_link", f"0 {y} 0"),
            J(f"{tip}_joint", "revolute", f"{prefix}{side}_finger_link", f"{tip}_link", "0 0 0.05", axis="1 0 0",
              limits=limits, mimic=(drive, "-1" if side == "left" else "1", "0")),
        ]  # fmt: skip
    return joints


def _with_robotiq(robot: Robot, parent: str, effectors: Sequence[str]) -> Robot:
    fingers = [joint for joint in robotiq(parent) if joint.kind != "fixed"]
    return dataclasses.replace(
        robot,
        joints=[*robot.joints, *robotiq(parent)],
        effectors=effectors,
        fingers=[joint.name for joint in fingers],
        gripper={"joints": ("robotiq_85_left_knuckle_joint",), "position": "angle", "open": 0.0, "closed": 0.8},
    )


def ur_robotiq() -> Robot:
    return _with_robotiq(ur(), "tool0", ["robotiq_85_base_link"])


def gen3(gripper: bool = True) -> Robot:
    links = ["base_link", "shoulder_link", "half_arm_1_link", "half_arm_2_link", "forearm_link",
             "spherical_wrist_1_link", "spherical_wrist_2_link", "bracelet_link"]  # fmt: skip
    arm = [f"joint_{index}" for index in range(1, 8)]
    joints = [*serial(links, arm, "continuous"), fixed("bracelet_link", "end_effector_link", name="end_effector")]
    joints += [fixed("end_effector_link", "camera_link"), fixed("end_effector_link", "tool_frame", "0 0 0.12")]
    for joint in joints[1:6:2]:
        joint.kind = "revolute"
    robot = Robot("gen3", joints, ["tool_frame"], base="base_link", arm=arm)
    return _with_robotiq(robot, "end_effector_link", ["tool_frame"]) if gripper else robot


def fetch() -> Robot:
    arm = ["shoulder_pan_joint", "shoulder_lift_joint", "upperarm_roll_joint", "elbow_flex_joint", "forearm_roll_joint",
           "wrist_flex_joint", "wrist_roll_joint"]  # fmt: skip
    links = ["torso_lift_link", *(name.replace("_joint", "_link") for name in arm)]
    joints = [
        J("r_wheel_joint", "continuous", "base_link", "r_wheel_link"),
        J("l_wheel_joint", "continuous", "base_link", "l_wheel_link"),
        J("torso_lift_joint", "prismatic", "base_link", "torso_lift_link", limits=("0", "0.38615", "0.1")),
        J("head_pan_joint", "revolute", "torso_lift_link", "head_pan_link"),
        J("head_tilt_joint", "revolute", "head_pan_link", "head_tilt_link", axis="0 1 0"),
        fixed("head_tilt_link", "head_camera_link"),
        *serial(links, arm),
        fixed("wrist_roll_link", "gripper_link", "0.16645 0 0", "gripper_axis"),
        fixed("base_link", "bellows_link"),
        *(
            J(f"{side}_gripper_finger_joint", "prismatic", "gripper_link", f"{side}_gripper_finger_link",
              f"0 {y} 0", axis="0 1 0", limits=("0.0", "0.05", "0.05"))
            for side, y in (("r", "0.015425"), ("l", "-0.015425"))
        ),
    ]  # fmt: skip
    fingers = ["r_gripper_finger_joint", "l_gripper_finger_joint"]
    gripper = {"joints": tuple(fingers), "position": "width", "width": 0.1}
    return Robot("fetch", joints, ["gripper_link"], fingers, "base_link", gripper, arm)


def so101(frame: bool = True) -> Robot:
    arm = ["shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll"]
    links = ["base_link", "shoulder_link", "upper_arm_link", "lower_arm_link", "wrist_link", "gripper_link"]
    jaw = J("gripper", "revolute", "gripper_link", "moving_jaw_so101_v1_link", "0.0202 0.0188 -0.0234",
            limits=("-0.174533", "1.74533", "10"))  # fmt: skip
    joints = [*serial(links, arm), jaw]
    if frame:
        joints.append(fixed("gripper_link", "gripper_frame_link", "0 0 -0.098"))
    gripper = {"joints": ("gripper",), "position": "angle", "open": 1.74533, "closed": -0.174533}
    hand = "gripper_frame_link" if frame else "gripper_link"
    return Robot("so101_new_calib", joints, [hand], ["gripper"], "base_link", gripper, arm)


def so100() -> Robot:
    arm = ["Rotation", "Pitch", "Elbow", "Wrist_Pitch", "Wrist_Roll"]
    links = ["Base", "Rotation_Pitch", "Upper_Arm", "Lower_Arm", "Wrist_Pitch_Roll", "Fixed_Jaw"]
    jaw = J("Jaw", "revolute", "Fixed_Jaw", "Moving_Jaw", limits=("0", "2.0", "1"))
    gripper = {"joints": ("Jaw",), "position": "angle", "open": 2.0, "closed": 0.0}
    return Robot("SO100", [*serial(links, arm), jaw], ["Fixed_Jaw"], ["Jaw"], "Base", gripper, arm)


def stretch() -> Robot:
    arm = ["joint_lift", *(f"joint_arm_l{index}" for index in (3, 2, 1, 0)), "joint_wrist_yaw", "joint_wrist_pitch",
           "joint_wrist_roll"]  # fmt: skip
    links = ["link_mast", "link_lift", *(f"link_arm_l{index}" for index in (3, 2, 1, 0)), "link_wrist_yaw",
             "link_wrist_pitch", "link_wrist_roll"]  # fmt: skip
    joints = [
        J("joint_right_wheel", "continuous", "base_link", "link_right_wheel"),
        J("joint_left_wheel", "continuous", "base_link", "link_left_wheel"),
        fixed("base_link", "link_mast", name="joint_mast"),
        *serial(links, arm),
        fixed("link_wrist_roll", "link_gripper_s3_body"),
        fixed("link_gripper_s3_body", "link_grasp_center", "0 0 0.23"),
        fixed("link_mast", "link_head"),
        J("joint_head_pan", "revolute", "link_head", "link_head_pan"),
        J("joint_head_tilt", "revolute", "link_head_pan", "link_head_tilt"),
        *(fixed("link_head_tilt", f"camera_{kind}_optical_frame") for kind in ("infra1", "color", "depth")),
    ]
    for joint in joints[3:8]:
        joint.kind, joint.limits = "prismatic", ("0", "0.13", "1")
    for side, sign in (("left", 1), ("right", -1)):
        joints += [
            J(f"joint_gripper_finger_{side}", "revolute", "link_gripper_s3_body", f"link_gripper_finger_{side}",
              f"0 {0.018 * sign} 0.16", axis=f"{-sign} 0 0", limits=("-0.6", "0.6", "1")),
            fixed(f"link_gripper_finger_{side}", f"link_gripper_fingertip_{side}", "0 0 0.2"),
        ]  # fmt: skip
    fingers = ["joint_gripper_finger_left", "joint_gripper_finger_right"]
    gripper = {"joints": ("joint_gripper_finger_left",), "position": "angle", "open": 0.6, "closed": -0.6}
    return Robot("stretch", joints, ["link_grasp_center"], fingers, "base_link", gripper, arm)


def tiago() -> Robot:
    """As `tests/envs/mujoco/bodies_of_others/tiago.xml`."""
    links = ["torso_lift_link", *(f"arm_{index}_link" for index in range(1, 8))]
    placed = [
        ("0.155 0.014 -0.15", "0 0 -1.5707963", "0 0 1", ("0", "2.75", "2.7")),
        ("0.125 0 0", "0 0 0", "0 -1 0", ("-1.57", "1.09", "3.66")),
        ("0 0 0", "0 0 0", "1 0 0", ("-3.53", "1.57", "4.58")),
        ("0.31 0 0", "0 0 0", "0 -1 0", ("-0.39", "2.36", "4.58")),
        ("0 0 0", "0 0 0", "1 0 0", ("-2.09", "2.09", "1.95")),
        ("0.31 0 0", "0 0 0", "0 1 0", ("-1.41", "1.41", "1.76")),
        ("0 0 0", "0 0 0", "1 0 0", ("-2.09", "2.09", "1.76")),
    ]
    arm = [
        J(f"arm_{number}_joint", "revolute", parent, child, *place)
        for number, (parent, child, place) in enumerate(zip(links, links[1:], placed, strict=False), start=1)
    ]
    joints = [
        fixed("base_footprint", "base_link", "0 0 0.0985"),
        *(J(f"wheel_{side}_joint", "continuous", "base_link", f"wheel_{side}_link") for side in ("left", "right")),
        J("caster_back_left_1_joint", "continuous", "base_link", "caster_back_left_1_link"),
        fixed("base_link", "torso_fixed_link", "-0.06 0 0.19"),
        J("torso_lift_joint", "prismatic", "torso_fixed_link", "torso_lift_link", "0 0 0.5", "0 0 0", "0 0 1",
          ("0", "0.35", "0.07")),
        *arm,
        fixed("arm_7_link", "arm_tool_link", "0.046 0 0"),
        fixed("arm_tool_link", "wrist_ft_link", "0 0 0"),
        fixed("wrist_ft_link", "wrist_ft_tool_link", "0 0 0"),
        fixed("wrist_ft_tool_link", "gripper_link", "0.024 0 0", "gripper_joint"),
        fixed("gripper_link", "gripper_grasping_frame", "0.12 0 0"),
        fixed("wrist_ft_tool_link", "gripper_tool_link", "0.1 0 0"),
        *(
            J(f"gripper_{side}_finger_joint", "prismatic", "gripper_link", f"gripper_{side}_finger_link",
              axis="1 0 0", limits=("0", "0.045", "0.05"))
            for side in ("left", "right")
        ),
        J("head_1_joint", "revolute", "torso_lift_link", "head_1_link", "0.02 0 0.19", limits=("-1.24", "1.24", "3")),
        J("head_2_joint", "revolute", "head_1_link", "head_2_link", "0.02 0 0.06", axis="0 1 0",
          limits=("-0.98", "0.72", "3")),
        fixed("head_2_link", "head_front_camera_link", "0.08 0 0"),
        fixed("head_front_camera_link", "head_front_camera_rgb_frame", "0 0 0"),
        J("head_front_camera_rgb_optical_joint", "fixed", "head_front_camera_rgb_frame",
          "head_front_camera_rgb_optical_frame", "0 0 0", "-1.5707963 0 -1.5707963", None),
    ]  # fmt: skip
    fingers = ["gripper_left_finger_joint", "gripper_right_finger_joint"]
    names = [joint.name for joint in arm]
    gripper = {"position": "width", "width": 0.09}
    return Robot("tiago", joints, ["gripper_grasping_frame"], fingers, "base_footprint", gripper, names)


def xarm(gripper: bool = True) -> Robot:
    arm = [f"joint{index}" for index in range(1, 7)]
    links = ["link_base", *(f"link{index}" for index in range(1, 7))]
    joints = [fixed("world", "link_base", "0 0 0"), *serial(links, arm), fixed("link6", "link_eef", "0 0 0")]
    if not gripper:
        return Robot("xarm6", joints, ["link_eef"], base="link_base", arm=arm)
    joints.append(fixed("link_eef", "xarm_gripper_base_link", "0 0 0", "gripper_fix"))
    turn, drive = ("0", "0.85", "2"), "drive_joint"
    for side, sign in (("left", -1), ("right", 1)):
        follows = (drive, "1", "0")
        joints += [
            J(drive if side == "left" else f"{side}_outer_knuckle_joint", "revolute", "xarm_gripper_base_link",
              f"{side}_outer_knuckle", f"0 {-0.035 * sign} 0.06", axis=f"{-sign} 0 0", limits=turn,
              mimic=None if side == "left" else follows),
            J(f"{side}_finger_joint", "revolute", f"{side}_outer_knuckle", f"{side}_finger", "0 0 0.042",
              axis=f"{sign} 0 0", limits=turn, mimic=follows),
            J(f"{side}_inner_knuckle_joint", "revolute", "xarm_gripper_base_link", f"{side}_inner_knuckle",
              axis=f"{-sign} 0 0", limits=turn, mimic=follows),
        ]  # fmt: skip
    joints.append(fixed("xarm_gripper_base_link", "link_tcp", "0 0 0.172", "joint_tcp"))
    fingers = [joint.name for joint in joints if joint.limits == turn and joint.kind == "revolute"]
    gripper_fields = {"joints": (drive,), "position": "angle"}
    return Robot("xarm6", joints, ["link_tcp"], fingers, "link_base", gripper_fields, arm)


def two_arms() -> Robot:
    joints, effectors, fingers = [fixed("base", "torso")], [], []
    for side in ("left", "right"):
        links = ["torso", *(f"{side}_{part}" for part in ("upper_shoulder", "upper_elbow", "lower_elbow", "wrist"))]
        joints += serial(links, [f"{side}_{name}" for name in ("s0", "s1", "e0", "w0")])
        joints += [fixed(f"{side}_wrist", f"{side}_hand"), fixed(f"{side}_hand", f"{side}_gripper_base")]
        for letter, sign in (("l", "1"), ("r", "-1")):
            name = f"{side}_gripper_{letter}_finger_joint"
            fingers.append(name)
            joints.append(
                J(name, "prismatic", f"{side}_gripper_base", f"{side}_gripper_{letter}_finger", axis=f"0 {sign} 0",
                  limits=("0", "0.02", "5"), mimic=None if letter == "l" else (fingers[-2], "-1", "0"))
            )  # fmt: skip
        effectors.append(f"{side}_gripper_base")
    return Robot("two_arms", joints, effectors, fingers)


def industrial(name: str, tools: Sequence[str], effector: str, count: int = 6) -> Robot:
    arm = [f"joint_{index}" for index in range(1, count + 1)]
    links = ["base_link", *(f"link_{index}" for index in range(1, count + 1))]
    joints, last = serial(links, arm), links[-1]
    for tool in tools:
        joints.append(fixed(last, tool, "0 0 0.02"))
        last = tool
    joints.append(fixed("base_link", "base"))
    return Robot(name, joints, [effector], base="base_link", arm=arm)


def parallelogram() -> Robot:
    robot = industrial("pal", ["tool0"], "tool0", 5)
    joint = robot.joints[2]
    joint.mimic = (robot.joints[1].name, "-1", "0.1")
    robot.arm = [name for name in robot.arm or () if name != joint.name]
    return robot


def open_manipulator() -> Robot:
    joints = [
        fixed("world", "link1", "0 0 0"),
        *serial([f"link{i}" for i in range(1, 6)], [f"joint{i}" for i in range(1, 5)]),
    ]
    slide = ("-0.01", "0.019", "4.8")
    joints += [
        J("gripper", "prismatic", "link5", "gripper_link", "0.08 0.02 0", axis="0 1 0", limits=slide),
        J("gripper_sub", "prismatic", "link5", "gripper_link_sub", "0.08 -0.02 0", axis="0 -1 0", limits=slide,
          mimic=("gripper", "1", "0")),
        fixed("link5", "end_effector_link", "0.126 0 0"),
    ]  # fmt: skip
    return Robot("open_manipulator_x", joints, ["end_effector_link"], ["gripper", "gripper_sub"], "link1")


def hand_of_many_fingers() -> Robot:
    joints = [*serial(["base_link", "arm", "wrist", "palm"], ["shoulder", "elbow", "wrist_roll"])]
    fingers = []
    for finger in ("thumb", "index_finger", "middle_finger"):
        names = [f"{finger}_{part}" for part in ("proximal", "distal")]
        fingers += [f"{name}_joint" for name in names]
        joints += serial(["palm", *names], fingers[-2:])
    return Robot("many", joints, ["palm"], fingers)


def gripper_alone() -> Robot:
    joints = [fixed("base_link", "body"), *panda().joints[-3:-1]]
    for joint in joints[1:]:
        joint.parent = "body"
    return Robot("pg70", joints, ["body"], ["panda_finger_joint1", "panda_finger_joint2"])


def rover() -> Robot:
    joints = [fixed("base_footprint", "base_link")]
    joints += [J(f"wheel_{side}_joint", "continuous", "base_link", f"wheel_{side}_link") for side in ("left", "right")]
    joints.append(J("caster_joint", "continuous", "base_link", "caster_link"))
    return Robot("rover", joints, ["base_link", "base_footprint"], base="base_footprint")


def quadruped() -> Robot:
    joints = []
    for leg in ("fl", "fr", "hl", "hr"):
        links = ["body", *(f"{leg}.{part}" for part in ("hip", "uleg", "lleg"))]
        joints += serial(links, [f"{leg}.hx", f"{leg}.hy", f"{leg}.kn"])
        joints.append(fixed(f"{leg}.lleg", f"{leg}.foot", name=f"{leg}.ankle"))
    return Robot("spot", joints, [f"{leg}.{end}" for leg in ("fl", "fr", "hl", "hr") for end in ("foot", "lleg")])


ROBOTS: dict[str, Callable[[], Robot]] = {
    "panda": panda,
    "fr3": fr3,
    "panda_without_tcp": lambda: panda(tcp=False),
    "panda_arm": lambda: panda(hand=False),
    "ur5": ur,
    "ur5_without_world": lambda: ur(world=False),
    "ur5_robotiq": ur_robotiq,
    "gen3": lambda: gen3(gripper=False),
    "gen3_robotiq": gen3,
    "fetch": fetch,
    "so101": so101,
    "so101_without_frame": lambda: so101(frame=False),
    "so100": so100,
    "stretch": stretch,
    "tiago": tiago,
    "xarm6": lambda: xarm(gripper=False),
    "xarm6_gripper": xarm,
    "two_arms": two_arms,
    "abb": lambda: industrial("abb_irb120", ["tool0"], "tool0"),
    "kuka": lambda: industrial("iiwa", ["iiwa_link_ee"], "iiwa_link_ee", 7),
    "fanuc": lambda: industrial("m10ia", ["flange", "tool0"], "tool0"),
    "with_tcp": lambda: industrial("custom", ["flange", "tool0", "welding_tcp"], "welding_tcp"),
    "without_names": lambda: industrial("plain", [], "link_6"),
    "parallelogram": parallelogram,
    "open_manipulator": open_manipulator,
    "many_fingers": hand_of_many_fingers,
    "gripper_alone": gripper_alone,
    "rover": rover,
    "quadruped": quadruped,
}


# ---------------------------------------------------------------- what exporters and people make of them


def _each(robot: Robot, change: Callable[[J], None]) -> None:
    for joint in robot.joints:
        change(joint)


def _set_limits(index: int, value: str | None) -> Callable[[Robot, random.Random], None]:
    def change(robot: Robot, rng: random.Random) -> None:
        for joint in robot.joints:
            if joint.kind in ("revolute", "prismatic") and rng.random() < 0.5 and joint.name not in robot.fingers:
                limits = list(joint.limits)
                limits[index] = value
                joint.limits = (limits[0], limits[1], limits[2])

    return change


def _reverse_joints(robot: Robot, rng: random.Random) -> None:
    for joint in robot.joints:
        if rng.random() < 0.5 and joint.name not in robot.fingers:
            joint.limits = (joint.limits[1], joint.limits[0], joint.limits[2])


def _rename_joints(names: Sequence[str]) -> Callable[[Robot, random.Random], None]:
    def change(robot: Robot, rng: random.Random) -> None:
        """Names of the arm's joints replaced; those by which the hand is known stay."""
        arm = [joint for joint in robot.joints if joint.kind != "fixed" and joint.name not in robot.fingers]
        arm = [joint for joint in arm if not any(word in joint.name for word in ("wheel", "caster", "torso"))]
        new = dict(zip([joint.name for joint in arm], rng.sample(names, min(len(arm), len(names))), strict=False))
        for joint in robot.joints:
            joint.name = new.get(joint.name, joint.name)
            if joint.mimic is not None:
                joint.mimic = (new.get(joint.mimic[0], joint.mimic[0]), *joint.mimic[1:])
        robot.arm = None

    return change


def _floating(robot: Robot, rng: random.Random) -> None:
    root = next(joint.parent for joint in robot.joints if all(joint.parent != other.child for other in robot.joints))
    robot.joints.insert(0, J("free", rng.choice(["floating", "planar"]), "odom_frame", root))
    robot.base = None if robot.base == "base_link" and root != "base_link" else robot.base and root
    if robot.base in ("world", "base_footprint"):
        robot.base = None


def _add_prefix(robot: Robot, rng: random.Random) -> None:
    prefix = rng.choice(["my_", "robot1/", "arm.", "a-"])
    joint_names = {joint.name: prefix + joint.name for joint in robot.joints}
    for joint in robot.joints:
        joint.name, joint.parent, joint.child = joint_names[joint.name], prefix + joint.parent, prefix + joint.child
        if joint.mimic is not None:
            joint.mimic = (joint_names[joint.mimic[0]], *joint.mimic[1:])
    robot.effectors = [prefix + link for link in robot.effectors]
    robot.fingers = [prefix + name for name in robot.fingers]
    robot.extra_links = [prefix + link for link in robot.extra_links]
    robot.base, robot.gripper, robot.arm = None, None, None


def _text(**fields: str) -> Callable[[Robot, random.Random], None]:
    def change(robot: Robot, rng: random.Random) -> None:
        for name, value in fields.items():
            setattr(robot, name, getattr(robot, name) + value if name in ("inside", "attributes") else value)

    return change


def _fixed_axes(value: str | None) -> Callable[[Robot, random.Random], None]:
    def change(robot: Robot, rng: random.Random) -> None:
        _each(robot, lambda joint: setattr(joint, "axis", value) if joint.kind == "fixed" else None)

    return change


def _axes_of_other_lengths(robot: Robot, rng: random.Random) -> None:
    for joint in robot.joints:
        if joint.axis is not None and joint.kind != "fixed":
            length = rng.choice([0.5, 2.0, 1000.0, 0.9999])
            joint.axis = " ".join(str(float(word) * length) for word in joint.axis.split())


def _missing_axes(robot: Robot, rng: random.Random) -> None:
    for joint in robot.joints:
        if joint.axis == "1 0 0":
            joint.axis = None


def _unused_links(robot: Robot, rng: random.Random) -> None:
    robot.extra_links += ["left_over", "another one"]


def _shuffle_joints(robot: Robot, rng: random.Random) -> None:
    rng.shuffle(robot.joints)


# fmt: off
ODD = ["on", "yes", "no", "null", "~", "1", "1e3", "0x1F", "1_000", "12:30:45", "2026-01-01", "true", "=", "<<", "- x",
       "a: b", "a #b", "#c", "{x}", "[y]", "&anchor", "*alias", "!tag", "%d", "@at", "`tick`", 'quo"te', "it's",
       "back\\slash", "gelenk größe", "関節", "joint 🤖", "é", " lead", "trail ", "a\tb", "a\nb", "?", "? q", "|", ">",
       "-", "--", "...", "---", ".inf", ".nan", "0o17", "08", "+1", "1.", ".5", "\x85nel", "\u2028ls", "\ufeffbom",
       "a,b", "a]b", "x" * 190]
# fmt: on
NUMBERS = [str(index) for index in range(1, 60)]
DOTTED = [f"arm.j{index}" for index in range(60)]

CHANGES: dict[str, Callable[[Robot, random.Random], None]] = {
    "velocity below zero": _set_limits(2, "-1"),
    "velocity of zero": _set_limits(2, "0"),
    "no velocity": _set_limits(2, None),
    "infinite velocity": _set_limits(2, "inf"),
    "velocity of 1e9": _set_limits(2, "1e9"),
    "velocity in words": _set_limits(2, "fast"),
    "no lower limit": _set_limits(0, None),
    "no upper limit": _set_limits(1, None),
    "lower limit infinite": _set_limits(0, "-inf"),
    "upper limit infinite": _set_limits(1, "INF"),
    "limit of 1e16": _set_limits(1, "1e16"),
    "limit not a number": _set_limits(0, "nan"),
    "limits reversed": _reverse_joints,
    "odd names": _rename_joints(ODD),
    "numbers as names": _rename_joints(NUMBERS),
    "dotted names": _rename_joints(DOTTED),
    "floating": _floating,
    "prefixed": _add_prefix,
    "xacro in a comment": _text(inside="<!-- made of <xacro:include filename='arm.xacro'/> by xacro -->"),
    "xacro namespace": _text(attributes=' xmlns:xacro="http://www.ros.org/wiki/xacro"'),
    "default namespace": _text(attributes=' xmlns="http://www.ros.org"'),
    "undeclared prefix": _text(inside="<sensor:camera name='x'><a/></sensor:camera>"),
    "gazebo": _text(inside="<gazebo reference='x'><joint name='inner' type='odd'/><limit/></gazebo>"),
    "transmission": _text(inside="<transmission name='t'><joint name='inner'><a/></joint></transmission>"),
    "declaration": _text(before='<?xml version="1.0" encoding="utf-8"?>\n'),
    "blank lines before": _text(before='\n\n  <?xml version="1.0"?>\n'),
    "crlf": _text(line="\r\n"),
    "byte order mark": _text(encoding="utf-8-sig"),
    "utf-16": _text(encoding="utf-16"),
    "long mesh paths": _text(inside=f"<material name='{'m' * 5000}'><texture filename='{'p/' * 20000}'/></material>"),
    "fixed axes of zero": _fixed_axes("0 0 0"),
    "fixed axes in words": _fixed_axes("none"),
    "axes of other lengths": _axes_of_other_lengths,
    "no axes": _missing_axes,
    "links not joined": _unused_links,
    "shuffled": _shuffle_joints,
}


def robots(count: int, seed: int = 0) -> list[tuple[str, Robot]]:
    """Robots with up to four changes each, and what they are called."""
    rng = random.Random(seed)
    drawn = []
    for index in range(count):
        name = sorted(ROBOTS)[index % len(ROBOTS)]
        robot = ROBOTS[name]()
        changes = rng.sample(sorted(CHANGES), rng.randint(0, 4))
        for change in changes:
            CHANGES[change](robot, rng)
        if robot.encoding == "utf-16":
            robot.before = ""
        drawn.append((f"{index} {name}: {', '.join(changes)}", robot))
    return drawn
