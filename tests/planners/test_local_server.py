"""Planners of several episodes share one model: what comes together is answered together, and nobody notices."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from homie.kernel.errors import PlannerError
from homie.kernel.interfaces.prompts import Message
from homie.runtime.assembly import load_planner
from planners.llm.local.batching import Server, shared
from planners.llm.local.engine import Engine
from planners.llm.local.loading import Load, load_engine
from planners.llm.local.question import Completion, Question
from planners.llm.messages import Request
from planners.llm.prompting.schemas import decision_schema

SCHEMA = decision_schema("json", ("Go to", "Pick", "End"), ("classical",))

pytestmark = pytest.mark.usefixtures("no_network")


class Counting(Engine):
    """A real engine that writes down how many questions it was given at once, and waits for a start."""

    def __init__(self, real: Engine) -> None:
        super().__init__(real.model, real.tokenizer, real.processor, real.ends)
        self.batches: list[int] = []
        self.start = threading.Event()

    def answer(self, questions: Sequence[Question]) -> list[Completion]:
        assert self.start.wait(60)
        self.batches.append(len(questions))
        return super().answer(questions)


@pytest.fixture
def engine(tiny) -> Counting:
    return Counting(load_engine(Load(tiny("llava"))))


class User:
    """Somebody who asks."""


def question(i: int, side: int = 32) -> Question:
    picture = np.full((side, side, 3), 20 * i, np.uint8)
    return Question((Message("user", (picture, f"find can {i}")),), SCHEMA, limit=200, seed=i)


def ask_all(server: Server, questions: Sequence[Question], batch: int) -> list[Completion]:
    """Ask from as many threads as there are questions; the first batch starts when all have asked."""
    users = [User() for _ in questions]
    for user in users:
        server.users.add(user)
    with ThreadPoolExecutor(len(questions)) as pool:
        futures = [pool.submit(server.ask, question, batch) for question in questions]
        server.engine.start.set()
        return [future.result(timeout=60) for future in futures]


def test_questions_that_come_together_share_passes(engine):
    questions = [question(i) for i in range(8)]
    engine.start.set()
    alone = [engine.answer([question])[0] for question in questions]
    engine.batches.clear()
    assert ask_all(Server(engine), questions, batch=4) == alone
    assert sum(engine.batches) == 8 and max(engine.batches) == 4
    assert len(engine.batches) <= 4


def test_pictures_of_different_shapes_do_not_share_a_pass(engine):
    questions = [question(i, side=32 if i % 2 else 48) for i in range(4)]
    assert len(ask_all(Server(engine), questions, batch=4)) == 4
    assert max(engine.batches) <= 2 and sum(engine.batches) == 4


def test_one_bad_question_does_not_spoil_the_others(engine):
    good = question(1)
    bad = Question(good.messages, SCHEMA, limit=17)
    server = Server(engine)
    for user in (good, bad):
        server.users.add(user)
    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(server.ask, question, 2) for question in (good, bad)]
        engine.start.set()
        assert futures[0].result(timeout=60).finish == "stop"
        with pytest.raises(PlannerError, match="too few"):
            futures[1].result(timeout=60)


class Failing(Counting):
    """A model whose machine fails."""

    def answer(self, questions: Sequence[Question]) -> list[Completion]:
        raise RuntimeError("CUDA error:\n device lost")


def test_a_failing_machine_is_a_planner_error_and_the_server_lives_on(engine):
    server = Server(Failing(engine))
    for _ in range(2):
        with pytest.raises(PlannerError, match="The local model failed: RuntimeError: CUDA error: device lost"):
            server.ask(question(1), 1)


def test_the_worker_ends_when_nobody_asks(engine):
    server = Server(engine)
    engine.start.set()
    for _ in range(3):
        server.ask(question(1), 4)
    for thread in threading.enumerate():
        if thread.name == "local-model":
            thread.join(timeout=60)
            assert not thread.is_alive()
    assert engine.batches == [1, 1, 1]


def test_a_model_is_loaded_once_and_freed_with_its_last_planner(tiny):
    load, openings = Load(tiny("qwen2")), []

    def opened() -> Engine:
        openings.append(1)
        return load_engine(load)

    with ThreadPoolExecutor(4) as pool:
        servers = [future.result() for future in [pool.submit(shared, ("test", load), opened) for _ in range(4)]]
    assert openings == [1] and len(set(map(id, servers))) == 1
    engine_reference = weakref.ref(servers[0].engine)
    del servers
    gc.collect()
    assert engine_reference() is None


def test_planners_of_one_model_share_its_weights_but_not_their_settings(tiny):
    path = f"transformers:{tiny('llava')}"
    cold = load_planner(path, {"max_new_tokens": 260, "examples": 0})
    warm = load_planner(path, {"max_new_tokens": 260, "examples": 0, "temperature": 1.5})
    assert cold.model.source.server is warm.model.source.server
    assert load_planner(path, {"dtype": "bfloat16"}).model.source.server is not cold.model.source.server
    request = Request(question(1).messages, SCHEMA)
    warm.model.reset(seed=1)
    first, second = warm.model.complete(request).text, warm.model.complete(request).text
    assert first != second, "asking again is another draw"
    assert cold.model.complete(request).text == cold.model.complete(request).text
    warm.model.reset(seed=1)
    assert (warm.model.complete(request).text, warm.model.complete(request).text) == (first, second)
    warm.model.reset(seed=2)
    assert warm.model.complete(request).text != first
