"""Success rates of M3 navigation with generated weights, and with weights cloned from recorded drives.

    python benchmarks/episodes/skill_cloning.py build/cloning

In each of several generated houses `homie teleop` has the classical skill go to eight pieces of furniture, one after
the other, and records depth. In every second house the robot is first driven blindly before each of them, often into an
obstacle, so that recovery is learnt too. A first network, trained on these by `homie train skill`, drives in two more
houses, where its recordings show its arm in front of the camera. A second one, trained on all recordings so far, drives
in further houses for a limited number of decisions, after which the classical skill takes over, so that recovery from
states that a network visits is learnt (DAgger, Ross et al., 2011). The final network is trained on all recordings. In
test houses it and a network of generated weights go to several pieces of furniture once, each time from the start of
the house. Success is the executor's verdict: the robot is in the room and within reach of the target. The same command
resumes a stopped run.
"""

from __future__ import annotations

import argparse
import json
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
"""Rooms and objects of a house, small so that many drives take minutes, and the side of M3's pictures (pixels)."""
WAYS = 8
"""Recorded drives per training house."""
FIRST_DRIVE, FIRST_CORRECTED, FIRST_OWN, FIRST_TEST = 61_000, 61_200, 61_900, 64_000
"""First seeds of the training houses, of those where a network is corrected, of those in which the first network
drives, and of the test houses."""
OWN = 2
"""Number of houses in which the first network drives: one success is enough to see the arm."""
CORRECTED_AFTER = (25, 50, 75, 120)
"""Decisions after which the classical skill takes over, in turn by house: a drive takes about forty."""
LIMITED = """import sys
from skills.m3.navigate import Navigate
Navigate.decisions = int(sys.argv.pop(1))
from homie.cli.main import main
main()"""
"""Program that runs `homie` with a limit on the decisions of M3."""
TRAINING = ("--batch", 8, "--rate", 8e-4)
FPS = 10
"""Pictures per second: training uses decisions, of which navigation makes eight per second."""
DEPTHS = ("--depths", "front", "--fps", FPS)
DONE = "done"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--houses", type=int, default=12, help="to learn in")
    parser.add_argument("--corrected", type=int, default=4, help="houses in which a network is corrected")
    parser.add_argument("--tests", type=int, default=15, help="houses to be tested in")
    parser.add_argument("--each", type=int, default=3, help="ways in each of them")
    parser.add_argument("--steps", type=int, default=300, help="of the final training")
    arguments = parser.parse_args()
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    for seed in range(FIRST_DRIVE, FIRST_DRIVE + arguments.houses):
        lines = ["begin drive", *_drive(seed, pushed=seed % 2 == 1), "end success"]
        teleop(out / "drives" / str(seed), seed, lines, *DEPTHS)
    train(out / "first", [out / "drives"], arguments.steps // 10)
    for seed in range(FIRST_OWN, FIRST_OWN + OWN):
        play(out / "own" / str(seed), seed, out / "first", WAYS, *DEPTHS)
    train(out / "second", [out / "drives", out / "own"], arguments.steps // 2, "--model", out / "first")
    for seed in range(FIRST_CORRECTED, FIRST_CORRECTED + arguments.corrected):
        record_corrections(out / "corrected" / str(seed), seed, out / "second")
    sources = [out / "drives", out / "own", out / "corrected"]
    train(out / "cloned", sources, arguments.steps, "--model", out / "second")
    if not (out / "generated").exists():
        homie("skill", "generate", "m3", out / "all")
        (out / "generated").mkdir()
        shutil.copy(out / "all/navigate.pth", out / "generated")
    for network in ("generated", "cloned"):
        reached = [
            verdict
            for seed in range(FIRST_TEST, FIRST_TEST + arguments.tests)
            for verdict in play(out / "tests" / network / str(seed), seed, out / network, arguments.each)
        ]
        low, high = wilson(sum(reached), len(reached))
        print(f"{network:<10} {sum(reached)} of {len(reached)}, {100 * sum(reached) / len(reached):.1f} %", end=" ")
        print(f"[{100 * low:.1f}, {100 * high:.1f}]")


def furniture(seed: int, number: int) -> list[str]:
    """Sample furniture of a house by scene name, in random order: neighbours would make short drives."""
    return random.Random(seed).sample(
        list(House(initial_state(generate(seed, rooms=ROOMS, objects=OBJECTS))).furniture), number
    )


def train(out: Path, sources: Sequence[Path], steps: int, *options: object) -> None:
    """Train on the recordings in several folders, unless already done."""
    folders = [marker.parent for source in sources for marker in sorted(source.glob(f"*/{DONE}"))]
    if not (out / "training.json").exists():
        homie("train", "skill", *folders, *TRAINING, *options, "--steps", steps, "--out", out)


def play(folder: Path, seed: int, weights: Path, each: int, *options: object) -> list[bool]:
    """Play Go to for furniture of a house, each time from the start of the house; return the successes."""
    lines = [line for name in furniture(seed, each) for line in (f"begin {name}", f"go to {name}", "end")]
    teleop(folder, seed, lines, "--skills", f"m3:{weights},classical", "--attempts", 1, *(options or ("--fps", 1)))
    executions = [record.execution for take in list_takes(folder) for record in read_steps(take.episode)]
    return [
        execution.feedback.ok and execution.attempts[0].skill == "m3/navigate"
        for execution in executions
        if execution.subtask.action == "Go to"
    ]


def _drive(seed: int, *, pushed: bool) -> Iterator[str]:
    """Yield lines of `homie teleop` that go to furniture, if `pushed` after a blind drive each."""
    rng = random.Random(seed)
    for name in furniture(seed, WAYS):
        if pushed:
            yield f"{rng.choice(('left', 'right'))} {rng.uniform(0.2, 2.5):.1f}"
            yield f"forward {rng.uniform(1.0, 6.0):.1f}"
        yield f"go to {name}"


def record_corrections(folder: Path, seed: int, weights: Path) -> None:
    """Record the classical skill taking over from a network after some decisions, unless already done."""
    if not prepare_recording(folder):
        return
    script = folder.with_suffix(".json")
    subtasks = [(name, skill) for name in furniture(seed, WAYS) for skill in ("m3", "classical")]
    script.write_text(json.dumps([{"subtask": f"[Go to, {name}]", "model": skill} for name, skill in subtasks]))
    options = ("--skills", f"m3:{weights},classical", "--attempts", 1, *DEPTHS)
    limited = ("-c", LIMITED, CORRECTED_AFTER[seed % len(CORRECTED_AFTER)])
    command = [sys.executable, *limited, *_recording(folder, seed), *options]
    with subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stderr is not None
        process.stdin.write(f"begin drive with scripted:{script}\n")
        process.stdin.flush()
        for line in process.stderr:
            if "The planner ended" in line and not process.stdin.closed:
                process.stdin.write("quit\n")
                process.stdin.close()
    if process.returncode:
        sys.exit(process.returncode)
    (folder / DONE).touch()


def teleop(folder: Path, seed: int, lines: Sequence[str], *options: object) -> None:
    """Drive and record in a house into a folder, unless already done; an incomplete recording is made again."""
    if prepare_recording(folder):
        homie(*_recording(folder, seed), *options, lines="\n".join(lines))
        (folder / DONE).touch()


def prepare_recording(folder: Path) -> bool:
    """Whether a recording has still to be made; deletes an incomplete one."""
    if (folder / DONE).exists():
        return False
    if folder.exists():
        shutil.rmtree(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    return True


def _recording(folder: Path, seed: int) -> tuple[object, ...]:
    house = ("--seed", seed, "--rooms", ROOMS, "--objects", OBJECTS)
    return ("teleop", *house, "--record", folder, "--cameras", "front", "--picture-size", PIXELS, "--speed", 0)


def homie(*words: object, lines: str = "") -> None:
    """Run one command of homie. Exits if it fails."""
    command = [sys.executable, "-m", "homie", *map(str, words)]
    if code := subprocess.run(command, input=lines, text=True, check=False).returncode:
        sys.exit(code)


if __name__ == "__main__":
    main()
