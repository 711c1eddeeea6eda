"""The background locator of a symbolic world: answers all questions of error detection from the world's snapshot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from homie.kernel import registry
from homie.kernel.actions import POWER, Action
from homie.kernel.interfaces import Locator, NameMatcher, WorldState
from homie.kernel.interfaces.simulator_abilities import named_things
from homie.kernel.support.text import the
from homie.kernel.types import Detection, Goal, Observation, Surface
from homie.kernel.world import thresholds
from homie.kernel.world.snapshot import ThingState, Vector, WorldSnapshot

UNFIT, HIDDEN = 1000.0, 50.0
"""Distance penalties (m) for a thing that the action does not apply to, and for one in a closed container: among things
with the same name, those that fit the action come first, then those that are accessible."""


class SymbolicLocator(Locator):
    """A locator with access to the world state. A name refers to the nearest thing that it matches."""

    name = "background"

    def __init__(self, robot: WorldState) -> None:
        self._robot = robot
        self._best_matches: NameMatcher = registry.load("names", "default")

    @property
    def _world(self) -> WorldSnapshot:
        return self._robot.snapshot()

    def reset(self, *, seed: int) -> None:
        """Do nothing: the locator has no memory."""

    def update(self, observation: Observation, detections: Sequence[Detection]) -> None:
        """Do nothing: the world state needs no images."""

    def arranged(self, detections: Sequence[Detection]) -> tuple[Detection, ...]:
        """Rename detections to the names of the world: its images have labels, and their colours mean nothing."""
        return tuple(replace(seen, name=self.called(seen.instance) or seen.name) for seen in detections)

    def called(self, entity: str) -> str:
        """Return the kind of a thing if it is the only one of its kind, else its name: both resolve to it."""
        things = self._world.things
        if entity not in things:
            return ""
        kind = things[entity].kind
        is_unique = sum(item.kind == kind for item in things.values()) == 1
        return (kind if is_unique else entity).replace("_", " ")

    def resolve(self, words: str, action: Action, observation: Observation) -> str | None:
        world = self._world
        nameable_things = named_things(world)
        if any(item.name == words for item in nameable_things):
            return words
        candidates = sorted(item.name for item in self._best_matches(words, nameable_things))
        return min(candidates, key=lambda entity: self._preference(entity, action, observation), default=None)

    def _preference(self, entity: str, action: Action, observation: Observation) -> float:
        fits = self.fits(entity, action) and not (action.target == "place" and entity == self._world.held)
        hidden = action.target in ("", "loose") and self.closed_container(entity) not in (None, entity)
        return self.distance(entity, observation) + (0.0 if fits else UNFIT) + (HIDDEN if hidden else 0.0)

    def goal(self, entity: str, action: Action, observation: Observation) -> Goal:
        at = _point(self._world, entity)
        center = np.zeros(3) if at is None else np.array(at)
        surfaces = (Surface(center, 0.2, 0.2, 0.0),) if self.has_place(entity) else ()
        return Goal(entity, "", center, surfaces=surfaces)

    def has_place(self, entity: str) -> bool:
        item = self._world.things.get(entity)
        return item is not None and item.receives is not None

    # ------------------------------------------------------------ questions

    def opens(self, entity: str) -> bool:
        return any(joint.receptacle == entity for joint in self._world.joints.values())

    def closed_container(self, entity: str) -> str | None:
        world = self._world
        for place in (entity, *(item.at for item in world.around(entity))):
            fractions = [joint.fraction for joint in world.joints.values() if joint.receptacle == place]
            if fractions and thresholds.is_closed(max(fractions)):
                return place
        return None

    def pickable(self, entity: str) -> bool:
        return entity in self._world.objects

    def is_spot(self, entity: str) -> bool:
        return entity in self._world.rooms

    def distance(self, entity: str, observation: Observation) -> float:
        """Return the distance (m) on the floor. Without positions everything but other rooms is within reach and not
        too close."""
        world = self._world
        at, robot = _point(world, entity), world.robot
        if at is None or robot.x is None or robot.y is None:
            is_in_room = entity not in world.rooms or entity == robot.room
            return thresholds.TOO_CLOSE if is_in_room else thresholds.REACH + 1.0
        return max(thresholds.TOO_CLOSE, float(np.hypot(at[0] - robot.x, at[1] - robot.y)))

    def held(self, observation: Observation) -> str | None:
        return self._world.held

    def placed(self, thing: str | None, entity: str, observation: Observation) -> bool | None:
        world = self._world
        return thing is not None and world.held is None and entity in [item.at for item in world.around(thing)]

    def whereabouts(self, entity: str, observation: Observation) -> str:
        item = self._world.objects.get(entity)
        if item is None or item.relation == "held":
            return ""
        return f"{item.relation} {the(self.called(item.at) or item.at.replace('_', ' '))}"

    def state(self, entity: str, state: str, observation: Observation) -> bool | None:
        world = self._world
        if state in ("open", "closed"):
            fractions = [joint.fraction for joint in world.joints.values() if joint.receptacle == entity]
            if not fractions:
                return None
            return thresholds.is_open(max(fractions)) if state == "open" else thresholds.is_closed(max(fractions))
        states = world.things[entity].states if entity in world.things else {}
        if state in POWER:
            return None if "on" not in states else thresholds.is_so("on", states["on"]) is POWER[state]
        return None if state not in states else thresholds.is_so(state, states[state])


def _point(world: WorldSnapshot, entity: str) -> Vector | None:
    """Return an entity's own position, else that of what it is in, on, under or held by; for a room its centre."""
    if entity in world.rooms:
        floor = world.rooms[entity].floor
        return None if floor is None else ((floor[0] + floor[2]) / 2, (floor[1] + floor[3]) / 2, 0.0)
    return next((item.position for item in _enclosing_things(world, entity) if item.position is not None), None)


def _enclosing_things(world: WorldSnapshot, entity: str) -> Iterator[ThingState]:
    places = [entity, *(item.at for item in world.around(entity))]
    yield from (world.things[place] for place in places if place in world.things)
