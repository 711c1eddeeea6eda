"""How often M3's navigation gets where it was sent: with generated weights, and cloned from recorded drives.

    python benchmarks/episodes/skill_cloning.py build/cloning

In each of some generated houses `homie teleop` has the classical skill go to eight pieces of furniture, one after the
other, and records depth. In every second house the robot is driven blindly before each of them, often against
something, so that coming free is learnt, too. What `homie train skill` learns from that in a fifth of the steps drives
in a few more houses, where its recordings show its arm before the camera; from all recordings the final network is
trained. In other houses it and one of generated weights are sent to some furniture each, from the start of the house,
once. The verdict is that of the executor: the network chose to stop, in the room and within reach of the target. The
same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from homie.bench.authoring import House
from homie.bench.intervals_and_tests import wilson
from homie.data.recording.takes import list_takes
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.initial_state import initial_state
from homie.runtime.runstore import read_steps

ROOMS, OBJECTS, PIXELS = 2, 8, 128
"""Of a house: small ones, so that minutes are enough for many ways. M3 sees 128 pixels a side."""
WAYS = 8
"""In a house to learn in."""
FIRST_DRIVE, FIRST_OWN, FIRST_TEST = 61_000, 61_900, 62_000
"""The first seeds of the houses to learn in, of those for the first network, and of those to be tested in."""
OWN = 4
"""Houses in which the first network drives: one success is enough to see the arm."""
TRAINING = ("--batch", 8, "--rate", 8e-4)
FPS = 10
"""Pictures a second: a way is learnt by decisions, of which a driving base makes eight a second."""
DEPTHS = ("--depths", "front", "--fps", FPS)
DONE = "done"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--houses", type=int, default=12, help="to learn in")
    parser.add_argument("--tests", type=int, default=15, help="houses to be tested in")
    parser.add_argument("--each", type=int, default=3, help="ways in each of them")
    parser.add_argument("--steps", type=int, default=300, help="of the final training")
    arguments = parser.parse_args()
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    for seed in range(FIRST_DRIVE, FIRST_DRIVE + arguments.houses):
        lines = ["begin drive", *_drive(seed, pushed=seed % 2 == 1), "end success"]
        teleop(out / "drives" / str(seed), seed, lines, *DEPTHS)
    trained(out / "first", [out / "drives"], arguments.steps // 5)
    for seed in range(FIRST_OWN, FIRST_OWN + OWN):
        played(out / "own" / str(seed), seed, out / "first", WAYS, *DEPTHS)
    trained(out / "cloned", [out / "drives", out / "own"], arguments.steps)
    if not (out / "generated").exists():
        homie("skill", "generate", "m3", out / "all")
        (out / "generated").mkdir()
        shutil.copy(out / "all/navigate.pth", out / "generated")
    for network in ("generated", "cloned"):
        reached = [
            verdict
            for seed in range(FIRST_TEST, FIRST_TEST + arguments.tests)
            for verdict in played(out / "tests" / network / str(seed), seed, out / network, arguments.each)
        ]
        low, high = wilson(sum(reached), len(reached))
        print(f"{network:<10} {sum(reached)} of {len(reached)}, {100 * sum(reached) / len(reached):.1f} %", end=" ")
        print(f"[{100 * low:.1f}, {100 * high:.1f}]")


def furniture(seed: int, number: int) -> list[str]:
    """Some furniture of a house, by the names of its scene, in an order at random: neighbours would be short ways."""
    return random.Random(seed).sample(
        list(House(initial_state(generate(seed, rooms=ROOMS, objects=OBJECTS))).furniture), number
    )


def trained(out: Path, sources: Sequence[Path], steps: int) -> None:
    """Train on the recordings in some folders, unless that was done."""
    folders = [path for source in sources for path in sorted(source.iterdir()) if (path / DONE).exists()]
    if not (out / "training.json").exists():
        homie("train", "skill", *folders, *TRAINING, "--steps", steps, "--out", out)


def played(folder: Path, seed: int, weights: Path, each: int, *options: object) -> list[bool]:
    """Whether a network got to some furniture of a house, every time from the start of the house."""
    lines = [line for name in furniture(seed, each) for line in (f"begin {name}", f"go to {name}", "end")]
    teleop(folder, seed, lines, "--skills", f"m3:{weights},classical", "--attempts", 1, *(options or ("--fps", 1)))
    executions = [record.execution for take in list_takes(folder) for record in read_steps(take.episode)]
    return [
        execution.feedback.ok and execution.attempts[0].skill == "m3/navigate"
        for execution in executions
        if execution.subtask.action == "Go to"
    ]


def _drive(seed: int, *, pushed: bool) -> Iterator[str]:
    """Lines of `homie teleop`: to some furniture, where pushed after a blind drive each."""
    rng = random.Random(seed)
    for name in furniture(seed, WAYS):
        if pushed:
            yield f"{rng.choice(('left', 'right'))} {rng.uniform(0.2, 2.5):.1f}"
            yield f"forward {rng.uniform(1.0, 6.0):.1f}"
        yield f"go to {name}"


def teleop(folder: Path, seed: int, lines: Sequence[str], *options: object) -> None:
    """Drive and record in a house of its own folder, unless that was done; what was begun is done again."""
    if (folder / DONE).exists():
        return
    if folder.exists():
        shutil.rmtree(folder)
    house = ("--seed", seed, "--rooms", ROOMS, "--objects", OBJECTS)
    homie(
        *("teleop", *house, "--record", folder, "--cameras", "front", "--picture-size", PIXELS, "--speed", 0, *options),
        lines="\n".join(lines),
    )
    (folder / DONE).touch()


def homie(*words: object, lines: str = "") -> None:
    """Run one command of homie. Ends this program where it fails."""
    command = [sys.executable, "-m", "homie", *map(str, words)]
    if code := subprocess.run(command, input=lines, text=True, check=False).returncode:
        sys.exit(code)


if __name__ == "__main__":
    main()
