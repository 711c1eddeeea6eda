"""Apply an episode's modifications to the model of a house: remove bodies, add objects, set initial poses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import mujoco

from homie.envs.mujoco.mjcf_house.contents import Unclear
from homie.envs.mujoco.mjcf_house.episode import Changes
from homie.kernel.errors import BadInput
from homie.kernel.support.text import one_line


def change(spec: mujoco.MjSpec, changes: Changes) -> list[Unclear]:
    """Apply modifications to a house, and return those whose body the house lacks.

    Raises:
        BadInput: A required file is missing or is no MJCF file.
    """
    missing = [
        Unclear(name, "the episode takes it out, but the house has none") for name in _remove_bodies(spec, changes)
    ]
    for number, (name, file) in enumerate(changes.added_objects.items()):
        _add_object(spec, name, changes.assets / file, f"added{number}/")
    for name, (x, y, z, *quaternion) in changes.object_poses.items():
        body = spec.body(name)
        if body is None:
            missing.append(Unclear(name, "the episode says where it is, but the house has none"))
        else:
            body.pos, body.quat = (x, y, z), quaternion
    return missing


def _remove_bodies(spec: mujoco.MjSpec, changes: Changes) -> Iterator[str]:
    """Delete bodies; yield the names of those that the house lacks."""
    for name in changes.removed_objects:
        last = name.rpartition("/")[2]
        suffix = f"/{last}"
        bodies = (body for body in spec.worldbody.bodies if body.name in (name, last) or body.name.endswith(suffix))
        body = next(bodies, None)
        if body is None:
            yield name
        else:
            spec.delete(body)


def _add_object(spec: mujoco.MjSpec, name: str, file: Path, prefix: str) -> None:
    """Add the first body of a file as a free body under the name `name`."""
    if not file.is_file():
        raise BadInput(f"There is no object {file}: install it with MolmoSpaces, or name another folder of assets.")
    try:
        other = mujoco.MjSpec.from_file(str(file))
        body = other.worldbody.bodies[0]
    except (ValueError, IndexError) as error:
        raise BadInput(f"Cannot read the object {file}: {one_line(error)}.") from error
    if not list(body.joints):
        body.add_freejoint()
    body.name = name.rpartition("/")[2]
    attached = spec.worldbody.add_frame().attach_body(body, prefix, "")
    attached.name = name
