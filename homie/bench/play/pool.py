"""Pools that play jobs and report the results; here: worker processes on this machine."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from homie.bench.play.worker import BEGUN, Job, Report, work
from homie.bench.suite.suite import SceneChoice, Task
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import SharedPart

GRACE = 5.0
"""Seconds for a worker to stop its robot before it is killed."""
START = 300.0
"""Maximum start time of a worker process in s: much more than it takes on the busiest machine."""
UNGUARDED = 97
"""Exit code of a worker whose script calls `homie.bench` on import."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a job.

    Attributes:
        timeout: Wall clock limit in s.
        memory: Memory limit of its process in GiB, None for no limit.
        recycle: Number of jobs after which a process is replaced.
    """

    timeout: float
    memory: float | None
    recycle: int


class Pool(ABC):
    """Plays jobs in parallel."""

    @property
    @abstractmethod
    def free(self) -> int:
        """Number of jobs that can be submitted now."""

    def choice(self, tasks: Sequence[Task]) -> int:
        """Return the index of the waiting task to play next: the first, unless a pool has a better choice."""
        return 0

    @abstractmethod
    def submit(self, job: Job) -> None:
        """Start a job. Only valid while `free` is above 0."""

    @abstractmethod
    def wait(self, seconds: float) -> Sequence[tuple[Job, Report, float]]:
        """Return the finished jobs with reports and seconds; empty if none finished within `seconds`."""

    @abstractmethod
    def close(self) -> None:
        """Stop everything: robots first, then processes. Idempotent."""


@dataclass
class _Worker:
    """A worker process, as the runner sees it, with its current job."""

    process: SpawnProcess
    connection: Connection
    number: int
    job: Job | None = None
    scene: SceneChoice | None = None
    """Scene of its last job."""
    began: float = field(default_factory=time.monotonic)
    at_work: bool = False
    """Whether it has started its job. Before that, `began` is the time of submission."""
    done: int = 0

    def left(self, timeout: float) -> float:
        """Return the seconds of wall clock left for the job or the start of the process."""
        return self.began + (timeout if self.at_work else START) - time.monotonic()


class LocalPool(Pool):
    """Spawned worker processes. A job fails if it takes too long or its process dies.

    Args:
        shared: Resource shared by the planners, None for none; the pool starts and closes it.
        stay_in_scene: Whether a worker plays all tasks of its scene before it builds another one.
    """

    def __init__(
        self, run: Path, size: int, limits: Limits, shared: SharedPart | None = None, *, stay_in_scene: bool = False
    ) -> None:
        self._run, self._size, self._limits, self._shared, self._stay_in_scene = (
            run,
            size,
            limits,
            shared,
            stay_in_scene,
        )
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []

    @property
    def free(self) -> int:
        return self._size - sum(worker.job is not None for worker in self._workers)

    def choice(self, tasks: Sequence[Task]) -> int:
        """Prefer a task in the scene of a free worker, then one in a scene of no busy worker, then the first."""
        if not self._stay_in_scene:
            return 0
        free_scenes = [worker.scene for worker in self._workers if worker.job is None]
        busy_scenes = [worker.scene for worker in self._workers if worker.job is not None]
        scenes = [task.scene for task in tasks]
        places = (place for place, scene in enumerate(scenes) if scene in free_scenes)
        new_places = (place for place, scene in enumerate(scenes) if scene not in busy_scenes)
        return next(places, next(new_places, 0))

    def submit(self, job: Job) -> None:
        if self._shared is not None:
            self._shared.ensure()
        idle = [worker for worker in self._workers if worker.job is None and worker.process.is_alive()]
        matching = (worker for worker in idle if worker.scene == job.task.scene)
        worker = next(matching, None) or next(iter(idle), None) or self._start()
        worker.scene = job.task.scene
        worker.job, worker.began, worker.at_work = job, time.monotonic(), False
        with contextlib.suppress(BrokenPipeError):  # it has just died: `wait` reports it
            worker.connection.send_bytes(job.model_dump_json(by_alias=True).encode())

    def wait(self, seconds: float) -> Sequence[tuple[Job, Report, float]]:
        busy = [worker for worker in self._workers if worker.job is not None]
        remaining = [worker.left(self._limits.timeout) for worker in busy]
        wait(
            [item for worker in busy for item in (worker.connection, worker.process.sentinel)],
            timeout=max(0.0, min([seconds, *remaining])),
        )
        results = []
        for worker in busy:
            report = self._report(worker)
            if report is not None and worker.job is not None:
                results.append((worker.job, report, time.monotonic() - worker.began))
                worker.job, worker.done = None, worker.done + 1
                if report.cause is not None or worker.done >= self._limits.recycle or not worker.process.is_alive():
                    self._end([worker])
        return results

    def close(self) -> None:
        try:
            self._end(list(self._workers))
        finally:
            if self._shared is not None:
                self._shared.close()

    def _start(self) -> _Worker:
        number = min(set(range(self._size)) - {worker.number for worker in self._workers})
        own_end, worker_end = self._context.Pipe()
        process = self._context.Process(
            target=work, args=(worker_end, self._run, number, self._limits.memory), name=f"homie-worker-{number}"
        )
        # All workers hash strings alike, so that the order of sets cannot differ between them.
        shared = self._shared.environment if self._shared is not None else {}
        with _environment({"PYTHONHASHSEED": "0", **shared}), _no_interrupt():
            process.start()
        worker_end.close()
        worker = _Worker(process, own_end, number)
        self._workers.append(worker)
        return worker

    def _report(self, worker: _Worker) -> Report | None:
        """Return the report of a worker, or of its death; None while it is working."""
        alive = worker.process.is_alive()  # checked first: messages sent before it died can still be read
        with contextlib.suppress(EOFError, OSError):
            while worker.connection.poll():
                message = worker.connection.recv_bytes()
                if message != BEGUN:
                    return Report.model_validate_json(message)
                worker.began, worker.at_work = time.monotonic(), True
        if not alive:
            return _death_report(worker, self._run)
        if worker.left(self._limits.timeout) > 0:
            return None
        self._end([worker])
        if not worker.at_work:
            return Report(cause="deadline", message=f"The worker process had not started after {START:g} s.")
        return Report(cause="deadline", message=f"The episode was not over after {self._limits.timeout:g} s.")

    def _end(self, workers: Sequence[_Worker]) -> None:
        """Stop workers together: busy ones with SIGTERM, which stops the robot first; then with SIGKILL."""
        for worker in workers:
            if worker.job is None:
                worker.connection.close()  # an idle worker exits by itself
            else:
                worker.process.terminate()
        end = time.monotonic() + GRACE
        for worker in workers:
            worker.process.join(max(0.0, end - time.monotonic()))
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.connection.close()
            if worker in self._workers:
                self._workers.remove(worker)


def _death_report(worker: _Worker, run: Path) -> Report:
    worker.process.join()
    code = worker.process.exitcode or 0
    log = run / "workers" / f"worker-{worker.number}.log"
    if code == -signal.SIGKILL:
        message = "The worker process was killed (SIGKILL): by the system for want of memory, or by somebody."
        return Report(cause="killed", message=message)
    if code == UNGUARDED:
        advice = 'Worker processes import the script that calls homie.bench: do so under `if __name__ == "__main__":`.'
        return Report(message=advice, fatal=True, exit_code=BadInput.exit_code)
    manner = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
    return Report(cause="crash", message=f"The worker process died {manner}; what it wrote is in {log}.")


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for the processes started in this context."""
    previous = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in previous.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Block Ctrl-C and SIGHUP in processes started in this context: the runner handles them."""
    previous = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous)
