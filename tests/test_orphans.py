"""A process that is killed leaves no workers behind that wait for ever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from homie.kernel.errors import InfrastructureError
from homie.runtime.orphans import worker_pool
from tests.waiting import until

POOL = """
import os, time
from homie.runtime.orphans import worker_pool

if __name__ == "__main__":
    with worker_pool(1) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        busy = pool.submit(time.sleep, 600)
        print("busy", flush=True)
        busy.result()
"""


@pytest.fixture
def parent(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    script = tmp_path / "pool.py"
    script.write_text(POOL)
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()


def _worker(parent: subprocess.Popen[str]) -> int:
    """The worker, once it is busy."""
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    assert parent.stdout.readline() == "busy\n"
    os.kill(worker, 0)
    return worker


def test_a_worker_ends_with_its_killed_parent(parent: subprocess.Popen[str]) -> None:
    worker = _worker(parent)
    parent.kill()
    parent.communicate()
    until(lambda: _has_ended(worker), 20)


@pytest.mark.parametrize("times", [1, 3])
def test_ctrl_c_does_not_wait_for_a_busy_worker(parent: subprocess.Popen[str], times: int) -> None:
    """Pressed again while the first was being obeyed it kept `homie questions make` for ever."""
    worker = _worker(parent)
    for _ in range(times):
        parent.send_signal(signal.SIGINT)
        time.sleep(0.05)
    until(lambda: parent.poll() is not None, 30)
    until(lambda: _has_ended(worker), 20)


def test_a_worker_that_dies_is_named_with_what_to_do() -> None:
    with pytest.raises(InfrastructureError, match=r"A worker process died.*fewer --workers"), worker_pool(1) as pool:
        pool.submit(os._exit, 1).result()


def _has_ended(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"
