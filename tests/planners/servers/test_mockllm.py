"""mockllm: texts only, in both APIs; what has pictures in it breaks it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import yaml
from rounds import ANSWER, answers_of_rounds
from running import free_port, python_with, running

from homie.kernel.errors import PlannerError

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    python = python_with("mockllm")
    folder, port = tmp_path_factory.mktemp("mockllm"), free_port()
    (folder / "responses.yml").write_text(
        yaml.safe_dump({"responses": {}, "defaults": {"unknown_response": ANSWER}}), encoding="utf-8"
    )
    # Its own command watches all files around for changes and starts again with each.
    command = [python, "-m", "uvicorn", "mockllm.server:app", "--host", "127.0.0.1", "--port", str(port)]
    with running(command, f"http://127.0.0.1:{port}/models", folder / "server.log"):
        yield f"http://127.0.0.1:{port}"


def test_texts_are_answered(url: str) -> None:
    answers = answers_of_rounds("chat:mocked", f"{url}/v1", images=False)
    assert all(answer.input_tokens and answer.output_tokens for answer in answers)


def test_texts_for_claude_are_answered(url: str) -> None:
    answers_of_rounds("anthropic:mocked", url, images=False)


def test_pictures_break_it_and_what_helps_is_reported(url: str) -> None:
    with pytest.raises(PlannerError, match=r"answers 500: Internal Server Error .*images=false"):
        answers_of_rounds("chat:mocked", f"{url}/v1", retries=1, backoff=0.05)
