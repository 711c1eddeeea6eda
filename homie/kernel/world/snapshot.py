"""What a simulator knows of its world at one moment: `WorldSnapshot`, the same for every environment.

```
environment --WorldState.snapshot()--> WorldSnapshot --Condition.holds--> whether a task is done
                                             |
                                             +--to_json--> final_state.json --read_snapshot--> WorldSnapshot
```

An environment fills in what it knows and leaves out the rest: a grid world has no poses, a table no rooms. Names are
those of the environment's own things. Metres, radians, world frame (x, y on the floor, z up), quaternions w, x, y, z.

>>> world = WorldSnapshot(
...     objects={"apple_1": ObjectState(kind="apple", relation="in", at="bowl_1"),
...              "bowl_1": ObjectState(kind="bowl", relation="on", at="table")},
...     fixed={"table": FixedState(kind="table")},
... )
>>> print(*(place.at for place in world.around("apple_1")))
bowl_1 table
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from homie.kernel.errors import BadInput
from homie.kernel.support.validation_sentences import first_problem

FORMAT = 2
"""Of the JSON form. Homie 0.1 wrote 1 (without saying so): what is on and what is wiped stood apart from the things."""

Number = Annotated[float, Field(allow_inf_nan=False)]
Vector: TypeAlias = tuple[Number, Number, Number]
Relation: TypeAlias = Literal["in", "on", "under", "held"]
State: TypeAlias = bool | Annotated[float, Field(ge=0.0, le=1.0)]
"""Whether something is so (`on`, `sliced`), or how much of it is, as a share (`wiped`: 0.95)."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True)


class ThingState(_Model):
    """A thing of the world.

    Attributes:
        kind: What it is an example of (`apple` for `apple_2`).
        position: Of its middle; with quaternion and half (half its sizes along its own axes) it says which box the
            thing fills.
        states: States other than its place, as words: `on`, `wiped`, `sliced`.
        rgb: How to draw it, each from 0 to 255.
    """

    kind: str
    colour: str = ""
    room: str | None = None
    position: Vector | None = None
    quaternion: tuple[Number, Number, Number, Number] | None = None
    half: Vector | None = None
    states: Mapping[str, State] = {}
    receives: Literal["in", "on"] | None = None
    """How things lie that are put there, None where nothing can be put (or nobody knows)."""
    rgb: tuple[int, int, int] | None = None


class ObjectState(ThingState):
    """A loose thing, and what it is directly in, on or under, or held by (`robot`, or a person).

    Attributes:
        surface: Which part of that, where it has several: a shelf of a fridge, the compartment of a sorter.
    """

    relation: Relation
    at: str
    surface: str = ""


class FixedState(ThingState):
    """A thing that nothing moves: furniture, a container that is screwed to its table, the floor."""


class PersonState(ThingState):
    """A person.

    Attributes:
        posture: `standing`, `sitting`.
        gesture: `none`, `pointing`, `hand_out`.
        points_at: The thing, None for nothing.
        shown: The things that it was shown.
        followed: Whether the robot has followed it to where it walked; None for one who stays where it is.
    """

    posture: str = ""
    gesture: str = ""
    points_at: str | None = None
    shown: tuple[str, ...] = ()
    followed: bool | None = None


class RoomState(_Model):
    """A room.

    Attributes:
        floor: X0, y0, x1, y1 between its walls, m.
    """

    kind: str
    floor: tuple[Number, Number, Number, Number] | None = None


class JointState(_Model):
    """A door, a drawer or a lid: whose it is, how far open as a fraction of its range, and in rad or metres."""

    receptacle: str
    fraction: Number
    opening: Number | None = None


class RobotState(_Model):
    """Where the robot stands."""

    room: str | None = None
    x: Number | None = None
    y: Number | None = None
    yaw: Number | None = None


class TaskCondition(_Model):
    """A condition of the task that a scene sets, as a suite file writes it (docs/suites.md), and whether it is met."""

    condition: Mapping[str, Any]
    met: bool


