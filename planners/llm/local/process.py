"""Start and stop the process that holds a model for several workers."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from homie.kernel.errors import InfrastructureError
from planners.llm.local.own_or_shared_model import Weights
from planners.llm.local.process_client import VARIABLE, Host

GRACE = 5.0
"""Seconds for the process to end before it is killed."""
READY = "ready"
"""Line that the process writes to stdout once it accepts connections."""


class ModelProcess:
    """Owner of a process that loads weights once and answers clients with its token
    (`planners.llm.local.process_main`). It ends with this process, however this process ends.

    Args:
        weights: The model to load.
        log: File for the stderr of the process.
    """

    def __init__(self, weights: Weights, log: Path) -> None:
        self._log = log
        self._folder = Path(tempfile.mkdtemp(prefix="homie-model-"))  # readable only by this user
        address = str(self._folder / "socket")
        self._host = Host(address=address, token=secrets.token_hex(32), weights=weights, log=str(log))
        self._process: subprocess.Popen[str] | None = None

    @property
    def environment(self) -> Mapping[str, str]:
        """Environment variables by which workers find the process."""
        return {VARIABLE: self._host.announcement()}

    def ensure(self) -> None:
        """Start the process if it is not running; it loads the model afterwards. Raises InfrastructureError."""
        if self._process is not None and self._process.poll() is None:
            return
        self._end()
        Path(self._host.address).unlink(missing_ok=True)
        path = os.pathsep.join(place for place in sys.path if place)
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "planners.llm.local.process_main"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0"},
                start_new_session=True,  # so that Ctrl-C reaches only the runner, which ends the process
            )
        assert self._process.stdin is not None and self._process.stdout is not None
        order = {"address": self._host.address, "token": self._host.token, "weights": asdict(self._host.weights)}
        with contextlib.suppress(BrokenPipeError):  # it has just died: the missing READY below reports that
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()
        if self._process.stdout.readline().strip() != READY:
            sentence = f"The process that holds the model does not start; what it wrote is in {self._log}."
            raise InfrastructureError(sentence)

    def close(self) -> None:
        """End the process and remove its socket. Idempotent."""
        self._end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
