"""Parsing of response bodies: strict about the answer, lenient about all other fields.

An answer must not be lost because of a fractional token count, reasoning in parts or half a surrogate pair.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

from homie.kernel.support.documents import parse_json


def parse(text: str) -> Any:
    """Parse JSON, ignoring a byte order mark and replacing lone surrogates by `?`. Raises ValueError."""
    return _replace_surrogates(parse_json(text, lax=True))


def words(value: object) -> str:
    """Return the text in a string, a list of parts, or an object with a text field; "" for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return "\n".join(part for part in map(words, value) if part)
    if isinstance(value, Mapping):
        return next((text for key in ("text", "content", "thinking", "summary") if (text := words(value.get(key)))), "")
    return ""


def count(value: object) -> int:
    """Return a number of tokens; 0 for an invalid value."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0
    return max(0, round(value))


def a_mapping(value: object) -> object:
    """Return a mapping unchanged, {} for anything else: the fields next to an answer are optional."""
    return value if isinstance(value, Mapping) else {}


Words = Annotated[str, BeforeValidator(words)]
Count = Annotated[int, BeforeValidator(count)]


def error_message(body: object) -> str:
    """Return the message in the body of an error: `error.message` (OpenAI, Anthropic, Google), `detail` (FastAPI), or
    plain text; "" for an HTML page."""
    inner = error_of(body)
    if isinstance(inner, Mapping):
        inner = inner.get("message") or inner.get("detail") or inner.get("msg") or ""
        inner = error_message(inner) if isinstance(inner, Mapping | list) else inner
    text = str(inner or "")
    return "" if text.lstrip().startswith("<") else text


def error_of(body: object) -> object:
    """Return the innermost error in a body: under `error`, in the first object of a list, or in a text that is such a
    body in JSON."""
    for _ in range(6):  # a list, `error`, its `message`, and the same again if a gateway forwards another error
        if isinstance(body, list):
            body = next((item for item in body if isinstance(item, Mapping)), "; ".join(map(words, body)))
        elif isinstance(body, Mapping) and body.get("error"):
            body = body["error"]
        elif isinstance(inner_body := _embedded_json(body), Mapping | list) and inner_body:
            body = inner_body
        else:
            break
    return body


def _embedded_json(body: object) -> object:
    """Parse JSON embedded in a text or in the message of an error; None if there is none."""
    text = body.get("message") if isinstance(body, Mapping) else body
    if not (isinstance(text, str) and text.lstrip().startswith(("{", "["))):
        return None
    try:
        return parse(text)
    except ValueError:
        return None


def _replace_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode() if not value.isascii() else value
    if isinstance(value, list):
        return [_replace_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_replace_surrogates(key): _replace_surrogates(item) for key, item in value.items()}
    return value
