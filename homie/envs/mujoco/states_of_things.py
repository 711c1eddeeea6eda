"""The states of things in a running home, and the rules by which they change (`homie.kernel.world.household_verbs`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import mujoco
import numpy as np

from homie.envs.mujoco.appliance_switches import Appliances
from homie.envs.mujoco.house.build import Home
from homie.envs.mujoco.house.index import ObjectInfo, ReceptacleInfo, SupportSurface
from homie.envs.mujoco.resting import UPRIGHT
from homie.kernel.types import Failure, FailureReason
from homie.kernel.world import thresholds
from homie.kernel.world.household_verbs import RULES, Rule

EVERY = 0.2
"""Seconds between two evaluations of the rules, whose durations are in seconds."""

PLACED = tuple(rule for rule in RULES if rule.at)
"""Rules that act by themselves over time while a thing is at a place."""

Where = Callable[[str], tuple[ReceptacleInfo, SupportSurface | None] | None]
"""Maps the name of a loose thing to the furniture that it is in or on, directly or indirectly, and the surface."""


class Household:
    """States of things other than their place: sliced, clean, filled, heated, cooled. Empty in a home without states.

    Args:
        home: The built home.
        data: Its state.
        appliances: Power states of the appliances.
        places: Returns the furniture and surface of a loose thing.
    """

    def __init__(self, home: Home, data: mujoco.MjData, appliances: Appliances, places: Where) -> None:
        self._home, self._data, self._appliances, self._furniture_of = home, data, appliances, places
        self._objects: Mapping[str, ObjectInfo] = {item.name: item for item in home.index.objects}
        self.states: dict[str, dict[str, bool]] = {}
        self.reset()

    def reset(self) -> None:
        """Reset to the states of the scene spec."""
        self.states = {name: dict(states) for name, states in self._home.states.items()}
        self._process_starts: dict[tuple[str, str], float] = {}
        self._last_update = -np.inf
        self.show(self.states)

    def show(self, names: Iterable[str]) -> None:
        """Show the states of some things in the model."""
        for name in names:
            self._home.looks.show(name, self.states[name])

    def known(self) -> Mapping[str, Mapping[str, bool]]:
        """Return the states of all things that have any."""
        return {name: dict(states) for name, states in self.states.items()}

    def take(self, known: Mapping[str, Mapping[str, bool]]) -> None:
        """Restore the states that `known` returned."""
        for name, states in known.items():
            if name in self.states:
                self.states[name].update({state: bool(value) for state, value in states.items()})
        self.show(self.states)

    def state(self, name: str, state: str) -> bool | None:
        """Whether a thing is in a state, or a rule is acting on it (`heating`); None for states that it cannot have."""
        states = self.states.get(name, {})
        rule = next((rule for rule in PLACED if rule.process == state and rule.state in states), None)
        return states.get(state) if rule is None else self.works(rule, name)

    def update(self) -> None:
        """Apply the rules, after a control period."""
        time = float(self._data.time)
        if not self.states or 0.0 <= time - self._last_update < EVERY:
            return
        self._last_update = time
        for name in self._objects:
            for rule in PLACED:
                if not self.works(rule, name):
                    self._process_starts.pop((name, rule.process), None)
                elif time - self._process_starts.setdefault((name, rule.process), time) >= rule.seconds:
                    self.become(rule, name)

    def works(self, rule: Rule, name: str) -> bool:
        """Whether a loose thing meets a rule's conditions on place, appliance, doors and orientation."""
        if rule.state not in self.states.get(name, {}) or not rule.at:
            return False
        item, place = self._objects.get(name), self._furniture_of(name)
        if item is None or place is None or place[0].kind not in rule.at:
            return False
        piece, surface = place
        return (
            (not rule.surface or (surface is not None and surface.name == rule.surface))
            and (not rule.on or self._appliances.on.get(piece.name, False))
            and (
                not rule.shut
                or all(thresholds.is_closed(self._openness(piece, k)) for k in range(len(piece.articulations)))
            )
            and (not rule.upright or float(self._data.xmat[item.body][8]) > UPRIGHT)
        )

    def refuses(self, rule: Rule, name: str, held: str | None) -> str:
        """Explain why a rule cannot bring a thing into its state now, as a `Failure`; "" if it can."""
        if rule.state not in self.states.get(name, {}):
            return Failure(FailureReason.CANNOT_BECOME, state=rule.state)
        if rule.at:
            return "" if self.works(rule, name) else Failure(FailureReason.NOT_READY, what=rule.asks)
        has_tool = held is not None and held != name and self._objects[held].kind in rule.tool
        tool_is_ready = has_tool and (not rule.uses or self.states[str(held)][rule.uses])
        return "" if tool_is_ready else Failure(FailureReason.NOT_READY, what=rule.asks)

    def become(self, rule: Rule, name: str, held: str | None = None) -> None:
        """Bring a thing into the state of a rule, using the held object as the tool."""
        states = self.states[name]
        changes = {rule.state: True, **{state: False for state in rule.ends if state in states}}
        if any(states[state] is not value for state, value in changes.items()):
            states.update(changes)
            self.show([name])
        if rule.uses and held is not None:
            self.states[held][rule.uses] = False
            self.show([held])

    def _openness(self, piece: ReceptacleInfo, number: int) -> float:
        item = piece.articulations[number]
        return item.opening(self._data.qpos[self._home.model.jnt_qposadr[item.joint]]) / item.range
