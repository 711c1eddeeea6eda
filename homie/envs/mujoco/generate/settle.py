"""Lets the loose objects of a scene come to rest, and writes into its spec how they lie then."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.lying import angles_of
from homie.envs.mujoco.blueprints.parts import FLOOR_SURFACE
from homie.envs.mujoco.house.build import Home, build
from homie.envs.mujoco.house.index import SupportSurface
from homie.envs.mujoco.house.spec import ObjectSpec, SceneSpec
from homie.envs.mujoco.state.world import World
from homie.kernel.errors import BadInput
from homie.kernel.types import Array

STAYS = 0.002
"""Metres that an object may move, turns counted at its rim, and still lie where the spec has it."""
RIM = 0.05
"""Metres from the middle of an object at which its turns are counted."""
STILL = 0.004
"""Speed (m/s, and rad/s at the rim) below which an object is at rest."""
LONGEST, STEP, CALM = 8.0, 0.25, 2
"""Seconds until objects must be at rest, between two looks, and how many looks in a row have to find them so."""
DEEPEST = 0.006
"""Metres that things may cut into each other at the start: more is a mistake of the spec, they would jump apart."""


@dataclass(frozen=True, slots=True)
class Rest:
    """How objects have come to rest. scene: with every object that moved as it lies now. moved: how far each did (m).
    lost: names of those that did not come to rest, or lie on nothing that a spec can name."""

    scene: SceneSpec
    moved: dict[str, float]
    lost: frozenset[str]


def settle(scene: SceneSpec) -> Rest:
    """Let things fall, roll and slide until they rest."""
    home = build(scene)
    data = home.new_data()
    world = World(home, data)
    bodies = [thing.body for thing in home.index.objects]
    before = data.xpos[bodies].copy(), data.xmat[bodies].reshape(-1, 3, 3).copy()
    restless = _run(home, data)
    after = data.xpos[bodies], data.xmat[bodies].reshape(-1, 3, 3)
    moved, lost, objects = {}, set(), []
    for number, thing in enumerate(scene.objects):
        turned = float(np.linalg.norm(after[1][number] - before[1][number])) / np.sqrt(2.0)
        moved[thing.name] = float(np.linalg.norm(after[0][number] - before[0][number])) + RIM * turned
        lies = thing if moved[thing.name] < STAYS else _as_it_lies(world, thing)
        if lies is None or thing.name in restless:
            lost.add(thing.name)
        objects.append(lies or thing)
    return Rest(scene.model_copy(update={"objects": tuple(objects)}), moved, frozenset(lost))


def _run(home: Home, data: mujoco.MjData) -> set[str]:
    """Simulate until all objects are at rest; the names of those that are not in the end."""
    model, calm = home.model, 0
    dofs = {thing.name: int(model.jnt_dofadr[model.body_jntadr[thing.body]]) for thing in home.index.objects}
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


def _as_it_lies(world: World, thing: ObjectSpec) -> ObjectSpec | None:
    """The spec of an object where it is now; None if it is on no surface and on no floor."""
    body = world.objects[thing.name].body
    position, rotation = world.position(body), world.rotation(body)
    *_, last = world.around(thing.name)
    if last.entity in world.rooms:
        return _posed(thing, last.entity, FLOOR_SURFACE, position, rotation)
    receptacle, plan = world.furniture_of(thing.name) or (None, None)
    if receptacle is None or plan is None:
        return None
    turn = world.rotation(plan.body)
    local = turn.T @ (position - world.position(plan.body)) - np.asarray(plan.center)
    if not _over(plan, local):
        return None
    return _posed(thing, receptacle.name, plan.name, local, turn.T @ rotation)


def _over(plan: SupportSurface, local: Array) -> bool:
    return bool(abs(local[0]) <= plan.half_x and abs(local[1]) <= plan.half_y and 0.0 <= local[2] < plan.clearance)


def _posed(thing: ObjectSpec, receptacle: str, surface: str, position: Array, rotation: Array) -> ObjectSpec:
    yaw, pitch, roll = (round(angle, 5) for angle in angles_of(rotation))
    x, y, z = (round(float(value), 5) for value in position)
    lies = {"receptacle": receptacle, "surface": surface, "x": x, "y": y, "z": z, "yaw": yaw, "pitch": pitch}
    return thing.model_copy(update={**lies, "roll": roll})


def check_start(home: Home) -> None:
    """Raises BadInput in one sentence if things cut into each other where a scene begins."""
    data = home.new_data()
    geoms = home.index.geoms
    objects = {thing.body for thing in home.index.objects}
    for number in range(data.ncon):
        first, second = (int(geom) for geom in data.contact.geom[number])
        loose = {int(home.model.geom_bodyid[geom]) for geom in (first, second)} & objects
        depth = -float(data.contact.dist[number])
        if loose and depth > DEEPEST and first in geoms and second in geoms:
            names = " and ".join(f"'{geoms[geom].entity}'" for geom in (first, second))
            raise BadInput(f"The scene cannot begin so: {names} are in each other by {1000 * depth:.0f} mm.")
