"""What a person asks for: orders, which the robot's thread carries out one after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from homie.data.recording import notes
from homie.kernel.types import Subtask
from homie.studio.teleop.inspection import Thing
from homie.studio.teleop.stick import Stick


@dataclass(frozen=True, slots=True)
class Do:
    """Carry out a subtask.

    Attributes:
        analysis: Why, in the words that a planner should use.
        model: The skill set, "" for any.
    """

    subtask: Subtask
    analysis: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin:
    """Begin an episode, from the start of the scene.

    Args:
        task: The instruction.
        planner: Who decides, as NAME or NAME:ARGUMENT; "" for the person.
        record: Whether it is recorded.
    """

    task: str
    planner: str = ""
    record: bool = True


@dataclass(frozen=True, slots=True)
class Finish:
    """End the episode.

    Attributes:
        mark: Whether it went well, "" for nobody says.
        discard: It is not to be used.
    """

    mark: Literal["", "success", "failure"] = ""
    discard: bool = False


@dataclass(frozen=True, slots=True)
class Take:
    """The person takes over from the planner."""


@dataclass(frozen=True, slots=True)
class Give:
    """The planner goes on."""


@dataclass(frozen=True, slots=True)
class Say:
    """A note on the episode that goes on (`homie.data.recording.notes`)."""

    note: notes.Note


@dataclass(frozen=True, slots=True)
class Look:
    """What is there, and what can be done with it.

    Args:
        camera: The view to look at, "" where a name is asked for.
        answer: Called with it in the robot's thread (`homie.studio.teleop.inspection.Thing`).
        pixel: Shares of width and height, from the upper left corner: only what is at that place.
        words: The name that is asked for.
    """

    camera: str
    answer: Callable[[list[Thing]], None] = field(repr=False)
    pixel: tuple[float, float] | None = None
    words: str = ""


@dataclass(frozen=True, slots=True)
class Move:
    """Hold the stick so for some seconds of robot time, at most a minute."""

    stick: Stick
    seconds: float


@dataclass(frozen=True, slots=True)
class Typed:
    """A line (`homie.studio.teleop.lines`), read when its turn has come: what it means depends on what goes on then."""

    line: str


@dataclass(frozen=True, slots=True)
class Quit:
    """Stop the robot and end."""


Order: TypeAlias = Do | Begin | Finish | Move | Take | Give | Say | Look | Typed | Quit
