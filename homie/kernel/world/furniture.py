"""Common-sense knowledge of furniture: supporting surfaces, doors and drawers, usual rooms and contents.

The single table used by planners, perception, and the generators of houses and tasks. Measured values of some kinds,
and the kinds that a generated house needs for states, are in those modules (`planners.rule.search_order`). The geometry
of kinds in the embedded home is in `homie.envs.mujoco.blueprints`.

>>> [use.name for use in kinds(lambda use: use.opens) if use.looked_for and not use.rooms]
['drawer', 'cabinet', 'lower drawer', 'middle drawer', 'upper drawer']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Holds: TypeAlias = Literal["", "top", "boards", "cooktop", "cushion", "basin", "inside"]
"""Where objects are put: on a firm top, on boards one above the other, on a stove, on something soft, into a basin,
behind a door or into a drawer (`inside`); "" for no reliable place."""
Kept: TypeAlias = Literal["fruit", "food", "dish", "bowl", "wash", "small", "anything"]
"""Classes of objects that are kept somewhere. small: fits into a drawer. anything: all objects for which there is no
room at their usual place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FurnitureUse:
    """One kind of furniture and its use.

    Attributes:
        name: Common name; the embedded home writes it with underscores (`kind`).
        short: Its name in a planner's input, "" for `name`.
        narrower: Names of special cases that detectors may report.
        holds: See `Holds`.
        handy: Rank as a place to put an object down temporarily, 1 is best; 0 for never.
        one_more: Whether there is room for one more object, not two.
        rooms: Usual rooms, most likely first; () for any.
        keeps: Classes of objects that generated houses place there.
        told_by_colour: Whether instructions refer to one of several by its colour.
        switched: Whether it can be turned on and off.
        looked_for: Whether open-vocabulary detectors look for it by default.
        soiled: Whether its top gets dirty and is wiped.
        tap: Whether it has running water.
        otherwise: Whether it opens in another way than by one side-hinged door or one drawer, the only mechanisms that
            robots recognize in pictures.
    """

    name: str
    short: str = ""
    narrower: tuple[str, ...] = ()
    holds: Holds = ""
    handy: int = 0
    one_more: bool = False
    rooms: tuple[str, ...] = ()
    keeps: tuple[Kept, ...] = ()
    told_by_colour: bool = False
    switched: bool = False
    looked_for: bool = True
    soiled: bool = False
    tap: bool = False
    otherwise: bool = False

    @property
    def kind(self) -> str:
        """Its name in scene specs: `tv_stand`."""
        return self.name.replace(" ", "_")

    @property
    def word(self) -> str:
        """Its name in a planner's input: `counter`."""
        return self.short or self.name

    @property
    def names(self) -> tuple[str, ...]:
        """All names that a detector may report for it."""
        return tuple(dict.fromkeys((self.name, self.word, *self.narrower)))

    @property
    def opens(self) -> bool:
        """Whether it has a door or a drawer that has to be opened before an object can be put in."""
        return self.holds == "inside"


_KITCHEN = ("kitchen", "dining room")
_LIVING = ("living room", "study")
_STUDY = ("study", "living room")
_TABLE = ("living room", "dining room")

