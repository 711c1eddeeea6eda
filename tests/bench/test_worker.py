"""What a worker says of the episode that it was given, whatever happens to it."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from homie_tiny import FilmedTinyRobot, LinesPlanner
from pydantic import BaseModel

from homie.bench.options import BenchOptions
from homie.bench.play.pool import Limits, LocalPool
from homie.bench.play.runner import shared_part
from homie.bench.play.worker import EXPERT, Job, Report
from homie.bench.play.worker import perform as perform_with
from homie.bench.play.worker_parts import WorkerParts
from homie.bench.suite.suite import Task
from homie.kernel.errors import HomieError, InfrastructureError, Interrupted, PlannerError, RobotFault
from homie.kernel.interfaces import Robot
from homie.kernel.options import RunOptions
from homie.kernel.types import Command
from homie.runtime.provenance import read_parts
from homie.runtime.runstore import read_episode

PUT = {"id": "put", "text": "put the ball in the box", "goal": {"in": ["ball", "box"]}}
TROUBLE: dict[str, BaseException] = {}
"""What the robot of these tests raises when it should move, under "act"."""


class Faulty(FilmedTinyRobot):
    """Raises what stands in TROUBLE."""

    def _send(self, command: Command) -> None:
        if "act" in TROUBLE:
            raise TROUBLE["act"]
        super()._send(command)


class Blind(Faulty):
    """A robot that does not know its world."""

    snapshot = None


def open_faulty(options: RunOptions) -> Robot:
    return Faulty()


def open_broken(options: RunOptions) -> Robot:
    raise ZeroDivisionError("a bug in a plug-in")


def open_blind(options: RunOptions) -> Robot:
    return Blind()


def perform(job: Job) -> Report:
    """The first episode of a worker."""
    with contextlib.closing(WorkerParts()) as parts:
        return perform_with(job, parts)


@pytest.fixture
def job(tiny_options: Callable[..., RunOptions], tmp_path: Path) -> Callable[..., Job]:
    """A job in the tiny world. task: other keys of its task."""

    def make(task: Mapping[str, object] | None = None, *, mixed: bool = False, **options: object) -> Job:
        folder = tmp_path / "bench" / "episodes" / "put-0"
        folder.mkdir(parents=True)
        whole_task = Task.model_validate({**PUT, **(task or {})})
        settings = {"robot": f"{__name__}:open_faulty", "out": None, **options}
        return Job(
            suite="small",
            task=whole_task,
            trial=2,
            seed=9,
            folder=folder,
            options=tiny_options(**settings),
            mixed=mixed,
        )

    TROUBLE.clear()
    return make


def test_a_finished_episode_says_what_it_was_made_with(job: Callable[..., Job]) -> None:
    planned = job()
    assert perform(planned) == Report()
    ending = read_episode(planned.folder)
    assert ending is not None and (ending.trial, ending.seed, ending.ended_by) == (2, 9, "ended")
    parts = read_parts(planned.folder.parent.parent, ending.parts)
    assert parts is not None and parts.robot["class"] == f"{__name__}:Faulty"


def of_disk(number: int) -> OSError:
    return OSError(number, "No space left on device")


def with_cause(error: HomieError, cause: BaseException) -> HomieError:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "report"),
    [
        (RobotFault("A motor is hot."), Report(cause="robot", message="A motor is hot.")),
        (InfrastructureError("No server."), Report(cause="error", message="No server.")),
        (MemoryError(), Report(cause="memory", message="The worker was given no more memory.")),
        (MemoryError("Unable to allocate 9 GiB."), Report(cause="memory", message="Unable to allocate 9 GiB.")),
        (
            with_cause(InfrastructureError("It broke."), MemoryError("Too large.")),
            Report(cause="memory", message="Too large."),
        ),
    ],
    ids=["robot", "infrastructure", "memory", "how-much", "memory-inside"],
)
def test_causes(job: Callable[..., Job], error: BaseException, report: Report) -> None:
    planned = job()
    TROUBLE["act"] = error
    assert perform(planned) == report


def test_the_user_stops_it(job: Callable[..., Job]) -> None:
    planned = job()
    TROUBLE["act"] = KeyboardInterrupt()
    with pytest.raises(Interrupted):
        perform(planned)


def test_a_full_disk_is_every_episodes_and_another_error_of_a_file_is_not(job: Callable[..., Job]) -> None:
    planned = job()
    TROUBLE["act"] = of_disk(errno.ENOSPC)
    report = perform(planned)
    assert (report.cause, report.fatal, report.exit_code) == (None, True, 4)
    assert report.message == (
        f"Cannot write into {planned.folder}: No space left on device. Make room there and give the same command again "
        "with --out."
    )
    again = planned.model_copy(update={"folder": planned.folder.with_name("put-1")})
    TROUBLE["act"] = of_disk(errno.ENOENT)
    again.folder.mkdir()
    report = perform(again)
    assert (report.cause, report.fatal) == ("code", False) and "No space left" in report.message


def test_bad_input_would_stop_every_episode_and_names_the_task(job: Callable[..., Job]) -> None:
    report = perform(job({"goal": {"open": "ball"}}))
    assert report.fatal and report.exit_code == 2 and report.message.startswith("The suite 'small': task 'put': ")


def test_a_goal_for_a_robot_that_does_not_know_its_world(job: Callable[..., Job]) -> None:
    report = perform(job(robot=f"{__name__}:open_blind", targets="tiny"))
    assert report.message == (
        "The suite 'small': task 'put': the goal cannot be judged, since this robot has no world state: give key paths"
        " instead, or play the suite in a simulator."
    )
    assert report.fatal and report.exit_code == 2


def test_what_nobody_expected_leaves_its_traceback(job: Callable[..., Job]) -> None:
    planned = job(robot=f"{__name__}:open_broken")
    report = perform(planned)
    assert (report.cause, report.fatal, report.final) == ("code", False, True)
    assert re.fullmatch(
        r"Error in code of your own at \S*test_worker\.py, line \d+, in open_broken: "
        r"ZeroDivisionError: a bug in a plug-in\.",
        report.message,
    )
    trace = (planned.folder / "error.log").read_text(encoding="utf-8")
    assert trace.startswith("Traceback") and "open_broken" in trace and trace.rstrip().endswith("a bug in a plug-in")


@pytest.mark.parametrize("error", [ZeroDivisionError(), ConnectionResetError(), RuntimeError("CUDA error")])
def test_only_a_bug_of_own_code_would_come_again_in_every_try(job: Callable[..., Job], error: Exception) -> None:
    planned = job()
    TROUBLE["act"] = error
    report = perform(planned)
    assert (report.cause, report.final) == ("code", isinstance(error, ZeroDivisionError))
    assert f"in _send: {type(error).__name__}" in report.message


def test_an_expert_plays_the_steps_of_the_suite(job: Callable[..., Job]) -> None:
    steps = ["[Go to, ball]", "[Pick, ball]", "[Go to, box]", "[Put, ball, box]", "[End]"]
    planned = job({"expert": steps}, planner=EXPERT)
    assert perform(planned) == Report()
    assert json.loads((planned.folder / "expert.json").read_text()) == steps
    ending = read_episode(planned.folder)
    assert ending is not None and ending.rounds == 5
    parts = read_parts(planned.folder.parent.parent, ending.parts)
    assert parts is not None and parts.planner == {"name": EXPERT}, "not the steps, which every task has its own of"
    assert not (planned.folder.parent.parent / "texts").exists()


def test_an_expert_without_steps(job: Callable[..., Job]) -> None:
    report = perform(job(planner=EXPERT))
    assert report.message == (
        "The suite 'small': task 'put': the suite gives no expert for it, so the planner 'expert' cannot play it."
    )
    assert report.fatal and report.exit_code == 2


def test_a_worker_process_that_does_not_start_is_ended(
    job: Callable[..., Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homie.bench.play.pool.START", 0.0)
    planned = job()
    (tmp_path / "bench" / "workers").mkdir()
    pool = LocalPool(tmp_path / "bench", 2, Limits(60.0, None, 5))
    pool.submit(planned)
    assert pool.free == 1
    ((finished_job, report, _),) = pool.wait(1.0)
    assert finished_job == planned and (report.cause, report.fatal) == ("deadline", False)
    assert report.message == "The worker process had not started after 0 s." and pool.free == 2
    pool.close()


class Sharing:
    """What the planners of a bench share here: a word in their environment."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.story: list[str] = []

    @property
    def environment(self) -> dict[str, str]:
        return {"WORD_OF_THE_BENCH": "swordfish"}

    def ensure(self) -> None:
        self.story.append("ensured")

    def close(self) -> None:
        self.story.append("closed")


