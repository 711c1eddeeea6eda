"""Chat completions: what is sent to whom, in which form, and what is read from the answer."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import cv2
import numpy as np
import pytest
from endpoint import SCHEMA, WORD, Body, Connection, Endpoint, chat_model, completion, question, raw, says, status

from homie.kernel.errors import BadInput, PlannerError
from homie.kernel.interfaces.prompts import Message
from planners.llm.messages import Request
from planners.llm.providers.chat_planner import ChatPlanner, ChatSettings
from planners.llm.providers.chat_providers import find_provider, key_variables, providers

PICTURE = np.random.default_rng(7).integers(0, 255, (24, 32, 3), np.uint8)
SMOOTH = cv2.resize(PICTURE[:3, :4], (32, 24), interpolation=cv2.INTER_CUBIC)


def send(request: Request, name: str = "m", **settings: object) -> Body:
    """The body that arrives at the endpoint."""
    with Endpoint(says(WORD)) as endpoint:
        chat_model(endpoint, name, **settings).complete(request)
        (sent_request,) = endpoint.asked
        assert sent_request.path.endswith("/v1/chat/completions")
        return sent_request.body


def decode_image(url: str) -> np.ndarray:
    data = np.frombuffer(base64.b64decode(url.partition("base64,")[2]), np.uint8)
    return cv2.cvtColor(cv2.imdecode(data, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)


def test_texts_and_images_arrive_in_order_and_unharmed() -> None:
    body = send(question("First:", PICTURE, "Second:", SMOOTH, "Well?"))
    system, user = body["messages"]
    assert system == {"role": "system", "content": "You answer."}
    assert [part["type"] for part in user["content"]] == ["text", "image_url", "text", "image_url", "text"]
    assert [part["text"] for part in user["content"] if "text" in part] == ["First:", "Second:", "Well?"]
    urls = [part["image_url"]["url"] for part in user["content"] if "image_url" in part]
    assert all(url.startswith("data:image/png;base64,iVBOR") for url in urls)
    assert np.array_equal(decode_image(urls[0]), PICTURE) and np.array_equal(decode_image(urls[1]), SMOOTH)


def test_jpeg_is_named_as_what_it_is() -> None:
    (url,) = re.findall(r'"(data:[^"]+)"', json.dumps(send(question(SMOOTH, "Well?"), image_format="jpeg")))
    assert url.startswith("data:image/jpeg;base64,/9j/")
    assert np.abs(decode_image(url).astype(int) - SMOOTH).mean() < 10


def test_an_array_that_the_robot_draws_over_is_sent_as_it_is_now() -> None:
    with Endpoint(says(WORD)) as endpoint:
        model, buffer = chat_model(endpoint), np.zeros((4, 4, 3), np.uint8)
        for shade in (10, 20, 30):
            buffer[:] = shade
            model.complete(question(buffer, "Well?"))
        urls = [request.body["messages"][1]["content"][0]["image_url"]["url"] for request in endpoint.asked]
    assert [int(decode_image(url)[0, 0, 0]) for url in urls] == [10, 20, 30]


def test_conversations_keep_their_roles_and_text_alone_is_a_plain_string() -> None:
    conversation = (Message("user", ("a", "b")), Message("assistant", ("c",)), Message("user", ("d",)))
    messages = send(Request(conversation))["messages"]
    assert [(message["role"], message["content"]) for message in messages] == [
        ("user", "a\nb"),
        ("assistant", "c"),
        ("user", "d"),
    ]


# ------------------------------------------------------------ forms


def test_a_schema_is_asked_for_as_the_provider_understands_it() -> None:
    loose = send(question())["response_format"]
    assert loose == {"type": "json_schema", "json_schema": {"name": "decision", "schema": SCHEMA}}
    strict = send(question(), provider="openrouter", api_key_env="PATH")["response_format"]
    assert strict["json_schema"]["strict"] is True
    half_open = {**SCHEMA, "additionalProperties": True}
    open_ = send(question(schema=half_open), provider="openrouter", api_key_env="PATH")["response_format"]
    assert "strict" not in open_["json_schema"], "endpoints refuse to bind themselves to an open schema"


def test_where_no_schema_can_be_asked_for_it_is_reported() -> None:
    body = send(question(PICTURE, "Well?"), structured="json_object")
    assert body["response_format"] == {"type": "json_object"}
    wish = body["messages"][-1]["content"][-1]["text"]
    assert "JSON" in wish and json.loads(wish.partition("\n")[2]) == SCHEMA
    body = send(question("Well?"), structured="schema_object")
    assert body["response_format"] == {"type": "json_object", "schema": SCHEMA}
    assert json.dumps(SCHEMA) in body["messages"][-1]["content"]
    body = send(question("Well?"), structured="text")
    assert "response_format" not in body
    assert body["messages"][-1]["content"].startswith("Well?") and json.dumps(SCHEMA) in body["messages"][-1]["content"]


def test_free_text_is_asked_for_freely() -> None:
    body = send(question(schema=None))
    assert "response_format" not in body and body["messages"][-1]["content"] == "Well?"


def form_of(body: Body) -> str:
    """How an answer is asked for."""
    form = body.get("response_format", {"type": "text"})
    return "schema_object" if "schema" in form else str(form["type"])


def understands(*forms: str, code: int = 400) -> object:
    """An endpoint that knows only some forms of answers."""

    def way(at: Connection, body: Body) -> None:
        form = form_of(body)
        (says(WORD) if form in forms else status(code, f"response_format {form} is not supported"))(at, body)

    return way


@pytest.mark.parametrize("code", [400, 500])
@pytest.mark.parametrize(("form", "requests"), [("schema_object", 2), ("json_object", 3), ("text", 4)])
def test_a_refused_form_is_left_for_the_next_plainer_one_with_a_warning_and_for_good(
    form: str, requests: int, code: int
) -> None:
    with Endpoint(understands(form, code=code)) as endpoint:  # type: ignore[arg-type]
        with pytest.warns(UserWarning, match="From now on m is asked with") as warned:
            assert chat_model(endpoint).complete(question()).text == WORD
        assert str(warned[-1].message).endswith(f"{form}.")
        assert len(endpoint.asked) == requests == len(warned) + 1
        another = chat_model(endpoint)
        assert another.form == form
        assert another.complete(question()).text == WORD
        assert len(endpoint.asked) == requests + 1, "no more refusals"
        chat_model(endpoint, "n", structured=form).complete(question())
        assert chat_model(endpoint, "o").form == "json_schema", "other models may understand more"
    with Endpoint(says(WORD)) as endpoint:
        assert chat_model(endpoint).form == "json_schema", "other endpoints may, too"


OF_FORM = (
    "Invalid schema for response_format 'decision': In context=('properties',), 'oneOf' is not permitted.",
    "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
    "This model does not support response format `json_schema`.",
    "litellm.UnsupportedParamsError: ollama does not support parameters: ['response_format'], for model=tiny.",
    "The provided JSON schema contains features not supported by xgrammar.",
    "Grammar error: unimplemented keys",
    "Structured output is not supported on this device",
)
OF_SOMETHING_ELSE = (
    "This model's maximum context length is 8192 tokens. You requested 9000 tokens (1000 in the response_format).",
    "We could not parse the JSON body of your request.",
    "Requested tokens (48373) exceed context window of 4096: json",
    "The image is not valid base64.",
    "Rate limit reached for requests with json_schema.",
)


@pytest.mark.parametrize("message", OF_FORM)
def test_a_message_about_the_form_is_known_whoever_makes_it(message: str) -> None:
    with Endpoint(status(400, message), says(WORD)) as endpoint:
        with pytest.warns(UserWarning, match="From now on m is asked with schema_object"):
            chat_model(endpoint).complete(question())
        assert len(endpoint.asked) == 2


@pytest.mark.parametrize("message", OF_SOMETHING_ELSE)
def test_no_other_message_costs_an_endpoint_its_form(message: str) -> None:
    with Endpoint(status(400, message), says(WORD)) as endpoint:
        with pytest.raises(PlannerError, match=re.escape(message[:40])):
            chat_model(endpoint).complete(question())
        assert (len(endpoint.asked), chat_model(endpoint).form) == (1, "json_schema")


def test_a_server_that_breaks_is_asked_again_in_the_same_form() -> None:
    with Endpoint(status(500, "the JSON schema engine crashed"), says(WORD)) as endpoint:
        model = chat_model(endpoint, backoff=0.02)
        assert (model.complete(question()).text, model.form) == (WORD, "json_schema")


def test_other_refusals_do_not_degrade() -> None:
    with Endpoint(status(400, "the context is too long")) as endpoint:
        with pytest.raises(PlannerError, match="the context is too long"):
            chat_model(endpoint).complete(question())
        assert len(endpoint.asked) == 1
    with Endpoint(status(400, "response_format is not supported")) as endpoint:
        with pytest.raises(PlannerError, match="response_format"):
            chat_model(endpoint, structured="text").complete(question())
        assert len(endpoint.asked) == 1


# ------------------------------------------------------------ parameters


def test_what_is_sent_by_default() -> None:
    body = send(question())
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("m", 0.0, 2048)
    assert not {"seed", "reasoning_effort", "max_completion_tokens"} & set(body)
    assert "temperature" not in send(question(), temperature=None)


def test_a_reasoning_model_gets_its_effort_its_own_tokens_and_no_temperature() -> None:
    arguments = {"provider": "openai", "api_key_env": "PATH", "reasoning": "low", "max_tokens": 100}
    body = send(question(), **arguments, reasoning_tokens=900)
    assert (body["reasoning_effort"], body["max_completion_tokens"]) == ("low", 1000)
    assert "temperature" not in body and "max_tokens" not in body
    described = chat_model("http://h/v1", **arguments).describe()
    assert described["temperature"] is None and described["reasoning"] == {"effort": "low", "tokens": 8192}


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_kept_next_to_the_answer(field: str) -> None:
    def way(at: Connection, body: Body) -> None:
        reply_body = json.loads(completion(body, WORD, tokens=(1, 2)))
        reply_body["choices"][0]["message"][field] = "First I think."
        at.send(200, json.dumps(reply_body).encode())

    with Endpoint(way) as endpoint:
        reply = chat_model(endpoint).complete(question())
    assert (reply.text, reply.reasoning) == (WORD, "First I think.")


def test_thoughts_before_the_answer_are_reasoning_too() -> None:
    with Endpoint(says(f"<think>\nhm, <b>\n</think>\n\n{WORD}")) as endpoint:
        reply = chat_model(endpoint).complete(question())
    assert (reply.text, reply.reasoning) == (WORD, "hm, <b>")


@pytest.mark.parametrize(("provider", "parameter"), [("vllm", "seed"), ("mistral", "random_seed"), ("gemini", None)])
def test_the_seed_of_the_episode_is_sent_under_its_name(provider: str, parameter: str | None) -> None:
    with Endpoint(says(WORD)) as endpoint:
        model = chat_model(endpoint, provider=provider, api_key_env="PATH")
        model.reset(seed=11)
        model.complete(question())
        assert {name: value for name, value in endpoint.asked[0].body.items() if "seed" in name} == (
            {parameter: 11} if parameter else {}
        )


# ------------------------------------------------------------ answers that are unlike OpenAI's


def test_what_other_endpoints_leave_out_does_no_harm() -> None:
    with Endpoint(raw(b'{"choices": [{"message": {"content": "yes"}}]}')) as endpoint:
        reply = chat_model(endpoint).complete(question())
    assert (reply.text, reply.finish, reply.input_tokens, reply.output_tokens) == ("yes", "stop", 0, 0)


def test_an_empty_answer_is_an_answer() -> None:
    body = b'{"choices": [{"message": {"content": null}, "finish_reason": "length"}], "usage": null}'
    with Endpoint(raw(body, "text/plain")) as endpoint:
        reply = chat_model(endpoint).complete(question())
    assert (reply.text, reply.finish) == ("", "length")


def test_a_filtered_answer_is_a_refusal() -> None:
    with Endpoint(says("", finish="content_filter")) as endpoint:
        assert chat_model(endpoint).complete(question()).finish == "refusal"


def test_an_account_without_credit_is_not_tried_again() -> None:
    with Endpoint(status(429, "You exceeded your quota", error="insufficient_quota")) as endpoint:
        with pytest.raises(PlannerError, match="You exceeded your quota"):
            chat_model(endpoint).complete(question())
        assert len(endpoint.asked) == 1


def test_an_answer_in_parts_is_put_together() -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": WORD}]
    with Endpoint(raw(json.dumps({"choices": [{"message": {"content": parts}}]}).encode())) as endpoint:
        assert chat_model(endpoint).complete(question()).text == WORD


@pytest.mark.parametrize(
    "body", [{"error": {"message": "too long"}}, {"message": "too long"}, {"detail": "too long"}, {"error": "too long"}]
)
def test_the_words_of_an_endpoint_are_passed_on_however_it_wraps_them(body: Body) -> None:
    def way(at: Connection, _: Body) -> None:
        at.send(400, json.dumps(body).encode())

    with Endpoint(way) as endpoint, pytest.raises(PlannerError, match=r"refuses the request \(400\): too long\.$"):
        chat_model(endpoint).complete(question())


def test_an_error_page_for_a_browser_is_not_passed_on() -> None:
    def way(at: Connection, _: Body) -> None:
        at.send(403, b"<html><body>no</body>", "text/html")

    with Endpoint(way) as endpoint, pytest.raises(PlannerError, match=r"refuses the request \(403\)\.$"):
        chat_model(endpoint).complete(question())


def test_a_model_that_turns_out_to_reason_is_reported_with_how_to_ask_it() -> None:
    message = status(400, "Unsupported value: 'temperature' does not support 0.0 with this model.")
    with Endpoint(message) as endpoint:
        with pytest.raises(PlannerError, match=r"does not support 0\.0 .*--set reasoning=low"):
            chat_model(endpoint).complete(question())
        with pytest.raises(PlannerError, match=r"with this model\.$"):
            chat_model(endpoint, reasoning="low").complete(question())


@pytest.mark.parametrize(
    "message", ["Requested tokens (48373) exceed context window of 4096", "m does not support image input"]
)
def test_a_model_that_only_reads_text_is_reported_with_how_to_ask_it(message: str) -> None:
    with Endpoint(status(400, message)) as endpoint:
        with pytest.raises(PlannerError, match=r"\(if the model only reads text: --set images=false\)\.$"):
            chat_model(endpoint).complete(question(PICTURE, "Well?"))
        with pytest.raises(PlannerError, match=re.escape(f"{message}.")):
            chat_model(endpoint).complete(question("Well?"))


@pytest.mark.parametrize("code", [422, 500])
def test_a_server_that_breaks_on_pictures_is_reported_with_how_to_ask_it(code: int) -> None:
    """FastAPI's servers whose messages are texts: 422 for a body that they check themselves, else they break."""
    words = "Input should be a valid string " + 300 * "!" if code == 422 else "Internal Server Error"

    def way(at: Connection, _: Body) -> None:
        at.send(code, words.encode(), "text/plain")

    with Endpoint(way) as endpoint:
        with pytest.raises(PlannerError, match=r"\(if the model only reads text: --set images=false\)"):
            chat_model(endpoint, retries=0).complete(question(PICTURE, "Well?"))
        with pytest.raises(PlannerError, match=r"^(?!.*images=false)"):
            chat_model(endpoint, retries=0).complete(question("Well?"))
    of_openai = status(500, "The server had an error while processing your request")
    with Endpoint(of_openai) as endpoint, pytest.raises(PlannerError, match=r"^(?!.*images=false)"):
        chat_model(endpoint, retries=0).complete(question(PICTURE, "Well?"))


