"""A house in its initial state, with queries for locations and names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property

from homie.kernel.world import thresholds
from homie.kernel.world.snapshot import FixedState, ObjectState, ThingState, WorldSnapshot


class House:
    """Initial world: the locations of its objects, and their names.

    Its state comes from an environment: a snapshot after a reset, or the state of a scene computed without physics
    (`homie.envs.mujoco.initial_state`).
    """

    def __init__(self, state: WorldSnapshot) -> None:
        self.state = state
        self.objects: Mapping[str, ObjectState] = state.objects
        self.furniture: Mapping[str, FixedState] = state.fixed
        self.rooms: dict[str, str] = {name: room.kind for name, room in state.rooms.items()}
        self._open: dict[str, float] = {}
        for joint in state.joints.values():
            self._open[joint.receptacle] = max(joint.fraction, self._open.get(joint.receptacle, 0.0))

    def room(self, name: str) -> str:
        """Return the room of an object or a piece of furniture."""
        place = self.objects[name].at if name in self.objects else name
        return (self.furniture[place].room or "") if place in self.furniture else place

    def container(self, name: str) -> str | None:
        """Return the furniture with a door or drawer that contains an object, or that has this name; else None."""
        place = self.objects[name].at if name in self.objects else name
        return place if place in self._open else None

    def stands_open(self, name: str) -> bool:
        """Return whether a piece of furniture is open initially."""
        return thresholds.is_open(self._open.get(name, 0.0))

    def of_kind(self, *kinds: str) -> list[str]:
        """Return the furniture of these kinds on or in which objects can be put."""
        return [name for name, piece in self.furniture.items() if piece.kind in kinds and piece.receives]

    def things_at(self, place: str) -> list[str]:
        """Return the objects in or on a piece of furniture, or in a room."""
        return [name for name, item in self.objects.items() if place in (item.at, self.room(name))]

    def called(self, name: str) -> str:
        """Return an object's spoken name, which needs no knowledge of the scene; else its own name."""
        return self.rooms.get(name) or self.spoken(name) or name

    def word(self, name: str) -> str:
        """Return an object's name in subtasks: its kind if that is unique, else its own name."""
        if name in self.rooms:
            return self.rooms[name]
        item = self._things[name]
        return item.kind.replace("_", " ") if self._counts[item.kind] == 1 else name

    def spoken(self, name: str) -> str | None:
        """Return an object's spoken name: its kind, or colour and kind; None if neither is unambiguous."""
        item = self._things[name]
        kind = item.kind.replace("_", " ")
        if self._counts[item.kind] == 1:
            return kind
        return f"{item.colour} {kind}" if self._looks[item.kind, item.colour] == 1 else None

    @cached_property
    def _things(self) -> dict[str, ThingState]:
        return self.state.things

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter(item.kind for item in self._things.values())

    @cached_property
    def _looks(self) -> Counter[tuple[str, str]]:
        return Counter((item.kind, item.colour) for item in self._things.values())