class Knowing(LinesPlanner):
    """Plans where it knows the word."""

    @classmethod
    def share(cls, argument: str, settings: BaseModel | None, log: Path) -> Sharing:
        return Sharing(log)

    def reset(self, task: str, *, seed: int) -> None:
        if os.environ.get("WORD_OF_THE_BENCH") != "swordfish":
            raise PlannerError("Nobody told the word.")
        super().reset(task, seed=seed)


def test_workers_find_what_their_planners_share(job: Callable[..., Job], tmp_path: Path) -> None:
    planned = job()
    planner = planned.options.planner.replace("lines:", f"{__name__}:Knowing:")
    planned = planned.model_copy(update={"options": planned.options.model_copy(update={"planner": planner})})
    (tmp_path / "bench" / "workers").mkdir()
    options = BenchOptions(suite="any", planner=planner, workers=2)
    shared = shared_part(tmp_path / "bench", options)
    assert isinstance(shared, Sharing) and shared.log == tmp_path / "bench/workers/model.log"
    assert shared_part(tmp_path, BenchOptions(suite="any", planner=EXPERT)) is None
    pool = LocalPool(tmp_path / "bench", 2, Limits(60.0, None, 5), shared)
    pool.submit(planned)
    while not (ended := pool.wait(60.0)):
        pass
    assert [report for _, report, _ in ended] == [Report()] and "WORD_OF_THE_BENCH" not in os.environ
    pool.close()
    assert shared.story == ["ensured", "closed"]
