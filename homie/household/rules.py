"""How things of a household come into states: declared rules, as AI2-THOR has them.

The states are symbolic. A heated apple has no temperature: it has been for some seconds where things get hot, and it
looks so. What a rule asks for is real: where the thing lies, whether the door is shut and the power on, what is in the
hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from homie.kernel.interfaces import kind_of
from homie.kernel.vocabulary.furniture import kinds

SLICED = frozenset(
    {
        *("apple", "bread", "lemon", "orange", "peach", "pear", "potato", "tomato"),
        *("bell_pepper", "carrot", "cucumber", "eggplant", "onion"),
    }
)
FOOD = SLICED | {"banana", "plum", "strawberry", "broccoli", "cheese", "corn", "cupcake", "donut", "egg", "mushroom"}
VESSELS = frozenset({"bowl", "glass", "mug", "pot"})
DISHES = VESSELS | {"pan", "plate"}
TOPS = frozenset(use.kind for use in kinds(lambda use: use.soiled))
"""Furniture with a top that gets dirty."""
BASINS = frozenset(use.kind for use in kinds(lambda use: use.tap))
USUAL = {"clean": True}
"""What things are at the start where nobody says otherwise. All other states have to be brought about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How one state comes about. What is left out is not asked.

    state: what things are then. things: the kinds that can be. ends: states of theirs that are over then.
    at, surface: kinds of furniture that it has to be in, and which surface of that. shut, on: how that has to be.
    upright: the thing stands as it was made. seconds: for how long. process: the state of it meanwhile. tool: the
    kinds of things one of which has to be in the hand. uses: a state that the tool loses by it, and has to have.
    asks: what has to be so, in words.
    """

    state: str
    things: frozenset[str]
    asks: str
    ends: tuple[str, ...] = ()
    at: frozenset[str] = frozenset()
    surface: str = ""
    shut: bool = False
    on: bool = False
    upright: bool = False
    seconds: float = 0.0
    process: str = ""
    tool: frozenset[str] = frozenset()
    uses: str = ""


HEAT = Rule(
    state="heated",
    things=FOOD | VESSELS,
    ends=("cooled",),
    at=frozenset({"microwave"}),
    shut=True,
    on=True,
    seconds=4.0,
    process="heating",
    asks="it has to be in a microwave that is shut and on",
)
COOL = Rule(
    state="cooled",
    things=FOOD | VESSELS,
    ends=("heated",),
    at=frozenset({"fridge"}),
    shut=True,
    seconds=8.0,
    process="cooling",
    asks="it has to be in a fridge that is shut",
)
WASH = Rule(
    state="clean",
    things=DISHES,
    at=BASINS,
    surface="basin",
    on=True,
    seconds=3.0,
    process="washing",
    asks="it has to be in the basin of a sink that is on",
)
FILL = Rule(
    state="filled",
    things=VESSELS,
    at=BASINS,
    surface="basin",
    on=True,
    upright=True,
    seconds=3.0,
    process="filling",
    asks="it has to stand in the basin of a sink that is on",
)
SLICE = Rule(state="sliced", things=SLICED, tool=frozenset({"knife"}), asks="there has to be a knife in the hand")
WIPE = Rule(
    state="clean", things=TOPS | DISHES, tool=frozenset({"sponge"}), asks="there has to be a sponge in the hand"
)
POUR = Rule(
    state="filled", things=VESSELS, tool=VESSELS, uses="filled", asks="there has to be something filled in the hand"
)
RULES = (HEAT, COOL, WASH, FILL, SLICE, WIPE, POUR)


def states_of(kind: str) -> Mapping[str, bool]:
    """The states that things of a kind can be in, as they are at the start.

    >>> states_of("mug")
    {'heated': False, 'cooled': False, 'clean': True, 'filled': False}
    """
    return {rule.state: USUAL.get(rule.state, False) for rule in RULES if kind in rule.things}


def fits(kinds: frozenset[str], entity: str) -> bool:
    """Whether an entity is of one of some kinds, by its name: `lamp_2` is a lamp."""
    return kind_of(entity).replace(" ", "_") in kinds
