"""Noun phrases in household instructions: what is meant, how many of it, and from where."""

from __future__ import annotations

import re
from dataclasses import dataclass

from perception.names import normalise


@dataclass(frozen=True, slots=True)
class Item:
    """What is to be handled. words: `green can`, "" for anything at the source; count: how many, None for all;
    source: the place it is taken from, "" where none is named; besides: what of it is to be left alone."""

    words: str
    count: int | None = 1
    source: str = ""
    besides: str = ""


PRONOUNS = frozenset(
    ("it", "them", "they", "that", "those", "these", "this", "one", "both", "all of them", "both of them")
)
"""What stands for the things mentioned last."""
THERE = frozenset(("", "it", "there", "here", "this", "that", "them"))
"""What stands for the place mentioned last."""

_EVERYTHING = re.compile(
    r"^(?:everything|all|(?:all (?:of )?)?(?:the )?(?:other )?(?:items?|objects?|things?|stuff)|all of it"
    r"|every (?:item|object|thing))(?: else)?$"
)
_BESIDES = re.compile(r"\s+(?:except|except for|but|besides|apart from|without)\s+")
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "both": 2, "a couple of": 2, "a pair of": 2}
_COUNT = re.compile(
    rf"^(?:(?P<every>all|every|each)(?: of)?|(?P<number>{'|'.join(_NUMBERS)}|\d{{1,2}})(?: of)?)\s+"
    r"(?:(?:the|my|your|these|those)\s+)?(?P<noun>.+)$"
)
_KINDS = re.compile(r"^(?:different )?(?:kinds?|types?|sorts?|pieces?) of ")
_DEFINITE = re.compile(r"^(?:the|my|your|our|these|those)\s+")
_ARTICLE = re.compile(r"^(?:the|a|an|some|any|my|your|our|this|that|these|those|another|its)\s+(?:other\s+)?")
_ANYWHERE = frozenset(("room", "house", "home", "apartment", "flat", "here"))
_MOST_WORDS = 4
"""A name of more words is a sentence that was misunderstood."""


def noun(text: str) -> str:
    """A noun phrase without its article, in the singular; "" for one that is no name of anything."""
    words, before = text.strip(" ,."), ""
    while words != before:
        before, words = words, _ARTICLE.sub("", words)
    name = normalise(re.sub(r"^(?:open|opened|closed|nearby|nearest|different|various|several)\s+", "", words))
    strange = len(name.split()) > _MOST_WORDS or set(name.split()) & (PRONOUNS | {"each", "every"}) - {"one"}
    return "" if strange else name


def place(text: str) -> str:
    """The name of a place; "" for the home as a whole, which says nothing."""
    name = noun(text)
    return "" if name in _ANYWHERE else name


def items(text: str, source: str, cleared: str, before: tuple[Item, ...]) -> tuple[Item, ...]:
    """The items that a list of noun phrases means; empty if it can not be told.

    `cleared` is the place that is being tidied, `before` what a pronoun stands for.
    """
    if text in PRONOUNS:
        return tuple(Item(one.words, one.count, source or one.source, one.besides) for one in before)
    text, _, besides = _BESIDES.sub("\0", text, count=1).partition("\0")
    found: list[Item] = []
    for part in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", text):
        if _EVERYTHING.match(part):
            found.append(Item("", None, source or cleared, noun(besides)))
            continue
        words, count = _counted(part, before)
        found.append(Item(words, count, source, noun(besides)))
    understood = all(item.words or (item.count is None and item.source) for item in found)
    return tuple(found) if understood else ()


def _counted(part: str, before: tuple[Item, ...]) -> tuple[str, int | None]:
    """Name and number in one noun phrase: `two apples`, `all the cans`, `the cans`, `another one`."""
    counted = _COUNT.match(part)
    count: int | None = None if _plural(part) and (_DEFINITE.match(part) or not _ARTICLE.match(part)) else 1
    if counted:
        part, number = counted["noun"], counted["number"]
        count = None if counted["every"] else _NUMBERS.get(number) or int(number)
    words = noun(_KINDS.sub("", part))
    if words in ("one", "") and before and re.search(r"\b(?:another|other|one|more)\b", part):
        words = before[-1].words
    return words, count


def _plural(part: str) -> bool:
    last = part.split()[-1] if part.split() else ""
    return normalise(last) != last and last != "crackers"  # one box of them
