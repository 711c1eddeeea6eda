"""Cameras of a URDF: optical frames, by convention, and the topics that go with their names."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ros_bridge.profiles.urdf import Urdf

_OPTICAL = re.compile(r"optical", re.IGNORECASE)
_COLOUR = re.compile(r"(^|[_\W])(colou?r|rgb)([_\W]|$)", re.IGNORECASE)
_OTHER = re.compile(r"depth|infra|(^|[_\W])ir[0-9]?([_\W]|$)|fisheye|gyro|accel|imu|left|right|laser", re.IGNORECASE)
"""Optical frames of devices without colour images, or of one camera of a stereo pair."""
_HEAD = re.compile("head|neck|pan|tilt", re.IGNORECASE)


@dataclass(frozen=True)
class UrdfCamera:
    """A camera in a URDF.

    Attributes:
        name: What the profile calls it: `head` or `camera`.
        frame: Its optical frame.
        rgb, depth, info: Usual topics of drivers with such frames.
    """

    name: str
    frame: str
    rgb: str
    depth: str
    info: str


def camera_of(robot: Urdf) -> UrdfCamera | None:
    """Return the camera with which a robot looks around: a colour camera, on a head if there is one."""
    frames = [link for link in robot.links if _OPTICAL.search(link) and not _OTHER.search(link)]
    if not frames:
        return None
    frame = max(frames, key=lambda link: (_on_a_head(robot, link), bool(_COLOUR.search(link))))
    stem = re.sub(r"[_\W]?(frame|link)$", "", _OPTICAL.sub("", frame), flags=re.IGNORECASE).strip("_-./ ")
    colour = _COLOUR.search(stem)
    name = "head" if _on_a_head(robot, frame) else "camera"
    root = _ros_name(stem[: colour.start()] if colour else stem) or "camera"
    if colour is None:
        return UrdfCamera(name, frame, f"/{root}/image_raw", f"/{root}/depth/image_raw", f"/{root}/camera_info")
    word = colour.group(2).lower()
    depth = "depth_registered" if word == "rgb" else "aligned_depth_to_color"
    return UrdfCamera(
        name, frame, f"/{root}/{word}/image_raw", f"/{root}/{depth}/image_raw", f"/{root}/{word}/camera_info"
    )


def _on_a_head(robot: Urdf, link: str) -> bool:
    return any(joint.moves and _HEAD.search(joint.name) for joint in robot.way(link))


def _ros_name(text: str) -> str:
    """Convert a text to one word of a ROS name."""
    word = re.sub("_+", "_", re.sub("[^A-Za-z0-9_]", "_", text)).strip("_")
    return word if not word or word[0].isalpha() else f"camera_{word}"
