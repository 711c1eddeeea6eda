"""Common-sense knowledge about homes: furniture that opens, surfaces, usual places of objects."""

from __future__ import annotations

from functools import lru_cache

from homie.kernel.interfaces import kind_of
from homie.kernel.types import NamedThing
from homie.kernel.world.furniture import FURNITURE, SOUGHT_AT, Kept, kinds
from perception.colours import COLOUR_WORDS
from perception.names import canonical, match_names

CONTAINERS = tuple(use.word for use in kinds(lambda use: use.opens))
"""Furniture with a door or drawer that must be opened before an object can be put in."""

SURFACES = tuple(use.word for use in sorted(kinds(lambda use: use.handy > 0), key=lambda use: use.handy))
"""Furniture on which an object can be put down temporarily, best first."""

ROOMS = ("kitchen", "living room", "bedroom", "bathroom", "dining room", "study")
"""Rooms of a home, most useful first."""

LARGE = tuple(use.word for use in kinds(lambda use: not use.opens and not use.handy))
"""Furniture without a door and without a reliable surface."""

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
"""Portable objects, in addition to those of `perception.names`."""

_LIVING_AREAS = ("kitchen", "dining room", "living room", "study", "bedroom")
_SEARCH_PLACES: tuple[tuple[tuple[str, ...], tuple[str, ...], Kept], ...] = (
    (("fruit",), _LIVING_AREAS, "fruit"),
    (("food",), _LIVING_AREAS, "food"),
    (("dish", "cutlery"), _LIVING_AREAS, "dish"),
    (("sponge", "bleach cleanser", "cloth", "soap"), ("kitchen", "bathroom", *ROOMS), "wash"),
)
"""Portable objects: their kinds, rooms to search, and key of `SOUGHT_AT` for the furniture to search."""
_KITCHEN_UNITS = ("counter", "sink", "stove", "table")
"""Going to any of these brings the rest of a kitchen into sight."""


def means(words: str, name: str) -> bool:
    """Return whether the words of an instruction can refer to an object of this name."""
    return bool(match_names(words, (NamedThing(name, name),)))


def same_head(words: str, name: str) -> bool:
    """Return whether two names end in the same noun: a `brown table` may be the `table` that the detector reports."""
    return canonical(words).split()[-1:] == canonical(name).split()[-1:] != []


def may_describe(words: str, name: str) -> bool:
    """Return whether words may describe an object to which the detector gives another name: a `brown table` may be its
    `table`, and a `white cabinet` its `gray cabinet`, but a `sugar box` is not a `pudding box`."""
    kinds = [[word for word in canonical(phrase).split()[:-1] if word not in COLOUR_WORDS] for phrase in (words, name)]
    return same_head(words, name) and (kinds[0] == kinds[1] or not all(kinds))


def is_container(words: str) -> bool:
    """Return whether furniture of this name has a door or a drawer."""
    return _ends_in(kind_of(canonical(words)), CONTAINERS)


def is_room(words: str) -> bool:
    """Return whether this is the name of a room."""
    return canonical(words) in ROOMS


@lru_cache(maxsize=10_000)
def is_surface(words: str) -> bool:
    """Return whether objects can be put down on furniture of this name."""
    return any(canonical(words).endswith(surface) for surface in SURFACES)


def is_furniture(words: str) -> bool:
    """Return whether an object of this name is too large to be inside another."""
    return is_container(words) or is_surface(words) or is_room(words) or _ends_in(canonical(words), LARGE)


@lru_cache(maxsize=10_000)
def _ends_in(words: str, names: tuple[str, ...]) -> bool:
    """Return whether `words` end in one of the names, which may have several words.

    >>> [_ends_in(words, ("fridge", "washing machine")) for words in ("gray washing machine", "coffee machine")]
    [True, False]
    """
    parts = words.split()
    return any(parts[-len(name.split()) :] == name.split() for name in names)


def usual_places(words: str) -> tuple[str, ...]:
    """Return rooms and furniture to search for an object, most likely first."""
    for things, rooms, furniture in _SEARCH_PLACES:
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
