"""What anybody knows about homes: what opens, where things can be put, where things are usually found."""

from __future__ import annotations

from functools import lru_cache

from homie.kernel.interfaces import kind_of
from homie.kernel.types import NamedThing
from homie.kernel.world.furniture import FURNITURE, SOUGHT_AT, Kept, kinds
from perception.colours import COLOUR_WORDS
from perception.names import canonical, match_names

CONTAINERS = tuple(use.word for use in kinds(lambda use: use.opens))
"""Furniture with a door or a drawer that has to be opened before anything goes in."""

SURFACES = tuple(use.word for use in sorted(kinds(lambda use: use.handy > 0), key=lambda use: use.handy))
"""Where something can be put down for a moment, best first."""

ROOMS = ("kitchen", "living room", "bedroom", "bathroom", "dining room", "study")
"""Rooms of a home, most useful first."""

LARGE = tuple(use.word for use in kinds(lambda use: not use.opens and not use.handy))
"""What cannot be carried and has neither a door nor a surface to count on."""

SMALL = (
    "sponge",
    "mustard",
    "tomato soup",
    "plate",
    "glass",
    "spoon",
    "fork",
    "knife",
    "cloth",
    "soap",
    "towel",
    "book",
)
"""Things that can be carried, in addition to those of `perception.names`."""

_LIVED_IN = ("kitchen", "dining room", "living room", "study", "bedroom")
_SOUGHT: tuple[tuple[tuple[str, ...], tuple[str, ...], Kept], ...] = (
    (("fruit",), _LIVED_IN, "fruit"),
    (("food",), _LIVED_IN, "food"),
    (("dish", "cutlery"), _LIVED_IN, "dish"),
    (("sponge", "bleach cleanser", "cloth", "soap"), ("kitchen", "bathroom", *ROOMS), "wash"),
)
"""Things that can be carried: which, the rooms where to look for them, what they are kept as."""
_KITCHEN_UNITS = ("counter", "sink", "stove", "table")
"""What stands in a kitchen is found by going to any of these."""


def means(words: str, name: str) -> bool:
    """Whether the words of an instruction can mean a thing of this name."""
    return bool(match_names(words, (NamedThing(name, name),)))


def same_head(words: str, name: str) -> bool:
    """Whether two names end in the same noun: a `brown table` may be the `table` that the detector reports."""
    return canonical(words).split()[-1:] == canonical(name).split()[-1:] != []


def could_be(words: str, name: str) -> bool:
    """Whether words may describe what a detector calls by another name: a `brown table` may be its `table`, and a
    `white cabinet` its `gray cabinet`, but a `sugar box` is not a `pudding box`."""
    kinds = [[word for word in canonical(phrase).split()[:-1] if word not in COLOUR_WORDS] for phrase in (words, name)]
    return same_head(words, name) and (kinds[0] == kinds[1] or not all(kinds))


def is_container(words: str) -> bool:
    """Whether it has a door or a drawer, by its name."""
    return _ends_in(kind_of(canonical(words)), CONTAINERS)


def is_room(words: str) -> bool:
    """Whether it is a room, by its name."""
    return canonical(words) in ROOMS


@lru_cache(maxsize=10_000)
def is_surface(words: str) -> bool:
    """Whether things can be put down on it, by its name."""
    return any(canonical(words).endswith(surface) for surface in SURFACES)


def is_furniture(words: str) -> bool:
    """Whether it is too large to be inside something else, by its name."""
    return is_container(words) or is_surface(words) or is_room(words) or _ends_in(canonical(words), LARGE)


@lru_cache(maxsize=10_000)
def _ends_in(words: str, names: tuple[str, ...]) -> bool:
    """Whether the last words are one of some names, which may have several.

    >>> [_ends_in(words, ("fridge", "washing machine")) for words in ("gray washing machine", "coffee machine")]
    [True, False]
    """
    spoken = words.split()
    return any(spoken[-len(name.split()) :] == name.split() for name in names)


def usual_places(words: str) -> tuple[str, ...]:
    """Rooms and furniture where to look for something, most likely first."""
    for things, rooms, furniture in _SOUGHT:
        if _mentions_any(words, things):
            return (*rooms, *SOUGHT_AT[furniture])
    for use in sorted(
        FURNITURE, key=lambda use: not _ends_in(canonical(words), use.names)
    ):  # "coat stand" is not a "tv stand"
        if use.rooms and _mentions_any(words, (use.word,)):
            return (*use.rooms, *ROOMS, *(_KITCHEN_UNITS if "kitchen" in use.rooms else ()))
    return (*ROOMS, *SOUGHT_AT["anything"])


def _mentions_any(words: str, names: tuple[str, ...]) -> bool:
    return any(means(name, words) or same_head(words, name) for name in names)
