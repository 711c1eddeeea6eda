"""Plays through the real package ai2thor 2.1.0 in a process of its own; prints what came of it as JSON."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from fake_unity import actions_of, unity_of

import homie
from homie import HomieError, Subtask
from homie.envs.thor.robot import ThorRobot
from homie.envs.thor.settings import ThorSettings

ROOM = ThorSettings(kinds=("Fridge", "Microwave", "Apple", "Mug"))


def robot_on(folder: Path, fault: str = "", **more: Any) -> ThorRobot:
    folder.mkdir(exist_ok=True)
    return ThorRobot.of("", ThorSettings(executable=unity_of(folder, ROOM, fault), **more))


def sentence(folder: Path, fault: str = "", **more: Any) -> str:
    """What an error says, at the start or at an action."""
    try:
        with robot_on(folder, fault, **more) as robot:
            robot.perform(Subtask("Pick", "apple"), "apple")
    except HomieError as error:
        return f"{type(error).__name__}: {error}"
    return ""


def main(folder: Path) -> None:
    display = folder / "xdpyinfo"  # the package asks it whether there is a display, where it is installed
    display.write_text("#!/bin/sh\n")
    display.chmod(0o755)
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
    results: dict[str, Any] = {}
    with robot_on(folder / "alfred", actions="eb-alfred") as real:
        fake = ThorRobot.of("fake", ROOM.model_copy(update={"actions": "eb-alfred"}))
        steps = ("Find apple", "PickupObject apple", "Find fridge", "PutObject", "OpenObject fridge", "PutObject")
        results["answers"], results["same"] = [], []
        for step in (*steps, "CloseObject fridge", "DropHandObject", "CloseObject fridge", "Find mug"):
            action, _, name = step.partition(" ")
            results["answers"].append(real.perform(Subtask(action, name), name))
            fake.perform(Subtask(action, name), name)
            results["same"].append(real.snapshot() == fake.snapshot())
        frames = [robot.observe(("front",)).frames["front"] for robot in (real, fake)]
        results["rgb"] = bool((frames[0].rgb == frames[1].rgb).all())
        depths = [frame.depth for frame in frames]
        assert depths[0] is not None and depths[1] is not None
        results["depth"] = float(np.abs(depths[0] - np.where(depths[1] < 5.0, depths[1], 0.0)).max())
        masks = [frame.instances == frame.instance_names.index("mug") for frame in frames]
        results["mask"] = bool((masks[0] == masks[1]).all())
    (folder / "rule").mkdir()
    run = homie.run(
        "put the apple in the fridge",
        robot="thor",
        robot_settings={"executable": str(unity_of(folder / "rule", ROOM))},
        planner="rule",
        skills="own",
        video=False,
        out=folder / "run",
    )
    results["rule"] = json.loads((run.episode_folder / "final_state.json").read_text())["objects"]["apple"]["at"]
    results["resets"] = actions_of(folder / "alfred").count("Reset")
    results["start"] = sentence(folder / "start", "hang", start_seconds=0.5)
    results["lost"] = sentence(folder / "lost", "kill@PickupObject")
    results["small"] = sentence(folder / "small", picture_size="160x120")
    print(json.dumps(results))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
