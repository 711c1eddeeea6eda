"""Name resolution: from the words of a planner to the entities that they may refer to.

The vocabulary is in `synonyms.json`: synonyms (for the same thing), nicknames (other names, such as EMMOE's colour
names), the rooms that a nickname applies to (a table in a bedroom is not a dining table), classes (`fruit`) and objects
(the small contents of homes, for open-vocabulary detectors; the furniture is in `homie.kernel.world.furniture`).
Unlike in EMMOE's table, sink, drawer and counter are three different things.
"""

from __future__ import annotations

import difflib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, lru_cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from homie.kernel.types import NamedThing
from homie.kernel.world.furniture import kinds
from perception.colours import COLOUR_WORDS

TYPO_CUTOFF = 0.86
"""Smallest similarity (difflib ratio) of a misspelt name: one wrong letter in eight."""

_QUALIFIER = re.compile(
    r"\s(?:on|onto|in|into|inside|at|from|near|under|behind|beside|by|with|next to|close to|in front of|on top of)\s"
)
"""`the apple on the table` refers to an apple; the words after the preposition say where it is."""


class Rank(IntEnum):
    """Rank of a match between words and a candidate, best first."""

    NAME = 0
    KIND = 1
    DESCRIBED = 2
    NICKNAME = 3
    HEAD = 4
    TYPO = 5


@dataclass(frozen=True, slots=True)
class Match:
    """A candidate that the words may refer to."""

    candidate: NamedThing
    rank: Rank


class Vocabulary(BaseModel):
    """The contents of `synonyms.json`, which explains its fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    objects: tuple[str, ...]
    articles: frozenset[str]
    fillers: frozenset[str]
    singulars: Mapping[str, str]
    parts: frozenset[str]
    colours: Mapping[str, str]
    synonyms: Mapping[str, str]
    nicknames: Mapping[str, tuple[str, ...]]
    nickname_rooms: Mapping[str, frozenset[str]]
    classes: Mapping[str, frozenset[str]]
    no_typo: frozenset[str]
    rooms: frozenset[str]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The contents of homes, for open-vocabulary detectors: furniture, then objects."""
        return (*(use.name for use in kinds(lambda use: use.looked_for)), *self.objects)


@cache
def vocabulary() -> Vocabulary:
    """Return the vocabulary, which is read once."""
    return Vocabulary.model_validate(json.loads(files("perception").joinpath("synonyms.json").read_text("utf-8")))


# ---------------------------------------------------------------- spelling


def normalise(text: str) -> str:
    """Normalise the spelling: lower case, blanks for underscores, hyphens and punctuation, no articles, singular.

    Example:
        >>> normalise("The Green_Apples!")
        'green apple'
    """
    while True:
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).replace("'s ", " ")
        words = re.sub(r"[\W_]+", " ", folded).split()
        singular = " ".join(_singular(word) for word in words if word not in vocabulary().articles)
        if singular == text:
            return singular
        text = singular


def _singular(word: str) -> str:
    irregular = vocabulary().singulars.get(word)
    if irregular is not None:
        return irregular
    if len(word) <= 3 or word.endswith(("ss", "us", "is")) or not word.endswith("s"):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "zes", "ches", "shes", "oes")):
        return word[:-2]
    return word[:-1]


@lru_cache(maxsize=10_000)
def canonical(text: str) -> str:
    """Return the normalised text with every synonym replaced by Homie's word.

    Example:
        >>> canonical("the refrigerator")
        'fridge'
    """
    return _replace_phrases(_replace_phrases(normalise(text), vocabulary().synonyms), vocabulary().colours)


def _replace_phrases(text: str, table: Mapping[str, str]) -> str:
    """Replace the phrases that are in a table, from left to right, longest phrase first, in one pass."""
    words, result, at = text.split(), [], 0
    longest = max(len(phrase.split()) for phrase in table)
    while at < len(words):
        for length in range(min(longest, len(words) - at), 0, -1):
            replacement = table.get(" ".join(words[at : at + length]))
            if replacement is not None:
                result.append(replacement)
                at += length
                break
        else:
            result.append(words[at])
            at += 1
    return " ".join(result)


# ---------------------------------------------------------------- resolution


def match_names(query: str, candidates: Sequence[NamedThing]) -> list[Match]:
    """Return all candidates that the words may refer to, best rank first, otherwise in the given order.

    The ranks are: exact name; exact kind or alias; described by colour, room, material or nickname; a nickname with
    another colour (EMMOE's `green can` is a potted meat can); only the head noun or the class; misspelt. Among
    candidates of equal rank the caller takes the nearest.

    Args:
        query: the words of a planner.
        candidates: the known entities.

    Returns:
        The matches; empty if the words fit no candidate.
    """
    phrases = readings(query)
    matches = []
    for candidate in candidates:
        ranks = [rank for phrase in phrases if (rank := _rank(phrase, candidate)) is not None]
        if ranks:
            matches.append(Match(candidate, min(ranks)))
    return sorted(matches, key=lambda match: match.rank)


