"""Calls that survive, through the real SDKs and a real server: every case ends as it should, within its time."""

from __future__ import annotations

import asyncio
import json
import random
import time
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from endpoint import (
    HEAD,
    WORD,
    Body,
    Connection,
    Endpoint,
    Way,
    chat_model,
    claude_model,
    cut,
    drips,
    drops,
    hangs,
    question,
    raw,
    says,
    slowly,
    status,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from homie.kernel.errors import BadInput, PlannerError
from planners.llm.calls import EndpointSettings, Failure, RemoteModel
from planners.llm.calls.network_retries import LONGEST, pause
from planners.llm.calls.waits import seconds_after

SLACK = 4.0
"""Seconds that a busy machine may add; what these tests tell apart is further apart."""

FIELDS = ("choices", "message", "content", "finish_reason", "usage", "stop_reason", "type", "text", "input")

Make = Callable[..., RemoteModel]


@pytest.fixture(params=[chat_model, claude_model], ids=["chat", "anthropic"])
def make(request: pytest.FixtureRequest) -> Make:
    maker: Make = request.param
    return maker


class Clock:
    """Seconds of wall clock since it was made."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began


def in_a_second(at: Connection, body: Body) -> None:
    """429 with the date at which to come again: dates have whole seconds, so up to two from now."""
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    status(429, Retry_After=date)(at, body)


def send_bad_gzip(at: Connection, body: Body) -> None:
    at.send(200, b"no gzip", headers={"Content-Encoding": "gzip"})


QUICK = {"backoff": 0.05}

ANSWERED: dict[str, tuple[tuple[Way, ...], dict[str, object], int, float]] = {
    "well": ((says(WORD),), {}, 1, 0.0),
    "slowly": ((slowly(0.5, says(WORD)),), {}, 1, 0.5),
    "after 408": ((status(408), says(WORD)), QUICK, 2, 0.0),
    "after 409": ((status(409), says(WORD)), QUICK, 2, 0.0),
    "after 500 three times": ((status(500),) * 3 + (says(WORD),), QUICK, 4, 0.0),
    "after 503": ((status(503), says(WORD)), QUICK, 2, 0.0),
    "after 429 with seconds": ((status(429, Retry_After="1"), says(WORD)), QUICK, 2, 1.0),
    "after 429 with a date": ((in_a_second, says(WORD)), QUICK, 2, 0.9),
    "after a cut connection": ((cut, says(WORD)), QUICK, 2, 0.0),
    "after a lost connection": ((drops, says(WORD)), QUICK, 2, 0.0),
    "after garbage": ((raw(b'{"choices": ['), says(WORD)), QUICK, 2, 0.0),
    "after a hang": ((hangs, says(WORD)), {**QUICK, "timeout": 0.5}, 2, 0.5),
}


@pytest.mark.parametrize("case", ANSWERED)
def test_it_answers(make: Make, case: str) -> None:
    ways, settings, requests, seconds = ANSWERED[case]
    with Endpoint(*ways) as endpoint:
        model, clock = make(endpoint, **settings), Clock()
        reply = model.complete(question())
        assert seconds <= clock.seconds < seconds + SLACK
        assert (reply.text, reply.finish, len(endpoint.asked)) == (WORD, "stop", requests)
        assert (reply.input_tokens, reply.output_tokens, reply.cost, reply.cached) == (100, 10, 0.0, False)


ONCE = {"retries": 1, "backoff": 0.05}
FAILED: dict[str, tuple[Way, dict[str, object], int, float, str]] = {
    "500": (status(500, "too bad"), ONCE, 2, 0.0, "answers 500: too bad (2 tries"),
    "429": (status(429), ONCE, 2, 0.0, "answers 429"),
    "429 for an hour": (status(429, Retry_After="3600"), {}, 1, 0.0, "asks to wait 3600 s"),
    "no JSON": (raw(b"{]"), ONCE, 2, 0.0, "is not an answer of its API"),
    "other JSON": (raw(b'{"busy": true}'), ONCE, 2, 0.0, "is not an answer of its API"),
    "an error with status 200": (raw(b'{"error": "busy"}'), ONCE, 2, 0.0, "answers with an error: busy (2 tries"),
    "its status inside": (
        raw(b'{"error": {"code": 403, "message": "no credit"}}'),
        ONCE,
        1,
        0.0,
        "refuses the request (403): no credit.",
    ),
    "a passing status inside": (
        raw(b'{"error": {"code": 502, "message": "Provider returned error"}}'),
        ONCE,
        2,
        0.0,
        "answers 502: Provider returned error (2 tries",
    ),
    "HTML": (raw(b"<html>hi", "text/html"), ONCE, 2, 0.0, "is not an answer of its API"),
    "broken gzip": (
        send_bad_gzip,
        ONCE,
        2,
        0.0,
        "sends no answer that can be read: its answer cannot be unpacked (2 tries",
    ),
    "cut": (cut, ONCE, 2, 0.0, "Lost the connection"),
    "gone": (drops, ONCE, 2, 0.0, "Lost the connection"),
    "hang": (hangs, {**ONCE, "timeout": 0.5}, 2, 1.0, "did not finish its answer within 0.5 s (2 tries"),
    "hang until the deadline": (hangs, {"backoff": 0.05, "timeout": 0.6, "deadline": 1.0}, 2, 1.0, "deadline 1 s"),
    "drip of the body": (drips(HEAD + b" " * 5000, 0.02), {"retries": 0, "timeout": 0.7}, 1, 0.7, "did not finish"),
    "drip of the head": (drips(HEAD, 0.1), {"retries": 0, "timeout": 0.7}, 1, 0.7, "did not finish"),
    "401": (status(401, "no"), {}, 1, 0.0, "wants an API key (401): name its variable with --api-key-env."),
    "403": (status(403, "not you"), {}, 1, 0.0, "refuses the request (403): not you."),
    "404": (status(404, "no"), {}, 1, 0.0, "has no model 'm'"),
    "400": (status(400, "too many images"), {}, 1, 0.0, "refuses the request (400): too many images."),
}


@pytest.mark.parametrize("case", FAILED)
def test_it_fails_as_infrastructure_with_one_sentence(make: Make, case: str) -> None:
    way, settings, requests, seconds, message = FAILED[case]
    with Endpoint(way) as endpoint:
        model, clock = make(endpoint, **settings), Clock()
        with pytest.raises(PlannerError) as failure:
            model.complete(question())
        assert seconds <= clock.seconds + 0.01 and clock.seconds < seconds + SLACK
        assert message in str(failure.value) and endpoint.host in str(failure.value)
        assert "\n" not in str(failure.value) and len(str(failure.value)) < 300
        assert len(endpoint.asked) == requests


@pytest.mark.parametrize("finish", ["length", "refusal"])
def test_what_was_cut_off_or_declined_says_so(make: Make, finish: str) -> None:
    with Endpoint(says('{"wor', finish=finish)) as endpoint:
        reply = make(endpoint).complete(question())
        assert (reply.text, reply.finish) == ('{"wor', finish)
        assert len(endpoint.asked) == 1


def test_a_wrong_schema_is_an_answer_and_nothing_to_try_again(make: Make) -> None:
    with Endpoint(says('{"number": 3}')) as endpoint:
        assert make(endpoint).complete(question()).text == '{"number": 3}'
        assert len(endpoint.asked) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=40) | JSON.map(lambda value: json.dumps(value).encode()))
def test_whatever_comes_back_is_an_answer_or_a_failure(make: Make, data: bytes) -> None:
    with Endpoint(raw(data)) as endpoint:
        try:
            text = make(endpoint, retries=0).complete(question()).text
        except PlannerError as failure:
            text = str(failure)
        assert isinstance(text, str)


def test_an_address_where_nobody_is_fails_at_once(make: Make) -> None:
    with Endpoint(says(WORD)) as endpoint:
        pass
    clock = Clock()
    with pytest.raises(PlannerError, match=f"Cannot reach {endpoint.host}: .*refused .*--base-url"):
        make(endpoint, backoff=60.0).complete(question())
    assert clock.seconds < 30.0, "it waited to ask again"


def test_an_endpoint_that_was_there_is_waited_for(make: Make) -> None:
    with Endpoint(says(WORD)) as endpoint:
        model = make(endpoint, retries=2, backoff=0.2)
        model.complete(question())
    with pytest.raises(PlannerError, match=r"Cannot reach .*\(3 tries"):
        model.complete(question())


@pytest.mark.parametrize("way", [hangs, drips(HEAD, 0.05)], ids=["hang", "drip"])
def test_a_call_can_be_made_inside_somebody_elses_event_loop(make: Make, way: Way) -> None:
    async def inside() -> None:
        make(endpoint, retries=0, timeout=0.3).complete(question())

    with Endpoint(way) as endpoint, pytest.raises(PlannerError, match="did not finish"):
        asyncio.run(inside())


# ------------------------------------------------------------ waits


def waits(seed: int, settings: EndpointSettings) -> Iterator[float]:
    rng = random.Random(seed)
    for number in range(1, 12):
        yield pause(number, Failure("no", again=True), settings, rng)


@given(st.integers(0, 2**31), st.floats(0.01, 100.0))
def test_waits_grow_with_jitter_and_are_those_of_the_seed(seed: int, backoff: float) -> None:
    settings = EndpointSettings(backoff=backoff)
    seconds = list(waits(seed, settings))
    assert seconds == list(waits(seed, settings))
    for number, wait in enumerate(seconds):
        longest_wait = min(LONGEST, backoff * 2**number)
        assert longest_wait / 2 <= wait <= longest_wait
    assert list(waits(1, settings)) != list(waits(2, settings))


@given(st.floats(0, 1e6))
def test_the_endpoint_is_never_asked_before_it_wants_to_be(after: float) -> None:
    assert pause(1, Failure("no", again=True, after=after), EndpointSettings(), random.Random(0)) >= after


@given(st.text())
def test_any_retry_after_is_seconds_or_nothing(text: str) -> None:
    seconds = seconds_after(text)
    assert seconds is None or seconds >= 0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("", None),
        ("Fri, 20 Nov 2026 10:00:30 GMT", 30.0),
        ("Friday, 20-Nov-26 10:00:30 GMT", 30.0),
        ("Fri, 20 Nov 2026 09:00:00 GMT", 0.0),
    ],
)
def test_retry_after_in_seconds_and_as_a_date(text: str, seconds: float | None) -> None:
    assert seconds_after(text, datetime(2026, 11, 20, 10, tzinfo=UTC)) == seconds


# ------------------------------------------------------------ money


def test_tokens_cost_what_the_prices_say_and_the_budget_is_kept(make: Make) -> None:
    dollars = {"price_input": 2.0, "price_output": 10.0, "budget": 0.0005}
    with Endpoint(says(WORD, tokens=(100, 10))) as endpoint:
        model = make(endpoint, **dollars)
        assert model.complete(question()).cost == pytest.approx((100 * 2 + 10 * 10) / 1e6)
        model.complete(question())
        with pytest.raises(PlannerError, match=r"budget of the episode is spent: 0\.0006 of 0\.0005 US dollars"):
            model.complete(question())
        assert len(endpoint.asked) == 2
        model.reset(seed=1)
        assert model.complete(question()).cost > 0


def test_a_budget_without_prices_is_refused(make: Make) -> None:
    with pytest.raises(BadInput, match="price_input and price_output"):
        make("http://localhost:1/v1", budget=1.0)


def test_without_prices_the_record_says_that_the_cost_is_not_known(make: Make) -> None:
    assert make("http://localhost:1/v1").describe()["prices"] == "not known: cost counts as 0"
    assert make("http://localhost:1/v1", price_input=1, price_output=2).describe()["prices"] == {
        "input": 1,
        "output": 2,
    }


# ------------------------------------------------------------ keys

SECRET = "sk-really-secret-0123456789"


def echoing(code: int) -> Way:
    """An endpoint that repeats the key it was given."""

    def way(at: Connection, body: Body) -> None:
        key = at.headers.get("authorization") or at.headers.get("x-api-key") or ""
        (says(f'{{"word": "{key}"}}') if code == 200 else status(code, f"response_format: the key {key} is bad"))(
            at, body
        )

    return way


@pytest.mark.parametrize("code", [200, 400, 401, 403, 429, 500])
def test_a_key_is_sent_and_kept_nowhere(
    make: Make, code: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path
) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    caplog.set_level("DEBUG")
    outcome = ""
    with Endpoint(echoing(code)) as endpoint, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        model = make(endpoint, api_key_env="MY_KEY", retries=0, cache=tmp_path / "cache")
        try:
            outcome = repr(model.complete(question()))
        except PlannerError as error:
            outcome = f"{error!r} {error.__cause__!r} {error.__context__!r}"
        headers = endpoint.asked[0].headers
        assert SECRET in headers.get("authorization", "") + headers.get("x-api-key", "")
    files = b"".join(path.read_bytes() for path in (tmp_path / "cache").iterdir())
    everything = outcome + repr(model.describe()) + caplog.text + "".join(str(warning.message) for warning in warned)
    assert outcome
    assert SECRET not in everything and SECRET.encode() not in files


def test_a_missing_key_names_its_variable(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(BadInput, match="localhost:1 needs an API key: set the environment variable MY_KEY"):
        make("http://localhost:1/v1", api_key_env="MY_KEY")


def test_a_key_in_place_of_its_name_is_not_repeated(make: Make) -> None:
    for key in (SECRET, "gsk_lowercase0123", "AIzaSyMixedCase"):
        with pytest.raises(BadInput, match="NAME of an environment variable") as refusal:
            make("http://localhost:1/v1", api_key_env=key)
        assert key not in str(refusal.value)


@pytest.mark.parametrize("url", ["http://me:secret@host/v1", "http://host/v1?key=secret", "http://host/v1#secret"])
def test_an_address_with_a_secret_is_refused_and_not_repeated(make: Make, url: str) -> None:
    with pytest.raises(BadInput, match="plain address") as refusal:
        make(url)
    assert "secret" not in str(refusal.value)


NO_ADDRESSES = (
    *("localhost:8000", "ftp://host/v1", "http://", "http://a b/v1", "http://[x/v1", "x"),
    *("http://host:99999/v1", "http://host:0/v1", "http://[::g]/v1", "http://[1:2]/v1"),
)


@pytest.mark.parametrize("url", NO_ADDRESSES)
def test_what_is_no_address_is_refused(make: Make, url: str) -> None:
    with pytest.raises(BadInput, match="is not an address"):
        make(url)


def test_the_address_may_stand_in_the_environment(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    for vendor in ("OPENAI", "ANTHROPIC"):
        monkeypatch.setenv(f"{vendor}_API_KEY", "sk-of-the-provider")
    with Endpoint(says(WORD)) as endpoint, Endpoint(says(WORD)) as other:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", endpoint.url.removesuffix("/v1"))
        assert make("").complete(question()).text == WORD
        assert "sk-of-the-provider" not in str(endpoint.asked[0].headers)
        make(other).complete(question())
        assert (len(endpoint.asked), len(other.asked)) == (1, 1)


def test_keys_of_providers_go_to_no_other_address(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, SECRET)
    with Endpoint(says(WORD)) as endpoint:
        make(endpoint).complete(question())
        assert SECRET not in repr(endpoint.asked[0])
