"""What a task of homie-menu is in one house."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from homie.bench.authoring.house import House

MOST = 8
"""Answers of a question, as in EmbodiedEval."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A task: what is asked, what its expert does (End apart), and how it is done: by an answer or by a goal.

    Attributes:
        about: What it asks, so that no house is asked the same twice.
        answers: All of them.
        right: The true one.
    """

    about: str
    text: str
    expert: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    right: str = ""
    goal: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """How it is done, as suites write it."""
        if self.right:
            end = f"[End, {self.right}]"
            return {"answers": list(self.answers), "keypaths": [[end]], "expert": [*self.expert, end]}
        return {"goal": dict(self.goal or {}), "expert": [*self.expert, "[End]"]}


Drafting: TypeAlias = Callable[[House, random.Random], list[Draft]]
"""What one kind of task asks in a house, in random order; nothing where the house has not what it needs."""


def question(
    about: str, text: str, right: str, others: Sequence[str], rng: random.Random, expert: tuple[str, ...]
) -> Draft:
    """A question with its answers in an order that tells nothing: by the alphabet."""
    wrong = sorted(set(others) - {right})
    drawn = rng.sample(wrong, min(MOST - 1, len(wrong)))
    return Draft(about, text, expert, tuple(sorted([right, *drawn])), right)


def spoken(house: House, name: str) -> str:
    """How people call a thing, "" where no short name means only it."""
    return house.spoken(name) or ""


def to_see(house: House, name: str) -> tuple[str, ...]:
    """The subtasks after which somebody has a thing in front of them."""
    container = house.container(name)
    if container in (None, name) or house.stands_open(str(container)):
        return (f"[Go to, {name}]",)
    return (f"[Go to, {container}]", f"[Open, {container}]")
