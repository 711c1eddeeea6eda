"""What a page may ask for: messages, each checked, and the order that it means."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from homie.data.recording import notes
from homie.kernel.errors import BadInput
from homie.kernel.options import MAX_TASK
from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import reason_of
from homie.kernel.support.validation_sentences import first_problem

LARGEST = 2**16
"""Bytes of a message: more than any note, less than what could fill a memory."""
Deflection = Annotated[float, Field(ge=-1.0, le=1.0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Words = Annotated[str, Field(max_length=500)]


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Painted(_Message):
    """A frame is on the screen.

    Attributes:
        seq: Its number.
    """

    type: Literal["painted"]
    seq: int


class Control(_Message):
    """Ask for the controls, or release them."""

    type: Literal["control"]
    hold: bool


class Focus(_Message):
    """The view that is looked at."""

    type: Literal["focus"]
    view: Words


class Halt(_Message):
    """Stop what moves. Whoever looks may."""

    type: Literal["stop"]


class Held(_Message):
    """The hand, as `homie.studio.teleop_commands.Stick`."""

    type: Literal["stick"]
    drive: Deflection = 0.0
    turn: Deflection = 0.0
    reach: tuple[Deflection, Deflection, Deflection] = (0.0, 0.0, 0.0)
    wrist: Deflection = 0.0
    grip: Deflection = 0.0
    joints: dict[str, Annotated[tuple[Number, ...], Field(max_length=64)]] = Field(default={}, max_length=32)


class Line(_Message):
    """A line of `homie.studio.typed_orders`."""

    type: Literal["line"]
    text: str = Field(max_length=MAX_TASK)


class DoIt(_Message):
    """A subtask, with why."""

    type: Literal["do"]
    action: Words
    target: Words = ""
    destination: Words = ""
    analysis: str = Field("", max_length=notes.LONGEST)
    model: Words = ""


class Start(_Message):
    """Begin an episode."""

    type: Literal["begin"]
    task: str = Field(max_length=MAX_TASK)
    planner: Words = ""
    record: bool = True


class End(_Message):
    """End the episode."""

    type: Literal["finish"]
    mark: Literal["", "success", "failure"] = ""
    discard: bool = False
    again: bool = False


class Charge(_Message):
    """The person takes over, or hands back."""

    type: Literal["charge"]
    person: bool


class Said(_Message):
    """A note.

    Attributes:
        recording: The name of a run folder of recordings, "" for the last one.
    """

    type: Literal["note"]
    kind: Literal["mark", "discard", "keep", "analysis", "remark"]
    text: str = Field("", max_length=notes.LONGEST)
    round: int | None = Field(None, ge=1)
    recording: Words = ""


class Inspect(_Message):
    """What is at a place of a picture, or behind a name.

    Attributes:
        id: Comes back with the answer.
    """

    type: Literal["inspect"]
    id: int
    view: Words = ""
    x: Share = 0.0
    y: Share = 0.0
    words: Words = ""


Message: TypeAlias = Painted | Control | Focus | Halt | Held | Line | DoIt | Start | End | Charge | Said | Inspect
_READ: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="type")])


def read_message(text: str | bytes) -> Message:
    """A message of a page. Raises BadInput for anything else."""
    try:
        return _READ.validate_python(parse_json(text))
    except ValidationError as error:
        raise BadInput(f"The page has sent what is not a message: {first_problem(error, 'it')}.") from error
    except ValueError as error:
        raise BadInput(f"The page has sent what is not a message: {reason_of(error)}.") from error
