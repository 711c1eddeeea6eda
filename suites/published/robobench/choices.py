"""Parsing the letters of multiple-choice answers: an answer is right or wrong only if it is readable."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_TAGGED = re.compile(r"<answer>(.*?)</answer>", re.DOTALL | re.IGNORECASE)
_LETTERS = re.compile(
    r"(?:(?:the\s+)?(?:final\s+)?(?:answer|choice|option)(?:\s+is)?\s*:?\s*)?"  # "The answer is", "Answer:"
    r"(?:\\boxed\{|[*(\[])*\s*"
    r"(?P<letters>[A-Z](?:\s*(?:[,/&+]|\band\b)\s*[A-Z])*)"
    r"\s*[*)\]}.]*(?:[.:)][ \t]+\S.*)?",  # "C. the blue cup", but no list of options
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of questions, of right answers, and of unreadable answers (they are wrong)."""

    n: int
    right: int
    unreadable: int

    @property
    def percent(self) -> float | None:
        """Accuracy in percent, None without questions."""
        return 100 * self.right / self.n if self.n else None


def final_words(answer: str | None) -> str:
    """Return an answer without thoughts in `<think>`; of several `<answer>` the last."""
    text = _THOUGHT.sub("", answer or "")
    tagged = _TAGGED.findall(text)
    return (tagged[-1] if tagged else text).strip()


def read_letters(answer: str | None, options: int) -> frozenset[str] | None:
    """Return the letters that an answer names.

    Args:
        answer: the model's words; thoughts in `<think>` are left out, and the last `<answer>` counts if there is one.
        options: how many options there are, at most 26.

    Returns:
        The letters, or None if the answer names none, or one that no option has, or is ambiguous.

    Example:
        >>> read_letters("<think>A or B?</think> (C)", 4), read_letters("It must be B, I think", 4)
        (frozenset({'C'}), None)
    """
    match = _LETTERS.fullmatch(final_words(answer))
    if match is None:
        return None
    letters = frozenset(re.findall(r"\b[A-Z]\b", match["letters"].upper()))
    return letters if letters <= set(ascii_uppercase[:options]) else None


def tally(answers: Sequence[tuple[str | None, str]], options: int) -> Tally:
    """Count right answers.

    Args:
        answers: per question, the model's words and the truth, for example `C` or `C. the blue cup`.
        options: how many options each question has.

    Raises:
        ValueError: a truth names no letter.
    """
    right = unreadable = 0
    for answer, truth in answers:
        letters, correct = read_letters(answer, options), read_letters(truth, options)
        if correct is None:
            raise ValueError(f"the truth {truth!r} names none of {options} options by its letter")
        unreadable += letters is None
        right += letters == correct
    return Tally(len(answers), right, unreadable)
