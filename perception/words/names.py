"""What people call things: from the words of a planner to the things that they may mean.

The words as data are in `names.json`: synonyms (the same thing), nicknames (what people also say, among it the
colour names of EMMOE), the rooms that a nickname is for (no table in a bedroom is a dining table), classes (`fruit`),
kinds (what homes hold, for detectors that are told what to look for).
Unlike EMMOE's table, sink, drawer and counter stay three things.
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
from perception.words.colours import COLOUR_WORDS

TYPO_CUTOFF = 0.86
"""Smallest similarity (difflib ratio) of a misspelt name: one wrong letter in eight."""

_QUALIFIER = re.compile(
    r"\s(?:on|onto|in|into|inside|at|from|near|under|behind|beside|by|with|next to|close to|in front of|on top of)\s"
)
"""`the apple on the table` means an apple; what follows the preposition says where."""


class Rank(IntEnum):
    """How well words fit a thing, best first."""

    NAME = 0
    KIND = 1
    DESCRIBED = 2
    NICKNAME = 3
    HEAD = 4
    TYPO = 5


@dataclass(frozen=True, slots=True)
class Match:
    """A thing that the words may mean."""

    thing: NamedThing
    rank: Rank


class Vocabulary(BaseModel):
    """The contents of `names.json`; see there."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kinds: tuple[str, ...]
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


@cache
def vocabulary() -> Vocabulary:
    """The words as data, read once."""
    return Vocabulary.model_validate(json.loads(files("perception.words").joinpath("names.json").read_text("utf-8")))


# ---------------------------------------------------------------- spelling


def normalise(text: str) -> str:
    """One spelling: lower case, single blanks for underscores, hyphens and punctuation, no articles, singular."""
    while True:
        plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).replace("'s ", " ")
        words = re.sub(r"[\W_]+", " ", plain).split()
        once = " ".join(_singular(word) for word in words if word not in vocabulary().articles)
        if once == text:
            return once
        text = once


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
    """Normalised, with every synonym replaced by the word that Homie uses (`refrigerator` -> `fridge`)."""
    return _replaced(_replaced(normalise(text), vocabulary().synonyms), vocabulary().colours)


def _replaced(text: str, table: Mapping[str, str]) -> str:
    """Replace runs of words that are in the table, longest run first, left to right, once."""
    words, out, at = text.split(), [], 0
    longest = max(len(phrase.split()) for phrase in table)
    while at < len(words):
        for length in range(min(longest, len(words) - at), 0, -1):
            found = table.get(" ".join(words[at : at + length]))
            if found is not None:
                out.append(found)
                at += length
                break
        else:
            out.append(words[at])
            at += 1
    return " ".join(out)


# ---------------------------------------------------------------- meaning


def match_names(query: str, candidates: Sequence[NamedThing]) -> list[Match]:
    """Every candidate that the words may mean, best rank first, otherwise in the order given.

    Exact name, then exact kind or alias, then described by colour, room, material or nickname, then by a nickname
    whose colour is not the thing's (EMMOE's `green can` is a potted meat can), then by the head noun or class alone,
    then misspelt. Candidates of equal rank are equally meant: take the nearest. Words that
    mean none of them give an empty list.
    """
    phrases = readings(query)
    matches = []
    for thing in candidates:
        ranks = [rank for phrase in phrases if (rank := _rank(phrase, thing)) is not None]
        if ranks:
            matches.append(Match(thing, min(ranks)))
    return sorted(matches, key=lambda match: match.rank)


def best_matches(query: str, candidates: Sequence[NamedThing]) -> list[NamedThing]:
    """The candidates of the best rank only."""
    matches = match_names(query, candidates)
    return [match.thing for match in matches if match.rank == matches[0].rank]


def readings(query: str) -> list[str]:
    """The ways to read a query: as it stands, without what follows a preposition, without a part at its end."""
    spaced = re.sub(r"[\s_]+", " ", query).strip()
    head = _QUALIFIER.split(f" {spaced} ".lower(), maxsplit=1)[0]
    ways = [canonical(spaced), canonical(head)]
    for reading in tuple(ways):
        words = reading.split()
        while len(words) > 1 and words[-1] in vocabulary().parts:
            words = words[:-1]
            ways.append(" ".join(words))
    return [reading for reading in dict.fromkeys(ways) if reading]


def _rank(phrase: str, thing: NamedThing) -> Rank | None:
    kind, name = canonical(thing.kind), canonical(thing.name)
    aliases = {canonical(alias) for alias in thing.aliases}
    if phrase == name and thing.name != thing.kind:
        return Rank.NAME
    if phrase == kind or phrase in aliases:
        return Rank.KIND
    called = {kind, *aliases}
    described = _described(phrase, thing, name, called)
    if called & set(vocabulary().nicknames.get(phrase, ())):
        rooms = vocabulary().nickname_rooms.get(phrase)
        if rooms and thing.room and canonical(re.sub(r"[ _]\d+$", "", thing.room)) not in rooms:
            return None
        said = COLOUR_WORDS & set(phrase.split())
        true = described is Rank.DESCRIBED or not said or not thing.colour or canonical(thing.colour) in said
        return Rank.DESCRIBED if true else Rank.NICKNAME
    if described is not None:
        return described
    return Rank.TYPO if _misspelt(phrase, {name, *called}) else None


def _described(phrase: str, thing: NamedThing, name: str, called: set[str]) -> Rank | None:
    """By head noun or class, every other word being true of the thing."""
    words = [word for word in phrase.split() if word not in vocabulary().fillers]
    nouns = [word for word in words if not word.isdigit()]
    if not nouns:
        return None
    head = nouns[-1]
    classes = {label for label, members in vocabulary().classes.items() if members & called}
    heads = classes | {one.split()[-1] for one in called if one}
    if head not in heads:
        return None
    true_of_it = set(f"{canonical(thing.colour or '')} {canonical(thing.room)} {name}".split())
    true_of_it.update(word for one in called for word in one.split())
    others = set(words) - {head}
    if not thing.room and head not in vocabulary().rooms:  # it may well be in that room
        others -= vocabulary().rooms - true_of_it
    if not others <= true_of_it:
        return None
    return Rank.DESCRIBED if others else Rank.HEAD


def _misspelt(phrase: str, names: set[str]) -> bool:
    if len(phrase) < 4 or phrase in vocabulary().no_typo:
        return False
    nicknames = {nick for nick, kinds in vocabulary().nicknames.items() if names & set(kinds)}
    spellings = {one for one in names | nicknames if one[:1] == phrase[0] and _digits(one) == _digits(phrase)}
    return bool(difflib.get_close_matches(phrase, sorted(spellings), 1, TYPO_CUTOFF))


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)
