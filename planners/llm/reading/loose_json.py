"""Tolerant parser for JSON in the variants of language models: in prose and fences, with single or curly quotes,
comments, trailing commas.

Its depth and work are bounded. It is used only if the `json` module fails, it evaluates nothing, and ambiguous input
becomes `BrokenObject` instead of being repaired.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

MAX_DEPTH = 32
WORK_PER_CHARACTER = 8
"""Maximum inspected characters per character of the text before the parser gives up."""
SPARE_WORK = 1000
"""Additional inspected characters, so that short texts are parsed completely."""

_TOO_DEEP = "it is nested too deeply"
_CLOSING = {'"': '"', "'": "'", "“": "”“", "‘": "’‘"}
_STRING_STOPS = {quote: re.compile(rf"[\\{closing}]") for quote, closing in _CLOSING.items()}
_AFTER_STRING = frozenset(",:}]/#")
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS: dict[str, bool | None] = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
}
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"-?[0-9]{1,40}(?:\.[0-9]{1,40})?(?:[eE][+-]?[0-9]{1,3})?")
_BLANKS = re.compile(r"\s*")
_START = re.compile(r"[{\[]")


@dataclass(frozen=True, slots=True)
class Members:
    """A JSON object as written, possibly with repeated keys.

    Attributes:
        cut: Whether the text ended before its closing brace.
    """

    pairs: tuple[tuple[str, Value], ...]
    cut: bool = False

    def all(self, key: str) -> list[Value]:
        """Return the distinct values of a key, at most two, by its plain spelling (`plain_key`); null does not
        count."""
        values: list[Value] = []
        for name, value in self.pairs:
            if len(values) < 2 and plain_key(name) == key and value is not None and value not in values:
                values.append(value)
        return values


Value: TypeAlias = Members | list["Value"] | str | float | bool | None


@dataclass(frozen=True, slots=True)
class BrokenObject:
    """Text that begins like a JSON object but is not one: the reason, and the keys before the error."""

    reason: str
    keys: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A JSON value in a text, from `start` to `end`.

    Attributes:
        exact: Whether it is valid JSON.
    """

    value: Members | list[Value] | BrokenObject
    start: int
    end: int
    exact: bool = False


def find_json(text: str) -> list[FoundValue]:
    """Find the outermost JSON objects and arrays of a text, in order; a broken one ends at the error.

    Valid JSON is parsed by the `json` module. The work is linear in the length of the text.

    Example:
        >>> piece, = find_json("My answer: {'action': 'End'}")
        >>> piece.value.pairs, piece.exact
        ((('action', 'End'),), False)
    """
    try:
        document = _parse_strictly(text)
    except (ValueError, RecursionError):
        return [_parse_piece(text, piece) for piece in _Reader(text).scan()]
    if not isinstance(document, Members | list):
        return []
    return [FoundValue(_check_depth(document), 0, len(text), exact=True)]


def string_of_json(text: str) -> str:
    """Return the content of a JSON string, if the text is one and contains an object or an array; otherwise ""."""
    try:
        inside = json.loads(text)
        content = json.loads(inside) if isinstance(inside, str) else None
    except (ValueError, RecursionError):
        return ""
    return inside if isinstance(content, dict | list) else ""


def _parse_strictly(text: str) -> Value:
    """Parse valid JSON. Raises ValueError, RecursionError."""
    value: Value = json.loads(text, object_pairs_hook=lambda pairs: Members(tuple(pairs)))
    return value


def _parse_piece(text: str, piece: FoundValue) -> FoundValue:
    """Parse a piece of a text again with the `json` module if it is valid JSON."""
    try:
        value = _parse_strictly(text[piece.start : piece.end])
    except (ValueError, RecursionError):
        return piece
    return replace(piece, value=_check_depth(value), exact=True) if isinstance(value, Members | list) else piece


def _check_depth(value: Members | list[Value]) -> Members | list[Value] | BrokenObject:
    if _depth(value) <= MAX_DEPTH:
        return value
    keys = value.pairs if isinstance(value, Members) else ()
    return BrokenObject(_TOO_DEEP, frozenset(plain_key(key) for key, _ in keys))


def _depth(value: Value) -> int:
    """Return the nesting depth of a value, without recursion, which has a limit of its own."""
    depth, level = 0, [value]
    while level := [item for item in level if isinstance(item, Members | list)]:
        depth += 1
        level = [
            inner
            for item in level
            for inner in (item if isinstance(item, list) else (inner for _, inner in item.pairs))
        ]
    return depth


