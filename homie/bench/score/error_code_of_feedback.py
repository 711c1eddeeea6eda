"""Error codes from feedback sentences, as in EMMOE's analysis notebook, and the groups of codes."""

from __future__ import annotations

from collections.abc import Mapping

from homie.kernel.types import ErrorCode


def _layer_codes(letter: str) -> list[ErrorCode]:
    """The codes of a layer, by number."""
    return sorted(code for code in ErrorCode if code.startswith(letter))


ORDER = "DFLE"
"""Letters of the codes in the order in which the notebook looks for them: L4 ends as F2 does, and F2 comes first."""
SENTENCES: tuple[tuple[str, str], ...] = (
    *((str(code), code.sentence.rpartition("}")[2].strip(" ,.!")) for letter in ORDER for code in _layer_codes(letter)),
    ("E3", "time out"),
)
"""Codes with the end of their sentence; the first match counts. E3, a Put that timed out, is E2 in the paper."""

CODES = tuple(str(code) for letter in "LDFE" for code in _layer_codes(letter))
"""The ten codes in the order of the tables H3-H6."""
GROUPS: Mapping[str, tuple[str, ...]] = {
    letter: tuple(code for code in CODES if code.startswith(letter)) for letter in "LDFE"
}


def raw_code_of(message: str) -> str:
    """The code of a feedback sentence with E3 as a code of its own, "" for none."""
    return next((code for code, part in SENTENCES if part in message), "")


def code_of(message: str) -> str:
    """The code of a feedback sentence, one of `CODES`, or "" for none.

    Example:
        >>> code_of("the subtask is failed, the hand is full now")
        'L1'
    """
    code = raw_code_of(message)
    return "E2" if code == "E3" else code


def folded(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts of the ten codes, E3 counted as E2."""
    return {code: counts.get(code, 0) + (counts.get("E3", 0) if code == "E2" else 0) for code in CODES}
