"""Suggestions for misspelt words."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from functools import cache

from perception.names import vocabulary
from planners.common_sense import CONTAINERS, LARGE, ROOMS, SURFACES
from planners.rule.reading import lexicon

ALIKE = 0.8
"""Minimum similarity (difflib ratio) of a misspelt word: `aple` and `frige` (0.9) and `tabel` (0.8) are taken for
apple, fridge and table, `cold` and `kettle` are not taken for `hold` (0.75) and `bottle` (0.67)."""
SHORTEST = 4
"""Minimum letters of a word that may be misspelt: shorter words resemble too many others."""


def spelling_question(words: Sequence[str], known: Collection[str] = ()) -> str:
    """Return a question about the first unknown word that resembles a known one; "" if there is none.

    >>> spelling_question(["put", "the", "aple", "away"])
    "did you mean 'apple'?"
    """
    names = {word for name in known for word in name.split()}
    for word in words:
        if len(word) < SHORTEST or not word.isalpha() or word in spoken_words() or word in names:
            continue
        candidates = sorted(name for name in name_words() | names if name[0] == word[0])  # few mistake the first letter
        matches = difflib.get_close_matches(word, candidates, 1, ALIKE)
        if matches:
            return f"did you mean '{matches[0]}'?"
    return ""


@cache
def name_words() -> frozenset[str]:
    """Return every word in names of objects and places, in colours and in verbs."""
    places = (*CONTAINERS, *SURFACES, *LARGE, *ROOMS)
    verbs = (*lexicon.ANY_VERB, *lexicon.SWITCHES, *lexicon.USES)
    names = (*lexicon.thing_names(), *places, *verbs, *vocabulary().colours)
    return frozenset(word for name in names for word in name.split() if len(word) >= SHORTEST)


@cache
def spoken_words() -> frozenset[str]:
    """Return every word with a meaning in some sentence, with the plurals of names."""
    sets = [value for value in vars(lexicon).values() if isinstance(value, frozenset | dict)]
    words_with_meaning = {word for phrases in sets for phrase in phrases for word in phrase.split()}
    return frozenset(
        words_with_meaning | name_words() | {f"{word}s" for word in name_words()} | {f"{w}es" for w in name_words()}
    )
