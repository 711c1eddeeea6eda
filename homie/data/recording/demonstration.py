"""The contract between what records acting and what exports it or trains on it."""

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
    """The pictures of a camera.

    Args:
        height: In pixels.
        width: In pixels.
        channels: 3 for colours.
        depth: Whether its values are distances, which only a copy of the film keeps.
        column: Its column in a LeRobot data set, "" for `observation.images.<name>`.
        coding: What a LeRobot data set says of how distances are coded in a depth film.
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
    """What every frame of a demonstration holds. Demonstrations of equal layouts can be in one data set.

    Args:
        robot: Name of the body.
        fps: Frames in a second.
        state: What each number of a state is, as `base.x` or `elbow_flex_joint.pos`; metres, radians, seconds.
        action: The same for the command that was sent.
        cameras: By name.
    """

    robot: str
    fps: int
    state: tuple[str, ...]
    action: tuple[str, ...]
    cameras: Mapping[str, Camera] = field(default_factory=dict)

    def differences(self, other: Layout) -> tuple[str, ...]:
        """How another layout differs from this one, a clause each: `its rate is 8 frames a second, not 10`."""
        pairs = (
            ("robot is", other.robot or "not named", self.robot or "without a name"),
            ("rate is", f"{other.fps} frames a second", str(self.fps)),
            ("cameras are", _cameras(other), _cameras(self)),
            ("states are", ", ".join(other.state), ", ".join(self.state)),
            ("actions are", ", ".join(other.action), ", ".join(self.action)),
        )
        same = (
            other.robot == self.robot,
            other.fps == self.fps,
            other.cameras == self.cameras,
            other.state == self.state,
            other.action == self.action,
        )
        return tuple(
            f"its {what} {its}, not {ours}" for (what, its, ours), equal in zip(pairs, same, strict=True) if not equal
        )


def _cameras(layout: Layout) -> str:
    return ", ".join(f"{camera.column or name} ({camera})" for name, camera in layout.cameras.items()) or "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A subtask of a demonstration.

    Args:
        first: The frame at which it began; it lasts to the first frame of the next. One without frames of its own
            (refused by a check, or End) begins where the next does, or at the last frame.
        subtask: What was to be done.
        feedback: What became of it.
        analysis: Why it was chosen, "" where nobody said.
        model: The model that was chosen for it, "" for none.
    """

    first: int
    subtask: Subtask
    feedback: Feedback
    analysis: str = ""
    model: str = ""


class Film(ABC):
    """The pictures of one camera, one for each frame of a demonstration."""

    @abstractmethod
    def __iter__(self) -> Iterator[Image]:
        """The pictures (H, W, 3), from the first frame on. Raises BadInput for a file that cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demonstration:
    """An episode of n frames. Its pictures stay where they are until somebody looks at them.

    Args:
        name: Unlike that of any other of its sources, such as `my-run/lemon-sofa-0`.
        task: The instruction in natural language.
        layout: What the frames hold.
        stamps: Robot time of the frames in seconds, (n,), increasing: what was measured. Data sets have them at
            exactly the rate of the layout.
        states: What the robot felt, (n, len(layout.state)).
        actions: The command that was then sent, (n, len(layout.action)).
        films: By camera.
        stages: The subtasks in order, End among them where it was said.
        success: Whether the task was done, None where nobody can tell.
        origin: How it was collected, as `recorded with Homie, decisions by a person`; "" where nobody knows.
        simulated: Whether the robot was simulated, None where nobody can tell.

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

    def __len__(self) -> int:
        return len(self.stamps)

    @property
    def digest(self) -> str:
        """What tells it from other demonstrations of its name: of instruction, states and actions."""
        numbers = (values.astype(np.float32).tobytes() for values in (self.states, self.actions))
        return hashlib.sha256(b"\0".join((self.task.encode(errors="replace"), *numbers))).hexdigest()[:24]
