"""Error codes of feedback messages, determined as in EMMOE's analysis notebook, and groups of codes."""

from __future__ import annotations

from collections.abc import Mapping

from homie.kernel.types import ErrorCode


def _layer_codes(letter: str) -> list[ErrorCode]:
    """Return the codes of a layer, by number."""
    return sorted(code for code in ErrorCode if code.startswith(letter))


ORDER = "DFLE"
"""Code letters in the order in which the notebook searches them: L4 has the same ending as F2, and F2 comes first."""
SENTENCES: tuple[tuple[str, str], ...] = (
    *((str(code), code.sentence.rpartition("}")[2].strip(" ,.!")) for letter in ORDER for code in _layer_codes(letter)),
    ("E3", "time out"),
)
"""Codes with the end of their message; the first match counts. E3, a Put that timed out, is E2 in the paper."""

CODES = tuple(str(code) for letter in "LDFE" for code in _layer_codes(letter))
"""The ten codes in the order of the tables H3-H6."""
GROUPS: Mapping[str, tuple[str, ...]] = {
    letter: tuple(code for code in CODES if code.startswith(letter)) for letter in "LDFE"
}


def raw_code_of(message: str) -> str:
    """Return the code of a feedback message, with E3 separate from E2; "" for none."""
    return next((code for code, part in SENTENCES if part in message), "")


def code_of(message: str) -> str:
    """Return the code of a feedback message, one of `CODES`, or "" for none.

    Example:
        >>> code_of("the subtask is failed, the hand is full now")
        'L1'
    """
    code = raw_code_of(message)
    return "E2" if code == "E3" else code


def merge_e3(counts: Mapping[str, int]) -> dict[str, int]:
    """Return counts of the ten codes, with E3 counted as E2."""
    return {code: counts.get(code, 0) + (counts.get("E3", 0) if code == "E2" else 0) for code in CODES}