def best_matches(query: str, candidates: Sequence[NamedThing]) -> list[NamedThing]:
    """Return the candidates of the best rank.

    Example:
        >>> things = [NamedThing("bowl_1", "bowl", colour="red"), NamedThing("bowl_2", "bowl", colour="blue")]
        >>> [match.name for match in best_matches("the blue bowl", things)]
        ['bowl_2']
    """
    matches = match_names(query, candidates)
    return [match.candidate for match in matches if match.rank == matches[0].rank]


def spelt_matches(query: str, candidates: Sequence[NamedThing]) -> list[NamedThing]:
    """Return the candidates of the best rank, none for misspelt words.

    Example:
        >>> things = [NamedThing("apple_1", "apple")]
        >>> [len(spelt_matches(words, things)) for words in ("fruit", "aple")]
        [1, 0]
    """
    matches = match_names(query, candidates)
    return [match.candidate for match in matches if match.rank == matches[0].rank != Rank.TYPO]


@lru_cache(maxsize=10_000)
def readings(query: str) -> tuple[str, ...]:
    """Return the readings of a query: unchanged, without the words after a preposition, without a part at its end."""
    spaced = re.sub(r"[\s_]+", " ", query).strip()
    head = _QUALIFIER.split(f" {spaced} ".lower(), maxsplit=1)[0]
    variants = [canonical(spaced), canonical(head)]
    for reading in tuple(variants):
        words = reading.split()
        while len(words) > 1 and words[-1] in vocabulary().parts:
            words = words[:-1]
            variants.append(" ".join(words))
    return tuple(reading for reading in dict.fromkeys(variants) if reading)


@lru_cache(maxsize=50_000)
def _rank(phrase: str, candidate: NamedThing) -> Rank | None:
    kind, name = canonical(candidate.kind), canonical(candidate.name)
    aliases = {canonical(alias) for alias in candidate.aliases}
    if phrase == name and candidate.name != candidate.kind:
        return Rank.NAME
    if phrase == kind or phrase in aliases:
        return Rank.KIND
    kind_names = {kind, *aliases}
    rank_by_description = _description_rank(phrase, candidate, name, kind_names)
    if kind_names & set(vocabulary().nicknames.get(phrase, ())):
        rooms = vocabulary().nickname_rooms.get(phrase)
        if rooms and candidate.room and canonical(re.sub(r"[ _]\d+$", "", candidate.room)) not in rooms:
            return None
        named_colours = COLOUR_WORDS & set(phrase.split())
        colour_fits = (
            rank_by_description is Rank.DESCRIBED
            or not named_colours
            or not candidate.colour
            or canonical(candidate.colour) in named_colours
        )
        return Rank.DESCRIBED if colour_fits else Rank.NICKNAME
    if rank_by_description is not None:
        return rank_by_description
    return Rank.TYPO if _is_misspelt(phrase, {name, *kind_names}) else None


def _description_rank(phrase: str, candidate: NamedThing, name: str, kind_names: set[str]) -> Rank | None:
    """Return the rank by head noun or class if every other word is true of the candidate, else None."""
    words = [word for word in phrase.split() if word not in vocabulary().fillers]
    nouns = [word for word in words if not word.isdigit()]
    if not nouns:
        return None
    head = nouns[-1]
    classes = {label for label, members in vocabulary().classes.items() if members & kind_names}
    heads = classes | {alias.split()[-1] for alias in kind_names if alias}
    if head not in heads:
        return None
    description = set(f"{canonical(candidate.colour or '')} {canonical(candidate.room)} {name}".split())
    description.update(word for alias in kind_names for word in alias.split())
    other_words = set(words) - {head}
    if not candidate.room and head not in vocabulary().rooms:  # its room is unknown, so it may be the named one
        other_words -= vocabulary().rooms - description
    if not other_words <= description:
        return None
    return Rank.DESCRIBED if other_words else Rank.HEAD


def _is_misspelt(phrase: str, names: set[str]) -> bool:
    if len(phrase) < 4 or phrase in vocabulary().no_typo:
        return False
    nicknames = {nick for nick, kinds in vocabulary().nicknames.items() if names & set(kinds)}
    spellings = {
        spelling for spelling in names | nicknames if spelling[:1] == phrase[0] and _digits(spelling) == _digits(phrase)
    }
    return bool(difflib.get_close_matches(phrase, sorted(spellings), 1, TYPO_CUTOFF))


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)
