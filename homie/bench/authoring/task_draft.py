"""The draft of a task: its steps in a house, and the subtasks of the expert, goal and key paths that follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from homie.bench.authoring.house import House
from homie.bench.authoring.orders import END, orders
from homie.bench.authoring.route import Route

MOST_PATHS = 120
"""Key paths of a task at most: five errands in any order."""


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done with a thing and a place, by their names in the house: `carry` the thing there, `take` it and
    keep it, `open` or `close` the place, `visit` it, `look` at what is on it, which only the expert has to do.

    Attributes:
        beside: An object at the place, where the text names it and not the place: the expert goes to it to see where
            it is.
    """

    kind: Literal["carry", "take", "open", "close", "visit", "look"]
    thing: str = ""
    where: str = ""
    beside: str = ""


@dataclass(frozen=True, slots=True)
class TaskDraft:
    """A task before its text is written.

    Attributes:
        steps: The steps, in sequence.
        words: What the text calls the objects, by the names of its slots.
        ordered: Whether the text prescribes the sequence; otherwise objects may be carried in any.
    """

    steps: tuple[Step, ...]
    words: dict[str, str]
    ordered: bool = False

    def things(self) -> list[str]:
        """The objects that it is about."""
        return [step.thing for step in self.steps if step.thing]

    def expert(self, house: House) -> list[str]:
        """The subtasks that do it, End included, in the words of its text: a planner that learns from them knows no
        names of a scene."""
        route = Route(house, house.called)
        for step in self.steps:
            match step.kind:
                case "carry":
                    route.carry(step.thing, step.where, beside=step.beside)
                case "take":
                    route.pick(step.thing)
                case "open":
                    route.open(step.where)
                case "close":
                    route.close(step.where)
                case "visit" | "look":
                    route.visit(step.where)
        return [*route.subtasks, END]

    def goal(self, house: House) -> dict[str, Any]:
        """What is so afterwards, as suites write it."""
        return {"all": [_effect(house, step, self.steps) for step in self.steps if _is_lasting(step, self.steps)]}

    def keypaths(self, house: House) -> list[list[str]]:
        """The orders of subtasks that do it."""
        steps = [step for step in self.steps if step.kind != "look"]
        blocks = {str(number): _nodes(house, step) for number, step in enumerate(steps)}
        after = {str(number): _predecessors(number, steps, ordered=self.ordered) for number in range(len(steps))}
        return list(islice(orders(blocks, after), MOST_PATHS))


def _is_lasting(step: Step, steps: Sequence[Step]) -> bool:
    """Whether a step leaves something that is still so at the end: of several places to visit only the last is."""
    return step is steps[-1] if step.kind == "visit" else step.kind != "look"


def _effect(house: House, step: Step, steps: Sequence[Step]) -> dict[str, Any]:
    match step.kind:
        case "carry":
            is_inside = house.container(step.where) is not None or step.where in house.objects
            return {"in" if is_inside else "at": [step.thing, step.where]}
        case "take":
            return {"held": step.thing}
        case "visit":
            return {"robot_in": step.where}
    return {"open" if step.kind == "open" else "closed": step.where}


def _nodes(house: House, step: Step) -> list[str]:
    word = house.word(step.thing) if step.thing else ""
    place = house.word(step.where) if step.where else ""
    return {
        "carry": [f"[Pick, {word}]", f"[Put, {word}, {place}]"],
        "take": [f"[Pick, {word}]"],
        "open": [f"[Open, {place}]"],
        "close": [f"[Close, {place}]"],
        "visit": [f"[Go to, {place}]"],
    }[step.kind]


def _predecessors(number: int, steps: Sequence[Step], *, ordered: bool) -> list[str]:
    """The steps that come before one: carries are free among themselves, all else keeps its place."""
    if ordered or steps[number].kind != "carry":
        return [str(other) for other in range(number)]
    return [str(other) for other in range(number) if steps[other].kind != "carry"]
