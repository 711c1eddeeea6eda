"""Splits of a suite's tasks."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

TaskSplit: TypeAlias = Literal["train", "validation", "test"]
SPLITS: tuple[str, ...] = get_args(TaskSplit)
"""Splits for training, for model selection and for reported results."""
