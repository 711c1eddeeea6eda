"""Messages of a page to the server, as validated models."""

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
"""Maximum bytes of a message: more than any note needs, too few to exhaust memory."""
Deflection = Annotated[float, Field(ge=-1.0, le=1.0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Words = Annotated[str, Field(max_length=500)]


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Painted(_Message):
    """Acknowledges that the page has drawn frame number `seq`."""

    type: Literal["painted"]
    seq: int


class Control(_Message):
    """Request or release the controls."""

    type: Literal["control"]
    hold: bool


class Focus(_Message):
    """Select the view that is shown large."""

    type: Literal["focus"]
    view: Words


class Halt(_Message):
    """Stop the robot. Allowed to every page, with or without the controls."""

    type: Literal["stop"]


class Held(_Message):
    """Current input of the operator, as `homie.studio.teleop_commands.Stick`."""

    type: Literal["stick"]
    drive: Deflection = 0.0
    turn: Deflection = 0.0
    reach: tuple[Deflection, Deflection, Deflection] = (0.0, 0.0, 0.0)
    wrist: Deflection = 0.0
    grip: Deflection = 0.0
    joints: dict[str, Annotated[tuple[Number, ...], Field(max_length=64)]] = Field(default={}, max_length=32)


class Line(_Message):
    """A typed order (`homie.studio.typed_orders`)."""

    type: Literal["line"]
    text: str = Field(max_length=MAX_TASK)


class DoIt(_Message):
    """Carry out a subtask, with the reason for it as `analysis`."""

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
    """Take over from the planner (`person`), or hand control back to it."""

    type: Literal["charge"]
    person: bool


class Said(_Message):
    """Add a note to a recording.

    Attributes:
        recording: Name of its run folder, "" for the latest recording.
    """

    type: Literal["note"]
    kind: Literal["mark", "discard", "keep", "analysis", "remark"]
    text: str = Field("", max_length=notes.LONGEST)
    round: int | None = Field(None, ge=1)
    recording: Words = ""


class Inspect(_Message):
    """Request the objects at a pixel of a picture, or the object of a name.

    Attributes:
        id: Request number, repeated in the answer.
    """

    type: Literal["inspect"]
    id: int
    view: Words = ""
    x: Share = 0.0
    y: Share = 0.0
    words: Words = ""


Message: TypeAlias = Painted | Control | Focus | Halt | Held | Line | DoIt | Start | End | Charge | Said | Inspect
_ADAPTER: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="type")])


def read_message(text: str | bytes) -> Message:
    """Parse a message of a page. Raises BadInput if it is invalid."""
    try:
        return _ADAPTER.validate_python(parse_json(text))
    except ValidationError as error:
        raise BadInput(f"The page has sent what is not a message: {first_problem(error, 'it')}.") from error
    except ValueError as error:
        raise BadInput(f"The page has sent what is not a message: {reason_of(error)}.") from error
