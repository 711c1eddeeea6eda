"""Models whose chat template knows no system role (Gemma 2, early Mistral): what the system says goes to the user."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from endpoint import WORD, Body, Connection, Endpoint, chat_model, question, says, status
from text_world import stage

from homie.kernel.errors import PlannerError
from homie.kernel.interfaces.prompts import Message
from homie.runtime.assembly import load_planner
from planners.llm.messages import Request
from planners.llm.providers.gemini import GeminiModel, GeminiSettings

REFUSALS = (
    (400, "System role not supported"),
    (500, "Jinja Exception: System role not supported"),
    (400, "Conversation roles must alternate user/assistant/user/assistant/..."),
    (400, "Only user and assistant roles are supported!"),
    (400, "The model does not support system messages."),
    (422, "Invalid role: system"),
    (400, "Developer instruction is not enabled for models/gemma-3-27b-it"),
)
PICTURE = np.zeros((4, 4, 3), np.uint8)


def gemma(code: int, sentence: str) -> object:
    """An endpoint that refuses a system message, and two messages of a role in a row."""

    def way(at: Connection, body: Body) -> None:
        roles = [message["role"] for message in body["messages"]]
        fits = roles == [("user", "assistant")[place % 2] for place in range(len(roles))]
        (says(WORD) if fits else status(code, sentence))(at, body)

    return way


@pytest.mark.parametrize(("code", "sentence"), REFUSALS)
def test_the_system_message_moves_to_the_user_with_one_warning_and_for_good(code: int, sentence: str) -> None:
    with Endpoint(gemma(code, sentence)) as endpoint:  # type: ignore[arg-type]
        with pytest.warns(UserWarning, match="From now on m gets the system message") as warned:
            reply = chat_model(endpoint).complete(question(PICTURE, "Well?"))
        assert (reply.text, reply.asked, len(warned), len(endpoint.asked)) == (
            WORD,
            "json_schema, no system role",
            1,
            2,
        )
        (message,) = endpoint.asked[1].body["messages"]
        assert message["role"] == "user"
        assert [part.get("text") for part in message["content"]] == ["You answer.", None, "Well?"]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            another = chat_model(endpoint)
            assert another.form == "json_schema", "it is no matter of the form"
            another.complete(question("Well?"))
        assert len(endpoint.asked) == 3 and endpoint.asked[2].body["messages"][0]["content"] == "You answer.\nWell?"
        assert "structured" in another.describe() and another.describe() == chat_model(endpoint).describe()
        with pytest.warns(UserWarning, match="From now on"):
            chat_model(endpoint, "n").complete(question("Well?"))  # other models may know one


def test_a_conversation_keeps_its_turns() -> None:
    turns = (Message("user", ("a",)), Message("assistant", ("b",)), Message("user", ("c",)), Message("user", ("d",)))
    with Endpoint(gemma(400, "Conversation roles must alternate")) as endpoint:  # type: ignore[arg-type]
        with pytest.warns(UserWarning, match="From now on"):
            chat_model(endpoint).complete(Request((Message("system", ("s",)), *turns)))
        messages = endpoint.asked[-1].body["messages"]
    assert [(message["role"], message["content"]) for message in messages] == [
        ("user", "s\na"),
        ("assistant", "b"),
        ("user", "c\nd"),
    ]


def test_what_still_fails_without_a_system_message_is_reported() -> None:
    with Endpoint(status(400, "System role not supported")) as endpoint:
        with (
            pytest.warns(UserWarning, match="From now on"),
            pytest.raises(PlannerError, match="System role not supported"),
        ):
            chat_model(endpoint).complete(question())
        assert len(endpoint.asked) == 2


@pytest.mark.parametrize("sentence", ["File system error", "Unknown role: nobody", "This system is busy"])
def test_other_message_change_nothing(sentence: str) -> None:
    with Endpoint(status(400, sentence)) as endpoint, pytest.raises(PlannerError):
        chat_model(endpoint).complete(question())
    assert len(endpoint.asked) == 1


def test_answers_from_the_cache_are_found_again(tmp_path: Path) -> None:
    with Endpoint(gemma(400, "System role not supported")) as endpoint:  # type: ignore[arg-type]
        with pytest.warns(UserWarning, match="From now on"):
            chat_model(endpoint, cache=tmp_path).complete(question())
        endpoint_of_another_process = chat_model(endpoint, cache=tmp_path)
        endpoint_of_another_process.endpoint.without_system.clear()
        assert endpoint_of_another_process.complete(question()).cached
        assert len(endpoint.asked) == 2


def test_gemini_without_a_developer_instruction() -> None:
    def way(at: Connection, body: Body) -> None:
        if "systemInstruction" in body:
            status(400, "Developer instruction is not enabled for models/gemma-3-1b-it")(at, body)
        else:
            text = {"content": {"parts": [{"text": WORD}]}, "finishReason": "STOP"}
            at.send(200, json.dumps({"candidates": [text]}).encode())

    with Endpoint(way) as endpoint:
        model = GeminiModel("gemma", GeminiSettings(base_url=endpoint.url))
        with pytest.warns(UserWarning, match="part of the first user message"):
            reply = model.complete(question("Well?"))
    assert reply.text == WORD
    assert [part["text"] for part in endpoint.asked[-1].body["contents"][0]["parts"]] == ["You answer.", "Well?"]


def test_an_episode_is_played_with_turns() -> None:
    end = '{"analysis": "a", "subtask": {"action": "%s"%s}, "model": "text"}'
    answers = iter([end % ("Go to", ', "target": "lemon"'), end % ("End", "")])

    def way(at: Connection, body: Body) -> None:
        if any(message["role"] == "system" for message in body["messages"]):
            status(400, "System role not supported")(at, body)
        else:
            says(next(answers))(at, body)

    with Endpoint(way) as endpoint:
        chosen = load_planner("chat:m", {"base_url": endpoint.url, "chat_turns": 3})
        with pytest.warns(UserWarning, match="From now on"):
            result = stage().play("go to the lemon", chosen)
    assert (result.ended_by, result.rounds, len(endpoint.asked)) == ("ended", 2, 3)


# ------------------------------------------------------------ pictures


@pytest.mark.parametrize(
    ("sentence", "advice"),
    [
        ("At most 1 image(s) may be provided in one request.", "raise its limit"),
        ("At most 0 image(s) may be provided in one request.", "only reads text: --set images=false"),
        ("This model supports one image only", "raise its limit"),
        ("image_url is not supported by this model", "only reads text: --set images=false"),
    ],
)
def test_too_many_pictures_are_distinguished_from_pictures_at_all(sentence: str, advice: str) -> None:
    with Endpoint(status(400, sentence)) as endpoint, pytest.raises(PlannerError, match=advice):
        chat_model(endpoint).complete(question(PICTURE, "Well?"))


def test_what_a_server_never_takes_is_not_sent_again_whatever_its_status() -> None:
    """As llama.cpp's server answers to pictures, where its model has no eyes."""
    sentence = "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"
    with Endpoint(status(500, sentence)) as endpoint:
        with pytest.raises(PlannerError, match=r"answers 500: image input .*only reads text: --set images=false"):
            chat_model(endpoint).complete(question(PICTURE, "Well?"))
        assert len(endpoint.asked) == 1
