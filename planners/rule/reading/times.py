"""Temporal clauses: `before you close the fridge, ...`, `... after you have closed the fridge`.

Each is an order of its own that runs before or after its position in the text.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from planners.rule.reading import lexicon
from planners.rule.reading.nouns import PUNCTUATION, Cursor

_PARTICIPLES = {
    "put": "put",
    "taken": "take",
    "brought": "bring",
    "gone": "go",
    "been": "go",
    "got": "get",
    "gotten": "get",
    "laid": "lay",
    "set": "set",
    "shut": "shut",
    "found": "find",
    "left": "leave",
    "kept": "keep",
    "given": "give",
    "hidden": "hide",
    "stuck": "stick",
    "swept": "sweep",
    "cut": "cut",
    "dropped": "drop",
    "swapped": "swap",
    "moved": "move",
    "held": "hold",
}
"""Irregular participles with their verbs; the others end in `ed`."""
_DOERS = frozenset(("you", "we", "i", "have", "having", "then", "had"))


@cache
def _verbs() -> frozenset[str]:
    return frozenset(verb.split()[0] for verb in (*lexicon.ANY_VERB, *lexicon.SWITCHES, *lexicon.USES))


@lru_cache(maxsize=1000)
def plain_verb(word: str) -> str:
    """Return the base form of a verb: `put`, `close` and `take` for `putting`, `closed` and `taken`; "" for other
    words."""
    verbs = _verbs()
    if word in verbs or word in _PARTICIPLES:
        return _PARTICIPLES.get(word, word)
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem == word:
            continue
        doubled_match = re.fullmatch(r"(.+)([a-z])\2", stem)
        for candidate in (
            stem,
            f"{stem}e",
            f"{doubled_match[1]}{doubled_match[2]}" if doubled_match else "",
            word.removesuffix("d"),
        ):
            if candidate in verbs:
                return candidate
    return ""


def as_order(cursor: Cursor) -> None:
    """Rewrite the temporal clause at the cursor as an order.

    The first verb and those after `and` are rewritten: `you have taken the mug and closed the fridge` becomes
    `take the mug and close the fridge`. The subject is dropped.
    """
    words, at, first = list(cursor.words), cursor.at, True
    while at < len(words) and words[at] not in PUNCTUATION:
        if first and words[at] in _DOERS:
            del words[at]
            continue
        words[at] = (plain_verb(words[at]) if first else "") or words[at]
        first = words[at] == "and"
        at += 1
    cursor.replace(words)
