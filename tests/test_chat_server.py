"""`homie.testing.ChatServer`: an endpoint whose model is a function."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import homie
from homie.testing import ChatServer

pytest.importorskip("openai")


def post(url: str, body: object) -> Any:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def request_body(text: str) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text}]}


def test_a_planner_asks_it_and_is_shown_what_the_function_says() -> None:
    steps = iter(({"action": "Go to", "target": "table"}, {"action": "End"}))
    with ChatServer(lambda messages: json.dumps({"analysis": "", "subtask": next(steps), "model": "ideal"})) as server:
        options = {"planner": "chat:any", "planner_settings": {"base_url": server.url}}
        with homie.open(**options, seed=3, skills="ideal", rooms=2, objects=4, picture_size=64) as session:
            rounds = [str(round) for round in session.rounds("go to the table")]
    assert rounds == ["round 1: [Go to, table] ok", "round 2: [End] ok"]
    prompts = [json.dumps(request["messages"]) for request in server.requests]
    assert "Task: go to the table" in prompts[0] and "(1) [Go to, table](success)" in prompts[1]


def test_several_clients_are_answered_at_once() -> None:
    with ChatServer(lambda messages: messages[0]["content"].upper()) as server, ThreadPoolExecutor(8) as clients:
        url = f"{server.url}/chat/completions"
        answers = list(clients.map(lambda n: post(url, request_body(f"word {n}")), range(24)))
    assert [answer["choices"][0]["message"]["content"] for answer in answers] == [f"WORD {n}" for n in range(24)]
    assert len(server.requests) == 24 and all(answer["usage"]["total_tokens"] > 0 for answer in answers)


def test_a_model_that_raises_and_a_path_that_is_not_there_are_reported_to_the_client() -> None:
    def broken(messages: object) -> str:
        raise KeyError("plan")

    with ChatServer(broken) as server:
        for path, status, says in (("chat/completions", 500, "KeyError: 'plan'"), ("responses", 404, "/v1/responses")):
            with pytest.raises(urllib.error.HTTPError) as excinfo:
                post(f"{server.url}/{path}", request_body("hello"))
            assert excinfo.value.code == status and says in json.load(excinfo.value)["error"]["message"]
    with pytest.raises(urllib.error.URLError):
        post(f"{server.url}/chat/completions", request_body("hello"))
