"""Colours of the furniture of a generated house."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homie.envs.mujoco.blueprints.catalog import FURNITURE
from homie.kernel.options import Furnishing


@dataclass(slots=True, kw_only=True)
class ColourScheme:
    """Colours of a house: one for the kitchen, and a different one for every table and cabinet, so that a name with a
    colour is unambiguous."""

    rng: np.random.Generator
    furnishing: Furnishing
    kitchen: str
    tables: list[str]
    cabinets: list[str]
    wood: str

    @classmethod
    def draw(cls, rng: np.random.Generator, furnishing: Furnishing) -> ColourScheme:
        """Sample a scheme for a house with `usual` or `household` furniture."""

        def shuffled_colours(kind: str) -> list[str]:
            colours = FURNITURE[kind].colours
            return [colours[k] for k in rng.permutation(len(colours))]

        woods = ("wood", "white", "brown")
        return cls(
            rng=rng,
            furnishing=furnishing,
            kitchen=shuffled_colours("sink")[0],
            tables=shuffled_colours("table"),
            cabinets=shuffled_colours("cabinet"),
            wood=woods[int(rng.integers(3))],
        )

    def table(self) -> str:
        """The next table's colour."""
        return self.tables.pop()

    def cabinet(self) -> str:
        """The next cabinet's colour."""
        return self.cabinets.pop()

    def any(self, kind: str) -> str:
        """Any colour of a kind."""
        colours = FURNITURE[kind].colours
        return colours[int(self.rng.integers(len(colours)))]
