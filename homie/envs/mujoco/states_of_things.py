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
"""Seconds between two looks at the rules: they are about seconds."""

PLACED = tuple(rule for rule in RULES if rule.at)
"""Rules that work by themselves, as time goes by."""

Where = Callable[[str], tuple[ReceptacleInfo, SupportSurface | None] | None]
"""Which furniture a loose thing is in or on at last, and which surface of it."""


class Household:
    """States of things other than their place: sliced, clean, filled, heated, cooled. In a home without states nothing.

    Args:
        home: The built home.
        data: Its state.
        appliances: What is on.
        where: Where loose things are.
    """

    def __init__(self, home: Home, data: mujoco.MjData, appliances: Appliances, places: Where) -> None:
        self._home, self._data, self._appliances, self._where = home, data, appliances, places
        self._objects: Mapping[str, ObjectInfo] = {item.name: item for item in home.index.objects}
        self.states: dict[str, dict[str, bool]] = {}
        self.reset()

    def reset(self) -> None:
        """As the scene spec has them."""
        self.states = {name: dict(states) for name, states in self._home.states.items()}
        self._since: dict[tuple[str, str], float] = {}
        self._looked = -np.inf
        self.show(self.states)

    def show(self, names: Iterable[str]) -> None:
        """Show the states of some things in the model."""
        for name in names:
            self._home.looks.show(name, self.states[name])

    def known(self) -> Mapping[str, Mapping[str, bool]]:
        """The states of all things that have some."""
        return {name: dict(states) for name, states in self.states.items()}

    def take(self, known: Mapping[str, Mapping[str, bool]]) -> None:
        """Take over the states that `known` returned."""
        for name, states in known.items():
            if name in self.states:
                self.states[name].update({state: bool(value) for state, value in states.items()})
        self.show(self.states)

    def state(self, name: str, state: str) -> bool | None:
        """Whether a thing is in a state, or a rule is at work on it (`heating`); None where it cannot be."""
        states = self.states.get(name, {})
        rule = next((rule for rule in PLACED if rule.process == state and rule.state in states), None)
        return states.get(state) if rule is None else self.works(rule, name)

    def update(self) -> None:
        """After a control period: apply the rules."""
        time = float(self._data.time)
        if not self.states or 0.0 <= time - self._looked < EVERY:
            return
        self._looked = time
        for name in self._objects:
            for rule in PLACED:
                if not self.works(rule, name):
                    self._since.pop((name, rule.process), None)
                elif time - self._since.setdefault((name, rule.process), time) >= rule.seconds:
                    self.become(rule, name)

    def works(self, rule: Rule, name: str) -> bool:
        """Whether a loose thing is where and as a rule asks for."""
        if rule.state not in self.states.get(name, {}) or not rule.at:
            return False
        item, place = self._objects.get(name), self._where(name)
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
        """Why a rule cannot bring a thing into its state now, as a `Failure`; "" where it can."""
        if rule.state not in self.states.get(name, {}):
            return Failure(FailureReason.CANNOT_BECOME, state=rule.state)
        if rule.at:
            return "" if self.works(rule, name) else Failure(FailureReason.NOT_READY, what=rule.asks)
        has_tool = held is not None and held != name and self._objects[held].kind in rule.tool
        tool_is_ready = has_tool and (not rule.uses or self.states[str(held)][rule.uses])
        return "" if tool_is_ready else Failure(FailureReason.NOT_READY, what=rule.asks)

    def become(self, rule: Rule, name: str, held: str | None = None) -> None:
        """Bring a thing into the state of a rule, by the held object."""
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
