"""Pictures of the fake AI2-THOR: a room with floor, walls and boxes in perspective. No lighting, no textures."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from homie.envs.thor.settings import Point
from homie.kernel.types import Image

FLOOR, WALL, CEILING = (150, 130, 110), (205, 205, 200), (240, 240, 240)
NEAR, FAR = 0.1, 20.0
"""Near and far clipping distance in m, as for AI2-THOR's camera."""
STOREY = 2.4
"""Height of the ceiling in m."""


@dataclass(frozen=True, slots=True)
class Camera:
    """Camera: position (x, y, z) in m, rotation, horizon and vertical field of view in degrees, and size in pixels."""

    position: Point
    rotation: float
    horizon: float
    field_of_view: float
    width: int
    height: int

    @property
    def focal(self) -> float:
        """Focal length in pixels."""
        return self.height / 2.0 / math.tan(math.radians(self.field_of_view) / 2.0)

    def seen_from(self, point: Point) -> tuple[float, float, float]:
        """Transform a point to camera coordinates: right, down, ahead in m."""
        x, y, z = (coordinate - at for coordinate, at in zip(point, self.position, strict=True))
        yaw, tilt = math.radians(self.rotation), math.radians(self.horizon)
        right = x * math.cos(yaw) - z * math.sin(yaw)
        level = x * math.sin(yaw) + z * math.cos(yaw)
        return right, -y * math.cos(tilt) - level * math.sin(tilt), level * math.cos(tilt) - y * math.sin(tilt)

    def sees(self, point: Point) -> bool:
        """Return whether a point is inside the picture."""
        right, down, depth = self.seen_from(point)
        if depth <= NEAR:
            return False
        reach = self.focal / depth
        return abs(right) * reach <= self.width / 2.0 and abs(down) * reach <= self.height / 2.0


@dataclass(frozen=True, slots=True)
class Box:
    """Object to draw: id, type, centre and half side of its box in m, and by how much it is drawn closer than it is, so
    that it appears in front of its container, in m."""

    object_id: str
    object_type: str
    middle: Point
    half: float
    forward: float = 0.0


@dataclass(frozen=True, slots=True)
class Picture:
    """Picture (H, W, 3), depth (H, W) in m, and masks (H, W) of the visible objects by objectId."""

    frame: Image
    depth: NDArray[np.float32]
    masks: dict[str, NDArray[np.bool_]]


def draw(camera: Camera, boxes: Sequence[Box], bounds: tuple[float, float, float, float]) -> Picture:
    """Render the view of a camera: each object as a square facing the camera, with occlusion."""
    frame, depth = _room(camera, bounds)
    owner = np.full(depth.shape, -1, np.int32)
    for number, box in enumerate(boxes):
        right, down, distance = camera.seen_from(box.middle)
        if distance <= NEAR:
            continue
        scale = camera.focal / distance
        left, top = (
            int(camera.width / 2 + (right - box.half) * scale),
            int(camera.height / 2 + (down - box.half) * scale),
        )
        side = max(1, round(2.0 * box.half * scale))
        rows = slice(max(top, 0), max(top + side, 0))
        columns = slice(max(left, 0), max(left + side, 0))
        front = distance - box.half - box.forward
        nearer = depth[rows, columns] > front
        frame[rows, columns][nearer] = paint(box.object_type)
        owner[rows, columns][nearer] = number
        depth[rows, columns][nearer] = front
    masks = {box.object_id: owner == number for number, box in enumerate(boxes)}
    return Picture(frame, depth, {object_id: mask for object_id, mask in masks.items() if mask.any()})


def paint(object_type: str) -> tuple[int, int, int]:
    """Return a colour that depends only on the type."""
    digest = zlib.crc32(object_type.encode())
    red, green, blue = (40 + (digest >> shift) % 200 for shift in (0, 8, 16))
    return red, green, blue


def _room(camera: Camera, bounds: tuple[float, float, float, float]) -> tuple[Image, NDArray[np.float32]]:
    """Render floor, ceiling and walls: return for each pixel the colour of the surface that its ray hits first, and its
    depth."""
    columns = (np.arange(camera.width) + 0.5 - camera.width / 2.0) / camera.focal
    rows = (np.arange(camera.height) + 0.5 - camera.height / 2.0) / camera.focal
    right, down = np.meshgrid(columns, rows)
    yaw, tilt = math.radians(camera.rotation), math.radians(camera.horizon)
    level = math.cos(tilt) - down * math.sin(tilt)
    x = right * math.cos(yaw) + level * math.sin(yaw)
    z = -right * math.sin(yaw) + level * math.cos(yaw)
    y = -down * math.cos(tilt) - math.sin(tilt)
    at, height, z_position = camera.position
    x0, z0, x1, z1 = bounds
    with np.errstate(divide="ignore", invalid="ignore"):
        wall = np.minimum(
            np.where(x > 0, (x1 - at) / x, (x0 - at) / x), np.where(z > 0, (z1 - z_position) / z, (z0 - z_position) / z)
        )
        flat = np.where(y < 0, -height / y, (STOREY - height) / y)
    depth = np.minimum(np.minimum(wall, flat), FAR).astype(np.float32)
    frame = np.empty((camera.height, camera.width, 3), np.uint8)
    frame[:] = WALL
    frame[(flat < wall) & (y < 0)] = FLOOR
    frame[(flat < wall) & (y > 0)] = CEILING
    return frame, depth
