"""Household instructions as errands: a small grammar for the sentences that people give to a robot.

    clause   = verb things [source] [destination]
    sentence = clause { ("," | "and" | "then" | ".") clause }

Pronouns mean the things or the place mentioned last. What the grammar does not cover gives no errands at all: half
an instruction carried out is worse than a question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TypeAlias

from perception.names import normalise

# ---------------------------------------------------------------- errands


@dataclass(frozen=True, slots=True)
class Item:
    """What is to be handled. words: `green can`, "" for anything at the source; count: how many, None for all;
    source: the place it is taken from, "" where none is named."""

    words: str
    count: int | None = 1
    source: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where to. inside: the instruction says `in`, not `on`."""

    words: str
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Bring:
    """Take an item to a place and leave it there."""

    item: Item
    place: Place


@dataclass(frozen=True, slots=True)
class Fetch:
    """Pick an item up and hold it."""

    item: Item


@dataclass(frozen=True, slots=True)
class Visit:
    """Go to a place or a thing."""

    words: str


@dataclass(frozen=True, slots=True)
class OpenUp:
    """Open a container and leave it open."""

    words: str


@dataclass(frozen=True, slots=True)
class CloseUp:
    """Close a container."""

    words: str


Errand: TypeAlias = Bring | Fetch | Visit | OpenUp | CloseUp

# ---------------------------------------------------------------- words

_POLITE = re.compile(
    r"^(?:(?:hey|hi|hello|ok|okay|robot|homie|please|kindly|now|first|next|finally|also|and|then|so)\b[,\s]*"
    r"|(?:can|could|would|will) you\b[,\s]*|(?:i|we) (?:want|need|would like) you to\b\s*|i'd like you to\b\s*"
    r"|help me(?: to)?\b\s*|you (?:should|must|need to|have to)\b\s*|your task is to\b\s*|try to\b\s*)+"
)
_TAIL = re.compile(r"(?:[\s,]*(?:\bplease\b|\bfor me\b|\bthank you\b|\bthanks\b|\bagain\b|\bafterwards?\b|[.!?]))+$")

_VERBS = {
    "bring": r"put|place|set|move|bring|take|carry|store|transfer|drop|deliver|leave|return|stow|stash",
    "fetch": r"pick up|pick|get|grab|fetch|collect|take out|retrieve|hold",
    "find": r"find|look for|search for|locate|seek",
    "visit": r"go to|walk to|navigate to|drive to|head to|move to|go into|go back to|go over to|visit|come to|approach",
    "open": r"open up|open",
    "close": r"close|shut",
    "chill": r"refrigerate|freeze|chill|cool down|cool",
    "heat": r"heat up|heat|warm up|warm|microwave",
    "wash": r"wash|rinse",
    "clear": r"clean up|clean off|tidy up|tidy|clear up|clear off|clear|empty",
}
_APPLIANCE = {"chill": "fridge", "heat": "microwave", "wash": "sink"}
_ANY_VERB = "|".join(sorted("|".join(_VERBS.values()).split("|"), key=len, reverse=True))
_CLAUSE_BREAK = re.compile(
    rf"\s*(?:[.;!?]+\s+|,?\s*\band then\b\s+|,?\s*\bthen\b\s+|,?\s*\bbefore you\b\s+|,?\s*\band (?=(?:{_ANY_VERB})\b)"
    rf"|,\s*(?=(?:please\s+)?(?:{_ANY_VERB})\b))\s*"
)
_PREPOSITIONS = (
    r"on top of|out of|back to|back in|back into|back on|back onto|over to|from|onto|into|inside|within|off|on|in|to|at"
)
_SPLIT = re.compile(rf"\s+({_PREPOSITIONS})(?=\s|$)")
_INSIDE = {"in", "into", "inside", "within", "back in", "back into"}
_FROM = {"from", "out of", "off"}
_PRONOUNS = {
    "it",
    "them",
    "they",
    "that",
    "those",
    "these",
    "this",
    "one",
    "him",
    "both",
    "all of them",
    "both of them",
}
_THERE = {"", "it", "there", "here", "this", "that", "them"}
_EVERYTHING = re.compile(
    r"^(?:everything|all|all (?:of )?(?:the )?(?:items?|objects?|things?|stuff|of it)"
    r"|the (?:items|objects|things|stuff)|(?:items|objects|things|stuff)|every (?:item|object|thing))(?: else)?$"
)
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "both": 2, "a couple of": 2, "a pair of": 2}
_COUNT = re.compile(
    rf"^(?:(all|every|each)(?: of)?|({'|'.join(_NUMBERS)}|\d+)(?: of)?)\s+(?:(?:the|my|your|these|those)\s+)?(.+)$"
)
_ARTICLE = re.compile(r"^(?:the|a|an|some|any|my|your|our|this|that|these|those|another|its)\s+(?:other\s+)?")


# ---------------------------------------------------------------- grammar


def parse_instruction(text: str) -> tuple[Errand, ...]:
    """The errands in an instruction, in order; empty when it is not understood."""
    reader = _Reader()
    plain = " ".join(text.lower().replace("\u2019", "'").replace("_", " ").split())
    for clause in _CLAUSE_BREAK.split(_TAIL.sub("", plain)):
        stripped = _TAIL.sub("", _POLITE.sub("", clause.strip(" ,"))).strip(" ,")
        if stripped and not reader.read(stripped):
            return ()
    return _simplified(reader.errands)


