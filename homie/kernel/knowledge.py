"""Knowledge of the home for a planner, beyond the current pictures: rooms, doorways, and objects seen before.

All of it is remembered from detections, depth and odometry, in every setting the same way; none of it is world state.
Planners may use every name in it in an answer: the locator that supplied it resolves it
(`homie.kernel.interfaces.Locator`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

CONTRARY: Mapping[str, str] = {
    "on": "off",
    "off": "on",
    "dirty": "clean",
    "clean": "dirty",
    "filled": "empty",
    "empty": "filled",
}
"""Visible states of objects other than open and closed, each with its opposite."""


@dataclass(frozen=True, slots=True)
class RememberedThing:
    """An object or piece of furniture seen in this episode, including those in sight now.

    Attributes:
        name: `apple`, or with a number if several of one name are known: `kitchen counter 2`. It stays the same for
            the episode.
        room: The room that it is in, "" if not known.
        place: What it is on or in: `on the kitchen table`, `in the fridge`; "" if not known.
        seen: The round in which it was last seen.
        state: State of its door or drawer when last seen well enough; "" without door and drawer, and if it only seems
            to be open from afar.
        states: Words of `CONTRARY`, as last seen or as caused by the robot; if neither a word nor its contrary is
            listed, the state is not known.
    """

    name: str
    room: str = ""
    place: str = ""
    seen: int = 0
    state: Literal["", "open", "ajar", "closed"] = ""
    states: tuple[str, ...] = ()

    @property
    def whereabouts(self) -> str:
        """Place and room as far as they are known: `on the sofa in the living room`."""
        return " ".join(filter(None, (self.place, f"in the {self.room}" if self.room else "")))


@dataclass(frozen=True, slots=True)
class Doorway:
    """A doorway, which can be the target of Go to.

    Attributes:
        name: `doorway 2`.
        room, beyond: The room from which it was first seen, and the room on its other side; "" if not known.
        explored: Whether the robot has seen it from both sides, or has looked around in both rooms: there is nothing
            new beyond.
    """

    name: str
    room: str = ""
    beyond: str = ""
    explored: bool = False


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Knowledge of the home in one round.

    Attributes:
        setting: Possible targets of Go to: in `background` anything in the home, in `sensors` what has been seen; ""
            for robots with another setting.
        room: The room that the robot is in, "" if not known.
        rooms: The known rooms, with the robot's own first.
        remembered: Furniture, then loose objects without the held one, each in the order in which they were first seen.
        taken: Objects that the robot has picked up, in this order, each with its place before: a planner that has to
            put an object there, or back, can no longer see where it was.
    """

    setting: Literal["", "background", "sensors"] = ""
    room: str = ""
    rooms: tuple[str, ...] = ()
    doorways: tuple[Doorway, ...] = ()
    remembered: tuple[RememberedThing, ...] = ()
    taken: tuple[RememberedThing, ...] = ()
