"""A task before its house is found: its text, its steps, and further content of the house."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from homie.envs.mujoco.generate.requested_changes import Variation
from suites.authoring.homie_100.draft import Draft, Plan, make_draft, subtasks_of
from suites.authoring.homie_100.houses import GeneratedHouse
from suites.authoring.homie_100.script import Binder
from suites.authoring.homie_100.second_hand import right_plans, wrong_plans
from suites.authoring.homie_100.words import at_kind, of_class, place_name
from suites.authoring.states_script import UnsuitedHouse

Pattern = Callable[[GeneratedHouse], Draft]
"""Drafts a task for a house; raises UnsuitedHouse where it does not fit."""


@dataclass(frozen=True)
class Entry:
    """A task.

    Attributes:
        letters: L logical, h human-style, o open-ended (EMMOE, section 3.1).
        text: {table}, {cabinet}: slots for the names of places in the house.
        start, opened, added: Differences of the house from that of its seed, with kinds for names (`apple@table#2`:
            another table than `apple@table`).
    """

    id: str
    letters: str
    text: str
    pattern: Pattern
    start: str = ""
    opened: str = ""
    added: str = ""

    def variation(self, house: GeneratedHouse) -> Variation:
        """Return the required differences from the house of its seed. Raises UnsuitedHouse."""
        names: dict[str, str] = {}

        def name(noun: str) -> str:
            kind = noun.partition("#")[0]
            taken = set(names.values())
            free = [piece for piece in house.of_kind(kind) if piece not in taken and place_name(house, piece)]
            if noun not in names and not free:
                raise UnsuitedHouse(noun)
            return names.setdefault(noun, (free or [names.get(noun, "")])[0])

        start = next((room for room, kind in house.rooms.items() if kind == self.start), None)
        if self.start and start is None:
            raise UnsuitedHouse(self.start)
        opened = [name(noun) for noun in self.opened.split()]
        added = [text.replace(".", " ").split("@") for text in self.added.split()]
        return Variation(start, opened, [f"{item}@{name(where)}" for item, where in added])


def errand(
    script: str,
    *,
    lacks: str = "",
    counts: Mapping[str, int] | None = None,
    wrong: Mapping[str, str] | None = None,
) -> Pattern:
    """Return the pattern of a script.

    Args:
        lacks: `fruit@fridge`: there must be no such object.
        counts: Number of objects of a kind in the house.
        wrong: Further scripts of the second hand, by what is wrong with them; with a `~` where the world does not show
            it.
    """

    def look(house: GeneratedHouse) -> Draft:
        kind, _, at = lacks.partition("@")
        if lacks and any(at_kind(house, name, at) for name in of_class(house, kind)):
            raise UnsuitedHouse(lacks)
        if any(len(of_class(house, label)) != count for label, count in (counts or {}).items()):
            raise UnsuitedHouse("another number of a kind")
        binder = Binder(house)
        steps = binder.read(script)
        draft = make_draft(house, steps)
        bad = [
            Plan(why.removeprefix("~"), subtasks_of(house, binder.read(text, anything=True)), unseen=why[0] == "~")
            for why, text in (wrong or {}).items()
        ]
        return replace(
            draft,
            slots=slots(house, binder),
            right=right_plans(house, steps),
            wrong=[*bad, *wrong_plans(house, steps)],
        )

    return look


def slots(house: GeneratedHouse, binder: Binder) -> dict[str, str]:
    """Return the words for the slots of the text. Raises UnsuitedHouse for a place that has no short name."""
    names = {}
    for noun, name in binder.places.items():
        words = place_name(house, name) if name in house.furniture or name in house.rooms else name
        if words is None:
            raise UnsuitedHouse(noun)
        names[noun.replace(".", "_")] = words
    return names
