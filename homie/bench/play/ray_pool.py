"""Pool on a Ray cluster (extra `[ray]`): the same jobs, played by actors instead of local processes.

The run folder must be on a disk that every machine of the cluster mounts under the same path.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from homie.bench.play.pool import START, Limits, Pool
from homie.bench.play.worker import Job, Report, perform, prepare
from homie.bench.play.worker_parts import WorkerParts
from homie.kernel.errors import InfrastructureError
from homie.kernel.support.packages import missing_part

LOCAL = "local"
"""Address of a cluster on this machine, started for this bench and stopped with it."""


class Player:
    """Actor that plays one episode after the other, as a worker process does."""

    def __init__(self, run: str, memory: float | None, places: list[str]) -> None:
        sys.path.extend(place for place in places if place not in sys.path)  # where the runner finds its plugins
        prepare(Path(run), memory)
        self._parts = WorkerParts()  # closed with the process, which ends with the actor

    def up(self) -> None:
        """Return once the process of the actor has started."""

    def play(self, job: str) -> str:
        """Play a job. Job and report are JSON."""
        return perform(Job.model_validate_json(job), self._parts).model_dump_json()


@dataclass
class _Slot:
    """An actor with its current job, and the reference to the report.

    Attributes:
        up: Reference that is ready once the actor's process has started, which begins the job's time.
    """

    actor: Any
    up: Any
    job: Job | None = None
    report: Any = None
    began: float = field(default_factory=time.monotonic)
    starting: bool = True
    done: int = 0


class RayPool(Pool):
    """Actors on a Ray cluster, one CPU each. Raises MissingPart; InfrastructureError if no cluster answers.

    Args:
        address: `local`, `auto` for the cluster of this machine, or host:port. Other arguments as for `LocalPool`, but
            an actor that exceeds its time limit is killed at once.
    """

    def __init__(self, run: Path, size: int, limits: Limits, address: str) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # disable Ray's usage statistics
        try:
            import ray
        except ModuleNotFoundError as error:
            raise missing_part("`homie bench --ray`", "ray", "ray") from error
        self._ray = ray
        self._run, self._limits = run.resolve(), limits
        arguments: dict[str, Any] = (
            {"num_cpus": size, "include_dashboard": False} if address == LOCAL else {"address": address}
        )
        handler = signal.getsignal(signal.SIGTERM)
        try:
            ray.init(log_to_driver=False, logging_level="error", **arguments)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise InfrastructureError(f"No Ray cluster answers at '{address}': {error}") from error
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)  # Ray's own handler exits without running `finally` blocks
        self._size = min(size, int(ray.cluster_resources().get("CPU", 1)))
        self._player = ray.remote(num_cpus=1, max_restarts=0, runtime_env={"env_vars": {"PYTHONHASHSEED": "0"}})(Player)
        self._slots: list[_Slot] = []

    @property
    def free(self) -> int:
        return self._size - sum(slot.job is not None for slot in self._slots)

    def submit(self, job: Job) -> None:
        slot = next((slot for slot in self._slots if slot.job is None), None)
        if slot is None:
            actor = self._player.remote(str(self._run), self._limits.memory, sys.path)
            slot = _Slot(actor, actor.up.remote())
            self._slots.append(slot)
        slot.job, slot.began = job, time.monotonic()
        slot.report = slot.actor.play.remote(job.model_dump_json(by_alias=True))

    def wait(self, seconds: float) -> Sequence[tuple[Job, Report, float]]:
        busy = [slot for slot in self._slots if slot.job is not None]
        remaining = [self._seconds_left(slot) for slot in busy]
        ready, _ = self._ray.wait([slot.report for slot in busy], timeout=max(0.0, min([seconds, *remaining])))
        results = []
        for slot in busy:
            report = self._report(slot, slot.report in ready)
            if report is not None and slot.job is not None:
                results.append((slot.job, report, time.monotonic() - slot.began))
                slot.job, slot.done = None, slot.done + 1
                if report.cause is not None or slot.done >= self._limits.recycle:
                    self._end(slot)
        return results

    def close(self) -> None:
        for slot in list(self._slots):
            self._end(slot)
        self._ray.shutdown()

    def _report(self, slot: _Slot, is_ready: bool) -> Report | None:
        errors = self._ray.exceptions
        if is_ready:
            try:
                return Report.model_validate_json(self._ray.get(slot.report))
            except errors.RayActorError as error:
                lines = str(error).strip().splitlines()
                return Report(
                    cause="crash", message=f"The Ray actor died: {lines[0] if lines else type(error).__name__}"
                )
            except errors.RayError as error:
                return Report(cause="error", message=f"Ray: {str(error).strip().splitlines()[-1]}")
        if self._seconds_left(slot) <= 0:
            if slot.starting:
                return Report(cause="deadline", message=f"The Ray actor had not started after {START:g} s.")
            return Report(cause="deadline", message=f"The episode was not over after {self._limits.timeout:g} s.")
        return None

    def _seconds_left(self, slot: _Slot) -> float:
        """Return the seconds of wall clock left for a job or the start of its actor."""
        if slot.starting and self._ray.wait([slot.up], timeout=0)[0]:
            slot.began, slot.starting = time.monotonic(), False
        return slot.began + (START if slot.starting else self._limits.timeout) - time.monotonic()

    def _end(self, slot: _Slot) -> None:
        self._ray.kill(slot.actor)
        self._slots.remove(slot)
