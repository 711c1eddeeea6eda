"""The pool on a Ray cluster, with a fake Ray: `test_ray.py` has the slow one with the real thing."""

from __future__ import annotations

import fcntl
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake_ray import NEVER, FakeRay, RayActorError, RayError

from homie.bench.play.pool import Limits
from homie.bench.play.ray_pool import Player, RayPool
from homie.bench.play.worker import Job, Report
from homie.bench.suite.suite import Task
from homie.kernel.errors import InfrastructureError
from homie.kernel.options import RunOptions
from homie.runtime.runstore import read_episode

Jobs = Callable[[int], Job]
Pools = Callable[..., tuple[RayPool, FakeRay]]


@pytest.fixture
def job(tiny_options: Callable[..., RunOptions], tmp_path: Path) -> Jobs:
    """A job of a number, for the tiny world."""

    def make(number: int) -> Job:
        folder = tmp_path / "bench" / "episodes" / f"put-{number}"
        folder.mkdir(parents=True)
        task = Task.model_validate({"id": "put", "text": "put the ball in the box", "goal": {"in": ["ball", "box"]}})
        return Job(suite="small", task=task, trial=number, seed=9, folder=folder, options=tiny_options(out=None))

    return make


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pools]:
    """A pool on a fake Ray."""
    (tmp_path / "bench" / "episodes").mkdir(parents=True)
    before = signal.getsignal(signal.SIGTERM)

    def make(
        size: int = 2,
        *,
        timeout: float = 60.0,
        recycle: int = 50,
        address: str = "local",
        ray: FakeRay | None = None,
    ) -> tuple[RayPool, FakeRay]:
        cluster = ray or FakeRay()
        monkeypatch.setitem(sys.modules, "ray", cluster)
        return RayPool(tmp_path / "bench", size, Limits(timeout, None, recycle), address), cluster

    yield make
    signal.signal(signal.SIGTERM, before)


def test_an_actor_plays_one_job_after_the_other_until_it_is_replaced(pool: Pools, job: Jobs, tmp_path: Path) -> None:
    actors, ray = pool(recycle=2)
    assert actors.free == 2
    jobs = [job(number) for number in range(3)]
    for number, each in enumerate(jobs):
        actors.submit(each)
        assert actors.free == 1
        ((finished_job, report, seconds),) = actors.wait(1.0)
        assert (finished_job, report) == (each, Report()) and seconds >= 0.0
        ending = read_episode(each.folder)
        assert ending is not None and (ending.trial, ending.seed, ending.ended_by) == (number, 9, "ended")
        assert actors.free == 2
        assert (len(ray.actors), len(ray.killed)) == ((1, 0), (1, 1), (2, 1))[number]
    run, memory, places = ray.actors[0]
    assert Path(run) == (tmp_path / "bench").resolve() and memory is None and places == sys.path
    actors.close()
    assert len(ray.killed) == 2 and ray.over


def test_jobs_are_played_side_by_side_on_no_more_cpus_than_there_are(pool: Pools, job: Jobs) -> None:
    actors, ray = pool(2, ray=FakeRay(8.0))
    ray.answers = [NEVER]
    first, second = job(0), job(1)
    actors.submit(first)
    actors.submit(second)
    assert actors.free == 0 and len(ray.actors) == 2
    ((finished_job, report, _),) = actors.wait(0.01)
    assert finished_job == second and report.cause is None and actors.free == 1
    assert pool(4, ray=FakeRay(3.0))[0].free == 3
    assert pool(4, ray=FakeRay(0.0))[0].free == 1, "a cluster that does not say how many it has"


def test_how_a_cluster_is_asked_for(pool: Pools) -> None:
    before = signal.getsignal(signal.SIGTERM)
    _, ray = pool(3)
    assert ray.init_with == {
        "num_cpus": 3, "include_dashboard": False, "log_to_driver": False, "logging_level": "error",
    }  # fmt: skip
    assert ray.actor_options["num_cpus"] == 1 and ray.actor_options["max_restarts"] == 0
    assert ray.actor_options["runtime_env"] == {"env_vars": {"PYTHONHASHSEED": "0"}}
    assert signal.getsignal(signal.SIGTERM) is before, "Ctrl-C and SIGTERM stay the runner's"
    _, ray = pool(3, address="head:6379")
    assert ray.init_with == {"address": "head:6379", "log_to_driver": False, "logging_level": "error"}
    for error in (ConnectionError("refused"), RuntimeError("refused"), ValueError("refused")):
        with pytest.raises(InfrastructureError, match=r"^No Ray cluster answers at 'head:1': refused$"):
            pool(address="head:1", ray=FakeRay(absent=error))


def test_an_actor_that_dies_is_a_crash_and_is_replaced(pool: Pools, job: Jobs) -> None:
    actors, ray = pool(1)
    ray.answers = [
        RayActorError("  The actor was killed.\nA long story."),
        RayActorError(""),
        RayError("A traceback\nNo room for the object.\n"),
    ]
    reports = []
    for number in range(4):
        actors.submit(job(number))
        ((_, report, _),) = actors.wait(1.0)
        reports.append((report.cause, report.message))
        assert len(ray.killed) == min(number + 1, 3) and actors.free == 1
    assert reports == [
        ("crash", "The Ray actor died: The actor was killed."),
        ("crash", "The Ray actor died: RayActorError"),
        ("error", "Ray: No room for the object."),
        (None, ""),
    ]


def test_the_time_of_a_job_runs_from_the_start_of_its_actor(pool: Pools, job: Jobs) -> None:
    actors, ray = pool(1, timeout=0.04)
    ray.answers, ray.up = [NEVER, NEVER], False
    actors.submit(job(0))
    assert actors.wait(0.05) == [] and ray.waited == [0.05], "its process has not started"
    ray.up = True
    ((_, report, _),) = actors.wait(1.0)
    assert ray.waited[-1] <= 0.04, "it does not wait beyond the end of the time"
    assert (report.cause, report.message) == ("deadline", "The episode was not over after 0.04 s.")
    assert len(ray.killed) == 1 and actors.free == 1
    actors, ray = pool(1, timeout=60)
    ray.answers = [NEVER]
    actors.submit(job(1))
    assert actors.wait(0.01) == [] and not ray.killed, "there is time left"


def test_an_actor_that_has_not_started_is_given_up_at_last(
    pool: Pools, job: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homie.bench.play.ray_pool.START", 0.02)
    actors, ray = pool(1, timeout=60)
    ray.answers, ray.up = [NEVER], False
    actors.submit(job(0))
    ((_, report, _),) = actors.wait(1.0)
    assert (report.cause, report.message) == ("deadline", "The Ray actor had not started after 0.02 s.")
    assert len(ray.killed) == 1


def test_an_actor_finds_plug_ins_and_holds_the_run_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", ["/here", "/there"])
    (tmp_path / "episodes").mkdir()
    Player(str(tmp_path), None, ["/there", "/plug-ins"])
    assert sys.path == ["/here", "/there", "/plug-ins"]
    descriptor = os.open(tmp_path / "episodes", os.O_RDONLY)
    with pytest.raises(BlockingIOError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(descriptor)
