"""For those who write suites: what a generated house holds before anything happens, and the subtasks of errands in it.

house = House(generate(7, rooms=3, objects=20))
route = Route(house)
route.carry("apple", "fridge")
route.close_all()
route.subtasks   # [Go to, fridge], [Open, fridge], [Go to, apple], [Pick, apple], ...
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import permutations, product

from homie.bench.goals import JointState, ObjectState, RobotState, State
from homie.envs.mujoco.parts import SurfacePlan
from homie.envs.mujoco.spec import FurnitureSpec, ObjectSpec, SceneSpec
from homie.envs.mujoco.surfaces import surfaces_of

END = "[End]"
Carry = tuple[str, str]
"""An object and where it goes, by their names in the scene."""


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
        """The closed container that an object is inside of, or that the furniture of this name is."""
        where = self.objects[name].receptacle if name in self.objects else name
        piece = self.furniture.get(where)
        return where if piece is not None and piece.blueprint.articulation is not None else None

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


class Route:
    """The subtasks of errands, one after the other, with every step between them that a robot with one hand needs."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._at = ""
        self._opened: list[str] = []
        self.subtasks: list[str] = []

    def visit(self, name: str) -> None:
        """Be there."""
        if self._at != name:
            self.subtasks.append(f"[Go to, {self._house.word(name)}]")
            self._at = name

    def open(self, container: str) -> None:
        """Have it open. The hand has to be empty."""
        if container not in self._opened:
            self.visit(container)
            self.subtasks.append(f"[Open, {self._house.word(container)}]")
            self._opened.append(container)

    def pick(self, thing: str) -> None:
        """Have it in the hand; what it is inside of is opened first."""
        inside = self._house.container(thing)
        if inside is not None:
            self.open(inside)
        self.visit(inside or thing)
        self.subtasks.append(f"[Pick, {self._house.word(thing)}]")
        self._at = inside or thing

    def carry(self, thing: str, to: str) -> None:
        """Put it there, in or on furniture or another object."""
        inside = self._house.container(to)
        if inside is not None:
            self.open(inside)
        self.pick(thing)
        self.visit(to)
        self.subtasks.append(f"[Put, {self._house.word(thing)}, {self._house.word(to)}]")

    def close(self, container: str) -> None:
        """Have it closed. The hand has to be empty."""
        if container in self._opened:
            self.visit(container)
            self.subtasks.append(f"[Close, {self._house.word(container)}]")
            self._opened.remove(container)

    def close_all(self) -> None:
        """Close what was opened, the nearest in time first."""
        for container in reversed(tuple(self._opened)):
            self.close(container)


def orders(
    blocks: Sequence[Sequence[str]],
    before: Sequence[str] = (),
    after: Sequence[str] = (),
    *,
    closing: Mapping[str, Collection[int]] | None = None,
) -> list[list[str]]:
    """Key paths: the blocks in any order, between what comes first and what comes last; End is added.

    closing: further nodes, each with the numbers of the blocks that it has to come after; between which of the later
    blocks it comes is free.
    """
    closing = closing or {}
    found: dict[tuple[str, ...], None] = {}
    for order in permutations(range(len(blocks))):
        ready = {node: max(order.index(number) for number in needs) for node, needs in closing.items()}
        for sequence in permutations(closing):
            for places in product(*(range(ready[node], len(order)) for node in sequence)):
                middle = [
                    node
                    for place, number in enumerate(order)
                    for node in (*blocks[number], *(n for n, p in zip(sequence, places, strict=True) if p == place))
                ]
                found[(*before, *middle, *after, END)] = None
    return [list(path) for path in found]