def test_what_a_model_wrote_that_its_endpoint_refuses_is_its_answer() -> None:
    """Groq checks the schema after the fact and keeps the text in the error."""

    def way(at: Connection, _: Body) -> None:
        error = {"message": "Failed to generate JSON.", "code": "json_validate_failed", "failed_generation": "Sure! {"}
        at.send(400, json.dumps({"error": error}).encode())

    with Endpoint(way) as endpoint:
        assert chat_model(endpoint).complete(question()).text == "Sure! {"
        assert chat_model(endpoint).form == "json_schema"


# ------------------------------------------------------------ providers


def test_every_provider_is_complete() -> None:
    assert {"openai", "gemini", "mistral", "openrouter", "vllm", "lmdeploy", "ollama", "llamacpp"} <= set(providers())
    for name, provider in providers().items():
        assert name == "other" or provider.base_url, name
        for host in provider.hosts:
            assert provider.key, "a public endpoint has a key"
            assert find_provider(None, f"https://{host.upper()}/v1") == (name, provider)
    assert len(set(key_variables())) == len(key_variables())


def test_the_name_of_a_model_decides_nothing() -> None:
    for name in ("gpt-5", "claude-opus-5", "gemini-3-pro", "o3", "qwen2.5-vl", "openai/gpt-4o"):
        model = chat_model("http://localhost:8000/v1", name)
        assert model.describe()["provider"] == "other"
        assert {**model.body(question(), "json_schema"), "model": ""} == {
            **chat_model("http://localhost:8000/v1", "m").body(question(), "json_schema"),
            "model": "",
        }


