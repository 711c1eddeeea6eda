"""Household instructions as errands: a small grammar for plain orders, and a looser reading for what it does not cover.

    clause   = verb things [source] [destination]
    sentence = clause { ("," | "and" | "then" | ".") clause }

Pronouns mean the things or the place mentioned last. What neither reading understands gives no errands at all: half
an instruction carried out is worse than a question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from perception.names import canonical
from planners.common_sense import is_container, is_room
from planners.rule.conditions import read_loosely
from planners.rule.lexer import named
from planners.rule.lexicon import is_adjective, phrases
from planners.rule.orders import Bring, CloseUp, Errand, Fetch, OpenUp, Place, Visit, names_in
from planners.rule.phrases import THERE, Item, items, noun, place
from planners.rule.waiting import ROOM_PLACES, NotUnderstood

# ---------------------------------------------------------------- words

_POLITE = re.compile(
    r"^(?:(?:hey|hi|hello|ok|okay|robot|homie|please|kindly|now|first|next|finally|also|and|then|so)\b[,\s]*"
    r"|(?:can|could|would|will) you\b[,\s]*|(?:i|we) (?:want|need|would like) you to\b\s*|i'd like you to\b\s*"
    r"|help me(?: to)?\b\s*|you (?:should|must|need to|have to)\b\s*|your task is to\b\s*|try to\b\s*)+"
)
_TAIL = re.compile(r"(?:[\s,]*(?:\bplease\b|\bfor me\b|\bthank you\b|\bthanks\b|\bagain\b|\bafterwards?\b|[.!?]))+$")

_VERBS = {
    "bring": r"put|place|set|move|bring|take|carry|store|transfer|drop|deliver|leave|return|stow|stash|prepare"
    r"|collect|gather",
    "fetch": r"pick up|pick|get|grab|fetch|take out|retrieve|hold",
    "find": r"find|look for|search for|search|locate|seek",
    "visit": r"go to|walk to|navigate to|drive to|head to|move to|go into|go back to|go over to|visit|come to|approach",
    "open": r"open up|open",
    "close": r"close|shut",
    "chill": r"refrigerate|freeze|chill|cool down|cool",
    "heat": r"heat up|heat|warm up|warm|microwave",
    "wash": r"wash|rinse",
    "clear": r"clean up|clean off|tidy up|tidy|clear up|clear off|clear|clean|empty",
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
_TOWARDS = {"to", "over to", "back to", "into", "onto", "back into", "back onto"}
_BEYOND = re.compile(
    r"\b(?:if|unless|until|whether|check|or|not|don't|do not|never|enough|instead|number of|make)\b"
    r"|\b(?:how|what|why|where|who)\b"
)
"""Words of conditions, choices and questions, which this grammar does not read."""
_BESIDE = re.compile(r"\s+(?:in front of|next to|near|beside|close to) (?:it|you|me|him|her|them|us)\b")
_TIDY_TO = "kitchen counter"
"""Where things go that are only to be cleared away."""


# ---------------------------------------------------------------- grammar


def parse_instruction(text: str) -> tuple[Errand, ...]:
    """The errands in an instruction, in order; empty when it is not understood. What the grammar does not cover, or
    covers only with names that can be none, is left to the looser reading (`planners.rule.loose`)."""
    plain = " ".join(text.lower().replace("\u2019", "'").replace("_", " ").split())
    errands = _by_grammar(plain)
    if errands and all(_may_be_name(name) for name in names_in(errands)):
        return errands
    try:
        return read_loosely(plain)
    except NotUnderstood:
        return ()


def _may_be_name(name: str) -> bool:
    """Whether words are a name that is known, or at least none of them is known to do something else in a sentence."""
    return named(name) or not any(word in phrases() and not is_adjective(word) for word in name.split())


def _by_grammar(plain: str) -> tuple[Errand, ...]:
    """The errands by the grammar above; empty when it does not cover the text."""
    plain = _BESIDE.sub("", plain)
    if _BEYOND.search(plain):
        return ()
    reader = _Reader()
    for clause in _CLAUSE_BREAK.split(_TAIL.sub("", plain)):
        stripped = _TAIL.sub("", _POLITE.sub("", clause.strip(" ,"))).strip(" ,")
        if stripped and not reader.read(stripped):
            return ()
    return _simplified(reader.all())


@dataclass(frozen=True, slots=True)
class _Phrase:
    """`things [source] destination`: one part of a clause with `put`."""

    things: str
    places: tuple[tuple[str, str], ...]


class _Reader:
    """Reads clause after clause and knows what the pronouns mean."""

    def __init__(self) -> None:
        self._errands: list[Errand] = []
        self._items: tuple[Item, ...] = ()
        self._place = ""
        self._opened = ""
        self._cleared = ""

    def all(self) -> list[Errand]:
        """The errands read so far. What was only to be cleared goes where things are put away."""
        if self._cleared and not any(isinstance(one, Bring) for one in self._errands):
            return [*self._errands, Bring(Item("", None, self._cleared), Place(_TIDY_TO))]
        return self._errands

    def read(self, clause: str) -> bool:
        """Take in one clause; False if it makes no sense."""
        for meaning, verbs in _VERBS.items():
            found = re.match(rf"(?:{verbs})\b\s*(.*)$", clause)
            if found and not (meaning == "bring" and re.match(r"move to\b", clause)):
                return self._clause(meaning, found.group(1))
        return False

    def _clause(self, meaning: str, rest: str) -> bool:
        rest = re.sub(r"^(?:me|us|up|down|out|away|off)\s+", "", rest)
        if meaning == "visit":
            return self._visit(rest)
        if meaning in ("open", "close"):
            return self._joint(meaning, rest)
        if meaning in _APPLIANCE:
            things, *where = _SPLIT.split(f" {rest}")
            source = place(where[1]) if where else ""
            return self._leave(things.strip(), source, Place(_APPLIANCE[meaning], True))
        if meaning == "clear":
            self._cleared = self._place = place(rest)
            return bool(self._cleared)
        return self._bring(rest) if meaning == "bring" else self._fetch(meaning, rest)

    def _visit(self, rest: str) -> bool:
        words = self._place if rest in THERE else noun(rest)
        if not words:
            return False
        self._place = words
        self._errands.append(Visit(words))
        return True

    def _joint(self, meaning: str, rest: str) -> bool:
        rest = re.sub(r"\s+doors?$", "", re.sub(r"^the doors? (?:of|to) ", "", rest))
        for part in re.split(r"\s*,\s*|\s+and\s+", rest):
            words = (self._opened or self._place) if part in THERE else noun(part)
            if not words:
                return False
            self._place = self._opened = words
            self._errands.append(OpenUp(words) if meaning == "open" else CloseUp(words))
        return True

    def _fetch(self, meaning: str, rest: str) -> bool:
        """`get the apple from the fridge`; with a `to` it is a Bring."""
        parts = _SPLIT.split(f" {rest}")
        if "to" in parts[1::2] or "over to" in parts[1::2]:
            return self._bring(rest)
        sources = [place(one) for one in parts[2::2]]
        found = self._understood(parts[0].strip(), sources[0] if sources else "")
        self._place = (found[0].source if found else "") or self._place
        for item in found:
            self._errands.append(Visit(item.words) if meaning == "find" and not item.source else Fetch(item))
        return bool(found)

    def _bring(self, rest: str) -> bool:
        """One or more phrases with `and` between. Where the last one has source and destination (`the bowl on the
        desk and the mug on the sofa to the sink`), the places of those before it are sources as well."""
        phrases = _phrases(re.sub(r" (?:back|away)$", "", rest))
        *_, final = phrases
        if not final.places:
            return len(phrases) == 1 and self._fetch("fetch", rest)
        shared = final.places[-1] if len(final.places) > 1 and final.places[-1][0] in _TOWARDS else None
        for phrase in phrases:
            sources, (preposition, where) = phrase.places[:-1], phrase.places[-1]
            if shared is not None and phrase is not final and len(phrase.places) == 1:
                sources, (preposition, where) = phrase.places, shared
            if any(one in _TOWARDS for one, _ in sources):
                return False
            source = self._where(sources[-1][1]) if sources else ""
            if preposition in _FROM:
                if not self._take(phrase.things, self._where(where)):
                    return False
            elif not self._leave(phrase.things, source, self._destination(preposition, where)):
                return False
        return True

    def _take(self, things: str, source: str) -> bool:
        found = self._understood(things, source)
        self._place = source
        self._errands += [Fetch(item) for item in found]
        return bool(found)

    def _leave(self, things: str, source: str, to: Place) -> bool:
        found = self._understood(things, source)
        if not to.words:
            return False
        self._place = to.words
        self._errands += [Bring(item, to) for item in found]
        return bool(found)

    def _destination(self, preposition: str, words: str) -> Place:
        """A Place. What is brought `to` a container goes into it; what is brought to a room goes onto furniture."""
        name = self._where(words)
        inside = preposition in _INSIDE or (preposition in _TOWARDS and is_container(name))
        return Place(ROOM_PLACES.get(canonical(name), name), inside)

    def _where(self, words: str) -> str:
        return (self._place or self._opened) if words.strip() in THERE else place(words)

    def _understood(self, things: str, source: str) -> tuple[Item, ...]:
        self._items = items(things, source, self._cleared, self._items) or ()
        return self._items


def _phrases(text: str) -> list[_Phrase]:
    """`the apple on the desk and the pear to the sink` -> two phrases, each with its prepositions and places."""
    things, *rest = _SPLIT.split(f" {text}")
    things, phrases = things.strip(), []
    places: list[tuple[str, str]] = []
    pairs = list(zip(rest[::2], rest[1::2], strict=True))
    for at, (preposition, words) in enumerate(pairs):
        where, _, following = words.strip().partition(" and ")
        if places and preposition in ("in", "at") and is_room(place(where)):
            places[-1] = (places[-1][0], f"{place(where)} {place(places[-1][1])}")  # the table in the kitchen
        else:
            places.append((preposition, where))
        if following or at == len(pairs) - 1:
            phrases.append(_Phrase(things, tuple(places)))
            things, places = following, []
    if things or not phrases:
        phrases.append(_Phrase(things, ()))
    return phrases


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
