"""Steps per second of LIBERO in Homie and natively: `python -m benchmarks.speed.libero_steps [--steps 100] [--json]`

Both play the same task from its first initial state with a small motion in every step, alternating, each in its own
process, since two OpenGL contexts interfere. LIBERO's own loop is `env.step(action)` of `OffScreenRenderEnv`, Homie's a
command through the safety gate, then the observation; with pictures each has two cameras of 256 x 256 (Homie's also
with depth and instances). The target is 0.9 of LIBERO's own rate.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

from homie.envs.libero.robot import CAMERAS, LiberoRobot, LiberoSettings
from homie.envs.libero.tasks import LiberoTask, find_task, open_world
from homie.kernel.types import Command

AIM = 0.9
TASK = "libero_goal/0"
SIZE = 256
WARM_UP = 5
ROUNDS = 3


def libero(task: LiberoTask, pictures: bool) -> Callable[[], object]:
    """Return a function that does a step of LIBERO's own loop."""
    if pictures:
        from libero.libero.envs import OffScreenRenderEnv

        env: Any = OffScreenRenderEnv(
            bddl_file_name=str(task.bddl), camera_heights=SIZE, camera_widths=SIZE, camera_names=[*CAMERAS.values()]
        )
    else:
        env = open_world(task, "OSC_POSE")
    env.seed(0)
    env.reset()
    env.set_init_state(task.states[0])
    action = np.array([0.1, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0])
    return lambda: env.step(action)


def homie(task: LiberoTask, pictures: bool) -> Callable[[], object]:
    """Return a function that does a step of the robot in Homie."""
    robot = LiberoRobot(task, LiberoSettings(picture_size=f"{SIZE}x{SIZE}"))
    arm = list(robot.spec.rest["arm"])
    arm[0] += 0.1
    command, cameras = Command(arm=tuple(arm), gripper=0.08), tuple(CAMERAS) if pictures else ()

    def step() -> None:
        robot.act(command)
        robot.observe(cameras)

    return step


LOOPS = {"libero": libero, "homie": homie}


def rate(loop: str, pictures: bool, steps: int) -> float:
    """Measure the steps per second of a loop, in this process."""
    step = LOOPS[loop](find_task(TASK), pictures)
    for _ in range(WARM_UP):
        step()
    began = time.perf_counter()
    for _ in range(steps):
        step()
    return steps / (time.perf_counter() - began)


def run(steps: int) -> dict[str, dict[str, float]]:
    """Measure the steps per second (median over rounds) by case and loop, and their ratio."""
    measured = {}
    for case, pictures in (("without pictures", False), ("two pictures", True)):
        rates: dict[str, list[float]] = {name: [] for name in LOOPS}
        for _ in range(ROUNDS):
            for name, collected in rates.items():
                with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
                    collected.append(pool.submit(rate, name, pictures, steps).result())
        medians = {name: statistics.median(values) for name, values in rates.items()}
        measured[case] = medians | {"ratio": medians["homie"] / medians["libero"]}
    return measured


def main(arguments: Sequence[str] | None = None, tell: Callable[[str], object] = print) -> int:
    """Measure, print, and return 0 if the target is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    measured = run(options.steps)
    met = all(rates["ratio"] >= AIM for rates in measured.values())
    if options.json:
        tell(json.dumps({"steps_per_second": measured, "aim": AIM, "met": met}))
    else:
        for case, rates in measured.items():
            tell(f"{case:<18}Homie {rates['homie']:6.2f}  LIBERO {rates['libero']:6.2f}  ratio {rates['ratio']:.2f}")
        tell(f"The aim is {AIM:g} of LIBERO's own steps per second: {'met' if met else 'MISSED'}.")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
