"""Process that runs tests on mutants, one at a time, each in a fork that has the heavy packages already imported.

Reads one request per line, as JSON, from stdin and answers each with one line: {"status", "by", "seconds"}.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

LATE = ("mujoco", "OpenGL", "glfw", "ray", "pyarrow", "rerun", "torch", "transformers")
"""Packages not preloaded: they must be imported after Homie has selected a renderer, or start threads that a fork
would lose."""
MEMORY = 12 << 30
"""Address space limit (bytes) of a mutant: one that exhausts memory must not stop the others."""


def main() -> None:
    tree = Path(os.environ["MUTANTS_TREE"])
    for name in packages(tree, sys.argv[1:]):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for line in sys.stdin:
        print(json.dumps(run(tree, json.loads(line))), flush=True)


def packages(tree: Path, files: list[str]) -> list[str]:
    """Return the modules from outside the tree that test files import. Compiles these files as a side effect."""
    names = tree.with_suffix(".packages.json")
    if names.exists():
        cached: list[str] = json.loads(names.read_text())
        return cached
    child = os.fork()
    if child == 0:
        sys.dont_write_bytecode = False
        _redirect_output(tree / "mutant.log")
        import pytest

        pytest.main(["--collect-only", "-q", "-p", "no:xdist", "-p", "benchmarks.mutants.plugin", *files])
        outside = [
            name
            for name, module in list(sys.modules.items())
            if (path := getattr(module, "__file__", None)) and not str(path).startswith(f"{tree}/")
        ]
        names.write_text(json.dumps([name for name in outside if not name.startswith(LATE)]))
        os._exit(0)
    os.waitpid(child, 0)
    return packages(tree, files)


def run(tree: Path, request: dict[str, object]) -> dict[str, object]:
    """Run tests in a fork and return the result: killed (by which test), survived, timeout, or error."""
    log, failed = tree / "mutant.log", tree / "failed.txt"
    failed.unlink(missing_ok=True)
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        _test(log, failed, list(request["tests"]), int(request["cpu_seconds"]))  # type: ignore[call-overload]
    exit_code, timed_out = None, False
    while exit_code is None:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            exit_code = os.waitstatus_to_exitcode(status)
        elif not timed_out and time.monotonic() - start > float(request["wall_seconds"]):  # type: ignore[arg-type]
            timed_out = True
            os.killpg(child, signal.SIGKILL)
        else:
            time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # processes that a test has left running
    by = failed.read_text() if failed.exists() else f"exit status {exit_code}"
    status = {0: "survived", 1: "killed", 2: "killed", 3: "killed", 4: "killed", 5: "error"}.get(exit_code, "killed")
    if timed_out or exit_code in (-signal.SIGXCPU, -signal.SIGKILL):
        status = "timeout"
    return {"status": status, "by": by if status != "survived" else "", "seconds": round(time.monotonic() - start, 2)}


def _test(log: Path, failed: Path, tests: list[str], cpu_seconds: int) -> None:
    status = 3
    try:
        os.setsid()
        _redirect_output(log)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        import pytest

        options = ["-x", "-q", "--no-header", "--tb=line", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts="]
        status = int(pytest.main([*options, "-p", "benchmarks.mutants.plugin", *tests], [_FirstFailure(failed)]))
    finally:
        sys.stdout.flush()
        os._exit(status)


class _FirstFailure:
    """Pytest plugin that records the first failing test."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self._path.exists():
            self._path.write_text(report.nodeid)


def _redirect_output(log: Path) -> None:
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)


if __name__ == "__main__":
    main()
