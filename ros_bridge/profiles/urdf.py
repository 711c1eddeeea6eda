"""A first profile from a URDF: joints with their limits, the chain to the hand, names of topics to be looked at."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

from homie.kernel.errors import BadInput
from homie.kernel.support.files import reading
from ros_bridge.profiles.model import LARGEST, parse_profile

MOVING = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic"}
WHEEL = re.compile("wheel|caster", re.IGNORECASE)
LARGEST_URDF = 20 * LARGEST
HALF_A_SECOND = 2.0
"""A URDF has no accelerations: with twice the speed a joint is at full speed in half a second."""


@dataclass(frozen=True, slots=True)
class UrdfJoint:
    """A joint as a URDF describes it. limits: lower, upper, velocity; None for what is not given."""

    name: str
    kind: str
    parent: str
    child: str
    xyz: tuple[float, ...]
    rpy: tuple[float, ...]
    axis: tuple[float, ...]
    limits: tuple[float | None, float | None, float | None]
    mimics: bool

    @property
    def moves(self) -> bool:
        """Whether a controller moves it by itself."""
        return self.kind in MOVING and not self.mimics


def profile_from_urdf(path: Path) -> str:
    """The text of a profile for the robot in a URDF, with comments that say what to look at.

    The arm is the way with the most moving joints from the root; where it ends in fingers (two or more prismatic joints
    on one link, or one that another mimics), these are the gripper. The other moving joints become groups of those on
    one way, but for wheels.

    Raises:
        BadInput: The file is no URDF, or nothing in it moves.
    """
    name, joints = read_urdf(path)
    children = {joint.child: joint for joint in joints}
    fingers = _fingers(joints)
    ways = [
        way
        for link in sorted(children)
        if (way := [joint for joint in _way(link, children) if joint not in fingers]) and way[-1].child == link
    ]
    if not any(joint.moves for joint in joints):
        raise BadInput(f"Nothing in {path} moves: it has no joint that is revolute, continuous or prismatic.")
    arm = max(ways, key=lambda way: (sum(joint.moves for joint in way), -len(way)), default=[])
    # The base is driven by velocities, not by its wheels.
    taken = {joint.name for joint in arm} | {joint.name for joint in joints if WHEEL.search(joint.name)}
    groups = {"arm": [joint for joint in arm if joint.moves]}
    for way in sorted(ways, key=len, reverse=True):
        rest = [joint for joint in way if joint.moves and joint.name not in taken]
        if rest:
            taken |= {joint.name for joint in rest}
            groups[rest[0].name.removesuffix("_joint")] = rest
    text = _text(path, name, {key: group for key, group in groups.items() if group}, arm, fingers)
    parse_profile(text, f"The profile made from {path}")
    return text


def read_urdf(path: Path) -> tuple[str, list[UrdfJoint]]:
    """Name and joints of the robot in a URDF. Raises BadInput where it is none."""
    with reading(path, "the URDF"):
        data = path.read_bytes()
    if len(data) > LARGEST_URDF or b"<!ENTITY" in data:
        raise BadInput(f"{path} is no URDF: it is too large, or defines entities.")
    if b"<xacro:" in data:
        raise BadInput(f"{path} is a xacro file: make a URDF of it first, with `xacro {path.name} > robot.urdf`.")
    try:
        root = ET.fromstring(data)
        if root.tag != "robot":
            raise BadInput(f"{path} is no URDF: its outermost element is <{root.tag}>, not <robot>.")
        return root.get("name") or path.stem, [_joint(element) for element in root.findall("joint")]
    except ET.ParseError as error:
        raise BadInput(f"{path} is no URDF: {error}.") from error
    except (KeyError, ValueError) as error:
        raise BadInput(f"A joint in {path} is not complete: {error}.") from error


def _joint(element: ET.Element) -> UrdfJoint:
    parent, child = element.find("parent"), element.find("child")
    name = element.attrib["name"]
    if parent is None or child is None:
        raise ValueError(f"'{name}' has no parent or no child")
    origin, axis, limit = element.find("origin"), element.find("axis"), element.find("limit")
    numbers = {} if limit is None else {key: float(value) for key, value in limit.attrib.items()}
    turns = element.get("type") == "continuous"
    return UrdfJoint(
        name,
        element.attrib["type"],
        parent.attrib["link"],
        child.attrib["link"],
        _triple(origin, "xyz", "0 0 0"),
        _triple(origin, "rpy", "0 0 0"),
        _triple(axis, "xyz", "1 0 0"),
        (None if turns else numbers.get("lower"), None if turns else numbers.get("upper"), numbers.get("velocity")),
        element.find("mimic") is not None,
    )


def _triple(element: ET.Element | None, key: str, default: str) -> tuple[float, ...]:
    values = tuple(float(word) for word in (default if element is None else element.get(key, default)).split())
    if len(values) != 3 or not all(math.isfinite(value) for value in values):
        raise ValueError(f"{key} must be three numbers")
    return values


def _way(link: str, children: dict[str, UrdfJoint]) -> list[UrdfJoint]:
    """The joints from the root to a link. Raises BadInput for a loop."""
    way: list[UrdfJoint] = []
    while link in children:
        if len(way) > len(children):
            raise BadInput(f"The links of this URDF go round in a circle at '{link}'.")
        way.append(children[link])
        link = children[link].parent
    return way[::-1]


def _fingers(joints: list[UrdfJoint]) -> list[UrdfJoint]:
    """The joints that open and close a hand: two on one link that slide, or one and others that follow it."""
    parents = {joint.parent for joint in joints}
    tips = [joint for joint in joints if joint.kind in MOVING and joint.child not in parents]
    by_link: dict[str, list[UrdfJoint]] = {}
    for joint in tips:
        by_link.setdefault(joint.parent, []).append(joint)
    for group in by_link.values():
        if len(group) > 1 and (any(joint.mimics for joint in group) or all(j.kind == "prismatic" for j in group)):
            return group
    return []


def _text(
    path: Path, name: str, groups: dict[str, list[UrdfJoint]], arm: list[UrdfJoint], fingers: list[UrdfJoint]
) -> str:
    root = arm[0].parent if arm else "base_link"
    lines = [
        f"# Made from {path.name} by `homie robot profile`. A URDF has no topics, actions and accelerations:",
        "# compare every line that ends in '# ?' with your robot (`ros2 topic list`, `ros2 action list`), then run",
        "# `homie robot check`.",
        f"name: {name}",
        f"frames: {{odometry: odom, base: {root}, effector: {arm[-1].child if arm else root}}}",
        "joint_states: /joint_states  # ?",
        "# base: {command: /cmd_vel, odometry: /odom, linear: 0.3, angular: 0.6, linear_acceleration: 0.5,",
        "#        angular_acceleration: 1.0}  # ? take the signs away if it drives",
        "groups:",
    ]
    for group, joints in groups.items():
        lines += [f"  {group}:", f"    action: /{group}_controller/follow_joint_trajectory  # ?"]
        lines += [f"    stream: /{group}_controller/joint_trajectory  # ?", "    joints:"]
        lines += [f"      - {_joint_text(joint)}" for joint in joints]
    if fingers:
        width = sum((joint.limits[1] or 0.0) - (joint.limits[0] or 0.0) for joint in fingers if not joint.mimics) or 0.1
        width *= 2 if any(joint.mimics for joint in fingers) else 1
        names = ", ".join(joint.name for joint in fingers)
        lines += [
            "gripper:",
            "  action: /gripper_controller/gripper_action  # ?",
            f"  joints: [{names}]",
            f"  width: {width:g}  # ? the gap when it is open",
            "  effort: 20  # ?",
        ]
    lines += ["chain:"] if arm else []
    for joint in arm:
        kind = MOVING.get(joint.kind, "fixed")
        place = f"xyz: {_list(joint.xyz)}, rpy: {_list(joint.rpy)}"
        lines.append(f"  - {{joint: {joint.name}, kind: {kind}, {place}, axis: {_list(joint.axis)}}}")
    lines.append(
        "# workspace: {lower: [-0.3, -0.8, 0.05], upper: [0.9, 0.8, 1.5]}  # ? where the hand may be, in the base frame"
    )
    return "\n".join(lines) + "\n"


def _joint_text(joint: UrdfJoint) -> str:
    lower, upper, velocity = joint.limits
    speed, mark = (velocity, "") if velocity else (0.5, "  # ? the URDF has no velocity")
    limits = "" if lower is None or upper is None or lower >= upper else f"lower: {lower:g}, upper: {upper:g}, "
    return f"{{name: {joint.name}, {limits}velocity: {speed:g}, acceleration: {HALF_A_SECOND * speed:g}}}{mark}"


def _list(values: tuple[float, ...]) -> str:
    return f"[{', '.join(f'{value:.9g}' for value in values)}]"
