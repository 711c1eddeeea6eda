"""What the drivers of a robot publish, as messages, with the faults that drivers have. It imports nothing of Homie."""

from __future__ import annotations

import array
import itertools
import math
import random
import struct
import zlib

import numpy as np
from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import CameraInfo, CompressedImage, Image, JointState
from tf2_msgs.msg import TFMessage

TURNS = itertools.count()


class Faults:
    """How its drivers differ from the best ones; set by lines `NAME VALUE`.

    Attributes:
        colours, depth: Encodings of pictures.
        parts: Messages into which the joint states are cut, in another order each time where there are several.
        nan: A joint whose position is not a number; `odom` for the odometry.
        info: `zeros` for a camera that is not calibrated.
        frames: `loop` for frames that are above each other, `jumps` for two that contradict each other.
        lost: The share of messages that are not sent.
        leap: Seconds by which the clock is wrong.
    """

    def __init__(self) -> None:
        self.colours, self.depth, self.parts, self.nan = "rgb8", "32FC1", 1, ""
        self.info, self.frames, self.lost, self.leap = "", "", 0.0, 0.0

    def set(self, name: str, value: str = "") -> None:
        setattr(self, name, type(getattr(self, name))(value))


def turned(rpy):
    """The rotation (3, 3) of roll, pitch, yaw, as URDFs have it."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def local(joint, position):
    """The pose (4, 4) of a joint's child in its parent."""
    _, _, _, xyz, rpy, kind, axis = joint
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turned(rpy), xyz
    if kind == "slides":
        pose[:3, 3] += pose[:3, :3] @ np.array(axis) * position
    elif kind == "turns":
        pose[:3, :3] = pose[:3, :3] @ turned(np.array(axis) * position)  # axes are x, y or z
    return pose


def poses(model, joints, place):
    """The poses (4, 4) of all links in the world, in which the base is at a place (x, y, yaw)."""
    root = np.eye(4)
    root[:3, :3], root[:2, 3] = turned((0.0, 0.0, place[2])), place[:2]
    poses = {model.joints[0][1]: root}
    for joint in model.joints:
        poses[joint[2]] = poses[joint[1]] @ local(joint, joints.get(joint[0], 0.0))
    return poses


def quaternion(rotation):
    """x, y, z, w of a rotation (3, 3), by the largest of them."""
    (a, b, c), (d, e, f), (g, h, i) = rotation.tolist()
    squares = [1 + a - e - i, 1 - a + e - i, 1 - a - e + i, 1 + a + e + i]
    rows = [
        (squares[0], b + d, c + g, h - f),
        (b + d, squares[1], f + h, c - g),
        (c + g, f + h, squares[2], d - b),
        (h - f, c - g, d - b, squares[3]),
    ]
    row = np.array(rows[int(np.argmax(squares))])
    return (row / np.linalg.norm(row)).tolist()


def transform(stamp, parent, child, pose):
    message = TransformStamped()
    message.header.stamp, message.header.frame_id, message.child_frame_id = stamp, parent, child
    moved, rotation = message.transform.translation, message.transform.rotation
    moved.x, moved.y, moved.z = pose[:3, 3].tolist()
    rotation.x, rotation.y, rotation.z, rotation.w = quaternion(pose[:3, :3])
    return message


def fixed_frames(model):
    stamp = TransformStamped().header.stamp
    fixed = [joint for joint in model.joints if not joint[0]]
    return TFMessage(transforms=[transform(stamp, joint[1], joint[2], local(joint, 0.0)) for joint in fixed])


def moving_frames(stamp, model, joints, place, faults):
    moved = [joint for joint in model.joints if joint[0]]
    frames = [transform(stamp, joint[1], joint[2], local(joint, joints[joint[0]])) for joint in moved]
    if model.wheels:
        base = model.joints[0][1]
        root = poses(model, {}, place)[base]
        root[0, 3] += 5.0 if faults.frames == "jumps" and next(TURNS) % 2 else 0.0
        frames.append(transform(stamp, "odom", base, root))
        if faults.frames == "loop":
            frames.append(transform(stamp, base, "odom", np.eye(4)))
    return TFMessage(transforms=frames)


