"""Power states of appliances: pressing an appliance's button toggles its power, which its lamps show."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco

from homie.envs.mujoco.house.build import Home

PRESSED, RELEASED = 0.6, 0.3
"""Fractions of a button's travel: above the first a press is detected, below the second the button is released."""


class Appliances:
    """Power states of a running home's appliances. Physics moves the buttons; this class only monitors them."""

    def __init__(self, home: Home, data: mujoco.MjData) -> None:
        self.home, self.data = home, data
        self._appliances = {
            piece.name: (piece, piece.appliance) for piece in home.index.receptacles if piece.appliance is not None
        }
        self.on: dict[str, bool] = {}
        self.reset()

    def reset(self) -> None:
        """Reset to the states of the scene spec; `Home.reset` has already updated the lamps."""
        self.on = {name: appliance.initially_on for name, (_, appliance) in self._appliances.items()}
        self._held_down = dict.fromkeys(self._appliances, False)

    def switch(self, on: Mapping[str, bool]) -> None:
        """Set the power of appliances and show it, without moving their buttons."""
        for name, power in on.items():
            if name in self._appliances and self.on[name] != power:
                self.on[name] = power
                self.home.show_power(self._appliances[name][0], power)

    def update(self) -> None:
        """Toggle the appliances whose buttons were pressed in the last control period."""
        for name, (piece, appliance) in self._appliances.items():
            travel = float(self.data.qpos[self.home.model.jnt_qposadr[appliance.joint]]) / appliance.travel
            if travel > PRESSED and not self._held_down[name]:
                self.on[name] = not self.on[name]
                self.home.show_power(piece, self.on[name])
            self._held_down[name] = travel > (RELEASED if self._held_down[name] else PRESSED)
