"""The privileged locator of the table: goals from world state, and the list of visible objects with their positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from homie.envs.arm_moves import arm_actions, numbers_of, objection_to
from homie.envs.mujoco.table.build import BuiltTable
from homie.envs.mujoco.table.table_scene import TableScene
from homie.envs.mujoco.table.world import TableWorld
from homie.kernel import registry
from homie.kernel.actions import Action
from homie.kernel.interfaces import Locator, NameMatcher
from homie.kernel.pose_action import MOVE
from homie.kernel.types import Array, Box, CameraFrame, Detection, Goal, NamedThing, NumberedObject, Observation

LISTED = "front"
"""The camera whose image decides which objects are listed."""
FEWEST = 25 / 500**2
"""Minimum share of an image that an object must fill for its position to be estimated: 25 pixels of 500 x 500, our
choice."""


class RobotAtTable(Protocol):
    """The parts of a robot that the locator uses (`homie.envs.mujoco.table.robot.FrankaTable`)."""

    @property
    def scene(self) -> TableScene: ...
    @property
    def built(self) -> BuiltTable: ...
    @property
    def world(self) -> TableWorld: ...


class TableLocator(Locator):
    """Locator with world state. The target of a Move is a numeric action, that of Pick and Put the name of an object.

    `listing` is what EmbodiedBench gives a model: every visible object with the cell of its middle, in the order of y.
    As there, the middle is estimated from the cameras: the mean of the object's points in each image, then the mean
    over the images. Masks and depths are simulated sensors.
    """

    name = "background"

    def __init__(self, table: RobotAtTable) -> None:
        self.table = table
        self._actions = arm_actions()
        self._best_matches: NameMatcher = registry.load("names", "default")
        self._named_things = [
            NamedThing(item.name, item.kind, item.colour, (item.words, item.kind)) for item in table.scene.things
        ]
        self._places: dict[str, Array] = {}

    def reset(self, *, seed: int) -> None:
        self._places = {}

    def update(self, observation: Observation, detections: Sequence[Detection]) -> None:
        """Estimate the positions of the objects in the front camera's image, from all images that show them."""
        if LISTED not in observation.frames:
            return
        means = {view: _means(frame) for view, frame in observation.frames.items()}
        in_list = {detection.instance for detection in detections if detection.view == LISTED}
        in_front = [name for name in means[LISTED] if name in self.table.built.things and name in in_list]
        self._places = {
            name: np.mean([seen[name] for seen in means.values() if name in seen], axis=0) for name in in_front
        }

    @property
    def places(self) -> dict[str, Array]:
        """Estimated middles (3,) of the visible objects, in the order of the list: by increasing y."""
        return dict(sorted(self._places.items(), key=lambda item: float(item[1][1])))

    def arranged(self, detections: Sequence[Detection]) -> tuple[Detection, ...]:
        """Sort the detections of the front image by their number in the list, followed by the rest."""
        numbers = {name: number for number, name in enumerate(self.places)}
        last = len(numbers)
        return tuple(
            sorted(
                (detection for detection in detections if detection.instance in numbers or detection.view != LISTED),
                key=lambda detection: numbers.get(detection.instance, last) if detection.view == LISTED else last,
            )
        )

    def listing(self) -> tuple[NumberedObject, ...]:
        things = self.table.built.things
        return tuple(
            NumberedObject(number, things[name].item.words, self._actions.place(point), name)
            for number, (name, point) in enumerate(self.places.items(), 1)
        )

    # ------------------------------------------------------------ names and goals

    def resolve(self, words: str, action: Action, observation: Observation) -> str | None:
        if action.name == MOVE:
            return numbers_of(words)
        candidates = sorted(item.name for item in self._best_matches(words, self._named_things))
        fitting = [name for name in candidates if action.target != "loose" or self.pickable(name)] or candidates
        return min(fitting, key=lambda name: self.distance(name, observation), default=None)

    def objection(self, words: str, action: Action) -> str:
        return objection_to(words) if action.name == MOVE else ""

    def goal(self, entity: str, action: Action, observation: Observation) -> Goal:
        world = self.table.world
        if action.name == MOVE:
            at, box = self._actions.read(entity).pose.position, None if world.held is None else world.box(world.held)
        else:
            box = world.box(entity)
            at = box.center
            if action.target == "place":
                return self._place(entity, box)
        return Goal(
            entity,
            "",
            at,
            box=box,
            obstacles=world.obstacles(held=world.held),
            solids=world.solids(without=world.held),
        )

    def _place(self, entity: str, box: Box) -> Goal:
        """Return the goal of a Put: the middle of an object, ignoring its neighbours. In a container, objects keep a
        distance."""
        world = self.table.world
        obstacles = tuple(world.box(name) for name in world.loose if name not in (entity, world.held))
        return Goal(
            entity,
            "",
            box.center,
            box=box,
            surfaces=world.surfaces(entity),
            obstacles=() if entity in world.loose else obstacles,
            solids=world.solids(without=world.held),
            loose=obstacles,
            held=None if world.held is None else world.box(world.held),
        )

    # ------------------------------------------------------------ questions

    def opens(self, entity: str) -> bool:
        return False

    def closed_container(self, entity: str) -> str | None:
        return None

    def pickable(self, entity: str) -> bool:
        return entity in self.table.world.loose

    def is_spot(self, entity: str) -> bool:
        return False

    def distance(self, entity: str, observation: Observation) -> float:
        """Return the horizontal distance from the robot's foot, m."""
        things = self.table.built.things
        at = self.table.world.box(entity).center if entity in things else self._actions.read(entity).pose.position
        return float(np.linalg.norm(at[:2] - observation.body.base.xy))

    def held(self, observation: Observation) -> str | None:
        return self.table.world.held

    def has_place(self, entity: str) -> bool:
        """Whether an object can be put on or in an entity."""
        thing = self.table.built.things.get(entity)
        return thing is not None and thing.item.kind != "area"

    def placed(self, item: str | None, entity: str, observation: Observation) -> bool | None:
        world = self.table.world
        return item is not None and world.held is None and world.lies(item, entity)


def _means(frame: CameraFrame) -> dict[str, Array]:
    """Return the mean point (3,), in the room frame, of each instance that is sufficiently visible in an image."""
    if frame.instances is None or frame.depth is None:
        return {}
    means = {}
    lens = frame.intrinsics
    for index, name in enumerate(frame.instance_names):
        rows, columns = np.nonzero((frame.instances == index) & (frame.depth > 0.0))
        if len(rows) < FEWEST * frame.instances.size:
            continue
        z = frame.depth[rows, columns].astype(float)
        rays = np.stack([(columns - lens.cx) / lens.fx, (rows - lens.cy) / lens.fy, np.ones(len(rows))], axis=-1)
        means[name] = frame.pose.position + frame.pose.rotation @ (rays * z[:, None]).mean(axis=0)
    return means
