"""A scene spec, to be asked what is where and how to call it."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from homie.bench.suite.goals import JointState, ObjectState, RobotState, State
from homie.envs.mujoco.blueprints.parts import SurfacePlan
from homie.envs.mujoco.house.spec import FurnitureSpec, ObjectSpec, SceneSpec
from homie.envs.mujoco.house.surfaces import surfaces_of
from homie.kernel import domain


class House:
    """A scene spec, to be asked what is where and how to call it."""

    def __init__(self, spec: SceneSpec) -> None:
        self.spec = spec
        self.objects: dict[str, ObjectSpec] = {thing.name: thing for thing in spec.objects}
        self.furniture: dict[str, FurnitureSpec] = {piece.name: piece for piece in spec.furniture}
        self.rooms: dict[str, str] = {room.name: room.kind for room in spec.rooms}
        self.surfaces: dict[str, tuple[SurfacePlan, ...]] = {
            piece.name: surfaces_of(spec, piece) for piece in spec.furniture
        }

    @cached_property
    def state(self) -> State:
        """What goals ask about, before anything has happened."""
        joints = {
            f"{piece.name}_joint": JointState(receptacle=piece.name, fraction=piece.open)
            for piece in self.furniture.values()
            if piece.blueprint.articulation is not None
        }
        appliances = {piece.name: piece.on for piece in self.furniture.values() if piece.blueprint.powered}
        start = next((room.name for room in self.spec.rooms if room.contains(*self._start)), None)
        return State(
            objects={name: self._placed(thing) for name, thing in self.objects.items()},
            joints=joints,
            appliances=appliances,
            robot=RobotState(room=start),
        )

    @property
    def _start(self) -> tuple[float, float]:
        return self.spec.robot.x, self.spec.robot.y

    def _placed(self, thing: ObjectSpec) -> ObjectState:
        plan = next((one for one in self.surfaces.get(thing.receptacle, ()) if one.name == thing.surface), None)
        within = plan is not None and (plan.inside or plan.access == "front")
        return ObjectState(
            kind=thing.kind, relation="in" if within else "on", at=thing.receptacle, room=self.room(thing.name)
        )

    def room(self, name: str) -> str:
        """The room of an object or a piece of furniture."""
        where = self.objects[name].receptacle if name in self.objects else name
        return self.furniture[where].room if where in self.furniture else where

    def container(self, name: str) -> str | None:
        """The furniture with a door or drawer that an object is inside of, or that has this name."""
        where = self.objects[name].receptacle if name in self.objects else name
        piece = self.furniture.get(where)
        return where if piece is not None and piece.blueprint.articulation is not None else None

    def stands_open(self, name: str) -> bool:
        """Whether a piece of furniture is open before anything has happened."""
        return name in self.furniture and domain.is_open(self.furniture[name].open)

    def of_kind(self, *kinds: str) -> list[str]:
        """The furniture of these kinds on or in which something can be put."""
        return [name for name, piece in self.furniture.items() if piece.kind in kinds and self.surfaces[name]]

    def things_at(self, where: str) -> list[str]:
        """The objects in or on a piece of furniture, or in a room."""
        return [name for name, thing in self.objects.items() if where in (thing.receptacle, self.room(name))]

    def word(self, name: str) -> str:
        """How subtasks call it: its kind where there is one of it, else its name."""
        if name in self.rooms:
            return self.rooms[name]
        entity = self._entity(name)
        return entity.kind.replace("_", " ") if self._counts[entity.kind] == 1 else name

    def spoken(self, name: str) -> str | None:
        """How people call it: by its kind, or by its colour among its kind; None if neither is unambiguous."""
        entity = self._entity(name)
        kind = entity.kind.replace("_", " ")
        if self._counts[entity.kind] == 1:
            return kind
        return f"{entity.colour} {kind}" if self._looks[entity.kind, entity.colour] == 1 else None

    def _entity(self, name: str) -> ObjectSpec | FurnitureSpec:
        return self.objects[name] if name in self.objects else self.furniture[name]

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter([item.kind for item in self.spec.objects] + [item.kind for item in self.spec.furniture])

    @cached_property
    def _looks(self) -> Counter[tuple[str, str]]:
        things = [(item.kind, item.colour) for item in self.spec.objects]
        return Counter(things + [(item.kind, item.colour) for item in self.spec.furniture])
