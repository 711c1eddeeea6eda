"""Real processes, killed for real: what is finished stays, what is not runs again, and the results are the same."""

from __future__ import annotations

import fcntl
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_runner import repeatable, run

from homie.bench import resume
from homie.kernel.errors import BadInput
from tests.waiting import lines, until

START = [sys.executable, "-c", "from homie.cli.main import main; main()", "bench"]
TEXTS = [f"t{number} the ball" for number in range(4)]
KILLS = 8
"""How often the runner is killed, at random moments: each costs the start of three processes."""


@pytest.fixture
def start(tmp_path, environment, bench_arguments):
    """Start `homie bench` as a process; whatever of it is left is killed at the end."""
    running = []

    def begin(suite: Path, *arguments: str, planner: str = "sampled", **more: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*START, str(suite), *bench_arguments, "--planner", planner, "--out", str(tmp_path / "run"), *arguments],
            cwd=tmp_path,
            env={**environment, **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        running.append(process)
        return process

    yield begin
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


def alive(run_folder: Path) -> bool:
    """Whether some worker of the run folder is alive."""
    descriptor = os.open(run_folder / "episodes", os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def finish_times(run_folder: Path) -> dict[str, int]:
    """When every finished episode was finished (ns)."""
    files = (run_folder / "episodes").glob("*/episode.json")
    return {path.parent.name: path.stat().st_mtime_ns for path in files if "-partial-" not in path.parent.name}


def started_episodes(run_folder: Path) -> set[str]:
    """The episode folders in which something has been done, those that were set aside included."""
    return {path.parent.name for path in (run_folder / "episodes").glob("*/steps.jsonl") if path.stat().st_size}


@pytest.mark.slow
def test_killed_again_and_again_it_ends_as_if_nothing_had_been(write_suite, tiny_bench, start, tmp_path):
    suite = write_suite(TEXTS, trials=4, rounds=8)
    uninterrupted, _ = run(tiny_bench(suite, planner="sampled", out=tmp_path / "whole"))
    folder, rng, finished_before = tmp_path / "run", random.Random(8), {}
    for _ in range(KILLS):
        was = started_episodes(folder)
        process = start(suite, "--workers", "2", TINY_PERIOD="0.004")
        until(lambda process=process, was=was: process.poll() is not None or started_episodes(folder) - was)
        time.sleep(rng.uniform(0.0, 1.0))
        process.kill()
        assert process.wait() in (0, -signal.SIGKILL)
        assert finished_before.items() <= finish_times(folder).items(), "nothing finished is run again"
        finished_before = finish_times(folder)
    assert any((folder / "episodes").glob("*-partial-*"))
    output, _ = start(suite, "--workers", "2", "--json").communicate(timeout=120)
    assert finished_before.items() <= finish_times(folder).items() and repeatable(folder) == repeatable(
        tmp_path / "whole"
    )
    summary = json.loads(output)
    assert [line["rounds"] for line in summary["lines"]] == [line.rounds for line in uninterrupted.lines]
    assert summary["successes"] == uninterrupted.successes


def test_workers_die_with_their_runner(write_suite, start, tmp_path):
    suite = write_suite(["hang please"])
    process = start(suite, planner="trouble")
    steps = tmp_path / "run" / "episodes" / "hang-0" / "steps.jsonl"
    until(lambda: lines(steps) == 2)
    assert alive(tmp_path / "run")
    process.kill()
    until(lambda: not alive(tmp_path / "run"), 10)


def test_a_worker_of_another_runner_is_waited_for(write_suite, tiny_bench, tmp_path, monkeypatch):
    options = tiny_bench(write_suite())
    run(options)
    monkeypatch.setattr(resume, "PATIENCE", 0.2)
    descriptor = os.open(tmp_path / "run" / "episodes", os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    with pytest.raises(BadInput, match="Workers of an earlier run still write"):
        run(options)
    os.close(descriptor)
    run(options)


def test_one_run_folder_serves_one_runner(write_suite, tiny_bench, start, tmp_path):
    suite = write_suite(["hang please"])
    start(suite, planner="trouble")
    until(lambda: (tmp_path / "run" / "run.json").exists())
    with pytest.raises(BadInput, match="in use by another running homie"):
        run(tiny_bench(suite))


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_stopped_by_the_user_it_goes_on_later(write_suite, start, tmp_path, number):
    suite = write_suite(TEXTS, rounds=8)
    process = start(suite, "--workers", "2", TINY_PERIOD="0.01")
    until(lambda: len(finish_times(tmp_path / "run")) >= 1)
    # Ctrl-C and the end of a terminal come to the workers, too.
    process.send_signal(number) if number == signal.SIGTERM else os.killpg(process.pid, number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Stopped by the user" in errors and "Traceback" not in errors
    assert not alive(tmp_path / "run")
    for log in (tmp_path / "run" / "workers").iterdir():
        assert "Traceback" not in log.read_text()
    count = len(finish_times(tmp_path / "run"))
    output, errors = start(suite, "--workers", "2", "--json").communicate(timeout=60)
    assert json.loads(output)["episodes"] == 4 and f"{count} of 4 episodes finished before" in errors


def test_a_disk_that_is_full_stops_the_bench_and_blames_no_planner(
    write_suite, tiny_bench, tmp_path, environment, bench_arguments
):
    suite = write_suite([f"{name} the ball" for name in ("one", "two")])
    arguments = [str(suite), *bench_arguments, "--planner", "trouble", "--out", str(tmp_path / "run")]

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

    completed = subprocess.run(
        [*START, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=full,
    )
    assert completed.returncode == 4, completed.stderr
    assert (
        "File too large" in completed.stderr and "Make room there and give the same command again" in completed.stderr
    )
    assert finish_times(tmp_path / "run") == {}
    summary, _ = run(tiny_bench(suite))
    assert summary.successes == 2 and summary.infrastructure == 0
