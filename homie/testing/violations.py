"""Common code of all kits: the exception, and checks of a part's name, settings and description."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from homie.kernel.errors import BadInput
from homie.kernel.registry import Kind, Part, part_of
from homie.kernel.support.own_code import in_words, own_code

_SECRET_NAME = re.compile(r"(?:key|token|secret|password|passwd|authorization|credential)s?$", re.IGNORECASE)
_SECRET_VALUE = re.compile(
    r"\bsk-[\w-]{12,}|\bBearer\s+\S{8,}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_\w{20,}|\w+://[^/\s:@]+:[^/\s@]+@"
)
_SHORTEST_SECRET = 8


class NotConforming(AssertionError):
    """Raised for a part that violates its interface. `violations`: one sentence for each violation."""

    def __init__(self, violations: list[str]) -> None:
        self.violations = tuple(violations)
        super().__init__("\n".join(f"- {violation}" for violation in self.violations))


def usable_part(kind: Kind[Part], value: object) -> Part:
    """Return the part given to a kit: itself, its class, or for planners a function. Raises NotConforming for any other
    value."""
    try:
        return part_of(kind, value)
    except BadInput as error:
        raise NotConforming([str(error)]) from error


def settle(violations: list[str]) -> None:
    """Raise NotConforming if there are violations."""
    if violations:
        raise NotConforming(list(dict.fromkeys(violations)))


def describe_error(what: str, error: Exception) -> str:
    """Return a sentence about an unexpected exception, with the line in the part's code."""
    place = own_code(error)
    return f"{what} raised {in_words(error)}{f' ({place})' if place else ''}."


def collect_violations(what: str, look: Callable[[], Iterable[str] | None]) -> list[str]:
    """Return the violations found by a check; an exception is one more violation and ends this check only."""
    violations: list[str] = []
    try:
        violations.extend(look() or ())
    except Exception as error:
        violations.append(describe_error(what, error))
    return violations


def check_name(part: Any) -> list[str]:
    violations = []
    if not isinstance(part.name, str) or not part.name:
        violations.append("`name` must be the name under which it is registered.")
    settings: object = type(part).Settings
    if settings is not None and not (isinstance(settings, type) and issubclass(settings, BaseModel)):
        violations.append("`Settings` must be a pydantic model or None.")
    return violations


def check_description(part: Any, when: str) -> list[str]:
    try:
        description: object = part.describe()
    except Exception as error:
        return [describe_error(f"describe, {when},", error)]
    if not isinstance(description, Mapping):
        return [f"describe returned {type(description).__name__}, not a mapping."]
    try:
        text = json.dumps(description, allow_nan=False)
    except (TypeError, ValueError) as error:
        return [f"describe is not JSON-ready: {error}."]
    return [f"describe has {secret}." for secret in (*_secrets(description), *environment_secrets(text))]


def _secrets(value: object, name: str = "") -> Iterator[str]:
    """Yield values that look like secrets, by the name of their key or by their form."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _secrets(item, str(key))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _secrets(item, name)
    elif isinstance(value, str) and value:
        if _SECRET_NAME.search(name):
            yield f"what looks like a secret: '{name}'"
        elif _SECRET_VALUE.search(value):
            yield f"what looks like a secret, in '{name}'"


def environment_secrets(text: str) -> Iterator[str]:
    """Yield the names of secret-looking environment variables whose value occurs in a text."""
    for name, value in os.environ.items():
        if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET and value in text:
            yield f"the value of the environment variable {name}"
