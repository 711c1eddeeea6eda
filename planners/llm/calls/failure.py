"""Failures of a request, classified by remedy."""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Mapping

from pydantic import ValidationError

from homie.kernel.support.text import one_line
from planners.llm.calls.body_parsing import error_message
from planners.llm.calls.waits import is_used_up, requested_wait

PASSING = frozenset({408, 409, 425, 429})
"""Transient statuses below 500, after which the same request may succeed (RFC 9110, RFC 6585)."""
_FORM_ERROR = re.compile(
    r"response.?(format|schema|mime)|(json|output).?schema|json.?(mode|object)|structured.?output|guided|grammar"
    r"|output_config\.format|tool_choice|\btools?\b",
    re.IGNORECASE,
)
"""Errors of endpoints that do not support the requested answer form."""
_FORM_PARAMETER = re.compile(r"response_format|tool_choice|responseJsonSchema|text\.format")
"""The same for statuses from 500 on, which mean a server fault unless they name the parameter itself.
llama-cpp-python answers so if it does not support a `response_format`."""
_LENGTH_ERROR = re.compile(
    r"context.?(length|window|size)|(prompt|input|request|message|image)s?\b.{0,20}\btoo (long|large|big|many)"
    r"|\btokens\b|too many (images|requests)|quota|credit|rate.?limit",
    re.IGNORECASE,
)
"""Errors about a request that is too large in any form; adding the schema to the prompt would not help."""
_PERMANENT_ERROR = re.compile(r"\b(?:not|n't|un|isn.t)\s?(?:supported|implemented)\b", re.IGNORECASE)
"""Permanent errors with a status of 500 and above (llama.cpp: pictures)."""


class Failure(Exception):
    """A request without an answer. The message is one sentence.

    Args:
        again: Whether the same request may succeed later.
        after: Seconds that the endpoint asks to wait.
        form: Whether the endpoint does not support the requested answer form.
        answered: Whether the endpoint responded.
    """

    def __init__(
        self, sentence: str, *, again: bool, after: float | None = None, form: bool = False, answered: bool = True
    ) -> None:
        super().__init__(sentence)
        self.again = again
        self.after = after
        self.form = form
        self.answered = answered


def status_failure(
    host: str, status: int, headers: Mapping[str, str], body: object, *, key: str = "", hint: str = ""
) -> Failure:
    """Return the failure for an HTTP status.

    Args:
        host: Host of the endpoint.
        status: The HTTP status, 400 or more.
        headers: Of the response; they may contain a time to wait.
        body: Of the response, JSON or text. Long error messages are cut.
        key: The API key, removed from messages.
        hint: Advice to append to the endpoint's message, "" for none.
    """
    message = hide_key(error_message(body), key)
    words = (": " + one_line(message) if message.strip() else "") + hint
    if status in PASSING or status >= 500:
        wait_seconds = requested_wait(headers, body)
        if is_used_up(body, wait_seconds):
            used_up = f"{words} (the quota is used up, so that waiting does not help)"
            return Failure(f"{host} refuses the request ({status}){used_up}", again=False)
        is_retryable = not (status >= 500 and _PERMANENT_ERROR.search(message))
        return Failure(
            f"{host} answers {status}{words}", again=is_retryable, after=wait_seconds, form=about_form(message, status)
        )
    return Failure(f"{host} refuses the request ({status}){words}", again=False, form=about_form(message, status))


def about_form(message: str, status: int = 400) -> bool:
    """Return whether the error of an endpoint is only about the requested answer form."""
    if status in PASSING or about_length(message):
        return False
    return bool((_FORM_PARAMETER if status >= 500 else _FORM_ERROR).search(message))


def about_length(message: str) -> bool:
    """Return whether the error of an endpoint is about length or quantity."""
    return bool(_LENGTH_ERROR.search(message))


def hide_key(text: str, key: str) -> str:
    """Return a text with the API key replaced by `[key]`."""
    return text.replace(key, "[key]") if key else text


_KINDS: Mapping[type, str] = {
    type(None): "null",
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "an object",
}


def not_json(text: str) -> str:
    """Describe a body that is not JSON."""
    begins = text.lstrip("\ufeff \t\r\n")[:20].lower()
    if not begins:
        return "it is empty"
    if begins.startswith("<"):
        return "it is a web page"
    if begins.startswith(("data:", "event:", ": ", "id:")):
        return "it is a stream of events, which was not asked for: switch streaming off in the server or gateway"
    return "it is not JSON"


def describe_invalid_field(error: ValidationError) -> str:
    """Describe the first field of a body that violates the API."""
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    if first["type"] == "missing":
        return f"'{place}' is missing"
    if first["type"] == "too_short":
        return f"'{place}' is empty"
    if not place:
        return "it is not a JSON object"
    kind = _KINDS.get(type(first["input"]), "no value of its kind")
    return f"'{place}' is {kind}"


def innermost(error: BaseException) -> BaseException:
    """Return the root cause of a chain of exceptions."""
    while inner := error.__cause__ or error.__context__ or next(iter(getattr(error, "exceptions", ())), None):
        error = inner
    return error


def reason(error: BaseException) -> str:
    """Return the root cause in a line: `Connection refused`, `Name or service not known`."""
    error = innermost(error)
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno) if error.errno > 0 else str(error.strerror)
    return " ".join(str(error).split()) or type(error).__name__


def describe_tls_error(error: ssl.SSLError) -> str:
    """Describe a TLS error and possible remedies. Its error numbers are not those of the system."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"{error.verify_message} (for a certificate of your own name its file in SSL_CERT_FILE)"
    words = (error.reason or "the handshake failed").replace("_", " ").lower()
    return f"{words} (does it speak http:// and not https://?)"
