"""Names of objects for a planner: those it has been given, or unambiguous ones."""

from __future__ import annotations

import re

from homie.kernel.actions import ACTION_TABLE
from homie.kernel.interfaces import WorldModel
from homie.kernel.types import Observation

OPEN = ACTION_TABLE["Open"]


def name_of(entity: str, world: WorldModel, observation: Observation) -> str:
    """Return an unambiguous name of an entity, since the planner has to act on it: the name that the planner was given,
    else `fridge` for `fridge_1` where that is the only one, else the exact name."""
    if called := world.called(entity):
        return called
    number_match = re.fullmatch(r"(.+)_(\d+)", entity)
    if number_match is None:
        return entity.replace("_", " ")
    kind, number = number_match.groups()
    other = f"{kind}_{'2' if number == '1' else '1'}"
    resolved = world.resolve(other, OPEN, observation)
    return entity if resolved == other else kind.replace("_", " ")