class _Reader:
    """Reads clause after clause and knows what the pronouns mean."""

    def __init__(self) -> None:
        self.errands: list[Errand] = []
        self._items: tuple[Item, ...] = ()
        self._place = ""
        self._opened = ""
        self._cleared = ""

    def read(self, clause: str) -> bool:
        """Take in one clause; False if it makes no sense."""
        for meaning, verbs in _VERBS.items():
            found = re.match(rf"(?:{verbs})\b\s*(.*)$", clause)
            if found and not (meaning == "bring" and re.match(r"move to\b", clause)):
                return self._clause(meaning, found.group(1))
        return False

    def _clause(self, meaning: str, rest: str) -> bool:
        rest = re.sub(r"^(?:me|us|up|down|out|away)\s+", "", rest)
        if meaning == "visit":
            return self._visit(rest)
        if meaning in ("open", "close"):
            return self._joint(meaning, rest)
        if meaning in _APPLIANCE:
            appliance = _APPLIANCE[meaning]
            return self._bring(f"{_SPLIT.split(f' {rest}', maxsplit=1)[0].strip()} in {appliance}")
        if meaning == "clear":
            self._cleared = self._place = _noun(rest)
            return bool(self._cleared)
        return self._bring(rest) if meaning == "bring" else self._fetch(meaning, rest)

    def _visit(self, rest: str) -> bool:
        words = self._place if rest in _THERE else _noun(rest)
        if not words:
            return False
        self._place = words
        self.errands.append(Visit(words))
        return True

    def _joint(self, meaning: str, rest: str) -> bool:
        rest = re.sub(r"\s+door$", "", re.sub(r"^the door (?:of|to) ", "", rest))
        for part in re.split(r"\s*,\s*|\s+and\s+", rest):
            words = (self._opened or self._place) if part in _THERE else _noun(part)
            if not words:
                return False
            self._place = self._opened = words
            self.errands.append(OpenUp(words) if meaning == "open" else CloseUp(words))
        return True

    def _fetch(self, meaning: str, rest: str) -> bool:
        """`get the apple from the fridge`; with a `to` it is a Bring."""
        parts = _SPLIT.split(f" {rest}")
        if "to" in parts[1::2] or "over to" in parts[1::2]:
            return self._bring(rest)
        sources = [_noun(noun) for noun in parts[2::2]]
        items = self._understood(parts[0].strip(), sources[0] if sources else "")
        if not items:
            return False
        self._place = items[0].source or self._place
        for item in items:
            self.errands.append(Visit(item.words) if meaning == "find" and not item.source else Fetch(item))
        return True

    def _bring(self, rest: str) -> bool:
        """One or more `things [source] destination`, with `and` between."""
        parts = _SPLIT.split(f" {re.sub(r' (?:back|away)$', '', rest)}")
        things, places = parts[0].strip(), list(zip(parts[1::2], parts[2::2], strict=True))
        if not places:
            return self._fetch("fetch", rest)
        source = ""
        for at, (preposition, noun) in enumerate(places):
            noun, _, following = noun.strip().partition(" and ")
            last = at == len(places) - 1
            if preposition in _FROM or (not last and not following):
                source = self._where(noun)
                if last:
                    return self._take(things, source)
                continue
            if not self._leave(things, source, Place(self._where(noun), preposition in _INSIDE)):
                return False
            things, source = following, ""
        return not things

    def _take(self, things: str, source: str) -> bool:
        items = self._understood(things, source)
        self._place = source
        self.errands += [Fetch(item) for item in items]
        return bool(items)

    def _leave(self, things: str, source: str, place: Place) -> bool:
        items = self._understood(things, source)
        if not items or not place.words:
            return False
        self._place = place.words
        self.errands += [Bring(item, place) for item in items]
        return True

    def _where(self, noun: str) -> str:
        return (self._place or self._opened) if noun.strip() in _THERE else _noun(noun)

    def _understood(self, things: str, source: str) -> tuple[Item, ...]:
        """The items that a noun phrase means; empty if it can not be told."""
        if things in _PRONOUNS and self._items:
            return tuple(replace(item, source=source or item.source) for item in self._items)
        if things in _PRONOUNS and things not in ("both",) and not self._items:
            return ()
        found = []
        for part in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", things):
            if _EVERYTHING.match(part):
                where = source or self._cleared
                found.append(Item("", None, where))
            elif part:
                found.append(replace(_item(part, self._items), source=source))
        if any(not item.words and not item.source for item in found):
            return ()
        self._items = tuple(found)
        return self._items


def _item(part: str, before: tuple[Item, ...]) -> Item:
    """One counted noun: `two apples`, `all the cans`, `another one`."""
    counted = _COUNT.match(part)
    count: int | None = 1
    if counted:
        every, number, part = counted.groups()
        count = None if every else _NUMBERS.get(number) or int(number)
    words = _noun(part)
    if words in ("one", "") and before:
        words = before[-1].words
    return Item(words, count)


def _noun(text: str) -> str:
    """A noun phrase without its article, in the singular."""
    words, before = text.strip(" ,."), ""
    while words != before:
        before, words = words, _ARTICLE.sub("", words)
    return normalise(words)


def _simplified(errands: list[Errand]) -> tuple[Errand, ...]:
    """Leave out the looking and the picking up that a later Bring of the same thing includes."""
    kept: list[Errand] = []
    for at, errand in enumerate(errands):
        later = [one.item for one in errands[at + 1 :] if isinstance(one, Bring)]
        if isinstance(errand, Visit) and any(item.words == errand.words for item in later):
            continue
        if isinstance(errand, Fetch) and any(item.words == errand.item.words for item in later):
            continue
        kept.append(errand)
    return tuple(kept)