def test_unknown_providers_and_addresses_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="Unknown provider 'olama': did you mean 'ollama'"):
        chat_model("http://h/v1", provider="olama")
    with pytest.raises(BadInput, match="needs an address"):
        ChatPlanner("m", ChatSettings(provider="other"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(BadInput, match=r"api\.openai\.com needs an API key: set the environment variable OPENAI_API_K"):
        ChatPlanner("gpt-5", ChatSettings())
    with pytest.raises(BadInput, match="--planner chat:MODEL"):
        ChatPlanner("", ChatSettings())


def test_what_is_recorded_of_a_model() -> None:
    described = ChatPlanner("m", ChatSettings(base_url="http://localhost:8000/v1/", examples=0)).describe()
    model = described["model"]
    assert isinstance(model, dict)
    assert (model["name"], model["endpoint"], model["provider"]) == ("m", "http://localhost:8000/v1", "other")
    assert json.loads(json.dumps(described)) == described


def test_the_manual_lists_the_providers_as_they_are() -> None:
    page = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (`[^|]+) \| `?(\w+)`? \| (JSON schema|JSON mode with the schema|JSON mode|plain text) \|$",
        page,
        re.MULTILINE,
    )
    forms = {
        "JSON schema": "json_schema",
        "JSON mode with the schema": "schema_object",
        "JSON mode": "json_object",
        "plain text": "text",
    }
    listed = {
        name: (key.replace("none", "").replace("NAME", name.upper()), forms[form])
        for names, key, form in rows
        for name in re.findall(r"`(\w+)`", names)
    }
    assert listed == {name: (provider.key, provider.structured) for name, provider in providers().items()}
