"""Wait for what another thread or process does; a busy machine has its time."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path


def until(holds: Callable[[], object], seconds: float = 150.0, *, process: subprocess.Popen[str] | None = None) -> None:
    """Wait until something holds. process: the one that has to live meanwhile."""
    ends = time.monotonic() + seconds
    while not holds():
        assert process is None or process.poll() is None, process and process.communicate()
        assert time.monotonic() < ends, f"it did not happen in {seconds:.0f} s"
        time.sleep(0.01)


def lines(path: Path) -> int:
    """How many whole lines a file has; none while it is not there."""
    return path.read_bytes().count(b"\n") if path.exists() else 0
