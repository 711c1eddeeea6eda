"""Symbolic home of rooms, furniture, objects and one hand. Deterministic, without geometry, fast.

Robot, detector, locator and skill set are real ones for the real executor and agent loop; only the physics is a table.
Distances are constants: 0.8 m to the place where the robot stands, 4 m in the same room, 10 m and more elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from error_detection import execution, paper_order
from homie.kernel.actions import Action
from homie.kernel.agent import run_episode
from homie.kernel.episode_rules import EpisodeRules
from homie.kernel.executor import Executor
from homie.kernel.interfaces import Detector, EpisodeListener, ErrorCheck, Listeners, Locator, Planner, Robot, Skill
from homie.kernel.look_and_detect import Senses
from homie.kernel.robot.body import RobotSpec
from homie.kernel.skill_table import SkillTable
from homie.kernel.types import (
    VIEWS,
    CameraFrame,
    Command,
    Detection,
    EpisodeResult,
    Failure,
    FailureReason,
    Goal,
    GripperState,
    Intrinsics,
    NamedThing,
    Observation,
    Outcome,
    Pose,
    Pose2,
    Proprioception,
    Subtask,
)
from perception.names import best_matches

NEAR, ROOM, FAR = 0.8, 4.0, 10.0
_CAMERA = Intrinsics(128.0, 128.0, 128.0, 128.0, 256, 256)
_BLANK = np.zeros((256, 256, 3), dtype=np.uint8)
_ORIGIN = Pose(np.zeros(3), np.eye(3))


@dataclass
class Furniture:
    """A receptacle. `closed` is None if it has nothing that opens."""

    name: str
    room: str
    colour: str | None = None
    closed: bool | None = None
    flat: bool = True

    @property
    def kind(self) -> str:
        return self.name.rstrip("0123456789_")


@dataclass
class Thing:
    """A loose object. `place` is furniture, another object, a room (on its floor), or "hand"."""

    name: str
    place: str
    colour: str | None = None

    @property
    def kind(self) -> str:
        return self.name.rstrip("0123456789_")


@dataclass
class World:
    """State of the world and place of the robot. Rooms are in a row: each has a view of its neighbours' floors."""

    rooms: tuple[str, ...]
    furniture: dict[str, Furniture]
    things: dict[str, Thing]
    at: str
    distances: dict[str, float] = field(default_factory=dict)

    def room_of(self, entity: str) -> str:
        while entity not in self.rooms:
            if entity == "hand":
                return self.room_of(self.at)
            entity = self.furniture[entity].room if entity in self.furniture else self.things[entity].place
        return entity

    def support(self, entity: str) -> str:
        """Return the furniture or room that supports an entity."""
        while entity in self.things:
            entity = self.things[entity].place
        return entity

    def hidden(self, entity: str) -> bool:
        place = self.support(entity)
        return entity != place and place in self.furniture and self.furniture[place].closed is True

    def held(self) -> str | None:
        return next((thing.name for thing in self.things.values() if thing.place == "hand"), None)

    def distance(self, entity: str) -> float:
        if entity in self.distances:
            return self.distances[entity]
        if entity == self.at or self.support(entity) in (self.support(self.at), "hand"):
            return NEAR
        here, there = self.rooms.index(self.room_of(self.at)), self.rooms.index(self.room_of(entity))
        return ROOM if here == there else FAR + abs(here - there)

    def visible(self) -> list[str]:
        here = self.rooms.index(self.room_of(self.at))
        rooms = [room for room in self.rooms if abs(self.rooms.index(room) - here) <= 1]
        inside = [name for name in (*self.furniture, *self.things) if self.room_of(name) == self.rooms[here]]
        return rooms + [name for name in inside if not self.hidden(name)]


