"""How long endpoints ask to wait, in all the places where they say it; bodies as the vendors send them."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from endpoint import WORD, Connection, Endpoint, Way, chat_model, claude_model, question, says
from hypothesis import given
from hypothesis import strategies as st

from homie.kernel.errors import PlannerError
from planners.llm.calls import RemoteModel
from planners.llm.calls.waits import duration, is_used_up, requested_wait
from planners.llm.providers.gemini import GeminiModel, GeminiSettings

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)


def google(*details: object, message: str = "quota", listed: bool = False) -> Any:
    body = {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": message, "details": list(details)}}
    return [body] if listed else body


def retry_info(delay: object) -> dict[str, object]:
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}


def quota(name: str) -> dict[str, object]:
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": name}]}


def error_body(message: str) -> Any:
    return {"error": {"message": message, "type": "requests"}}


PER_MINUTE = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"
PER_DAY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"

ASKED: dict[str, tuple[dict[str, str], Any, float | None]] = {
    "nothing": ({}, error_body("Slow down."), None),
    "seconds": ({"retry-after": "7"}, None, 7.0),
    "a fraction": ({"retry-after": "0.5"}, None, 0.5),
    "a negative number": ({"retry-after": "-3"}, None, 0.0),
    "a date": ({"retry-after": "Fri, 20 Nov 2026 10:00:30 GMT"}, None, 30.0),
    "a duration in the header": ({"retry-after": "1m30s"}, None, 90.0),
    "milliseconds": ({"retry-after-ms": "6000"}, None, 6.0),
    "milliseconds are finer": ({"retry-after-ms": "6200", "retry-after": "7"}, None, 6.2),
    "odd milliseconds": ({"retry-after-ms": "soon", "retry-after": "7"}, None, 7.0),
    "retryDelay": ({}, google(retry_info("6s")), 6.0),
    "retryDelay in a list": ({}, google(retry_info("34.07s"), listed=True), 34.07),
    "retryDelay in parts": ({}, google(retry_info({"seconds": 5, "nanos": 500_000_000})), 5.5),
    "retryDelay beside a quota a minute": ({}, google(quota(PER_MINUTE), retry_info("20s")), 20.0),
    "a body in a message": ({}, {"error": {"message": json.dumps(google(retry_info("8s")))}}, 8.0),
    "a body as text": ({}, json.dumps(google(retry_info("9s"))), 9.0),
    "details that are none": ({}, {"error": {"details": "6s", "message": "no"}}, None),
    "OpenRouter": ({}, {"error": {"message": "no", "metadata": {"retry_after": 3}}}, 3.0),
    "Groq": ({}, error_body("Rate limit reached: Limit 6000, Used 5900. Please try again in 6.5s. Visit x.com."), 6.5),
    "Groq, long": ({}, error_body("on tokens per day (TPD): Limit 100000. Please try again in 1m30s."), 90.0),
    "Groq, with a fraction": ({}, error_body("Please try again in 12m3.456s."), 723.456),
    "Azure": ({}, error_body("exceeded token rate limit. Please retry after 20 seconds. Go to y."), 20.0),
    "Google in words": ({}, error_body("limit: 5\nPlease retry in 12.345678s."), 12.345678),
    "OpenAI": ({}, error_body("Rate limit reached for gpt. Please try again in 250ms."), 0.25),
    "in hours": ({}, error_body("try again in 2 hours and 5 minutes"), 7500.0),
    "a bare number": ({}, error_body("Rate limited, retry after: 11"), 11.0),
    "wait": ({}, error_body("Please wait 15 seconds before trying again"), 15.0),
    "a rate is not a wait": ({}, error_body("Limit 20 requests per 1 minute. Try again later."), None),
    "attempts are not a wait": ({}, error_body("We retry after 3 attempts."), None),
    "the longer of two": ({"retry-after": "1"}, google(retry_info("6s")), 6.0),
    "a reset": ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s"}, None, 1.0),
    "the reset of what is used up": (
        {
            "x-ratelimit-reset-requests": "1s",
            "x-ratelimit-remaining-requests": "3",
            "x-ratelimit-reset-tokens": "6m0s",
            "x-ratelimit-remaining-tokens": "0",
        },
        None,
        360.0,
    ),
    "a reset since 1970": ({"x-ratelimit-reset": str(int(NOW.timestamp()) + 12)}, None, 12.0),
    "in milliseconds": ({"x-ratelimit-reset": str((int(NOW.timestamp()) + 12) * 1000)}, None, 12.0),
    "a reset as a date": ({"anthropic-ratelimit-requests-reset": "2026-11-20T10:00:09Z"}, None, 9.0),
    "the header goes before the reset": ({"retry-after": "2", "x-ratelimit-reset-requests": "9s"}, None, 2.0),
}


@pytest.mark.parametrize("case", ASKED)
def test_a_wait_is_found_wherever_it_is_given(case: str) -> None:
    headers, body, seconds = ASKED[case]
    assert requested_wait(headers, body, NOW) == (seconds if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("body", "used_up"),
    [
        ({"error": {"code": "insufficient_quota", "message": "You exceeded your current quota."}}, True),
        ({"code": "insufficient_quota", "message": "as the SDK hands it on"}, True),
        (google(quota(PER_DAY), retry_info("20s")), True),
        (google(quota(PER_MINUTE), retry_info("20s")), False),
        (error_body("Free tier: 50 requests per day are used up."), True),
        (error_body("on tokens per day. Please try again in 6.5s."), False),
        (error_body("Slow down."), False),
        ("busy", False),
        (None, False),
    ],
)
def test_a_quota_of_the_day_is_distinguished_from_one_of_the_minute(body: Any, used_up: bool) -> None:
    assert is_used_up(body, requested_wait({}, body)) is used_up


@given(st.text())
def test_any_text_is_a_duration_or_none(text: str) -> None:
    seconds = duration(text)
    assert seconds is None or seconds >= 0
    wait = requested_wait({"retry-after-ms": text, "x-ratelimit-reset": text}, text)
    assert wait is None or wait >= 0


# ------------------------------------------------------------ calls


def busy(body: Any, **headers: str) -> Way:
    data = json.dumps(body).encode()

    def way(at: Connection, _: object) -> None:
        at.send(429, data, headers={name.replace("_", "-"): value for name, value in headers.items()})

    return way


def gemini_model(endpoint: Endpoint, **settings: Any) -> RemoteModel:
    return GeminiModel("m", GeminiSettings(**{"base_url": endpoint.url, **settings}))


@pytest.mark.parametrize(
    ("way", "seconds"),
    [
        (busy(google(retry_info("0.4s"), listed=True)), 0.4),
        (busy(error_body("busy"), retry_after_ms="400"), 0.4),
        (busy(error_body("Please try again in 400ms.")), 0.4),
    ],
)
@pytest.mark.parametrize("make", [chat_model, claude_model])
def test_the_second_request_comes_when_it_is_asked_for(make: Any, way: Way, seconds: float) -> None:
    with Endpoint(way, says(WORD)) as endpoint:
        start = time.monotonic()
        assert make(endpoint, backoff=0.01).complete(question()).text == WORD
        assert time.monotonic() - start >= seconds


@pytest.mark.parametrize("make", [chat_model, claude_model, gemini_model])
def test_after_the_last_try_the_wait_is_reported_and_no_body_is_shown(make: Any) -> None:
    with Endpoint(busy(google(retry_info("0.2s"), listed=True))) as endpoint, pytest.raises(PlannerError) as error:
        make(endpoint, backoff=0.01, retries=1).complete(question())
    assert str(error.value).endswith("answers 429: quota (2 tries, deadline 180 s; it asks to wait 1 s).")


def test_a_wait_beyond_the_deadline_ends_at_once() -> None:
    with Endpoint(busy(google(retry_info("3600s")))) as endpoint:
        with pytest.raises(PlannerError, match=r"\(1 try, deadline 180 s; it asks to wait 3600 s\)"):
            chat_model(endpoint).complete(question())
        assert len(endpoint.asked) == 1


@pytest.mark.parametrize("make", [chat_model, gemini_model])
def test_a_quota_that_is_used_up_for_the_day_ends_at_once(make: Any) -> None:
    with Endpoint(busy(google(quota(PER_DAY), retry_info("0.1s")))) as endpoint:
        with pytest.raises(PlannerError, match="the quota is used up, so that waiting does not help"):
            make(endpoint).complete(question())
        assert len(endpoint.asked) == 1