class WorldSnapshot(_Model):
    """The world at one moment.

    Attributes:
        objects: What can be taken.
        fixed: What stays where it is.
        people: Who is there.
        held: The object in the hand.
        instruction, conditions, success: The task that the scene itself sets, in words, by its parts, and whether it is
            done; success is None where a scene sets none.
        extras: Further data of an environment, JSON-ready; nothing else reads it. Numbers in it that are not finite, as
            of a joint that nobody has measured, are left out.
    """

    objects: Mapping[str, ObjectState] = {}
    fixed: Mapping[str, FixedState] = {}
    people: Mapping[str, PersonState] = {}
    rooms: Mapping[str, RoomState] = {}
    joints: Mapping[str, JointState] = {}
    held: str | None = None
    robot: RobotState = RobotState()
    instruction: str = ""
    conditions: tuple[TaskCondition, ...] = ()
    success: bool | None = None
    extras: Mapping[str, Any] = {}

    @field_validator("extras")
    @classmethod
    def _finite(cls, extras: Mapping[str, Any]) -> dict[str, Any]:
        return {name: _without_infinite(value) for name, value in extras.items() if not _is_unknown(value)}

    @property
    def things(self) -> dict[str, ThingState]:
        """Everything that has a name and is not a room."""
        return {**self.fixed, **self.people, **self.objects}

    def around(self, name: str) -> Iterator[ObjectState]:
        """An object, then the object that it is in, on or under, and so on outwards: an apple, its bowl.

        It ends, also where things are said to carry each other in a ring.
        """
        seen: set[str] = set()
        while name in self.objects and name not in seen:
            seen.add(name)
            yield self.objects[name]
            name = self.objects[name].at

    def to_json(self) -> dict[str, Any]:
        """The content of `final_state.json`: what the environment has filled in, and the format's number."""
        return {"format": FORMAT, **self.model_dump(mode="json", exclude_unset=True)}


def _is_unknown(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def _without_infinite(value: Any) -> Any:
    """Data without what is not finite; in a list, where it has a place, that is None."""
    if isinstance(value, Mapping):
        return {name: _without_infinite(item) for name, item in value.items() if not _is_unknown(item)}
    if isinstance(value, list | tuple):
        return [None if _is_unknown(item) else _without_infinite(item) for item in value]
    return value


def rounded(values: Iterable[float]) -> Any:
    """Numbers as a tuple, to the fifth digit: a hundredth of a millimetre is less than anything here is known to."""
    return tuple(round(float(value), 5) for value in values)


def read_snapshot(content: Mapping[str, Any], source: str = "final_state.json") -> WorldSnapshot:
    """The snapshot behind its JSON form.

    Args:
        content: what `WorldSnapshot.to_json` returned, or the content of a `final_state.json`; other keys are ignored.
        source: what to call it in an error.

    Returns:
        The snapshot.

    Raises:
        BadInput: It is not a snapshot, or one of a later format.
    """
    if not isinstance(content, Mapping):
        raise BadInput(f"{source} is not a snapshot of a world: it is not a mapping.")
    number = content.get("format", 1)
    if number not in (1, FORMAT):
        raise BadInput(f"{source} is a snapshot of format {number}, and this Homie reads formats 1 and {FORMAT}.")
    try:
        return WorldSnapshot.model_validate(_first_format(content) if number == 1 else content)
    except ValidationError as error:
        raise BadInput(f"{source} is not a snapshot of a world: {first_problem(error)}.") from error


def _first_format(content: Mapping[str, Any]) -> dict[str, Any]:
    """A snapshot as Homie 0.1 kept it: run folders of then can be compared and shown. Its conditions are left out."""
    states = {"appliances": "on", "wiped": "wiped"}
    groups = [content.get(name, {}) for name in ("fixed", *states)]
    if not all(isinstance(group, Mapping) for group in groups):
        return dict(content)
    fixed: dict[str, Any] = dict(groups[0])
    for state, group in zip(states.values(), groups[1:], strict=True):
        for name, value in group.items():
            fixed[name] = {"kind": name, **fixed.get(name, {}), "states": {state: value}}
    return {**content, "fixed": fixed, "conditions": ()}
