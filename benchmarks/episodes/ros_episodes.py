"""Compare episodes over ROS 2 with the simulator itself: `python -m benchmarks.episodes.ros_episodes --seeds 5`

Each seed is a house and a put task, as in `benchmarks/episodes/put_success.py`, played twice: in the simulator, and
over loopback by three processes (agent with `--robot ros:fetch`, the guard that it starts, `homie serve ros`). Two
episodes end the same if the simulated world satisfies the task in both or in neither, and the planner ended both or
neither. Over ROS simulated time is tied to wall time; the table has the fraction that was achieved.
`--skills nav2,moveit,classical` uses these skills over the network, and the classical ones in the simulator.
`--transport rclpy` needs a sourced ROS 2, `dds` the extra `ros`. With `--out` each pair is saved when it ends, and the
same command resumes. With `--speed 3` the robot follows /clock (`use_sim_time`), three of its seconds per second of
this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.episodes.put_tasks import PutTask, task_of
from benchmarks.episodes.put_verdicts import steps_of, verdict_of
from homie.envs.mujoco.generate.generate import generate
from ros_bridge.profiles.model import read_profile
from ros_bridge.profiles.simulation import CLOCK
from ros_bridge.transport.interface import SENSOR, Message
from ros_bridge.transport.opening import Transport, open_node
from ros_bridge.transport.stamps import seconds

FIRST = 10_000
"""Seed of the first house, as in `benchmarks/episodes/put_success.py`."""
DOMAIN = 93
"""ROS domain; concurrent runs need different ones."""
LONGEST = 1800.0
"""Timeout of an episode (wall-clock seconds)."""
STARTING = 120.0
"""Timeout (s) for a served robot to appear on the network."""


@dataclass(frozen=True)
class End:
    """Outcome of one episode.

    Attributes:
        steps: Its subtasks with the codes of their feedback.
        kept_up: Simulated seconds per wall-clock second, 0 if time stands still for the planner.
    """

    success: bool
    cause: str
    steps: tuple[str, ...]
    robot_seconds: float
    wall: float
    kept_up: float = 0.0


@dataclass(frozen=True)
class Pair:
    """One task, played in the simulator and over ROS."""

    seed: int
    task: str
    direct: End
    bridge: End

    @property
    def same(self) -> bool:
        """Whether both agree on success and on whether the planner ended the episode."""
        ended = [bool(end.steps) and end.steps[-1].startswith("[End]") for end in (self.direct, self.bridge)]
        return self.direct.success == self.bridge.success and ended[0] == ended[1]


def play(seed: int, folder: Path, skills: str, transport: Transport, speed: float | None = None) -> Pair:
    """Play both episodes of a seed, one after the other.

    Args:
        skills, transport: Skills and transport of the episode over ROS.
        speed: Robot seconds per second of this machine; None if the robot uses the clock of this machine.
    """
    task = task_of(seed, generate(seed))
    direct = _run(task, folder / f"{seed}-direct", (), dict(os.environ))
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder)}
    profile = "fetch" if speed is None else str(_sim_time_profile(folder))
    words = ("--robot", f"ros:{profile}", "--robot-option", f"transport={transport}", "--skills", skills)
    served = ["--seed", str(seed), "--transport", transport, "--profile", profile, "--speed", str(speed or 1.0)]
    with _serving(served, folder / f"{seed}-serve.log", environment, transport) as clock:
        began, simulated = time.monotonic(), clock[-1]
        bridge = _run(task, folder / f"{seed}-ros", words, environment)
        kept_up = (clock[-1] - simulated) / (time.monotonic() - began)
    return Pair(seed, task.text, direct, End(**{**asdict(bridge), "kept_up": round(kept_up, 3)}))


def _sim_time_profile(folder: Path) -> Path:
    """Write a profile of the Fetch with simulated time."""
    existing = read_profile("fetch").model_dump(mode="json", exclude_none=True)
    path = folder / "fetch.yaml"
    path.write_text(json.dumps({**existing, "use_sim_time": True}), encoding="utf-8")  # JSON is YAML
    return path


@contextmanager
def _serving(
    options: Sequence[str], log: Path, environment: dict[str, str], transport: Transport
) -> Iterator[list[float]]:
    """Serve a robot, and yield a list whose only item is its latest simulated time (s)."""
    command = [sys.executable, "-m", "homie", "serve", "ros", *options]
    clock: list[float] = []

    def on_clock(message: Message) -> None:
        clock[:] = [seconds(message.clock)]

    with log.open("wb") as output, open_node("/benchmark", transport) as node:
        node.subscription("rosgraph_msgs/msg/Clock", CLOCK, on_clock, SENSOR)
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            until = time.monotonic() + STARTING
            while not clock:
                if process.poll() is not None or time.monotonic() > until:
                    raise SystemExit(f"The served robot did not begin: see {log}.")
                time.sleep(0.1)
            yield clock
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def _run(task: PutTask, out: Path, robot: Sequence[str], environment: dict[str, str]) -> End:
    command = [sys.executable, "-m", "homie", "run", task.text, "--seed", str(task.seed), *robot]
    command += ["--no-video", "--no-frames", "--json", "--out", str(out)]
    began = time.monotonic()
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False)
        ending = f"exit {done.returncode}: {(done.stderr.strip().splitlines() or ['?'])[-1]}"
    except subprocess.TimeoutExpired:
        ending = f"not done after {LONGEST:.0f} s"
    wall = round(time.monotonic() - began, 1)
    steps = tuple(map(_step, steps_of(out) or ()))
    if not ending.startswith("exit 0"):
        return End(False, ending, steps, 0.0, wall)
    verdict = verdict_of(task, out, wall)
    return End(verdict.success, verdict.cause, steps, round(verdict.robot_seconds, 1), wall)


def _step(line: dict[str, Any]) -> str:
    subtask, feedback = line["execution"]["subtask"], line["execution"]["feedback"]
    words = ", ".join(filter(None, (subtask["action"], subtask.get("target"), subtask.get("destination"))))
    return f"[{words}] {feedback['code'] or 'ok'}"


def table(pairs: Sequence[Pair]) -> str:
    """Format the pairs as a Markdown table, with totals."""
    same = sum(pair.same for pair in pairs)
    kept = [pair.bridge.kept_up for pair in pairs]
    lines = [
        (
            f"{same} of {len(pairs)} episodes ended the same; {sum(p.direct.success for p in pairs)} were done in the "
            f"simulator, {sum(p.bridge.success for p in pairs)} over the network. Simulated seconds in one second of "
            f"wall clock: median {np.median(kept):.2f}, worst {min(kept):.2f} ({os.cpu_count()} cores, load "
            f"{os.getloadavg()[1]:.1f})."
        ),
        "",
        "| seed | task | in the simulator | over the network | robot s | same |",
        "|---|---|---|---|---|---|",
    ]
    for pair in pairs:
        ends = [
            f"{'done' if end.success else 'not done'} after {len(end.steps)} subtasks"
            for end in (pair.direct, pair.bridge)
        ]
        robot = f"{pair.direct.robot_seconds:.0f} / {pair.bridge.robot_seconds:.0f}"
        lines.append(
            f"| {pair.seed} | {pair.task} | {ends[0]} | {ends[1]} | {robot} | {'yes' if pair.same else 'NO'} |"
        )
    return "\n".join(lines)


def read(path: Path) -> list[Pair]:
    """Read the pairs already in a file."""
    if not path.exists():
        return []
    pairs = []
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        ends = {name: End(**{**entry[name], "steps": tuple(entry[name]["steps"])}) for name in ("direct", "bridge")}
        pairs.append(Pair(entry["seed"], entry["task"], **ends))
    return pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, help="how many houses")
    parser.add_argument("--first", type=int, default=FIRST, help="seed of the first one")
    parser.add_argument("--domain", type=int, default=DOMAIN, help="ROS domain, for several side by side")
    parser.add_argument("--skills", default="classical", help="skills over the network")
    parser.add_argument("--transport", default="dds", choices=("dds", "rclpy"), help="between the processes")
    parser.add_argument("--speed", type=float, help="seconds of the robot in one of this machine")
    parser.add_argument("--out", type=Path, help="keep the pairs in this file (JSON lines)")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the served robot must end with this
    os.environ.update(ROS_DOMAIN_ID=str(options.domain), ROS_LOCALHOST_ONLY="1")  # for this and its child processes
    pairs = read(options.out) if options.out else []
    existing = {pair.seed for pair in pairs}
    for seed in range(options.first, options.first + options.seeds):
        if seed in existing:
            continue
        with tempfile.TemporaryDirectory() as folder:
            pair = play(seed, Path(folder), options.skills, options.transport, options.speed)
        pairs.append(pair)
        print(f"{seed} {'same' if pair.same else 'DIFFERENT'}: {pair.task}", file=sys.stderr, flush=True)
        for name, end in (("simulator", pair.direct), ("network", pair.bridge)):
            steps = " ".join(end.steps)
            print(f"  {name}: {end.success} {end.cause} {end.wall:.0f} s of wall clock; {steps}", file=sys.stderr)
        if options.out:
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(pair)) + "\n")
    print(table(pairs))


if __name__ == "__main__":
    main()
