"""What anybody knows about homes: what opens, where things can be put, where things are usually found."""

from __future__ import annotations

from homie.kernel.interfaces import kind_of
from homie.kernel.types import NamedThing
from perception.words.colours import COLOUR_WORDS
from perception.words.names import canonical, match_names

CONTAINERS = ("fridge", "drawer", "cabinet", "microwave", "oven", "dishwasher", "wardrobe", "closet")
"""Furniture with a door or a drawer that has to be opened before anything goes in."""

SURFACES = ("counter", "table", "desk", "tv stand", "nightstand", "shelf", "stove", "sofa", "bed", "washbasin", "sink")
"""Where something can be put down for a moment, best first."""

ROOMS = ("kitchen", "living room", "bedroom", "bathroom", "dining room", "study")
"""Rooms of a home, most useful first."""

LARGE = ("tv", "chair", "armchair", "lamp", "plant", "toilet", "bathtub", "trashcan")
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
"""Things that can be carried, besides those of `perception.words.names`."""

_FRUIT = (
    *("kitchen", "dining room", "living room", "study", "bedroom"),
    *("counter", "table", "desk", "tv stand", "nightstand", "sink", "stove", "fridge", "drawer", "shelf", "cabinet"),
)
_FOOD = (
    *("kitchen", "dining room", "living room", "study", "bedroom"),
    *("shelf", "table", "counter", "desk", "cabinet", "fridge", "drawer"),
)
_DISHES = (
    *("kitchen", "dining room", "living room", "study", "bedroom"),
    *("counter", "table", "shelf", "desk", "sink", "cabinet", "drawer"),
)
_CLEANING = ("kitchen", "bathroom", *ROOMS, "counter", "sink", "washbasin", "cabinet", "drawer")
_ANYTHING = (*ROOMS, "table", "desk", "counter", "shelf", "cabinet", "drawer")
_KITCHEN = ("kitchen", "dining room", *ROOMS, "counter", "sink", "stove", "table")
_USUAL_PLACES = (
    (("fruit",), _FRUIT),
    (("food",), _FOOD),
    (("dish", "cutlery"), _DISHES),
    (("sponge", "bleach cleanser", "cloth", "soap"), _CLEANING),
    (("fridge", "counter", "stove", "microwave", "sink", "dishwasher"), _KITCHEN),
    (("sofa", "tv stand", "tv", "armchair"), ("living room", "study", *ROOMS)),
    (("bed", "wardrobe", "nightstand"), ("bedroom", *ROOMS)),
    (("desk", "shelf"), ("study", "living room", *ROOMS)),
    (("bathtub", "toilet", "washbasin"), ("bathroom", *ROOMS)),
    (("table", "chair"), ("living room", "dining room", *ROOMS)),
)


def means(words: str, name: str) -> bool:
    """Whether the words of an instruction can mean a thing of this name."""
    return bool(match_names(words, (NamedThing(name, name),)))


def same_head(words: str, name: str) -> bool:
    """Whether two names end in the same noun: a `brown table` may be the `table` that the detector reports."""
    return canonical(words).split()[-1:] == canonical(name).split()[-1:] != []


def could_be(words: str, name: str) -> bool:
    """Whether words may describe what a detector calls by another name: a `brown table` may be its `table`, and a
    `white cabinet` its `gray cabinet`, but a `sugar box` is no `pudding box`."""
    kinds = [[word for word in canonical(phrase).split()[:-1] if word not in COLOUR_WORDS] for phrase in (words, name)]
    return same_head(words, name) and (kinds[0] == kinds[1] or not all(kinds))


def is_container(words: str) -> bool:
    """Whether it has a door or a drawer, by its name."""
    return kind_of(canonical(words)).split()[-1:] in ([name] for name in CONTAINERS)


def is_room(words: str) -> bool:
    """Whether it is a room, by its name."""
    return canonical(words) in ROOMS


def is_surface(words: str) -> bool:
    """Whether things can be put down on it, by its name."""
    return any(canonical(words).endswith(surface) for surface in SURFACES)


def is_furniture(words: str) -> bool:
    """Whether it is too large to be inside something else, by its name."""
    large = canonical(words).split()[-1:] in ([name] for name in LARGE)
    return is_container(words) or is_surface(words) or is_room(words) or large


def usual_places(words: str) -> tuple[str, ...]:
    """Rooms and furniture where to look for something, most likely first."""
    return next((places for kinds, places in _USUAL_PLACES if _one_of(words, kinds)), _ANYTHING)


def _one_of(words: str, kinds: tuple[str, ...]) -> bool:
    return any(means(kind, words) or same_head(words, kind) for kind in kinds)
