"""Contents of `recording.mcap`: topics and schemas, named as by Foxglove and LeRobot's Foxglove view.

    /observation/state           lerobot.Scalars            joints, grippers, base: measurements
    /observation/hand            lerobot.Scalars            the hand: pose in the base frame, opening, whether it holds
    /observation/images/<cam>    foxglove.CompressedImage   JPEG
    /observation/depth/<cam>     homie.DepthImage           PNG, 16 bits, mm (0: no return), and intrinsics
    /action/requested            lerobot.Scalars            command requested by the person or the skill
    /action/state                lerobot.Scalars            command sent by the safety gate
    /events                      foxglove.Event             subtasks, decisions, changes of the driver

The log time of a message is the wall clock, its publish time is robot time, both in ns. Labels are `<joint>.pos` (rad,
m; of a gripper: opening), `base.x`, `base.y`, `base.yaw` and `base.linear.vel`, `base.angular.vel` (m/s, rad/s). A pose
is 12 numbers `effector.<n>`: position (3,) in m, then rotation (9,) row by row. The hand also has `opening` and the
last `commanded` one, 0 (closed) to 1, and `holding`, 0 or 1.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from homie.kernel.robot.body import Group, RobotSpec
from homie.kernel.support.documents import parse_json
from homie.kernel.types import Command, Intrinsics, Pose, Proprioception

STATE, REQUESTED, SENT, EVENTS = "/observation/state", "/action/requested", "/action/state", "/events"
HAND = "/observation/hand"
IMAGES, DEPTHS = "/observation/images/", "/observation/depth/"
NANO = 1_000_000_000

_TIME = {"type": "object", "properties": {"sec": {"type": "integer"}, "nsec": {"type": "integer"}}}
_PAIR = {"type": "object", "properties": {"key": {"type": "string"}, "value": {"type": "string"}}}
_SCALAR = {"type": "object", "properties": {"label": {"type": "string"}, "value": {"type": "number"}}}
SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    "lerobot.Scalars": {"scalars": {"type": "array", "items": _SCALAR}},
    "foxglove.CompressedImage": {
        "timestamp": _TIME,
        "frame_id": {"type": "string"},
        "data": {"type": "string", "contentEncoding": "base64"},
        "format": {"type": "string"},
    },
    "homie.DepthImage": {
        "timestamp": _TIME,
        "frame_id": {"type": "string"},
        "data": {"type": "string", "contentEncoding": "base64"},
        "format": {"type": "string"},
        "lens": {"type": "array", "items": {"type": "number"}},
    },
    "foxglove.Event": {"start_time": _TIME, "end_time": _TIME, "metadata": {"type": "array", "items": _PAIR}},
}
"""Message properties by schema title."""


def schema_of(topic: str) -> str:
    """Return the title of a topic's schema."""
    if topic.startswith(IMAGES):
        return "foxglove.CompressedImage"
    if topic.startswith(DEPTHS):
        return "homie.DepthImage"
    return "foxglove.Event" if topic == EVENTS else "lerobot.Scalars"


def schema_text(title: str) -> bytes:
    """Return the JSON schema with a title."""
    return json.dumps({"title": title, "type": "object", "properties": SCHEMAS[title]}).encode()


def image_topic(camera: str) -> str:
    """Return the topic of a camera; a dot in its name becomes `_`, as in LeRobot."""
    return IMAGES + camera.replace(".", "_")


def depth_topic(camera: str) -> str:
    """Return the topic of a camera's depth pictures."""
    return DEPTHS + camera.replace(".", "_")


def measured(body: Proprioception) -> dict[str, float]:
    """Return the measured state by label."""
    base = {"base.x": body.base.x, "base.y": body.base.y, "base.yaw": body.base.yaw}
    names = ("base.linear.vel", "base.angular.vel", "base.sideways.vel")
    speeds = dict(zip(names, body.base_velocity, strict=False))
    joints = {f"{name}.pos": position for name, position in body.joints.items()}
    grippers = {f"{name}.pos": gripper.opening for name, gripper in body.grippers.items()}
    return {**joints, **grippers, **base, **speeds}


def pose_values(pose: Pose) -> dict[str, float]:
    """Return a pose by label, `effector.<n>`."""
    numbers = [*pose.position.tolist(), *pose.rotation.reshape(-1).tolist()]
    return {f"effector.{n}": float(number) for n, number in enumerate(numbers)}


def command_targets(command: Command, spec: RobotSpec) -> dict[str, float]:
    """Return the targets of a command by label; an end effector pose as `effector.<n>`."""
    return dict(_labelled_values(command, spec))


def command_labels(spec: RobotSpec) -> dict[str, tuple[str, ...]]:
    """Return the labels of the targets of each group, in the order of a command."""
    return {group.name: _labels(group) for group in spec.groups}