def home() -> World:
    """Make a home of three rooms, with objects in closed fridge, drawer and cabinet, two apples, four cans."""
    furniture = (
        Furniture("kitchen_counter_1", "kitchen", "gray"),
        Furniture("fridge_1", "kitchen", "white", closed=True),
        Furniture("drawer_1", "kitchen", closed=True),
        Furniture("sink_1", "kitchen"),
        Furniture("table_1", "living room", "brown"),
        Furniture("table_2", "living room", "blue"),
        Furniture("sofa_1", "living room", "gray"),
        Furniture("lamp_1", "living room", flat=False),
        Furniture("bed_1", "bedroom", "navy"),
        Furniture("cabinet_1", "bedroom", "white", closed=True),
    )
    things = (
        Thing("apple_1", "kitchen_counter_1", "red"),
        Thing("apple_2", "table_1", "red"),
        Thing("banana_1", "fridge_1", "yellow"),
        Thing("lemon_1", "table_1", "yellow"),
        Thing("bowl_1", "sink_1", "red"),
        Thing("sponge_1", "drawer_1", "yellow"),
        Thing("mug_1", "bed_1", "blue"),
        Thing("potted_meat_can_1", "table_2", "green"),
        Thing("tomato_soup_can_1", "table_2", "red"),
        Thing("cracker_box_1", "cabinet_1", "red"),
        Thing("sugar_box_1", "sofa_1", "yellow"),
    )
    return World(
        ("kitchen", "living room", "bedroom"),
        {piece.name: piece for piece in furniture},
        {item.name: item for item in things},
        at="bedroom",
    )


class TextRobot(Robot):
    """Robot without joints. Each observation advances time by one second."""

    spec = RobotSpec(name="text", groups=(), period=1.0)

    def __init__(self, world: World) -> None:
        self.world = world
        self._stamp = 0.0

    def _restart(self, *, seed: int) -> None:
        self._stamp = 0.0

    def measured(self) -> Proprioception:
        hand = GripperState(0.0, holding=self.world.held() is not None)
        return Proprioception(Pose2(0, 0, 0), grippers={"hand": hand})

    def observe(self, cameras: Collection[str] = ()) -> Observation:
        self._stamp += 1.0
        frames = {name: CameraFrame(name, _BLANK, None, _CAMERA, _ORIGIN) for name in cameras}
        return Observation(self._stamp, self.measured(), frames)

    def _send(self, command: Command) -> None:
        """Nothing to move."""

    def _halt(self) -> None:
        """Nothing to stop: it never moves by itself."""

    def close(self) -> None:
        """Nothing to release."""


