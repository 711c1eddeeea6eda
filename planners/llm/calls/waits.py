"""Parsing of the wait that an endpoint asks for, in headers, fields or messages, and of exhausted quotas.

| source | used by |
|---|---|
| `retry-after-ms`, `retry-after` (seconds, HTTP date) | OpenAI, Azure; RFC 9110 |
| `retryDelay` of a `RetryInfo` among the details of the body | Google |
| `Please try again in 1m30s`, `retry after 20 seconds` | Groq, Azure, Google |
| `x-ratelimit-reset-*`, `anthropic-ratelimit-*-reset` | OpenAI and kin, Anthropic, OpenRouter |
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from planners.llm.calls.body_parsing import error_message, error_of

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_UNIT = r"(?:milliseconds?|msecs?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|hr|h|days?|d)"
_AMOUNT = rf"\d+(?:\.\d+)?\s*{_UNIT}(?![a-z])"
_DURATION = re.compile(rf"{_AMOUNT}(?:(?:\s|,|and)*{_AMOUNT})*|\d+(?:\.\d+)?{_UNIT}(?:\d+(?:\.\d+)?{_UNIT})+", re.I)
_PART = re.compile(rf"(\d+(?:\.\d+)?)\s*({_UNIT})", re.I)
_WAIT_PHRASE = re.compile(
    r"\b(?:try|retry|again|wait|resets?|available)\b[^.;\n]{0,40}?\b(?:in|after|for|at least)\b[:\s]*", re.I
)
"""Words before a wait. A full stop ends the match, so that a limit `of 20 per minute` is not taken for a wait."""
_WAIT = re.compile(r"\b(?:wait|retry[- ]?after)\b[:=\s]*", re.I)
_BARE = re.compile(r"\bretry[- ]after[:=\s]+(\d+(?:\.\d+)?)(?![\w.%]|\s+[a-z])", re.I)
_RESET = re.compile(r"(?:x-)?(?:anthropic-)?ratelimit-(?:reset(?:-(\w+))?|(\w+)-reset)$", re.I)
_QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "quota_exhausted"})
"""Error codes and types that only a payment or another day resolves."""
_DAILY = re.compile(r"per[ _-]?day|daily", re.I)
_EPOCH = 1e9
"""Seconds since 1970 are above this number, waits are below."""


def requested_wait(headers: Mapping[str, str], body: object, now: datetime | None = None) -> float | None:
    """Return the seconds that an endpoint asks to wait, the longest of several; None if it does not ask.

    Args:
        headers: of the response, by names in lower case.
        body: of the response: parsed JSON, or text.
        now: the current time, for dates.
    """
    now = now or datetime.now(UTC)
    exact = _number(headers.get("retry-after-ms", ""))
    header = exact / 1000 if exact is not None else seconds_after(headers.get("retry-after", ""), now)
    wait_texts = [header, *_delays(body), _wait_in_message(error_message(body))]
    waits = [max(0.0, wait) for wait in wait_texts if wait is not None]
    if waits:
        return max(waits)
    return _until_reset(headers, now)


def is_used_up(body: object, wait: float | None = None) -> bool:
    """Return whether the body of an error reports a daily quota as exhausted, or an account without credit.

    Args:
        body: of the response, JSON or text.
        wait: seconds that the endpoint asks to wait; if it does, the message text does not count.
    """
    error = error_of(body)
    if not isinstance(error, Mapping):
        return False
    names = {str(error.get(key, "")).lower() for key in ("code", "type", "status")}
    if names & _QUOTA_CODES:
        return True
    quotas = [str(quota) for details in _details(error) for quota in _listed(details.get("violations"))]
    if any(_DAILY.search(quota) for quota in quotas):
        return True
    return wait is None and bool(_DAILY.search(error_message(body)))


def seconds_after(text: str, now: datetime | None = None) -> float | None:
    """Parse a Retry-After header, a number or an HTTP date (RFC 9110, 10.2.3), into seconds; None if it is invalid."""
    seconds = _number(text)
    if seconds is None:
        try:
            date = parsedate_to_datetime(text)
        except (ValueError, TypeError):
            return duration(text)
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        seconds = (date - (now or datetime.now(UTC))).total_seconds()
    return max(0.0, seconds)


def duration(text: str) -> float | None:
    """Parse a duration such as `6m0s`, `1.5s`, `120ms` or `2 hours` into seconds; None if it is invalid.

    >>> duration("1m30s"), duration("250ms"), duration("1 minute and 5 seconds"), duration("soon")
    (90.0, 0.25, 65.0, None)
    """
    if not _DURATION.fullmatch(text.strip()):
        return None
    return sum(float(number) * _SECONDS[_unit(name)] for number, name in _PART.findall(text))


def _unit(name: str) -> str:
    name = name.lower()
    return "ms" if name.startswith(("ms", "mil")) else name[0]


def _number(text: object) -> float | None:
    if isinstance(text, bool) or not isinstance(text, str | int | float):
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _wait_in_message(message: str) -> float | None:
    """Return the longest wait that an error message asks for, s."""
    waits = [
        duration(match.group().strip())
        for pattern in (_WAIT_PHRASE, _WAIT)
        for start in pattern.finditer(message)
        if (match := _DURATION.match(message, start.end()))
    ]
    waits += [float(bare[1]) for bare in _BARE.finditer(message)]
    return max((wait for wait in waits if wait is not None), default=None)


def _delays(body: object) -> Iterator[float | None]:
    """Yield the waits in the details of Google's errors (`google.rpc.RetryInfo`), and in fields of other bodies, s."""
    error = error_of(body)
    if not isinstance(error, Mapping):
        return
    for place in (error, *_details(error)):
        for key in ("retryDelay", "retry_delay", "retry_after", "retry_after_seconds", "retryAfter"):
            delay = place.get(key)
            if isinstance(delay, Mapping):
                yield (_number(delay.get("seconds", 0)) or 0.0) + (_number(delay.get("nanos", 0)) or 0.0) / 1e9
            elif (number := _number(delay)) is not None:
                yield number
            elif isinstance(delay, str):
                yield duration(delay)


def _details(error: Mapping[str, object]) -> list[Mapping[str, object]]:
    metadata = error.get("metadata")  # OpenRouter
    nested = [metadata] if isinstance(metadata, Mapping) else []
    return [*(item for item in _listed(error.get("details")) if isinstance(item, Mapping)), *nested]


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else []


def _until_reset(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds until all exhausted limits are reset; if none is marked exhausted, until the first reset."""
    used_up: list[float] = []
    reset_seconds: list[float] = []
    for name, text in headers.items():
        wait = _reset(text, now) if _RESET.search(name) else None
        if wait is None:
            continue
        remaining = name.lower().replace("reset", "remaining")
        (used_up if headers.get(remaining, "").strip() == "0" else reset_seconds).append(wait)
    return max(used_up) if used_up else min(reset_seconds, default=None)


def _reset(text: str, now: datetime) -> float | None:
    """Parse the seconds to a reset: a duration, seconds, seconds or milliseconds since 1970, or a date (RFC 3339)."""
    number = _number(text)
    if number is None:
        try:
            date = datetime.fromisoformat(text)
        except ValueError:
            return duration(text)
        number = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    if number > _EPOCH:
        number = (number / 1000 if number > 1000 * _EPOCH else number) - now.timestamp()
    return max(0.0, number)
