"""Whether what a planner sees of the home from sensors is consistent, and true.

In each house the robot is placed along a walk through all rooms, looks around every few steps, and everything that it
would be shown to a planner is compared with the world. Nothing is touched, so no state of a door may change.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

import homie.envs.mujoco  # noqa: F401  (before mujoco itself, whatever MUJOCO_GL says)

# isort: split
import mujoco

from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.generate.requested_changes import Variation
from homie.envs.mujoco.home.floorplan import FloorPlan
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.robots.drive import BASE_JOINTS
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.knowledge import Doorway, Knowledge, RememberedThing
from homie.kernel.types import VIEWS, Array, Observation, Pose2
from homie.kernel.world import thresholds
from perception.detectors.simulated import SimulatedDetector
from perception.locator import SensorLocator
from skills.motion.base_path_planning import CostMap, plan_path
from skills.motion.standing_places import Reachable

STEP = 0.8
"""Metres between two looks."""
RADIUS = 0.33
"""Metres that the walk keeps away from obstacles."""
FAR = 1000.0
"""Metres from the middle of the world from which each wall of a home is seen from outside."""
GO_TO = ACTION_TABLE["Go to"]


@dataclass
class Audit:
    """The faults of one house.

    Attributes:
        wrong: For each sort of fault the things that had it, with an example.
        states: Things with their states other than open and closed.
    """

    wrong: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    states: set[tuple[str, str]] = field(default_factory=set)

    def note(self, fault: str, entity: str, example: str) -> None:
        self.wrong[fault].setdefault(entity, example)


class Auditor:
    """Compares the facts that a planner would see in one house with its world, look by look."""

    def __init__(self, home: MujocoHome, locator: SensorLocator) -> None:
        self.home, self.locator = home, locator
        self.audit = Audit()
        self._states: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._bearer: dict[str, str] = {}
        self._rooms: dict[str, str | None] = {}

    def compare(self, knowledge: Knowledge, observation: Observation) -> None:
        """Take in the facts after one look."""
        self._rooms = {name: self.locator.resolve(name, GO_TO, observation) for name in knowledge.rooms}
        entities = {
            item.name: self.locator.resolve(item.name, GO_TO, observation) or "?" for item in knowledge.remembered
        }
        self._names_stay(entities, knowledge, observation)
        for item in knowledge.remembered:
            entity = entities[item.name]
            self._state_is_true(entity, item)
            self._states_are_true(entity, item)
            self._place_is_true(entity, item, entities)
            self._room_is_true(entity, item)
        for doorway in knowledge.doorways:
            self._doorway_is_true(doorway, observation)

    def _names_stay(self, entities: dict[str, str], knowledge: Knowledge, observation: Observation) -> None:
        names = [*entities, *(doorway.name for doorway in knowledge.doorways), *knowledge.rooms]
        for name in {name for name in names if names.count(name) > 1}:
            self.audit.note("two things share a name", name, name)
        places = [*(doorway.name for doorway in knowledge.doorways), *knowledge.rooms]
        meant = entities | {name: self.locator.resolve(name, GO_TO, observation) or "?" for name in places}
        for name, entity in meant.items():
            before = self._names.setdefault(entity, name)
            if before != name:
                self.audit.note("a name changes or gets a number", entity, f"{before} -> {name}")
        for name, entity in self._bearer.items():
            now = meant.get(name) or self.locator.resolve(name, GO_TO, observation)
            if now != entity and (now is not None or entity in self.locator):
                self.audit.note("a name means another thing than before", name, f"{name}: {entity} -> {now}")
        self._bearer |= {name: entity for name, entity in meant.items() if name not in self._bearer}

    def _state_is_true(self, entity: str, item: RememberedThing) -> None:
        if not item.state:
            return
        before = self._states.setdefault(entity, item.state)
        if before != item.state:
            self.audit.note("state changes although nothing moved", entity, f"{item.name}: {before} -> {item.state}")
        self._states[entity] = item.state
        true = self._state(entity)
        if item.state not in true:
            self.audit.note("state is wrong", entity, f"{item.name} ({item.state}, not {' or '.join(sorted(true))})")

    def _states_are_true(self, entity: str, item: RememberedThing) -> None:
        world = self.home.world
        having = world.household.states.get(entity, {})
        power = {"on": world.appliances.on.get(entity), "off": not world.appliances.on.get(entity, True)}
        true = power | {word: having.get(word) for word in ("clean", "filled")}
        true |= {"dirty": not having.get("clean", True), "empty": not having.get("filled", True)}
        for word in item.states:
            self.audit.states.add((entity, word))
            if not true[word]:
                self.audit.note("state is wrong", entity, f"{item.name} ({word})")

    def _state(self, entity: str) -> set[str]:
        """The words that are true of a door or drawer; two where it is at the edge between them."""
        world, true = self.home.world, set[str]()
        for part in world.receptacles[entity].articulations if entity in world.receptacles else ():
            fraction = world.openness(part)
            if fraction < 0.12:
                true.add("closed")
            if fraction > 0.03:
                true.add("ajar" if not thresholds.admits_hand(part.kind, world.opening(part) - 0.02) else "open")
            if thresholds.admits_hand(part.kind, world.opening(part) + 0.05):
                true.add("open")
        return true or {""}

    def _place_is_true(self, entity: str, item: RememberedThing, entities: dict[str, str]) -> None:
        world = self.home.world
        holder = re.sub(r"^(on|in) (the )?", "", item.place)
        held_by = entities.get(holder, "")
        if not item.place:
            return
        if entity in world.objects:
            around = [place.entity for place in world.around(entity)]
            true = bool(world.rooms.keys() & set(around)) if holder == "floor" else held_by in around
            if not true:
                self.audit.note("on or in the wrong thing", entity, f"{item.name} {item.place}, is at {around}")
        elif held_by in world.objects or not held_by:
            self.audit.note("furniture on or in an object", entity, f"{item.name} {item.place}")
        elif not self._rests_on(entity, held_by):
            self.audit.note("on or in the wrong thing", entity, f"{item.name} {item.place}")

    def _rests_on(self, entity: str, holder: str) -> bool:
        """Whether a piece of furniture stands over another."""
        world = self.home.world
        if entity not in world.receptacles or holder not in world.receptacles:
            return False
        upper, lower = (world.receptacle_box(world.receptacles[name]) for name in (entity, holder))
        bottom, top = upper.center[2] - upper.half[2], lower.center[2] + lower.half[2]
        return lower.distance(upper.center) < 0.05 and -0.4 < bottom - top < 0.1

    def _room_is_true(self, entity: str, item: RememberedThing) -> None:
        world = self.home.world
        if not item.room:
            return
        if entity in world.receptacles:
            room = world.receptacles[entity].room
        elif entity in world.objects:
            room = str(world.room_of(world.object_box(world.objects[entity]).center))
        else:
            return
        if self._rooms.get(item.room) != room:
            self.audit.note("in the wrong room", entity, f"{item.name} in the {item.room}, is in {room}")

    def _doorway_is_true(self, doorway: Doorway, observation: Observation) -> None:
        rooms = [room for room in (doorway.room, doorway.beyond) if room]
        if len(rooms) == 2 and rooms[0] == rooms[1]:
            self.audit.note("doorway joins a room to itself", doorway.name, f"{doorway.name} {rooms}")
            return
        true = self._joined(self._middle(doorway, observation))
        rooms_shown = {str(self._rooms.get(room)) for room in rooms}
        if not rooms_shown <= true:
            self.audit.note("doorway to a wrong room", doorway.name, f"{doorway.name} {rooms}, is between {true}")

    def _middle(self, doorway: Doorway, observation: Observation) -> Array:
        """Where a doorway is (2,): in the middle of the places behind it to which robots from all around would go.

        Where one robot goes does not tell: the same floor is behind one doorway and before another around the corner.
        """
        entity = str(self.locator.resolve(doorway.name, GO_TO, observation))
        behind = []
        for x, y in ((-FAR, 0.0), (FAR, 0.0), (0.0, -FAR), (0.0, FAR)):
            away = replace(observation, body=replace(observation.body, base=Pose2(x, y, 0.0)))
            behind.append(self.locator.goal(entity, GO_TO, away).position[:2])
        middle: Array = (np.min(behind, axis=0) + np.max(behind, axis=0)) / 2
        return middle

    def _joined(self, middle: Array) -> set[str]:
        """The rooms that the opening nearest to a point joins."""
        doors = self.home.scene.doorways
        away = [float(np.hypot(door.x - middle[0], door.y - middle[1])) for door in doors]
        return set(doors[int(np.argmin(away))].rooms) if doors else set()


def walk(home: MujocoHome) -> Iterator[tuple[float, float, float]]:
    """Places (x, y, yaw) on a way through all rooms and back to the first, `STEP` apart."""
    costs = CostMap.of(FloorPlan(home.world).grid(), RADIUS)
    at = home.observe().body.base
    reachable = Reachable.of(costs, at)
    free = np.argwhere(reachable.mask)
    points = costs.origin + (free[:, ::-1] + 0.5) * costs.resolution
    stops = [at.xy]
    for room in home.world.rooms.values():
        x0, y0, x1, y1 = room.rect
        for share in (0.25, 0.75):
            target = np.array([x0 + share * (x1 - x0), (y0 + y1) / 2])
            stops.append(points[int(np.argmin(np.linalg.norm(points - target, axis=1)))])
    stops.append(at.xy)
    for start, end in pairwise(stops):
        path = plan_path(costs, start, end)
        for here, there in pairwise(path if path is not None else ()):
            length = float(np.linalg.norm(there - here))
            heading = float(np.arctan2(there[1] - here[1], there[0] - here[0]))
            for part in np.arange(0.0, length, STEP):
                x, y = here + (there - here) * part / max(length, 1e-6)
                yield float(x), float(y), heading


def place_robot(home: MujocoHome, x: float, y: float, yaw: float) -> None:
    """Put the robot somewhere else (m, rad), at rest; robot time goes on by a second."""
    for name, value in zip(BASE_JOINTS, (x, y, yaw), strict=True):
        home.data.qpos[int(home.model.joint(f"robot/{name}").qposadr[0])] = value
    home.data.qvel[:] = 0.0
    home.data.time += 1.0
    mujoco.mj_forward(home.model, home.data)


def audit(seed: int, clutter: str = "tidy", objects: int = 40, *, states: bool = False) -> Audit:
    """Walk through the house of a seed and compare the facts after every look."""
    with MujocoHome(generate(seed, objects=objects, variation=Variation(clutter=clutter, states=states))) as home:
        locator, detector = SensorLocator(home), SimulatedDetector()
        locator.reset(seed=0)
        auditor = Auditor(home, locator)
        for number, (x, y, yaw) in enumerate(walk(home), 1):
            place_robot(home, x, y, yaw)
            observation = home.observe((*VIEWS, "head"))
            locator.update(observation, detector.detect(observation))
            auditor.compare(locator.knowledge(number), observation)
        return auditor.audit
