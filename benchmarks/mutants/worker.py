"""A process that runs tests on mutants, one at a time, each in a fork of itself that has the heavy packages loaded.

It reads a request a line, as JSON, from stdin and answers with one line: {"status", "by", "seconds"}.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import resource
import signal
import sys
import time
from pathlib import Path

WARM = (
    *(
        "pytest",
        "_pytest.pytester",
        "hypothesis",
        "hypothesis.strategies",
        "numpy",
        "numpy.random",
        "pydantic",
        "typer",
    ),
    *("rich.console", "yaml", "PIL.Image", "av", "mujoco", "cv2", "jinja2", "multiprocessing.pool", "asyncio"),
)
"""What most tests import and no mutant is in."""
MEMORY = 12 << 30
"""Bytes of address space for a mutant: one that fills the memory must not stop the rest."""


def main() -> None:
    for name in WARM:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    tree = Path(os.environ["MUTANTS_TREE"])
    for line in sys.stdin:
        print(json.dumps(run(tree, json.loads(line))), flush=True)


def run(tree: Path, request: dict[str, object]) -> dict[str, object]:
    """Fork, test, and say what became of it: killed (by which test), survived, timeout, or error."""
    log = tree / "mutant.log"
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        _test(log, list(request["tests"]), int(request["cpu_seconds"]))  # type: ignore[call-overload]
    ended, late = None, False
    while ended is None:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            ended = os.waitstatus_to_exitcode(status)
        elif not late and time.monotonic() - began > float(request["wall_seconds"]):  # type: ignore[arg-type]
            late = True
            os.killpg(child, signal.SIGKILL)
        else:
            time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what a test has left running
    text = log.read_text(errors="replace")
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", text, re.MULTILINE)
    status = {0: "survived", 1: "killed", 2: "killed", 3: "killed", 4: "killed", 5: "error"}.get(ended, "killed")
    if late or ended in (-signal.SIGXCPU, -signal.SIGKILL):
        status = "timeout"
    by = failed[1] if failed else f"exit status {ended}"
    return {"status": status, "by": by if status != "survived" else "", "seconds": round(time.monotonic() - began, 2)}


def _test(log: Path, tests: list[str], cpu_seconds: int) -> None:
    status = 3
    try:
        os.setsid()
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        import pytest

        options = ["-x", "-q", "--no-header", "--tb=line", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts="]
        status = int(pytest.main([*options, "-p", "benchmarks.mutants.plugin", *tests]))
    finally:
        sys.stdout.flush()
        os._exit(status)


if __name__ == "__main__":
    main()
