"""Planners for the tests of the bench: one injects a fault named by the instruction, one is random."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from homie.kernel.errors import PlannerError
from homie.kernel.interfaces import Planner
from homie.kernel.types import Decision, PlannerInput, Subtask

LINES = (("Go to", "ball"), ("Pick", "ball"), ("Go to", "box"), ("Put", "ball", "box"), ("End",))


def _sleep() -> None:
    time.sleep(600)


def _ignore_sigterm() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)


def _exhaust_memory() -> None:
    bytearray(64 << 30)


def _time_out() -> None:
    raise PlannerError("The endpoint did not answer within 3 s.")


def _bug() -> None:
    raise ZeroDivisionError("a bug in a plug-in")


def _lose_connection() -> None:
    raise ConnectionError("the line is down")


def _crash_once() -> None:
    mark = Path(os.environ["TROUBLE_MARK"])
    if not mark.exists():
        mark.touch()
        os._exit(7)


TROUBLE: Mapping[str, Callable[[], None]] = {
    "crash": lambda: os._exit(7),
    "segfault": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "hang": _sleep,
    "deaf": _ignore_sigterm,
    "eat": _exhaust_memory,
    "silent": _time_out,
    "bug": _bug,
    "drop": _lose_connection,
    "once": _crash_once,
}


class TroublePlanner(Planner):
    """Planner that does the task of the tiny world, and injects the fault named by the task's first word in round 3.

    `mute`: its answers cannot be parsed until the file TROUBLE_MARK exists.
    """

    name = "trouble"

    def __init__(self, argument: str) -> None:
        self._trouble: Callable[[], None] | None = None

    def describe(self) -> Mapping[str, object]:
        return {"kind": "trouble"}

    def reset(self, task: str, *, seed: int) -> None:
        self._trouble = TROUBLE.get(task.split()[0])
        self._mute = task.startswith("mute")

    def decide(self, planner_input: PlannerInput) -> Decision:
        if self._mute and not Path(os.environ["TROUBLE_MARK"]).exists():
            return Decision((), problem="The answer is empty.", advice="Set max_tokens.")
        if planner_input.round == 3 and self._trouble is not None:
            self._trouble()
        return Decision((Subtask(*LINES[(planner_input.round - 1) % len(LINES)]),))


class SampledPlanner(Planner):
    """Planner with random decisions that depend on the seed alone. With the argument `pid` `raw` is its process ID."""

    name = "sampled"

    def __init__(self, argument: str) -> None:
        self._raw = str(os.getpid()) if argument == "pid" else ""

    def reset(self, task: str, *, seed: int) -> None:
        self._rng = random.Random(seed)

    def decide(self, planner_input: PlannerInput) -> Decision:
        return Decision(
            (Subtask(*self._rng.choice(LINES[:4] * 2 + LINES[4:])),), f"round {planner_input.round}", "", self._raw
        )
