"""The frozen episodes of `homie-vigil`: house, initial pose, instruction, and goal."""

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
"""Number of loose objects per house, of the household's catalogue: this many are nearly all of different kinds."""

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
"""Maximum number of invalid actions. Our choice: the numbers of the paper's table are not known to us."""


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Target(_Frozen):
    """The objects of a target: every object of a kind; for furniture, only in rooms of one kind."""

    kind: str
    room: str | None = None

    @property
    def words(self) -> str:
        """The target in an instruction: `the cabinet in the bedroom`."""
        return f"the {self.kind.replace('_', ' ')}" + (f" in the {self.room}" if self.room else "")


class Goal(_Frozen):
    """Goal: the state that any of the target's objects has to reach.

    Attributes:
        destination: Target place, for `placed`.
    """

    state: State
    target: Target
    destination: Target | None = None


class Setup(_Frozen):
    """Changes to the house of a seed: doors, power, the held object, and objects on the floor.

    Attributes:
        doors: Whether open, by furniture.
        power: Whether on, by appliance.
        held: Name of the held object.
        floor: X, y (m) and yaw (rad), by object.
    """

    doors: dict[str, bool] = {}
    power: dict[str, bool] = {}
    held: str | None = None
    floor: dict[str, tuple[float, float, float]] = {}


class FrozenEpisode(_Frozen):
    """Specification of one episode.

    Attributes:
        house: Seed of the house.
        start: X, y (m), yaw and downward tilt of the head (rad).
        label: The hidden state, in state verification.
        stratum: Stratum within the family; strata are filled evenly.
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
        """Family, from the first letters of the id."""
        return Family[self.id.partition("-")[0]]


EPISODES = TypeAdapter(tuple[FrozenEpisode, ...])


@cache
def all_episodes() -> tuple[FrozenEpisode, ...]:
    """All frozen episodes, in the order of their ids."""
    return EPISODES.validate_json(FILE.read_bytes())


def choose(families: Sequence[str], number: int | None) -> tuple[FrozenEpisode, ...]:
    """Choose episodes of some families (all if none is named): the first `number` of each.

    Raises:
        BadInput: there is no such family.
    """
    names = {family.name for family in Family}
    wrong = [name for name in families if name not in names]
    if wrong:
        raise BadInput(f"There is no family '{wrong[0]}': choose among {', '.join(sorted(names))}.")
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
