"""State of a simulated world at one moment: `WorldSnapshot`, the same for every environment.

```
environment --WorldState.snapshot()--> WorldSnapshot --Condition.holds--> whether a task is done
                                             |
                                             +--to_json--> final_state.json --read_snapshot--> WorldSnapshot
```

An environment fills in the fields that it knows and leaves out the rest: a grid world has no poses, a table no rooms.
Names are those of the environment. Metres, radians, world frame (x, y on the floor, z up), quaternions w, x, y, z.

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
"""Version of the JSON format. Homie 0.1 wrote version 1 (without the field), with the states `on` and `wiped` in groups
of their own."""

Number = Annotated[float, Field(allow_inf_nan=False)]
Vector: TypeAlias = tuple[Number, Number, Number]
Relation: TypeAlias = Literal["in", "on", "under", "held"]
State: TypeAlias = bool | Annotated[float, Field(ge=0.0, le=1.0)]
"""Whether an entity is in a state (`on`, `sliced`), or the fraction of it that is (`wiped`: 0.95)."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True)


class ThingState(_Model):
    """An entity of the world.

    Attributes:
        kind: Its kind (`apple` for `apple_2`).
        position: Position of its centre; with quaternion and half (half extents along its own axes) its bounding box.
        states: States other than its place, by name: `on`, `wiped`, `sliced`.
        rgb: Colour in drawings, each from 0 to 255.
    """

    kind: str
    colour: str = ""
    room: str | None = None
    position: Vector | None = None
    quaternion: tuple[Number, Number, Number, Number] | None = None
    half: Vector | None = None
    states: Mapping[str, State] = {}
    receives: Literal["in", "on"] | None = None
    """Relation of objects that are put there; None if nothing can be put there, or if it is not known."""
    rgb: tuple[int, int, int] | None = None


class ObjectState(ThingState):
    """A loose object, and the entity that it is directly in, on or under, or held by (`robot`, or a person).

    Attributes:
        surface: Part of that entity, if it has several: a shelf of a fridge, the compartment of a sorter.
    """

    relation: Relation
    at: str
    surface: str = ""


class FixedState(ThingState):
    """A fixed entity: furniture, a container that is screwed to its table, the floor."""


class PersonState(ThingState):
    """A person.

    Attributes:
        posture: `standing`, `sitting`.
        gesture: `none`, `pointing`, `hand_out`.
        points_at: The entity pointed at, None for none.
        shown: The objects that were shown to the person.
        followed: Whether the robot has followed the person to where they walked; None for a person who stays.
    """

    posture: str = ""
    gesture: str = ""
    points_at: str | None = None
    shown: tuple[str, ...] = ()
    followed: bool | None = None


class RoomState(_Model):
    """A room.

    Attributes:
        floor: Rectangle (x0, y0, x1, y1) between its walls, m.
    """

    kind: str
    floor: tuple[Number, Number, Number, Number] | None = None


class JointState(_Model):
    """A door, a drawer or a lid: its receptacle, its opening as a fraction of its range, and in rad or metres."""

    receptacle: str
    fraction: Number
    opening: Number | None = None


class RobotState(_Model):
    """Room and pose of the robot's base."""

    room: str | None = None
    x: Number | None = None
    y: Number | None = None
    yaw: Number | None = None


class TaskCondition(_Model):
    """A condition of a scene's own task, in the format of suite files (docs/suites.md), and whether it is met."""

    condition: Mapping[str, Any]
    met: bool


class WorldSnapshot(_Model):
    """State of the world at one moment.

    Attributes:
        objects: Loose objects, which can be picked up.
        fixed: Furniture and other fixed entities.
        people: People.
        held: The held object.
        instruction, conditions, success: The scene's own task as text, its conditions, and whether it is done; success
            is None for a scene without a task.
        extras: Further data of an environment, JSON-serializable; not used by other modules. Numbers in it that are not
            finite, such as those of a joint that is not measured, are left out.
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
        return {name: _drop_nonfinite(value) for name, value in extras.items() if not _is_nonfinite(value)}

    @property
    def things(self) -> dict[str, ThingState]:
        """All named entities except rooms."""
        return {**self.fixed, **self.people, **self.objects}

    def around(self, name: str) -> Iterator[ObjectState]:
        """Yield an object, then the object that it is in, on or under, and so on outwards: an apple, its bowl.

        Terminates even if objects contain each other in a cycle.
        """
        seen: set[str] = set()
        while name in self.objects and name not in seen:
            seen.add(name)
            yield self.objects[name]
            name = self.objects[name].at

    def to_json(self) -> dict[str, Any]:
        """Return the content of `final_state.json`: the fields set by the environment, and the format version."""
        return {"format": FORMAT, **self.model_dump(mode="json", exclude_unset=True)}


def _is_nonfinite(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def _drop_nonfinite(value: Any) -> Any:
    """Remove numbers that are not finite; in a list they become None, so that the others keep their places."""
    if isinstance(value, Mapping):
        return {name: _drop_nonfinite(item) for name, item in value.items() if not _is_nonfinite(item)}
    if isinstance(value, list | tuple):
        return [None if _is_nonfinite(item) else _drop_nonfinite(item) for item in value]
    return value


def round_numbers(values: Iterable[float]) -> Any:
    """Round numbers to five decimals, as a tuple: a hundredth of a millimetre is below all accuracies here."""
    return tuple(round(float(value), 5) for value in values)


def read_snapshot(content: Mapping[str, Any], source: str = "final_state.json") -> WorldSnapshot:
    """Parse a snapshot from its JSON form.

    Args:
        content: Output of `WorldSnapshot.to_json`, or the content of a `final_state.json`; other keys are ignored.
        source: Name of the source in errors.

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
        return WorldSnapshot.model_validate(_upgrade_format_1(content) if number == 1 else content)
    except ValidationError as error:
        raise BadInput(f"{source} is not a snapshot of a world: {first_problem(error)}.") from error


def _upgrade_format_1(content: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a snapshot of Homie 0.1, without its conditions, so that old run folders can be compared and shown."""
    states = {"appliances": "on", "wiped": "wiped"}
    groups = [content.get(name, {}) for name in ("fixed", *states)]
    if not all(isinstance(group, Mapping) for group in groups):
        return dict(content)
    fixed: dict[str, Any] = dict(groups[0])
    for state, group in zip(states.values(), groups[1:], strict=True):
        for name, value in group.items():
            fixed[name] = {"kind": name, **fixed.get(name, {}), "states": {state: value}}
    return {**content, "fixed": fixed, "conditions": ()}
