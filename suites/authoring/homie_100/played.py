"""Which version of a task its expert was played on."""

from __future__ import annotations

import hashlib

from homie.bench.suite.suite import Task


def fingerprint(task: Task) -> str:
    """Changes when anything does on which the expert's success depends; not when scenes get a setting more."""
    parts = task.model_dump_json(include={"scene", "goal", "expert"}, by_alias=True, exclude_defaults=True)
    return hashlib.sha256(parts.encode()).hexdigest()[:16]
