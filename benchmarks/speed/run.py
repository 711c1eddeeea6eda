"""Measure the speed of Homie on this machine: `make bench`, or

    python -m benchmarks.speed.run [--episodes 5] [--out docs/speed.md]

Writes a section of a page, and the same numbers as data/benchmarks.json beside it. All figures are medians; GL backends
are measured in separate processes because a process can render with one GL only.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.speed.section import write_section
from homie.runtime.runstore import EpisodeFile, read_episode, read_steps

SEED = 7
OBJECTS = 40
BACKENDS = ("egl", "osmesa", "raycast")


@dataclass(frozen=True)
class Physics:
    """Simulation speed of the default home: steps per second and real-time factor, one thread."""

    situation: str
    steps_per_second: float
    times_real_time: float


@dataclass(frozen=True)
class Frames:
    """Milliseconds for one 256x256 picture of the robot's head camera. `error`: the reason if a backend fails."""

    backend: str
    rgb: float = 0.0
    depth: float = 0.0
    segmentation: float = 0.0
    error: str = ""


@dataclass(frozen=True)
class Episodes:
    """Medians over put-X-on-Y episodes with planner `rule`, and the wall seconds per subtask by action."""

    video: bool
    episodes: int
    wall_seconds: float
    command_seconds: float
    robot_seconds: float
    overhead_ms: float
    largest_overhead_ms: float
    subtask_seconds: dict[str, float]
    feedback: dict[str, int]


@dataclass
class Report:
    """All results, with machine and date."""

    measured: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    machine: str = field(default_factory=lambda: f"{processor()}, {os.cpu_count()} cores, {platform.system()}")
    load: float = field(default_factory=lambda: round(os.getloadavg()[0], 1))
    help_seconds: float = 0.0
    physics: list[Physics] = field(default_factory=list)
    frames: list[Frames] = field(default_factory=list)
    episodes: list[Episodes] = field(default_factory=list)


def processor() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def seconds(call: Callable[[], object], times: int) -> float:
    """Measure the median wall seconds of a call, after one warm-up call."""
    call()
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def measure_help() -> float:
    """Measure the wall seconds of `homie --help`."""
    command = [sys.executable, "-m", "homie", "--help"]
    return round(seconds(lambda: subprocess.run(command, capture_output=True, check=True), 9), 3)


def measure_physics(catalogue: str, objects: str) -> list[Physics]:
    """Measure a home with 40 loose objects of a catalogue: robot standing still, and driving with a moving arm.

    Args:
        objects: Label of the objects in the table, after the situation.
    """
    import mujoco
    import numpy as np

    from homie.envs.mujoco.home.home import open_home
    from homie.kernel.options import RunOptions
    from homie.kernel.types import Command

    robot = open_home(RunOptions.build(task="benchmark", seed=SEED, objects=OBJECTS, catalogue=catalogue))
    timestep = robot.model.opt.timestep
    still = seconds(lambda: mujoco.mj_step(robot.model, robot.data, nstep=500), 5) / 500
    phase = iter(np.linspace(0.0, 1000.0, 10**6))

    def drive() -> None:
        for _ in range(50):
            swing = 0.3 * np.sin(next(phase) * 20)
            robot.act(Command(base=(0.2, 0.8), arm=tuple(np.array(robot.spec.rest["arm"]) + swing)))

    moving = seconds(drive, 5) / 50 / (robot.spec.period / timestep)
    robot.close()
    return [
        Physics(f"robot standing{objects}", round(1 / still), round(timestep / still, 1)),
        Physics(
            f"robot driving, arm moving, with gate and grasp logic{objects}",
            round(1 / moving),
            round(timestep / moving, 1),
        ),
    ]


def measure_frames(backend: str) -> Frames:
    """Time one backend in a child process."""
    command = [sys.executable, __file__, "--only-frames", backend]
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    if completed.returncode != 0:
        return Frames(backend, error=(completed.stderr.strip().splitlines() or ["failed"])[-1])
    return Frames(**json.loads(completed.stdout))


def time_frames(backend: str) -> Frames:
    """Measure the milliseconds per picture in this process."""
    from homie.envs.mujoco.home.home import open_home
    from homie.envs.mujoco.render.backend_choice import make_renderer
    from homie.kernel.options import RunOptions

    robot = open_home(RunOptions.build(task="benchmark", seed=SEED, objects=OBJECTS))
    renderer = make_renderer(robot.model, 256, 256, backend=backend)
    times = 5 if backend == "raycast" else 40

    def ms(draw: Callable[..., object]) -> float:
        return round(1e3 * seconds(lambda: draw(robot.data, "robot/head"), times), 2)

    return Frames(backend, ms(renderer.rgb), ms(renderer.depth), ms(renderer.segmentation))


