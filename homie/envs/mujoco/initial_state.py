"""The initial world state of a scene spec, computed without physics in milliseconds.

It equals that of the running home after its reset, except for fractions of a millimetre and for objects that were
sampled on other objects (`z` in a spec): here these are on the furniture below.
"""

from __future__ import annotations

from collections.abc import Mapping

from homie.envs.mujoco.blueprints.materials import COLOURS
from homie.envs.mujoco.blueprints.parts import WALL, turned
from homie.envs.mujoco.blueprints.person import HALF_X, HALF_Y, KIND
from homie.envs.mujoco.house.build import start_pose
from homie.envs.mujoco.house.person_bodies import mannequin_of
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import FurnitureSpec, ObjectSpec, PersonSpec, RoomSpec
from homie.envs.mujoco.house.surfaces import surfaces_of
from homie.kernel.world.snapshot import (
    FixedState,
    JointState,
    ObjectState,
    PersonState,
    RobotState,
    RoomState,
    WorldSnapshot,
    round_numbers,
)


def initial_state(scene: SceneSpec) -> WorldSnapshot:
    """Return the world state at the start of an episode: poses, places and all states that goals ask about."""
    start, states = scene.robot, scene.states_at_start
    snapshot = WorldSnapshot(
        objects={item.name: _object(scene, item, states.get(item.name, {})) for item in scene.objects},
        fixed={piece.name: _furniture(scene, piece, states.get(piece.name, {})) for piece in scene.furniture},
        rooms={room.name: RoomState(kind=room.kind, floor=_floor(room)) for room in scene.rooms},
        joints={
            f"{piece.name}/{link.name}": JointState(receptacle=piece.name, fraction=piece.open)
            for piece in scene.furniture
            for link in piece.blueprint.articulations
        },
        held=None,
        robot=RobotState(
            room=next((room.name for room in scene.rooms if room.contains(start.x, start.y)), None),
            x=start.x,
            y=start.y,
            yaw=start.yaw,
        ),
    )
    people = {person.id: _person(scene, person) for person in scene.people}
    return snapshot.model_copy(update={"people": people}) if people else snapshot


def _person(scene: SceneSpec, person: PersonSpec) -> PersonState:
    height = mannequin_of(scene, person).height / 2
    return PersonState(
        kind=KIND,
        colour=person.colour,
        room=scene.room_at(*person.position) or None,
        position=round_numbers((*person.position, height)),
        quaternion=round_numbers(turned(person.yaw)),
        half=round_numbers((HALF_X, HALF_Y, height)),
        posture=person.posture,
        gesture=person.gesture,
        points_at=person.points_at,
        shown=(),
        followed=False if person.path else None,
        rgb=_paint(person.colour),
    )


def _object(scene: SceneSpec, item: ObjectSpec, states: Mapping[str, bool]) -> ObjectState:
    piece = scene.furniture_by_name.get(item.receptacle)
    position, quaternion = start_pose(scene, item)
    return ObjectState(
        kind=item.kind,
        colour=item.colour,
        relation="in" if piece is not None and item.surface in _inner(scene, piece) else "on",
        at=item.receptacle,
        surface=item.surface if piece is not None else "",
        room=piece.room if piece is not None else item.receptacle,
        position=round_numbers(position),
        quaternion=round_numbers(quaternion),
        half=round_numbers(item.plan.half),
        receives="in" if item.plan.hollow is not None else "on",
        rgb=_paint(item.colour),
        **({"states": states} if states else {}),
    )


def _furniture(scene: SceneSpec, piece: FurnitureSpec, states: Mapping[str, bool]) -> FixedState:
    plan, base = scene.blueprint(piece), scene.base(piece)
    return FixedState(
        kind=piece.kind,
        colour=piece.colour,
        room=piece.room,
        position=round_numbers((piece.x, piece.y, base + plan.height / 2)),
        quaternion=round_numbers(turned(piece.yaw)),
        half=round_numbers((plan.half_x, plan.half_y, plan.height / 2)),
        states={**({"on": piece.on} if plan.powered else {}), **states},
        receives=("in" if _inner(scene, piece) else "on") if surfaces_of(scene, piece) else None,
        rgb=_paint(piece.colour),
    )


def _floor(room: RoomSpec) -> tuple[float, float, float, float]:
    """Return the floor (x0, y0, x1, y1) between a room's walls; the spec has their centre lines."""
    half_wall = WALL / 2
    floor: tuple[float, float, float, float] = round_numbers(
        (room.x0 + half_wall, room.y0 + half_wall, room.x1 - half_wall, room.y1 - half_wall)
    )
    return floor


def _paint(colour: str) -> tuple[int, int, int]:
    red, green, blue = (round(255 * part) for part in COLOURS[colour])
    return red, green, blue


def _inner(scene: SceneSpec, piece: FurnitureSpec) -> set[str]:
    """Return the surfaces whose objects count as "in" the piece, not "on" it: in drawers, behind doors, on boards
    reached from the front."""
    return {plan.name for plan in surfaces_of(scene, piece) if plan.inside or plan.access == "front"}
