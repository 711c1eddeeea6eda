"""Whether a robot is measured: joint states, odometry, cameras, transforms and its own emergency stop, as `homie robot
check` has them."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import Any

LISTENED = 3
"""Seconds of each check, enough for a camera with one picture a second."""
MEASURED = ("clock", "joint states", "odometry", "emergency stop", " camera", " depth", " info", " frame")
"""How the names of those parts of a profile end that an agent needs before it moves anything."""
NAMED = 3
"""Missing parts that a sentence names."""
LOOK = 0.05
ENDING = 10.0


class Refused(Exception):
    """A robot cannot be checked.

    Attributes:
        code: The exit code of Homie.
    """

    def __init__(self, sentence: str, code: int) -> None:
        super().__init__(sentence)
        self.code = code


def missing_parts(command: Sequence[str], patience: float, over: Callable[[], bool]) -> list[str]:
    """Check a robot until all of it is measured, the patience is at an end or it is over.

    Args:
        command: `homie robot check` with its profile and transport.
        patience: Seconds. It is checked once at least.
        over: Whether the check does not matter any more.

    Returns:
        What was missing in the last check, as "head camera on /head_camera/rgb/image_raw (no publisher)".

    Raises:
        Refused: There is no such profile, or the network cannot be joined.
    """
    ends = time.monotonic() + patience
    while True:
        missing = [
            f"{each['part']} on {each['name']} ({each['problem']})"
            for each in _findings([*command, "--seconds", str(LISTENED), "--json"], over)
            if each["problem"] and each["part"].endswith(MEASURED)
        ]
        if not missing or over() or time.monotonic() > ends:
            return missing


def summary(missing: Sequence[str]) -> str:
    """The missing parts in a few words."""
    more = len(missing) - NAMED
    return ", ".join(missing[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _findings(command: Sequence[str], over: Callable[[], bool]) -> list[dict[str, Any]]:
    """What a check finds; nothing when it is over before."""
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    # A session of its own, as Ctrl-C is for the program that ends everything in order.
    process = subprocess.Popen(command, text=True, start_new_session=True, **streams)
    while True:
        try:
            printed, log = process.communicate(timeout=LOOK)
            break
        except subprocess.TimeoutExpired:
            if over():
                process.terminate()
                process.communicate(timeout=ENDING)
                return []
    try:
        report: dict[str, Any] = json.loads(printed)
    except ValueError:
        lines = log.strip().splitlines() or ["The check of the robot has ended."]
        raise Refused(lines[-1], process.returncode) from None
    if "findings" not in report:
        raise Refused(str(report.get("error")), process.returncode)
    return list(report["findings"])
