"""`transformers serve` with tiny models: one that reads texts, one that sees pictures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from endpoint import chat_model, question
from rounds import ANSWER, answers_of_rounds
from running import free_port, python_with, running

from homie.kernel.errors import PlannerError

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two, `qwen2` and `llava`."""
    pytest.importorskip("torch")
    from parrot import parrot

    folder = tmp_path_factory.mktemp("models")
    for kind in ("qwen2", "llava"):
        parrot(folder / kind, kind, ANSWER)
    return folder


@pytest.fixture(scope="module")
def python() -> str:
    return python_with("transformers", "torch", "fastapi", "uvicorn", "openai")


@pytest.fixture(scope="module")
def url(python: str, models: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port = free_port()
    start = "from transformers.cli.transformers import main; main()"
    command = [python, "-c", start, "serve", "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    log = tmp_path_factory.mktemp("serve") / "server.log"
    with running(command, f"http://127.0.0.1:{port}/health", log, HF_HUB_OFFLINE="1"):
        yield f"http://127.0.0.1:{port}/v1"


@pytest.mark.parametrize("provider", ["transformers", "other"])
@pytest.mark.parametrize("kind", ["qwen2", "llava"])
def test_rounds_with_pictures(url: str, models: Path, kind: str, provider: str) -> None:
    """The one that reads texts only is shown none of the pictures, without a word."""
    answers = answers_of_rounds(f"chat:{models / kind}", url, provider=provider)
    assert all(answer.input_tokens > 1000 and answer.output_tokens == 2 for answer in answers)


def test_a_model_that_is_not_there_is_reported(url: str, models: Path) -> None:
    with pytest.raises(PlannerError):
        chat_model(url, str(models / "nobody"), retries=0).complete(question())
