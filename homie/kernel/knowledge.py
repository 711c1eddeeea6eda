"""Knowledge of the home for a planner, beyond what it sees now: rooms, doorways, and things seen before.

All of it is remembered from detections, depth and odometry, in every setting the same way; none of it is world state.
Every name in it may be used in an answer: the locator that wrote it understands it (`homie.kernel.interfaces.Locator`).
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
"""Words for visible states of things other than open and closed, each with its opposite."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A thing that was seen in this episode, what is in sight now included.

    Attributes:
        name: `apple`, or with a number where several of one name are known: `kitchen counter 2`. It stays the same for
            the episode.
        room: Where it is, "" if not known.
        place: On or in what, `on the kitchen table`, `in the fridge`, "" if not known.
        seen: The round in which it was last seen.
        state: Of what has a door or a drawer, as it was last seen well enough; "" for what has none, and where it seems
            open from afar.
        states: Words of `CONTRARY`, as it was last seen or as the robot has brought about; without a word and its
            contrary nobody knows.
    """

    name: str
    room: str = ""
    place: str = ""
    seen: int = 0
    state: Literal["", "open", "ajar", "closed"] = ""
    states: tuple[str, ...] = ()

    @property
    def whereabouts(self) -> str:
        """`on the sofa in the living room`, as far as it is known."""
        return " ".join(filter(None, (self.place, f"in the {self.room}" if self.room else "")))


@dataclass(frozen=True, slots=True)
class Doorway:
    """A way through a wall: a target of Go to.

    Attributes:
        name: `doorway 2`.
        room: The room it was first seen from, beyond: the one on its other side, "" if not known.
        explored: The robot has seen it from both sides, or has looked around in both rooms: there is nothing new
            beyond.
    """

    name: str
    room: str = ""
    beyond: str = ""
    explored: bool = False


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is known of the home in one round.

    Attributes:
        setting: What Go to can find: in `background` anything in the home, in `sensors` what has been seen; "" where a
            robot has a setting of its own.
        room: Where the robot is, "" if not known.
        rooms: Those that are known, the one it is in first.
        remembered: Furniture before loose objects, each in the order in which they were first seen; what is in the hand
            is not among them.
        taken: Objects that the robot has taken, in the order of that, each with where it was before: a planner that is
            to put something there, or back, cannot see it any more.
    """

    setting: Literal["", "background", "sensors"] = ""
    room: str = ""
    rooms: tuple[str, ...] = ()
    doorways: tuple[Doorway, ...] = ()
    remembered: tuple[Remembered, ...] = ()
    taken: tuple[Remembered, ...] = ()
