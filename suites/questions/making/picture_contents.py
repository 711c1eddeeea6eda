"""One picture and its contents from two sources: its segmentation, and the poses in the world's state."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array, CameraFrame, Image
from homie.kernel.world.snapshot import ThingState, WorldSnapshot
from suites.published.robobench.geometry import Box, Point, overlap

VISIBLE = 200 / 384**2
"""Minimum share of pixels of a visible object: an apple at two metres, 16 pixels wide of 384."""
AGREE = 0.3
"""Minimum overlap of the box around an object's pixels and of its projected box: half-hidden objects have less."""
NEAREST = 0.05
"""Minimum distance from the camera in metres: a point that is nearer, or behind it, cannot be projected."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an object is in the picture: the box around its pixels and one of them near their middle, relative; its
    distance (m), its colour (RGB, 0..255), the number of its pixels."""

    box: Box
    middle: Point
    depth: float
    colour: tuple[float, float, float]
    pixels: int


class Sight:
    """A camera's frame and the world at that moment."""

    def __init__(self, frame: CameraFrame, world: WorldSnapshot) -> None:
        assert frame.instances is not None and frame.depth is not None, "only simulated cameras segment"
        self.frame = frame
        self.world = world
        self.picture: Image = frame.rgb
        self._instances: NDArray[np.int32] = frame.instances
        self._depth = frame.depth

    @cached_property
    def pixels(self) -> Counter[str]:
        """Number of pixels of every object, including its parts."""
        counts: Counter[str] = Counter()
        ids, numbers = np.unique(self._instances, return_counts=True)
        for index, number in zip(ids.tolist(), numbers.tolist(), strict=True):
            if index >= 0:
                counts[self.frame.instance_names[index].partition("/")[0]] += number
        return counts

    def mask(self, name: str) -> NDArray[np.bool_]:
        """The pixels of an object with its parts, or of a part (`fridge/handle`)."""
        names = self.frame.instance_names
        ids = [index for index, other in enumerate(names) if other == name or other.startswith(f"{name}/")]
        return np.isin(self._instances, ids)

    def spot(self, name: str) -> Spot:
        """Where an object is. It has to be in the picture."""
        mask = self.mask(name)
        height, width = mask.shape
        rows, columns = np.nonzero(mask)
        middle = int(np.argmin((rows - np.median(rows)) ** 2 + (columns - np.median(columns)) ** 2))
        red, green, blue = np.median(self.picture[mask], axis=0).tolist()
        return Spot(
            box=(
                float(columns.min() / width),
                float(rows.min() / height),
                float((columns.max() + 1) / width),
                float((rows.max() + 1) / height),
            ),
            middle=((float(columns[middle]) + 0.5) / width, (float(rows[middle]) + 0.5) / height),
            depth=float(np.median(self._depth[mask])),
            colour=(red, green, blue),
            pixels=len(rows),
        )

    def seen(self, name: str) -> bool:
        """Whether an object can be seen: it has enough pixels, and they are where the world's state has it."""
        return self.shows(name) and self.agrees(name)

    def shows(self, name: str) -> bool:
        """Whether an object has enough pixels."""
        return self.pixels[name] >= VISIBLE * self._instances.size

    def agrees(self, name: str) -> bool:
        """Whether an object's pixels are where its pose and size put it."""
        projected = self.projected(name)
        return projected is not None and overlap(projected, self.spot(name).box) >= AGREE

    def projected(self, name: str) -> Box | None:
        """The box in the picture around an object's box in the world, None if that is partly behind the camera."""
        thing = self.world.things[name]
        if thing.position is None or thing.half is None:
            return None
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        corners = np.asarray(thing.position) + signs * np.asarray(thing.half) @ _rotation(thing).T
        points = [self.project(corner) for corner in corners]
        in_front = [point for point in points if point is not None]
        if len(in_front) < len(points):
            return None
        xs, ys = zip(*in_front, strict=True)
        x1, x2 = (min(max(x, 0.0), 1.0) for x in (min(xs), max(xs)))
        y1, y2 = (min(max(y, 0.0), 1.0) for y in (min(ys), max(ys)))
        return x1, y1, x2, y2

    def project(self, point: Array) -> Point | None:
        """Project a point of the world (3,), m, into the picture, relative; None behind the camera."""
        x, y, z = self.frame.pose.rotation.T @ (np.asarray(point) - self.frame.pose.position)
        if z < NEAREST:
            return None
        lens = self.frame.intrinsics
        return float((x / z * lens.fx + lens.cx) / lens.width), float((y / z * lens.fy + lens.cy) / lens.height)

    def distance(self, name: str) -> float:
        """Metres from the camera to the middle of an object along the optical axis, from the world's state."""
        position = np.asarray(self.world.things[name].position)
        return float((self.frame.pose.rotation.T @ (position - self.frame.pose.position))[2])

    @cached_property
    def things(self) -> tuple[str, ...]:
        """Visible objects whose description is unique in this picture, sorted by name."""
        return tuple(name for name in sorted(self.pixels) if name in self.world.things and self._distinct(name))

    def called(self, name: str) -> str:
        """The description of an object: its kind; on a table, where kinds have several colours, with its colour."""
        thing = self.world.things[name]
        kind = thing.kind.replace("_", " ")
        return f"{thing.colour} {kind}" if thing.colour and self._is_table else kind

    @property
    def _is_table(self) -> bool:
        return not self.world.rooms

    def _distinct(self, name: str) -> bool:
        words = self.called(name)
        return self.seen(name) and not any(
            other != name and other in self.world.things and self.called(other) == words for other in self.pixels
        )


def _rotation(thing: ThingState) -> Array:
    """The rotation matrix (3, 3) of an object."""
    w, x, y, z = thing.quaternion or (1.0, 0.0, 0.0, 0.0)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
