"""True extents: boxes touch what they hold on every side, whatever way it is turned."""

from __future__ import annotations

import math
from functools import cache

import mujoco
import numpy as np
import pytest
from homes import lay
from hypothesis import given, settings
from hypothesis import strategies as st

from homie.envs.mujoco.blueprints.extents import Extents
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.home.background_locator import BackgroundLocator
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.house.build import build
from homie.envs.mujoco.table.build import build as build_table
from homie.envs.mujoco.table.sampled_tables import generate as generate_table
from homie.envs.mujoco.table.world import TableWorld
from homie.envs.mujoco.world import World
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.types import Array, Box, Pose, Solid

SEEDS = st.integers(0, 2**31)
_BALL = np.random.default_rng(0).normal(size=(20_000, 3))
_BALL /= np.linalg.norm(_BALL, axis=1, keepdims=True)


def _surface(solid: Solid) -> Array:
    """Points (n, 3) of the surface of a solid in its own frame, those among them that reach furthest."""
    half = solid.half
    if solid.points is not None:
        return solid.points
    if solid.kind == "box":
        return np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, -1).T * half
    if solid.kind in ("sphere", "ellipsoid"):
        return _BALL * half
    if solid.kind == "capsule":
        ends = np.array([[0.0, 0.0, sign * (half[2] - half[0])] for sign in (-1, 1)])
        return (ends[:, None] + _BALL * half[0]).reshape(-1, 3)
    angles = np.linspace(0.0, math.tau, 10_000)
    rim = np.stack([half[0] * np.cos(angles), half[0] * np.sin(angles)], axis=1)
    return np.concatenate([np.column_stack([rim, np.full(len(rim), sign * half[2])]) for sign in (-1, 1)])


def _random_rotation(seed: int) -> tuple[np.random.Generator, Array]:
    """A random rotation (3, 3), and the generator that it came from."""
    rng = np.random.default_rng(seed)
    quaternion, turn = rng.normal(size=4), np.zeros(9)
    mujoco.mju_quat2Mat(turn, quaternion / np.linalg.norm(quaternion))
    return rng, turn.reshape(3, 3)


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.sampled_from(["sphere", "ellipsoid", "cylinder", "capsule", "box", "hull"]))
def test_a_solid_reaches_exactly_as_far_as_its_surface(seed: int, kind: str) -> None:
    rng, turn = _random_rotation(seed)
    half = rng.uniform(0.01, 0.1, size=3)
    if kind in ("sphere", "cylinder", "capsule"):
        half[1] = half[0]
        half[2] = half[0] if kind == "sphere" else half[0] + half[2]
    corners = rng.uniform(-half, half, size=(12, 3)) if kind == "hull" else None
    solid = Solid(kind, half, Pose(rng.uniform(-3, 3, size=3), turn), corners)  # type: ignore[arg-type]
    directions = _BALL[:20]
    surface = _surface(solid) @ turn.T + solid.pose.position
    furthest = (surface @ directions.T).max(axis=0)
    reach = solid.reach(directions)
    assert (furthest <= reach + 1e-9).all()
    np.testing.assert_allclose(reach, furthest, atol=1e-4)  # the points are 20,000 and not endlessly many


@cache
def _house() -> World:
    home = build(generate(7))
    return World(home, home.new_data())


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_the_box_of_an_object_touches_it_on_every_side_however_it_lies(seed: int) -> None:
    world = _house()
    rng, turn = _random_rotation(seed)
    name = sorted(world.objects)[rng.integers(len(world.objects))]
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, turn.flatten())
    lay(world.model, world.data, name, rng.uniform(0.5, 2.0, size=3), quaternion)
    box, parts = world.object_box(world.objects[name]), world.object_parts(world.objects[name])
    surface = np.concatenate([_surface(part) @ part.pose.rotation.T + part.pose.position for part in parts])
    c, s = math.cos(box.yaw), math.sin(box.yaw)
    local = (surface - box.center) @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    assert (np.abs(local) <= box.half + 1e-9).all()
    for side in (local.max(axis=0), -local.min(axis=0)):
        np.testing.assert_allclose(side, box.half, atol=1e-4)
    again = Box.around(parts, box.yaw)
    np.testing.assert_allclose([again.center, again.half], [box.center, box.half], atol=1e-12)


@pytest.mark.parametrize(("kind", "size"), [("apple", 0.075), ("orange", 0.073), ("plum", 0.052)])
def test_a_round_thing_that_has_rolled_is_as_big_as_before(kind: str, size: float) -> None:
    """D3: an apple turned by 50 degrees was 105 x 106 x 124 mm."""
    world = _house()
    (thing, *_) = (thing for thing in world.objects.values() if thing.kind == kind)
    for angle in np.radians([10.0, 50.0, 90.0, 130.0]):
        axis = np.array([0.6, 0.48, 0.64])
        lay(world.model, world.data, thing.name, [1.0, 1.0, 1.0], [math.cos(angle / 2), *(math.sin(angle / 2) * axis)])
        box = world.object_box(thing)
        np.testing.assert_allclose(2 * box.half, size, atol=1e-9)
        np.testing.assert_allclose(box.center, [1.0, 1.0, 1.0], atol=1e-9)


def test_the_boxes_of_solid_things_near_a_rolled_fruit_are_not_larger_than_it() -> None:
    world = _house()
    (thing, *_) = (thing for thing in world.objects.values() if thing.kind == "orange")
    lay(world.model, world.data, thing.name, [1.0, 1.0, 5.0], [0.8, 0.36, 0.48, 0.0])
    (solid,) = world.solids(np.array([1.0, 1.0, 5.0]), 0.2)
    np.testing.assert_allclose(2 * solid.half, 0.073, atol=1e-9)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_the_box_of_a_mesh_on_the_table_touches_it_on_every_side(seed: int) -> None:
    world = _table()
    name = world.loose[seed % len(world.loose)]
    _, turn = _random_rotation(seed)
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, turn.flatten())
    lay(world.built.model, world.data, name, [0.3, 0.1, 1.0], quaternion)
    parts = Extents(world.built.model).body_parts(world.data, world.built.things[name].body)
    box = world.box(name)
    again = Box.around(parts, box.yaw)
    np.testing.assert_allclose([again.center, again.half], [box.center, box.half], atol=1e-9)
    for part in parts:
        if part.points is not None:
            surface = part.points @ part.pose.rotation.T + part.pose.position
            assert (part.reach(_BALL[:50]) >= (surface @ _BALL[:50].T).max(axis=0) - 1e-9).all()


@cache
def _table() -> TableWorld:
    built = build_table(generate_table("sort", 1))
    data = mujoco.MjData(built.model)
    mujoco.mj_forward(built.model, data)
    return TableWorld(built, data)


def test_a_skill_is_given_the_solids_of_what_it_shall_pick_up() -> None:
    robot = MujocoHome(generate(7, rooms=2, objects=21))
    locator = BackgroundLocator(robot)
    locator.reset(seed=0)
    name = next(thing.name for thing in robot.world.objects.values() if thing.kind == "pear")
    lay(robot.model, robot.data, name, [1.0, 1.0, 0.5], [0.8, 0.36, 0.48, 0.0])
    goal = locator.goal(name, ACTION_TABLE["Pick"], robot.observe())
    assert [part.kind for part in goal.parts] == ["sphere", "sphere"]
    assert goal.box is not None
    around = Box.around(goal.parts, goal.box.yaw)
    np.testing.assert_allclose(around.half, goal.box.half, atol=1e-9)
    robot.close()
