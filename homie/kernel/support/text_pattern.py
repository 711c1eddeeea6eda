"""Text of a certain spelling in the models of files and options: what is wrong with another is said in words."""

from __future__ import annotations

import re

from pydantic import AfterValidator


def spelt(pattern: str, rule: str) -> AfterValidator:
    """A validator of text that has to match a pattern as a whole.

    Args:
        pattern: A regular expression, which no user sees.
        rule: The end of the sentence for other text, after `must be` or `must have`.

    Example:
        >>> spelt("[a-z]+", "be lower case letters").func("Apple")
        Traceback (most recent call last):
        ValueError: must be lower case letters
    """
    compiled = re.compile(pattern)

    def check(text: str) -> str:
        if not compiled.fullmatch(text):
            raise ValueError(f"must {rule}")
        return text

    return AfterValidator(check)
