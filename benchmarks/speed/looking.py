"""What looking costs: pictures, detections and seconds of one episode in each setting (docs/architecture.md).

    python -m benchmarks.speed.looking --seed 4 --task "put the apple in the bowl"

The seconds are those of this process on the CPU (user time): other processes on the machine count little. The pictures
that are rendered and searched are the same on every machine.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from collections import Counter
from collections.abc import Callable
from typing import Any

import homie
from homie.envs.mujoco.robots.eyes import Eyes
from perception.detectors.simulated import SimulatedDetector

TASK = "put the apple in the bowl"


def counted(counts: Counter[str], name: str, do: Callable[..., Any]) -> Callable[..., Any]:
    """A method that counts its calls."""

    def call(*args: Any, **named: Any) -> Any:
        counts[name] += 1
        return do(*args, **named)

    return call


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", default=TASK)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--targets", choices=("background", "sensors"), action="append")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    Eyes.frame = counted(counts, "pictures", Eyes.frame)  # type: ignore[method-assign]
    SimulatedDetector._in_frame = counted(counts, "detected", SimulatedDetector._in_frame)  # type: ignore[method-assign]
    print("| targets | ended | rounds | subtasks failed | pictures | pictures detected in | CPU s | robot s |")
    print("|---|---|---|---|---|---|---|---|")
    for targets in options.targets or ("background", "sensors"):
        counts.clear()
        began = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        with tempfile.TemporaryDirectory() as folder:
            done = homie.run(
                options.task,
                seed=options.seed,
                targets=targets,
                planner="rule",
                out=f"{folder}/run",
                video=False,
                progress=False,
            ).result
        spent = resource.getrusage(resource.RUSAGE_SELF).ru_utime - began
        failed = sum(not item.feedback.ok for item in done.history)
        cells = (targets, done.ended_by, done.rounds, failed, counts["pictures"], counts["detected"])
        print("|", " | ".join(map(str, cells)), f"| {spent:.1f} | {done.robot_seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
