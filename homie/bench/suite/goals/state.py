"""The state of the world as goals see it: a snapshot (`final_state.json`), and what words mean in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, Field, ValidationError

from homie.kernel.errors import BadInput

ANYTHING, EVERYTHING, NOTHING = "anything", "everything", "nothing"
"""Words of goals: every loose object; all that opens; an empty hand."""

Word = Annotated[str, Field(min_length=1)]
Words = Word | Annotated[tuple[Word, ...], Field(min_length=1)]


class ObjectState(BaseModel):
    """A loose object: its kind and what it is directly `in` or `on` (`held`: in the hand)."""

    kind: str
    relation: Literal["in", "on", "held"]
    at: str
    room: str | None = None


class JointState(BaseModel):
    """A door or a drawer: whose it is, and how far open as a fraction of its range."""

    receptacle: str
    fraction: float


class FixedState(BaseModel):
    """A thing that nothing moves, in or on which objects may be: its kind."""

    kind: str


class RobotState(BaseModel):
    """Where the robot stands."""

    room: str | None = None


class State(BaseModel):
    """What goals ask of a snapshot of the world (`final_state.json`). The rest of the snapshot is ignored.

    success: whether the task that the scene itself sets is done; None where a scene sets none.
    """

    objects: dict[str, ObjectState] = {}
    fixed: dict[str, FixedState] = {}
    joints: dict[str, JointState] = {}
    appliances: dict[str, bool] = {}
    held: str | None = None
    robot: RobotState = RobotState()
    success: bool | None = None

    def meant(self, words: Words) -> list[str]:
        """The loose objects that words mean."""
        return [name for name, thing in self.objects.items() if means(words, name, thing.kind)]

    def is_in_or_on(self, name: str, place: str, relations: tuple[str, ...]) -> bool:
        """Whether an object is there, by itself or in or on another that is: an apple in a bowl on the table."""
        seen: set[str] = set()
        while name in self.objects and name not in seen:
            seen.add(name)
            thing = self.objects[name]
            under = self.objects.get(thing.at) or self.fixed.get(thing.at)
            kind = under.kind if under is not None else ""
            if thing.relation in relations and means(place, thing.at, kind):
                return True
            name = thing.at
        return False

    def fractions(self, word: str) -> list[list[float]]:
        """How far the doors and drawers of each receptacle are open that a word means. Raises BadInput for none."""
        found: dict[str, list[float]] = {}
        for joint in self.joints.values():
            if word == EVERYTHING or means(word, joint.receptacle):
                found.setdefault(joint.receptacle, []).append(joint.fraction)
        if not found:
            raise BadInput(f"The goal asks whether '{word}' is open or closed, and no such thing opens.")
        return list(found.values())

    def powered(self, word: str) -> list[bool]:
        """Whether each appliance that a word means is on. Raises BadInput for none."""
        found = [on for name, on in self.appliances.items() if means(word, name)]
        if not found:
            raise BadInput(f"The goal asks whether '{word}' is turned on, and there is no such appliance.")
        return found


def means(words: Words, name: str, kind: str = "") -> bool:
    """Whether one of the words means the thing of this name and kind."""
    unnumbered = re.sub(r"_\d+$", "", name)
    given = (words,) if isinstance(words, str) else words
    return any(word in (name, unnumbered, kind) or (word == ANYTHING and bool(kind)) for word in given)


def read_state(snapshot: Mapping[str, object], source: str = "final_state.json") -> State:
    """The state behind a snapshot of the world. Raises BadInput if it is none."""
    try:
        return State.model_validate(snapshot)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadInput(f"{source} is no snapshot that goals can be read from: {where}: {first['msg']}.") from error
