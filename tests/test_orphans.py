"""A process that is killed leaves no workers behind that wait for ever."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.waiting import until

POOL = """
import os, time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from homie.runtime.orphans import die_with_parent

if __name__ == "__main__":
    with ProcessPoolExecutor(1, get_context("spawn"), die_with_parent) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        time.sleep(60)
"""


def test_a_worker_ends_with_its_killed_parent(tmp_path: Path) -> None:
    script = tmp_path / "pool.py"
    script.write_text(POOL)
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    os.kill(worker, 0)
    parent.kill()
    parent.communicate()
    until(lambda: _gone(worker), 20)


def _gone(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"
