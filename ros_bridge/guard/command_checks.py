"""Checks of commands before they go to a robot: each raises CommandRefused with a sentence that says what is wrong."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from homie.kernel.errors import CommandRefused, suggestion
from homie.kernel.support.text import format_count, join_words
from homie.kernel.types import Array
from ros_bridge.guard.messages import Aim, FromAgent, Grip, Navigate, Point, Reach, Trajectory, Velocity
from ros_bridge.profiles.chain import effector
from ros_bridge.profiles.model import Profile
from ros_bridge.profiles.parts import Group, Joint, Workspace

BASE = "/base"
"""Name of the base among the busy groups: no group of a profile has this name."""
OLDEST = 0.25
"""Largest age of a command on arrival, s, or `--silence` if that is longer: an older one was meant for another
moment."""
NEWEST = -0.05
LONGEST = 120.0
"""Longest duration of a trajectory, s."""
SHORTEST = 0.001
"""Shortest time between two points, s: controllers run at 1 kHz at most."""
SLACK = 1.02
"""Factor by which computed speeds and accelerations may exceed a limit: they come from rounded times."""
OVER = 1.2
"""Factor by which a measured speed may exceed its limit: odometry is noisy."""
AT_ONCE = 0.05
"""Largest offset (rad or m) of the first point of a trajectory from the measured joints that is not a motion."""
STEP = 0.1
"""Step (rad or m of the fastest joint) between two checks of the effector position."""


UNITS = ("m/s", "rad/s", "m/s")
"""Units of a velocity: forward, turning and to the left."""


def check_stamp(stamp: float, now: float, oldest: float = OLDEST) -> None:
    """Refuse a stamp more than `oldest` seconds old, in the future or not finite. `now` is monotonic, like the
    stamp."""
    if not math.isfinite(stamp):
        raise CommandRefused("Its stamp is not finite.")
    if now - stamp > oldest:
        raise CommandRefused(f"It is {now - stamp:.2f} s old, at most {oldest:g} s are allowed.")
    if now - stamp < NEWEST:
        raise CommandRefused(f"Its stamp is {stamp - now:.2f} s in the future: it must be time.monotonic().")


def parts_of(profile: Profile, command: FromAgent) -> tuple[str, ...]:
    """Return the groups that a command occupies, and `BASE`. Obstacles for the robot's own planner are given relative
    to the base, so that a planned motion occupies the base, too."""
    if isinstance(command, Trajectory):
        return (command.group,)
    if isinstance(command, Navigate):
        return (BASE,)
    if isinstance(command, Reach) and profile.reaching is not None:
        return (*profile.reaching.moves, BASE)
    return ()


def check_velocity(profile: Profile, command: Velocity) -> tuple[float, float, float]:
    """Return the speeds to drive at: forward, turning and to the left. Speeds over a limit are refused, not clamped,
    since the agent's own gate clamps already."""
    base = profile.base
    if base is None:
        raise CommandRefused(f"The robot {profile.name} has no base that drives.")
    if command.frame != profile.frames.base:
        raise CommandRefused(f"A velocity is in the frame '{profile.frames.base}', not '{command.frame}'.")
    velocity = (command.linear, command.angular, command.sideways)
    if not all(map(math.isfinite, velocity)):
        raise CommandRefused("The velocity is not finite.")
    if command.sideways and base.sideways is None:
        raise CommandRefused(
            f"The base of the robot {profile.name} does not drive to the side: its profile has no `sideways`."
        )
    limits = (base.linear, base.angular, base.sideways or 0.0)
    for name, unit, value, limit in zip(("linear", "angular", "sideways"), UNITS, velocity, limits, strict=True):
        if abs(value) > limit * SLACK:
            raise CommandRefused(f"The {name} velocity {value:.3g} is over the limit of {limit:g} {unit}.")
    return velocity


