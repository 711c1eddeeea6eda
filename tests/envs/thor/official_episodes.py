"""Plays the official tasks of EmbodiedBench by their experts through the real package ai2thor and on the fake.

Prints how many were played and of which refusals or worlds differ, as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from fake_unity import unity_of

from homie import Subtask
from homie.bench.suite.suite import find_suite, read_subtask
from homie.envs.thor.robot import ThorRobot
from homie.envs.thor.settings import ThorSettings


def play_steps(robot: ThorRobot, steps: tuple[str, ...]) -> list[object]:
    """Whether each step was refused, and the world after it."""
    results: list[object] = []
    with robot:
        for step in steps:
            subtask = read_subtask(step)
            kind = subtask.target.replace(" ", "_")
            named = [name for name, item in robot.snapshot().things.items() if item.kind == kind]
            if named or not kind:
                refusal = robot.perform(Subtask(subtask.action, subtask.target), named[0] if named else "")
                results += [bool(refusal), robot.snapshot()]
    return results


def main(name: str, folder: Path) -> None:
    display = folder / "xdpyinfo"  # ai2thor 2.1 asks it whether there is a display, where it is installed
    display.write_text("#!/bin/sh\n")
    display.chmod(0o755)
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
    different = []
    tasks = find_suite(name).tasks
    for task in tasks:
        chosen = ThorSettings(**task.scene.settings)
        real = chosen.model_copy(update={"executable": unity_of(folder, chosen)})
        steps = task.expert or ()
        if play_steps(ThorRobot.of("", real), steps) != play_steps(ThorRobot.of("fake", chosen), steps):
            different.append(task.id)
    print(json.dumps([len(tasks), different]))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
