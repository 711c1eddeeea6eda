"""Steps per second of 1, 2, 4 and 8 homes in parallel, one process each (`homie.gym.vector`), and sequentially:

    python -m benchmarks.speed.vector [--seconds 8] [--cameras head]

A step is five control periods (0.2 s of robot time) of a driving Fetch with a moving arm, with the task evaluated.
Measured in wall time; parallel and sequential runs alternate.
"""

from __future__ import annotations

import argparse
import os
import time
from functools import partial

import gymnasium
import numpy as np
from gymnasium.vector import SyncVectorEnv

import homie.gym.vector
from homie.gym.control import PERIODS
from homie.kernel.types import Command

NAME = "homie/HomeControl-v0"
COUNTS = (1, 2, 4, 8)
ROUND = 10
"""Steps between two readings of the clock."""


def measure(count: int, cameras: tuple[str, ...], seconds: float) -> tuple[float, float]:
    """Measure the steps per second of all homes together: in parallel processes, and sequentially."""
    options = {"cameras": cameras, "steps": 10**6}
    env = gymnasium.make(f"homie.gym:{NAME}", **options)
    env.reset(seed=0)
    circle = env.unwrapped.encode(Command(base=(0.2, 0.8)))  # type: ignore[attr-defined]  # the arm where it rests
    env.close()
    makers = [partial(gymnasium.make, f"homie.gym:{NAME}", **options)] * count
    both = (homie.gym.vector.make(NAME, count, **options), SyncVectorEnv(makers))
    elapsed, steps_done = [0.0, 0.0], [0, 0]
    for homes in both:
        homes.reset(seed=0)
    swings = np.sin(np.arange(10**6) / 5)
    while min(elapsed) < seconds:
        for number, homes in enumerate(both):
            action = np.stack([circle] * count)
            began = time.perf_counter()
            for _ in range(ROUND):
                action[:, 3:10] += 0.02 * swings[steps_done[number]]
                homes.step(action)
                steps_done[number] += 1
            elapsed[number] += time.perf_counter() - began
    for homes in both:
        homes.close()
    processes, serial = (count * steps / taken for steps, taken in zip(steps_done, elapsed, strict=True))
    return processes, serial


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=8.0, help="of each measurement")
    parser.add_argument("--cameras", nargs="*", default=[], help="whose pictures are seen")
    arguments = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, a step is {PERIODS} control periods of 0.04 s\n")
    print("| homes | steps/s in processes | steps/s one after the other | ratio | times real time |")
    print("|---:|---:|---:|---:|---:|")
    for count in COUNTS:
        processes, serial = measure(count, tuple(arguments.cameras), arguments.seconds)
        real = processes * PERIODS * 0.04
        print(f"| {count} | {processes:.0f} | {serial:.0f} | {processes / serial:.2f} | {real:.0f} |", flush=True)


if __name__ == "__main__":
    main()
