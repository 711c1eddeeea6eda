"""Body descriptions narrowed to the limits of a profile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from homie.kernel import registry
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import Group, Joint, RobotSpec
from ros_bridge.profiles.model import Profile
from ros_bridge.profiles.parts import Joint as Limits


class Body(Protocol):
    """The object that a profile's `body` names; see `homie.envs.mujoco.robots.body.SimulatedBody`."""

    @property
    def spec(self) -> RobotSpec: ...
    @property
    def kinematics(self) -> Callable[[], Kinematics]: ...


def body_of(profile: Profile) -> Body:
    """Return the body that a profile names.

    Raises:
        BadInput: The profile names no body, or one that does not exist or whose file is invalid.
    """
    if profile.body is None:
        raise BadInput(
            f"The profile {profile.name} names no body, so that no skill knows its arm: add `body: fetch`, or `body: "
            "my_robot_body.yaml`, a file of amendments to an MJCF model of it (docs/robots.md)."
        )
    if profile.body_is_a_file:
        amended: Body = registry.load("body_files", "yaml")(Path(profile.body))
        return amended
    known: Body = registry.find("bodies", profile.body)[0]
    return known


def narrow_limits(spec: RobotSpec, profile: Profile) -> RobotSpec:
    """Narrow the limits of a body to those of a profile.

    Raises:
        BadInput: The profile lacks a group of the body.
    """
    return replace(spec, groups=tuple(_group(group, profile) for group in spec.groups))


def _group(group: Group, profile: Profile) -> Group:
    if group.kind == "base" and profile.base is not None:
        base, (linear, angular, *sideways) = profile.base, group.joints
        return Group.base(
            name=group.name,
            linear=min(linear.speed, base.linear),
            angular=min(angular.speed, base.angular),
            linear_acceleration=min(linear.acceleration, base.linear_acceleration),
            angular_acceleration=min(angular.acceleration, base.angular_acceleration),
            sideways=min(sideways[0].speed, base.sideways) if sideways and base.sideways is not None else None,
        )
    if group.kind == "gripper" and profile.gripper is not None:
        # Its controller limits the speed: here any opening may be commanded at once.
        return Group.gripper(name=group.name, opening=profile.gripper.width, speed=1e3)
    known = {joint.name: joint for part in profile.groups.values() for joint in part.joints}
    if group.kind in ("base", "gripper") or not set(group.names) <= set(known):
        raise BadInput(
            f"The profile {profile.name} lacks the {group.kind} that its body has: {', '.join(group.names)}."
        )
    return Group(group.name, group.kind, tuple(_joint(joint, known[joint.name]) for joint in group.joints))


def _joint(joint: Joint, limits: Limits) -> Joint:
    low, high = limits.limits
    speed = min(joint.speed, limits.velocity)
    return replace(joint, lower=max(joint.lower, low), upper=min(joint.upper, high), speed=speed)
