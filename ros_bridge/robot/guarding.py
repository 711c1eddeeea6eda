"""The guard of a run: one that a person has started or, for a simulated robot, one that the run starts itself."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import time
from pathlib import Path

from homie.kernel.errors import InfrastructureError
from ros_bridge.guard.link import GuardLink, NoGuard
from ros_bridge.guard.silence import SILENCE_OF_RUNS
from ros_bridge.guard.sockets import socket_path
from ros_bridge.profiles.model import Profile
from ros_bridge.transport.opening import Transport

log = logging.getLogger("homie.ros_bridge")

STARTING = 30.0
"""Seconds in which a guard starts to listen, on a busy machine."""
ENDING = 10.0
"""Seconds in which it ends after SIGTERM, the robot standing; see `ros_bridge.guard.process`."""


class OwnGuard:
    """A guard process for a simulated robot without a guard. It ends with this process, also if that is killed. Its
    output is in a file beside its socket.

    Args:
        name: The profile name passed to the guard.
        profile: The same profile, parsed.
        transport: Transport of the run.

    Raises:
        InfrastructureError: The guard does not start.
    """

    def __init__(self, name: str, profile: Profile, transport: Transport = "auto") -> None:
        path = socket_path(profile.name)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.log = path.with_suffix(".log")
        options = [
            "--arm-robot",
            "--silence",
            f"{SILENCE_OF_RUNS:g}",
            "--of-run",
            str(os.getpid()),
            "--transport",
            transport,
        ]
        stale_inode = _inode(path)  # left by a guard that was killed: nobody listens there
        command = [sys.executable, "-m", "homie", "robot", "guard", name, *options]
        with self.log.open("wb") as output:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
            )
        deadline = time.monotonic() + STARTING
        while _inode(path) in (None, stale_inode):
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.close()
                raise InfrastructureError(f"The guard of the simulated robot did not begin: {self._last_line()}")
            time.sleep(0.05)

    def close(self) -> None:
        """End the guard process, which stops the robot first. Idempotent."""
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.wait(ENDING)
        except subprocess.TimeoutExpired:
            log.error("The guard did not end; see %s", self.log)
            self._process.kill()
            self._process.wait()

    def _last_line(self) -> str:
        lines = self.log.read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"see {self.log}"


def _inode(path: Path) -> int | None:
    """Return the inode of a file; None if it does not exist."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


def has_guard(profile: Profile) -> bool:
    """Return whether a guard of a simulated robot listens at the default path.

    Raises:
        InfrastructureError: The guard there is that of another robot or network, or has an agent already.
    """
    try:
        GuardLink(profile, simulated=True).close()
    except NoGuard:
        return False
    return True
