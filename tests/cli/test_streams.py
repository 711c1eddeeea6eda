"""Pipes whose reader leaves, disks that are full, streams that were never open: real processes with real pipes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

START = [sys.executable, "-c", "from homie.cli.main import main; main()"]
EPISODE = "episodes/put-the-ball-in-the-box-0/episode.json"


@pytest.fixture
def closed_pipe():
    """The writing end of a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


@pytest.fixture
def full():
    """A device that has no room."""
    with open("/dev/full", "wb") as device:
        yield device


@pytest.mark.parametrize("arguments", [["list", "planners"], ["scene", "--json"], ["--help"]])
def test_a_reader_that_leaves_is_no_error(closed_pipe, arguments):
    completed = subprocess.run([*START, *arguments], stdout=closed_pipe, stderr=subprocess.PIPE, text=True, check=False)
    assert (completed.returncode, completed.stderr) == (0, "")


@pytest.mark.parametrize("arguments", [["list", "locators"], ["--version"]])
def test_output_that_cannot_be_written_is_a_sentence(full, arguments):
    completed = subprocess.run([*START, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert completed.returncode == 4
    assert completed.stderr == "homie: Cannot write the output: No space left on device.\n"


def run(tmp_path, environment, tiny_arguments, **streams):
    arguments = ["run", "put the ball in the box", *tiny_arguments, "--no-video", "--json", "--out", "out"]
    return subprocess.run([*START, *arguments], cwd=tmp_path, env=environment, text=True, check=False, **streams)


def test_a_run_goes_on_when_nobody_reads_its_progress(tmp_path, environment, tiny_arguments, closed_pipe):
    completed = run(tmp_path, environment, tiny_arguments, stdout=subprocess.PIPE, stderr=closed_pipe)
    assert completed.returncode == 0
    assert json.loads(completed.stdout)["result"]["ended_by"] == "ended"
    assert (tmp_path / "out" / EPISODE).exists()


def test_a_run_goes_on_when_its_log_is_on_a_full_disk(tmp_path, environment, tiny_arguments, full):
    completed = run(tmp_path, environment, tiny_arguments, stdout=subprocess.PIPE, stderr=full)
    assert completed.returncode == 0 and json.loads(completed.stdout)["result"]["rounds"] == 5


def test_a_run_without_any_stream_keeps_its_files_whole(tmp_path, environment, tiny_arguments):
    def close_all() -> None:
        for number in (0, 1, 2):
            os.close(number)

    completed = run(tmp_path, environment, tiny_arguments, preexec_fn=close_all)
    assert completed.returncode == 0
    assert json.loads((tmp_path / "out" / EPISODE).read_text())["ended_by"] == "ended"
    json.loads((tmp_path / "out" / "run.json").read_text())