FURNITURE = (
    FurnitureUse(
        name="kitchen counter",
        short="counter",
        holds="top",
        handy=1,
        rooms=_KITCHEN,
        keeps=("fruit", "food", "dish", "bowl", "wash", "anything"),
        soiled=True,
    ),
    FurnitureUse(name="sink", holds="basin", handy=11, rooms=_KITCHEN, keeps=("dish", "wash"), tap=True),
    FurnitureUse(
        name="stove", holds="cooktop", handy=7, one_more=True, rooms=_KITCHEN, keeps=("anything",), switched=True
    ),
    FurnitureUse(name="drawer", holds="inside", one_more=True, keeps=("fruit", "small", "anything")),
    FurnitureUse(name="fridge", holds="inside", rooms=_KITCHEN, keeps=("fruit", "food")),
    FurnitureUse(
        name="cabinet",
        holds="inside",
        keeps=("food", "dish", "bowl", "wash", "anything"),
        told_by_colour=True,
    ),
    FurnitureUse(name="microwave", holds="inside", one_more=True, rooms=_KITCHEN, switched=True),
    FurnitureUse(
        name="table",
        narrower=("coffee table",),
        holds="top",
        handy=2,
        rooms=_TABLE,
        keeps=("fruit", "food", "dish", "bowl", "anything"),
        told_by_colour=True,
        soiled=True,
    ),
    FurnitureUse(
        name="desk",
        holds="top",
        handy=3,
        rooms=_STUDY,
        keeps=("fruit", "dish", "bowl", "anything"),
        soiled=True,
    ),
    FurnitureUse(name="sofa", holds="cushion", handy=8, rooms=_LIVING, told_by_colour=True),
    FurnitureUse(name="armchair", rooms=_LIVING, told_by_colour=True),
    FurnitureUse(name="chair", rooms=_TABLE, told_by_colour=True),
    FurnitureUse(name="tv stand", holds="top", handy=4, rooms=_LIVING, keeps=("fruit", "anything")),
    FurnitureUse(name="tv", rooms=_LIVING, switched=True),
    FurnitureUse(name="lamp", switched=True),
    FurnitureUse(name="bed", holds="cushion", handy=9, rooms=("bedroom",)),
    FurnitureUse(
        name="nightstand",
        narrower=("bedside table",),
        holds="top",
        handy=5,
        one_more=True,
        rooms=("bedroom",),
        keeps=("fruit", "dish", "anything"),
    ),
    FurnitureUse(
        name="shelf",
        narrower=("bookshelf",),
        holds="boards",
        handy=6,
        rooms=_STUDY,
        keeps=("food", "dish", "anything"),
    ),
    FurnitureUse(name="wardrobe", holds="inside", rooms=("bedroom",), keeps=("anything",), otherwise=True),
    FurnitureUse(name="toilet", rooms=("bathroom",)),
    FurnitureUse(name="bathtub", holds="basin", rooms=("bathroom",)),
    FurnitureUse(name="washbasin", holds="basin", handy=10, rooms=("bathroom",), keeps=("wash",), tap=True),
    FurnitureUse(name="plant"),
    FurnitureUse(name="bench", looked_for=False),
    FurnitureUse(name="oven", holds="inside", looked_for=False),
    FurnitureUse(name="dishwasher", holds="inside", rooms=_KITCHEN, keeps=("dish", "bowl"), otherwise=True),
    FurnitureUse(name="closet", holds="inside", looked_for=False),
    FurnitureUse(name="trashcan", looked_for=False),
    FurnitureUse(name="chest", holds="inside", rooms=("bedroom", *_LIVING), keeps=("anything",), otherwise=True),
    FurnitureUse(name="sideboard", holds="inside", rooms=_TABLE, keeps=("food", "dish", "bowl"), otherwise=True),
    FurnitureUse(name="lower drawer", holds="inside", one_more=True, keeps=("fruit", "small", "anything")),
    FurnitureUse(name="middle drawer", holds="inside", one_more=True, keeps=("fruit", "small", "anything")),
    FurnitureUse(name="upper drawer", holds="inside", one_more=True, keeps=("fruit", "small", "anything")),
)
"""All kinds, in the order of the default query of open-vocabulary detectors."""

SOUGHT_AT: Mapping[Kept, tuple[str, ...]] = {
    "fruit": (
        *("counter", "table", "desk", "tv stand", "nightstand", "sink", "stove"),
        *("fridge", "drawer", "shelf", "cabinet"),
    ),
    "food": ("shelf", "table", "counter", "desk", "cabinet", "fridge", "drawer"),
    "dish": ("counter", "table", "shelf", "desk", "sink", "cabinet", "drawer"),
    "wash": ("counter", "sink", "washbasin", "cabinet", "drawer"),
    "anything": ("table", "desk", "counter", "shelf", "cabinet", "drawer"),
}
"""Places to search for an object of a class, most likely first, by their names in a planner's input."""


def kinds(condition: Callable[[FurnitureUse], bool]) -> tuple[FurnitureUse, ...]:
    """Return the kinds that fulfil a condition, in the order of the table."""
    return tuple(use for use in FURNITURE if condition(use))


def opens_otherwise(name: str) -> bool:
    """Whether furniture of this name opens in another way than by one door or one drawer.

    >>> opens_otherwise("chest"), opens_otherwise("fridge")
    (True, False)
    """
    return any(use.otherwise and name in (use.kind, *use.names) for use in FURNITURE)


def homes(*kept: Kept) -> frozenset[str]:
    """Return the kinds, by their names in scene specs, where any of these classes is kept.

    >>> sorted(homes("wash"))
    ['cabinet', 'kitchen_counter', 'sink', 'washbasin']
    """
    return frozenset(use.kind for use in FURNITURE if not set(kept).isdisjoint(use.keeps))
