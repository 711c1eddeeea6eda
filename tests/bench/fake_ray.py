"""As much of the package `ray` as the bench uses, in this process: actors whose calls are over at once, or never."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

NEVER = object()
"""The answer of a call that does not end."""


class RayError(Exception):
    """`ray.exceptions.RayError`."""


class RayActorError(RayError):
    """`ray.exceptions.RayActorError`."""


class Actor:
    """A handle. Each method of the class has a `remote` that gives a reference."""

    def __init__(self, inside: object, cluster: FakeRay) -> None:
        self._inside, self._cluster = inside, cluster

    def __getattr__(self, name: str) -> SimpleNamespace:
        return SimpleNamespace(
            remote=lambda *arguments: self._cluster.called(name, getattr(self._inside, name), arguments)
        )


class FakeRay:
    """answers: what calls of `play` give instead of what the actor does, in turn: an error, or `NEVER`."""

    exceptions = SimpleNamespace(RayError=RayError, RayActorError=RayActorError)

    def __init__(self, cpus: float = 8.0, *, absent: Exception | None = None) -> None:
        self._cpus, self._absent = cpus, absent
        self.answers: list[object] = []
        self.up = True
        self.init_with: dict[str, Any] = {}
        self.actor_options: dict[str, Any] = {}
        self.actors: list[tuple[Any, ...]] = []
        self.killed: list[Actor] = []
        self.waited: list[float] = []
        self.over = False

    def init(self, **options: Any) -> None:
        if self._absent is not None:
            raise self._absent
        self.init_with = options
        signal.signal(signal.SIGTERM, lambda number, frame: None)  # Ray puts one of its own there

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": self._cpus, "memory": 1e9} if self._cpus else {}

    def remote(self, **options: Any) -> Callable[[type], SimpleNamespace]:
        self.actor_options = options

        def decorate(kind: type) -> SimpleNamespace:
            def make(*arguments: Any) -> Actor:
                self.actors.append(arguments)
                return Actor(kind(*arguments), self)

            return SimpleNamespace(remote=make)

        return decorate

    def called(self, name: str, method: Callable[..., object], arguments: tuple[object, ...]) -> Callable[[], object]:
        """The reference of a call: what gives its answer."""
        if name == "up":
            return lambda: None if self.up else NEVER
        answer = self.answers.pop(0) if self.answers else method(*arguments)
        return lambda: answer

    def wait(self, references: list[Callable[[], object]], *, timeout: float) -> tuple[list[Any], list[Any]]:
        ready = [each for each in references if each() is not NEVER]
        if timeout:
            self.waited.append(timeout)
            time.sleep(0.0 if ready else timeout)
        return ready, [each for each in references if each not in ready]

    def get(self, reference: Callable[[], object]) -> object:
        answer = reference()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def kill(self, actor: Actor) -> None:
        self.killed.append(actor)

    def shutdown(self) -> None:
        self.over = True
