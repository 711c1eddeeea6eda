"""Robot servers for tests, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
LINE = f"{HERE / 'line_robot.py'}:LineRobot"


Homie = Callable[..., subprocess.CompletedProcess[str]]
"""The command, as the fixture `homie` of all tests."""
Serve = Callable[..., tuple[subprocess.Popen[str], str]]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts `python -m robot_server` and returns the process and its address; it ends with the test."""
    started: list[subprocess.Popen[str]] = []

    def start(
        target: str = LINE, *, listen: str = f"unix:{tmp_path}/robot", python: str = sys.executable, **variables: str
    ) -> tuple[subprocess.Popen[str], str]:
        server = subprocess.Popen(
            [python, str(ROOT / "robot_server"), target, "--listen", listen],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **variables},
            text=True,
        )
        started.append(server)
        assert server.stdout is not None
        line = server.stdout.readline()
        assert line.startswith("ready "), server.communicate()[1]
        return server, line.split()[1]

    yield start
    for server in started:
        server.kill()
        server.communicate()
