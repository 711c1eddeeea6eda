"""What the tests share: the tiny third-party package of `tests/plugin`, found through its real entry points."""

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

# Before torch is imported, here or in a process of ours: threads of processes that run side by side wait for each other
# at every small layer, minutes an episode on a busy machine.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Tests start Homie and its workers hundreds of times: each start would compile some 300 modules anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Started in the background (`nohup make test &`), this process ignores Ctrl-C and the end of the terminal, and so would
# the processes that tests start and stop by them. A signal that is handled here is not ignored there.
for number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda number, frame: None)

# No test asserts a time. The examples are the same in every run, so that what fails is of the change; other ones each
# time: pytest --hypothesis-profile explore
settings.register_profile("homie", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None)
settings.load_profile("homie")

PLUGIN = Path(__file__).parent / "plugin"
sys.path.insert(0, str(PLUGIN))

BALL_IN_BOX = ("Go to | ball", "Pick | ball", "Go to | box", "Put | ball | box", "End")
"""The decisions that finish the task of the tiny world."""

Homie = Callable[..., subprocess.CompletedProcess[str]]
TinyOptions = Callable[..., RunOptions]


@pytest.fixture
def plan(tmp_path: Path) -> Callable[[Sequence[str]], str]:
    """Decisions, one a line, as the value of --planner."""

    def write(lines: Sequence[str]) -> str:
        path = tmp_path / "plan.txt"
        path.write_text("\n".join(lines))
        return f"lines:{path}"

    return write


@pytest.fixture
def tiny_options(tmp_path: Path, plan: Callable[[Sequence[str]], str]) -> TinyOptions:
    """Options of a run in the tiny world."""

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
    """The environment of a process that finds the tiny package, and Homie where this process finds it."""
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
