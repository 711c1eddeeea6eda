"""Text for people: what a model, a file or a server says made safe to show, and numbers with their nouns."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ud800-\udfff]"
)
"""What moves the cursor, colours or retitles a terminal, turns the direction of a line around, or cannot be encoded.
Tabs and line feeds are left."""

HALF_CHARACTER = re.compile(r"[\ud800-\udfff]")
"""A lone surrogate, which JSON can write as an escape and UTF-8 has not."""


def printable(text: str) -> str:
    r"""A text as a terminal or a page may show it: control characters are written as escapes (`\x1b`, `\u202e`)."""
    return _CONTROLS.sub(lambda match: ascii(match[0])[1:-1], text)


def json_safe(text: str) -> str:
    r"""JSON with the characters that `printable` escapes as escapes of JSON (`\u202e`): it says the same."""
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def one_line(text: object, longest: int = 300) -> str:
    """What a text or an error says in one line that may stand in a sentence: without its full stop, and cut off where
    it is longer.

    >>> one_line("No such  file.\\n"), one_line("abc", longest=2)
    ('No such file', 'ab ...')
    """
    line = " ".join(str(text).split()).rstrip(".!")
    return line if len(line) <= longest else f"{line[:longest]} ..."


def first_sentence(text: str) -> str:
    """The first sentence of a docstring or a description, on one line.

    >>> first_sentence("Go to by `nomad.pth`. The constructor loads it.")
    'Go to by `nomad.pth`.'
    """
    return re.split(r"(?<=[.!?]) (?=[A-Z`])", " ".join(text.partition("\n\n")[0].split()), maxsplit=1)[0]


def the(name: str) -> str:
    """A name in a sentence: `the mug`, but `mug 2`, which says by itself which one is meant."""
    return name if name[-1:].isdigit() else f"the {name}"


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: `1 round`, `3 rounds`.

    Args:
        plural: Where it is not the noun with an s.
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def separated(text: str) -> list[str]:
    """What stands between the commas of a text, without blanks around it; nothing for nothing."""
    return [part.strip() for part in text.split(",") if part.strip()]


def listed(words: Sequence[str]) -> str:
    """Words as a sentence lists them: `an arm`, `a base and an arm`, `a base, an arm and a gripper`."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
