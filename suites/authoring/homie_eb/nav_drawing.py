"""A start and a target in a house, sampled and checked by rendering: the target is in view, and behind the robot once
it is turned round."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np

from homie.bench.authoring.house import House
from homie.envs.mujoco.generate.free_floor import FreeFloor
from homie.envs.mujoco.home.floorplan import FloorPlan
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.initial_state import initial_state
from homie.envs.mujoco.robots.drive import BASE_JOINTS
from homie.envs.mujoco.robots.joint_servos import PREFIX
from homie.kernel.types import Array, Pose2
from skills.motion.base_path_planning import CostMap
from suites.authoring.homie_eb.nav_ways import CLEAR, shortest
from suites.authoring.homie_eb.nav_words import FOR

CAMERA = "wide"
"""The camera of the planner."""
PIXELS = 500
"""Pixels of a side of the image, as in EB-Navigation."""
SEEN, HIDDEN = 120, 10
"""Pixels of a target from which on it is in view, 11 by 11, and up to which it is hidden."""
FROM, TO = 2.5, 3.0
"""Distance (m) from the start to the middle of the target, as in EB-Navigation (2.51 to 3.00)."""
BESIDE = math.radians(35)
"""Largest angle (rad) off the middle of the image; its edge is at 50 degrees."""
STARTS = 60
"""Starts sampled for a target."""


@dataclass(frozen=True, slots=True)
class Way:
    """A start in the notation of scenes (`start`: X,Y,DEGREES), and the moves from there to the target."""

    x: float
    y: float
    degrees: int
    moves: tuple[str, ...]

    def start(self, turned: int = 0) -> str:
        """Return the start, turned to the left by so many degrees."""
        return f"{self.x:g},{self.y:g},{(self.degrees + turned) % 360}"


class Grounds:
    """A house with a robot that looks around from any pose."""

    def __init__(self, scene: SceneSpec) -> None:
        self.scene = scene
        self.house = House(initial_state(scene))
        self._floor = FreeFloor(scene)

    def targets(self) -> list[str]:
        """Return the possible targets: those outside of closed furniture."""
        return sorted(
            name
            for name, item in self.house.state.things.items()
            if item.kind in FOR and (name in self.house.furniture or self.house.container(name) is None)
        )

    def way(self, target: str, rng: random.Random, longest: int) -> Way | None:
        """Sample a start for a target with a path of so many moves at most, None where none was drawn."""
        position = self.house.state.things[target].position
        assert position is not None
        middle = np.array(position[:2])
        for pose, degrees in self._starts(middle, rng):
            moves = shortest(pose, middle, self._clear, longest)
            if moves and self._pixels(pose, target) >= SEEN:
                back = Pose2(pose.x, pose.y, pose.yaw + math.pi)
                if self._pixels(back, target) <= HIDDEN:
                    return Way(pose.x, pose.y, degrees, tuple(moves))
        return None

    def close(self) -> None:
        if "_home" in self.__dict__:
            self._home.close()

    def _starts(self, middle: Array, rng: random.Random) -> Iterator[tuple[Pose2, int]]:
        """Yield poses on the main connected floor, at right angles to the walls, that look at a point."""
        zone = self._floor.zone(self.scene.robot.x, self.scene.robot.y)
        for _ in range(STARTS):
            away, angle = rng.uniform(FROM, TO), rng.uniform(-math.pi, math.pi)
            x, y = round(middle[0] - away * math.cos(angle), 2), round(middle[1] - away * math.sin(angle), 2)
            degrees = 90 * round(math.degrees(angle) / 90)
            off = math.remainder(angle - math.radians(degrees), math.tau)
            apart = math.dist((x, y), middle)
            if abs(off) > BESIDE or not FROM <= apart <= TO or self._floor.zone(x, y) != zone:
                continue
            if self._clear(np.array([x, y])) >= CLEAR:
                yield Pose2(x, y, math.radians(degrees)), degrees

    def _clear(self, point: Array) -> float:
        return self._costs.clear_at(point)

    def _pixels(self, pose: Pose2, target: str) -> int:
        """Return the pixels of an object in the image from a pose."""
        home = self._home
        for name, value in zip(BASE_JOINTS, (pose.x, pose.y, pose.yaw), strict=True):
            home.data.joint(PREFIX + name).qpos[0] = value
        mujoco.mj_forward(home.model, home.data)
        frame = home.eyes.frame(CAMERA)
        assert frame.instances is not None
        own = [number for number, name in enumerate(frame.instance_names) if name.partition("/")[0] == target]
        return int(np.isin(frame.instances, own).sum())

    @cached_property
    def _home(self) -> MujocoHome:
        return MujocoHome(self.scene, picture_size=(PIXELS, PIXELS), shade=False)

    @cached_property
    def _costs(self) -> CostMap:
        return CostMap.of(FloorPlan(self._home.world).grid(), CLEAR)
