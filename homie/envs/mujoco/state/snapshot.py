"""The running home as a `WorldSnapshot`: the form in which records, goals and scores get its state."""

from __future__ import annotations

from homie.envs.mujoco.house.index import ObjectInfo, ReceptacleInfo
from homie.envs.mujoco.state.world import World
from homie.kernel.world import (
    FixedState,
    JointState,
    ObjectState,
    RobotState,
    RoomState,
    WorldSnapshot,
    rounded,
)


def snapshot_of(world: World, robot: RobotState) -> WorldSnapshot:
    """Every object's pose and place, all furniture with what is on, every joint's opening, what is held."""
    return WorldSnapshot(
        objects={name: _object(world, thing) for name, thing in world.objects.items()},
        fixed={name: _furniture(world, thing) for name, thing in world.receptacles.items()},
        rooms={name: RoomState(kind=room.kind, floor=rounded(room.rect)) for name, room in world.rooms.items()},
        joints={
            item.name: JointState(
                receptacle=name,
                fraction=round(world.openness(item), 4),
                opening=round(world.opening(item), 5),
            )
            for name, thing in world.receptacles.items()
            for item in thing.articulations
        },
        held=world.held,
        robot=robot,
    )


def _object(world: World, thing: ObjectInfo) -> ObjectState:
    place = world.place(thing.name)
    return ObjectState(
        kind=thing.kind,
        colour=thing.colour,
        relation=place.relation,
        at=place.entity,
        surface=place.surface,
        room=world.room_of(world.position(thing.body)),
        position=rounded(world.position(thing.body)),
        quaternion=rounded(world.data.xquat[thing.body]),
        half=rounded(thing.half),
        receives="in" if thing.hollow is not None else "on",
    )


def _furniture(world: World, thing: ReceptacleInfo) -> FixedState:
    inside = any(plan.inside or plan.access == "front" for plan in thing.surfaces)
    box = world.receptacle_box(thing)
    return FixedState(
        kind=thing.kind,
        colour=thing.colour,
        room=thing.room,
        position=rounded(box.center),
        quaternion=rounded(world.data.xquat[thing.body]),
        half=rounded(box.half),
        states={"on": world.appliances.on[thing.name]} if thing.appliance is not None else {},
        receives=("in" if inside else "on") if thing.surfaces else None,
    )
