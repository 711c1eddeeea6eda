"""Simulate a scene until its movable objects are at rest, and write their resting poses into its spec."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.extents import angles_of
from homie.envs.mujoco.blueprints.parts import FLOOR_SURFACE
from homie.envs.mujoco.house.build import Home, build
from homie.envs.mujoco.house.index import SupportSurface
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import ObjectSpec
from homie.envs.mujoco.world import World
from homie.kernel.errors import BadInput
from homie.kernel.types import Array

STAYS = 0.002
"""Maximum displacement (m, rotations measured at `RIM`) of an object that keeps its pose in the spec."""
RIM = 0.05
"""Distance (m) from an object's centre at which rotations are converted to metres."""
STILL = 0.004
"""Speed (m/s, rotations measured at `RIM`) below which an object is at rest."""
LONGEST, STEP, CALM = 8.0, 0.25, 2
"""Maximum simulated time (s), time between checks (s), and number of consecutive checks with all objects at rest."""
DEEPEST = 0.006
"""Maximum penetration (m) of two bodies at the start: deeper contacts would push them apart at once."""


@dataclass(frozen=True, slots=True)
class Rest:
    """The result of `settle`.

    Attributes:
        scene: The scene with the resting poses.
        moved: Displacement (m) of each object.
        lost: Names of the objects that did not come to rest, that are on no surface that a spec can name, or that
            penetrate something: a mug that fell over the leg of a desk.
    """

    scene: SceneSpec
    moved: dict[str, float]
    lost: frozenset[str]


def settle(scene: SceneSpec) -> Rest:
    """Simulate the scene until its objects are at rest, for at most `LONGEST` seconds."""
    home = build(scene)
    data = home.new_data()
    world = World(home, data)
    bodies = [item.body for item in home.index.objects]
    poses_before = data.xpos[bodies].copy(), data.xmat[bodies].reshape(-1, 3, 3).copy()
    restless = _run(home, data)
    poses_after = data.xpos[bodies], data.xmat[bodies].reshape(-1, 3, 3)
    at_rest = home.new_data()  # `data` has no contacts of bodies that are asleep
    at_rest.qpos[:] = data.qpos
    mujoco.mj_forward(home.model, at_rest)
    penetrating = {name for pair, _ in _penetrations(home, at_rest) for name in pair}
    shifts, lost_names, objects = {}, set(), []
    for number, item in enumerate(scene.objects):
        rotation_change = float(np.linalg.norm(poses_after[1][number] - poses_before[1][number])) / np.sqrt(2.0)
        shifts[item.name] = (
            float(np.linalg.norm(poses_after[0][number] - poses_before[0][number])) + RIM * rotation_change
        )
        resting_item = item if shifts[item.name] < STAYS else _resting_spec(world, item)
        if resting_item is None or item.name in restless or item.name in penetrating:
            lost_names.add(item.name)
        objects.append(resting_item or item)
    return Rest(scene.model_copy(update={"objects": tuple(objects)}), shifts, frozenset(lost_names))


def _run(home: Home, data: mujoco.MjData) -> set[str]:
    """Simulate until all objects are at rest or time is up; return the names of those still moving."""
    model, calm = home.model, 0
    dofs = {item.name: int(model.jnt_dofadr[model.body_jntadr[item.body]]) for item in home.index.objects}
    restless: set[str] = set(dofs)
    for _ in range(round(LONGEST / STEP)):
        for _ in range(round(STEP / model.opt.timestep)):
            mujoco.mj_step(model, data)
        speeds = {name: data.qvel[dof : dof + 6] for name, dof in dofs.items()}
        restless = {
            name
            for name, speed in speeds.items()
            if max(float(np.linalg.norm(speed[:3])), RIM * float(np.linalg.norm(speed[3:]))) > STILL
        }
        calm = 0 if restless else calm + 1
        if calm == CALM:
            break
    return restless


def _resting_spec(world: World, item: ObjectSpec) -> ObjectSpec | None:
    """Return the spec of an object at its current pose; None if it is neither on a surface nor on the floor."""
    body = world.objects[item.name].body
    position, rotation = world.position(body), world.rotation(body)
    *_, last = world.around(item.name)
    if last.entity in world.rooms:
        return _with_pose(item, last.entity, FLOOR_SURFACE, position, rotation)
    receptacle, plan = world.furniture_of(item.name) or (None, None)
    if receptacle is None or plan is None:
        return None
    turn = world.rotation(plan.body)
    local = turn.T @ (position - world.position(plan.body)) - np.asarray(plan.center)
    if not _is_over(plan, local):
        return None
    return _with_pose(item, receptacle.name, plan.name, local, turn.T @ rotation)


def _is_over(plan: SupportSurface, local: Array) -> bool:
    return bool(abs(local[0]) <= plan.half_x and abs(local[1]) <= plan.half_y and 0.0 <= local[2] < plan.clearance)


def _with_pose(item: ObjectSpec, receptacle: str, surface: str, position: Array, rotation: Array) -> ObjectSpec:
    yaw, pitch, roll = (round(angle, 5) for angle in angles_of(rotation))
    x, y, z = (round(float(value), 5) for value in position)
    resting_item = {"receptacle": receptacle, "surface": surface, "x": x, "y": y, "z": z, "yaw": yaw, "pitch": pitch}
    return item.model_copy(update={**resting_item, "roll": roll})


def check_start(home: Home) -> None:
    """Raise BadInput with one sentence if objects penetrate each other or furniture at the start of a scene."""
    for pair, depth in _penetrations(home, home.new_data()):
        names = " and ".join(f"'{name}'" for name in pair)
        raise BadInput(f"The scene cannot begin so: {names} are in each other by {1000 * depth:.0f} mm.")


def _penetrations(home: Home, data: mujoco.MjData) -> Iterator[tuple[tuple[str, str], float]]:
    """Yield pairs of entities, at least one an object, that penetrate each other by more than `DEEPEST`, and the
    depth (m)."""
    geoms = home.index.geoms
    objects = {item.body for item in home.index.objects}
    for number in range(data.ncon):
        first, second = (int(geom) for geom in data.contact.geom[number])
        loose_bodies = {int(home.model.geom_bodyid[geom]) for geom in (first, second)} & objects
        depth = -float(data.contact.dist[number])
        if loose_bodies and depth > DEEPEST and first in geoms and second in geoms:
            yield (geoms[first].entity, geoms[second].entity), depth
