"""Validators of text by a pattern, with readable error messages, for models of files and options."""

from __future__ import annotations

import re

from pydantic import AfterValidator


def pattern_validator(pattern: str, rule: str) -> AfterValidator:
    """Create a validator of text that has to match a pattern as a whole.

    Args:
        pattern: A regular expression, which is not shown to users.
        rule: The rule in the error message, after `must`: `be ...` or `have ...`.

    Example:
        >>> pattern_validator("[a-z]+", "be lower case letters").func("Apple")
        Traceback (most recent call last):
        ValueError: must be lower case letters
    """
    compiled = re.compile(pattern)

    def check(text: str) -> str:
        if not compiled.fullmatch(text):
            raise ValueError(f"must {rule}")
        return text

    return AfterValidator(check)
