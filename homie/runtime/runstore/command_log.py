"""`commands.jsonl`: every command as it was requested and as the safety gate sent it.

    {"stamp": 12.36, "pose": [1.5, 2.25, 0.3], "requested": {"base": [0.9, 0.0]}, "sent": {"base": [0.82, 0.0]},
     "changes": ["base: ..."]}

`stamp` is that of the observation that the skill decided on, `pose` where the base was in it: x, y (m), yaw (rad) in
the odometry frame, to a tenth of a millimetre and of a milliradian. Commands are by
group of the robot's body, a list of numbers each; groups that were not commanded are left out.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np

from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import to_json
from homie.kernel.types import Array, Command, Observation, SentCommand


class CommandLog:
    """Appends to one file. Lines reach the disk at `flush`: there are too many to sync each."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab")

    def write(self, observation: Observation, sent: SentCommand) -> None:
        """Add one line: what became of the command that was decided on an observation. Raises OSError."""
        base = observation.body.base
        line = {
            "stamp": observation.stamp,
            "pose": [round(base.x, 4), round(base.y, 4), round(base.yaw, 4)],
            "requested": _parts(sent.requested),
            "sent": _parts(sent.sent),
            "changes": sent.changes,
        }
        self._file.write(to_json(line, indent=None))

    def flush(self) -> None:
        """Hand what was written to the system."""
        self._file.flush()

    def close(self) -> None:
        """Idempotent."""
        self._file.close()


def _parts(command: Command) -> dict[str, object]:
    parts: dict[str, object] = dict(command.targets)
    if command.effector is not None:
        pose = command.effector
        parts["effector"] = {"position": pose.position.tolist(), "rotation": pose.rotation.tolist()}
    return parts


def read_poses(path: Path) -> Array:
    """Where the base was, (n, 4): robot time (s), x, y (m), yaw (rad) of every command, in order.

    (0, 4) where there is no file, and for one of before poses were kept. What a kill has torn is left out.
    """
    if not path.exists():
        return np.zeros((0, 4))
    rows = []
    for line in path.read_bytes().split(b"\n"):
        with contextlib.suppress(ValueError):
            read = parse_json(line)
            if "pose" in read:
                rows.append((read["stamp"], *read["pose"]))
    return np.array(rows, dtype=np.float64).reshape(-1, 4)
