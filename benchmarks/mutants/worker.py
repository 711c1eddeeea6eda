"""A process that runs tests on mutants, one at a time, each in a fork of itself that has the heavy packages loaded.

It reads a request a line, as JSON, from stdin and answers with one line: {"status", "by", "seconds"}.
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
"""What is imported after Homie has chosen how to render, or starts threads that a fork would lose."""
MEMORY = 12 << 30
"""Bytes of address space for a mutant: one that fills the memory must not stop the rest."""


def main() -> None:
    tree = Path(os.environ["MUTANTS_TREE"])
    for name in packages(tree, sys.argv[1:]):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for line in sys.stdin:
        print(json.dumps(run(tree, json.loads(line))), flush=True)


def packages(tree: Path, files: list[str]) -> list[str]:
    """The modules from outside the tree that some files of tests import. Compiles these files on the way."""
    names = tree.with_suffix(".packages.json")
    if names.exists():
        kept: list[str] = json.loads(names.read_text())
        return kept
    child = os.fork()
    if child == 0:
        sys.dont_write_bytecode = False
        _quietly(tree / "mutant.log")
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
    """Fork, test, and say what became of it: killed (by which test), survived, timeout, or error."""
    log, failed = tree / "mutant.log", tree / "failed.txt"
    failed.unlink(missing_ok=True)
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        _test(log, failed, list(request["tests"]), int(request["cpu_seconds"]))  # type: ignore[call-overload]
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
    by = failed.read_text() if failed.exists() else f"exit status {ended}"
    status = {0: "survived", 1: "killed", 2: "killed", 3: "killed", 4: "killed", 5: "error"}.get(ended, "killed")
    if late or ended in (-signal.SIGXCPU, -signal.SIGKILL):
        status = "timeout"
    return {"status": status, "by": by if status != "survived" else "", "seconds": round(time.monotonic() - began, 2)}


def _test(log: Path, failed: Path, tests: list[str], cpu_seconds: int) -> None:
    status = 3
    try:
        os.setsid()
        _quietly(log)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        import pytest

        options = ["-x", "-q", "--no-header", "--tb=line", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts="]
        status = int(pytest.main([*options, "-p", "benchmarks.mutants.plugin", *tests], [_First(failed)]))
    finally:
        sys.stdout.flush()
        os._exit(status)


class _First:
    """A plugin that writes down which test fails first."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self._path.exists():
            self._path.write_text(report.nodeid)


def _quietly(log: Path) -> None:
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)


if __name__ == "__main__":
    main()
