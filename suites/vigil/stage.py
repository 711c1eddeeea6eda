"""The home of an episode: it sets the home up, executes actions, and evaluates the goal. Effects are ideal: the state
is set, nothing moves (`homie.envs.mujoco.home`)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.house.index import ReceptacleInfo
from homie.kernel.errors import HomieError
from homie.kernel.types import Box, Image, Pose2
from homie.kernel.world import thresholds
from suites.vigil.actions import HEIGHT, STEP, WIDTH, Interact, Look, Navigate
from suites.vigil.frozen import OBJECTS, FrozenEpisode, Goal, Target

CAMERA = "head"
VIEW = 90.0
"""Vertical field of view in degrees, as in AI2-THOR; the Fetch's own camera has 45."""
REACH = 1.5
"""Metres from the robot's middle to an object's footprint up to which it can be used and counts as near; Vigil's."""
SEEN = 100
"""Minimum pixels of an object in view: 10 by 10, an apple at 1.7 m, a fridge through a gap."""
BLOCKED = 0.8
"""Minimum share of a commanded motion; below it the path was blocked."""
MOVED = 0.3
"""Metres from its initial position at which an obstacle counts as cleared."""

USES = {
    "pick": "Pick",
    "place": "Put",
    "activate": "Turn on",
    "deactivate": "Turn off",
    "open_access": "Open",
    "close_access": "Close",
}


@dataclass(frozen=True, slots=True)
class Effect:
    """Effect of an action, for the scorer.

    Attributes:
        note: Why the action had no effect, "" if it had one.
    """

    too_far: bool = False
    path_blocked: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Truth:
    """Whether the goal holds, and the progress of the task, 0..1. The agent never sees it."""

    goal: bool
    progress: float


def open_house(seed: int) -> MujocoHome:
    """Open the house of an episode, with a Fetch whose head camera has Vigil's field of view."""
    home = MujocoHome(generate(seed, objects=OBJECTS, catalogue="household"), picture_size=(WIDTH, HEIGHT))
    home.model.cam_fovy[home.model.camera(f"robot/{CAMERA}").id] = VIEW
    return home


