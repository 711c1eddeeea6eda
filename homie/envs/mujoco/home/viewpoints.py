"""Sample viewpoints of a robot in a generated house and their observations, as training images for detectors.

seed -> variants of the house (open doors, clutter) -> poses on free floor -> observations
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import mujoco
import numpy as np

from homie.envs.mujoco.generate.free_floor import CELL, FreeFloor
from homie.envs.mujoco.generate.generate import house_of
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.home.random_looks import Looks
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.robots.joint_servos import place
from homie.kernel.errors import BadInput
from homie.kernel.options import HouseOptions
from homie.kernel.types import VIEWS, Array, Observation

VARIANTS = 3
"""Number of variants of a house, each with different open doors."""
OPEN_SHARE, AJAR_SHARE = 0.4, 0.3
"""Share of the doors and drawers that are open, and among these the share of those only ajar."""
MESSY_SHARE = 0.25
"""Share of cluttered variants, with objects on their sides and on the floor."""
CLEAR = 0.3
"""Minimum distance (m) from the centre of the robot to the nearest obstacle."""
SPANS = {"object": (0.5, 2.0), "furniture": (0.6, 3.2)}
"""Range of distances (m) from the robot to its target, by kind."""
AIM_ERROR = 0.25
"""Standard deviation (rad) of the robot's heading around the direction of its target."""
RANDOM_SHARE = 0.12
"""Share of the poses at any distance from the target."""
POSTURE_NOISE = 0.15
"""Standard deviation (rad or m) of each joint around a posture."""
WRIST_SHARE = 0.1
"""Share of the viewpoints with an image of the wrist camera."""


def house_views(
    seed: int, chosen: HouseOptions, number: int, picture_size: tuple[int, int], randomise: bool
) -> Iterator[Observation]:
    """Yield observations of a house from random viewpoints; equal arguments give equal observations.

    An observation has images of two views, of the head camera and sometimes of the wrist camera.

    Args:
        seed: Seed of the house and of all sampling.
        chosen: Options of the house.
        number: Number of viewpoints.
        picture_size: Width and height in pixels.
        randomise: Whether light, colours and materials are randomised.

    Raises:
        BadInput: There is no such house.
    """
    rng = np.random.default_rng([seed, number])
    shares = np.array_split(np.arange(number), VARIANTS)
    for count in (len(share) for share in shares if len(share)):
        robot = _home(seed, chosen, picture_size, rng)
        with robot:
            looks = Looks(robot.model)
            for x, y, target in _places(robot, rng, count):
                if randomise:
                    looks.draw(rng)
                yield _look(robot, x, y, target, rng)


def _home(seed: int, chosen: HouseOptions, picture_size: tuple[int, int], rng: np.random.Generator) -> MujocoHome:
    """Build a variant of the house, or the original house if open doors would collide with something."""
    try:
        return MujocoHome(_variant(seed, chosen, rng), picture_size=picture_size)
    except BadInput:
        return MujocoHome(house_of(chosen, seed, None), picture_size=picture_size)


def _variant(seed: int, chosen: HouseOptions, rng: np.random.Generator) -> SceneSpec:
    """Sample a variant of the house: messy, or tidy with some doors and drawers open."""
    messy = chosen.clutter == "tidy" and rng.random() < MESSY_SHARE
    try:
        scene = house_of(chosen.model_copy(update={"clutter": "messy"}) if messy else chosen, seed, None)
    except BadInput:
        scene = house_of(chosen, seed, None)
    if messy:
        return scene
    furniture = list(scene.furniture)
    for index, piece in enumerate(furniture):
        if piece.blueprint.articulations and not piece.open and rng.random() < OPEN_SHARE:
            span = (0.08, 0.5) if rng.random() < AJAR_SHARE else (0.6, 1.0)
            furniture[index] = piece.model_copy(update={"open": round(float(rng.uniform(*span)), 2)})
    return scene.model_copy(update={"furniture": tuple(furniture)})


def _places(robot: MujocoHome, rng: np.random.Generator, count: int) -> Iterator[tuple[float, float, Array]]:
    """Sample free positions (x, y), each with the target point (3,) that the robot faces."""
    floor = FreeFloor(robot.scene)
    rows, columns = np.nonzero(floor.clearance > CLEAR)
    cells = floor.origin + (np.column_stack([columns, rows]) + 0.5) * CELL
    world = robot.world
    targets = {
        "object": [world.object_box(item).center for item in world.objects.values()],
        "furniture": [world.receptacle_box(piece).center for piece in world.receptacles.values()],
    }
    for _ in range(count):
        kind = ("object", "furniture")[int(rng.random() < 0.5)]
        choices: Sequence[Array] = targets[kind] or targets["furniture"]
        target = np.array(choices[int(rng.integers(len(choices)))])
        metres = np.linalg.norm(cells - target[:2], axis=1)
        low, high = SPANS[kind]
        candidates = np.flatnonzero((metres > low) & (metres < high))
        if not len(candidates) or rng.random() < RANDOM_SHARE:
            candidates = np.arange(len(cells))
        weights = 1.0 / np.maximum(metres[candidates], low)  # near positions are fewer, and matter more
        x, y = cells[rng.choice(candidates, p=weights / weights.sum())]
        yield float(x), float(y), target


def _look(robot: MujocoHome, x: float, y: float, target: Array, rng: np.random.Generator) -> Observation:
    """Return the observation from a position, facing a point, with the arm in a random posture."""
    spec = robot.spec
    yaw = math.atan2(target[1] - y, target[0] - x) + rng.normal(0.0, AIM_ERROR)
    postures = [spec.rest, spec.carry, *spec.ready]
    posture = spec.chain.posture(postures[int(rng.integers(len(postures)))])
    posture = np.clip(posture + rng.normal(0.0, POSTURE_NOISE, len(posture)) * (rng.random() < 0.6), *_limits(robot))
    local = np.array([*_rotate(target[:2] - (x, y), -yaw), target[2] + rng.normal(0.0, 0.15)])
    joints = dict(zip(spec.chain.names, posture.tolist(), strict=True))
    gaze = spec.gaze(local, spec.chain.lift(posture))
    if gaze is not None and spec.head is not None:
        gaze_angles = np.array(gaze) + rng.normal(0.0, 0.1, 2)
        joints |= dict(zip(spec.head.names, np.clip(gaze_angles, *spec.head.limits.T).tolist(), strict=True))
    place(robot.model, robot.data, joints)
    robot.data.qpos[robot._base] = x, y, yaw
    mujoco.mj_forward(robot.model, robot.data)
    side_view = VIEWS[1 + int(rng.integers(len(VIEWS) - 1))]
    wrist = (robot.hand,) if robot.hand and rng.random() < WRIST_SHARE else ()
    return robot.observe((VIEWS[0], side_view, "head", *wrist))


def _limits(robot: MujocoHome) -> tuple[Array, Array]:
    low, high = robot.spec.chain.limits.T
    return low, high


def _rotate(vector: Array, angle: float) -> Array:
    cos, sin = math.cos(angle), math.sin(angle)
    return np.array([cos * vector[0] - sin * vector[1], sin * vector[0] + cos * vector[1]])
