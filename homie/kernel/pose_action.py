"""Move, the action of an arm on a table: its target is seven whole numbers."""

from __future__ import annotations

from collections.abc import Mapping

MOVE = "Move"
"""The action whose target is seven numbers, `[54, 90, 49, 0, 60, 90, 1]`."""
CELLS = 100
"""Cells of 1 cm along each axis of the workspace."""
TURNS = 120
"""Steps of 3 degrees of a whole turn."""
NUMBERS: Mapping[str, int] = {
    **dict.fromkeys(("x", "y", "z"), CELLS - 1),
    **dict.fromkeys(("roll", "pitch", "yaw"), TURNS - 1),
    "gripper": 1,
}
"""The seven in their order, each with the largest that it may be; the smallest is 0. The gripper is 1 when open."""
