"""What anybody knows of furniture: what things are put on or into, what opens, where it stands, what is kept there.

The one table of it: planners, perception, the making of houses and of tasks read it. Only what was measured of some
kinds, and which of them a generated house needs for states, is said by them (`planners.rule.search_order`). A kind that
the embedded home builds has its shape beside the others of its folder (`homie.envs.mujoco.blueprints`).

>>> [use.name for use in kinds(lambda use: use.opens) if use.looked_for and not use.rooms]
['drawer', 'cabinet', 'lower drawer', 'middle drawer', 'upper drawer']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Holds: TypeAlias = Literal["", "top", "boards", "cooktop", "cushion", "basin", "inside"]
"""What things are put on or into: a firm top, boards one over the other, the top of a stove, something soft, a basin,
what is behind a door or in a drawer; "" for nothing to count on."""
Kept: TypeAlias = Literal["fruit", "food", "dish", "bowl", "wash", "small", "anything"]
"""What is kept somewhere, by classes of things. small: what goes into a drawer. anything: what finds no place where it
is usually kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FurnitureUse:
    """One kind of furniture, as people use it.

    Attributes:
        name: As people call it; the embedded home writes it with underscores (`kind`).
        short: What planners call it, "" for the name.
        narrower: What detectors may call some of its kind.
        holds: See `Holds`.
        handy: How readily something is put down there for a moment, 1 first; 0 for never.
        one_more: Whether it takes one thing more, not two.
        rooms: Where it stands, most likely first; () for anywhere.
        keeps: What generated houses have there.
        told_by_colour: Whether people say which one they mean by its colour.
        switched: Whether it can be turned on and off.
        looked_for: Whether open-vocabulary detectors look for it unless they are given other names to look for.
        soiled: Whether its top gets dirty and is wiped.
        tap: Whether water runs in it.
        otherwise: Whether it opens otherwise than by one door at its side or one drawer, which is all that robots
            understand of what they see.
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
        """What planners call it: `counter`."""
        return self.short or self.name

    @property
    def names(self) -> tuple[str, ...]:
        """All that a detector may call it."""
        return tuple(dict.fromkeys((self.name, self.word, *self.narrower)))

    @property
    def opens(self) -> bool:
        """Whether it has a door or a drawer that has to be opened before anything goes in."""
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
"""All kinds. In this order open-vocabulary detectors ask for them."""

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
"""Where a search for a thing goes, most likely first, in the words of planners, by what is kept there."""


def kinds(condition: Callable[[FurnitureUse], bool]) -> tuple[FurnitureUse, ...]:
    """The kinds of which something is so, in the order of the table."""
    return tuple(use for use in FURNITURE if condition(use))


def opens_otherwise(name: str) -> bool:
    """Whether furniture of this name opens otherwise than by one door or one drawer.

    >>> opens_otherwise("chest"), opens_otherwise("fridge")
    (True, False)
    """
    return any(use.otherwise and name in (use.kind, *use.names) for use in FURNITURE)


def homes(*kept: Kept) -> frozenset[str]:
    """The kinds, as scene specs call them, where one of these is kept.

    >>> sorted(homes("wash"))
    ['cabinet', 'kitchen_counter', 'sink', 'washbasin']
    """
    return frozenset(use.kind for use in FURNITURE if not set(kept).isdisjoint(use.keeps))