def check_navigate(profile: Profile, command: Navigate) -> None:
    """Refuse a goal for a robot without its own navigation, in another frame or not finite."""
    if profile.navigation is None:
        raise CommandRefused(f"The profile {profile.name} names no navigation of the robot's own (Nav2).")
    if command.frame != profile.frames.odometry:
        raise CommandRefused(f"A place is in the frame '{profile.frames.odometry}', not '{command.frame}'.")
    if not all(map(math.isfinite, (command.x, command.y, command.yaw))):
        raise CommandRefused("The place is not finite.")


def check_driven(profile: Profile, linear: float, angular: float) -> str:
    """Return why a base driven by the robot's own navigation must stop: it exceeds the profile's limits; "" if not."""
    base = profile.base
    if base is None:
        return ""
    if abs(linear) <= OVER * math.hypot(base.linear, base.sideways or 0.0) and abs(angular) <= OVER * base.angular:
        return ""
    return f"the robot's own navigation drives at {linear:.2f} m/s and {angular:.2f} rad/s, over the limits"


def check_reach(profile: Profile, command: Reach, measured: Mapping[str, float]) -> None:
    """Refuse a joint goal for a robot without its own planner, of other joints, in another frame, not finite, outside
    the limits, or with the effector outside its workspace. The planner's path there is monitored."""
    joints = profile.planned_joints
    if not joints:
        raise CommandRefused(f"The profile {profile.name} names no planner of the robot's own (MoveIt).")
    if command.frame != profile.frames.base:
        raise CommandRefused(f"Obstacles are in the frame '{profile.frames.base}', not '{command.frame}'.")
    expected = [joint.name for joint in joints]
    if list(command.joints) != expected or len(command.positions) != len(expected):
        raise CommandRefused(f"The goal must have the joints {', '.join(expected)}, in this order.")
    numbers = [number for box in command.boxes for number in (*box.center, *box.half, box.yaw)]
    if not np.isfinite([*command.positions, *numbers, *itertools.chain(*command.held)]).all():
        raise CommandRefused("The goal is not finite.")
    if any(size <= 0 for box in command.boxes for size in box.half) or any(ball[3] <= 0 for ball in command.held):
        raise CommandRefused("The size of an obstacle and of the held object must be above 0.")
    positions = np.array([command.positions])
    _check_positions(joints, positions)
    positions_after = {**measured, **dict(zip(command.joints, command.positions, strict=True))}
    place = outside(profile, positions_after)
    if place is not None:
        x, y, z = place
        raise CommandRefused(f"The effector would leave its workspace at {x:.2f} {y:.2f} {z:.2f}.")


def check_reached(profile: Profile, positions: Mapping[str, float], speeds: Mapping[str, float]) -> str:
    """Return why joints moved by the robot's own planner must stop: one is faster than the profile allows, or outside
    its limits; "" if not.

    Args:
        positions (rad, m), speeds (rad/s, m/s): As measured, by joint.
    """
    for joint in profile.planned_joints:
        speed, (low, high) = speeds.get(joint.name, 0.0), joint.limits
        if not low - AT_ONCE <= positions.get(joint.name, max(low, min(high, 0.0))) <= high + AT_ONCE:
            return f"the robot's own planner moves {joint.name} to {positions[joint.name]:.2f}, outside its limits"
        if abs(speed) > OVER * joint.velocity:
            return f"the robot's own planner moves {joint.name} at {speed:.2f}, its limit is {joint.velocity:g}"
    return ""


def check_grip(profile: Profile, command: Grip) -> None:
    """Refuse an opening or a force outside the range of the gripper."""
    gripper = profile.gripper
    if gripper is None:
        raise CommandRefused(f"The robot {profile.name} has no gripper.")
    if not (math.isfinite(command.width) and math.isfinite(command.effort)):
        raise CommandRefused("The grip is not finite.")
    if not -1e-6 <= command.width <= gripper.width * SLACK:
        raise CommandRefused(f"The gap {command.width:.3g} m is outside 0..{gripper.width:g}.")
    if not 0 < command.effort <= gripper.effort * SLACK:
        raise CommandRefused(f"The force {command.effort:.3g} N is outside 0..{gripper.effort:g}.")


