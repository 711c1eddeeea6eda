"""Reading the golden cases of the official EMMOE notebooks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from homie.bench.score.trajectory import Trajectory, written_step

GOLDEN = Path(__file__).parents[1] / "golden" / "emmoe_metrics"


def read(path: Path) -> Any:
    """A JSON file of the golden cases."""
    return json.loads(path.read_bytes())


def names() -> dict[str, str]:
    mapping: dict[str, str] = read(GOLDEN / "name_map.json")
    return mapping


def trajectory(case: dict[str, Any]) -> Trajectory:
    """A golden case as a trajectory."""
    steps = tuple(written_step(step["raw"], step["success"], step["feedback"]) for step in case["steps"])
    return Trajectory(
        task_id=str(case["task_id"]),
        trial=case["round"],
        task=case["task"],
        keypaths=tuple(tuple(path) for path in case["keypaths"]),
        expert_length=case["expert_length"],
        steps=steps,
        length=len(steps),
        last_message_has_end=case["last_message_contains_End"],
    )
