"""The MJCF file of a house as a world of Homie: its floor at 0, every body and geom with a name, robots left out."""

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
"""Before the name of everything in a model that is of the file."""
UNNAMED = "#"
"""Before the name that what has none in the file gets."""
DRAWN, HIDDEN = 0, 3
"""The group of geoms that are drawn, and the first of those that are not."""


@dataclass(frozen=True, slots=True)
class HouseFile:
    """The world of an MJCF file.

    Attributes:
        left_out: What of the file is not in it.
        joints: Positions (rad, m) of its joints at the start by name, where its first keyframe or an episode has some.
        level: Height of its floor in the file, m.
    """

    world: mujoco.MjSpec
    left_out: tuple[Unclear, ...]
    joints: Mapping[str, float]
    level: float


def read_file(path: Path, changes: Changes | None = None) -> HouseFile:
    """The world of an MJCF file. Its first keyframe, if it has one, is how the house is at the start.

    Args:
        path: Of the file.
        changes: What an episode changes in it.

    Raises:
        BadInput: The file cannot be read, MuJoCo cannot compile it, or it has no floor.
    """
    if not path.is_file():
        raise BadInput(f"There is no file {path}: give the MJCF file of a house (docs/houses.md).")
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        _name_all(spec)
        model = spec.compile()
        joints = _begin_as_in_keyframe(spec, model)
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
    _show_what_is_drawn(spec, model)
    for light in list(spec.lights):
        spec.delete(light)
    world = empty_spec("house")
    _agree(spec, world)
    world.attach(spec, prefix=PREFIX, frame=world.worldbody.add_frame(pos=[0.0, 0.0, -level]))
    return HouseFile(world, tuple(omitted), joints, level)


def _begin_as_in_keyframe(spec: mujoco.MjSpec, model: mujoco.MjModel) -> dict[str, float]:
    """Put what is loose where the first keyframe has it; returns the positions of the other joints."""
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
    """Take the robots of a file out of it, and all that is of a whole world: keyframes, actuators."""
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
    """Give a name to what has none; `prefix` keeps those of a second time apart."""
    for word, elements in (("body", spec.bodies), ("geom", spec.geoms), ("joint", spec.joints)):
        for number, element in enumerate(elements):
            if not element.name:
                element.name = f"{UNNAMED}{prefix}{word}{number}"


def _show_what_is_drawn(spec: mujoco.MjSpec, model: mujoco.MjModel) -> None:
    """Draw what is there to be seen alone, or what can be touched where a body has nothing else; and let everything
    that collides with something collide with the robot."""
    tree = Tree(model)
    seen = {int(tree.carrier[model.geom_bodyid[geom]]) for geom in range(model.ngeom) if not tree.solid(geom)} - {0}
    for geom in spec.geoms:
        solid = tree.solid(geom.id)
        hidden = geom.group >= HIDDEN or (solid and int(tree.carrier[model.geom_bodyid[geom.id]]) in seen)
        geom.group = HIDDEN if hidden else DRAWN
        if solid:
            geom.contype, geom.conaffinity = SOLID


def _agree(spec: mujoco.MjSpec, world: mujoco.MjSpec) -> None:
    """Take over what holds for a whole world, of which MuJoCo keeps one and warns of the other."""
    spec.option, spec.visual, spec.stat = world.option, world.visual, world.stat
    for name in ("njmax", "nconmax", "memory", "nuserdata", "nkey"):
        setattr(spec, name, getattr(world, name))
    for kind in ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor"):
        setattr(spec, f"nuser_{kind}", getattr(world, f"nuser_{kind}"))