class Stage:
    """An episode in its house.

    Raises HomieError if the house is no longer the one for which the episode was frozen.
    """

    def __init__(self, home: MujocoHome, episode: FrozenEpisode) -> None:
        self.home, self.world, self.native, self.episode = home, home.world, home.native, episode
        self.names = (*self.world.objects, *self.world.receptacles)
        """Names of all objects and furniture, the possible targets of an action."""
        self._things = self._by_geom()
        self._mask: NDArray[np.int32] | None = None
        self._grounded: str | None = None
        home.reset(seed=episode.house)
        self._set_up()
        self._far = {name: self.distance(name) for name in self.meant(episode.goal.target)}

    def _set_up(self) -> None:
        setup, native = self.episode.setup, self.native
        x, y, yaw, tilt = self.episode.start
        problems = [native.set_doors(name, is_open=state) for name, state in setup.doors.items()]
        self.world.appliances.switch(setup.power)
        for name, (to_x, to_y, turned) in setup.floor.items():
            if not native.lay(name, np.array([to_x, to_y, 0.001]), turned):
                problems.append(f"{name} has no room")
        if not native.stand(Pose2(x, y, yaw), tilt):
            problems.append("the robot has no room")
        if setup.held is not None:
            problems.append(native.give(setup.held))
        if any(problems):
            reason = next(problem for problem in problems if problem)
            raise HomieError(f"The episode {self.episode.id} is not that of its house any more: {reason}.")

    def _by_geom(self) -> NDArray[np.int32]:
        """Index in `names` of the object that a geom belongs to, by geom id; the last entry is for no geom."""
        places = {name: place for place, name in enumerate(self.names)}
        table = np.full(self.home.model.ngeom + 1, -1, dtype=np.int32)
        for geom, info in self.home.home.index.geoms.items():
            table[geom] = places.get(info.entity, -1)
        return table

    # ------------------------------------------------------------ observations

    @property
    def picture(self) -> Image:
        """The current frame (480, 640, 3): the only observation of an agent."""
        return self.home.look(CAMERA)

    @property
    def mask(self) -> NDArray[np.int32]:
        """Index in `names` of the object that each pixel of the frame (480, 640) shows; -1 for none."""
        if self._mask is None:
            geoms = self.home.eyes.renderer.segmentation(self.home.data, f"robot/{CAMERA}")
            self._mask = self._things[geoms]
        return self._mask

    def forget_frame(self) -> None:
        """Discard the cached mask, after the robot was moved directly."""
        self._mask = None

    def pixels(self) -> Counter[str]:
        """Number of pixels of each object in the frame, including its parts."""
        ids, numbers = np.unique(self.mask, return_counts=True)
        pairs = zip(ids.tolist(), numbers.tolist(), strict=True)
        return Counter({self.names[index]: number for index, number in pairs if index >= 0})

    def at(self, x: float, y: float) -> str | None:
        """The object at a pixel; None if it shows only the house, or the robot itself."""
        index = int(self.mask[int(y), int(x)])
        return self.names[index] if index >= 0 else None

    # ------------------------------------------------------------ target objects

    def meant(self, target: Target) -> list[str]:
        """The objects that a target refers to."""
        if target.room is None:
            loose = [name for name, item in self.world.objects.items() if item.kind == target.kind]
            return loose + [name for name, piece in self.world.receptacles.items() if piece.kind == target.kind]
        return [
            name
            for name, piece in self.world.receptacles.items()
            if piece.kind == target.kind and self.world.rooms[piece.room].kind == target.room
        ]

    def box(self, name: str) -> Box:
        """Bounding box of an object."""
        world = self.world
        if name in world.objects:
            return world.object_box(world.objects[name])
        return world.receptacle_box(world.receptacles[name])

    def distance(self, name: str) -> float:
        """Metres on the floor plan from the robot's middle to an object's footprint."""
        return self.box(name).distance(self.native.pose.xy)

    # ------------------------------------------------------------ acting

    def perform(self, act: Navigate | Look | Interact) -> Effect:
        """Execute an action."""
        if isinstance(act, Interact):
            effect = self._interact(act)
            if act.intent != "ground":
                self._mask = None
            return effect
        self._mask = None
        if isinstance(act, Look):
            self.native.look(math.radians(act.magnitude if act.direction == "down" else -act.magnitude))
            return Effect()
        if act.mode in ("turn_left", "turn_right"):
            way = math.radians(act.magnitude)
            motion = self.native.turn(way if act.mode == "turn_left" else -way)
        else:
            way = act.magnitude * STEP
            motion = self.native.advance(way if act.mode == "forward" else -way)
        blocked = motion < BLOCKED * way
        return Effect(path_blocked=blocked, note="something is in the way" if blocked else "")

    def _interact(self, act: Interact) -> Effect:
        if act.intent == "drop":
            return Effect(note=self.native.let_fall())
        assert act.x is not None and act.y is not None
        name = self.at(act.x, act.y)
        if act.intent == "ground":
            self._grounded = name
            return Effect(note="" if name else "there is nothing")
        if name is None:
            return Effect(note="there is nothing")
        if self.distance(name) > REACH:
            return Effect(too_far=True, note="it is too far away")
        return Effect(note=self._refusal(act.intent, name) or self.native.use(USES[act.intent], name))

    def _refusal(self, intent: str, name: str) -> str:
        """Why an intent is not possible for an object, "" if it can be tried."""
        piece = self.world.receptacles.get(name)
        if name == self.world.held:
            return "it is in the hand"
        if (intent == "place") != (self.world.held is not None):
            return "the hand is empty" if intent == "place" else "the hand is not empty"
        if intent == "pick" and piece is not None:
            return "it is furniture"
        if intent in ("open_access", "close_access") and (piece is None or not piece.articulations):
            return "it has no door"
        if intent in ("activate", "deactivate") and (piece is None or piece.appliance is None):
            return "it has no switch"
        return ""

    # ------------------------------------------------------------ scoring

    def truth(self) -> Truth:
        """The truth in the current state."""
        goal = self.episode.goal
        names = self.meant(goal.target)
        if self.episode.label is not None:
            seen = self._is_seen(names)
            return Truth(seen, float(seen))
        cleared = all(self.is_cleared(name) for name in self.episode.setup.floor)
        held = self.holds(goal)
        parts = [float(held)]
        if goal.state not in ("grounded", "seen", "near"):
            parts += [self._first_part(goal, names)]
        elif goal.state == "near":
            parts = [self._approach(names)]
        if self.episode.setup.floor:
            parts += [float(cleared)]
        done = held and cleared
        return Truth(done, 1.0 if done else min(sum(parts) / len(parts), 0.99))

    def holds(self, goal: Goal) -> bool:
        """Whether a goal holds."""
        names, world = self.meant(goal.target), self.world
        match goal.state:
            case "grounded":
                return self._grounded in names
            case "near":
                return any(self.distance(name) <= REACH for name in names)
            case "seen":
                return self._is_seen(names)
            case "held":
                return world.held in names
            case "placed":
                assert goal.destination is not None
                there = self.meant(goal.destination)
                loose = [name for name in names if name != world.held]
                return any(world.within(name, place) for name in loose for place in there)
            case "on" | "off":
                return any(world.appliances.on.get(name) is (goal.state == "on") for name in names)
            case "open":
                return any(self.is_open(world.receptacles[name]) for name in names)
            case "closed":
                return any(self.is_closed(world.receptacles[name]) for name in names)

    def is_open(self, piece: ReceptacleInfo) -> bool:
        """Whether any of a piece's doors is open."""
        return any(thresholds.is_open(self.world.openness(item)) for item in piece.articulations)

    def is_closed(self, piece: ReceptacleInfo) -> bool:
        """Whether all of a piece's doors are closed."""
        return all(thresholds.is_closed(self.world.openness(item)) for item in piece.articulations)

    def is_cleared(self, name: str) -> bool:
        """Whether an obstacle was moved away."""
        x, y, _ = self.episode.setup.floor[name]
        box = self.box(name)
        return self.world.held == name or math.hypot(box.center[0] - x, box.center[1] - y) > MOVED

    def _is_seen(self, names: Sequence[str]) -> bool:
        pixels = self.pixels()
        return any(pixels[name] >= SEEN for name in names)

    def _approach(self, names: Sequence[str]) -> float:
        """Progress of the approach to the nearest object of the target, 0..1."""
        ways = [(self._far[name], self.distance(name)) for name in names if self._far[name] > REACH]
        return max((min(max((far - now) / (far - REACH), 0.0), 1.0) for far, now in ways), default=0.0)

    def _first_part(self, goal: Goal, names: Sequence[str]) -> float:
        """Progress before the goal: the approach; for an object to be placed, whether it is held."""
        return float(self.world.held in names) if goal.state == "placed" else self._approach(names)
