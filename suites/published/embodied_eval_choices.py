"""Parsing which option of a numbered menu a model has chosen."""

from __future__ import annotations

import re

_RELEASED = re.compile(r"Choice:?[\n\s]*\[?(\d+)\]?", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_EXACT = re.compile(r"\bChoice:\s*(?:\[\s*(\d+)\s*\]|(\d+))(?![\d.,]*\d)", re.IGNORECASE)


def read_choice(answer: str, options: int) -> int | None:
    """Return the option that an answer names, from 0: the number after its only `Choice:`, in brackets or not.

    Args:
        answer: the model's words.
        options: how many options there are.

    Returns:
        The index, or None if the answer names no option, several, a fraction or one that is not on the menu.

    Example:
        >>> read_choice("I see a door. Choice: [3]", 5), read_choice("Choice: [3.5]", 5), read_choice("Choice: -1", 5)
        (3, None, None)
    """
    numbers = {int(bracketed or plain) for bracketed, plain in _EXACT.findall(answer)}
    return _on_menu(numbers.pop(), options) if len(numbers) == 1 else None


def read_choice_as_released(answer: str, options: int) -> int | None:
    """Return the option as the released code reads it: the first number after `Choice`, else the last number of the
    answer.

    A minus sign and what follows a point are ignored. Option 0, the hidden `idle`, counts as out of range.

    Args:
        answer: the model's words.
        options: how many options there are.

    Returns:
        The index, or None if there is no number or it is out of range, which ends the released episode.

    Example:
        >>> read_choice_as_released("Choice: [3.5]", 5), read_choice_as_released("to room 7", 9)
        (3, 7)
        >>> read_choice_as_released("Choice: [0]", 5) is None
        True
    """
    named = _RELEASED.search(answer)
    numbers = [named.group(1)] if named else _NUMBER.findall(answer)
    return (_on_menu(int(numbers[-1]), options) or None) if numbers else None


def _on_menu(number: int, options: int) -> int | None:
    return number if number < options else None