class _NotJson(Exception):
    """Parse error with its reason and position.

    Args:
        deep: Whether the reason is too many nested brackets.
    """

    def __init__(self, reason: str, at: int, deep: bool = False) -> None:
        super().__init__(reason)
        self.at = at
        self.deep = deep


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._remaining_work = WORK_PER_CHARACTER * len(text) + SPARE_WORK
        self._keys: set[str] = set()
        self._at = 0

    def scan(self) -> Iterator[FoundValue]:
        """Yield every object and array in the text, and every broken beginning of one."""
        at = 0
        while match := _START.search(self._text, at):
            start, self._at, self._keys = match.start(), match.start(), set()
            try:
                value = self._value(0)
            except _NotJson as why:
                at = max(why.at, start + 1) if self._keys or why.deep else start + 1
                if self._keys:
                    yield FoundValue(BrokenObject(str(why), frozenset(self._keys)), start, max(why.at, start + 1))
                if self._remaining_work <= 0:
                    return
                continue
            at = self._at
            if isinstance(value, Members | list):
                yield FoundValue(value, start, at)

    # ------------------------------------------------------------ grammar

    def _value(self, depth: int) -> Value:
        self._skip_blanks()
        if depth > MAX_DEPTH:
            raise _NotJson(_TOO_DEEP, self._at, deep=True)
        character = self._peek()
        if character == "{":
            return self._object(depth)
        if character == "[":
            return self._array(depth)
        if character in _CLOSING and character:
            return self._string()
        if match := _NUMBER.match(self._text, self._at):
            self._move(match.end())
            return float(match.group())
        match = _WORD.match(self._text, self._at)
        if match and match.group() in _WORDS:
            self._move(match.end())
            return _WORDS[match.group()]
        raise self._error("a value is missing or has no quotes")

    def _object(self, depth: int) -> Members:
        self._move(self._at + 1)
        pairs: list[tuple[str, Value]] = []
        while True:
            self._skip_blanks()
            character = self._peek()
            if character == "}":
                self._move(self._at + 1)
                return Members(tuple(pairs))
            if not character and depth == 0 and pairs:
                return Members(tuple(pairs), cut=True)
            key = self._key()
            self._skip_blanks()
            if self._peek() != ":":
                raise self._error("a colon is missing after a key")
            self._move(self._at + 1)
            self._keys.add(plain_key(key))
            pairs.append((key, self._value(depth + 1)))
            self._separator("}", end_allowed=depth == 0)

    def _array(self, depth: int) -> list[Value]:
        self._move(self._at + 1)
        values: list[Value] = []
        while True:
            self._skip_blanks()
            if self._peek() == "]":
                self._move(self._at + 1)
                return values
            values.append(self._value(depth + 1))
            self._separator("]", end_allowed=False)

    def _separator(self, closing: str, *, end_allowed: bool) -> None:
        """Skip a comma (a trailing one is allowed), or stop before the closing bracket."""
        self._skip_blanks()
        character = self._peek()
        if character == ",":
            self._move(self._at + 1)
        elif character != closing and (character or not end_allowed):
            raise self._error(f"a comma or {closing} is missing")

    def _key(self) -> str:
        if self._peek() in _CLOSING and self._peek():
            return self._string()
        if match := _WORD.match(self._text, self._at):
            self._move(match.end())
            return match.group()
        raise self._error("a key is missing")

    def _string(self) -> str:
        """Parse a string. A quote closes it only if a value can end there, so that apostrophes and quoted words do
        not."""
        quote = self._text[self._at]
        self._move(self._at + 1)
        characters: list[str] = []
        while match := _STRING_STOPS[quote].search(self._text, self._at):
            characters.append(self._text[self._at : match.start()])
            self._move(match.end())
            if match.group() == "\\":
                characters.append(self._escape())
                continue
            blanks = _BLANKS.match(self._text, self._at)
            next_index = blanks.end() if blanks else self._at
            self._remaining_work -= next_index - self._at
            if next_index >= len(self._text) or self._text[next_index] in _AFTER_STRING:
                return "".join(characters)
            characters.append(match.group())
        self._move(len(self._text))
        raise self._error("a string is not closed")

    def _escape(self) -> str:
        """Parse an escape sequence; an escape that JSON does not have stands for its character."""
        character = self._peek()
        self._move(self._at + 1)
        if character == "u" and re.fullmatch("[0-9a-fA-F]{4}", digits := self._text[self._at : self._at + 4]):
            self._move(self._at + 4)
            return chr(int(digits, 16))
        return _ESCAPES.get(character, character)

    # ------------------------------------------------------------ text

    def _skip_blanks(self) -> None:
        """Skip white space and comments."""
        while True:
            if match := _BLANKS.match(self._text, self._at):
                self._move(match.end())
            if self._text.startswith(("//", "#"), self._at):
                end = self._text.find("\n", self._at)
            elif self._text.startswith("/*", self._at):
                end = self._text.find("*/", self._at + 2)
                end = end + 2 if end >= 0 else end
            else:
                return
            self._move(end if end >= 0 else len(self._text))

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _move(self, position: int) -> None:
        self._remaining_work -= position - self._at
        self._at = position
        if self._remaining_work <= 0:
            raise self._error("it is too tangled")

    def _error(self, reason: str) -> _NotJson:
        return _NotJson(f"{reason} at character {self._at + 1}", self._at)


@lru_cache(maxsize=4096)
def plain_key(key: str) -> str:
    """Return a key in lower case, with underscores for blanks and hyphens."""
    return re.sub(r"[\s-]+", "_", key.strip(" *_`").lower())
