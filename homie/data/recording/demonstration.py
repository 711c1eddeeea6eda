"""`Demonstration`: the contract between recorders on one side and exporters and trainers on the other."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array, Feedback, Image, Subtask

Numbers: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Camera:
    """Format of a camera's pictures.

    Args:
        height: Height in pixels.
        width: Width in pixels.
        channels: Number of channels, 3 for colour.
        depth: Whether pixels are distances. These survive only if the film is copied unchanged.
        column: Column in a LeRobot data set, "" for `observation.images.<name>`.
        coding: How a LeRobot data set encodes distances in a depth film.
    """

    height: int
    width: int
    channels: int = 3
    depth: bool = False
    column: str = ""
    coding: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        kind = " depth" if self.depth else "" if self.channels == 3 else f" of {self.channels} channels"
        return f"{self.width}x{self.height}{kind}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Contents of every frame of a demonstration. Demonstrations with equal layouts can be in one data set.

    Args:
        robot: Name of the robot.
        fps: Frames per second.
        state: Label of each number of a state, such as `base.x` or `elbow_flex_joint.pos`; in m, rad, s.
        action: Label of each number of a command that was sent, likewise.
        cameras: Cameras by name.
        environment: Label of each number about the world that is neither measured by the robot nor seen, such as where
            the target is.
    """

    robot: str
    fps: int
    state: tuple[str, ...]
    action: tuple[str, ...]
    cameras: Mapping[str, Camera] = field(default_factory=dict)
    environment: tuple[str, ...] = ()

    def differences(self, other: Layout) -> tuple[str, ...]:
        """Return how another layout differs from this one, a clause each: `its rate is 8 frames a second, not 10`."""
        pairs = (
            ("robot is", other.robot or "not named", self.robot or "without a name"),
            ("rate is", f"{other.fps} frames a second", str(self.fps)),
            ("cameras are", _cameras(other), _cameras(self)),
            ("states are", ", ".join(other.state), ", ".join(self.state)),
            ("actions are", ", ".join(other.action), ", ".join(self.action)),
            ("environment is", ", ".join(other.environment) or "none", ", ".join(self.environment) or "none"),
        )
        equalities = (
            other.robot == self.robot,
            other.fps == self.fps,
            other.cameras == self.cameras,
            other.state == self.state,
            other.action == self.action,
            other.environment == self.environment,
        )
        return tuple(
            f"its {what} {actual}, not {expected}"
            for (what, actual, expected), equal in zip(pairs, equalities, strict=True)
            if not equal
        )


def _cameras(layout: Layout) -> str:
    return ", ".join(f"{camera.column or name} ({camera})" for name, camera in layout.cameras.items()) or "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Subtask of a demonstration.

    Args:
        first: Frame at which it began; it lasts until the first frame of the next stage. A stage without frames
            (rejected by a check, or End) begins where the next one does, or at the last frame.
        subtask: The subtask.
        feedback: Result of the subtask.
        analysis: Why it was chosen, "" if unknown.
        model: Model chosen for it, "" for none.
    """

    first: int
    subtask: Subtask
    feedback: Feedback
    analysis: str = ""
    model: str = ""


class Film(ABC):
    """Pictures of one camera, one for each frame of a demonstration."""

    @abstractmethod
    def __iter__(self) -> Iterator[Image]:
        """Yield the pictures (H, W, 3) from the first frame on. Raises BadInput for a file that cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demonstration:
    """Episode with n frames. Its pictures are decoded only on access.

    Args:
        name: Unique among all demonstrations of its sources, such as `my-run/lemon-sofa-0`.
        task: Instruction in natural language.
        layout: Layout of the frames.
        stamps: Measured robot time of the frames in s, (n,), increasing. In data sets the times are exactly at the
            layout's rate.
        states: Measured robot states, (n, len(layout.state)).
        actions: Commands sent after the measurement, (n, len(layout.action)).
        environments: Numbers about the world, (n, len(layout.environment)); None without any.
        films: Films by camera.
        stages: Subtasks in order, including End if the planner gave it.
        success: Whether the task was done, None if unknown.
        origin: How it was collected, such as `recorded with Homie, decisions by a person`; "" if unknown.
        simulated: Whether the robot was simulated, None if unknown.

    Example:
        >>> import numpy as np
        >>> layout = Layout(robot="cart", fps=10, state=("base.x",), action=("base.linear.vel",))
        >>> stamps, ones = np.arange(3) / 10, np.ones((3, 1), np.float32)
        >>> len(Demonstration(name="a", task="drive", layout=layout, stamps=stamps, states=ones, actions=ones))
        3
    """

    name: str
    task: str
    layout: Layout
    stamps: Array
    states: Numbers
    actions: Numbers
    films: Mapping[str, Film] = field(default_factory=dict)
    stages: tuple[Stage, ...] = ()
    success: bool | None = None
    origin: str = ""
    simulated: bool | None = None
    environments: Numbers | None = None

    def __len__(self) -> int:
        return len(self.stamps)

    @property
    def digest(self) -> str:
        """Digest of instruction, states and actions, to distinguish demonstrations of the same name."""
        numbers = (values.astype(np.float32).tobytes() for values in (self.states, self.actions))
        return hashlib.sha256(b"\0".join((self.task.encode(errors="replace"), *numbers))).hexdigest()[:24]
