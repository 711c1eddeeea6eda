"""Wait for other threads and processes, with timeouts that suffice on a busy machine."""

from __future__ import annotations

import contextlib
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any


def until(holds: Callable[[], object], seconds: float = 150.0, *, process: subprocess.Popen[str] | None = None) -> None:
    """Wait until a condition holds. process: a process that must not end before."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert process is None or process.poll() is None, process and process.communicate()
        assert time.monotonic() < deadline, f"it did not happen in {seconds:.0f} s"
        time.sleep(0.01)


def follow(stream: IO[str] | None, text: str) -> list[str]:
    """Wait for a line with a text, and return the lines printed so far. A thread appends later lines: if nobody read
    the pipe, it would fill up and block the process."""
    assert stream is not None
    printed: list[str] = []
    while not printed or text not in printed[-1]:
        line = stream.readline()
        assert line, f"the process has ended before it said {text!r}: {''.join(printed)}"
        printed.append(line)

    def read_on() -> None:
        with contextlib.suppress(ValueError):  # the stream was closed
            printed.extend(stream)

    threading.Thread(target=read_on, daemon=True).start()
    return printed


@contextlib.contextmanager
def running(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Start a process, and kill it if the block fails: `Popen` alone would wait for its end for ever.

    Args:
        options: Options of `subprocess.Popen`.
    """
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise


def lines(path: Path) -> int:
    """Count the complete lines of a file; 0 if it does not exist."""
    return path.read_bytes().count(b"\n") if path.exists() else 0
