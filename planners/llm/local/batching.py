"""Batching for a loaded model that several planners share: concurrent questions are answered in one pass.

ask (many threads) --> queue --> one worker: a batch of equal picture shapes --> Engine.answer --> the clients
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Sequence
from concurrent.futures import Future
from typing import Protocol
from weakref import WeakSet, WeakValueDictionary

from homie.kernel.errors import PlannerError
from planners.llm.local.engine import Engine
from planners.llm.local.question import Completion, Question

GATHERING = 0.02
"""Seconds that the first question of a batch waits for others, if several planners share the model."""


class Load(Protocol):
    """Loads an engine."""

    def __call__(self) -> Engine: ...


class Server:
    """Answers questions in batches. Its worker thread ends when the queue is empty."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.users: WeakSet[object] = WeakSet()
        """Clients of the server. With one, no question waits for a batch to fill."""
        self._waiting: list[tuple[Question, Future[Completion]]] = []
        self._changed = threading.Condition()
        self._working = False

    def ask(self, question: Question, batch: int) -> Completion:
        """Return the answer; `batch` is the maximum number of questions in one pass. Raises PlannerError."""
        promise = self.submit(question, batch)
        try:
            return promise.result()
        except BaseException:
            question.cancelled.set()
            raise

    def submit(self, question: Question, batch: int) -> Future[Completion]:
        """Queue a question as `ask` does, without waiting. Set `question.cancelled` to cancel it."""
        promise: Future[Completion] = Future()
        with self._changed:
            self._waiting.append((question, promise))
            self._changed.notify_all()
            if not self._working:
                self._working = True
                threading.Thread(target=self._work, args=(batch,), name="local-model", daemon=True).start()
        return promise

    def _work(self, batch: int) -> None:
        while True:
            batch_entries = self._gather(batch)
            if not batch_entries:
                return
            self._answer(batch_entries)

    def _gather(self, batch: int) -> list[tuple[Question, Future[Completion]]]:
        """Take a batch from the queue: the first question and others with equal picture shapes. Empty if the queue is,
        and then the worker ends."""
        with self._changed:
            if not self._waiting:
                self._working = False
                return []
            quorum = min(batch, len(self.users))
            self._changed.wait_for(lambda: len(self._waiting) >= quorum, GATHERING)
            shapes = self._waiting[0][0].shapes
            batch_entries = [waiting for waiting in self._waiting if waiting[0].shapes == shapes][:batch]
            self._waiting = [waiting for waiting in self._waiting if waiting not in batch_entries]
            return batch_entries

    def _answer(self, batch_entries: Sequence[tuple[Question, Future[Completion]]]) -> None:
        """Set the results. A batch that fails is retried one by one, as the cause may be one question or the memory
        for all."""
        try:
            answers = self.engine.answer([question for question, _ in batch_entries])
        except Exception as error:
            if len(batch_entries) > 1:
                for pair in batch_entries:
                    self._answer([pair])
                return
            batch_entries[0][1].set_exception(_as_planner_error(error))
            return
        for (_, promise), answer in zip(batch_entries, answers, strict=True):
            promise.set_result(answer)


def _as_planner_error(error: Exception) -> PlannerError:
    if isinstance(error, PlannerError):
        return error
    if type(error).__name__ == "OutOfMemoryError":
        reason = "it ran out of memory; use smaller images, load_in_4bit or a smaller model"
    else:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    failure = PlannerError(f"The local model failed: {reason}.")
    failure.__cause__ = error
    return failure


_SERVERS: WeakValueDictionary[Hashable, Server] = WeakValueDictionary()
_OPENING = threading.Lock()


def shared(key: Hashable, load: Load) -> Server:
    """Return the server of a model, which is loaded by its first user and freed after its last."""
    with _OPENING:
        server = _SERVERS.get(key)
        if server is None:
            server = _SERVERS[key] = Server(load())
        return server