def joint_states(stamp, positions, speeds, faults):
    """The joint states in one message, or in several."""
    names = list(positions)
    if faults.parts > 1:
        random.shuffle(names)
    for number in range(min(faults.parts, len(names))):
        message = JointState(name=names[number :: faults.parts])
        message.header.stamp = stamp
        message.position = [math.nan if name == faults.nan else float(positions[name]) for name in message.name]
        message.velocity = [float(speeds.get(name, 0.0)) for name in message.name]
        yield message


def odometry(stamp, place, speed, faults):
    message = Odometry(child_frame_id="base_link")
    message.header.stamp, message.header.frame_id = stamp, "odom"
    pose, twist = message.pose.pose, message.twist.twist
    pose.position.x, pose.position.y = math.nan if faults.nan == "odom" else float(place[0]), float(place[1])
    pose.orientation.z, pose.orientation.w = math.sin(place[2] / 2), math.cos(place[2] / 2)
    twist.linear.x, twist.angular.z = map(float, speed)
    return message


ORDERS = {"rgb8": (0, 1, 2), "bgr8": (2, 1, 0), "rgba8": (0, 1, 2, 0), "8UC3": (2, 1, 0), "mono8": (0,)}


def pair_pixels(picture):
    """Blue, brightness, red, brightness of each two pixels, as USB cameras have them (BT.601)."""
    weights = np.array([[0.257, 0.504, 0.098], [-0.148, -0.291, 0.439], [0.439, -0.368, -0.071]])
    light, blue, red = np.moveaxis(picture @ weights.T + (16, 128, 128), -1, 0)
    pairs = [(blue[:, ::2] + blue[:, 1::2]) / 2, light[:, ::2], (red[:, ::2] + red[:, 1::2]) / 2, light[:, 1::2]]
    return np.stack(pairs, -1).round().astype(np.uint8)


def pictures(stamp, frame, picture, depth, faults):
    """Colours and depth as their encodings have them."""
    colours = (
        pair_pixels(picture) if faults.colours == "yuv422" else picture[..., ORDERS.get(faults.colours, (0, 1, 2))]
    )
    metres = depth.astype(np.float32) if faults.depth == "32FC1" else np.round(depth * 1000).astype(np.uint16)
    for encoding, pixels in ((faults.colours, colours), (faults.depth, metres)):
        message = Image(height=picture.shape[0], width=picture.shape[1], encoding=encoding)
        message.header.stamp, message.header.frame_id = stamp, frame
        message.step = pixels[0].nbytes
        message.data = array.array("B", np.ascontiguousarray(pixels).tobytes())
        yield message


def compressed(stamp, frame, picture):
    """The colours as image_transport compresses them, here a PNG."""
    height, width = picture.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(picture, np.uint8))
    parts = (
        (b"IHDR", struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    data = b"\x89PNG\r\n\x1a\n"
    for name, content in parts:
        data += struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    message = CompressedImage(format="rgb8; png compressed bgr8", data=array.array("B", data))
    message.header.stamp, message.header.frame_id = stamp, frame
    return message


def camera_info(stamp, frame, width, height, focal, faults):
    message = CameraInfo(width=width, height=height, distortion_model="plumb_bob", d=[0.0] * 5)
    message.header.stamp, message.header.frame_id = stamp, frame
    if faults.info == "zeros":
        return message
    message.k = [focal, 0.0, width / 2, 0.0, focal, height / 2, 0.0, 0.0, 1.0]
    message.r = np.eye(3).ravel().tolist()
    message.p = [focal, 0.0, width / 2, 0.0, 0.0, focal, height / 2, 0.0, 0.0, 0.0, 1.0, 0.0]
    return message