class TextDetector(Detector):
    """Detector of all entities in the room. Furniture has a box each; objects are within the box of their support."""

    name = "text"

    def __init__(self, world: World) -> None:
        self.world = world

    def detect(self, observation: Observation) -> tuple[Detection, ...]:
        if not observation.frames:
            return ()
        visible = self.world.visible()
        detections, slots = [], list(self.world.furniture)
        for name in visible:
            if name in self.world.rooms:
                detections.append(Detection(name, "front", (0, 200, 256, 256), part="floor", instance=name))
                continue
            support = self.world.support(name)
            slot = slots.index(support) if support in slots else len(slots)
            view, x = VIEWS[slot % 4], 80 * (slot // 4)
            if name in self.world.furniture:
                detections.append(Detection(self.label(name), view, (x, 100, x + 60, 160), instance=name))
            elif self.world.things[name].place != "hand":
                detections.append(Detection(self.label(name), view, (x + 20, 90, x + 30, 105), instance=name))
        return tuple(detections)

    def label(self, name: str) -> str:
        furniture = self.world.furniture.get(name)
        if furniture is None:
            return self.world.things[name].kind.replace("_", " ")
        colour = f"{furniture.colour} " if furniture.colour and furniture.kind in ("table", "cabinet", "sofa") else ""
        return colour + furniture.kind.replace("_", " ")


class TextLocator(Locator):
    """Locator of this world: of all entities (background), or only of those seen so far (sensors)."""

    def __init__(self, world: World, *, sensors: bool = False) -> None:
        self.world = world
        self.sensors = sensors
        self.seen: set[str] = set()

    def reset(self, *, seed: int) -> None:
        self.seen.clear()

    def update(self, observation: Observation, detections: Sequence[Detection]) -> None:
        self.seen.update(detection.instance for detection in detections)

    def resolve(self, words: str, action: Action, observation: Observation) -> str | None:
        world = self.world
        things = [NamedThing(room, room) for room in world.rooms]
        things += [NamedThing(f.name, f.kind, f.colour, (), f.room) for f in world.furniture.values()]
        things += [NamedThing(t.name, t.kind, t.colour) for t in world.things.values()]
        candidates = [thing for thing in things if not self.sensors or thing.name in self.seen]
        matches = [thing.name for thing in best_matches(words, candidates)]
        return min(matches, key=world.distance, default=None)

    def goal(self, entity: str, action: Action, observation: Observation) -> Goal:
        return Goal(entity, "", np.zeros(3))

    def has_place(self, entity: str) -> bool:
        flat = entity in self.world.furniture and self.world.furniture[entity].flat
        return flat or (entity in self.world.things and self.world.things[entity].kind in ("bowl", "mug"))

    def opens(self, entity: str) -> bool:
        return entity in self.world.furniture and self.world.furniture[entity].closed is not None

    def closed_container(self, entity: str) -> str | None:
        place = self.world.support(entity)
        furniture = self.world.furniture.get(place)
        return place if furniture is not None and furniture.closed else None

    def pickable(self, entity: str) -> bool:
        return entity in self.world.things

    def is_spot(self, entity: str) -> bool:
        return entity in self.world.rooms

    def distance(self, entity: str, observation: Observation) -> float:
        return self.world.distance(entity)

    def held(self, observation: Observation) -> str | None:
        return self.world.held()

    # Effects of skills cannot be observed here: they are assumed.

    def arrived(self, entity: str, observation: Observation) -> bool | None:
        return None

    def holds(self, entity: str, observation: Observation) -> bool | None:
        return None


class TextSkill(Skill):
    """Skill that changes the table at once. `clumsy` lists the attempts (from 1) that fail, `drops` the puts that end
    on the floor. `behind` maps objects that cannot be picked to the object that blocks them while it is at the same
    place; if the blocker is not an object of the world, the failure only says that the target cannot be reached."""

    name = "text"

    def __init__(self, world: World, actions: tuple[str, ...]) -> None:
        self.world = world
        self.actions = actions
        self.clumsy: set[int] = set()
        self.drops: set[int] = set()
        self.behind: dict[str, str] = {}
        self._blocked_by = ""
        self._about: tuple[str, ...] = ()
        self._count = 0
        self._outcome = Outcome.RUNNING

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        self._count += 1
        self._outcome = Outcome.SUCCEEDED
        world = self.world
        held = world.held()
        self._blocked_by = self._blocked(goal.name) if subtask.action == "Pick" else ""
        if self._count in self.drops and subtask.action == "Put" and held:
            world.things[held].place = world.room_of(world.at)
            self._outcome = Outcome.FAILED
        elif self._count in self.clumsy or self._blocked_by:
            self._outcome = Outcome.FAILED
        elif subtask.action == "Go to":
            world.at = goal.name
        elif subtask.action == "Pick":
            world.at = world.support(goal.name)
            world.things[goal.name].place = "hand"
        elif subtask.action == "Put":
            assert held is not None
            world.things[held].place = goal.name
        else:
            world.furniture[goal.name].closed = subtask.action == "Close"

    def act(self, observation: Observation) -> Command:
        return Command()

    def _blocked(self, name: str) -> str:
        blocker, things = self.behind.get(name, ""), self.world.things
        self._about = ()
        if blocker in things and things[blocker].place == things[name].place:
            self._about = (blocker,)
            return Failure(FailureReason.OBJECT_BLOCKED, blockers=[blocker])
        return Failure(FailureReason.NO_PLACE_TO_PICK) if blocker and blocker not in things else ""

    @property
    def outcome(self) -> Outcome:
        return self._outcome

    @property
    def about(self) -> tuple[str, ...]:
        return self._about

    @property
    def retryable(self) -> bool:
        return not self._blocked_by

    @property
    def reason(self) -> str:
        return self._blocked_by


@dataclass
class Stage:
    """World with all parts that the agent loop needs."""

    world: World
    executor: Executor
    skill: TextSkill
    locator: TextLocator

    def play(
        self, task: str, planner: Planner, *, rounds: int = 20, listener: EpisodeListener | None = None
    ) -> EpisodeResult:
        return run_episode(
            task, planner, self.executor, EpisodeRules(rounds=rounds), seed=0, listener=listener or Listeners()
        )


def stage(
    *, sensors: bool = False, world: World | None = None, checks: Sequence[ErrorCheck] = paper_order, attempts: int = 3
) -> Stage:
    """Set up the default home, or another world, ready to play."""
    world = world or home()
    skill = TextSkill(world, ("Go to", "Pick", "Put", "Open", "Close"))
    locator = TextLocator(world, sensors=sensors)
    skill_table = SkillTable({"text": dict.fromkeys(skill.actions, skill)})
    robot = TextRobot(world)
    executor = Executor(Senses(robot, TextDetector(world), locator), skill_table, checks, execution, attempts=attempts)
    return Stage(world, executor, skill, locator)
