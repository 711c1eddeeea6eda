"""Load the MJCF file of a house as a Homie world: floor at z = 0, every body and geom named, robots removed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import mujoco

from homie.envs.mujoco.house.build import empty_spec
from homie.envs.mujoco.house.shell import SOLID
from homie.envs.mujoco.mjcf_house.contents import Unclear
from homie.envs.mujoco.mjcf_house.episode import Changes
from homie.envs.mujoco.mjcf_house.episode_changes import change
from homie.envs.mujoco.mjcf_house.rooms import floor_level
from homie.envs.mujoco.mjcf_house.tree import Tree
from homie.kernel.errors import BadInput
from homie.kernel.support.text import one_line

PREFIX = "house/"
"""Name prefix of every element of the model that comes from the file."""
UNNAMED = "#"
"""Prefix of the names generated for elements that have none in the file."""
DRAWN, HIDDEN = 0, 3
"""The geom group that is rendered, and the first group that is not."""


@dataclass(frozen=True, slots=True)
class HouseFile:
    """The world of an MJCF file.

    Attributes:
        left_out: Elements of the file that were removed, with the reason.
        joints: Initial joint positions (rad, m) by name, those that the first keyframe or an episode sets.
        level: Height of the floor in the file, m.
    """

    world: mujoco.MjSpec
    left_out: tuple[Unclear, ...]
    joints: Mapping[str, float]
    level: float


def read_file(path: Path, changes: Changes | None = None) -> HouseFile:
    """Read the world of an MJCF file. Its first keyframe, if any, is the initial state of the house.

    Args:
        path: The MJCF file.
        changes: Modifications that an episode makes to the house.

    Raises:
        BadInput: The file cannot be read, MuJoCo cannot compile it, or it has no floor.
    """
    if not path.is_file():
        raise BadInput(f"There is no file {path}: give the MJCF file of a house (docs/houses.md).")
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        _name_all(spec)
        model = spec.compile()
        joints = _apply_keyframe(spec, model)
        omitted = [*_remove_robots(spec, model)]
        if changes is not None:
            omitted += change(spec, changes)
            _name_all(spec, "added")
            joints |= {PREFIX + name: position for name, position in changes.joints.items()}
        model = spec.compile()
    except ValueError as error:
        reason = one_line(error)
        raise BadInput(f"Cannot read the house {path}: {reason}. A house is an MJCF file (docs/houses.md).") from error
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    level = floor_level(Tree(model), data)
    if level is None:
        raise BadInput(
            f"The house {path} has no floor: give it a plane, or a level geom of one square metre or more, on which a "
            "robot can stand."
        )
    _set_geom_groups(spec, model)
    for light in list(spec.lights):
        spec.delete(light)
    world = empty_spec("house")
    _copy_global_settings(spec, world)
    world.attach(spec, prefix=PREFIX, frame=world.worldbody.add_frame(pos=[0.0, 0.0, -level]))
    return HouseFile(world, tuple(omitted), joints, level)


def _apply_keyframe(spec: mujoco.MjSpec, model: mujoco.MjModel) -> dict[str, float]:
    """Move free bodies to their poses in the first keyframe; return its positions of the other joints."""
    if not model.nkey:
        return {}
    qpos, bodies, joints = model.key_qpos[0], {body.id: body for body in spec.bodies}, {}
    for joint in range(model.njnt):
        address = int(model.jnt_qposadr[joint])
        if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE:
            body = bodies[int(model.jnt_bodyid[joint])]
            body.pos, body.quat = qpos[address : address + 3], qpos[address + 3 : address + 7]
        elif model.jnt_type[joint] != mujoco.mjtJoint.mjJNT_BALL:
            joints[PREFIX + model.joint(joint).name] = float(qpos[address])
    return joints


def _remove_robots(spec: mujoco.MjSpec, model: mujoco.MjModel) -> Iterator[Unclear]:
    """Delete the robots of a file, and its keyframes and actuators."""
    tree = Tree(model)
    bodies = {body.id: body for body in spec.bodies}
    for element in (*spec.keys, *spec.actuators):
        spec.delete(element)
    for root in tree.robots():
        names = (model.body(body).name for body in tree.below(root))
        name = next((name for name in names if not name.startswith(UNNAMED)), "a body")
        yield Unclear(name, "actuators drive it, so it was taken for a robot and left out")
        spec.delete(bodies[root])


def _name_all(spec: mujoco.MjSpec, prefix: str = "") -> None:
    """Name unnamed bodies, geoms and joints; `prefix` keeps the names of a second pass distinct."""
    for word, elements in (("body", spec.bodies), ("geom", spec.geoms), ("joint", spec.joints)):
        for number, element in enumerate(elements):
            if not element.name:
                element.name = f"{UNNAMED}{prefix}{word}{number}"


def _set_geom_groups(spec: mujoco.MjSpec, model: mujoco.MjModel) -> None:
    """Render visual geoms only, or collision geoms where a body has no others; and let every geom that collides with
    anything collide with the robot."""
    tree = Tree(model)
    visual_bodies = {
        int(tree.carrier[model.geom_bodyid[geom]]) for geom in range(model.ngeom) if not tree.solid(geom)
    } - {0}
    for geom in spec.geoms:
        solid = tree.solid(geom.id)
        hidden = geom.group >= HIDDEN or (solid and int(tree.carrier[model.geom_bodyid[geom.id]]) in visual_bodies)
        geom.group = HIDDEN if hidden else DRAWN
        if solid:
            geom.contype, geom.conaffinity = SOLID


def _copy_global_settings(spec: mujoco.MjSpec, world: mujoco.MjSpec) -> None:
    """Copy the global settings of `world` to `spec`: on attaching, MuJoCo keeps one set and warns if they differ."""
    spec.option, spec.visual, spec.stat = world.option, world.visual, world.stat
    for name in ("njmax", "nconmax", "memory", "nuserdata", "nkey"):
        setattr(spec, name, getattr(world, name))
    for kind in ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor"):
        setattr(spec, f"nuser_{kind}", getattr(world, f"nuser_{kind}"))
