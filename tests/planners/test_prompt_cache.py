"""What providers keep of a prompt: its fixed part comes first, is the same in every round, and is marked for them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from endpoint import WORD, Body, Connection, Endpoint, chat_model, claude_model, question, raw, says, status

from homie.kernel.errors import PlannerError
from homie.kernel.interfaces.prompts import Message
from homie.kernel.types import VIEWS, Choice, Detection, Feedback, HistoryItem, PlannerInput, Subtask
from planners.llm.calls.remote import RemoteModel
from planners.llm.messages import Request
from planners.llm.prompting.prompt_builder import Prompt
from planners.llm.prompting.settings import PromptSettings
from planners.llm.prompting.templates import built_in, load_template

CHARACTERS = 4.0
"""Characters a token. Tokenizers need fewer for these prompts (3.7 to 3.8 with OpenAI's o200k_base), so that tokens are
rather counted too low."""
LEAST = 1024
"""Tokens that providers keep at least (OpenAI, most models of Claude)."""
SWITCHES = [
    {"template": template, **more}
    for template in built_in()
    for more in ({}, {"names": True}, {"boxes": True}, {"images": False}, {"chat_turns": 2}, {"past_images": 1})
]


def rounds() -> list[PlannerInput]:
    """Two rounds that have nothing in common but what a run has: the task, the actions, the models."""
    views = {view: np.full((64, 64, 3), 10, np.uint8) for view in VIEWS}
    actions = ("Go to", "Pick", "Put", "Open", "Close", "End")
    first = PlannerInput("put the apple in the bowl", 1, views, (), (), (), None, actions, ("classical",))
    failed = Feedback("fail", None, "too far")
    later = replace(
        first,
        round=7,
        views={view: picture + 90 for view, picture in views.items()},
        detections=(Detection("apple", "front", (1, 1, 9, 9)),),
        inventory=("apple",),
        history=(HistoryItem(1, Subtask("Pick", "apple"), failed),),
        feedback=failed,
    )
    return [first, later]


@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_the_fixed_part_of_a_prompt_is_the_same_in_every_round(switches: dict[str, object]) -> None:
    prompt = Prompt(PromptSettings(**switches))
    first, later = (prompt.request(planner_input)[0] for planner_input in rounds())
    assert first.messages[0].role == "system" and first.messages[0] == later.messages[0]
    assert str(first.messages[1:]) != str(later.messages[1:]), "the rounds do differ"
    assert "system" not in {message.role for message in first.messages[1:]}
    assert not any(isinstance(part, np.ndarray) for part in first.messages[0].parts), "pictures come after it"
    assert first.schema == later.schema, "it is a part of what providers keep"


@pytest.mark.parametrize("template", [name for name in built_in() if load_template(name).head.examples])
def test_the_fixed_part_is_long_enough_to_be_kept_with_default_examples(template: str) -> None:
    prompt = Prompt(PromptSettings(template=template))
    names = {name for example in prompt.examples.all for name in example.choices.values()}
    listed = tuple(Choice(name, Subtask("Go to", name)) for name in sorted(names))  # by number where that is asked for
    request, _ = prompt.request(replace(rounds()[0], choices=listed))
    (text,) = request.messages[0].parts
    assert isinstance(text, str) and len(text) / CHARACTERS > LEAST


# ------------------------------------------------------------ marks


def send(model: RemoteModel, endpoint: Endpoint, request: Request) -> Body:
    model.complete(request)
    return endpoint.asked[-1].body


def test_openai_gets_a_mark_and_a_key_for_the_fixed_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-0123456789")
    with Endpoint(says(WORD)) as endpoint:
        model = chat_model(endpoint, provider="openai", api_key_env="MY_KEY")
        first, second = (send(model, endpoint, question(text)) for text in ("Well?", "And now?"))
        other = send(model, endpoint, Request((Message("system", ("Else.",)), Message("user", ("Well?",)))))
        plain = send(
            chat_model(endpoint, provider="openai", api_key_env="MY_KEY", prompt_cache=False), endpoint, question()
        )
        turns = (Message("assistant", ("a",)), Message("user", ("b",)))
        talk = send(model, endpoint, Request((*question().messages, *turns)))
    (part,) = first["messages"][0]["content"]
    assert part == {"type": "text", "text": "You answer.", "prompt_cache_breakpoint": {"mode": "explicit"}}
    assert first["prompt_cache_key"] == second["prompt_cache_key"] != other["prompt_cache_key"]
    assert first["prompt_cache_options"] == {"mode": "explicit"}, "what is asked once is not to be kept"
    assert "prompt_cache_options" not in talk, "a conversation goes on"
    assert plain["messages"][0]["content"] == "You answer." and not [key for key in plain if "cache" in key]


def test_other_endpoints_get_no_marks_that_they_do_not_know() -> None:
    with Endpoint(says(WORD)) as endpoint:
        assert "cache" not in json.dumps(send(chat_model(endpoint), endpoint, question()))
        through = chat_model(endpoint, provider="openrouter", api_key_env="PATH")
        (part,) = send(through, endpoint, question())["messages"][0]["content"]
    assert part["cache_control"] == {"type": "ephemeral"}


def too_old(at: Connection, body: Body) -> None:
    """A model from before the marks."""
    if "prompt_cache" in json.dumps(body):
        status(400, "Unsupported parameter: 'prompt_cache_options' is not supported with this model.")(at, body)
    else:
        says(WORD)(at, body)


def test_marks_that_a_model_does_not_know_are_left_away_for_good_and_cost_no_form(tmp_path) -> None:
    with Endpoint(too_old) as endpoint:
        own = {"provider": "openai", "api_key_env": "PATH", "cache": tmp_path}
        model = chat_model(endpoint, **own)
        assert (model.complete(question()).text, model.form, len(endpoint.asked)) == (WORD, "json_schema", 2)
        assert chat_model(endpoint, **own).complete(question("Else?")).text == WORD
        assert len(endpoint.asked) == 3
    with Endpoint(says(WORD)) as anew:
        here = chat_model(anew, **own)
        here.endpoint.url = endpoint.url
        assert here.complete(question()).cached, "the answer on disk is found with marks and without"
        assert anew.asked == []


# ------------------------------------------------------------ accounts


def test_what_came_from_the_providers_cache_is_reported_and_costs_its_own_price() -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 10}
    usage["prompt_tokens_details"] = {"cached_tokens": 600, "cache_write_tokens": 100}  # type: ignore[assignment]
    body = json.dumps({"choices": [{"message": {"content": "yes"}}], "usage": usage}).encode()
    prices = {"price_input": 2.0, "price_output": 10.0}
    with Endpoint(raw(body)) as endpoint:
        reply = chat_model(endpoint, **prices).complete(question())
        own = {"price_cache_read": 0.2, "price_cache_write": 2.5}
        exact = chat_model(endpoint, **prices, **own).complete(question())
    assert (reply.input_tokens, reply.cache_read_tokens, reply.cache_write_tokens) == (1000, 600, 100)
    assert reply.cost == pytest.approx((1000 * 2 + 10 * 10) / 1e6)
    assert exact.cost == pytest.approx((300 * 2 + 600 * 0.2 + 100 * 2.5 + 10 * 10) / 1e6)


def test_claude_counts_what_it_read_from_its_cache_apart() -> None:
    usage = {
        "input_tokens": 50,
        "output_tokens": 7,
        "cache_read_input_tokens": 1300,
        "cache_creation_input_tokens": None,
    }
    reply_body = {"content": [{"type": "text", "text": "yes"}], "stop_reason": "end_turn", "usage": usage}
    with Endpoint(raw(json.dumps(reply_body).encode())) as endpoint:
        reply = claude_model(endpoint).complete(question(schema=None))
    assert (reply.input_tokens, reply.cache_read_tokens, reply.cache_write_tokens) == (1350, 1300, 0)


def test_low_detail_is_asked_for_where_it_is_wanted() -> None:
    picture = np.zeros((4, 4, 3), np.uint8)
    with Endpoint(says(WORD)) as endpoint:
        for detail in ("low", "auto"):
            send(chat_model(endpoint, image_detail=detail), endpoint, question(picture, "Well?"))
    low, auto = (request.body["messages"][-1]["content"][0]["image_url"] for request in endpoint.asked)
    assert low["detail"] == "low" and "detail" not in auto


def test_a_failure_about_something_else_leaves_the_marks() -> None:
    with Endpoint(status(400, "no such thing"), says(WORD)) as endpoint:
        model = chat_model(endpoint, provider="openrouter", api_key_env="PATH")
        with pytest.raises(PlannerError, match="no such thing"):
            model.complete(question())
        assert "cache_control" in json.dumps(send(model, endpoint, question()))
