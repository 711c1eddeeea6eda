"""Observations of a robot, and detections in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homie.kernel.types.geometry import Depth, Image, Mask, Pose, Pose2

VIEWS = ("front", "left", "back", "right")
"""The four cardinal views in the order of the paper (section 4.2, appendix D): counter-clockwise from front."""


@dataclass(frozen=True, slots=True)
class Intrinsics:
    """Pinhole camera: focal lengths and principal point in pixels, image size in pixels."""

    fx: float
    fy: float
    cx: float
    cy: float
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class CameraFrame:
    """One RGB-D picture. `pose` is the optical frame (x right, y down, z forward) in the odometry frame.

    `instances` (H, W) int32 is the instance segmentation if a simulator provides it: an index into `instance_names`,
    -1 for background. It is a simulated sensor: hardware leaves it None and uses a real detector.
    `memo` caches results computed from this frame, for any module; it is not shared with other frames.
    """

    name: str
    rgb: Image
    depth: Depth | None
    intrinsics: Intrinsics
    pose: Pose
    instances: NDArray[np.int32] | None = None
    instance_names: tuple[str, ...] = ()
    memo: dict[object, Any] = field(init=False, default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class GripperState:
    """State of a gripper: its opening (m) and the opening's rate of change (m/s), contact at the right and the left
    finger pad, whether it holds an object."""

    opening: float
    contact: tuple[bool, bool] = (False, False)
    holding: bool = False
    speed: float = 0.0


@dataclass(frozen=True, slots=True)
class Proprioception:
    """State of the robot's body.

    Attributes:
        base: Pose of the base by odometry.
        base_velocity: (v, w) in m/s and rad/s; for an omnidirectional base (v, w, velocity to the left in m/s).
        joints: Joint positions (rad, m) by name, for all groups except bases and grippers.
        grippers: Gripper states by group.
        velocities: Joint velocities (rad/s, m/s) by name, if measured.
    """

    base: Pose2
    base_velocity: tuple[float, ...] = (0.0, 0.0)
    joints: Mapping[str, float] = field(default_factory=dict)
    grippers: Mapping[str, GripperState] = field(default_factory=dict)
    velocities: Mapping[str, float] = field(default_factory=dict)

    @property
    def gripper(self) -> float:
        """Opening (m) of the first gripper, 0 without one."""
        return next((gripper.opening for gripper in self.grippers.values()), 0.0)

    @property
    def holding(self) -> bool:
        """Whether any gripper holds an object."""
        return any(gripper.holding for gripper in self.grippers.values())


@dataclass(frozen=True, slots=True)
class Observation:
    """Pictures and proprioception of the robot at `stamp` (monotonic seconds; simulated time in simulators).

    `frames` has the requested cameras by name; the four cardinal views are named as in `VIEWS`.
    """

    stamp: float
    body: Proprioception
    frames: Mapping[str, CameraFrame] = field(default_factory=dict)


FLOOR = "floor"
"""`Detection.part` of rooms, which are detected by their floor (`Detection.is_room`)."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A named box in one view: pixels (x0, y0, x1, y1), upper bounds exclusive, score 0..1.

    `name` is the common name (`apple` for a red apple); `instance` distinguishes objects of one kind within one run of
    a detector and means nothing to a planner. `part` is "" or a part such as `door` or `handle`. `mask` (H, W) marks
    the pixels, if the detector segments. `number` distinguishes objects with the same name: 0 for the first one in a
    planner's input, or without numbering. `states` are the states visible in the picture, words of
    `homie.kernel.knowledge.CONTRARY`: a lamp that is `on`, a `dirty` mug.
    """

    name: str
    view: str
    box: tuple[int, int, int, int]
    score: float = 1.0
    instance: str = ""
    part: str = ""
    mask: Mask | None = field(default=None, repr=False, compare=False)
    number: int = 0
    states: tuple[str, ...] = ()

    @property
    def is_room(self) -> bool:
        """Whether it is a room, which is detected by its floor."""
        return self.part == FLOOR

    @property
    def called(self) -> str:
        """Its name in a planner's input, which a planner may use to refer to it: `kitchen counter 2`."""
        return f"{self.name} {self.number}" if self.number else self.name


@dataclass(frozen=True, slots=True)
class NumberedObject:
    """A visible object with its number, and its position in a planner's notation: `object 3: red star at [55, 71, 18]`.

    Attributes:
        instance: `Detection.instance` of its detections, which means nothing to a planner.
    """

    number: int
    name: str
    place: str
    instance: str = ""

    def __str__(self) -> str:
        return f"{self.called}: {self.name} at {self.place}"

    @property
    def called(self) -> str:
        """Its name by number alone."""
        return f"object {self.number}"


def in_sight(detections: Sequence[Detection]) -> tuple[Detection, ...]:
    """Select the detections of rooms and whole objects, and those of a door or drawer if the view has no whole box of
    the same object.

    The door of a closed fridge may fill a picture; the fridge is in sight all the same.
    """
    fully_seen = {
        (detection.view, detection.instance or detection.name) for detection in detections if detection.part in _WHOLE
    }
    return tuple(
        detection
        for detection in detections
        if detection.part in _WHOLE
        or (detection.part in _PANELS and (detection.view, detection.instance or detection.name) not in fully_seen)
    )


_WHOLE = ("", FLOOR)


_PANELS = ("door", "drawer")


@dataclass(frozen=True, slots=True)
class NamedThing:
    """An object or room that words can refer to.

    Attributes:
        name: Name of the instance (`apple_1`).
        kind: Name of the kind (`apple`).
        room: The room that it is in, if known.
    """

    name: str
    kind: str
    colour: str | None = None
    aliases: tuple[str, ...] = ()
    room: str = ""
