"""Answers that are not where the API has them, replies without an answer, and messages for the user about both."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from endpoint import Body, Connection, Endpoint, Way, raw

from homie.kernel.errors import PlannerError
from homie.kernel.types import VIEWS, Decision, PlannerInput, Subtask
from homie.runtime.assembly import load_planner

ACTIONS = ("Go to", "Pick", "Put", "Open", "Close", "End")
VIEWS_NOW = {view: np.zeros((32, 32, 3), np.uint8) for view in VIEWS}
GIVEN = PlannerInput("put the apple in the bowl", 1, VIEWS_NOW, (), (), (), None, ACTIONS, ("text",))
DECIDED = {"analysis": "Because.", "subtask": {"action": "Pick", "target": "apple"}, "model": "text"}
WHOLE = json.dumps(DECIDED)
LABELLED = "Analysis: Because.\nSubtask: [Pick, apple]\nModel: text"
PICK = Subtask("Pick", "apple")
PICKS = {"name": "Pick", "arguments": '{"target": "apple"}'}


def message(finish: str | None = "stop", **fields: Any) -> bytes:
    """A chat completion with these fields of its message."""
    return json.dumps({"choices": [{"index": 0, "finish_reason": finish, "message": fields}]}).encode()


def call_message(name: str, arguments: object) -> dict[str, Any]:
    return {"tool_calls": [{"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}]}


def decide_with(planner: str, body: bytes | Way, **settings: object) -> Decision:
    """What a planner decides whose endpoint always answers so."""
    way = raw(body) if isinstance(body, bytes) else body
    with Endpoint(way) as endpoint, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        url = endpoint.url.removesuffix("/v1") if planner == "anthropic" else endpoint.url
        model_planner = load_planner(
            f"{planner}:m", {"base_url": url, "reasks": 0, "retries": 0, "examples": 0, **settings}
        )
        model_planner.reset("a task", seed=1)
        return model_planner.decide(GIVEN)


# ------------------------------------------------------------ read

READ: dict[str, tuple[bytes, str]] = {
    "reasoning_content": (message(content=None, reasoning_content=WHOLE), "beside"),
    "reasoning": (message(content="", reasoning=WHOLE), "beside"),
    "reasoning behind a line break": (message(content="\n\n", reasoning_content=f"\n{WHOLE}\n"), "beside"),
    "reasoning in a fence": (message(content=None, reasoning=f"```json\n{WHOLE}\n```"), "beside"),
    "an object": (message(content=DECIDED), "beside"),
    "a part with an object": (message(content=[{"type": "output_json", "json": DECIDED}]), "beside"),
    "a list with the object": (message(content=[DECIDED]), "beside"),
    "parts": (message(content=[{"type": "text", "text": WHOLE[:20]}, {"type": "text", "text": WHOLE[20:]}]), ""),
    "a part of output text": (message(content=[{"type": "output_text", "text": WHOLE, "annotations": []}]), ""),
    "a text in an object": (message(content={"type": "text", "text": {"value": WHOLE}}), ""),
    "thoughts in parts": (
        message(content=[{"type": "thinking", "thinking": "{}"}, {"type": "text", "text": WHOLE}]),
        "",
    ),
    "a call": (message("tool_calls", content=None, **call_message("answer", WHOLE)), "tool-call"),
    "a call with an object": (message("tool_calls", content="", **call_message("decision", DECIDED)), "tool-call"),
    "a call of the action": (
        message("tool_calls", content=None, **call_message("Pick", '{"target": "apple"}')),
        "tool-call",
    ),
    "a call, said to have stopped": (message("stop", content=None, **call_message("answer", WHOLE)), "tool-call"),
    "the old call": (message("function_call", content=None, function_call={"name": "f", "arguments": WHOLE}), "tool-"),
    "a call in a part": (message(content=[{"type": "tool_use", "name": "answer", "input": DECIDED}]), "tool-call"),
    "the same in both": (message("tool_calls", content=WHOLE, **call_message("answer", WHOLE)), "repeated"),
    "ends with tool_calls": (message("tool_calls", content=WHOLE), "odd-end"),
    "ends with function_call": (message("function_call", content=WHOLE), "odd-end"),
    "ends in a new way": (message("moon", content=WHOLE), "odd-end"),
    "ends with end_turn": (message("end_turn", content=WHOLE), ""),
    "ends with STOP": (message("STOP", content=WHOLE), ""),
    "ends with null": (message(None, content=WHOLE), ""),
    "text of old completions": (
        json.dumps({"choices": [{"text": WHOLE, "finish_reason": "stop"}]}).encode(),
        "beside",
    ),
}


@pytest.mark.parametrize("case", READ)
def test_a_whole_answer_is_read_and_how_is_recorded(case: str) -> None:
    body, rule = READ[case]
    decision = decide_with("chat", body)
    assert decision.subtasks == (PICK,) and decision.problem == ""
    (answer,) = decision.answers
    assert rule in " ".join(answer.leniencies) if rule else answer.leniencies == ()
    assert answer.asked == "json_schema"
    if rule:
        assert decide_with("chat", body, leniencies="none").problem, "no rule, no reading"


def block(*parts: Mapping[str, object], stop: str | None = "end_turn") -> bytes:
    return json.dumps({"type": "message", "content": list(parts), "stop_reason": stop}).encode()


def candidate(*parts: Mapping[str, object], finish: str | None = "STOP") -> bytes:
    return json.dumps({"candidates": [{"content": {"parts": list(parts)}, "finishReason": finish}]}).encode()


def output(*items: Mapping[str, object], **more: object) -> bytes:
    return json.dumps({"id": "r", "status": "completed", "output": list(items), **more}).encode()


TEXT = {"type": "output_text", "text": WHOLE}
NATIVE: dict[str, tuple[str, bytes]] = {
    "Claude: thinking only": ("anthropic", block({"type": "thinking", "thinking": WHOLE})),
    "Claude: input as text": ("anthropic", block({"type": "tool_use", "name": "d", "input": WHOLE}, stop="tool_use")),
    "Claude: no stop reason": ("anthropic", block({"type": "text", "text": WHOLE}, stop=None)),
    "Claude: content as text": ("anthropic", json.dumps({"content": WHOLE, "stop_reason": "end_turn"}).encode()),
    "Gemini: thought only": ("gemini", candidate({"text": WHOLE, "thought": True})),
    "Gemini: a call": ("gemini", candidate({"functionCall": {"name": "decision", "args": DECIDED}})),
    "Gemini: another end": ("gemini", candidate({"text": WHOLE}, finish="MALFORMED_FUNCTION_CALL")),
    "Gemini: no end": ("gemini", candidate({"text": WHOLE}, finish=None)),
    "Responses: a call": ("responses", output({"type": "function_call", "name": "decision", "arguments": WHOLE})),
    "Responses: content as text": ("responses", output({"type": "message", "content": WHOLE})),
    "Responses: reasoning only": (
        "responses",
        output({"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": WHOLE}]}),
    ),
}


@pytest.mark.parametrize("case", NATIVE)
def test_other_apis_are_read_as_leniently(case: str) -> None:
    assert decide_with(*NATIVE[case]).subtasks == (PICK,), decide_with(*NATIVE[case]).problem


# ------------------------------------------------------------ not read

DRAFTS = {
    "a draft among thoughts": message(content=None, reasoning_content=f"I could say {WHOLE}, but the hand is full."),
    "an answer behind thoughts": message(content="", reasoning=f"Let me see.\n{WHOLE}"),
    "two answers": message(content=None, reasoning=WHOLE + WHOLE.replace("apple", "pear")),
    "half of one": message(content=None, reasoning=WHOLE[:-1]),
    "a call and another answer": message(
        "tool_calls", content=WHOLE.replace("apple", "pear"), **call_message("a", WHOLE)
    ),
    "two calls": message(
        "tool_calls", content=None, tool_calls=[{"function": PICKS}, {"function": {**PICKS, "name": "Open"}}]
    ),
    "a text beside reasoning": message(content="Done.", reasoning=WHOLE),
    "cut off in reasoning": message("length", content=None, reasoning=WHOLE),
    "declined": message("content_filter", content=WHOLE),
    "an unknown end in the middle": message("moon", content=WHOLE[:-3]),
    "words and an unknown end": message("moon", content=f"I think this: {WHOLE}"),
}


@pytest.mark.parametrize("case", DRAFTS)
def test_what_may_not_be_meant_is_not_read(case: str) -> None:
    decision = decide_with("chat", DRAFTS[case])
    assert decision.subtasks == () and decision.problem


def test_text_that_ended_in_an_unknown_way_may_lack_its_end() -> None:
    reply = message("moon", content=LABELLED)
    assert decide_with("chat", reply, template="emmoe-text").problem
    assert decide_with("chat", message(content=LABELLED), template="emmoe-text").subtasks == (PICK,)
    reasoned = message(content=None, reasoning_content=LABELLED)
    assert decide_with("chat", reasoned, template="emmoe-text").subtasks == (PICK,)
    strict = {"template": "emmoe-text", "reading": "strict-emmoe"}
    assert decide_with("chat", reasoned, **strict).problem, "the official code reads no reasoning"


# ------------------------------------------------------------ messages for the user

ADVICE: dict[str, tuple[str, bytes, dict[str, object], str]] = {
    "thoughts to the last token": ("chat", message("length", content="", reasoning="Hm. " * 9), {}, "max_tokens=4096"),
    "thoughts in the text": ("chat", message("length", content="<think>Hm."), {}, "all its tokens for thoughts"),
    "thoughts with an effort": (
        "chat",
        message("length", content=None, reasoning="Hm."),
        {"reasoning": "low"},
        "--set reasoning_tokens=16384",
    ),
    "cut off": ("chat", message("length", content=WHOLE[:20]), {"max_tokens": 100}, "--set max_tokens=200"),
    "reasoning only": ("chat", message(content=None, reasoning="I will pick it."), {}, "--set structured=text"),
    "nothing at all": ("chat", message(content=None), {}, "has no text.*log.*--set structured=text"),
    "a filter": ("chat", message("content_filter", content=None), {}, r"declined to answer \('content_filter'\)"),
    "a refusal": ("chat", message(content=None, refusal="I cannot."), {}, "declined to answer"),
    "Claude: thoughts": ("anthropic", block({"type": "thinking", "thinking": "Hm"}, stop="max_tokens"), {}, "max_tok"),
    "Claude: refusal": ("anthropic", block(stop="refusal"), {}, r"declined to answer \('refusal'\)"),
    "Gemini: no parts": (
        "gemini",
        b'{"candidates": [{"content": {"role": "model"}, "finishReason": "MAX_TOKENS"}]}',
        {},
        "--set max_tokens=4096",
    ),
    "Gemini: safety": ("gemini", b'{"candidates": [{"finishReason": "SAFETY"}]}', {}, r"\('SAFETY'\)"),
    "Gemini: blocked": (
        "gemini",
        b'{"candidates": null, "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}',
        {},
        r"declined to answer \('PROHIBITED_CONTENT'\)",
    ),
    "Responses: thoughts": (
        "responses",
        output({"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]}, status="incomplete",
               incomplete_details={"reason": "max_output_tokens"}),
        {},
        "all its tokens for thoughts.*max_tokens=4096",
    ),
    "Responses: refusal": (
        "responses",
        output({"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}),
        {},
        "declined to answer",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ADVICE)
def test_a_reply_without_an_answer_says_what_to_set_in_the_first_round_and_once(case: str) -> None:
    planner, body, settings, words = ADVICE[case]
    with Endpoint(raw(body)) as endpoint:
        url = endpoint.url.removesuffix("/v1") if planner == "anthropic" else endpoint.url
        model_planner = load_planner(f"{planner}:m", {"base_url": url, "examples": 0, **settings})
        model_planner.reset("a task", seed=1)
        with pytest.warns(UserWarning, match=words) as warned:
            decision = model_planner.decide(GIVEN)
        assert len(warned) == 1 and len(endpoint.asked) == 3, "three answers, one warning"
        assert decision.problem and decision.advice == str(warned[0].message)


def test_a_model_that_only_thought_is_asked_to_think_less() -> None:
    decision = decide_with("chat", message("length", content=None, reasoning="Hm. " * 9))
    assert "Think briefly" in decision.problem


# ------------------------------------------------------------ bodies that are none

NONE: dict[str, tuple[Way, str]] = {
    "no choices": (raw(b'{"choices": []}'), "'choices' is empty"),
    "choices missing": (raw(b'{"message": {"content": "x"}}'), "'choices' is missing"),
    "choices null": (raw(b'{"choices": null}'), "'choices' is null"),
    "choices a number": (raw(b'{"choices": 3}'), "'choices' is a number"),
    "a choice that is text": (raw(b'{"choices": ["x"]}'), "'choices.0' is a text"),
    "no message": (raw(b'{"choices": [{"finish_reason": "stop"}]}'), "no 'message'"),
    "a list": (raw(b"[]"), "not a JSON object"),
    "a web page": (raw(b"<!doctype html><html>Sign in</html>", "text/html"), "a web page"),
    "nothing": (raw(b""), "it is empty"),
    "a stream": (raw(b'data: {"choices": []}\n\ndata: [DONE]\n\n', "text/event-stream"), "stream of events"),
    "half": (raw(b'{"choices": ['), "not JSON"),
    "an error": (raw(b'{"error": {"message": "model is loading"}}'), "answers with an error: model is loading"),
    "an error in a list": (raw(b'[{"error": {"code": 403, "message": "no credit"}}]'), r"\(403\): no credit"),
    "an error in a text": (raw(b'{"error": "busy"}'), "answers with an error: busy"),
}


@pytest.mark.parametrize("case", NONE)
def test_a_body_that_is_no_answer_is_named_in_one_sentence(case: str) -> None:
    way, words = NONE[case]
    with pytest.raises(PlannerError, match=words) as error:
        decide_with("chat", way)
    assert "{" not in str(error.value)


def test_an_odd_number_is_an_answer_that_says_nothing() -> None:
    def way(at: Connection, body: Body) -> None:
        at.send(200, message(content=7))

    assert "no subtask" in decide_with("chat", way).problem