def measure_episodes(count: int, *, video: bool) -> Episodes:
    """Run put tasks one after the other, as a user does, and read the run folders."""
    from benchmarks.episodes.put_tasks import task_of
    from homie.envs.mujoco.generate.generate import generate

    endings: list[EpisodeFile] = []
    walls: list[float] = []
    overheads: list[float] = []
    by_action: dict[str, list[float]] = defaultdict(list)
    feedback: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(count):
            out = Path(scratch) / str(seed)
            task = task_of(seed, generate(seed)).text
            command = [sys.executable, "-m", "homie", "run", task, "--seed", str(seed), "--out", str(out)]
            command += ["--no-frames", *([] if video else ["--no-video"])]
            start = time.perf_counter()
            subprocess.run(command, capture_output=True, check=True)
            walls.append(time.perf_counter() - start)
            (folder,) = (out / "episodes").iterdir()
            ending = read_episode(folder)
            assert ending is not None
            endings.append(ending)
            for record in read_steps(folder):
                overheads.append(1e3 * record.timings["overhead"])
                if record.execution.attempts:
                    by_action[record.execution.subtask.action].append(record.timings["execute"])
                feedback[record.execution.feedback.code or "success"] += 1
    return Episodes(
        video=video,
        episodes=count,
        wall_seconds=round(statistics.median(ending.wall_seconds for ending in endings), 1),
        command_seconds=round(statistics.median(walls), 1),
        robot_seconds=round(statistics.median(ending.robot_seconds for ending in endings), 1),
        overhead_ms=round(statistics.median(overheads), 3),
        largest_overhead_ms=round(max(overheads), 3),
        subtask_seconds={action: round(statistics.median(taken), 2) for action, taken in sorted(by_action.items())},
        feedback=dict(feedback.most_common()),
    )


def episodes_row(run: Episodes) -> str:
    """Format the episodes as a row of the table."""
    cells = (
        *("yes" if run.video else "no", run.episodes, run.wall_seconds, run.command_seconds, run.robot_seconds),
        f"{run.overhead_ms} (largest {run.largest_overhead_ms})",
        ", ".join(f"{action} {taken}" for action, taken in run.subtask_seconds.items()),
        ", ".join(f"{code} {number}" for code, number in run.feedback.items()),
    )
    return f"| {' | '.join(map(str, cells))} |"


def markdown(report: Report) -> str:
    """Format the report as a section of a page."""
    where = f"{report.machine}, Python {platform.python_version()}, {report.measured[:10]}"
    lines = [
        "Made by `make bench`; the numbers are also in [data/benchmarks.json](data/benchmarks.json). Medians.",
        "",
        f"{where}, load average at the start {report.load}.",
        "",
        f"`homie --help`: {report.help_seconds:.2f} s.",
        "",
        f"### Physics: the default home (seed {SEED}) with {OBJECTS} loose objects and the robot, one thread",
        "",
        "| situation | steps/s | times real time |",
        "|---|---:|---:|",
        *(
            f"| {figure.situation} | {figure.steps_per_second:.0f} | {figure.times_real_time:.1f} |"
            for figure in report.physics
        ),
        "",
        "### Rendering: one 256x256 picture of the head camera, ms",
        "",
        "| backend | RGB | depth | instance segmentation |",
        "|---|---:|---:|---:|",
    ]
    for figure in report.frames:
        if figure.error:
            lines.append(f"| {figure.backend} | not available | | |")
        else:
            lines.append(f"| {figure.backend} | {figure.rgb:.1f} | {figure.depth:.1f} | {figure.segmentation:.1f} |")
    if report.episodes:
        lines += [
            "",
            "### Episodes: put X on/in Y, planner `rule`",
            "",
            "| video | episodes | wall s | command s | robot s | loop ms per round | wall s per subtask | feedback |",
            "|---|---:|---:|---:|---:|---:|---|---|",
            *(episodes_row(run) for run in report.episodes),
        ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=5, help="put tasks to run (0: none)")
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[2] / "docs" / "speed.md")
    parser.add_argument("--only-frames", choices=BACKENDS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only_frames:
        print(json.dumps(asdict(time_frames(arguments.only_frames))))
        return
    report = Report()
    print("homie --help ...", file=sys.stderr)
    report.help_seconds = measure_help()
    print("physics ...", file=sys.stderr)
    report.physics = [*measure_physics("ycb", ""), *measure_physics("household", "; all kinds of objects")]
    print("frames ...", file=sys.stderr)
    report.frames = [measure_frames(backend) for backend in BACKENDS]
    if arguments.episodes:
        print(f"{arguments.episodes} episodes without and one with video ...", file=sys.stderr)
        report.episodes = [
            measure_episodes(arguments.episodes, video=False),
            measure_episodes(1, video=True),
        ]
    write_section(arguments.out, "make bench", markdown(report))
    numbers = arguments.out.parent / "data" / "benchmarks.json"
    numbers.parent.mkdir(exist_ok=True)
    numbers.write_text(json.dumps(asdict(report), indent=2) + "\n", encoding="utf-8")
    print(markdown(report))


if __name__ == "__main__":
    main()
