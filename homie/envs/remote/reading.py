"""Parse values of the robot protocol into Homie's types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from homie.envs.snapshot_robot import Shape
from homie.kernel.errors import InfrastructureError
from homie.kernel.types import (
    Array,
    Articulation,
    Box,
    CameraFrame,
    GripperState,
    Image,
    Intrinsics,
    Pose,
    Pose2,
    Proprioception,
    Solid,
    Surface,
)


@dataclass(frozen=True, slots=True)
class TimedProprioception:
    """Proprioception with its time stamp, s."""

    stamp: float
    body: Proprioception


def parse_measurement(content: Any) -> TimedProprioception:
    """Parse the result of a served robot's `measured`. Raises InfrastructureError."""
    try:
        x, y, yaw = content.get("base", (0.0, 0.0, 0.0))
        forward, turning, *sideways = content.get("base_velocity", (0.0, 0.0))
        grippers = {name: _gripper(state) for name, state in content.get("grippers", {}).items()}
        body = Proprioception(
            Pose2(x, y, yaw),
            (forward, turning, *sideways),
            content.get("joints", {}),
            grippers,
            content.get("velocities", {}),
        )
        return TimedProprioception(float(content["stamp"]), body)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _invalid_field("measured", error) from error


def _gripper(state: Mapping[str, Any]) -> GripperState:
    right, left = state.get("contact", (False, False))
    return GripperState(
        float(state["opening"]), (bool(right), bool(left)), bool(state.get("holding", False)), state.get("speed", 0.0)
    )


def frame(name: str, picture: Mapping[str, Any]) -> CameraFrame:
    """Parse the result of a served robot's `picture`. Raises InfrastructureError."""
    try:
        rgb = image(picture["rgb"])
        height, width = rgb.shape[:2]
        fx, fy, cx, cy = picture["intrinsics"]
        return CameraFrame(
            name=name,
            rgb=rgb,
            depth=picture.get("depth"),
            intrinsics=Intrinsics(fx, fy, cx, cy, width, height),
            pose=Pose(_array(picture["position"], 3), _array(picture["rotation"], 3, 3)),
            instances=None if picture.get("instances") is None else np.asarray(picture["instances"], np.int32),
            instance_names=tuple(picture.get("instance_names", ())),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _invalid_field(f"picture('{name}')", error) from error


def image(content: Any) -> Image:
    """Validate an image (H, W, 3) uint8. Raises InfrastructureError."""
    if not (isinstance(content, np.ndarray) and content.dtype == np.uint8 and content.ndim == 3):
        raise InfrastructureError("The robot server sends something as a picture that is not (H, W, 3) uint8.")
    return content


def shape(content: Any, receives: str | None) -> Shape:
    """Parse one entry of the result of a served robot's `shapes`. Bounding box, solids and top surface are derived from
    the parts if the server omits them.

    Args:
        content: The entry.
        receives: Relation of objects put there, from the snapshot.

    Raises:
        InfrastructureError: It is not a shape.
    """
    try:
        parts = tuple(_solid(part) for part in content.get("parts", ()))
        box_content = content.get("box")
        box = _box(box_content) if box_content is not None else Box.around(parts, _heading(parts[0])) if parts else None
        solids = content.get("solids")
        surfaces = content.get("surfaces")
        top = (_top(box),) if box is not None and receives == "on" else ()
        return Shape(
            box=box,
            parts=parts,
            solids=tuple(Box.around([part], _heading(part)) for part in parts)
            if solids is None
            else tuple(_box(item) for item in solids),
            surfaces=top if surfaces is None else tuple(_surface(item) for item in surfaces),
            articulations=tuple(_articulation(item) for item in content.get("articulations", ())),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _invalid_field("shapes", error) from error


def _heading(part: Solid) -> float:
    """Return the yaw of a solid's most level axis, rad."""
    turn = part.pose.rotation
    level = turn[:, int(np.argmin(np.abs(turn[2])))]
    return float(np.arctan2(level[1], level[0]))


def _top(box: Box) -> Surface:
    return Surface(box.center + np.array([0.0, 0.0, box.half[2]]), float(box.half[0]), float(box.half[1]), box.yaw)


def _box(content: Mapping[str, Any]) -> Box:
    return Box(_array(content["center"], 3), _array(content["half"], 3), float(content.get("yaw", 0.0)))


def _solid(content: Mapping[str, Any]) -> Solid:
    points = content.get("points")
    pose = Pose(_array(content["position"], 3), _array(content["rotation"], 3, 3))
    corners = None if points is None else np.asarray(points, np.float64).reshape(-1, 3)
    return Solid(content["kind"], _array(content["half"], 3), pose, corners)


def _surface(content: Mapping[str, Any]) -> Surface:
    access = content.get("access")
    return Surface(
        _array(content["center"], 3),
        float(content["half_x"]),
        float(content["half_y"]),
        float(content.get("yaw", 0.0)),
        float(content.get("clearance", np.inf)),
        None if access is None else _array(access, 2),
        float(content.get("lid", np.inf)),
    )


def _articulation(content: Mapping[str, Any]) -> Articulation:
    vectors = ("axis_point", "axis", "handle", "handle_axis", "outward")
    panel = content.get("panel")
    return Articulation(
        kind=content["kind"],
        **{name: _array(content[name], 3) for name in vectors},
        opening=float(content["opening"]),
        range=float(content["range"]),
        panel=None if panel is None else _box(panel),
    )


def _array(content: Sequence[float], *shape: int) -> Array:
    return np.asarray(content, np.float64).reshape(shape)


def _invalid_field(field: str, error: Exception) -> InfrastructureError:
    return InfrastructureError(
        f"The robot server sends something as '{field}' that is none (docs/remote.md): {type(error).__name__} {error}."
    )
