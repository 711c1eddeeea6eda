"""Appliances that are on or off: pressing the button of one toggles it, its lamps show the state."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco

from homie.envs.mujoco.house.build import Home

PRESSED, RELEASED = 0.6, 0.3
"""Fractions of a button's travel at which a press counts, and below which the next one may begin."""


class Appliances:
    """The states of a running home's appliances. Physics moves the buttons; this only watches them."""

    def __init__(self, home: Home, data: mujoco.MjData) -> None:
        self.home, self.data = home, data
        self._things = {
            piece.name: (piece, piece.appliance) for piece in home.index.receptacles if piece.appliance is not None
        }
        self.on: dict[str, bool] = {}
        self.reset()

    def reset(self) -> None:
        """As the scene spec has them; `Home.reset` has lit the lamps."""
        self.on = {name: appliance.initially_on for name, (_, appliance) in self._things.items()}
        self._held_down = dict.fromkeys(self._things, False)

    def switch(self, on: Mapping[str, bool]) -> None:
        """Show what is on and off, without a press of their buttons."""
        for name, power in on.items():
            if name in self._things and self.on[name] != power:
                self.on[name] = power
                self.home.show_power(self._things[name][0], power)

    def update(self) -> None:
        """After a control period: toggle what has been pressed since."""
        for name, (piece, appliance) in self._things.items():
            travel = float(self.data.qpos[self.home.model.jnt_qposadr[appliance.joint]]) / appliance.travel
            if travel > PRESSED and not self._held_down[name]:
                self.on[name] = not self.on[name]
                self.home.show_power(piece, self.on[name])
            self._held_down[name] = travel > (RELEASED if self._held_down[name] else PRESSED)
