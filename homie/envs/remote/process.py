"""A private robot server: started in another Python on its own Unix socket, and terminated with its robot."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NoReturn

import robot_server
from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.support.files import reason_of

SERVER = Path(robot_server.__file__).parent
"""The package that the other Python runs: it needs nothing else of Homie."""
END_SECONDS = 3.0
"""Timeout (s) for a server to close its robot."""
OWN = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
"""Environment variables that are not passed to another Python."""


def replace_this_process(python: str, target: str, address: str, token_env: str, *, json: bool) -> NoReturn:
    """Replace this process by a robot server in another Python. Raises BadInput if that cannot be started."""
    words = [python, str(SERVER), target, "--listen", address, "--token-env", token_env, *(["--json"] if json else [])]
    try:
        os.execvpe(python, words, _variables(python))
    except OSError as error:
        raise BadInput(f"Cannot start the Python '{python}': {reason_of(error)}.") from error


def _variables(python: str) -> dict[str, str]:
    """Return the environment variables for a Python."""
    omitted = () if python == sys.executable else OWN
    return {name: value for name, value in os.environ.items() if name not in omitted}


class ServerProcess:
    """A robot server process that ends with this process, however this one ends.

    Args:
        python: The interpreter that runs it.
        target: FILE.py:CLASS, MODULE:CLASS or a name, optionally followed by :ARGUMENT.
        seconds: Startup timeout.

    Attributes:
        target: The given target.
        url: Address of the server.

    Raises:
        BadInput: There is no such interpreter, or the server has refused the target.
        InfrastructureError: The server has not started.
    """

    def __init__(self, python: str, target: str, seconds: float) -> None:
        self.target = target
        self._folder = Path(tempfile.mkdtemp(prefix="homie-robot-"))
        self._log = self._folder / "log"
        try:
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    [python, str(SERVER), target, "--listen", f"unix:{self._folder}/socket", "--until-stdin-ends"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    env=_variables(python),
                    start_new_session=True,  # Ctrl-C reaches only this process, which stops the robot first
                )
        except OSError as error:
            shutil.rmtree(self._folder)
            raise BadInput(f"Cannot start the Python '{python}': {reason_of(error)}.") from error
        try:
            self.url = self._wait_until_ready(target, seconds)
        except BaseException:
            self.close()
            raise

    def _wait_until_ready(self, target: str, seconds: float) -> str:
        """Wait for the server to print its address, and return it."""
        assert self._process.stdout is not None
        deadline, line = time.monotonic() + seconds, b""
        while not line.endswith(b"\n"):
            remaining = deadline - time.monotonic()
            if remaining <= 0.0 or not select.select([self._process.stdout], [], [], remaining)[0]:
                raise InfrastructureError(f"The robot server of '{target}' has not started in {seconds:g} s.")
            if not (data := os.read(self._process.stdout.fileno(), 4096)):
                code = self._process.wait()
                kind = BadInput if code == BadInput.exit_code else InfrastructureError
                raise kind(f"The robot server of '{target}' has not started: {self._end_reason(code)}")
            line += data
        return line.decode().removeprefix("ready ").strip()

    def why_gone(self) -> str:
        """Return the reason of its end as the end of a sentence; "" while it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(1.0)
            return self._end_reason(code).rstrip(".")
        return ""

    def _end_reason(self, code: int) -> str:
        """Return the reason of its end as the end of a sentence: the signal, or the last line of its log."""
        if code < 0:
            return f"signal {signal.Signals(-code).name} killed it."
        lines = self._log.read_text("utf-8", "replace").strip().splitlines()
        return lines[-1].strip() if lines else f"it ended with code {code}."

    def close(self) -> None:
        """Terminate the process and wait for its end. Idempotent."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        shutil.rmtree(self._folder, ignore_errors=True)
