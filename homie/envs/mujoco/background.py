"""The background locator: goals from world state, the paper's first setting (section 4.3). Privileged."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from homie import registry
from homie.envs.mujoco.floorplan import FloorPlan
from homie.envs.mujoco.home import MujocoHome
from homie.envs.mujoco.index import ObjectInfo, ReceptacleInfo
from homie.envs.mujoco.resting import Place
from homie.envs.mujoco.world import World
from homie.interfaces import Locator, NameMatcher
from homie.types import Array, Box, Detection, Goal, Observation, OccupancyGrid, Subtask, Surface

OPEN_ENOUGH = 0.5
"""Fraction of its range from which a door or drawer counts as opened by Open."""

IMPOSSIBLE, UNLIKELY = 1000.0, 50.0
"""Metres that a meaning of ambiguous words is put off by."""

NEAR = 1.4
"""Metres around a target within which solid things are told to the skill."""

AT_HAND, BESIDE_ROBOT = 0.9, 1.1
"""Height of the arm and metres around it within which solid things are told: it is folded wherever the robot is."""

ON_FLOOR = 0.1
"""Height (m) of its underside up to which a thing lies on the floor."""

SHUT = 0.06
"""Fraction of its range up to which it counts as closed by Close."""
PERIOD = 0.4
"""Seconds between goals while a skill runs."""


class BackgroundLocator(Locator):
    """Knows where everything is. Names mean the nearest thing they fit."""

    name = "background"

    def __init__(self, home: MujocoHome) -> None:
        self.home = home
        self._plan: FloorPlan | None = None
        self._told = -np.inf
        self._best_matches: NameMatcher = registry.load("names", "default")

    @property
    def world(self) -> World:
        return self.home.world

    def reset(self, *, seed: int) -> None:
        self._plan = FloorPlan(self.world)
        self._told = -np.inf

    def due(self, observation: Observation) -> tuple[str, ...] | None:
        if observation.stamp - self._told < PERIOD:
            return None
        self._told = observation.stamp
        return ()

    def update(self, observation: Observation, detections: Sequence[Detection]) -> None:
        """World state needs no telling."""

    # ------------------------------------------------------------ names

    def resolve(self, name: str, subtask: Subtask, observation: Observation) -> str | None:
        meant = self._best_matches(name, self.world.named_things())
        entities = sorted(thing.name for thing in meant)
        return min(entities, key=lambda entity: self._preference(entity, subtask, observation), default=None)

    def _preference(self, entity: str, subtask: Subtask, observation: Observation) -> float:
        """Metres, with what the action can not mean put last, and shut things after open ones."""
        world, distance = self.world, self.distance(entity, observation)
        thing = world.receptacles.get(entity)
        if subtask.action == "Pick" and not self.pickable(entity):
            distance += IMPOSSIBLE
        if subtask.action in ("Open", "Close") and not self.opens(entity):
            distance += IMPOSSIBLE
        if subtask.action == "Put" and (world.held == entity or (thing is not None and not thing.surfaces)):
            distance += IMPOSSIBLE
        if subtask.action in ("Go to", "Pick") and self.pickable(entity) and self.closed_container(entity):
            distance += UNLIKELY
        if thing is not None and thing.articulations and subtask.action in ("Go to", "Put", "Close"):
            distance += UNLIKELY if world.closed(thing) else 0.0
        return distance

    # ------------------------------------------------------------ goals

    def goal(self, entity: str, subtask: Subtask, observation: Observation) -> Goal:
        goal, base = self._goal(entity, subtask), observation.body.base.xy
        panels = self._moved_by(entity, subtask)
        hidden = [*panels, *self._bodies(self._with_contents(entity))]
        here = self.world.solids(np.array([*base, AT_HAND]), BESIDE_ROBOT, without=hidden)
        return replace(goal, solids=_distinct(goal.solids, here), loose=self._loose(entity, goal.position))

    def _moved_by(self, entity: str, subtask: Subtask) -> list[int]:
        """Bodies of the doors and drawers that a subtask moves."""
        if subtask.action not in ("Open", "Close") or entity not in self.world.receptacles:
            return []
        return [item.body for item in self.world.receptacles[entity].articulations]

    def _with_contents(self, entity: str) -> list[str]:
        """An object, and what is in it and goes with it; nothing for furniture and rooms."""
        world = self.world
        inside = [name for name in world.objects if Place("in", entity) in world.around(name)]
        return [entity, *inside] if entity in world.objects else []

    def _bodies(self, names: Sequence[str]) -> list[int]:
        return [self.world.objects[name].body for name in names]

    def _loose(self, entity: str, center: Array) -> tuple[Box, ...]:
        """What could be moved out of the way: near a target, and on the floor; not what is in the target."""
        world = self.world
        hidden = {*self._with_contents(entity), *world.carried()}
        names = [name for name in world.objects if name not in hidden]
        return tuple(
            replace(box, name=name)
            for name, box in zip(names, world.object_boxes(names), strict=True)
            if box.distance(center) < NEAR or box.center[2] - box.half[2] < ON_FLOOR
        )

    def _goal(self, entity: str, subtask: Subtask) -> Goal:
        grid, text = self._floor_plan().grid(), str(subtask)
        if entity in self.world.rooms:
            x0, y0, x1, y1 = self.world.rooms[entity].rect
            middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2, 0.0])
            return Goal(entity, text, middle, room=(x0, y0, x1, y1), grid=grid)
        if entity in self.world.objects:
            thing = self.world.objects[entity]
            if subtask.action == "Put":
                return self._into(thing, text, grid)
            return self._object(thing, text, grid)
        moved = self._moved_by(entity, subtask)
        return self._receptacle(self.world.receptacles[entity], text, grid, moved)

    def _floor_plan(self) -> FloorPlan:
        if self._plan is None:
            self._plan = FloorPlan(self.world)
        return self._plan

    def _receptacle(self, thing: ReceptacleInfo, text: str, grid: OccupancyGrid, moved: Sequence[int]) -> Goal:
        world = self.world
        box = world.receptacle_box(thing)
        return Goal(
            thing.name,
            text,
            box.center,
            box=box,
            surfaces=tuple(world.surface(thing, plan) for plan in thing.surfaces if world.accessible(thing, plan)),
            obstacles=self._things_at(thing.name),
            articulations=tuple(world.articulation(item) for item in thing.articulations),
            front=thing.front if thing.articulations or surfaces_need_front(thing) else None,
            grid=grid,
            solids=world.solids(box.center, NEAR, without=moved),
        )

    def _object(self, thing: ObjectInfo, text: str, grid: OccupancyGrid) -> Goal:
        """A loose object, with the surface that carries it and its neighbours there: what it is in, as a bowl, is none
        of them, what is in it is."""
        world = self.world
        box, outwards = world.object_box(thing), [place.entity for place in world.around(thing.name)]
        under: tuple[Surface, ...] = ()
        front: float | None = None
        receptacle, plan = world.furniture_of(thing.name) or (None, None)
        if receptacle is not None and plan is not None:
            under = (world.surface(receptacle, plan),)
            front = receptacle.front if plan.access == "front" else None
        return Goal(
            thing.name,
            text,
            box.center,
            box,
            under,
            obstacles=self._things_at(outwards[-1], but=(thing.name, *outwards)),
            front=front,
            grid=grid,
            solids=world.solids(box.center, NEAR, without=self._bodies(self._with_contents(thing.name))),
            parts=world.object_parts(thing),
        )

    def _into(self, thing: ObjectInfo, text: str, grid: OccupancyGrid) -> Goal:
        """A bowl or another thing as the destination of a Put: its middle, a little above its bottom."""
        box = self.world.object_box(thing)
        up = box.half[2] if thing.hollow is None else 0.0
        spot = Surface(box.center + np.array([0.0, 0.0, up]), 0.005, 0.005, box.yaw)
        solids = self.world.solids(box.center, NEAR, without=[thing.body])
        return Goal(thing.name, text, box.center, box=box, surfaces=(spot,), grid=grid, solids=solids)

    def _things_at(self, entity: str, but: Collection[str] = ()) -> tuple[Box, ...]:
        """Boxes of the objects in or on a thing, nested ones too, without what is carried."""
        world = self.world
        hidden = {*but, *world.carried()}
        names = [name for name in world.objects if name not in hidden and world.within(name, entity)]
        return world.object_boxes(names)

    # ------------------------------------------------------------ questions

    def opens(self, entity: str) -> bool:
        thing = self.world.receptacles.get(entity)
        return thing is not None and bool(thing.articulations)

    def closed_container(self, entity: str) -> str | None:
        thing = self.world.receptacles.get(entity)
        if thing is None and entity in self.world.objects:
            thing = self.world.container_of(entity)
        return thing.name if thing is not None and self.world.closed(thing) else None

    def pickable(self, entity: str) -> bool:
        return entity in self.world.objects

    def is_spot(self, entity: str) -> bool:
        return entity in self.world.rooms

    def distance(self, entity: str, observation: Observation) -> float:
        """3-D from the base's origin on the floor: to an object's centre, to the nearest point of furniture."""
        base = np.array([*observation.body.base.xy, 0.0])
        if entity in self.world.objects:
            return float(np.linalg.norm(self.world.object_box(self.world.objects[entity]).center - base))
        if entity in self.world.rooms:
            x0, y0, x1, y1 = self.world.rooms[entity].rect
            return float(np.linalg.norm(base[:2] - np.clip(base[:2], (x0, y0), (x1, y1))))
        box = self.world.receptacle_box(self.world.receptacles[entity])
        above = max(box.center[2] - box.half[2], 0.0)
        return float(np.hypot(box.distance(base[:2]), above))

    def held(self, observation: Observation) -> str | None:
        return self.world.held

    def verify(self, subtask: Subtask, entity: str, held: str | None, observation: Observation) -> bool | None:
        world = self.world
        if subtask.action == "Go to":
            return self.arrived(entity, observation)
        if subtask.action == "Pick":
            return world.held == entity
        if subtask.action == "Put":
            return held is not None and world.held is None and world.within(held, entity)
        if subtask.action in ("Open", "Close"):
            parts = [world.openness(item) for item in world.receptacles[entity].articulations]
            return max(parts) >= OPEN_ENOUGH if subtask.action == "Open" else max(parts) <= SHUT
        return None


def _distinct(near: Sequence[Box], more: Sequence[Box]) -> tuple[Box, ...]:
    """Boxes without those that come twice."""
    return tuple({(*box.center, *box.half): box for box in (*near, *more)}.values())


def surfaces_need_front(thing: ReceptacleInfo) -> bool:
    """Whether some of its surfaces can only be reached through its front."""
    return any(plan.access == "front" for plan in thing.surfaces)
