"""Draft of a profile from a URDF: joints with their limits, the chain to the hand, topic names to be checked."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

import yaml

from homie.kernel.errors import BadInput, suggestion
from homie.kernel.support.documents import parse_yaml
from homie.kernel.support.text import format_count, printable
from ros_bridge.profiles.cameras import camera_of
from ros_bridge.profiles.end_effectors import WHEEL, Hand, chain_of, effector_link, hands, turning
from ros_bridge.profiles.model import LARGEST, parse_profile
from ros_bridge.profiles.parts import Link
from ros_bridge.profiles.urdf import Urdf, UrdfJoint, read_urdf

HALF_A_SECOND = 2.0
"""Acceleration per speed, 1/s, as a URDF has none: a joint reaches full speed in half a second."""
SPEED = 0.5
"""Slow speed, rad/s or m/s, where the URDF has no usable one."""
GUESS = "a guess: the link that stands for the hand"
FREE = ("floating", "planar")
MOST_JOINTS = 64
"""Largest number of joints of a group, as in a profile."""
_TORSO = re.compile("torso|spine|trunk|column", re.IGNORECASE)
_WORLD = re.compile("world|map|odom|ground|table", re.IGNORECASE)
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_/-]*")


def profile_from_urdf(path: Path, *, effector: str = "", base: str = "") -> str:
    """Write a profile for the robot in a URDF, with comments on what to check.

    The arm is the path with the most moving joints to a hand or, without hands, to any link; its torso joints are a
    group of their own. The other moving joints, except fingers and wheels, are grouped by path.

    Args:
        path: The URDF.
        effector: The link that represents the hand; "" to choose it by the names and the shape of the robot.
        base: The link in whose frame the chain to the hand begins; "" likewise.

    Raises:
        BadInput: The file is not a URDF, has no moving joint, lacks a link, or does not fit into a profile.
    """
    robot = read_urdf(path)
    if not any(joint.driven for joint in robot.joints):
        raise BadInput(f"Nothing in {path} moves: it has no joint that is revolute, continuous or prismatic.")
    try:
        text = _text(path, robot, effector, base)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from error
    if len(text.encode()) > LARGEST:
        raise BadInput(f"{path} has {format_count(len(robot.joints), 'joint')}: too many for a profile.")
    parse_profile(text, f"The profile made from {path}")
    return text


def _text(path: Path, robot: Urdf, effector: str, base: str) -> str:
    all_hands = hands(robot)
    if effector:
        arm, hand, doubt, is_certain = _arm_to(robot, effector, all_hands)
    else:
        arm, hand, doubt = _arm(robot, all_hands)
        way = arm if hand is None else robot.way(hand.link)
        last = hand.link if hand is not None else way[-1].child if way else _base_of(robot)
        effector, is_certain = effector_link(robot, last, hand)
    base, chain = _chain(robot, effector, base)
    groups = _groups(robot, arm, all_hands)
    _check_drivers(chain, {joint.name for joints in groups.values() for joint in joints})
    omitted_hands = [candidate for candidate in all_hands if candidate is not hand or not hand.grips]
    lines = [
        f"# Made from {_comment(path.name)} by `homie robot profile`. A URDF has no topics, actions and accelerations:",
        "# compare every line that ends in '# ?' with your robot (`ros2 topic list`, `ros2 action list`), then run",
        "# `homie robot check`. Accelerations are guesses, too: full speed in half a second.",
        *_omitted_comments(robot, base, omitted_hands),
        f"name: {_word(robot.name)}",
        "# body: my_body.yaml  # what `homie run` needs: amendments to an MJCF model of it, or `fetch`",
        "frames:",
        "  odometry: odom",
        f"  base: {_word(base)}",
        f"  effector: {_word(effector)}{_doubt(doubt or ('' if is_certain else GUESS))}",
        "joint_states: /joint_states  # ?",
        *_base(robot, drives=_drives(robot) or (not groups and (hand is None or not hand.grips))),
        *_camera(robot),
    ]
    lines += ["groups:"] if groups else []
    for group, joints in groups.items():
        lines += [f"  {_word(group)}:", f"    action: /{group}_controller/follow_joint_trajectory  # ?"]
        lines += [f"    stream: /{group}_controller/joint_trajectory  # ?", "    joints:"]
        lines += [f"      - {_joint_text(joint)}" for joint in joints]
    lines += _gripper(robot, hand) if hand is not None and hand.grips else []
    lines += ["chain:"] if chain else []
    lines += [f"  - {_link_text(link)}" for link in chain]
    lines.append(
        "# workspace: {lower: [-0.3, -0.8, 0.05], upper: [0.9, 0.8, 1.5]}  # ? where the hand may be, in the base frame"
    )
    return "\n".join(lines) + "\n"


def _arm(robot: Urdf, all_hands: Sequence[Hand]) -> tuple[list[UrdfJoint], Hand | None, str]:
    """Return the joints from the root to the end of the arm, its hand, and what is doubtful about the choice."""
    fingers = {joint.name for hand in all_hands for joint in hand.joints}

    def moving(way: Sequence[UrdfJoint]) -> int:
        return sum(joint.driven and not WHEEL.search(joint.name) for joint in way)

    armed = [(robot.way(hand.link), hand) for hand in all_hands]
    if armed:
        # Of two equal arms the right one, as most people would.
        max_joints = max(moving(way) for way, _ in armed)
        best = [pair for pair in armed if moving(pair[0]) == max_joints]
        way, hand = next((pair for pair in best if "right" in pair[1].link or pair[1].link.startswith("r_")), best[0])
        return way, hand, "the robot has several hands" if len(armed) > 1 else ""
    ways = []
    for link in robot.links:
        way = robot.way(link)
        if way and way[-1].driven and not any(joint.name in fingers or WHEEL.search(joint.name) for joint in way):
            ways.append(way)
    longest = max(map(moving, ways), default=0)
    best_ways = [way for way in ways if moving(way) == longest]
    if not best_ways:
        return [], None, ""
    way = next((way for way in best_ways if any("right" in joint.name for joint in way)), best_ways[0])
    return way, None, "the robot has several ways of as many joints" if len(best_ways) > 1 else ""


def _arm_to(robot: Urdf, effector: str, all_hands: Sequence[Hand]) -> tuple[list[UrdfJoint], Hand | None, str, bool]:
    """Return the same for a hand link chosen by the user. Raises BadInput for a link that cannot represent a hand."""
    _check_link(robot, effector)
    way = robot.way(effector)
    fingers = {joint.name for hand in all_hands for joint in hand.joints}
    if moving := next((joint.name for joint in way if joint.name in fingers), None):
        raise BadInput(
            f"the link '{printable(effector)}' moves with the finger '{printable(moving)}' as the hand opens: choose "
            "one before the fingers, such as the palm."
        )
    fixed = robot.rigid(effector)
    return way, next((hand for hand in all_hands if hand.link in fixed), None), "", True


def _check_link(robot: Urdf, link: str) -> None:
    if link not in robot.links:
        known = suggestion(link, list(robot.links), f"it has {', '.join(map(printable, robot.links[:30]))}.")
        raise BadInput(f"there is no link '{printable(link)}': {known}")


def _base_of(robot: Urdf) -> str:
    """Return the root of the largest tree, or the link that floats in it."""
    link = max(robot.roots, key=lambda root: sum(1 for _ in robot.subtree(root)))
    while floating_links := [joint.child for joint in robot.below.get(link, ()) if joint.kind in FREE]:
        link = floating_links[0]
    return link


def _chain(robot: Urdf, effector: str, base: str) -> tuple[str, list[Link]]:
    """Return the base frame, `base` if it is given, and the chain from there to the effector. Raises BadInput.

    The base is base_footprint, which is on the floor from which heights are measured, or base_link, if only fixed
    joints lead to it, and never a world frame; a joint by which the robot floats in its world is not part of the robot.
    """
    way = robot.way(effector)
    if base:
        _check_link(robot, base)
        names = [way[0].parent, *(joint.child for joint in way)] if way else [effector]
        if base not in names:
            raise BadInput(
                f"the link '{printable(base)}' is not on the way to the hand '{printable(effector)}': choose one of "
                f"{', '.join(map(printable, names))}."
            )
        return base, chain_of(robot, way[names.index(base) :])
    free_indices = [index for index, joint in enumerate(way) if joint.kind in FREE]
    way = way[free_indices[-1] + 1 :] if free_indices else way
    rooted = robot.way(effector)[free_indices[-1]].child if free_indices else way[0].parent if way else effector
    leading = next((index for index, joint in enumerate(way) if joint.kind != "fixed"), len(way))
    links = [rooted, *(joint.child for joint in way[:leading])]
    start = next((links.index(name) for name in ("base_footprint", "base_link") if name in links), 0)
    while start + 1 < len(links) and _WORLD.search(links[start]):
        start += 1
    return links[start], chain_of(robot, way[start:])


def _groups(robot: Urdf, arm: Sequence[UrdfJoint], all_hands: Sequence[Hand]) -> dict[str, list[UrdfJoint]]:
    """Group the joints that controllers move, under names that are valid in ROS."""
    grips = {joint.name for hand in all_hands if hand.grips for joint in hand.joints}
    arm_names = {joint.name for joint in arm}
    other_joints = [
        joint
        for joint in robot.joints
        if joint.driven and (joint.name in arm_names or (joint.name not in grips and not WHEEL.search(joint.name)))
    ]
    free_joints = {joint.name: joint for joint in other_joints}
    groups: list[tuple[str, list[UrdfJoint]]] = []

    def take(name: str, joints: Sequence[UrdfJoint]) -> None:
        chosen = [free_joints.pop(joint.name) for joint in joints if joint.name in free_joints]
        for start in range(0, len(chosen), MOST_JOINTS):
            groups.append((name, chosen[start : start + MOST_JOINTS]))

    arm_joints = [joint for joint in arm if joint.name in free_joints]
    torso = [joint for joint in arm_joints if _TORSO.search(joint.name)]
    if len(torso) < len(arm_joints):
        take("torso", torso)
    take("arm", arm_joints)
    for hand in all_hands:
        if not hand.grips:
            take("fingers", hand.driven)
    followed = {joint.name for joint in other_joints for joint in robot.way(joint.parent)}
    for way in sorted(
        (robot.way(joint.child) for joint in other_joints if joint.name not in followed), key=len, reverse=True
    ):
        free_on_way = [joint for joint in way if joint.name in free_joints]
        if free_on_way:
            take(_shared_name([joint.name for joint in free_on_way]), free_on_way)
    named: dict[str, list[UrdfJoint]] = {}
    for name, joints in groups:
        group_name = re.sub("_+", "_", re.sub("[^A-Za-z0-9_]", "_", name)).strip("_")[:60] or "group"
        group_name = group_name if group_name[0].isalpha() else f"joint_{group_name}"
        number = 2
        unique = group_name
        while unique in named:
            unique, number = f"{group_name}_{number}", number + 1
        named[unique] = joints
    return named


def _shared_name(joints: Sequence[str]) -> str:
    """Return the common start of joint names, such as `head` of head_pan_joint and head_tilt_joint, or the first
    name."""
    shared_count = 0
    while len(joints) > 1 and len({name[: shared_count + 1] for name in joints}) == 1 and shared_count < len(joints[0]):
        shared_count += 1
    shared = re.sub(r"^joint[_\W]|[_\W\d]+$", "", joints[0][:shared_count])
    return shared if len(shared) > 2 and shared != "joint" else joints[0].removesuffix("_joint")


def _check_drivers(chain: Sequence[Link], known: Collection[str]) -> None:
    for link in chain:
        if link.kind != "fixed" and link.driver not in known:
            raise BadInput(
                f"the joint '{printable(link.joint)}' on the way to the hand mimics '{printable(link.driver)}', which"
                " is a finger or a wheel: correct its <mimic>."
            )


def _omitted_comments(robot: Urdf, base: str, omitted_hands: Sequence[Hand]) -> list[str]:
    lines = []
    names = [joint.name for hand in omitted_hands if hand.grips for joint in hand.driven]
    if names:
        lines.append(f"# Left out: {_comment(', '.join(names))}. A profile has one gripper.")
    other_roots = [root for root in robot.roots if root != (robot.way(base)[0].parent if robot.way(base) else base)]
    if other_roots:
        lines.append(f"# Not joined to the rest: {_comment(', '.join(other_roots))}.")
    return lines


def _drives(robot: Urdf) -> bool:
    """Whether it has at least two continuous wheel joints."""
    return sum(joint.kind == "continuous" and "wheel" in joint.name.lower() for joint in robot.joints) > 1


def _camera(robot: Urdf) -> list[str]:
    """Return the lines of its camera, commented out if no frame suggests one."""
    camera = camera_of(robot)
    if camera is None:
        return [
            "# cameras:  # ? what `homie run` sees by; take the signs away",
            "#   head: {rgb: /camera/color/image_raw, depth: /camera/aligned_depth_to_color/image_raw,",
            "#          info: /camera/color/camera_info, frame: camera_color_optical_frame}",
        ]
    topics = (f"    {stream}: {getattr(camera, stream)}  # ?" for stream in ("rgb", "depth", "info"))
    return ["cameras:", f"  {camera.name}:", *topics, f"    frame: {_word(camera.frame)}"]


def _base(robot: Urdf, *, drives: bool) -> list[str]:
    """Return the lines of the base, commented out if the robot need not have one."""
    if drives:
        return [
            "base:  # ? the topics and the highest speeds of its base",
            "  command: /cmd_vel  # ?",
            "  odometry: /odom  # ?",
            *(f"  {name}: {value}  # ?" for name, value in zip(_SPEEDS, (0.3, 0.6, 0.5, 1.0), strict=True)),
        ]
    return [
        "# base: {command: /cmd_vel, odometry: /odom, linear: 0.3, angular: 0.6, linear_acceleration: 0.5,",
        "#        angular_acceleration: 1.0}  # ? take the signs away if it drives",
    ]


_SPEEDS = ("linear", "angular", "linear_acceleration", "angular_acceleration")


def _gripper(robot: Urdf, hand: Hand) -> list[str]:
    lines = ["gripper:", "  action: /gripper_controller/gripper_action  # ?"]
    drive = hand.driven[0]
    if drive.kind != "prismatic":
        closed_value, open_value, width = turning(robot, hand)
        guess = "  # ? the gap when it is open"
        return [
            *lines,
            f"  joints: [{_word(drive.name)}]",
            "  position: angle  # ? what its command counts: the angle of this joint",
            f"  open: {_number(open_value)}  # ? its angle when it is open",
            f"  closed: {_number(closed_value)}  # ? and when it is closed",
            f"  width: {_number(width or 0.1)}{guess}",
            "  effort: 20  # ?",
        ]
    width = sum((joint.upper or 0.0) - (joint.lower or 0.0) for joint in hand.driven)
    # Some drivers do not publish a finger that mimics another; the command position is then that of one finger.
    follows = len(hand.driven) == 1 and len(hand.joints) > 1
    width *= 2 if follows else 1
    return [
        *lines,
        f"  joints: [{', '.join(_word(joint.name) for joint in hand.driven)}]",
        *(["  position: finger  # ? what its command counts: one finger, or width for the gap"] if follows else []),
        f"  width: {_number(width or 0.1)}  # ? the gap when it is open",
        "  effort: 20  # ?",
    ]


def _joint_text(joint: UrdfJoint) -> str:
    speed = joint.velocity or SPEED
    speeds = f"velocity: {_number(speed)}, acceleration: {_number(HALF_A_SECOND * speed)}"
    limits = "" if joint.lower is None else f"lower: {_number(joint.lower)}, upper: {_number(joint.upper or 0.0)}, "
    return f"{{name: {_word(joint.name)}, {limits}{speeds}}}{_doubt(joint.doubt)}"


def _link_text(link: Link) -> str:
    place = f"xyz: {_list(link.xyz)}, rpy: {_list(link.rpy)}"
    axis_text = "" if link.kind == "fixed" else f", axis: {_list(link.axis)}"
    if link.follows is not None:
        axis_text += f", follows: {_word(link.follows)}"
        axis_text += f", multiplier: {_number(link.multiplier)}, offset: {_number(link.offset)}"
    return f"{{joint: {_word(link.joint)}, kind: {link.kind}, {place}{axis_text}}}"


def _doubt(words: str) -> str:
    return f"  # ? {_comment(words)}" if words else ""


def _comment(text: str) -> str:
    """Make a text from a file safe behind a `#`: one printable line."""
    return " ".join(printable(text).split())


def _word(text: str) -> str:
    """Write a name as YAML, in quotes wherever it would not be read as this text without them."""
    if _PLAIN.fullmatch(text) and parse_yaml(text) == text:
        return text
    quoted: str = yaml.safe_dump(text, default_style='"', allow_unicode=True, width=10**6)
    return quoted.strip()


def _list(values: Sequence[float]) -> str:
    return f"[{', '.join(map(_number, values))}]"


def _number(value: float) -> str:
    """Write a number that YAML 1.1 reads as one: it takes 1e-05 for a text, but 1.0e-05 for a number."""
    text = f"{value:.9g}"
    if "e" not in text or "." in text.partition("e")[0]:
        return text
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}.0e{exponent}"
