"""Retries of a call with backoff, until it succeeds or its deadline passes."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from typing import TypeVar

from homie.kernel.errors import PlannerError
from planners.llm.calls.endpoint import Endpoint
from planners.llm.calls.failure import Failure
from planners.llm.calls.settings import EndpointSettings

T = TypeVar("T")

LONGEST = 30.0
"""Maximum backoff, s; waits that the endpoint asks for may be longer."""


def call(endpoint: Endpoint, settings: EndpointSettings, rng: random.Random, attempt: Callable[[float], T]) -> T:
    """Call `attempt(timeout in seconds)`, which raises Failure or TimeoutError, until it returns; return its result.

    Transient failures are retried after exponential backoff with jitter, not before the time that the endpoint asks
    for (`waits`).
    Raises PlannerError when retries or time are used up, Failure for a permanent failure.
    """
    deadline = time.monotonic() + settings.deadline
    number = 0
    while True:
        number += 1
        seconds = min(settings.timeout, deadline - time.monotonic())
        try:
            result = attempt(seconds)
        except (Failure, TimeoutError) as error:
            failure = error if isinstance(error, Failure) else _timeout_failure(endpoint.host, seconds)
            if failure.answered:
                endpoint.answered = True
            if not failure.again:
                raise failure from None
            wait = pause(number, failure, settings, rng)
            if number > settings.retries or time.monotonic() + wait >= deadline:
                raise PlannerError(_final_message(failure, number, settings)) from None
            time.sleep(wait)
        else:
            endpoint.answered = True
            return result


def pause(number: int, failure: Failure, settings: EndpointSettings, rng: random.Random) -> float:
    """Return the seconds to wait after attempt `number` (from 1): doubled each time, with jitter."""
    backoff = min(LONGEST, settings.backoff * 2.0 ** (number - 1)) * rng.uniform(0.5, 1.0)
    return max(backoff, failure.after or 0.0)


def _timeout_failure(host: str, seconds: float) -> Failure:
    return Failure(f"{host} did not finish its answer within {seconds:.3g} s", again=True, answered=False)


def _final_message(failure: Failure, number: int, settings: EndpointSettings) -> str:
    tries = "1 try" if number == 1 else f"{number} tries"
    wait_clause = f"; it asks to wait {math.ceil(failure.after)} s" if failure.after else ""
    return f"{failure} ({tries}, deadline {settings.deadline:g} s{wait_clause})."
