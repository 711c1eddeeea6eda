"""Real servers of others, as processes on 127.0.0.1, where their packages are installed."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

PYTHONS = "HOMIE_SERVERS_PYTHON"
"""The environment variable with Pythons that have servers, separated as the folders of PATH are."""
PATIENCE = 900.0
"""Seconds that a server may take to start: imports alone take minutes where many share a machine."""
_HAS_ALL = "import importlib.util, sys; sys.exit(any(importlib.util.find_spec(n) is None for n in sys.argv[1:]))"


def python_with(*packages: str) -> str:
    """The first Python of the variable, else this one, that has all packages. Skips the test where none has."""
    for python in filter(None, os.environ.get(PYTHONS, "").split(os.pathsep)):
        if subprocess.run([python, "-c", _HAS_ALL, *packages], check=False).returncode == 0:
            return python
    if all(importlib.util.find_spec(package) for package in packages):
        return sys.executable
    pytest.skip(f"needs {' and '.join(packages)}: install them for a Python that {PYTHONS} names")


def free_port() -> int:
    """A port that nobody listens at now."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


@contextmanager
def running(command: Sequence[str], alive: str, log: Path, **environment: str) -> Iterator[None]:
    """A server while the `with` block lasts, from when it answers at `alive`. Fails with the end of its log."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, cwd=log.parent, env={**os.environ, **environment}
        )
    try:
        _wait(process, alive, log)
        yield
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process: subprocess.Popen[bytes], alive: str, log: Path) -> None:
    ends = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < ends:
        try:
            with urllib.request.urlopen(alive, timeout=10):
                return
        except urllib.error.HTTPError:  # it answers, and that is all that is wanted
            return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"The server did not start:\n{log.read_text(errors='replace')[-2000:]}")
