"""Failures of one request, classified by what helps."""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Mapping

from pydantic import ValidationError

from homie.kernel.support.text import one_line
from planners.llm.calls.body_parsing import error_message
from planners.llm.calls.waits import is_used_up, wait_asked

PASSING = frozenset({408, 409, 425, 429})
"""Statuses below 500 after which the same request may succeed (RFC 9110, RFC 6585)."""
_ABOUT_FORM = re.compile(
    r"response.?(format|schema|mime)|(json|output).?schema|json.?(mode|object)|structured.?output|guided|grammar"
    r"|output_config\.format|tool_choice|\btools?\b",
    re.IGNORECASE,
)
"""The error of an endpoint that does not know the form in which the answer was wanted."""
_ITS_PARAMETER = re.compile(r"response_format|tool_choice|responseJsonSchema|text\.format")
"""The same for statuses from 500 on: they mean a server that broke, unless they name the very parameter.
llama-cpp-python answers so where it does not know a `response_format`."""
_ABOUT_LENGTH = re.compile(
    r"context.?(length|window|size)|(prompt|input|request|message|image)s?\b.{0,20}\btoo (long|large|big|many)"
    r"|\btokens\b|too many (images|requests)|quota|credit|rate.?limit",
    re.IGNORECASE,
)
"""Messages about a request that is too large in any form; a longer question would not help."""
_NEVER = re.compile(r"\b(?:not|n't|un|isn.t)\s?(?:supported|implemented)\b", re.IGNORECASE)
"""Messages with a status of 500 and above that a retry would not change (llama.cpp: pictures)."""


class Failure(Exception):
    """A request that brought no answer. The message is one sentence.

    Args:
        again: The same request may succeed later.
        after: Seconds that the endpoint asks to wait.
        form: It does not know the form in which the answer was wanted.
        answered: The endpoint is alive and said so.
    """

    def __init__(
        self, sentence: str, *, again: bool, after: float | None = None, form: bool = False, answered: bool = True
    ) -> None:
        super().__init__(sentence)
        self.again = again
        self.after = after
        self.form = form
        self.answered = answered


def of_status(
    host: str, status: int, headers: Mapping[str, str], body: object, *, key: str = "", hint: str = ""
) -> Failure:
    """The failure that an HTTP status means.

    Args:
        host: Who answers so.
        status: The HTTP status, 400 or more.
        headers: Of the response; they may say when to ask again.
        body: Of the response, JSON or a text, with the endpoint's own words. Long ones are cut.
        key: The API key, which must not be repeated.
        hint: What may help, behind its words; "" for nothing.
    """
    message = scrubbed(error_message(body), key)
    words = (": " + one_line(message) if message.strip() else "") + hint
    if status in PASSING or status >= 500:
        wait_seconds = wait_asked(headers, body)
        if is_used_up(body, wait_seconds):
            used_up = f"{words} (the quota is used up, so that waiting does not help)"
            return Failure(f"{host} refuses the request ({status}){used_up}", again=False)
        is_retryable = not (status >= 500 and _NEVER.search(message))
        return Failure(
            f"{host} answers {status}{words}", again=is_retryable, after=wait_seconds, form=about_form(message, status)
        )
    return Failure(f"{host} refuses the request ({status}){words}", again=False, form=about_form(message, status))


def about_form(message: str, status: int = 400) -> bool:
    """Whether the error of an endpoint is about the form in which the answer is wanted, and of nothing else."""
    if status in PASSING or about_length(message):
        return False
    return bool((_ITS_PARAMETER if status >= 500 else _ABOUT_FORM).search(message))


def about_length(message: str) -> bool:
    """Whether the error of an endpoint says that something is too long or too much."""
    return bool(_ABOUT_LENGTH.search(message))


def scrubbed(text: str, key: str) -> str:
    """A text without the API key."""
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
    """What a body is that is not JSON."""
    begins = text.lstrip("\ufeff \t\r\n")[:20].lower()
    if not begins:
        return "it is empty"
    if begins.startswith("<"):
        return "it is a web page"
    if begins.startswith(("data:", "event:", ": ", "id:")):
        return "it is a stream of events, which was not asked for: switch streaming off in the server or gateway"
    return "it is not JSON"


def misshapen(error: ValidationError) -> str:
    """The first place in a body that is not as the API has it."""
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
    """The error that began a chain of them."""
    while inner := error.__cause__ or error.__context__ or next(iter(getattr(error, "exceptions", ())), None):
        error = inner
    return error


def reason(error: BaseException) -> str:
    """The innermost reason in a line: `Connection refused`, `Name or service not known`."""
    error = innermost(error)
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno) if error.errno > 0 else str(error.strerror)
    return " ".join(str(error).split()) or type(error).__name__


def of_tls(error: ssl.SSLError) -> str:
    """What went wrong with a secure connection, and what may help. Its error numbers are not those of the system."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"{error.verify_message} (for a certificate of your own name its file in SSL_CERT_FILE)"
    words = (error.reason or "the handshake failed").replace("_", " ").lower()
    return f"{words} (does it speak http:// and not https://?)"