def command_of(values: Mapping[str, float], spec: RobotSpec) -> Command:
    """Return the command for which `command_targets` gives these values; a group without values is left out.

    Raises ValueError for an unknown label, and for a group of which only some values are given.
    """
    labels = command_labels(spec)
    if unknown := sorted(set(values) - {label for names in labels.values() for label in names}):
        raise ValueError(f"the robot {spec.name} has no {', '.join(unknown)}")
    targets: dict[str, tuple[float, ...]] = {}
    for group, names in labels.items():
        present = [name for name in names if name in values]
        if present and len(present) < len(names):
            raise ValueError(f"no target for {', '.join(sorted(set(names) - set(present)))} of the group {group}")
        if present:
            targets[group] = tuple(float(values[name]) for name in names)
    return Command(targets)


def _labels(group: Group) -> tuple[str, ...]:
    if group.kind == "base":
        return tuple(f"{group.name}.{joint.name}.vel" for joint in group.joints)
    return (f"{group.name}.pos",) if group.kind == "gripper" else tuple(f"{name}.pos" for name in group.names)


def _labelled_values(command: Command, spec: RobotSpec) -> Iterator[tuple[str, float]]:
    for group in spec.groups:
        values = command.get(group.name)
        if values is not None:
            yield from zip(_labels(group), map(float, values), strict=True)
    if command.effector is not None:
        yield from pose_values(command.effector).items()


def scalars(values: Mapping[str, float]) -> bytes:
    """Encode a `lerobot.Scalars` message. Non-finite values are left out: they were not measured, and JSON has none."""
    finite = {name: value for name, value in values.items() if math.isfinite(value)}
    return json.dumps({"scalars": [{"label": name, "value": value} for name, value in finite.items()]}).encode()


def read_scalars(data: bytes) -> dict[str, float]:
    """Return the values of a `lerobot.Scalars` message by label, including NaN from earlier versions of Homie.

    Raises ValueError, KeyError for another message.
    """
    return {scalar["label"]: float(scalar["value"]) for scalar in parse_json(data, lax=True)["scalars"]}


def image(camera: str, stamp: float, jpeg: bytes) -> bytes:
    """Encode a `foxglove.CompressedImage` message.

    Args:
        stamp: Robot time, s.
    """
    data = base64.b64encode(jpeg).decode()
    return json.dumps({"timestamp": _time(stamp), "frame_id": camera, "data": data, "format": "jpeg"}).encode()


def read_image(data: bytes) -> bytes:
    """Return the JPEG of a `foxglove.CompressedImage` message. Raises ValueError, KeyError for another message."""
    return base64.b64decode(parse_json(data)["data"])


def depth_image(camera: str, stamp: float, png: bytes, lens: Intrinsics) -> bytes:
    """Encode a `homie.DepthImage` message.

    Args:
        stamp: Robot time, s.
        lens: Intrinsics; fx, fy, cx, cy in pixels are stored.
    """
    data = base64.b64encode(png).decode()
    header = {"timestamp": _time(stamp), "frame_id": camera, "data": data, "format": "png"}
    return json.dumps({**header, "lens": [lens.fx, lens.fy, lens.cx, lens.cy]}).encode()


def read_depth_image(data: bytes) -> tuple[bytes, tuple[float, float, float, float]]:
    """Return the PNG of a `homie.DepthImage` message, and fx, fy, cx, cy. Raises ValueError, KeyError for another
    message."""
    content = parse_json(data)
    fx, fy, cx, cy = map(float, content["lens"])
    return base64.b64decode(content["data"]), (fx, fy, cx, cy)


def numbers_text(numbers: Iterable[float]) -> str:
    """Return numbers as a text for an event."""
    return json.dumps([float(number) for number in numbers])


def read_numbers(text: str, count: int) -> tuple[float, ...]:
    """Return the numbers in a text of an event. Raises ValueError for anything but `count` finite numbers."""
    values = parse_json(text)
    numbers = tuple(map(float, values)) if isinstance(values, list) else ()
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise ValueError(f"{count} finite numbers are needed (got {text})")
    return numbers


def event(kind: str, began: float, ended: float, about: Mapping[str, str]) -> bytes:
    """Encode a `foxglove.Event` message.

    Args:
        began, ended: Robot time, s.
    """
    metadata = [{"key": name, "value": value} for name, value in {"kind": kind, **about}.items()]
    return json.dumps({"start_time": _time(began), "end_time": _time(ended), "metadata": metadata}).encode()


def read_event(data: bytes) -> tuple[float, float, dict[str, str]]:
    """Return begin, end (robot time, s) and metadata of an event. Raises ValueError, KeyError for another message."""
    content = parse_json(data)
    began, ended = (stamp["sec"] + stamp["nsec"] / NANO for stamp in (content["start_time"], content["end_time"]))
    return began, ended, {pair["key"]: pair["value"] for pair in content["metadata"]}


def _time(stamp: float) -> dict[str, int]:
    whole = round(stamp * NANO)
    return {"sec": whole // NANO, "nsec": whole % NANO}
