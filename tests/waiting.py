"""Wait for what another thread or process does; a busy machine has its time."""

from __future__ import annotations

import contextlib
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO


def until(holds: Callable[[], object], seconds: float = 150.0, *, process: subprocess.Popen[str] | None = None) -> None:
    """Wait until something holds. process: the one that has to live meanwhile."""
    ends = time.monotonic() + seconds
    while not holds():
        assert process is None or process.poll() is None, process and process.communicate()
        assert time.monotonic() < ends, f"it did not happen in {seconds:.0f} s"
        time.sleep(0.01)


def follow(stream: IO[str] | None, text: str) -> list[str]:
    """What a process prints, as soon as a line has this text. The lines after it are added as they come: a pipe that
    nobody reads gets full, and its process stands still."""
    assert stream is not None
    printed: list[str] = []
    while not printed or text not in printed[-1]:
        line = stream.readline()
        assert line, f"the process has ended before it said {text!r}: {''.join(printed)}"
        printed.append(line)

    def read_on() -> None:
        with contextlib.suppress(ValueError):  # it was closed
            printed.extend(stream)

    threading.Thread(target=read_on, daemon=True).start()
    return printed


def lines(path: Path) -> int:
    """How many whole lines a file has; none while it is not there."""
    return path.read_bytes().count(b"\n") if path.exists() else 0
