"""Parse names of MJCF files into kinds: `wooden_cabinet_1_main` is a cabinet, `CounterTop_3f2a91` a counter."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Literal

from homie.envs.mujoco.blueprints.catalog import OBJECTS
from homie.envs.mujoco.blueprints.materials import COLOURS
from homie.envs.mujoco.generate.furniture_of_rooms import RECIPES
from homie.kernel.world.furniture import FURNITURE

Family = Literal["furniture", "object"]
NOISE = frozenset(
    [
        "main",
        "base",
        "root",
        "body",
        "bodies",
        "link",
        "object",
        "obj",
        "geom",
        "collision",
        "coll",
        "col",
        "visual",
        "vis",
        "viz",
        "group",
        "model",
        "mesh",
        "prop",
        "asset",
        "default",
        "room",
        "house",
    ]
)
"""Words that carry no information about the kind."""
SPELT: Mapping[str, tuple[str, ...]] = {
    "countertop": ("kitchen", "counter"),
    "counter": ("kitchen", "counter"),
    "refrigerator": ("fridge",),
    "couch": ("sofa",),
    "television": ("tv",),
    "stoveburner": ("stove",),
    "hob": ("stove",),
    "cupboard": ("cabinet",),
}
"""Words of other data sets, with Homie's words for them."""
STRUCTURE = re.compile(r"wall|ceiling|window|baseboard|skirting|pillar|column")
"""Matches names of the structure of a house."""
_SHORTEST = 5
"""Minimum length of a kind that may match the end of a word: `hingecabinet`."""


def words_of(name: str) -> tuple[str, ...]:
    """Split a name into lower-case words, without numbers and identifiers.

    >>> words_of("wooden_cabinet_1_main"), words_of("CounterTop_3f2a91_2"), words_of("microroot")
    (('wooden', 'cabinet'), ('counter', 'top'), ('micro',))
    """
    pieces = [piece for piece in re.split(r"[^A-Za-z0-9]+", name) if not _is_identifier(piece)]
    split = (word.lower() for piece in pieces for word in re.findall(r"[A-Z]*[a-z]+|[A-Z]+", piece))
    words = [word.removesuffix("root") for word in split]
    return tuple(word for word in words if len(word) > 1 and word not in NOISE)


def _is_identifier(piece: str) -> bool:
    return bool(re.fullmatch(r"[0-9a-fA-F]{6,}|\d+", piece)) and any(letter.isdigit() for letter in piece)


def kind_in(names: Sequence[str], family: Family) -> str:
    """Return the kind that names denote, the most specific name first: a kind that Homie knows, else the words of the
    first name that has any; "" without words.

    >>> kind_in(["microroot", "microwave"], "furniture"), kind_in(["akita_black_bowl_1"], "object")
    ('microwave', 'bowl')
    >>> kind_in(["CounterTop_3f2a91"], "furniture"), kind_in(["flat_stove_1"], "furniture")
    ('kitchen_counter', 'stove')
    """
    all_words = [words_of(name) for name in names]
    for words in all_words:
        if known := _known_kind(words, family):
            return known
    return next(("_".join(word for word in words if word not in COLOURS) for words in all_words if words), "")


def _known_kind(words: tuple[str, ...], family: Family) -> str:
    kinds = _kinds(family)
    singular = [_singular(word, kinds) for word in (*words, "".join(words))]
    phrases = tuple(part for word in singular[:-1] for part in SPELT.get(word, (word,)))
    exact_kinds = SPELT.get(singular[-1], ())
    for candidate in (exact_kinds, phrases):
        for length in range(len(candidate), 0, -1):
            for first in range(len(candidate) - length, -1, -1):
                phrase = "_".join(candidate[first : first + length])
                if phrase in kinds:
                    return kinds[phrase]
    kinds_by_ending = (kind for word in words for kind in kinds if len(kind) >= _SHORTEST and word.endswith(kind))
    return kinds[longest] if (longest := max(kinds_by_ending, key=len, default="")) else ""


def _singular(word: str, kinds: Collection[str]) -> str:
    """Return the singular of a word where Homie knows it."""
    single = word.removesuffix("s")
    return single if word not in kinds and (single in kinds or single in SPELT) else word


@cache
def _kinds(family: Family) -> dict[str, str]:
    """Map every name and alias, with underscores, to its kind."""
    if family == "furniture":
        return {name.replace(" ", "_"): use.kind for use in FURNITURE for name in use.names}
    names = {alias: kind for kind, item in OBJECTS.items() for alias in (kind, *item.aliases)}
    return {name.replace(" ", "_"): kind for name, kind in names.items()}


def colour_in(names: Sequence[str]) -> str:
    """Return the first colour in the names, "" for none."""
    return next((word for name in names for word in words_of(name) if word in COLOURS), "")


def room_kind_in(names: Sequence[str]) -> str:
    """Return the kind of room that names contain, "" for none.

    >>> room_kind_in(["floor/living_room"])
    'living room'
    """
    texts = [" ".join(re.findall(r"[a-z]+", name.lower())) for name in names]
    return next((kind for text in texts for kind in RECIPES if re.search(rf"\b{kind}\b", text)), "")


def is_structure(names: Sequence[str]) -> bool:
    """Whether names denote the structure of a house: walls, ceilings."""
    return any(STRUCTURE.search(word) for name in names for word in words_of(name))
