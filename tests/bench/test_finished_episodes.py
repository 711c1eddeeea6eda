"""What a bench finds in its run folder, and how a bench is fed: with a pool that plays nothing."""

from __future__ import annotations

import fcntl
import io
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import bench_runs
import pytest
from bench_runs import DONE, LATE, write_run
from rich.console import Console

from homie.bench import episode_plan, resume
from homie.bench.episode_plan import plan
from homie.bench.finished_episodes import BenchFile, is_bench, read_bench
from homie.bench.options import BenchOptions
from homie.bench.play import runner
from homie.bench.play.pool import Pool
from homie.bench.play.progress import Progress
from homie.bench.play.worker import Job, Report
from homie.bench.resume import BenchFolder, check_known, unfinished_episodes
from homie.bench.suite.suite import Suite
from homie.kernel.errors import BadInput, InfrastructureError, Interrupted, MissingPart
from homie.runtime.provenance import OtherParts, PartsFile, description_names, keep
from homie.runtime.runstore import read_model

SUITE = bench_runs.suite(2)


def options(path: Path, **more: object) -> BenchOptions:
    return BenchOptions(suite="small.yaml", planner="rule", out=path, trials=2).model_copy(update=more)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two tasks, two trials; two episodes are finished, one was lost, one is unfinished."""
    ways = {("task-0", 0): DONE, ("task-0", 1): LATE, ("task-1", 0): "crash: gone"}
    return write_run(tmp_path / "run", ways, tasks=SUITE)


def test_a_new_run_folder_has_all_that_says_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "run"
    BenchFolder.open(options(path, seed=5), SUITE).close()
    assert {file.name for file in path.iterdir()} == {"run.json", "run.copy.json", "suite.json", "episodes", "workers"}
    file = read_model(path / "run.json", BenchFile)
    assert read_model(path / "run.copy.json", BenchFile) == file
    assert (file.format, file.kind, file.seed, file.options.trials) == (2, "bench", 5, 2)
    assert set(file.files) == {"suite.json"} and "numpy" in file.versions and file.platform
    assert "T" in file.created and "." not in file.created, "to the second"
    assert is_bench(path) and not is_bench(tmp_path)
    read, suite, episodes = read_bench(path)
    assert read == file and suite == SUITE
    assert [(episode.name, episode.trial) for episode in episodes] == [
        ("task-0-0", 0), ("task-0-1", 1), ("task-1-0", 0), ("task-1-1", 1),
    ]  # fmt: skip
    assert episodes == plan(path, file.options, SUITE)


def test_trials_are_those_of_the_command_line_or_of_the_suite(tmp_path: Path) -> None:
    suite = Suite.model_validate({**SUITE.model_dump(by_alias=True), "protocol": {"trials": 3}})
    assert len(plan(tmp_path, options(tmp_path, trials=None), suite)) == 6
    assert [episode.name for episode in plan(tmp_path, options(tmp_path, trials=1, tasks="task-1"), suite)] == [
        "task-1-0"
    ]
    assert [episode.task.id for episode in plan(tmp_path, options(tmp_path, trials=1, split="test"), suite)] == [
        "task-1"
    ]


def test_what_is_to_be_run(run: Path) -> None:
    _, _, episodes = read_bench(run)
    assert [episode.name for episode in unfinished_episodes(episodes)] == ["task-1-1"]
    assert [episode.name for episode in unfinished_episodes(episodes, again=True)] == ["task-1-0", "task-1-1"]
    (run / "episodes" / "task-0-1" / "final_state.json").unlink()
    assert [episode.name for episode in unfinished_episodes(episodes)] == ["task-0-1", "task-1-1"], "damaged ones too"


def test_a_half_made_folder_is_taken_up_and_one_of_something_else_is_not(run: Path, tmp_path: Path) -> None:
    for name in ("run.json", "run.copy.json"):
        (run / name).unlink()
    (run / ".run.json.tmp").touch()
    BenchFolder.open(options(run), SUITE).close()
    assert read_bench(run)[1] == SUITE
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").touch()
    for _ in range(2):  # the second time it is not in use
        with pytest.raises(BadInput, match=r"other is not empty and not a run folder: choose another --out\.$"):
            BenchFolder.open(options(tmp_path / "other"), SUITE)
    (tmp_path / "single").mkdir()
    (tmp_path / "single" / "run.json").write_text('{"format": 1}')
    with pytest.raises(BadInput, match=r"holds a run of `homie run`, not a bench: choose another --out\.$"):
        BenchFolder.open(options(tmp_path / "single"), SUITE)


def test_only_options_that_decide_an_episode_have_to_be_the_same(run: Path) -> None:
    more = {
        "suite": "moved.yaml", "workers": 4, "ray": "auto", "timeout": 9.0, "retries": 7, "memory": 2.0, "recycle": 3,
        "again": True, "mixed": True, "clean": True, "sweep": ["rounds=2,3"],
    }  # fmt: skip
    BenchFolder.open(options(run, **more), SUITE).close()
    with pytest.raises(
        BadInput, match=r"belongs to another bench \(different: planner, attempts, trials, seed\): choose"
    ):
        BenchFolder.open(options(run, planner="human", attempts=1, seed=3, trials=1), SUITE)
    with pytest.raises(BadInput, match=r"\(different: the content of the suite\)"):
        BenchFolder.open(options(run), bench_runs.suite(3))


def test_what_is_damaged_is_put_back_or_refused(run: Path) -> None:
    good = {name: (run / name).read_bytes() for name in ("run.json", "suite.json")}
    for name, message in (("run.json", "is put back from its copy"), ("suite.json", "is written anew")):
        (run / name).write_bytes(b"{")
        with pytest.raises(BadInput, match=r"with --out repairs the run folder if it can\.$"):
            read_bench(run)
        with pytest.warns(UserWarning, match=rf"{name} was damaged and {message}\.$"):
            BenchFolder.open(options(run), SUITE).close()
        assert (run / name).read_bytes() == good[name]
    (run / "suite.json").write_bytes(b"{")
    with pytest.raises(BadInput, match="the content of the suite"):
        BenchFolder.open(options(run), bench_runs.suite(3))
    with pytest.raises(BadInput, match=r"suite\.json is damaged: it has 1 bytes, \d+ were written\. The same"):
        read_bench(run)


def test_descriptions_that_no_episode_refers_to_are_forgotten(run: Path) -> None:
    about = {"planner": {}, "detector": {}, "skills": {}, "robot": {}, "settings": {}, "versions": {}}
    first, second = (PartsFile.model_validate({**about, "planner": {"model": name}}) for name in ("a", "b"))
    for each in (first, second):
        keep(run, each, {}, mixed=True)
    bench_runs.rewrite(run / "episodes" / "task-0-0", parts=first.digest)
    BenchFolder.open(options(run), SUITE).close()
    assert description_names(run) == (first.digest,)


def test_nobody_knows_what_episodes_of_homie_0_1_were_made_with(run: Path) -> None:
    _, _, episodes = read_bench(run)
    with pytest.raises(
        OtherParts, match=r"What the episode .*task-0-0 was made with is not known .* --mixed to go on\.$"
    ):
        check_known(episodes)
    check_known(episodes[2:])  # one was lost, one is unfinished


def test_workers_of_a_killed_runner_are_waited_for(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resume, "PATIENCE", 0.1)
    worker = os.open(run / "episodes", os.O_RDONLY)
    fcntl.flock(worker, fcntl.LOCK_SH)
    with pytest.raises(BadInput, match=r"^Workers of an earlier run still write into .*: end these processes first\.$"):
        BenchFolder.open(options(run), SUITE)
    os.close(worker)
    BenchFolder.open(options(run), SUITE).close()


# ------------------------------------------------------------------ the runner and its pool


class Answers(Pool):
    """Plays nothing: every job is over at once, as its reports say in turn; without one it is finished."""

    def __init__(self, size: int, *reports: Report | BaseException) -> None:
        self._size, self._reports = size, list(reports)
        self._jobs: list[Job] = []
        self.played: list[str] = []
        self.jobs: list[Job] = []
        self.closed = 0

    @property
    def free(self) -> int:
        return self._size - len(self._jobs)

    def submit(self, job: Job) -> None:
        assert self.free, "only while something is free"
        self._jobs.append(job)
        self.jobs.append(job)
        self.played.append(job.folder.name)

    def wait(self, seconds: float) -> Sequence[tuple[Job, Report, float]]:
        job = self._jobs.pop(0)
        answer = self._reports.pop(0) if self._reports else Report()
        if isinstance(answer, BaseException):
            raise answer
        if answer.cause is None and not answer.fatal:
            self._finish(job)
        return [(job, answer, 1.5)]

    def _finish(self, job: Job) -> None:
        (_, _, episodes) = read_bench(job.folder.parent.parent)
        (episode,) = [candidate for candidate in episodes if candidate.name == job.folder.name]
        shutil.rmtree(episode.folder)
        bench_runs._write_episode(episode, bench_runs.rounds(DONE), {"objects": {}, "held": None}, "")

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def bench(tmp_path: Path, write_suite, tiny_bench):
    """Run a bench of two tasks in two trials on a pool; the summary, and what was reported."""
    suite = write_suite(["put the ball", "get the ball"], trials=2)

    def play(pool: Pool, **more: object):
        output = io.StringIO()
        progress = Progress(Console(file=output, width=400))
        summary = runner.bench(tiny_bench(suite, mixed=True, **more), progress, pool=lambda run: pool)
        return summary, output.getvalue()

    return play


def test_every_task_once_before_any_again(bench, tmp_path: Path) -> None:
    pool = Answers(2)
    summary, _ = bench(pool, rounds=7, attempts=2)
    assert pool.played == ["put-0", "get-0", "put-1", "get-1"] and pool.closed >= 1
    assert (summary.episodes, summary.infrastructure, summary.suite, summary.planner) == (4, 0, "tiny", "trouble")
    assert summary.run_folder == tmp_path / "run" and summary.causes == {}
    job = pool.jobs[0]
    assert (job.options.rounds, job.options.attempts, job.options.task, job.mixed) == (7, 2, "put the ball", True)
    assert (job.options.seed, job.trial) == (0, 0) and job.seed == episode_plan.episode_seed(0, "put", 0)
    assert [line.task for line in summary.lines] == ["put", "put", "get", "get"]
    idle = Answers(1)
    bench(idle, rounds=7, attempts=2)
    assert idle.played == [] and idle.closed == 0, "nothing is left"


def test_a_try_that_failed_is_run_again_as_often_as_is_said(bench, tmp_path: Path) -> None:
    lost = Report(cause="crash", message="exit code 7")
    pool = Answers(1, lost, Report(), Report(), Report(), lost, lost)
    summary, printed = bench(pool, retries=2)
    assert pool.played == ["put-0", "get-0", "put-1", "get-1", "put-0", "put-0"]
    assert summary.causes == {"crash": 1} and summary.infrastructure == 1
    (line,) = [line for line in summary.lines if line.cause]
    assert (line.task, line.trial, line.ended_by, line.cause) == ("put", 0, "infrastructure", "crash: exit code 7")
    assert printed.count("(it is run again)") == 2 and printed.count("(it is given up)") == 1
    assert "put-0  crash, try 3: exit code 7 (it is given up)" in printed
    aside = {path.name for path in (tmp_path / "run" / "episodes").iterdir()}
    assert {"put-0-partial-1", "put-0-partial-2"} <= aside
    bench(Answers(1), retries=2, clean=True)
    assert {path.name for path in (tmp_path / "run/episodes/put-0-partial-1").iterdir()} == {"failure.json"}


@pytest.mark.parametrize(
    ("exit_code", "kind"), [(2, BadInput), (3, MissingPart), (4, InfrastructureError), (9, InfrastructureError)]
)
def test_what_no_episode_would_escape_ends_the_bench(bench, exit_code: int, kind: type[Exception]) -> None:
    pool = Answers(1, Report(message="No such part.", fatal=True, exit_code=exit_code))
    with pytest.raises(kind, match=r"^No such part\.$"):
        bench(pool)
    assert pool.closed == 1 and pool.played == ["put-0"]


def test_the_user_and_the_disk_end_a_bench_with_a_sentence(bench) -> None:
    pool = Answers(1, KeyboardInterrupt())
    with pytest.raises(Interrupted, match=r"^Stopped by the user; give the same command again with --out to go on\.$"):
        bench(pool)
    assert pool.closed == 2, "idempotent"
    with pytest.raises(
        InfrastructureError, match=r"^Cannot write the run folder: No space left on device\. Give the same"
    ):
        bench(Answers(1, OSError(28, "No space left on device")))
