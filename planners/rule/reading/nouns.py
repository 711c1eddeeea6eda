"""Tokenizer of instructions, and parser of noun phrases."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from enum import StrEnum

from perception.names import normalise, vocabulary
from planners.common_sense import is_room
from planners.rule.reading import lexicon


class NotUnderstood(Exception):
    """The instruction is not understood. The message completes a sentence that begins with `I`: `do not understand
    'next to the desk'`."""


_TOKEN = re.compile(r"[^\W_]+(?:['-][^\W_]+)*|[,.;:!?]|(?<=\s)[-\u2013\u2014](?=\s)|\u2014|[^\s\w]")
_CONTRACTIONS = (
    (r"\b(do|does|did|is|are|was|were|should|would|could|must|need)n't\b", r"\1 not"),
    (r"\bwon't\b", "will not"),
    (r"\bcan't\b|\bcannot\b", "can not"),
    (r"\b(i|we|you|they)'d\b", r"\1 would"),
    (r"\bi'm\b", "i am"),
    (r"\b(i|we|you|they)'(?:ve)\b", r"\1 have"),
    (r"\b(i|we|you|they|it|that)'ll\b", r"\1 will"),
    (r"\b(we|you|they)'re\b", r"\1 are"),
    (r"\b(it|that|there|what|who|here|which|where)'s\b", r"\1 is"),
    (r"\b(?:all|everything) but\b", "everything except"),
    (r"\b(?:something|anything) (?:to eat|edible|one can eat|that can be eaten)\b", "some food"),
)
PUNCTUATION = frozenset((",", ".", ":"))


def split_words(text: str) -> list[str]:
    """Split a text into words and punctuation: every full stop becomes `.`, every colon or dash `:`. Other characters
    are kept, so that the text is not understood."""
    lines = re.sub(r"\n\s*(?=[A-Z]|[-*\u2022]\s|\d+[.)]\s|\n)", " . ", text)
    normalised = " ".join(lines.lower().replace("\u2019", "'").replace("_", " ").split())
    normalised = re.sub(r"(?:(?<=^)|(?<=\. ))(?:[-*\u2022]|\d+[.)]) ", "", normalised)
    for pattern, instead in _CONTRACTIONS:
        normalised = re.sub(pattern, instead, normalised)
    stops = dict.fromkeys(".;!?", ".") | dict.fromkeys(("-", "\u2013", "\u2014"), ":")
    return [stops.get(word, word) for word in _TOKEN.findall(normalised)]


class Cursor:
    """A position in the words of a text."""

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.at = 0
        self._runs: dict[int, list[str]] = {}

    @property
    def over(self) -> bool:
        """Whether no word is left."""
        return self.at >= len(self.words)

    def sees(self, phrases: Set[str]) -> str:
        """Return the longest of the phrases that starts at the cursor, "" if none does."""
        return next((text for text in self.runs() if text in phrases), "")

    def runs(self) -> list[str]:
        """Return the runs of words that start at the cursor, longest first; cached, because every rule needs them."""
        if self.at not in self._runs:
            upcoming = self.words[self.at : self.at + lexicon.LONGEST]
            self._runs[self.at] = [" ".join(upcoming[:length]) for length in range(len(upcoming), 0, -1)]
        return self._runs[self.at]

    def take(self, phrases: Set[str]) -> str:
        """Skip the longest of the phrases that starts at the cursor and return it, "" if none does."""
        text = self.sees(phrases)
        self.at += len(text.split())
        return text

    def skip(self, phrases: Set[str]) -> None:
        """Skip all of the phrases that follow."""
        while self.take(phrases):
            pass

    def replace(self, words: list[str]) -> None:
        """Replace the words, keeping the position."""
        self.words = words
        self._runs.clear()

    def rest(self, start: int | None = None) -> str:
        """Return the words from the cursor, or from an earlier start, to the next comma or full stop."""
        words: list[str] = []
        for word in self.words[self.at if start is None else start :]:
            if word in PUNCTUATION and words:
                break
            words += [] if word in PUNCTUATION else [word]
        return " ".join(words)

    def not_understood(self, start: int | None = None) -> NotUnderstood:
        """Return an error that quotes the words from the cursor to the next comma or full stop."""
        return NotUnderstood(f"do not understand '{self.rest(start)}'")


_DEFINITE = frozenset(("", "the", "my", "your", "our", "his", "her", "their", "this", "that"))


class Kind(StrEnum):
    """Kind of a noun phrase's referent."""

    THING = "thing"
    PLACE = "place"
    UNKNOWN = "a name that is in no vocabulary"
    ALL = "everything"
    REST = "the rest"
    IT = "it"
    THEM = "them"


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun phrase.

    Attributes:
        count: Number of objects, None for all.
        other: Whether it excludes objects mentioned before, as `the other mug`.
        numbered: Whether it contains a number.
    """

    kind: Kind
    words: str = ""
    count: int | None = 1
    other: bool = False
    numbered: bool = False


def noun(cursor: Cursor) -> Noun | None:
    """Parse the noun phrase at the cursor, which moves past it; None if there is none that is fully understood."""
    start = cursor.at
    if cursor.take(lexicon.REST):
        return Noun(Kind.REST, count=None)
    named_noun = _named_noun(cursor)
    if named_noun is not None:
        return named_noun
    cursor.at = start
    if cursor.take(lexicon.EVERYTHING):
        return Noun(Kind.ALL, count=None)
    if cursor.take(lexicon.IT):
        return Noun(Kind.IT)
    if cursor.take(lexicon.THEM):
        return Noun(Kind.THEM, count=None)
    return None


@dataclass(slots=True, kw_only=True)
class _Modifiers:
    """The words before a name: articles, numbers, `all`, `kinds of`."""

    every: bool = False
    count: int | None = None
    article: str = ""
    other: bool = False
    kinds: bool = False
    of: bool = False
    """Whether `of` follows the number, so that the number of the whole may follow: `two of the five`."""

    def how_many(self, plural: bool) -> int | None:
        """Return the number of objects; None (all) for a plural without a number. `Some apples` are two."""
        if self.count is None and plural and self.article == "some":
            return 2
        return self.count or (None if self.every or plural else 1)


def _modifiers(cursor: Cursor) -> _Modifiers:
    modifiers = _Modifiers()
    while not cursor.over:
        if cursor.take(lexicon.EVERY):
            modifiers.every = True
        elif number := _number(cursor):
            if modifiers.count is not None and not modifiers.of:  # `two three apples`
                break
            modifiers.count, modifiers.of = modifiers.count or number, cursor.words[cursor.at - 1] == "of"
        elif cursor.take({"other", "another"}):
            modifiers.other = True
        elif article := cursor.take(lexicon.DETERMINERS):
            modifiers.article = article
        elif cursor.take(lexicon.KINDS_OF):
            modifiers.kinds = True
        elif not cursor.take(lexicon.HARMLESS):
            break
    return modifiers


def _number(cursor: Cursor) -> int:
    """Parse the number at the cursor, which moves past it and a following `of`; 0 if there is none."""
    if number_word := cursor.take(lexicon.NUMBERS.keys()):
        number = lexicon.NUMBERS[number_word]
    elif re.fullmatch(r"[1-9]\d?", cursor.words[cursor.at]):
        number = int(cursor.words[cursor.at])
        cursor.at += 1
    else:
        return 0
    cursor.take({"out of", "of"})
    return number


def _named_noun(cursor: Cursor) -> Noun | None:
    """Parse a phrase with a known name, `the green one`, or an unknown name after an article."""
    start = cursor.at
    modifiers = _modifiers(cursor)
    if cursor.at == start and cursor.sees(lexicon.ANY_VERB) == "can":
        return None
    colours = _colours(cursor)
    if colours and cursor.take({"one", "ones"}):
        return Noun(Kind.THING, f"{' '.join(colours)} one", modifiers.how_many(False), modifiers.other)
    room, kind, name = _known_noun(cursor)
    if not name:
        if colours or not modifiers.article or modifiers.kinds:
            return None
        return _unknown_noun(cursor, modifiers)
    if modifiers.kinds and (modifiers.count is None and modifiers.article not in ("a", "the", "some", "any")):
        return None
    if modifiers.kinds and not lexicon.kinds_of(normalise(name)):
        return None
    if lexicon.kinds_of(normalise(name)):
        cursor.take({"of something", "of any kind", "of some kind"})
    head = name.split(" of ")[0].split()[-1]
    plural = normalise(head) != head and head != "crackers"  # `crackers` names a single box
    words = normalise(" ".join([*colours, room, name]))
    plural = plural or (words in ("fruit", "food") and modifiers.article in _DEFINITE)
    return Noun(kind, words, modifiers.how_many(plural), modifiers.other, modifiers.count is not None)


def _colours(cursor: Cursor) -> list[str]:
    """Parse colours and materials before a name; the last word of `the green orange` is the name."""
    colours: list[str] = []
    while word := _colour(cursor):
        colours.append(word)
    is_followed = cursor.sees({"one", "ones"}) or _longest_name(Cursor(cursor.words[cursor.at :]))[1]
    if colours and not is_followed:
        cursor.at -= len(colours.pop().split())
    return colours


def _colour(cursor: Cursor) -> str:
    two = " ".join(cursor.words[cursor.at : cursor.at + 2])
    word = two if two in vocabulary().colours else two.partition(" ")[0]
    if not lexicon.is_colour(word):
        return ""
    cursor.at += len(word.split())
    return word


def _known_noun(cursor: Cursor) -> tuple[str, Kind, str]:
    """Parse the room before a name (`kitchen table`), the kind, and the longest known name at the cursor, which moves
    past them."""
    kind, name = _longest_name(cursor)
    if name and is_room(name):
        furniture, room_words = _longest_name(cursor)
        if room_words and furniture is Kind.PLACE and not is_room(room_words):
            return name, furniture, room_words
        cursor.at -= len(room_words.split())
    return "", kind, name


def _longest_name(cursor: Cursor) -> tuple[Kind, str]:
    for length in range(min(lexicon.LONGEST, len(cursor.words) - cursor.at), 0, -1):
        words = cursor.words[cursor.at : cursor.at + length]
        text = " ".join(words)
        if (PUNCTUATION | lexicon.DETERMINERS) & set(words):
            continue
        kind = Kind.THING if lexicon.is_thing(text) else Kind.PLACE if lexicon.is_place(text) else None
        if kind is not None:
            cursor.at += length
            return kind, text
    return Kind.UNKNOWN, ""


def _unknown_noun(cursor: Cursor, modifiers: _Modifiers) -> Noun | None:
    """Parse an unknown name: up to three words between an article and a phrase that is understood. Not `the big apple`,
    which ends with a known name, and not words such as `middle` (`lexicon.NO_NAMES`)."""
    words: list[str] = []
    while not cursor.over and cursor.words[cursor.at] not in PUNCTUATION and not cursor.sees(lexicon.phrases()):
        if _longest_name(Cursor(cursor.words[cursor.at :]))[1]:
            return None
        words.append(cursor.words[cursor.at])
        cursor.at += 1
    if not 0 < len(words) <= 3 or set(words) & lexicon.NO_NAMES or not all(word.isalpha() for word in words):
        return None
    name = normalise(" ".join(words))
    return (
        Noun(Kind.UNKNOWN, name, modifiers.how_many(normalise(words[-1]) != words[-1]), modifiers.other)
        if name
        else None
    )
