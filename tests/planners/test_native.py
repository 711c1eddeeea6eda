"""OpenAI's Responses API and Gemini's own, over real HTTP: what is sent, and what is read of what comes back."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest
from endpoint import SCHEMA, WORD, Body, Connection, Endpoint, Way, question, raw, status
from native_bodies import generated, response

from homie.kernel.errors import BadInput, PlannerError
from homie.kernel.interfaces.prompts import Message
from planners.llm.calls import RemoteModel
from planners.llm.messages import Request
from planners.llm.providers.gemini import GeminiModel, GeminiPlanner, GeminiSettings
from planners.llm.providers.responses import ResponsesModel, ResponsesPlanner, ResponsesSettings

PICTURE = np.random.default_rng(7).integers(0, 255, (24, 32, 3), np.uint8)
Make = Callable[..., RemoteModel]


def responses_model(endpoint: Endpoint, **settings: Any) -> RemoteModel:
    return ResponsesModel("m", ResponsesSettings(base_url=endpoint.url, **settings))


def gemini_model(endpoint: Endpoint, **settings: Any) -> RemoteModel:
    return GeminiModel("m", GeminiSettings(base_url=endpoint.url, **settings))


@pytest.fixture(params=[responses_model, gemini_model], ids=["responses", "gemini"])
def make(request: pytest.FixtureRequest) -> Make:
    maker: Make = request.param
    return maker


def says(text: str) -> Way:
    """A good answer in the dialect of the path that was asked."""

    def way(at: Connection, body: Body) -> None:
        at.send(200, response(text) if at.path.endswith("/responses") else generated(text))

    return way


def send(make: Make, request: Request, **settings: object) -> tuple[str, dict[str, str], Body]:
    """Path, headers and body that arrive."""
    with Endpoint(says(WORD)) as endpoint:
        make(endpoint, **settings).complete(request)
        (sent_request,) = endpoint.asked
    return sent_request.path, dict(sent_request.headers), sent_request.body


def pixels(data: str) -> np.ndarray:
    image = cv2.imdecode(np.frombuffer(base64.b64decode(data), np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    return cv2.cvtColor(image, cv2.COLOR_BGR2RGB)


# ------------------------------------------------------------ what is sent


def test_responses_gets_messages_pictures_and_the_schema() -> None:
    path, _, body = send(responses_model, question("Front:", PICTURE, "Well?"), image_detail="low")
    assert path.endswith("/v1/responses") and body["store"] is False
    system, user = body["input"]
    (part,) = system["content"]
    assert (system["role"], part["text"], part["prompt_cache_breakpoint"]) == (
        "system",
        "You answer.",
        {"mode": "explicit"},
    )
    assert body["prompt_cache_key"].startswith("homie-")
    assert [part["type"] for part in user["content"]] == ["input_text", "input_image", "input_text"]
    picture = user["content"][1]
    assert picture["detail"] == "low" and np.array_equal(pixels(picture["image_url"].partition(",")[2]), PICTURE)
    form = body["text"]["format"]
    assert (form["type"], form["schema"]) == ("json_schema", SCHEMA)
    assert (body["temperature"], body["max_output_tokens"]) == (0.0, 2048) and "reasoning" not in body


def test_gemini_gets_contents_pictures_and_the_schema() -> None:
    path, _, body = send(gemini_model, question("Front:", PICTURE, "Well?"), image_detail="low")
    assert path.endswith("/v1/models/m:generateContent")
    assert body["systemInstruction"] == {"parts": [{"text": "You answer."}]}
    (user,) = body["contents"]
    assert user["role"] == "user" and [next(iter(part)) for part in user["parts"]] == ["text", "inlineData", "text"]
    assert np.array_equal(pixels(user["parts"][1]["inlineData"]["data"]), PICTURE)
    config = body["generationConfig"]
    assert (config["responseMimeType"], config["responseJsonSchema"]) == ("application/json", SCHEMA)
    assert (config["mediaResolution"], config["temperature"]) == ("MEDIA_RESOLUTION_LOW", 0.0)
    assert config["maxOutputTokens"] == 2048 and "thinkingConfig" not in config


def test_conversations_keep_their_roles(make: Make) -> None:
    turns = Request((Message("user", ("a",)), Message("assistant", ("b",)), Message("user", ("c",))))
    _, _, body = send(make, turns)
    if make is responses_model:
        texts = [(item["role"], item["content"][0]["type"], item["content"][0]["text"]) for item in body["input"]]
        assert texts == [
            ("user", "input_text", "a"),
            ("assistant", "output_text", "b"),
            ("user", "input_text", "c"),
        ]
    else:
        assert [(item["role"], item["parts"][0]["text"]) for item in body["contents"]] == [
            ("user", "a"),
            ("model", "b"),
            ("user", "c"),
        ]


def test_a_model_that_reasons_gets_its_effort_and_room_and_no_temperature(make: Make) -> None:
    _, _, body = send(make, question(), reasoning="max", reasoning_tokens=100)
    if make is responses_model:
        assert body["reasoning"] == {"effort": "max", "summary": "auto"}
        assert (body["max_output_tokens"], "temperature" in body) == (2148, False)
    else:
        config = body["generationConfig"]
        assert config["thinkingConfig"] == {"includeThoughts": True, "thinkingLevel": "high"}
        assert (config["maxOutputTokens"], "temperature" in config) == (2148, False)


def test_the_key_goes_where_the_api_wants_it_and_into_no_address(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-0123456789")
    path, headers, _ = send(make, question(), api_key_env="MY_KEY")
    name, text = (
        ("authorization", "Bearer sk-0123456789") if make is responses_model else ("x-goog-api-key", "sk-0123456789")
    )
    assert headers[name] == text and "sk-0" not in path


@pytest.mark.parametrize(
    ("planner", "settings", "variable"),
    [(ResponsesPlanner, ResponsesSettings, "OPENAI_API_KEY"), (GeminiPlanner, GeminiSettings, "GEMINI_API_KEY")],
)
def test_without_a_model_or_a_key_it_says_so(
    planner: Any, settings: Any, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable, raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("GOOGLE_GEMINI_BASE_URL", raising=False)
    with pytest.raises(BadInput, match="needs a model"):
        planner("", settings())
    with pytest.raises(BadInput, match=variable):
        planner("m", settings())


# ------------------------------------------------------------ what comes back


def test_an_answer_comes_with_its_reasoning_and_all_its_tokens(make: Make) -> None:
    with Endpoint(says(WORD)) as endpoint:
        reply = make(endpoint).complete(question())
    assert (reply.text, reply.reasoning, reply.finish) == (WORD, "Hm.", "stop")
    assert (reply.input_tokens, reply.output_tokens, reply.cache_read_tokens) == (1300, 20, 1100)
    assert reply.cache_write_tokens == (7 if make is responses_model else 0)


REFUSED = [{"type": "message", "content": [{"type": "refusal", "refusal": "I would rather not."}]}]


@pytest.mark.parametrize(
    ("model", "body", "finish"),
    [
        (responses_model, response("", output=REFUSED), "refusal"),
        (
            responses_model,
            response("{", status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
            "length",
        ),
        (
            responses_model,
            response("{", status="incomplete", incomplete_details={"reason": "content_filter"}),
            "refusal",
        ),
        (responses_model, response("{", status="incomplete"), "unknown"),
        (gemini_model, generated("{", "MAX_TOKENS"), "length"),
        (gemini_model, generated("", "SAFETY"), "refusal"),
        (gemini_model, generated("{", "MALFORMED_FUNCTION_CALL"), "unknown"),
        (gemini_model, generated("", candidates=[], promptFeedback={"blockReason": "SAFETY"}), "refusal"),
        (gemini_model, generated("", candidates=[{"finishReason": "SAFETY"}]), "refusal"),
    ],
)
def test_answers_that_did_not_end_well_are_none(model: Make, body: bytes, finish: str) -> None:
    with Endpoint(raw(body)) as endpoint:
        assert model(endpoint).complete(question()).finish == finish


BROKEN = [b"", b"[]", b"{}", b"<html>", b'{"output": "x"}', b'{"output": [{"content": []}]}', b'{"candidates": 3}']
BROKEN += [b'{"candidates": []}', b'{"candidates": [3]}', b"[" * 5000, response("x", status="cancelled")]


@pytest.mark.parametrize("data", BROKEN, ids=range(len(BROKEN)))
def test_what_is_no_answer_is_sent_for_again(make: Make, data: bytes) -> None:
    with Endpoint(raw(data), says(WORD)) as endpoint:
        assert make(endpoint, backoff=0.01).complete(question()).text == WORD
        assert len(endpoint.asked) == 2


@pytest.mark.parametrize("usage", [None, [], "many", {"input_tokens": 1.5, "promptTokenCount": "x"}])
def test_odd_counts_lose_no_answer(make: Make, usage: object) -> None:
    body = response(WORD, usage=usage) if make is responses_model else generated(WORD, usageMetadata=usage)
    with Endpoint(raw(body)) as endpoint:
        assert make(endpoint).complete(question()).text == WORD


def test_a_schema_that_is_refused_is_asked_for_more_plainly(make: Make) -> None:
    unknown = {
        True: "Invalid parameter: text.format json_schema",
        False: "Unknown name responseJsonSchema, json_schema",
    }
    with Endpoint(status(400, unknown[make is responses_model]), says(WORD)) as endpoint:
        model = make(endpoint)
        with pytest.warns(match="json_schema"):
            assert model.complete(question()).text == WORD
        first, second = (request.body for request in endpoint.asked)
    assert json.dumps(SCHEMA) in json.dumps(first)
    parts = second["input"][-1]["content"] if make is responses_model else second["contents"][-1]["parts"]
    assert "word" in parts[-1]["text"], "the schema is in the question"
    assert model.form == "json_object"


def test_refusals_are_reported_in_the_endpoints_words_and_passing_ones_are_tried_again(make: Make) -> None:
    with Endpoint(status(400, "The picture is too large.")) as endpoint:
        with pytest.raises(PlannerError, match=r"The picture is too large"):
            make(endpoint).complete(question())
        assert len(endpoint.asked) == 1
    with Endpoint(status(503), status(429), says(WORD)) as endpoint:
        assert make(endpoint, backoff=0.01).complete(question()).text == WORD
    with Endpoint(status(404)) as endpoint, pytest.raises(PlannerError, match="has no model 'm'"):
        make(endpoint).complete(question())


def test_it_says_what_it_is_without_the_key(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-0123456789")
    with Endpoint(says(WORD)) as endpoint:
        about = make(endpoint, api_key_env="MY_KEY", image_detail="high").describe()
    assert (about["name"], about["image_detail"], about["structured"]) == ("m", "high", "json_schema")
    assert "sk-0123456789" not in json.dumps(about)
