"""The splits of a suite's tasks."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

TaskSplit: TypeAlias = Literal["train", "validation", "test"]
SPLITS: tuple[str, ...] = get_args(TaskSplit)
"""What a task is for: to learn from, to choose by, to report."""
