"""Signals to real processes: during imports, during a run, during a bench."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import BaseModel, PlainSerializer
from pydantic_core import PydanticSerializationError

import homie
from homie.cli.failures import report_errors
from homie.kernel.stop_signals import SIGNALS, on_stop, stop
from homie.runtime.clean_stop import stoppable
from homie.runtime.runstore import read_steps
from tests.waiting import lines, until

ROOT = Path(__file__).parents[2]
EPISODE = "episodes/put-the-ball-in-the-box-0"
MAIN = "from homie.cli.main import main; main()"
ANNOUNCED = """
import sys

class Bell:
    def find_spec(self, name, path=None, target=None):
        if name == "homie.cli.app":
            print(flush=True)

sys.meta_path.insert(0, Bell())
from homie.cli.main import main
main()
"""
"""Says when the first thing is imported that takes time. Before it Python itself may not have come to the handlers."""


def listening() -> None:
    """A shell starts background jobs with Ctrl-C ignored, and this suite may be one of them."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def sentences(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("homie: ")]


@pytest.mark.parametrize("delay", [0.005, 0.1, 0.25, 0.5, 0.9])
def test_ctrl_c_at_any_instant_of_the_start_is_a_sentence_and_130(tmp_path, delay):
    process = subprocess.Popen(
        [sys.executable, "-c", ANNOUNCED, "run", "put the apple in the bowl", "--json"],
        cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=listening,
    )  # fmt: skip
    process.stdout.readline()
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert len(sentences(errors)) == 1 and "Stopped by the user" in sentences(errors)[0]
    assert "Traceback" not in errors
    assert json.loads(output)["exit_code"] == 130


@pytest.mark.parametrize("command", [["--help"], ["list"], ["bench", "homie-100"], ["studio", "--help"], ["doctor"]])
def test_a_kill_while_any_command_imports_is_a_sentence_and_130(tmp_path, command):
    process = subprocess.Popen(
        [sys.executable, "-c", ANNOUNCED, *command],
        cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=listening,
    )  # fmt: skip
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "homie: Stopped by the user.\n")


def test_nothing_that_takes_time_is_imported_before_the_signals_are_handled():
    code = "import sys; before = set(sys.modules); import homie.cli.main; print(*sorted(set(sys.modules) - before))"
    # Without `site`, which imports modules of its own where a virtual environment has been made with some tools.
    completed = subprocess.run([sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"typing", "re", "pathlib", "logging"} & set(completed.stdout.split())


def test_a_terminal_that_goes_away_stops_the_robot(tiny_arguments, environment, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, "run", "put the ball in the box", *tiny_arguments, "--out", "out"],
        cwd=tmp_path, env={**environment, "TINY_PERIOD": "0.03"}, stderr=subprocess.PIPE, text=True,
        preexec_fn=listening,
    )  # fmt: skip
    folder = tmp_path / "out" / EPISODE
    until(lambda: lines(folder / "steps.jsonl"), process=process)
    process.send_signal(signal.SIGHUP)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Stopped" in sentences(errors)[0]
    assert 1 <= len(read_steps(folder)) < 5
    assert not (folder / "episode.json").exists()
    import av

    with av.open(str(folder / "video.mp4")) as video:  # closed well, or no player would open it
        assert sum(1 for _ in video.decode(video=0)) > 5


def test_nohup_is_respected(tiny_arguments, environment, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, "run", "put the ball in the box", *tiny_arguments, "--out", "out", "--no-video"],
        cwd=tmp_path, env={**environment, "TINY_PERIOD": "0.01"}, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )  # fmt: skip
    until(lambda: lines(tmp_path / "out" / EPISODE / "steps.jsonl"), process=process)
    process.send_signal(signal.SIGHUP)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert (tmp_path / "out" / EPISODE / "episode.json").exists()


class Struck(BaseModel):
    """Ctrl-C comes while it is written as JSON."""

    word: Annotated[str, PlainSerializer(lambda word: os.kill(os.getpid(), signal.SIGINT) or word)] = "ding"


def test_ctrl_c_while_json_is_written_is_ctrl_c():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(PydanticSerializationError):
            Struck().model_dump_json()
        with pytest.raises(KeyboardInterrupt), stoppable():
            Struck().model_dump_json()
    finally:
        signal.signal(signal.SIGINT, before)


STRUCK = """
from homie.cli.failures import report_errors
from homie.kernel.stop_signals import on_stop, stop
from tests.cli.test_signals import Struck

on_stop(stop)
with report_errors(json=True):
    Struck().model_dump_json()
"""


def test_ctrl_c_while_any_command_writes_json_is_a_sentence_and_130(tmp_path):
    result = subprocess.run(
        [sys.executable, "-c", STRUCK], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, preexec_fn=listening,
    )  # fmt: skip
    assert result.returncode == 130, result.stderr
    assert sentences(result.stderr) == ["homie: Stopped by the user."]
    assert json.loads(result.stdout)["exit_code"] == 130


@pytest.mark.parametrize("checks", [True, False])
def test_a_stop_that_a_library_has_swallowed_is_raised_by_the_loop_and_at_the_end(checks: bool) -> None:
    passed = []

    def struck() -> None:
        with stoppable() as check:
            with suppress(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGTERM)
            if checks:
                check()
            passed.append("the rest of the loop")

    with pytest.raises(KeyboardInterrupt):
        struck()
    assert passed == ([] if checks else ["the rest of the loop"])


class Dropped:
    """Ctrl-C comes in a destructor, where Python drops the exception."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)


BEFORE_THE_EPISODE = """
from homie.cli.failures import report_errors
from homie.kernel.stop_signals import SIGNALS, on_stop, stop
from homie.runtime.session import stoppable
from tests.cli.test_signals import Dropped

on_stop(stop)
with report_errors(json=False):
    Dropped()
    with stoppable():
        print("the episode")
"""


def test_a_stop_that_python_has_dropped_before_an_episode_is_raised_at_its_beginning(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", BEFORE_THE_EPISODE], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, preexec_fn=listening,
    )  # fmt: skip
    assert (result.returncode, result.stdout) == (130, ""), result.stderr
    assert sentences(result.stderr) == ["homie: Stopped by the user."]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_stop_that_a_planner_has_swallowed_ends_its_episode_at_the_next_event(tmp_path: Path) -> None:
    rounds: list[int] = []

    def decide(planner_input: homie.PlannerInput) -> homie.Subtask:
        rounds.append(len(planner_input.history))
        Dropped()
        return homie.Subtask("Go to", "ball")

    parts = {"robot": "tiny", "skills": "tiny", "detector": "tiny", "targets": "tiny"}
    planner = homie.FunctionPlanner(decide)
    with pytest.raises(homie.Interrupted):
        homie.run("go", planner=planner, video=False, out=tmp_path / "out", **parts)
    assert rounds == [0]


def test_a_stop_of_a_command_that_has_ended_stops_no_later_episode() -> None:
    """A process goes on after a command that it has called, with the handlers that the command has left."""

    def command() -> None:
        with report_errors(json=False):
            on_stop(stop)
            signal.raise_signal(signal.SIGINT)

    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        with pytest.raises(SystemExit):
            command()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with stoppable() as check:
            check()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
