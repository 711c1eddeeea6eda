"""Draft of a task: its steps in a house, from which follow the expert's subtasks, goal and key paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from homie.bench.authoring.house import House
from homie.bench.authoring.orders import END, orders
from homie.bench.authoring.route import Route

MOST_PATHS = 120
"""Maximum number of key paths of a task: five errands in any order."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step with an object and a place, by their names in the house: `carry` the object there, `take` and keep it,
    `open` or `close` the place, `visit` it, `look` at its contents, which only the expert has to do.

    Attributes:
        beside: An object at the place, if the text names that object instead of the place: the expert goes to the
            object to find the place.
    """

    kind: Literal["carry", "take", "open", "close", "visit", "look"]
    thing: str = ""
    where: str = ""
    beside: str = ""


@dataclass(frozen=True, slots=True)
class TaskDraft:
    """A task before its text is written.

    Attributes:
        steps: Steps in sequence.
        words: Words of the text for the objects, by slot.
        ordered: Whether the text prescribes the sequence; otherwise objects may be carried in any order.
    """

    steps: tuple[Step, ...]
    words: dict[str, str]
    ordered: bool = False

    def things(self) -> list[str]:
        """Return the objects of the task."""
        return [step.thing for step in self.steps if step.thing]

    def expert(self, house: House) -> list[str]:
        """Return the subtasks that do the task, including End, in the words of its text, because a planner trained on
        them does not know the names of a scene."""
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
        """Return the goal in the form of suite files."""
        return {"all": [_effect(house, step, self.steps) for step in self.steps if _is_lasting(step, self.steps)]}

    def keypaths(self, house: House) -> list[list[str]]:
        """Return the sequences of subtasks that do the task."""
        steps = [step for step in self.steps if step.kind != "look"]
        blocks = {str(number): _nodes(house, step) for number, step in enumerate(steps)}
        after = {str(number): _predecessors(number, steps, ordered=self.ordered) for number in range(len(steps))}
        return list(islice(orders(blocks, after), MOST_PATHS))


def _is_lasting(step: Step, steps: Sequence[Step]) -> bool:
    """Return whether the effect of a step lasts until the end: of several places to visit, only the last counts."""
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
    """Return the steps that must precede a step: carries may be permuted, all other steps keep their place."""
    if ordered or steps[number].kind != "carry":
        return [str(other) for other in range(number)]
    return [str(other) for other in range(number) if steps[other].kind != "carry"]
