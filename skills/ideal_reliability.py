"""Success probabilities of skills by action: the file format, and sampling from it.

format: 1
source: forty episodes in our kitchen       # optional: where the numbers are from
actions:
  Pick: {success: 0.8}                      # of an attempt; an action that is not listed always succeeds
  Put: {success: 0.9, failure: E2}          # E2: the released object lies on the floor
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from homie.kernel.actions import ACTION_TABLE, ACTIONS
from homie.kernel.errors import suggestion
from homie.kernel.support.checksums import sha256
from homie.kernel.support.documents import load_yaml
from homie.kernel.support.files import reading
from homie.kernel.support.plain_numbers import PlainNumbers

PACKAGED = {"emmoe": Path(__file__).with_name("ideal_emmoe.yaml")}
"""Files that ship with Homie, by name."""


class Chance(PlainNumbers, BaseModel):
    """Success and failure of one action.

    Attributes:
        success: The probability that an attempt succeeds.
        failure: Effect of a failure: nothing (E1), or the object is lost (E2).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    success: float = Field(ge=0.0, le=1.0)
    failure: Literal["E1", "E2"] = "E1"


class Reliability(BaseModel):
    """The content of a file.

    Attributes:
        source: Origin of its numbers.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1] = 1
    source: str = ""
    actions: Mapping[str, Chance] = {}

    @model_validator(mode="after")
    def _check_actions(self) -> Reliability:
        actions = [action for action in ACTIONS if action != "End"]
        for action, chance in self.actions.items():
            if action not in actions:
                hint = suggestion(action, actions, f"there are {', '.join(actions)}")
                raise ValueError(f"there is no skill '{action}' ({hint})")
            if chance.failure == "E2" and ACTION_TABLE[action].inventory != "gives":
                raise ValueError(f"{action} cannot fail with E2: only what is put can be lost")
        return self

    def chance(self, action: str) -> Chance:
        """Return the chance of an action by its name."""
        return self.actions.get(action, CERTAIN)


CERTAIN = Chance(success=1.0)


def read_reliability(argument: str) -> tuple[Reliability, str]:
    """Read the reliabilities named by `ideal:ARGUMENT`, a file or one that ships with Homie; return them and the file's
    SHA-256.

    Without an argument every action succeeds. Raises BadInput if there is no such file, or it is invalid.
    """
    if not argument:
        return Reliability(), ""
    path = PACKAGED.get(argument, Path(argument))
    advice = f"Give a file of probabilities (docs/skills.md), or {', '.join(PACKAGED)}."
    with reading(path, "the reliabilities", advice=advice):
        content = load_yaml(path)
        return Reliability.model_validate(content), sha256(path)


class SuccessSampler:
    """Samples the success of attempts in an episode. Each action has its own rng: two planners in an episode of the
    same seed have the same luck with their third Pick, whatever else they do."""

    def __init__(self, reliability: Reliability, seed: int) -> None:
        self._reliability, self._seed = reliability, seed
        self._rng: dict[str, np.random.Generator] = {}

    def succeeds(self, action: str) -> bool:
        """Sample whether the next attempt of an action succeeds."""
        rng = self._rng.setdefault(action, np.random.default_rng([self._seed, zlib.crc32(action.encode())]))
        return bool(rng.random() < self._reliability.chance(action).success)

    def loses(self, action: str) -> bool:
        """Whether a failure of an action loses the held object."""
        return self._reliability.chance(action).failure == "E2"

    def describe_chance(self, action: str) -> str:
        """Return the chance of an action, in words: `Pick succeeds with a probability of 0.22`."""
        return f"{action} succeeds with a probability of {self._reliability.chance(action).success:.2g}"
