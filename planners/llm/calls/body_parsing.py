"""Reading bodies of endpoints: strict about the answer, lenient about everything next to it.

An answer must not be lost to a count with a fraction, a reasoning in parts or half a surrogate pair.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

from homie.kernel.support.documents import parse_json


def parse(text: str) -> Any:
    """JSON as Python reads it, without a byte order mark, halves of surrogate pairs as `?`. Raises ValueError."""
    return _whole(parse_json(text, lax=True))


def words(value: object) -> str:
    """What a text is, a list of its parts, or an object around it; "" for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return "\n".join(part for part in map(words, value) if part)
    if isinstance(value, Mapping):
        return next((text for key in ("text", "content", "thinking", "summary") if (text := words(value.get(key)))), "")
    return ""


def count(value: object) -> int:
    """A number of tokens; 0 for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0
    return max(0, round(value))


def a_mapping(value: object) -> object:
    """A mapping as it is, {} for anything else: the fields next to an answer are optional."""
    return value if isinstance(value, Mapping) else {}


Words = Annotated[str, BeforeValidator(words)]
Count = Annotated[int, BeforeValidator(count)]


def error_message(body: object) -> str:
    """The endpoint's own words in the body of an error: `error.message` (OpenAI, Anthropic, Google), `detail`
    (FastAPI), a text; "" for a page for a browser."""
    inner = error_of(body)
    if isinstance(inner, Mapping):
        inner = inner.get("message") or inner.get("detail") or inner.get("msg") or ""
        inner = error_message(inner) if isinstance(inner, Mapping | list) else inner
    text = str(inner or "")
    return "" if text.lstrip().startswith("<") else text


def error_of(body: object) -> object:
    """What the body of an error says of it: what stands under `error`, in the body, in the first object of a list of
    them, or in a text that is such a body itself."""
    for _ in range(6):  # a list, `error`, its `message`, and the same once more from behind a gateway
        if isinstance(body, list):
            body = next((item for item in body if isinstance(item, Mapping)), "; ".join(map(words, body)))
        elif isinstance(body, Mapping) and body.get("error"):
            body = body["error"]
        elif isinstance(held := _held(body), Mapping | list) and held:
            body = held
        else:
            break
    return body


def _held(body: object) -> object:
    """The JSON in a text, or in the message of an error; None where there is none."""
    text = body.get("message") if isinstance(body, Mapping) else body
    if not (isinstance(text, str) and text.lstrip().startswith(("{", "["))):
        return None
    try:
        return parse(text)
    except ValueError:
        return None


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode() if not value.isascii() else value
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return value
