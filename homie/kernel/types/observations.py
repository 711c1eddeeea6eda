"""What a robot sees and feels, and what a detector makes of it."""

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

    `instances` (H, W) int32 holds the simulated instance segmentation where a simulator provides it: an index into
    `instance_names`, -1 for nothing. It is a simulated sensor: hardware leaves it None and uses a real detector.
    `memo` is what was worked out of it, by whoever did; it lives as long as the frame, and no other frame has it.
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
    """What a gripper feels: its opening (m) and how fast that changes (m/s), contact at the right and the left finger
    pad, whether it holds something."""

    opening: float
    contact: tuple[bool, bool] = (False, False)
    holding: bool = False
    speed: float = 0.0


@dataclass(frozen=True, slots=True)
class Proprioception:
    """What the robot feels.

    Attributes:
        base: Odometry.
        base_velocity: (v, w) in m/s and rad/s; of an omnidirectional base then to its left, m/s.
        joints: Positions (rad, m) by name, of every group but bases and grippers.
        grippers: By group.
        velocities: Of joints (rad/s, m/s) by name, where they are measured.
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
        """Whether some gripper holds something."""
        return any(gripper.holding for gripper in self.grippers.values())


@dataclass(frozen=True, slots=True)
class Observation:
    """Everything the robot sees and feels at `stamp` (monotonic seconds; simulated time in simulators).

    `frames` holds the cameras that were asked for, by name; the four cardinal ones are named as in `VIEWS`.
    """

    stamp: float
    body: Proprioception
    frames: Mapping[str, CameraFrame] = field(default_factory=dict)


FLOOR = "floor"
"""The part by which a room is detected (`Detection.is_room`)."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A named box in one view: pixels (x0, y0, x1, y1), upper bounds exclusive, score 0..1.

    `name` is what a person would call it (`red apple` -> `apple`); `instance` tells two of a kind apart within one
    run of a detector and means nothing to a planner. `part` is "" or a part such as `door` or `handle`. `mask`
    (H, W) marks the pixels where the detector gives them. `number` distinguishes things with the same name, 0
    for the first that a planner gets, and if nothing was numbered. `states` are what the picture shows of the
    state of the thing, words of `homie.kernel.knowledge.CONTRARY`: a lamp that is `on`, a `dirty` mug.
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
        """Whether it is a room, which is seen by its floor."""
        return self.part == FLOOR

    @property
    def called(self) -> str:
        """Its name in a planner's input, by which a planner may refer to it: `kitchen counter 2`."""
        return f"{self.name} {self.number}" if self.number else self.name


@dataclass(frozen=True, slots=True)
class Listed:
    """A thing in sight with its number, and its place as a planner may say it: `object 3: red star at [55, 71, 18]`.

    Attributes:
        instance: That of its detections, which means nothing to a planner.
    """

    number: int
    name: str
    place: str
    instance: str = ""

    def __str__(self) -> str:
        return f"{self.called}: {self.name} at {self.place}"

    @property
    def called(self) -> str:
        """What it is called by its number alone."""
        return f"object {self.number}"


def in_sight(detections: Sequence[Detection]) -> tuple[Detection, ...]:
    """The rooms, and the things by view: whole, or by a door or drawer where no more of them is seen.

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
    """Something that words can mean.

    Attributes:
        name: Of the instance (`apple_1`).
        kind: `apple`.
        room: Where it is, if known.
    """

    name: str
    kind: str
    colour: str | None = None
    aliases: tuple[str, ...] = ()
    room: str = ""
