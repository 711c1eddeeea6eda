"""Text for people: text from models, files and servers made safe to display, and numbers with their nouns."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ud800-\udfff]"
)
"""Characters that move the cursor, colour or retitle a terminal, reverse the direction of text, or cannot be encoded.
Tabs and line feeds are left out."""

HALF_CHARACTER = re.compile(r"[\ud800-\udfff]")
"""A lone surrogate, which can be written as an escape in JSON but not in UTF-8."""


def printable(text: str) -> str:
    r"""Make a text safe for a terminal or a page: control characters are replaced by escapes (`\x1b`, `\u202e`)."""
    return _CONTROLS.sub(lambda match: ascii(match[0])[1:-1], text)


def json_safe(text: str) -> str:
    r"""Replace the characters that `printable` escapes by JSON escapes (`\u202e`); the JSON's value is unchanged."""
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def one_line(text: object, longest: int = 300) -> str:
    """Format a text or an error as one line for use in a message: without its full stop, and truncated to `longest`
    characters.

    >>> one_line("No such  file.\\n"), one_line("abc", longest=2)
    ('No such file', 'ab ...')
    """
    line = " ".join(str(text).split()).rstrip(".!")
    return line if len(line) <= longest else f"{line[:longest]} ..."


def first_sentence(text: str) -> str:
    """Return the first sentence of a docstring or a description, on one line.

    >>> first_sentence("Go to by `nomad.pth`. The constructor loads it.")
    'Go to by `nomad.pth`.'
    """
    return re.split(r"(?<=[.!?]) (?=[A-Z`])", " ".join(text.partition("\n\n")[0].split()), maxsplit=1)[0]


def the(name: str) -> str:
    """Add the article to a name, `the mug`, but not to a numbered one: `mug 2`."""
    return name if name[-1:].isdigit() else f"the {name}"


def format_count(number: int, noun: str, plural: str = "") -> str:
    """Format a number with its noun: `1 round`, `3 rounds`.

    Args:
        plural: The plural, by default the noun with an s.
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def split_commas(text: str) -> list[str]:
    """Split a text at its commas, without surrounding spaces and empty parts."""
    return [part.strip() for part in text.split(",") if part.strip()]


def join_words(words: Sequence[str]) -> str:
    """Join words as in a sentence: `an arm`, `a base and an arm`, `a base, an arm and a gripper`."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
