"""Decoding of `sensor_msgs/msg/Image` and `CompressedImage` to arrays."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from homie.kernel.errors import RobotFault
from homie.kernel.types import Depth, Image
from ros_bridge.transport.interface import Message
from ros_bridge.transport.refusals import Faults

_faults = Faults()

COLOURS: Mapping[str, tuple[int, tuple[int, ...]]] = {
    "rgb8": (3, (0, 1, 2)),
    "bgr8": (3, (2, 1, 0)),
    "rgba8": (4, (0, 1, 2)),
    "bgra8": (4, (2, 1, 0)),
    "mono8": (1, (0, 0, 0)),
    "8UC1": (1, (0, 0, 0)),
    "8UC3": (3, (2, 1, 0)),
    "8UC4": (4, (2, 1, 0)),
}
"""Colour encodings: bytes of a pixel, and the indices of red, green and blue. Those of OpenCV do not specify the order
of colours; OpenCV has blue first."""
YUV422: Mapping[str, int] = {
    "yuv422": cv2.COLOR_YUV2RGB_UYVY,
    "uyvy": cv2.COLOR_YUV2RGB_UYVY,
    "yuv422_yuy2": cv2.COLOR_YUV2RGB_YUY2,
    "yuyv": cv2.COLOR_YUV2RGB_YUY2,
}
"""Encodings of USB cameras, in which two pixels share chroma, with the conversion codes of OpenCV."""
MILLIMETRES = 0.001
FARTHEST, NEAREST = 100.0, 0.02
"""Plausible range of the median depth, m: a robot's camera in a home never sees less or more, numbers in another unit
do."""


def picture_of(message: Message) -> Image:
    """Decode the colours (H, W, 3), also of a compressed image.

    Raises:
        RobotFault: The encoding is in neither `COLOURS` nor `YUV422`, or the data do not fit it.
    """
    if hasattr(message, "format"):
        return _decompressed(message)
    height, width = int(message.height), int(message.width)
    if message.encoding in YUV422:
        halves = _rows(message, np.dtype(np.uint8), 2).astype(np.uint8, copy=False).reshape(height, width, 2)
        if width % 2:
            raise RobotFault(f"A picture encoded as '{message.encoding}' has {width} columns: pixels come in pairs.")
        return np.asarray(cv2.cvtColor(halves, YUV422[message.encoding]), np.uint8)
    if message.encoding not in COLOURS:
        raise RobotFault(
            f"A picture is encoded as '{message.encoding}'; Homie reads {', '.join((*COLOURS, *YUV422))}: name a topic "
            "that has one of these in the profile."
        )
    if message.encoding.startswith("8UC") and message.encoding != "8UC1":
        _faults.mention(
            "a picture", f"its encoding {message.encoding} does not say which colour is first: taken as blue"
        )
    size, order = COLOURS[message.encoding]
    pixels = _rows(message, np.dtype(np.uint8), size).reshape(height, width, size)
    return np.ascontiguousarray(pixels[:, :, order])


def _decompressed(message: Message) -> Image:
    """Decode the colours (H, W, 3) of a `CompressedImage`, JPEG or PNG. Raises RobotFault."""
    data = np.asarray(message.data, dtype=np.uint8)
    picture = cv2.imdecode(data, cv2.IMREAD_COLOR) if len(data) else None
    if picture is None:
        raise RobotFault(
            f"A compressed picture of {len(data)} bytes, format '{message.format}', is neither JPEG nor PNG: name the "
            "topic without /compressed in the profile."
        )
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), np.uint8)


def depth_of(message: Message) -> Depth:
    """Decode depths (H, W) in metres, 0 where unknown, from 32FC1 in m or 16UC1 in mm (REP 118). Raises RobotFault."""
    order = ">" if message.is_bigendian else "<"
    if message.encoding == "32FC1":
        metres = _rows(message, np.dtype(order + "f4"), 1).astype(np.float32)
    elif message.encoding in ("16UC1", "mono16"):
        metres = _rows(message, np.dtype(order + "u2"), 1).astype(np.float32) * np.float32(MILLIMETRES)
    else:
        raise RobotFault(f"A depth picture is encoded as '{message.encoding}': REP 118 has 32FC1 and 16UC1.")
    valid = np.isfinite(metres) & (metres > 0)
    if valid.any():
        median = float(np.median(metres[valid]))
        if not NEAREST <= median <= FARTHEST:
            raise RobotFault(
                f"Half of a depth picture ({message.encoding}) is {'nearer' if median < NEAREST else 'farther'} than "
                f"{median:.3g} m: 32FC1 counts metres and 16UC1 millimetres (REP 118), its driver another unit."
            )
    return np.where(valid, metres, np.float32(0.0))


def numbers_of(message: Message) -> NDArray[np.int32]:
    """Decode the numbers (H, W) of a `16SC1` image. Raises RobotFault for others."""
    if message.encoding != "16SC1":
        raise RobotFault(f"An instance picture is encoded as '{message.encoding}', not as 16SC1.")
    return _rows(message, np.dtype((">" if message.is_bigendian else "<") + "i2"), 1).astype(np.int32)


def _rows(message: Message, kind: np.dtype[np.generic], count: int) -> NDArray[np.generic]:
    """Return the numbers (H, W * count), without the padding of each row."""
    height, width, step = int(message.height), int(message.width), int(message.step)
    data = np.asarray(message.data, dtype=np.uint8)
    row_bytes = width * count * kind.itemsize
    if not (height and width) or step < row_bytes or len(data) < height * step:
        raise RobotFault(f"A picture of {width}x{height} pixels has {len(data)} bytes, fewer than it needs.")
    if len(data) >= (height + 1) * step:
        raise RobotFault(
            f"A picture of {width}x{height} pixels has {len(data)} bytes in rows of {step}: those are "
            f"{len(data) // step} rows, so its size is wrong."
        )
    return np.ascontiguousarray(data[: height * step].reshape(height, step)[:, :row_bytes]).view(kind)
