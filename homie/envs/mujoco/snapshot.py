"""Convert the state of a running home to a `WorldSnapshot`, which records, goals and scores use."""

from __future__ import annotations

from homie.envs.mujoco.house.index import ObjectInfo, PersonInfo, ReceptacleInfo
from homie.envs.mujoco.world import World
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


def snapshot_of(world: World, robot: RobotState) -> WorldSnapshot:
    """Return every object's pose and place, all furniture with its power states, every joint's opening, the held
    object, and the people, if any."""
    furniture = {name: info for name, info in world.receptacles.items() if name not in world.people.infos}
    snapshot = WorldSnapshot(
        objects={name: _object(world, info) for name, info in world.objects.items()},
        fixed={name: _furniture(world, info) for name, info in furniture.items()},
        rooms={name: RoomState(kind=room.kind, floor=round_numbers(room.rect)) for name, room in world.rooms.items()},
        joints={
            item.name: JointState(
                receptacle=name,
                fraction=round(world.openness(item), 4),
                opening=round(world.opening(item), 5),
            )
            for name, info in furniture.items()
            for item in info.articulations
        },
        held=world.held,
        robot=robot,
    )
    people = {name: _person(world, info) for name, info in world.people.infos.items()}
    return snapshot.model_copy(update={"people": people}) if people else snapshot


def _person(world: World, info: PersonInfo) -> PersonState:
    box, company = world.receptacle_box(info), world.people.company[info.name]
    return PersonState(
        kind=info.kind,
        colour=info.colour,
        room=world.room_of(box.center),
        position=round_numbers(box.center),
        quaternion=round_numbers(world.data.xquat[info.body]),
        half=round_numbers(box.half),
        posture=info.posture,
        gesture=info.gesture,
        points_at=info.points_at,
        shown=tuple(company.seen),
        followed=company.followed if info.path else None,
    )


def _object(world: World, info: ObjectInfo) -> ObjectState:
    place, states = world.place(info.name), world.household.states.get(info.name)
    item = ObjectState(
        kind=info.kind,
        colour=info.colour,
        relation=place.relation,
        at=place.entity,
        surface=place.surface,
        room=world.room_of(world.position(info.body)),
        position=round_numbers(world.position(info.body)),
        quaternion=round_numbers(world.data.xquat[info.body]),
        half=round_numbers(info.half),
        receives="in" if info.hollow is not None else "on",
    )
    return item.model_copy(update={"states": states}) if states else item  # records without states omit the field


def _furniture(world: World, info: ReceptacleInfo) -> FixedState:
    inside = any(plan.inside or plan.access == "front" for plan in info.surfaces)
    box = world.receptacle_box(info)
    return FixedState(
        kind=info.kind,
        colour=info.colour,
        room=info.room,
        position=round_numbers(box.center),
        quaternion=round_numbers(world.data.xquat[info.body]),
        half=round_numbers(box.half),
        states={
            **({"on": world.appliances.on[info.name]} if info.appliance is not None else {}),
            **world.household.states.get(info.name, {}),
        },
        receives=("in" if inside else "on") if info.surfaces else None,
    )
