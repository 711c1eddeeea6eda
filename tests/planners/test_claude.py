"""Claude's Messages API: a decision is the input of a tool."""

from __future__ import annotations

import base64
import json

import cv2
import numpy as np
import pytest
from endpoint import SCHEMA, WORD, Body, Connection, Endpoint, claude_model, question, says, status

from homie.kernel.errors import BadInput
from homie.kernel.interfaces.prompts import Message
from planners.llm.messages import Request
from planners.llm.providers.claude import ClaudePlanner, ClaudeSettings

PICTURE = np.random.default_rng(7).integers(0, 255, (24, 32, 3), np.uint8)


def send(request: Request, **settings: object) -> Body:
    """The body that arrives at the endpoint."""
    with Endpoint(says(WORD)) as endpoint:
        claude_model(endpoint, **settings).complete(request)
        (sent_request,) = endpoint.asked
        assert sent_request.path.endswith("/v1/messages") and sent_request.headers["anthropic-version"]
        return sent_request.body


def test_system_texts_and_images_are_where_the_api_wants_them() -> None:
    body = send(question("Front:", PICTURE, "Well?"))
    assert (body["model"], body["max_tokens"]) == ("m", 2048)
    assert body["system"] == [{"type": "text", "text": "You answer.", "cache_control": {"type": "ephemeral"}}]
    assert send(question("Well?"), prompt_cache=False)["system"] == "You answer."
    (user,) = body["messages"]
    assert user["role"] == "user"
    assert [block["type"] for block in user["content"]] == ["text", "image", "text"]
    source = user["content"][1]["source"]
    assert (source["type"], source["media_type"]) == ("base64", "image/png")
    image = cv2.imdecode(np.frombuffer(base64.b64decode(source["data"]), np.uint8), cv2.IMREAD_COLOR)
    assert np.array_equal(cv2.cvtColor(image, cv2.COLOR_BGR2RGB), PICTURE)


def test_the_decision_is_the_input_of_a_tool_that_has_to_be_used() -> None:
    body = send(question())
    (tool,) = body["tools"]
    assert (tool["name"], tool["input_schema"]) == ("decision", SCHEMA)
    assert (body["tool_choice"]["type"], body["tool_choice"]["name"]) == ("tool", "decision")
    assert "thinking" not in body


def test_free_text_needs_no_tool_and_conversations_keep_their_roles() -> None:
    conversation = (Message("user", ("a",)), Message("assistant", ("b",)), Message("user", ("c",)))
    body = send(Request(conversation))
    assert "tools" not in body and "system" not in body
    assert [(message["role"], message["content"]) for message in body["messages"]] == [
        ("user", "a"),
        ("assistant", "b"),
        ("user", "c"),
    ]


def test_a_model_that_thinks_is_offered_the_tool_and_its_thoughts_are_kept() -> None:
    with Endpoint(says(WORD, thought="hm")) as endpoint:
        model = claude_model(endpoint, reasoning="high", max_tokens=100, reasoning_tokens=900)
        reply = model.complete(question())
        body = endpoint.asked[0].body
    assert (body["thinking"]["type"], body["output_config"], body["max_tokens"]) == (
        "adaptive",
        {"effort": "high"},
        1000,
    )
    assert body["tool_choice"]["type"] == "auto" and body["tools"]
    assert (reply.text, reply.reasoning) == (WORD, "hm")
    assert send(question(), reasoning="minimal")["output_config"] == {"effort": "low"}, "it knows no `minimal`"


def test_a_tool_that_was_only_offered_counts_where_it_was_used() -> None:
    def way(at: Connection, body: Body) -> None:
        blocks = [
            {"type": "text", "text": "Let me see."},
            {"type": "tool_use", "id": "t", "name": "decision", "input": {"word": "don't"}},
        ]
        usage = {"input_tokens": 3, "output_tokens": 4}
        at.send(200, json.dumps({"content": blocks, "stop_reason": "tool_use", "usage": usage}).encode())

    with Endpoint(way) as endpoint:
        reply = claude_model(endpoint, reasoning="low").complete(question())
    assert json.loads(reply.text) == {"word": "don't"}
    assert (reply.input_tokens, reply.output_tokens) == (3, 4)


def refuses_tools(at: Connection, body: Body) -> None:
    """An endpoint behind Claude's API that has no tools."""
    (status(400, "tools are not supported") if "tools" in body else says(WORD))(at, body)


def test_refused_tools_are_left_for_text_with_a_warning_and_for_good() -> None:
    with Endpoint(refuses_tools) as endpoint:
        with pytest.warns(UserWarning, match="From now on m is asked with"):
            assert claude_model(endpoint).complete(question()).text == WORD
        assert len(endpoint.asked) == 3
        body = endpoint.asked[-1].body
        assert json.dumps(SCHEMA) in body["messages"][-1]["content"]
        claude_model(endpoint).complete(question(PICTURE, "Well?"))
        assert json.dumps(SCHEMA) in endpoint.asked[-1].body["messages"][-1]["content"][-1]["text"]
        assert len(endpoint.asked) == 4


def test_an_overloaded_api_is_asked_again() -> None:
    with Endpoint(status(529, "Overloaded"), says(WORD)) as endpoint:
        assert claude_model(endpoint, backoff=0.05).complete(question()).text == WORD


def test_what_is_missing_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "another secret")
    with pytest.raises(BadInput, match=r"api\.anthropic\.com needs an API key: .* ANTHROPIC_API_KEY"):
        ClaudePlanner("claude", ClaudeSettings())
    with pytest.raises(BadInput, match="--planner anthropic:MODEL"):
        ClaudePlanner("", ClaudeSettings())