def check_aim(profile: Profile, command: Aim, measured: Mapping[str, float]) -> None:
    """Refuse targets that are malformed, outside the limits of a joint, or would bring the effector out of its
    workspace. The guard limits the speed (`ros_bridge.guard.aiming`)."""
    group = _group(profile, command.group)
    if group.stream is None:
        raise CommandRefused(
            f"The profile {profile.name} names no `stream` for '{command.group}', the topic on which "
            "its controller takes single points."
        )
    if len(command.positions) != len(group.joints):
        raise CommandRefused(f"The aim takes {_expected_positions(group)}; got {len(command.positions)}.")
    positions = np.array([command.positions], dtype=float)
    if not np.isfinite(positions).all():
        raise CommandRefused("The aim is not finite.")
    _check_measured(profile, group, measured)
    _check_positions(group.joints, positions)
    if profile.workspace is not None:
        start = np.array([[measured[joint.name] for joint in group.joints]])
        _check_workspace(profile, profile.workspace, group, np.vstack([start, positions]), measured)


def check_trajectory(profile: Profile, command: Trajectory, measured: Mapping[str, float]) -> None:
    """Refuse a trajectory that is malformed, leaves the limits of a joint, is too fast, or leaves the workspace.

    Speeds are computed between neighbouring points, from the current joint positions on; accelerations are the changes
    of these speeds, with rest before and after: a controller that interpolates smoothly stays near them.
    """
    group = _group(profile, command.group)
    if group.action is None:
        raise CommandRefused(
            f"The profile {profile.name} names no `action` for '{command.group}', with which its controller follows "
            "trajectories: aim at single points."
        )
    order = _order(group, command.joints)
    if not command.points:
        raise CommandRefused("The trajectory has no points.")
    positions = _positions(command.points, group)[:, order]
    times = np.array([point.time for point in command.points])
    if not (np.isfinite(positions).all() and np.isfinite(times).all()):
        raise CommandRefused("The trajectory is not finite.")
    first = times[0] == 0 or times[0] >= SHORTEST
    if not first or np.any(np.diff(times) < SHORTEST) or times[-1] > LONGEST:
        raise CommandRefused(
            f"The times of a trajectory must rise, by {SHORTEST:g} s or more, to at most {LONGEST:g} s."
        )
    _check_measured(profile, group, measured)
    start = np.array([measured[joint.name] for joint in group.joints])
    _check_positions(group.joints, positions)
    _check_speeds(group, start, positions, times)
    if profile.workspace is not None:
        _check_workspace(profile, profile.workspace, group, np.vstack([start, positions]), measured)


def outside(profile: Profile, measured: Mapping[str, float]) -> Array | None:
    """Return the effector position in the base frame (3,) if it is outside the workspace; None if inside.

    A robot without a workspace, or with unmeasured joints, counts as inside.
    """
    is_measured = all(link.kind == "fixed" or link.driver in measured for link in profile.chain)
    if profile.workspace is None or not is_measured:
        return None
    place = effector(profile.chain, measured)[:3, 3]
    return None if bool(_is_inside(profile.workspace, place)) else np.asarray(place)


def _is_inside(workspace: Workspace, places: Array) -> Array:
    """Return whether positions (..., 3) are in the box."""
    return np.asarray(np.all((places >= workspace.lower) & (places <= workspace.upper), axis=-1))


def _group(profile: Profile, name: str) -> Group:
    group = profile.groups.get(name)
    if group is None:
        hint = suggestion(name, profile.groups, f"it has {', '.join(profile.groups) or 'none'}.")
        raise CommandRefused(f"The robot has no group '{name}': {hint}")
    return group


def _check_measured(profile: Profile, group: Group, measured: Mapping[str, float]) -> None:
    """Refuse a command whose joints have not all been measured."""
    joint_names = [joint.name for joint in group.joints]
    joint_names += [link.driver for link in profile.chain if link.kind != "fixed" and profile.workspace is not None]
    missing = [name for name in joint_names if name not in measured]
    if missing:
        raise CommandRefused(f"The position of the joint '{missing[0]}' has not been measured.")


