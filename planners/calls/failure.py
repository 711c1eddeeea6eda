"""What can go wrong with one request, told apart by what helps."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

PASSING = frozenset({408, 409, 425, 429})
"""Statuses below 500 after which the same request may succeed (RFC 9110, RFC 6585)."""
_ABOUT_FORM = re.compile(r"response.?format|json|schema|structured|grammar|guided|tool", re.IGNORECASE)
_LENGTH = 300


class Failure(Exception):
    """A request that brought no answer. The message is one sentence.

    again: the same request may succeed later. after: seconds that the endpoint asks to wait. form: it does not know
    the form in which the answer was wanted. answered: the endpoint is alive and said so.
    """

    def __init__(
        self, sentence: str, *, again: bool, after: float | None = None, form: bool = False, answered: bool = True
    ) -> None:
        super().__init__(sentence)
        self.again = again
        self.after = after
        self.form = form
        self.answered = answered


def of_status(host: str, status: int, headers: Mapping[str, str], said: str, *, exhausted: bool = False) -> Failure:
    """The failure that an HTTP status means. said: the endpoint's own words, free of keys.

    exhausted: an account without credit, which no retry fills.
    """
    words = ": " + _short(said) if said.strip() else ""
    if (status in PASSING or status >= 500) and not exhausted:
        after = seconds_after(headers.get("retry-after", ""))
        return Failure(f"{host} answers {status}{words}", again=True, after=after)
    return Failure(f"{host} refuses the request ({status}){words}", again=False, form=bool(_ABOUT_FORM.search(said)))


def seconds_after(text: str, now: datetime | None = None) -> float | None:
    """Seconds from a Retry-After header, a number or an HTTP date (RFC 9110, 10.2.3); None if it says nothing."""
    try:
        seconds = float(text)
    except ValueError:
        try:
            then = parsedate_to_datetime(text)
        except (ValueError, TypeError):
            return None
        then = then if then.tzinfo else then.replace(tzinfo=UTC)
        seconds = (then - (now or datetime.now(UTC))).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None


def scrubbed(text: str, key: str) -> str:
    """A text without the API key."""
    return text.replace(key, "[key]") if key else text


def _short(text: str) -> str:
    line = " ".join(text.split()).rstrip(".")
    return line if len(line) <= _LENGTH else f"{line[:_LENGTH]} ..."
