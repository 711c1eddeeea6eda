"""The frozen episodes of `homie-vigil`: which house, where the robot begins, what is asked, and when it is done."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter

from homie.kernel.errors import BadInput
from suites.published.vigil_episode import Family, Status

FILE = Path(__file__).with_name("homie-vigil.json")
OBJECTS = 24
"""Loose things in each house: of the household's catalogue, where this many are nearly all of different kinds."""

State = Literal["grounded", "near", "seen", "held", "placed", "open", "closed", "on", "off"]

INVALID_LIMITS = {
    Family.PG: 2,
    Family.DA: 3,
    Family.VS: 3,
    Family.SV: 2,
    Family.AI: 5,
    Family.SI: 5,
    Family.SM: 5,
    Family.CR: 5,
}
"""The most invalid actions. They are ours: the paper has them in a table whose numbers we do not know."""


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Target(_Frozen):
    """What is meant: every thing of a kind, of furniture that in rooms of one kind."""

    kind: str
    room: str | None = None

    @property
    def words(self) -> str:
        """As an instruction says it: `the cabinet in the bedroom`."""
        return f"the {self.kind.replace('_', ' ')}" + (f" in the {self.room}" if self.room else "")


class Goal(_Frozen):
    """What has to be so of any thing that is meant.

    Attributes:
        destination: Where, of `placed`.
    """

    state: State
    target: Target
    destination: Target | None = None


class Setup(_Frozen):
    """How the house differs from that of its seed: doors, power, the held object, what stands on the floor.

    Attributes:
        doors: Open or not, by furniture.
        power: On or not.
        held: In the hand.
        floor: X, y (m) and yaw, by things.
    """

    doors: dict[str, bool] = {}
    power: dict[str, bool] = {}
    held: str | None = None
    floor: dict[str, tuple[float, float, float]] = {}


class FrozenEpisode(_Frozen):
    """One episode.

    Attributes:
        house: The seed.
        start: X, y (m), yaw and how far the head looks down (rad).
        label: The hidden state, in state verification.
        stratum: Within its family, which are filled evenly.
    """

    id: str
    house: int
    start: tuple[float, float, float, float]
    instruction: str
    goal: Goal
    setup: Setup = Setup()
    label: Status | None = None
    stratum: str

    @property
    def family(self) -> Family:
        """By the first letters of its id."""
        return Family[self.id.partition("-")[0]]


EPISODES = TypeAdapter(tuple[FrozenEpisode, ...])


@cache
def all_episodes() -> tuple[FrozenEpisode, ...]:
    """All frozen episodes, in the order of their ids."""
    return EPISODES.validate_json(FILE.read_bytes())


def choose(families: Sequence[str], number: int | None) -> tuple[FrozenEpisode, ...]:
    """Episodes of some families (all where none is named), the first so many of each.

    Raises:
        BadInput: there is no such family.
    """
    known = {family.name for family in Family}
    wrong = [name for name in families if name not in known]
    if wrong:
        raise BadInput(f"There is no family '{wrong[0]}': choose among {', '.join(sorted(known))}.")
    chosen: list[FrozenEpisode] = []
    for family in Family:
        if not families or family.name in families:
            chosen += [episode for episode in all_episodes() if episode.family is family][:number]
    if not chosen:
        raise BadInput(f"There are no episodes of {', '.join(families)}: choose other --families.")
    return tuple(chosen)


def digest(episodes: Sequence[FrozenEpisode]) -> str:
    """SHA-256 of episodes."""
    return hashlib.sha256(EPISODES.dump_json(tuple(episodes))).hexdigest()
