"""LiteLLM's proxy in front of an endpoint of ours: what it passes on, and in which words it tells errors."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest
import yaml
from endpoint import Asked, Body, Connection, Endpoint, Way, chat_model, question, says, status
from rounds import ANSWER, ROUNDS, answers_of_rounds
from running import free_port, python_with, running

from homie.kernel.errors import PlannerError
from planners.llm.calls import RemoteModel

pytestmark = pytest.mark.slow

TOO_LONG = (
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (6952 in the messages, "
    "2048 in the completion, including the response_format json_schema). Please reduce the length of the messages."
)
KEY = "sk-of-the-proxy-0123456789"
BUSY = "Rate limit reached for requests with json_schema."


def only_text(at: Connection, body: Body) -> None:
    """A model that knows no form of answers."""
    refusal = status(400, "'response_format' is not supported with this model.")
    (refusal if "response_format" in body else says(ANSWER))(at, body)


MODELS: dict[str, Way] = {
    "good": says(ANSWER),
    "long": status(400, TOO_LONG, error="context_length_exceeded"),
    "busy": status(429, BUSY),
    "plain": only_text,
}


@pytest.fixture(scope="module")
def upstream() -> Iterator[Endpoint]:
    with Endpoint(lambda at, body: MODELS[body["model"]](at, body)) as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def url(upstream: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    python = python_with("litellm", "fastapi", "apscheduler")
    folder, port = tmp_path_factory.mktemp("litellm"), free_port()
    behind = {"api_base": upstream.url, "api_key": "none"}
    models = [{"model_name": name, "litellm_params": {"model": f"openai/{name}", **behind}} for name in MODELS]
    mocked = {"model": "openai/mocked", "api_key": "none", "mock_response": ANSWER}
    # It would ask again itself, and leave a model alone that has failed: here only what one request brings counts.
    config = {
        "model_list": [*models, {"model_name": "mocked", "litellm_params": mocked}],
        "router_settings": {"num_retries": 0, "disable_cooldowns": True},
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    start = "from litellm import run_server; run_server()"
    command = [python, "-c", start, "--config", "config.yaml", "--host", "127.0.0.1", "--port", str(port)]
    environment = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MASTER_KEY": KEY}  # offline, and not without a key
    with running(command, f"http://127.0.0.1:{port}/health/liveliness", folder / "server.log", **environment):
        yield f"http://127.0.0.1:{port}/v1"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROXY_KEY", KEY)


def model(url: str, name: str, **settings: object) -> RemoteModel:
    return chat_model(url, name, api_key_env="PROXY_KEY", **settings)


def sent_to(upstream: Endpoint, model: str) -> list[Asked]:
    return [request for request in upstream.asked if request.body["model"] == model]


def test_an_episode_goes_through_it_with_pictures_and_schema(url: str, upstream: Endpoint) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answers = answers_of_rounds("chat:good", url, api_key_env="PROXY_KEY")
    assert [(answer.input_tokens, answer.output_tokens) for answer in answers] == [(100, 10)] * ROUNDS
    requests = sent_to(upstream, "good")
    assert len(requests) >= ROUNDS  # more where a busy machine takes longer than the timeout over the first
    for each in requests:
        assert each.body["response_format"]["type"] == "json_schema"
        assert [part["type"] for part in each.body["messages"][-1]["content"]].count("image_url") == 4


def test_its_own_mock_answers(url: str) -> None:
    answers_of_rounds("chat:mocked", url, api_key_env="PROXY_KEY")


def test_a_question_that_is_too_long_costs_the_model_nothing(url: str, upstream: Endpoint) -> None:
    for _ in range(2):
        with pytest.raises(PlannerError, match="maximum context length is 8192"):
            model(url, "long").complete(question())
    assert model(url, "long").form == "json_schema"
    assert [request.body["response_format"]["type"] for request in sent_to(upstream, "long")] == ["json_schema"] * 2


def test_a_model_that_it_does_not_know_is_reported(url: str) -> None:
    with pytest.raises(PlannerError, match=r"nobody"):
        model(url, "nobody").complete(question())
    assert model(url, "nobody").form == "json_schema"


def test_a_busy_model_is_asked_again_and_reported_in_the_end(url: str, upstream: Endpoint) -> None:
    with pytest.raises(PlannerError, match=r"answers 429: .*Rate limit reached .*\(3 tries"):
        model(url, "busy", retries=2, backoff=0.05).complete(question())
    assert len(sent_to(upstream, "busy")) == 3
    assert model(url, "busy").form == "json_schema"


def test_a_model_that_knows_no_forms_is_asked_in_plain_text(url: str, upstream: Endpoint) -> None:
    with pytest.warns(UserWarning, match="From now on plain is asked with text"):
        answers_of_rounds("chat:plain", url, api_key_env="PROXY_KEY")
    assert model(url, "plain").form == "text"
    assert model(url, "good").form == "json_schema"
    assert "response_format" not in sent_to(upstream, "plain")[-1].body
