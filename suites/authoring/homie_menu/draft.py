"""A task of homie-menu in one house."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from homie.bench.authoring.house import House

MOST = 8
"""Most answers of a question, as in EmbodiedEval."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A task: its text, the steps of its expert (without End), and its criterion: an answer or a goal.

    Attributes:
        about: Its subject, so that no house has the same task twice.
        answers: All options.
        right: The correct one.
    """

    about: str
    text: str
    expert: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    right: str = ""
    goal: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the criterion in the format of suites."""
        if self.right:
            end = f"[End, {self.right}]"
            return {"answers": list(self.answers), "keypaths": [[end]], "expert": [*self.expert, end]}
        return {"goal": dict(self.goal or {}), "expert": [*self.expert, "[End]"]}


Drafting: TypeAlias = Callable[[House, random.Random], list[Draft]]
"""Drafts tasks of one kind in a house, in random order; none where the house does not suit."""


def question(
    about: str, text: str, right: str, others: Sequence[str], rng: random.Random, expert: tuple[str, ...]
) -> Draft:
    """Draft a question with its answers in alphabetical order, which reveals nothing."""
    wrong = sorted(set(others) - {right})
    drawn = rng.sample(wrong, min(MOST - 1, len(wrong)))
    return Draft(about, text, expert, tuple(sorted([right, *drawn])), right)


def object_name(house: House, name: str) -> str:
    """Return the name of an object in texts, "" where no short name is unambiguous."""
    return house.spoken(name) or ""


def to_see(house: House, name: str) -> tuple[str, ...]:
    """Return the subtasks after which an object is in view."""
    container = house.container(name)
    if container in (None, name) or house.stands_open(str(container)):
        return (f"[Go to, {name}]",)
    return (f"[Go to, {container}]", f"[Open, {container}]")
