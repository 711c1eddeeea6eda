"""The response cache: what was asked before is not asked again, whoever asks and whatever lies in the folder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from endpoint import WORD, Endpoint, chat_model, claude_model, question, says, status

from homie.kernel.errors import BadInput, PlannerError
from planners.llm.calls import RemoteModel
from planners.llm.calls.cache import ResponseCache, request_key
from planners.llm.messages import Reply

Make = Callable[..., RemoteModel]
GREY = np.full((32, 32, 3), 90, np.uint8)
RED = np.full((32, 32, 3), (200, 10, 10), np.uint8)


@pytest.fixture(params=[chat_model, claude_model], ids=["chat", "anthropic"])
def make(request: pytest.FixtureRequest) -> Make:
    maker: Make = request.param
    return maker


def test_the_same_request_is_answered_for_nothing_even_when_the_endpoint_is_gone(make: Make, tmp_path: Path) -> None:
    prices = {"price_input": 1.0, "price_output": 1.0, "cache": tmp_path / "answers"}
    with Endpoint(says(WORD, thought="hm")) as endpoint:
        first = make(endpoint, **prices).complete(question(GREY, "Well?"))
        assert first.cost > 0 and not first.cached
    again = make(endpoint, **prices).complete(question(GREY, "Well?"))
    assert (again.text, again.reasoning, again.finish) == (first.text, "hm", "stop")
    assert again.cached and (again.input_tokens, again.output_tokens, again.cost) == (0, 0, 0.0)
    assert len(endpoint.asked) == 1


def test_a_cache_without_answers_of_the_model_does_not_replace_a_key(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    arguments = {"api_key_env": "MY_KEY", "cache": tmp_path / "answers"}
    with pytest.raises(BadInput, match="set the environment variable MY_KEY"):
        make("http://localhost:1/v1", **arguments)
    assert not (tmp_path / "answers").exists(), "nothing was written"
    ResponseCache(tmp_path / "answers").put("k" * 64, "another", Reply("yes"))
    (tmp_path / "answers" / "broken.json").write_text("{")
    with pytest.raises(BadInput, match="MY_KEY"):
        make("http://localhost:1/v1", **arguments)


def test_answers_from_the_cache_need_no_key_and_new_ones_do(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = {"api_key_env": "MY_KEY", "cache": tmp_path}
    monkeypatch.setenv("MY_KEY", "sk-1")
    with Endpoint(says(WORD)) as endpoint:
        make(endpoint, **arguments).complete(question())
        monkeypatch.delenv("MY_KEY")
        model = make(endpoint, **arguments)
        assert model.complete(question()).cached
        with pytest.raises(BadInput, match="MY_KEY"):
            model.complete(question("Something new?"))


def test_whatever_differs_is_asked(make: Make, tmp_path: Path) -> None:
    with Endpoint(says(WORD)) as endpoint:
        make(endpoint, cache=tmp_path).complete(question(GREY, "Well?"))
        cases = [
            (make(endpoint, cache=tmp_path), question(RED, "Well?"), 0),
            (make(endpoint, cache=tmp_path), question(GREY, "Well!"), 0),
            (make(endpoint, cache=tmp_path), question("Well?", GREY), 0),
            (make(endpoint, cache=tmp_path), question(GREY, "Well?", schema=None), 0),
            (make(endpoint, cache=tmp_path), question(GREY, "Well?"), 1),
            (make(endpoint, "another", cache=tmp_path), question(GREY, "Well?"), 0),
            (make(endpoint, cache=tmp_path, max_tokens=7), question(GREY, "Well?"), 0),
            (make(endpoint, cache=tmp_path, image_format="jpeg"), question(GREY, "Well?"), 0),
        ]
        for model, request, seed in cases:
            model.reset(seed=seed)
            assert not model.complete(request).cached
        assert len(endpoint.asked) == 1 + len(cases)
    assert len(list(tmp_path.glob("*.json"))) == 1 + len(cases)


def test_times_and_retries_are_no_part_of_a_request(make: Make, tmp_path: Path) -> None:
    with Endpoint(says(WORD)) as endpoint:
        make(endpoint, cache=tmp_path).complete(question())
        assert make(endpoint, cache=tmp_path, timeout=5, retries=0).complete(question()).cached


@pytest.mark.parametrize("damage", [b"", b"{", b"null", b'{"format": 1}', b"\xff\xfe", None], ids=str)
def test_a_corrupt_entry_is_reported_and_replaced(make: Make, tmp_path: Path, damage: bytes | None) -> None:
    with Endpoint(says(WORD)) as endpoint:
        model = make(endpoint, cache=tmp_path)
        model.complete(question())
        (path,) = tmp_path.glob("*.json")
        # None: an entry of another request in its place
        path.write_bytes(path.read_bytes().replace(path.stem.encode(), b"0" * 64) if damage is None else damage)
        with pytest.warns(UserWarning, match="is ignored"):
            assert not model.complete(question()).cached
        assert model.complete(question()).cached
        assert len(endpoint.asked) == 2


def test_failures_are_not_kept(make: Make, tmp_path: Path) -> None:
    with Endpoint(status(500), says(WORD)) as endpoint:
        model = make(endpoint, cache=tmp_path, retries=0)
        with pytest.raises(PlannerError):
            model.complete(question())
        assert not model.complete(question()).cached


def test_a_run_that_had_to_degrade_is_free_too(make: Make, tmp_path: Path) -> None:
    with Endpoint(status(400, "tool_choice and json_schema are unknown"), says(WORD)) as endpoint:
        with pytest.warns(UserWarning, match="From now on"):
            make(endpoint, cache=tmp_path).complete(question())
        endpoint_forms = make(endpoint).endpoint.forms
        endpoint_forms.clear()  # as in a new process
        assert make(endpoint, cache=tmp_path).complete(question()).cached
        assert len(endpoint.asked) == 2


def test_a_folder_that_can_not_be_made_is_refused(make: Make, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="Cannot write the cache folder"):
        make("http://localhost:1/v1", cache=tmp_path / "file" / "answers")


WRITER = """
import sys, warnings
from pathlib import Path
from planners.llm.calls.cache import ResponseCache
from planners.llm.messages import Reply
warnings.simplefilter("error")
cache, mine = ResponseCache(Path(sys.argv[1])), sys.argv[2]
for number in range(40):
    cache.put("k" * 64, "m", Reply(mine * 20000, input_tokens=number))
    found = cache.get("k" * 64)
    assert found is not None and set(found.text) <= set("abc") and len(set(found.text)) == 1, found
"""


def test_processes_that_write_the_same_entry_never_see_half_of_one(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, tmp_path, letter], stderr=subprocess.PIPE) for letter in "abc"
    ]
    for writer in writers:
        _, errors = writer.communicate(timeout=60)
        assert writer.returncode == 0, errors.decode()
    assert [path.name for path in tmp_path.iterdir() if path.name != ".lock"] == ["k" * 64 + ".json"]


def test_a_disk_that_fails_costs_the_entry_not_the_answer(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "answers")
    (tmp_path / "answers" / ".lock").mkdir()
    with pytest.warns(UserWarning, match="Cannot write into the cache"):
        cache.put("k" * 64, "m", Reply("yes"))


def test_the_key_is_that_of_the_content_not_of_its_order() -> None:
    url, body = "http://h/v1", {"model": "m", "messages": [{"role": "user", "content": "\N{SNOWMAN} '\""}]}
    assert request_key(url, 0, body) == request_key(url, 0, dict(reversed(body.items())))
    assert len({request_key(url, seed, body) for seed in range(9)}) == 9
