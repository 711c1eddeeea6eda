"""The background locator: goals from the world state, the paper's first setting (section 4.3). Privileged.

Planners get no world state from it: their knowledge comes from the same memory of detections as in the other setting.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from homie.envs.mujoco.home.floorplan import FloorPlan
from homie.envs.mujoco.house.index import ObjectInfo, ReceptacleInfo
from homie.envs.mujoco.world import World
from homie.kernel import registry
from homie.kernel.actions import POWER, Action
from homie.kernel.interfaces import Locator, NameMatcher, kind_of
from homie.kernel.interfaces.recall import Landmark, Recall
from homie.kernel.knowledge import Knowledge
from homie.kernel.support.text import the
from homie.kernel.types import (
    FLOOR,
    Arrangement,
    Array,
    Articulation,
    Box,
    Detection,
    Goal,
    Lying,
    Observation,
    OccupancyGrid,
    Pose2,
    Surface,
)
from homie.kernel.world import thresholds

IMPOSSIBLE, UNLIKELY = 1000.0, 50.0
"""Penalties (m), added to distances, for candidates of an ambiguous name that the action cannot or may not refer to."""

SAME_PLACE = 0.5
"""Distance (m) between an entity and its remembered position up to which it is the one that the detector named."""

NEAR = 1.4
"""Distance (m) from a target within which solid things are obstacles for the skill."""

AT_HAND, BESIDE_ROBOT = 0.9, 1.1
"""Height (m) of the arm, and distance (m) from the robot within which solid things are obstacles: the arm may be folded
at any place."""

ON_FLOOR = 0.1
"""Maximum height (m) of the underside of an object on the floor."""

SPOT = 0.005
"""Half size (m) of a point-like surface: the centre of a bowl, a palm."""

STANDS = 1.2
"""Minimum ratio of height to width of an object that stands upright and can be knocked over."""

PERIOD = 0.4
"""Seconds between goals while a skill runs."""


class RobotInHome(Protocol):
    """The part of a robot that the locator uses: its world (`homie.envs.mujoco.home.home.MujocoHome`)."""

    @property
    def world(self) -> World: ...


class BackgroundLocator(Locator):
    """A locator with access to all poses. A name refers to the nearest thing that it matches."""

    name = "background"

    def __init__(self, home: RobotInHome) -> None:
        self.home = home
        self._plan: FloorPlan | None = None
        self._answered_at = -np.inf
        self._best_matches: NameMatcher = registry.load("names", "default")
        self._recall: Recall = registry.load("recall", "default")(home)
        self._passage_floors: dict[str, tuple[float, float, float, float]] = {}
        """The floor (x0, y0, x1, y1) at the far side, seen from the start, of the doorway that is the target."""

    @property
    def world(self) -> World:
        return self.home.world

    def reset(self, *, seed: int) -> None:
        self._plan = FloorPlan(self.world)
        self._answered_at = -np.inf
        self._recall.forget()
        self._passage_floors = {}

    def due(self, observation: Observation) -> tuple[str, ...] | None:
        if observation.stamp - self._answered_at < PERIOD:
            return None
        self._answered_at = observation.stamp
        return ()

    def update(self, observation: Observation, detections: Sequence[Detection]) -> None:
        """Update the planner's memory with the detections; the world state needs no update."""
        self._recall.update(observation, detections)

    def arranged(self, detections: Sequence[Detection]) -> tuple[Detection, ...]:
        return self._recall.arranged(detections)

    def objection(self, words: str, action: Action) -> str:
        return self._recall.objection(words)

    def aim(self, entity: str, action: Action, observation: Observation) -> None:
        passage = self._recall.passage(entity, observation.body.base)
        self._passage_floors = {} if passage is None else {entity: passage}
        self._recall.handles(entity if action.target == "opens" else "")
        item = self.world.objects.get(entity) if action.inventory == "takes" else None
        if item is None:
            self._recall.aim("", "", np.zeros(3))
        else:
            self._recall.aim(entity, kind_of(entity), self.world.object_box(item).center)

    def brought_about(self, entity: str, state: str) -> None:
        self._recall.brought_about(entity, state)

    def knowledge(self, round_number: int) -> Knowledge:
        return replace(self._recall.knowledge(round_number), setting="background")

    # ------------------------------------------------------------ names

    def called(self, entity: str) -> str:
        return self._recall.called(entity, kind_of(entity))

    def name_all(self, entities: Sequence[str]) -> None:
        self._recall.name_all({entity: kind_of(entity) for entity in entities})

    def resolve(self, words: str, action: Action, observation: Observation) -> str | None:
        world = self.world
        if "_" in words and any(words in catalogue for catalogue in (world.rooms, world.receptacles, world.objects)):
            return words
        landmarks = self._recall.recognise(words, observation.body.base)
        bearers = [entity for entity in map(self._entity_at, landmarks) if entity is not None]
        if len(bearers) == 1 and (landmarks[0].alone or self._may_mean(bearers[0], action)):
            return bearers[0]
        candidates = {*(item.name for item in self._best_matches(words, world.named_things())), *bearers}
        return min(sorted(candidates), key=lambda entity: self._preference(entity, action, observation), default=None)

    def _entity_at(self, landmark: Landmark) -> str | None:
        """Return the entity that a landmark of the planner's memory refers to: the nearest of its kind."""
        if self._recall.is_passage(landmark.entity):
            return landmark.entity
        named = [item for item in self.world.named_things() if item.name == landmark.entity]
        same_kind = {item.name for item in (*named, *self._best_matches(landmark.kind, self.world.named_things()))}
        center = landmark.center
        if center is None:
            return landmark.entity if named else None
        distances = {
            candidate: self._metres(candidate, center) - SAME_PLACE * (candidate == landmark.entity)
            for candidate in sorted(same_kind)
        }
        return min(distances, key=lambda candidate: distances[candidate], default=None)

    def _metres(self, entity: str, point: Array) -> float:
        """Return the distance (m) in the floor plan from a point (3,) to a thing; inf for a room."""
        return float("inf") if entity in self.world.rooms else self.world.box_of(entity).distance(point)

    def _may_mean(self, entity: str, action: Action) -> bool:
        """As `fits`, but closed or full places fit too."""
        if action.target != "place":
            return self.fits(entity, action)
        piece = self.world.receptacles.get(entity)
        return self.world.held != entity and (piece is None or bool(piece.surfaces))

    def _preference(self, entity: str, action: Action, observation: Observation) -> float:
        """Return the distance (m) with penalties for things that the action cannot refer to and for closed ones."""
        world, distance = self.world, self.distance(entity, observation)
        piece = world.receptacles.get(entity)
        if not self._may_mean(entity, action):
            distance += IMPOSSIBLE
        if action.result == "reached" and world.held is not None and piece is not None and not piece.surfaces:
            distance += UNLIKELY  # a robot with a held object goes where it can put it down
        if action.target in ("", "loose") and self.pickable(entity) and self.closed_container(entity):
            distance += UNLIKELY
        if piece is not None and piece.articulations and (action.target in ("", "place") or action.result == "closed"):
            distance += UNLIKELY if world.closed(piece) else 0.0
        return distance

    # ------------------------------------------------------------ goals

    def goal(self, entity: str, action: Action, observation: Observation) -> Goal:
        goal, base = self._goal(entity, action, observation.body.base), observation.body.base.xy
        itself = [self.world.objects[entity].body] if entity in self.world.objects else []
        hidden = [*self._moved_by(entity, action), *itself]
        solids_near_base = self.world.solids(np.array([*base, AT_HAND]), BESIDE_ROBOT, without=hidden)
        return replace(
            goal, solids=_distinct(goal.solids, solids_near_base), loose=self._movable_boxes(entity, goal.position)
        )

    def here(self, observation: Observation) -> Goal:
        return replace(super().here(observation), grid=self._floor_plan().grid())

    def _moved_by(self, entity: str, action: Action) -> list[int]:
        """Return the bodies of the doors and drawers that an action moves."""
        if action.target != "opens" or entity not in self.world.receptacles:
            return []
        return [item.body for item in self.world.receptacles[entity].articulations]

    def _movable_boxes(self, entity: str, center: Array) -> tuple[Box, ...]:
        """Return boxes of the objects that can be moved out of the way: near, in or on the target, or on the floor."""
        world = self.world
        hidden = {entity, *world.carried()}
        names = [name for name in world.objects if name not in hidden]
        return tuple(
            replace(box, name=name)
            for name, box in zip(names, world.object_boxes(names), strict=True)
            if box.distance(center) < NEAR or box.center[2] - box.half[2] < ON_FLOOR
        )

    def _goal(self, entity: str, action: Action, base: Pose2) -> Goal:
        grid = self._floor_plan().grid()
        if self.is_spot(entity):
            x0, y0, x1, y1 = self._floor_of(entity, base)
            middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2, 0.0])
            return Goal(entity, "", middle, room=(x0, y0, x1, y1), grid=grid)
        if entity in self.world.objects:
            item = self.world.objects[entity]
            return self._container_goal(item, grid) if action.target == "place" else self._object(item, grid)
        return self._receptacle(self.world.receptacles[entity], action, grid, self._moved_by(entity, action))

    def _floor_of(self, spot: str, base: Pose2) -> tuple[float, float, float, float]:
        """Return the floor (x0, y0, x1, y1) of a room, or at the far side of a doorway."""
        return self._passage_floors.get(spot) or self._recall.passage(spot, base) or self.world.rooms[spot].rect

    def _floor_plan(self) -> FloorPlan:
        if self._plan is None:
            self._plan = FloorPlan(self.world)
        return self._plan

    def _controls(self, piece: ReceptacleInfo, action: Action) -> tuple[Articulation, ...]:
        """Return the parts of furniture that the action moves: doors and drawers, or the switch."""
        world = self.world
        if action.result not in POWER:
            return tuple(world.articulation(item) for item in piece.articulations)
        return () if piece.appliance is None else (world.switch(piece.appliance),)

    def _receptacle(self, piece: ReceptacleInfo, action: Action, grid: OccupancyGrid, moved: Sequence[int]) -> Goal:
        world = self.world
        box = world.receptacle_box(piece)
        return Goal(
            piece.name,
            "",
            box.center,
            box=box,
            surfaces=self._surfaces_for_putting(piece),
            obstacles=self._things_at(piece.name),
            articulations=self._controls(piece, action),
            front=self._front(piece),
            grid=grid,
            solids=world.solids(box.center, NEAR, without=moved),
        )

    def _surfaces_for_putting(self, piece: ReceptacleInfo) -> tuple[Surface, ...]:
        """Return the surfaces for putting: accessible ones of furniture, or the palm of a hand that is held out."""
        world = self.world
        person = world.people.infos.get(piece.name)
        if person is None:
            return tuple(world.surface(piece, plan) for plan in piece.surfaces if world.accessible(piece, plan))
        palm = world.people.palm(person)
        return () if palm is None else (Surface(palm, SPOT, SPOT, world.yaw(piece.body)),)

    def _front(self, piece: ReceptacleInfo) -> float | None:
        """Return the direction (yaw, rad) of the front of furniture used from one side or of a person; else None."""
        if piece.name in self.world.people.infos:
            return self.world.yaw(piece.body)
        return piece.front if piece.articulations or surfaces_need_front(piece) else None

    def _object(self, item: ObjectInfo, grid: OccupancyGrid) -> Goal:
        """Return the goal for an object, with the surface that carries it and its neighbours there. Objects in it count
        as neighbours, objects that it is in (a bowl) do not."""
        world = self.world
        box, outwards = world.object_box(item), [place.entity for place in world.around(item.name)]
        surfaces: tuple[Surface, ...] = ()
        front: float | None = None
        receptacle, plan = world.furniture_of(item.name) or (None, None)
        if receptacle is not None and plan is not None:
            surfaces = (world.surface(receptacle, plan),)
            front = receptacle.front if plan.access == "front" else None
        return Goal(
            item.name,
            "",
            box.center,
            box,
            surfaces,
            obstacles=self._things_at(outwards[-1], but=(item.name, *outwards)),
            front=front,
            grid=grid,
            solids=world.solids(box.center, NEAR, without=[item.body]),
            parts=world.object_parts(item),
        )

    def _container_goal(self, item: ObjectInfo, grid: OccupancyGrid) -> Goal:
        """Return the goal for an object as the destination of a Put: the centre of a bowl, the top of others."""
        box = self.world.object_box(item)
        height = box.half[2] if item.hollow is None else 0.0
        spot = Surface(box.center + np.array([0.0, 0.0, height]), SPOT, SPOT, box.yaw)
        solids = self.world.solids(box.center, NEAR, without=[item.body])
        return Goal(item.name, "", box.center, box=box, surfaces=(spot,), grid=grid, solids=solids)

    def _things_at(self, entity: str, but: Collection[str] = ()) -> tuple[Box, ...]:
        """Return boxes of the objects directly or indirectly in or on a thing, without the payload."""
        world = self.world
        hidden = {*but, *world.carried()}
        return world.object_boxes([name for name in world.contents(entity) if name not in hidden])

    # ------------------------------------------------------------ questions

    def opens(self, entity: str) -> bool:
        piece = self.world.receptacles.get(entity)
        return piece is not None and bool(piece.articulations)

    def closed_container(self, entity: str) -> str | None:
        piece = self.world.receptacles.get(entity)
        if piece is None and entity in self.world.objects:
            piece = self.world.container_of(entity)
        return piece.name if piece is not None and self.world.closed(piece) else None

    def pickable(self, entity: str) -> bool:
        return entity in self.world.objects

    def is_spot(self, entity: str) -> bool:
        return entity in self.world.rooms or self._recall.is_passage(entity)

    def distance(self, entity: str, observation: Observation) -> float:
        """Return the 3-D distance (m) from the base's origin on the floor to an object's centre, or to the nearest
        point of furniture."""
        base = np.array([*observation.body.base.xy, 0.0])
        if entity in self.world.objects:
            return float(np.linalg.norm(self.world.object_box(self.world.objects[entity]).center - base))
        if self.is_spot(entity):
            x0, y0, x1, y1 = self._floor_of(entity, observation.body.base)
            return float(np.linalg.norm(base[:2] - np.clip(base[:2], (x0, y0), (x1, y1))))
        box = self.world.receptacle_box(self.world.receptacles[entity])
        height_above = max(box.center[2] - box.half[2], 0.0)
        return float(np.hypot(box.distance(base[:2]), height_above))

    def within_reach(self, entity: str, observation: Observation) -> bool:
        if not super().within_reach(entity, observation):
            return False
        if self.is_spot(entity):
            return True
        grid = self._floor_plan().grid()
        return not grid.walled(observation.body.base.xy[None], self.world.box_of(entity)).any()

    def held(self, observation: Observation) -> str | None:
        return self.world.held

    def arrangement(self, observation: Observation) -> Arrangement:
        world = self.world
        carried_names = set(world.carried())
        return Arrangement(
            openings={
                piece.name: tuple(world.openness(item) for item in piece.articulations)
                for piece in world.receptacles.values()
                if piece.articulations
            },
            things={
                name: Lying(world.place(name).entity, world.position(item.body).copy(), self._upright(item))
                for name, item in world.objects.items()
                if name not in carried_names
            },
        )

    def _upright(self, item: ObjectInfo) -> float | None:
        """Return the z component of an object's upright axis; None for objects that do not stand, such as fruit."""
        can_stand = item.hollow is not None or item.half[2] > STANDS * max(item.half[:2])
        return float(self.world.rotation(item.body)[2, 2]) if can_stand else None

    def whereabouts(self, entity: str, observation: Observation) -> str:
        if entity not in self.world.objects:
            return ""
        place = self.world.place(entity)
        if place.entity in self.world.rooms or place.entity == FLOOR:
            return "on the floor"
        return f"{place.relation} {the(self.called(place.entity))}"

    def has_place(self, entity: str) -> bool:
        piece = self.world.receptacles.get(entity)
        if piece is None:
            return entity in self.world.objects
        return any(self.world.accessible(piece, plan) for plan in piece.surfaces)

    def placed(self, thing: str | None, entity: str, observation: Observation) -> bool | None:
        return thing is not None and self.world.held is None and self.world.within(thing, entity)

    def state(self, entity: str, state: str, observation: Observation) -> bool | None:
        if entity in self.world.people.infos:
            return self.world.people.state(entity, state, self.world.held)
        piece = self.world.receptacles.get(entity)
        if state in POWER:
            is_on = self.world.appliances.on.get(entity)
            return None if is_on is None else is_on is POWER[state]
        if state not in ("open", "closed"):
            return self.world.household.state(entity, state)
        if piece is None or not piece.articulations:
            return None
        opening = max(self.world.openness(item) for item in piece.articulations)
        return thresholds.is_open(opening) if state == "open" else thresholds.is_closed(opening)


def _distinct(first: Sequence[Box], second: Sequence[Box]) -> tuple[Box, ...]:
    """Concatenate boxes without duplicates."""
    return tuple({(*box.center.tolist(), *box.half.tolist()): box for box in (*first, *second)}.values())


def surfaces_need_front(piece: ReceptacleInfo) -> bool:
    """Whether some of its surfaces can only be reached through its front."""
    return any(plan.access == "front" for plan in piece.surfaces)
