"""Tasks of navigation and rearrangement."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from homie.bench.authoring.errand_templates import TEMPLATES, Situation
from homie.bench.authoring.house import House
from homie.kernel.types import HELD
from suites.authoring.homie_menu.draft import Draft, object_name

USES: Mapping[str, str] = {
    "bathtub": "where somebody can lie in warm water",
    "bed": "where one sleeps at night",
    "desk": "where one sits to write",
    "fridge": "where milk would stay cold",
    "lamp": "that would give light in the evening",
    "microwave": "that warms up a meal within a minute",
    "nightstand": "where one leaves a book before the light goes out",
    "shelf": "with one board above the other",
    "sink": "where dishes are washed",
    "sofa": "where several people sit side by side",
    "stove": "where soup is cooked",
    "toilet": "that has a lid and a cistern",
    "tv": "where one watches the news",
    "washbasin": "where one brushes one's teeth",
}
"""Uses of furniture, without its name. Each holds for one kind alone."""
ERRANDS = ("place", "store", "pair", "sort", "take-out", "nest", "open", "exchange")
"""Templates of errands that fit into 24 steps."""
SAMPLED = TEMPLATES[:14]
"""Templates at the time when the suite was published: another number would sample other tasks."""


def by_use(house: House, rng: random.Random) -> list[Draft]:
    """Go to the only furniture with a use."""
    kinds = [piece.kind for piece in house.furniture.values()]
    names = [name for name, piece in house.furniture.items() if piece.kind in USES and kinds.count(piece.kind) == 1]
    return [
        _way(name, f"Go to the thing {USES[house.furniture[name].kind]}.") for name in rng.sample(names, len(names))
    ]


def by_thing(house: House, rng: random.Random) -> list[Draft]:
    """Go to the furniture that a loose object stands on."""
    names = [
        name
        for name, item in house.objects.items()
        if item.relation == "on" and item.at in house.furniture and object_name(house, name)
    ]
    return [
        _way(house.objects[name].at, f"Go to the piece of furniture that the {object_name(house, name)} is on.")
        for name in rng.sample(names, len(names))
    ]


def errands(house: House, rng: random.Random) -> list[Draft]:
    """Carry objects, open and close furniture."""
    named = _ByName(house.state)
    drawn = []
    for template in rng.sample(SAMPLED, len(SAMPLED)):
        errand = template.draw(Situation(house, {item.kind for item in house.objects.values()}, rng))
        if errand is None or template.name not in ERRANDS:
            continue
        text = template.wordings.plain[0].format(**errand.words)
        drawn.append(
            Draft(
                about=f"{template.name}",
                text=f"{text[0].upper()}{text[1:]}.",
                expert=tuple(_by_hand(subtask) for subtask in errand.expert(named)[:-1]),
                goal=errand.goal(house),
            )
        )
    return drawn


class _ByName(House):
    """A house whose objects have the names of the scene, as in numbered actions."""

    def called(self, name: str) -> str:
        return name


def _way(name: str, text: str) -> Draft:
    return Draft(f"way to {name}", text, (f"[Go to, {name}]",), goal={"near": name})


def _by_hand(subtask: str) -> str:
    """Write a Put as in the list, with the held object."""
    return re.sub(r"^\[Put, [^,]+,", f"[Put, {HELD},", subtask)
