"""Build the index of a house, which maps the entities of a scene to bodies, joints and geoms of the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

import mujoco

from homie.envs.mujoco.blueprints.catalog import FURNITURE, OBJECTS
from homie.envs.mujoco.blueprints.parts import POWERED, WALL, Blueprint
from homie.envs.mujoco.blueprints.state_parts import Group
from homie.envs.mujoco.house.index import (
    ApplianceInfo,
    ArticulationInfo,
    GeomInfo,
    ObjectInfo,
    ReceptacleInfo,
    RoomInfo,
    SceneIndex,
    SupportSurface,
)
from homie.envs.mujoco.house.person_bodies import person_info
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import FurnitureSpec
from homie.envs.mujoco.house.surfaces import surfaces_of

LEVEL = 0.5
"""Maximum z component of the unit axis of a horizontal hinge."""


def index_of(scene: SceneSpec, model: mujoco.MjModel, geoms: Mapping[str, GeomInfo]) -> SceneIndex:
    """Return the index of a scene's entities in its model.

    Args:
        geoms: Entity and part of each geom that the scene has added, by name.
    """
    rooms = tuple(
        RoomInfo(
            name=room.name,
            kind=room.kind,
            rect=(room.x0 + WALL / 2, room.y0 + WALL / 2, room.x1 - WALL / 2, room.y1 - WALL / 2),
            aliases=(room.kind,),
        )
        for room in scene.rooms
    )
    receptacles = tuple(_receptacle(scene, model, geoms, piece) for piece in scene.furniture)
    objects = tuple(
        ObjectInfo(
            name=item.name,
            kind=item.kind,
            colour=item.colour,
            aliases=names_of(item.kind, item.colour),
            body=model.body(item.name).id,
            half=item.plan.half,
            hollow=item.plan.hollow,
        )
        for item in scene.objects
    )
    by_id = {model.geom(name).id: info for name, info in geoms.items()}
    looks = {name: _state_geoms(model, name) for name in scene.states_at_start}
    return SceneIndex(
        rooms,
        receptacles,
        objects,
        by_id,
        {name: groups for name, groups in looks.items() if groups},
        tuple(person_info(scene, model, person) for person in scene.people),
    )


def _state_geoms(model: mujoco.MjModel, name: str) -> dict[Group, tuple[int, ...]]:
    """Return the geoms that show the states of a thing, by group."""
    body = model.body(name)
    first, count = int(body.geomadr[0]), int(body.geomnum[0])
    groups: dict[Group, list[int]] = {}
    for geom in range(first, first + count):
        for group in get_args(Group):
            if model.geom(geom).name.startswith(f"{name}/{group}#"):
                groups.setdefault(group, []).append(geom)
    return {group: tuple(geoms) for group, geoms in groups.items()}


def names_of(kind: str, colour: str) -> tuple[str, ...]:
    """Return all names of an entity: the kind in words, its aliases, and each of them with the colour in front."""
    entry = FURNITURE.get(kind) or OBJECTS.get(kind)
    plain_names = dict.fromkeys((kind.replace("_", " "), *(() if entry is None else entry.aliases)))
    return (*plain_names, *(f"{colour} {name}" for name in plain_names if colour))


def _receptacle(
    scene: SceneSpec, model: mujoco.MjModel, geoms: Mapping[str, GeomInfo], piece: FurnitureSpec
) -> ReceptacleInfo:
    plan, name = scene.blueprint(piece), piece.name
    body = model.body(name).id
    surfaces = tuple(
        SupportSurface(
            name=s.name,
            body=model.body(f"{name}/{s.link}").id if s.link else body,
            center=s.center,
            half_x=s.half_x,
            half_y=s.half_y,
            clearance=s.clearance,
            inside=s.inside,
            access=s.access,
        )
        for s in surfaces_of(scene, piece)
    )
    articulations = tuple(
        ArticulationInfo(
            name=f"{name}/{link.name}",
            kind=link.kind,
            joint=int(model.body(f"{name}/{link.name}").jntadr[0]),
            body=model.body(f"{name}/{link.name}").id,
            handle=_bar(model, geoms, f"{name}/{link.name}"),
            closed=0.0,
            open=link.upper,
            panel=_panel(model, f"{name}/{link.name}"),
            frame=body if link.kind == "hinge" and abs(link.axis[2]) < LEVEL else model.body(f"{name}/{link.name}").id,
        )
        for link in plan.articulations
    )
    half = (plan.half_x, plan.half_y, plan.height / 2)
    return ReceptacleInfo(
        name=name,
        kind=piece.kind,
        colour=piece.colour,
        aliases=names_of(piece.kind, piece.colour),
        body=body,
        room=piece.room,
        front=piece.yaw,
        center=(0.0, 0.0, plan.height / 2),
        half=half,
        surfaces=surfaces,
        articulations=articulations,
        appliance=_appliance(model, geoms, piece, plan),
    )


def _panel(model: mujoco.MjModel, name: str) -> int:
    """Return the geom of a moving part with the largest frontal area (+x): a door's panel, the front of a drawer."""
    body = model.body(name)
    first, count = int(body.geomadr[0]), int(body.geomnum[0])
    half = model.geom_aabb[first : first + count, 3:]
    return first + int((half[:, 1] * half[:, 2]).argmax())


def _bar(model: mujoco.MjModel, geoms: Mapping[str, GeomInfo], name: str) -> int:
    """Return the bar of the handle of a moving part: the first of its geoms labelled as handle."""
    body = model.body(name)
    first, count = int(body.geomadr[0]), int(body.geomnum[0])
    return next(geom for geom in range(first, first + count) if geoms[model.geom(geom).name].part == "handle")


def _appliance(
    model: mujoco.MjModel, geoms: Mapping[str, GeomInfo], piece: FurnitureSpec, plan: Blueprint
) -> ApplianceInfo | None:
    lamps = [part for part in plan.parts if part.label == "lamp"]
    press = next((link for link in plan.links if link.name == "button"), None)
    if not plan.powered or press is None:
        return None
    ids, streams = (
        tuple(model.geom(name).id for name, info in geoms.items() if info == GeomInfo(piece.name, label))
        for label in POWERED
    )
    glow = tuple(part.glow or part.rgb for part in lamps)
    return ApplianceInfo(
        joint=model.joint(f"{piece.name}/button").id,
        button=model.geom(f"{piece.name}/button").id,
        travel=press.upper,
        lamps=ids,
        off=tuple(part.rgb for part in lamps),
        glow=glow,
        initially_on=piece.on,
        streams=streams,
    )
