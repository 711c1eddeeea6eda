"""`commands.jsonl`: every command as requested and as sent by the safety gate.

    {"stamp": 12.36, "pose": [1.5, 2.25, 0.3], "requested": {"base": [0.9, 0.0]}, "sent": {"base": [0.82, 0.0]},
     "changes": ["base: ..."]}

`stamp` is that of the observation from which the command was computed, `pose` the base pose in it: x, y (m), yaw (rad)
in the odometry frame, rounded to 0.1 mm and 0.1 mrad. Commands have a list of numbers for each group of the robot's
body; groups without a target are left out.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np

from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import to_json
from homie.kernel.types import Array, Command, Observation, SentCommand


class CommandLog:
    """Appends commands to one file. Lines reach the disk at `flush`: there are too many to sync each."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab")

    def write(self, observation: Observation, sent: SentCommand) -> None:
        """Append one line: a command as requested and sent, with stamp and pose of its observation. Raises OSError."""
        base = observation.body.base
        line = {
            "stamp": observation.stamp,
            "pose": [round(base.x, 4), round(base.y, 4), round(base.yaw, 4)],
            "requested": _serialize(sent.requested),
            "sent": _serialize(sent.sent),
            "changes": sent.changes,
        }
        self._file.write(to_json(line, indent=None))

    def flush(self) -> None:
        """Flush buffered lines to the operating system."""
        self._file.flush()

    def close(self) -> None:
        """Close the file. Idempotent."""
        self._file.close()


def _serialize(command: Command) -> dict[str, object]:
    parts: dict[str, object] = dict(command.targets)
    if command.effector is not None:
        pose = command.effector
        parts["effector"] = {"position": pose.position.tolist(), "rotation": pose.rotation.tolist()}
    return parts


def read_poses(path: Path) -> Array:
    """Read the base poses, (n, 4): robot time (s), x, y (m), yaw (rad) of every command, in order.

    (0, 4) if there is no file, or if it is from before poses were recorded. Lines truncated by a kill are left out.
    """
    if not path.exists():
        return np.zeros((0, 4))
    rows = []
    for line in path.read_bytes().split(b"\n"):
        with contextlib.suppress(ValueError):
            entry = parse_json(line)
            if "pose" in entry:
                rows.append((entry["stamp"], *entry["pose"]))
    return np.array(rows, dtype=np.float64).reshape(-1, 4)
