"""Shows the states of things in a built home: slices in the place of the whole, mud, water, heat and cold."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.looks import HOT, ICE, Group
from homie.envs.mujoco.house.index import SceneIndex

TINTS = (("heated", HOT, 0.5), ("cooled", ICE, 0.6))
"""States that colour a thing: towards which colour, and how much of it."""
SHOWN: Mapping[Group, tuple[str, bool]] = {
    "slice": ("sliced", True),
    "dirt": ("clean", False),
    "filling": ("filled", True),
}
"""Which parts are there in which state."""


class Looks:
    """The looks of the things of a model that has the parts for them."""

    def __init__(self, model: mujoco.MjModel, index: SceneIndex) -> None:
        self._model, self._groups = model, index.looks
        self._rgb, self._finish = model.geom_rgba[:, :3].copy(), model.geom_matid.copy()
        self._glow = model.material("glow").id
        bodies = {item.name: item.body for item in index.objects}
        self._whole = {
            name: [
                geom
                for geom in np.flatnonzero(model.geom_bodyid == bodies[name]).tolist()
                if not any(geom in parts for parts in groups.values())
            ]
            for name, groups in index.looks.items()
            if name in bodies
        }

    def show(self, name: str, states: Mapping[str, bool]) -> None:
        """Show a thing in its states; one without parts for them stays as it is."""
        model = self._model
        for group, geoms in self._groups.get(name, {}).items():
            state, there = SHOWN[group]
            model.geom_rgba[list(geoms), 3] = float(states[state] is there)
        whole = self._whole.get(name, [])
        if "sliced" in states:
            model.geom_rgba[whole, 3] = float(not states["sliced"])
        tinted = [*whole, *self._groups.get(name, {}).get("slice", ())]
        tint = next(((rgb, share) for state, rgb, share in TINTS if states.get(state)), None)
        rgb = self._rgb[tinted]
        model.geom_rgba[tinted, :3] = rgb if tint is None else (1.0 - tint[1]) * rgb + tint[1] * np.array(tint[0])
        model.geom_matid[tinted] = self._glow if states.get("heated") else self._finish[tinted]
