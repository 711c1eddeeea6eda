"""Subtasks of errands, including all steps that a robot with one hand needs."""

from __future__ import annotations

from collections.abc import Callable

from homie.bench.authoring.house import House

Carry = tuple[str, str]
"""An object and its destination, by their names in the scene."""


class Route:
    """Builder of the subtasks of successive errands, with all intermediate steps that a robot with one hand needs.

    Args:
        house: The house.
        call: Function that returns an object's name in subtasks; `house.word` by default.
    """

    def __init__(self, house: House, call: Callable[[str], str] | None = None) -> None:
        self._house = house
        self._call = call or house.word
        self._at = ""
        self._opened: list[str] = []
        self._open = {name for name in house.furniture if house.stands_open(name)}
        self.subtasks: list[str] = []

    def visit(self, name: str) -> None:
        """Go there, unless the robot is there already."""
        if self._at != name:
            self.subtasks.append(f"[Go to, {self._call(name)}]")
            self._at = name

    def open(self, container: str) -> None:
        """Open a container, unless it is open. The hand must be empty."""
        if container not in self._open:
            self.visit(container)
            self.subtasks.append(f"[Open, {self._call(container)}]")
            self._opened.append(container)
            self._open.add(container)

    def pick(self, item: str) -> None:
        """Pick an object after opening its container."""
        container = self._house.container(item)
        if container is not None:
            self.open(container)
        self.visit(container or item)
        self.subtasks.append(f"[Pick, {self._call(item)}]")

    def carry(self, item: str, to: str, *, beside: str = "") -> None:
        """Put an object in or on furniture or another object.

        Args:
            item: The object.
            to: The destination.
            beside: An object there, to go to instead of the destination.
        """
        container = self._house.container(to)
        if container is not None:
            self.open(container)
        self.pick(item)
        self.visit(beside or to)
        self.subtasks.append(f"[Put, {self._call(item)}, {self._call(to)}]")

    def close(self, container: str) -> None:
        """Close a container, unless it is closed. The hand must be empty."""
        if container in self._open:
            self.visit(container)
            self.subtasks.append(f"[Close, {self._call(container)}]")
            self._open.remove(container)

    def close_all(self) -> None:
        """Close all opened containers, the last one first."""
        for container in reversed(tuple(self._opened)):
            self.close(container)
