"""Convert AI2-THOR's metadata to a `WorldSnapshot`: its (x, z) on the floor is Homie's (x, y), its y is Homie's z."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from homie.envs.thor.controller import Metadata
from homie.envs.thor.kinds import INSIDE, is_slice, kind_of, room_of
from homie.envs.thor.settings import Approach
from homie.kernel.types import Pose2
from homie.kernel.world.snapshot import (
    FixedState,
    JointState,
    ObjectState,
    RobotState,
    RoomState,
    TaskCondition,
    Vector,
    WorldSnapshot,
    round_numbers,
)

FLOOR = "floor"
"""Support of a loose object that is in no receptacle."""


class Names:
    """Names of objects by objectId, for one episode: `mug` for the first, `mug_2` for the second, in AI2-THOR's order.
    EB-ALFRED numbers in the same way (`Mug_2`). A slice has its own name."""

    def __init__(self) -> None:
        self._by_id: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def learn(self, objects: Iterable[Mapping[str, Any]]) -> None:
        """Assign names to objects that have none yet."""
        for item in objects:
            if item["objectId"] not in self._by_id:
                kind = kind_of(item["objectType"])
                number = self._counts[kind] = self._counts.get(kind, 0) + 1
                self._by_id[item["objectId"]] = kind if number == 1 else f"{kind}_{number}"

    def of(self, object_id: str) -> str:
        """Return the name of an object. Raises KeyError if it has not been learnt."""
        return self._by_id[object_id]

    @property
    def ids(self) -> tuple[str, ...]:
        """All learnt objectIds, including those of objects that no longer exist."""
        return tuple(self._by_id)

    def id_of(self, name: str) -> str:
        """Return the objectId of a name. Raises StopIteration if it is unknown."""
        return next(object_id for object_id, known in self._by_id.items() if known == name)


def base_of(agent: Mapping[str, Any]) -> Pose2:
    """Return the agent's pose in Homie's frame."""
    position = agent["position"]
    return Pose2(position["x"], position["z"], math.radians(90.0 - agent["rotation"]["y"]))


def snapshot_of(
    metadata: Metadata, names: Names, changes: Mapping[str, frozenset[str]], approach: Approach | None
) -> WorldSnapshot:
    """Return the world state in the metadata.

    Args:
        metadata: Metadata of the last event.
        names: Names of all its objects.
        changes: States that AI2-THOR lacks, as objectIds by state (`heated`, `cooled`, `clean`).
        approach: The task of the scene, if any.
    """
    room = room_of(metadata["sceneName"])
    objects, fixed, joints, held = {}, {}, {}, None
    for item in metadata["objects"]:
        name = names.of(item["objectId"])
        attributes: dict[str, Any] = {
            "kind": kind_of(item["objectType"]),
            "room": room,
            "position": _point(item["position"]),
            "states": _states(item, changes),
        }
        if item["receptacle"]:
            attributes["receives"] = "in" if item["objectType"] in INSIDE else "on"
        if item["openable"]:
            fraction = float(item.get("openness", 1.0)) if item["isOpen"] else 0.0
            joints[f"{name}/door"] = JointState(receptacle=name, fraction=fraction)
        if item["pickupable"]:
            held = name if item["isPickedUp"] else held
            objects[name] = ObjectState(**attributes, **_place(item, names))
        else:
            fixed[name] = FixedState(**attributes)
    base = base_of(metadata["agent"])
    task = () if approach is None else (_judge_approach(approach, base),)
    return WorldSnapshot(
        objects=objects,
        fixed=fixed,
        rooms={room: RoomState(kind=room)},
        joints=joints,
        held=held,
        robot=RobotState(room=room, x=base.x, y=base.y, yaw=base.yaw),
        conditions=task,
        success=all(condition.met for condition in task) if task else None,
    )


def _judge_approach(approach: Approach, base: Pose2) -> TaskCondition:
    """Judge whether the agent is near enough, as in EB-Navigation, by the target's position in the file."""
    x, _, z = approach.point
    is_met = math.hypot(base.x - x, base.y - z) <= approach.metres
    return TaskCondition(condition={"within": [approach.target, approach.metres]}, met=is_met)


def _place(item: Mapping[str, Any], names: Names) -> dict[str, Any]:
    if item["isPickedUp"]:
        return {"relation": "held", "at": "robot"}
    if not item["parentReceptacles"]:
        return {"relation": "on", "at": FLOOR}
    parent = item["parentReceptacles"][0]
    return {"relation": "in" if type_of(parent) in INSIDE else "on", "at": names.of(parent)}


def type_of(object_id: str) -> str:
    """Return the type of an object from its id; for a part of another object, it is at the end.

    >>> type_of("Bread|+01.30|+00.98|-01.53"), type_of("Sink|-00.11|+00.89|-02.01|SinkBasin")
    ('Bread', 'SinkBasin')
    """
    first, *_, last = object_id.split("|")
    return first if object_id.count("|") < 4 else last.split("_")[0]


def _states(item: Mapping[str, Any], changes: Mapping[str, frozenset[str]]) -> dict[str, bool]:
    states = {"on": bool(item["isToggled"])} if item["toggleable"] else {}
    if item["sliceable"] or is_slice(item["objectType"]):
        states["sliced"] = is_slice(item["objectType"]) or bool(item["isSliced"])
    if item["pickupable"]:
        states |= {state: item["objectId"] in object_ids for state, object_ids in changes.items()}
    return states


def _point(position: Mapping[str, float]) -> Vector:
    point: Vector = round_numbers((position["x"], position["z"], position["y"]))
    return point
