"""Links of a served robot: frames on /tf and /tf_static, and its URDF, as `robot_state_publisher` publishes them."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass

from ros_bridge.profiles.model import Profile
from ros_bridge.profiles.parts import Joint, Link

DESCRIPTION = "/robot_description"


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame of the chain.

    Attributes:
        parent, name: Names of the parent frame and of this one.
        link: Its pose in the parent.
    """

    parent: str
    name: str
    link: Link


def frames_of(profile: Profile) -> tuple[Frame, ...]:
    """Return the frames of the chain of a profile, from the base to the effector; none without a chain.

    A profile does not name links: each is named after its joint, with `link` for `joint`; the last is the effector.

    Example:
        >>> from ros_bridge.profiles.model import read_profile
        >>> [frame.name for frame in frames_of(read_profile("fetch"))][-2:]
        ['wrist_roll_link', 'gripper_link']
    """
    frames: list[Frame] = []
    used_names = {profile.frames.base, profile.frames.odometry, profile.frames.effector}
    parent = profile.frames.base
    for number, link in enumerate(profile.chain, start=1):
        name = link.joint.replace("joint", "link") if "joint" in link.joint else f"{link.joint}_link"
        name = f"{link.joint}_link" if name in used_names else name
        name = profile.frames.effector if number == len(profile.chain) else name
        used_names.add(name)
        frames.append(Frame(parent, name, link))
        parent = name
    return tuple(frames)


def describe(profile: Profile) -> str:
    """Return a URDF of the robot in a profile: the chain to its effector, without shapes and masses."""
    robot = ElementTree.Element("robot", name=profile.name)
    joints = {joint.name: joint for group in profile.groups.values() for joint in group.joints}
    ElementTree.SubElement(robot, "link", name=profile.frames.base)
    for frame in frames_of(profile):
        ElementTree.SubElement(robot, "link", name=frame.name)
        robot.append(_joint(frame, joints.get(frame.link.joint)))
    ElementTree.indent(robot)
    return ElementTree.tostring(robot, encoding="unicode")


def _joint(frame: Frame, group_joint: Joint | None) -> ElementTree.Element:
    link = frame.link
    bounded = group_joint is not None and group_joint.lower is not None and group_joint.upper is not None
    kind = "continuous" if link.kind == "revolute" and not bounded else link.kind
    joint = ElementTree.Element("joint", name=link.joint, type=kind)
    ElementTree.SubElement(joint, "parent", link=frame.parent)
    ElementTree.SubElement(joint, "child", link=frame.name)
    ElementTree.SubElement(joint, "origin", xyz=_numbers(link.xyz), rpy=_numbers(link.rpy))
    if link.kind == "fixed":
        return joint
    ElementTree.SubElement(joint, "axis", xyz=_numbers(link.axis))
    if group_joint is not None:
        ElementTree.SubElement(joint, "limit", dict(_limit(group_joint)))
    if link.follows is not None:
        ElementTree.SubElement(
            joint, "mimic", joint=link.follows, multiplier=f"{link.multiplier}", offset=f"{link.offset}"
        )
    return joint


def _limit(joint: Joint) -> Iterator[tuple[str, str]]:
    """Yield the limits of a joint in a URDF. A profile has no effort: 0, which stands for unknown."""
    if joint.lower is not None and joint.upper is not None:
        yield "lower", f"{joint.lower}"
        yield "upper", f"{joint.upper}"
    yield "effort", "0"
    yield "velocity", f"{joint.velocity}"


def _numbers(values: tuple[float, ...]) -> str:
    return " ".join(map(str, values))
