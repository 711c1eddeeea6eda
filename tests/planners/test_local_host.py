"""Several processes share one local model: what they ask at one time is answered in one pass, and nobody notices."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Client, Listener
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from homie.kernel.errors import BadInput, InfrastructureError, PlannerError
from homie.kernel.interfaces.prompts import Message
from homie.runtime.assembly import load_planner, named_planner
from planners.llm.local import process_main
from planners.llm.local.batching import Server
from planners.llm.local.engine import Engine
from planners.llm.local.loading import Load, load_engine
from planners.llm.local.own_or_shared_model import Facts, Weights
from planners.llm.local.process import ModelProcess
from planners.llm.local.process_client import VARIABLE, Host, HostedModel, question_frame, read_question
from planners.llm.local.question import Completion, Question

TOKEN = "5e" * 32
SETTINGS = {"max_new_tokens": 200, "examples": 0}
pictures = arrays.arrays(np.uint8, st.tuples(st.integers(1, 4), st.integers(1, 4), st.just(3)))
messages = st.builds(
    Message, st.sampled_from(["system", "user"]), st.lists(st.text() | pictures, max_size=4).map(tuple)
)


def question(i: int) -> Question:
    picture = np.full((32, 32, 3), 20 * i, np.uint8)
    return Question((Message("user", (picture, f"find can {i}")),), None, limit=30, seed=i)


@settings(max_examples=25)
@given(st.lists(messages, min_size=1, max_size=3), st.integers(1, 9), st.floats(0, 5), st.integers(0, 2**40))
def test_a_question_arrives_as_it_was_asked(
    conversation: list[Message], batch: int, temperature: float, seed: int
) -> None:
    sent_question = Question(tuple(conversation), {"type": "object"}, 77, temperature, seed)
    received, together = read_question(question_frame(sent_question, batch))
    assert together == batch
    assert (received.schema, received.limit, received.temperature, received.seed) == (
        sent_question.schema,
        77,
        temperature,
        seed,
    )
    assert [message.role for message in received.messages] == [message.role for message in sent_question.messages]
    for message, other in zip(received.messages, sent_question.messages, strict=True):
        assert len(message.parts) == len(other.parts)
        assert all(np.array_equal(a, b) for a, b in zip(message.parts, other.parts, strict=True))


class Counting(Engine):
    """Answers with what it was asked, and how many shared the pass; `start` opens it."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.start = threading.Event()
        self.asked: list[Question] = []

    def answer(self, questions: Sequence[Question]) -> list[Completion]:
        self.asked.extend(questions)
        assert self.start.wait(60)
        self.batches.append(len(questions))
        return [Completion(str(question.messages[0].parts[-1]), "stop", 1, 1) for question in questions]


@pytest.fixture
def loading() -> process_main.Loading:
    """What becomes of loading the model."""
    return Future()


@pytest.fixture
def counting(loading: process_main.Loading) -> Counting:
    """The model of the host."""
    engine = Counting()
    loading.set_result((Server(engine), Facts(sees=True, blind="", engine={}, files={})))
    return engine


@pytest.fixture
def host(loading: process_main.Loading, tmp_path: Path) -> Iterator[Host]:
    """The door of a host, in this process."""
    address = str(tmp_path / "socket")
    with Listener(address, "AF_UNIX", authkey=bytes.fromhex(TOKEN)) as listener:
        threading.Thread(target=process_main._welcome, args=(listener, loading), daemon=True).start()
        yield Host(address=address, token=TOKEN, weights=Weights(name="x"), log="model.log")


def test_questions_of_several_clients_share_a_pass(counting: Counting, host: Host) -> None:
    clients = [HostedModel(host) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(client.ask, question(i), 4) for i, client in enumerate(clients)]
        counting.start.set()
        assert [future.result(timeout=60).text for future in futures] == [f"find can {i}" for i in range(4)]
    assert sum(counting.batches) == 4 and max(counting.batches) > 1


