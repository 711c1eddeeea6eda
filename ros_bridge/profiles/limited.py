"""What Homie knows of a body, with the limits of a profile."""

from __future__ import annotations

from dataclasses import replace

from homie.kernel.errors import BadInput
from homie.kernel.robot.body import Group, Joint, RobotSpec
from ros_bridge.profiles.model import Joint as Limits
from ros_bridge.profiles.model import Profile


def narrowed(spec: RobotSpec, profile: Profile) -> RobotSpec:
    """A body with the limits of a profile, where these are narrower.

    Raises:
        BadInput: The profile lacks a group of the body.
    """
    return replace(spec, groups=tuple(_group(group, profile) for group in spec.groups))


def _group(group: Group, profile: Profile) -> Group:
    if group.kind == "base" and profile.base is not None:
        base, (linear, angular) = profile.base, group.joints
        return Group.base(
            name=group.name,
            linear=min(linear.speed, base.linear),
            angular=min(angular.speed, base.angular),
            linear_acceleration=min(linear.acceleration, base.linear_acceleration),
            angular_acceleration=min(angular.acceleration, base.angular_acceleration),
        )
    if group.kind == "gripper" and profile.gripper is not None:
        # Its own controller sees to its speed: here every width may be asked for at once.
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
