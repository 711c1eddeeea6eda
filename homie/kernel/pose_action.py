"""Move, the action of an arm on a table: its target is a pose as seven integers."""

from __future__ import annotations

from collections.abc import Mapping

MOVE = "Move"
"""Name of the action; example of a target: `[54, 90, 49, 0, 60, 90, 1]`."""
CELLS = 100
"""Number of cells of 1 cm along each axis of the workspace."""
TURNS = 120
"""Number of steps of 3 degrees in a full turn."""
NUMBERS: Mapping[str, int] = {
    **dict.fromkeys(("x", "y", "z"), CELLS - 1),
    **dict.fromkeys(("roll", "pitch", "yaw"), TURNS - 1),
    "gripper": 1,
}
"""The seven numbers in order, each with its maximum; the minimum is 0. The gripper is 1 when open."""
