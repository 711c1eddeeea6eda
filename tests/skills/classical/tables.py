"""What the skills weigh and where they go, as tables of words and numbers in `tests/golden/classical`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parents[2] / "golden" / "classical"
Rows = Iterator[str]
Make = Callable[[], Rows]
Sections = Callable[[], dict[str, Make]]
TABLES: dict[str, Sections] = {}
"""By the name of a table its sections, each of which is made on its own."""
TOLERANCE = 1.1e-3
"""Of a number: one in its last digit, where another machine rounds to the other side."""


def table(sections: Sections) -> Sections:
    """A function of whose sections there is a table of its name."""
    TABLES[sections.__name__] = sections
    return sections


def short(rows: Make) -> Make:
    """The same of a table of one section."""
    TABLES[rows.__name__] = lambda: {"all": rows}
    return rows


def text(name: str) -> str:
    """A whole table as its file holds it."""
    return "".join(f"-- {part}\n" + "".join(f"{row}\n" for row in make()) for part, make in TABLES[name]().items())


def rows_of_file(name: str) -> dict[str, list[str]]:
    """The rows of the file of a table, by section."""
    content = (FOLDER / f"{name}.txt").read_text()
    parts = f"\n{content}".split("\n-- ")[1:]
    return {title: rows for title, *rows in (part.splitlines() for part in parts)}


def row_of(*values: object) -> str:
    """A row: words and numbers, those of arrays one after the other."""
    words: list[str] = []
    for value in values:
        if isinstance(value, str | bool | None):
            words.append(str(value).replace(" ", "_"))
        else:
            numbers = np.ravel(value)
            is_integer = np.issubdtype(numbers.dtype, np.integer)
            words += [str(number) if is_integer else f"{round(number, 3) + 0.0:.3f}" for number in numbers.tolist()]
    return " ".join(words)


def same(row: str, other: str) -> bool:
    """Whether two rows have equal words and about equal numbers."""
    words, other_words = row.split(), other.split()
    return len(words) == len(other_words) and all(
        first == second or (_number(first) and _number(second) and abs(float(first) - float(second)) <= TOLERANCE)
        for first, second in zip(words, other_words, strict=True)
    )


def _number(word: str) -> bool:
    return re.fullmatch(r"-?\d+\.\d+", word) is not None
