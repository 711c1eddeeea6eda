"""Feedback sentences to error codes, as EMMOE's analysis notebook tells them apart, and how the codes are grouped."""

from __future__ import annotations

from collections.abc import Mapping

SENTENCES: tuple[tuple[str, str], ...] = (
    ("D1", "the target is far away"),
    ("D2", "the target is too close"),
    ("F1", "is not in the action list! You should only choose actions in the list"),
    ("F2", "does not exist! Please choose another object"),
    ("L1", "the hand is full"),
    ("L2", "the hand is empty"),
    ("L3", "is closed, you should open it first"),
    ("L4", "Please choose another object"),
    ("E1", "the subtask is too difficult to perform"),
    ("E2", "and the object is missing"),
    ("E3", "time out"),
)
"""Code and part of the sentence, the first that is found wins. E3, a put that ran out of time, is E2 in the paper."""

CODES = ("L1", "L2", "L3", "L4", "D1", "D2", "F1", "F2", "E1", "E2")
"""The ten codes in the order of the tables H3-H6."""
GROUPS: Mapping[str, tuple[str, ...]] = {
    letter: tuple(code for code in CODES if code.startswith(letter)) for letter in "LDFE"
}


def raw_code_of(message: str) -> str:
    """The code of a feedback sentence with E3 on its own, "" for none."""
    return next((code for code, part in SENTENCES if part in message), "")


def code_of(message: str) -> str:
    """The code of a feedback sentence, one of `CODES`, "" for none."""
    code = raw_code_of(message)
    return "E2" if code == "E3" else code


def folded(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts of the ten codes, E3 counted as E2."""
    return {code: counts.get(code, 0) + (counts.get("E3", 0) if code == "E2" else 0) for code in CODES}
