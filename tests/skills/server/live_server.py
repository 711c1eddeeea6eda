"""A policy server in a thread, and the set that it serves."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from skills.policies.policy import PolicyFailed, PolicySet
from skills.policy_client import RemotePolicy
from skills.policy_server import PolicyServer, Service


class CountingPolicy:
    """Counts its steps, answers with what it was given, and fails in all ways it is asked to."""

    def __init__(self, facts: dict[str, object]) -> None:
        self.facts = facts
        self.steps = 0

    def reset(self, goal):
        if goal.get("text") == "impossible":
            raise PolicyFailed("no such thing")
        self.goal, self.steps = goal, 0

    def step(self, inputs):
        if inputs.get("fail"):
            raise PolicyFailed("the thing is out of sight")
        if inputs.get("crash"):
            raise ZeroDivisionError("a bug")
        if inputs.get("odd"):
            return {"odd": object()}
        time.sleep(inputs.get("sleep", 0.0))
        self.steps += 1
        return {"steps": self.steps, "text": self.goal["text"], **inputs}


class Counting(PolicySet):
    """A set without a checkpoint."""

    name = "Counting-1"
    actions = ("Go to",)

    def __init__(self, about: str = "first") -> None:
        self.about = about

    def policy(self):
        return CountingPolicy({"mean": np.array([1.0, 2.0]), "rate": 4.0})

    @classmethod
    def around(cls, policy, spec, kinematics):
        return []

    def describe(self):
        return {"about": self.about}


@contextmanager
def serving(about: str = "first", skills: PolicySet | None = None, **options: object) -> Iterator[PolicyServer]:
    """A live server on a free port of this machine, of the counting policy unless another set is given."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = PolicyServer(Service(name="counting", skills=skills or Counting(about), **{"port": 0, **options}))
    try:
        asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result(10)
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.__aexit__(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@contextmanager
def remote(url: str, token: str = "", **seconds: float) -> Iterator[RemotePolicy]:
    """A client with short deadlines."""
    limits = {"connect_seconds": 5.0, "reply_seconds": 5.0, "reconnect_seconds": 0.2, **seconds}
    policy = RemotePolicy(url, token=token, **limits)
    try:
        yield policy
    finally:
        policy.close()


def visit(url: str, token: str = "", **seconds: float) -> None:
    """Come and go."""
    with remote(url, token, **seconds):
        pass
