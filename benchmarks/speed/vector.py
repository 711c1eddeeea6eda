"""Steps per second of 1, 2, 4 and 8 homes in threads (`homie.gym.vector`), and of the same homes one after the other:

    python -m benchmarks.speed.vector [--seconds 8] [--cameras head]

A step is five control periods (0.2 s of robot time) of a driving Fetch with a moving arm, with the task judged. Wall
time; the runs of threads and of one after the other are interleaved.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

import numpy as np

import homie.gym.vector
from homie.gym.control import PERIODS
from homie.kernel.types import Command

COUNTS = (1, 2, 4, 8)
ROUND = 10
"""Steps between two looks at the clock."""


def swinging(homes: homie.gym.vector.ThreadVectorEnv) -> Any:
    """One action for each home: drive in a circle, the arm where it rests."""
    rows = [env.unwrapped.encode(Command(base=(0.2, 0.8))) for env in homes.envs]  # type: ignore[attr-defined]
    return np.stack(rows)


def measure(count: int, cameras: tuple[str, ...], seconds: float) -> tuple[float, float]:
    """Steps per second of all homes together: in threads, and one after the other."""
    pools = [
        homie.gym.vector.make("homie/HomeControl-v0", count, threads=threads, cameras=cameras, steps=10**6)
        for threads in (None, 1)
    ]
    spent, done = [0.0, 0.0], [0, 0]
    for homes in pools:
        homes.reset(seed=0)
    swings = np.sin(np.arange(10**6) / 5)
    while min(spent) < seconds:
        for number, homes in enumerate(pools):
            action = swinging(homes)
            began = time.perf_counter()
            for _ in range(ROUND):
                action[:, 3:10] += 0.02 * swings[done[number]]
                homes.step(action)
                done[number] += 1
            spent[number] += time.perf_counter() - began
    for homes in pools:
        homes.close()
    threaded, serial = (count * steps / taken for steps, taken in zip(done, spent, strict=True))
    return threaded, serial


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=8.0, help="of each measurement")
    parser.add_argument("--cameras", nargs="*", default=[], help="whose pictures are seen")
    arguments = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, a step is {PERIODS} control periods of 0.04 s\n")
    print("| homes | steps/s in threads | steps/s one after the other | ratio | times real time |")
    print("|---:|---:|---:|---:|---:|")
    for count in COUNTS:
        threaded, serial = measure(count, tuple(arguments.cameras), arguments.seconds)
        real = threaded * PERIODS * 0.04
        print(f"| {count} | {threaded:.0f} | {serial:.0f} | {threaded / serial:.2f} | {real:.0f} |", flush=True)


if __name__ == "__main__":
    main()
