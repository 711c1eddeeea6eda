"""The hand in a URDF: the joints that open it, and the link that represents it.

A URDF does not mark them. Names and the shape of the tree do, as in public robot descriptions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from homie.kernel.errors import BadInput
from homie.kernel.types import Array
from ros_bridge.profiles.chain import effector
from ros_bridge.profiles.parts import Link
from ros_bridge.profiles.urdf import MOVING, Mimic, Urdf, UrdfJoint

WHEEL = re.compile("wheel|caster|castor|steer|rotor|propeller|bogie|rocker|suspension", re.IGNORECASE)
"""Joints that drive a base and do not belong to an arm."""
_NO_HAND = re.compile("eye|ear|head|camera|leg|foot|ankle|knee|hip", re.IGNORECASE)
"""Joints that move together and are not fingers."""
_FINGER = re.compile("finger|fngr|jaw|claw|knuckle|thumb|pincer", re.IGNORECASE)
LEAST_GAP = 0.002
"""Smallest opening of fingers, m."""
_GRIPPER = re.compile("gripper|grasp", re.IGNORECASE)
_WRIST = re.compile("roll|pitch|yaw|rot|wrist|flex|lift|tilt|pan(?!da)|axis|arm", re.IGNORECASE)
"""Names of joints that turn a whole gripper, such as gripper_roll_joint."""
_TCP = re.compile(
    r"(^|[_\W])tcp([_\W]|$)|tool_?cent(er|re)|grasp(ing)?_?(frame|link|cent(er|re)|point|target)|gripper_(frame|tool_frame)|ee_gripper",
    re.IGNORECASE,
)
"""Names of the point between the fingers."""
_TOOL = tuple(
    re.compile(rf"(^|[_\W]){words}([_\W]|$)", re.IGNORECASE)
    for words in ("tool0", "tool_?frame", "tool", "(ee|eef|end[-_]?effector)", "flange", "(hand|gripper|palm)")
)
"""Names of the link to which a tool is fixed, the most reliable first."""


@dataclass(frozen=True)
class Hand:
    """Joints on one link that open and close a hand.

    Attributes:
        joints: All joints, mimic joints included.
        driven: Joints moved by a controller.
    """

    link: str
    joints: tuple[UrdfJoint, ...]
    driven: tuple[UrdfJoint, ...]

    @property
    def grips(self) -> bool:
        """Whether it is a gripper, with one command for all fingers; otherwise its fingers move one by one."""
        return len({joint.kind == "prismatic" for joint in self.driven}) == 1 and len(self.driven) <= 2


def hands(robot: Urdf) -> list[Hand]:
    """Return the hands of a robot, in the order of its links."""
    joints = _mimics_on_two_sides(robot)
    for link in robot.links:
        joints |= _fingers_on(robot, link, joints)
    joints |= _single_jaws(robot, joints)
    by_body: dict[str, list[UrdfJoint]] = {}
    for joint in robot.joints:
        if joint.name in joints:
            by_body.setdefault(robot.rigid(_top(robot, joint, joints).parent)[0], []).append(joint)
    grippers = []
    for of_hand in by_body.values():
        driven = tuple(joint for joint in of_hand if joint.driven)
        ways = [robot.way(_top(robot, joint, joints).parent) for joint in of_hand]
        carriers = [[way_joint.name for way_joint in way] for way in ways]
        names = [names[0] for names in zip(*carriers, strict=False) if len(set(names)) == 1]
        link = ways[0][len(names) - 1].child if names else ways[0][0].parent if ways[0] else of_hand[0].parent
        if driven:
            grippers.append(Hand(link, tuple(of_hand), driven))
    return sorted(grippers, key=lambda hand: robot.links.index(hand.link))


def effector_link(robot: Urdf, last: str, hand: Hand | None) -> tuple[str, bool]:
    """Return the link that represents the hand, fixed while it opens, and whether its name or its fingers confirm it.

    Args:
        robot: The robot.
        last: The last moving link of the arm; of a robot with a hand the link that carries the fingers.
        hand: The hand there, if any.
    """
    body = robot.rigid(last)
    depths = {link: len(robot.way(link)) for link in body}

    def deepest(links: Iterable[str]) -> str | None:
        return max(links, key=lambda link: depths[link], default=None)

    if (tcp := deepest(link for link in body if _TCP.search(link) and not _camera(link))) is not None:
        return tcp, True
    if hand is not None:
        links_behind = {joint.child for joint in robot.subtree(hand.link)} & set(body)
        if (tool := deepest(link for link in body if _TOOL[1].search(link))) is not None:
            return tool, tool in links_behind
        if (
            tool := deepest(link for link in links_behind if any(pattern.search(link) for pattern in _TOOL[:4]))
        ) is not None:
            return tool, False
        return hand.link, len(hand.joints) > 1
    for pattern in _TOOL:
        if (tool := deepest(link for link in body if pattern.search(link) and not _camera(link))) is not None:
            return tool, pattern is _TOOL[0]
    # A series of single fixed links leads to the mounted tool; several side by side may be anything.
    link = last
    while len(fixed := [joint for joint in robot.below.get(link, ()) if joint.kind == "fixed"]) == 1:
        link = fixed[0].child
    return link, False


def turning(robot: Urdf, hand: Hand) -> tuple[float, float, float | None]:
    """For revolute fingers return the closed and the open angle of the driving joint, rad, and how far the finger tips
    move apart, m; None where the link frames do not show it."""
    drive = hand.driven[0]
    if drive.lower is None or drive.upper is None:
        return 0.0, 1.0, None
    low_values, high_values = (
        {joint.name: _limit(joint, largest) for joint in hand.driven} for largest in (False, True)
    )
    names = {joint.name for joint in hand.joints}
    tips = [
        joint.child
        for joint in hand.joints
        if not any(joint_below.name in names for joint_below in robot.subtree(joint.child))
    ]
    gaps = []
    for values in (low_values, high_values):
        places = np.array([_place(robot, hand.link, robot.rigid(tip)[-1], values) for tip in tips])
        gaps.append(float(np.max(np.linalg.norm(places[:, None] - places[None], axis=-1))))
    if abs(gaps[0] - gaps[1]) > LEAST_GAP:
        closed_values, open_values = (low_values, high_values) if gaps[0] < gaps[1] else (high_values, low_values)
        return closed_values[drive.name], open_values[drive.name], abs(gaps[0] - gaps[1])
    # Knuckles of two fingers are at 0 when open, as Robotiq's; a single jaw when closed, as that of the SO-101.
    closed_values, open_values = (high_values, low_values) if len(hand.joints) > 1 else (low_values, high_values)
    return closed_values[drive.name], open_values[drive.name], None


def _limit(joint: UrdfJoint, largest: bool) -> float:
    """Return the limit of the larger or the smaller magnitude; of equal ones the upper is the larger."""
    low, high = joint.lower or 0.0, joint.upper or 0.0
    return high if (abs(high) >= abs(low)) is largest else low


def chain_of(robot: Urdf, way: Sequence[UrdfJoint]) -> list[Link]:
    """Convert joints to the chain of a profile. Raises BadInput for a joint without a valid pose."""
    links = []
    for joint in way:
        moves = joint.moves
        driver = robot.driver(joint) if moves else Mimic(joint.name)
        links.append(
            Link(
                joint=joint.name,
                kind=MOVING[joint.kind] if moves else "fixed",
                xyz=joint.triple("xyz"),
                rpy=joint.triple("rpy"),
                axis=joint.triple("axis") if moves else (0.0, 0.0, 1.0),
                follows=None if driver.joint == joint.name else driver.joint,
                multiplier=driver.multiplier,
                offset=driver.offset,
            )
        )
    return links


def _place(robot: Urdf, base: str, link: str, values: Mapping[str, float]) -> Array:
    """Return the position of a link in the frame of another (3,)."""
    way = robot.way(link)[len(robot.way(base)) :]
    try:
        links = chain_of(robot, way)
        return np.asarray(effector(links, {**{link_joint.driver: 0.0 for link_joint in links}, **values})[:3, 3])
    except BadInput:  # only the width of the gripper, a guess, depends on it
        return np.zeros(3)


def _mimics_on_two_sides(robot: Urdf) -> set[str]:
    """Return joints that mimic one another on different branches of the tree; those of a parallelogram are on one."""
    sets: dict[str, list[UrdfJoint]] = {}
    for joint in robot.joints:
        if not joint.moves:
            continue
        try:
            sets.setdefault(robot.driver(joint).joint, []).append(joint)
        except BadInput:
            continue
    fingers: set[str] = set()
    for joints in sets.values():
        names = {joint.name for joint in joints}
        tops = [joint for joint in joints if not names & {joint_above.name for joint_above in robot.way(joint.parent)}]
        are_fingers = all(
            joint_below.name in names or not joint_below.driven
            for joint in joints
            for joint_below in robot.subtree(joint.child)
        )
        other = any(WHEEL.search(joint.name) or _NO_HAND.search(joint.name) for joint in joints)
        if len(tops) > 1 and are_fingers and (not other or any(_has_finger_name(joint) for joint in joints)):
            fingers |= names
    return fingers


def _fingers_on(robot: Urdf, link: str, finger_names: set[str]) -> set[str]:
    """Return fingers side by side on a link: sliding joints that carry no moving one, or joints with a finger's
    name."""
    if link in robot.above and robot.above[link].kind == "fixed":
        return set()  # counted at the root of the rigid body
    side_by_side = [
        joint
        for rigid_link in robot.rigid(link)
        for joint in robot.below.get(rigid_link, ())
        if joint.moves and not WHEEL.search(joint.name)
    ]
    sliding = [
        joint
        for joint in side_by_side
        if joint.kind == "prismatic" and not any(joint_below.moves for joint_below in robot.subtree(joint.child))
    ]
    named = [joint for joint in side_by_side if _has_finger_name(joint)]
    fingers = set()
    for group in (sliding, named):
        if len(group) > 1:
            fingers |= {joint.name for joint in group}
            fingers |= {
                joint_below.name for joint in group for joint_below in robot.subtree(joint.child) if joint_below.moves
            }
    return fingers - finger_names


def _single_jaws(robot: Urdf, finger_names: set[str]) -> set[str]:
    """Return joints at the end of a branch with the name of a jaw, where the link has no other finger."""
    carrying = {
        robot.rigid(_top(robot, joint, finger_names).parent)[0] for joint in robot.joints if joint.name in finger_names
    }
    jaws = set()
    for joint in robot.joints:
        last = joint.moves and not any(joint_below.moves for joint_below in robot.subtree(joint.child))
        if joint.name in finger_names or not last or robot.rigid(joint.parent)[0] in carrying:
            continue
        if _has_finger_name(joint) or (_GRIPPER.search(joint.name) and not _WRIST.search(joint.name)):
            jaws.add(joint.name)
    return jaws


def _has_finger_name(joint: UrdfJoint) -> bool:
    return bool(_FINGER.search(joint.name) or _FINGER.search(joint.child))


def _top(robot: Urdf, joint: UrdfJoint, fingers: set[str]) -> UrdfJoint:
    """Return the first finger on the path to a finger."""
    return next(candidate for candidate in robot.way(joint.child) if candidate.name in fingers)


def _camera(link: str) -> bool:
    return "camera" in link.lower() or "optical" in link.lower()