def test_who_goes_while_it_waits_is_noticed(counting: Counting, host: Host) -> None:
    client = Client(host.address, "AF_UNIX", authkey=bytes.fromhex(TOKEN))
    client.recv_bytes()
    client.send_bytes(question_frame(question(1), 1))
    while not counting.asked:
        threading.Event().wait(0.01)
    client.close()
    assert counting.asked[0].cancelled.wait(60)
    counting.start.set()
    assert HostedModel(host).ask(question(2), 1).text == "find can 2", "and the others are still served"


def test_strangers_are_not_let_in_and_nonsense_is_answered(counting: Counting, host: Host) -> None:
    counting.start.set()
    stranger = Host(address=host.address, token="00" * 32, weights=host.weights, log="model.log")
    with pytest.raises(InfrastructureError, match=r"what it wrote is in model\.log"):
        HostedModel(stranger)
    with Client(host.address, "AF_UNIX", authkey=bytes.fromhex(TOKEN)) as odd:
        odd.recv_bytes()
        odd.send_bytes(b'{"messages": 3}\n')
        assert b"asked nothing that it understands" in odd.recv_bytes()
    assert HostedModel(host).ask(question(3), 1).text == "find can 3"


@pytest.fixture
def weights(tiny) -> Weights:
    return Weights(name=str(tiny("llava")))


@pytest.mark.slow
def test_a_process_answers_as_this_one_does_and_is_started_again(weights, tmp_path, monkeypatch) -> None:
    alone = load_engine(Load(Path(weights.name))).answer([question(1)])[0]
    named = named_planner(f"transformers:{weights.name}", SETTINGS)
    process = named.make.share(named.argument, named.settings, tmp_path / "model.log")
    assert isinstance(process, ModelProcess)
    try:
        process.ensure()
        for name, value in process.environment.items():
            monkeypatch.setenv(name, value)
        planners = [load_planner(f"transformers:{weights.name}", SETTINGS) for _ in range(2)]
        sources = [planner.model.source for planner in planners]
        assert all(isinstance(source, HostedModel) for source in sources)
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda source: source.ask(question(1), 8), sources))
        assert answers == [alone, alone]
        other = load_planner(f"transformers:{weights.name}", {**SETTINGS, "dtype": "bfloat16"})
        assert not isinstance(other.model.source, HostedModel), "of other weights the host knows nothing"
        monkeypatch.delenv(VARIABLE)
        own = load_planner(f"transformers:{weights.name}", SETTINGS)
        assert own.describe() == planners[0].describe(), "the record does not tell where the model was loaded"

        assert process._process is not None
        process._process.kill()
        with pytest.raises(PlannerError, match=r"The process that holds the model has ended; .*model\.log"):
            sources[0].ask(question(1), 8)
        process._process.wait()
        process.ensure()
        assert process._process.poll() is None
    finally:
        process.close()
    assert not Path(process._host.address).parent.exists()


def test_what_cannot_be_loaded_is_reported_to_who_asks(host: Host, loading: process_main.Loading) -> None:
    loading.set_exception(BadInput("There is no model folder here."))
    with pytest.raises(BadInput, match=r"^There is no model folder here\.$"):
        HostedModel(host)


def test_it_ends_with_whoever_started_it_however_that_ends(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from planners.llm.local.process import ModelProcess\n"
        "from planners.llm.local.own_or_shared_model import Weights\n"
        f"one = ModelProcess(Weights(name='nothing'), pathlib.Path({str(tmp_path / 'model.log')!r}))\n"
        "one.ensure(); print(one._process.pid, one._folder, flush=True); sys.stdin.read()"
    )
    runner = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert runner.stdout is not None
    number, folder = runner.stdout.readline().split()
    watched = os.pidfd_open(int(number))
    try:
        runner.send_signal(signal.SIGKILL)
        runner.wait()
        assert select.select([watched], [], [], 60)[0], "it went on without its runner"
        assert not Path(folder).exists()
    finally:
        os.close(watched)
