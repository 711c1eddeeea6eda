"""Shared fixtures: the tiny third-party package of `tests/plugin`, found through its real entry points."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import settings

from homie.kernel.options import RunOptions

# Set before torch is imported, here or in a child process: threads of concurrent processes wait for each other at every
# small layer, which costs minutes per episode on a busy machine.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Tests start Homie and its workers hundreds of times: each start would compile some 300 modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Started in the background (`nohup make test &`), this process ignores SIGINT and SIGHUP, and so would its child
# processes, which tests stop with these signals. A signal with a handler here is not ignored in child processes.
for number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda number, frame: None)

# No test asserts a time. The examples are the same in every run, so that a failure is caused by the change; for other
# examples in each run: pytest --hypothesis-profile explore
settings.register_profile("homie", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None)
settings.load_profile("homie")

PLUGIN = Path(__file__).parent / "plugin"
sys.path.insert(0, str(PLUGIN))

BALL_IN_BOX = ("Go to | ball", "Pick | ball", "Go to | box", "Put | ball | box", "End")
"""Decisions that complete the task of the tiny world."""

Homie = Callable[..., subprocess.CompletedProcess[str]]
TinyOptions = Callable[..., RunOptions]


@pytest.fixture
def plan(tmp_path: Path) -> Callable[[Sequence[str]], str]:
    """Return a function that writes decisions to a file, one per line, and returns the value of --planner."""

    def write(lines: Sequence[str]) -> str:
        path = tmp_path / "plan.txt"
        path.write_text("\n".join(lines))
        return f"lines:{path}"

    return write


@pytest.fixture
def tiny_options(tmp_path: Path, plan: Callable[[Sequence[str]], str]) -> TinyOptions:
    """Return a function that makes the options of a run in the tiny world."""

    def make(lines: Sequence[str] = BALL_IN_BOX, **options: object) -> RunOptions:
        defaults = {
            "task": "put the ball in the box",
            "robot": "tiny",
            "skills": "tiny",
            "detector": "tiny",
            "targets": "tiny",
            "planner": plan(lines),
            "out": tmp_path / "run",
            "video": False,
        }
        return RunOptions.build(**{**defaults, **options})

    return make


@pytest.fixture
def tiny_arguments(plan: Callable[[Sequence[str]], str]) -> list[str]:
    """The same as command line arguments, without task, folder and video."""
    names = ["--robot", "tiny", "--skills", "tiny", "--detector", "tiny", "--targets", "tiny"]
    return [*names, "--planner", plan(BALL_IN_BOX)]


@pytest.fixture
def environment() -> dict[str, str]:
    """Environment variables of a process that imports the tiny package, and Homie from the same place as this one."""
    path = os.pathsep.join(filter(None, (str(PLUGIN), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path, "COLUMNS": "200"}


@pytest.fixture
def homie(tmp_path: Path, environment: dict[str, str]) -> Homie:
    """The `homie` command as a real process, in an empty folder."""

    def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", "from homie.cli.main import main; main()", *arguments],
            cwd=tmp_path,
            env={**environment, **more},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run