def _order(group: Group, names: Sequence[str]) -> list[int]:
    """Return the trajectory column of each joint of the group."""
    expected = [joint.name for joint in group.joints]
    if sorted(names) != sorted(expected):
        raise CommandRefused(f"The trajectory must name the joints {', '.join(expected)}, each once.")
    return [list(names).index(name) for name in expected]


def _positions(points: Sequence[Point], group: Group) -> Array:
    wrong_length = next((len(point.positions) for point in points if len(point.positions) != len(group.joints)), None)
    if wrong_length is not None:
        raise CommandRefused(f"A point takes {_expected_positions(group)}; got {wrong_length}.")
    return np.array([point.positions for point in points], dtype=float)


def _expected_positions(group: Group) -> str:
    """Describe the expected positions of a group: `2 positions, of shoulder and elbow`."""
    return f"{format_count(len(group.joints), 'position')}, of {join_words([joint.name for joint in group.joints])}"


def _check_positions(joints: Sequence[Joint], positions: Array) -> None:
    for joint, values in zip(joints, positions.T, strict=True):
        low, high = joint.limits
        if np.any(values < low - 1e-6) or np.any(values > high + 1e-6):
            worst = values[np.argmax(np.maximum(low - values, values - high))]
            raise CommandRefused(f"{joint.name} at {worst:.4g} is outside {low:g}..{high:g}.")


def _check_speeds(group: Group, start: Array, positions: Array, times: Array) -> None:
    if times[0] == 0:
        if np.max(np.abs(positions[0] - start)) > AT_ONCE:
            raise CommandRefused("The trajectory begins elsewhere than the joints are.")
        start, positions, times = positions[0], positions[1:], times[1:]
        if not len(times):
            return
    lengths = np.diff(times, prepend=0.0)
    speeds = np.diff(np.vstack([start, positions]), axis=0) / lengths[:, None]
    padded_speeds = np.vstack([np.zeros(len(start)), speeds, np.zeros(len(start))])
    halves = np.concatenate([[lengths[0] / 2], (lengths[1:] + lengths[:-1]) / 2, [lengths[-1] / 2]])
    accelerations = np.diff(padded_speeds, axis=0) / halves[:, None]
    for index, joint in enumerate(group.joints):
        for quantity, values, limit in (
            ("speed", speeds[:, index], joint.velocity),
            ("acceleration", accelerations[:, index], joint.acceleration),
        ):
            worst = float(np.max(np.abs(values)))
            if not worst <= limit * SLACK:  # NaN counts as too fast
                raise CommandRefused(f"The {quantity} of {joint.name} would be {worst:.3g}, its limit is {limit:g}.")


def _check_workspace(
    profile: Profile, workspace: Workspace, group: Group, positions: Array, measured: Mapping[str, float]
) -> None:
    """Refuse a path that leaves the workspace. One that begins outside, where the robot was switched on, may come
    in."""
    names = [joint.name for joint in group.joints]
    if not any(link.driver in names for link in profile.chain):
        return
    ways = [positions[:1]]
    for previous, following in itertools.pairwise(positions):
        steps = max(1, math.ceil(float(np.max(np.abs(following - previous))) / STEP))
        ways.append(previous + np.linspace(1 / steps, 1.0, steps)[:, None] * (following - previous))
    at = np.vstack(ways)
    joints: dict[str, float | Array] = {**measured, **dict(zip(names, at.T, strict=True))}
    places = effector(profile.chain, joints)[:, :3, 3]
    inside = _is_inside(workspace, places)
    leaving = np.flatnonzero(np.logical_and(inside[:-1], np.logical_not(inside[1:])))
    if leaving.size:
        x, y, z = places[leaving[0] + 1]
        raise CommandRefused(f"The effector would leave its workspace at {x:.2f} {y:.2f} {z:.2f}.")
    if not inside[-1]:
        raise CommandRefused("The effector is outside its workspace, and this trajectory does not bring it back.")
