"""Do episodes end over ROS 2 as in the simulator itself? `python -m benchmarks.episodes.ros_episodes --seeds 5`

Each seed is a house and a put task, as in `benchmarks/episodes/put_success.py`, played twice: in the simulator,
and over loopback by three processes (agent with `--robot ros:fetch`, the guard that it begins, `homie serve ros`). An
episode ends the same where the simulated world says the same of the task and the planner ended it, or did not, both
times. Simulated time is tied to the clock on the wall in the second: what part of it was kept up with is in the table.
`--skills nav2,moveit,classical` has these skills over the network, and the classical ones in the simulator.
`--transport rclpy` plays over a ROS 2 that is sourced, `dds` needs the extra `ros`. With `--out` every
pair is kept as it comes, and the same command goes on. With `--speed 3` the robot follows /clock (`use_sim_time`), and
so many of its seconds are in one of this machine.
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
"""ROS domain; another one for each of several that run side by side."""
LONGEST = 1800.0
"""Seconds of wall clock after which an episode has failed."""
STARTING = 120.0
"""Seconds in which a served robot is on the network."""


@dataclass(frozen=True)
class End:
    """How an episode ended.

    Attributes:
        steps: Its subtasks with the code of their feedback.
        kept_up: Simulated seconds in one second of wall clock, 0 where time stands still for the planner.
    """

    success: bool
    cause: str
    steps: tuple[str, ...]
    robot_seconds: float
    wall: float
    kept_up: float = 0.0


@dataclass(frozen=True)
class Pair:
    """One task, played both ways."""

    seed: int
    task: str
    direct: End
    bridge: End

    @property
    def same(self) -> bool:
        """Whether both ended the same."""
        ended = [bool(end.steps) and end.steps[-1].startswith("[End]") for end in (self.direct, self.bridge)]
        return self.direct.success == self.bridge.success and ended[0] == ended[1]


def play(seed: int, folder: Path, skills: str, transport: Transport, speed: float | None = None) -> Pair:
    """Both episodes of a seed, one after the other.

    Args:
        skills, transport: Those over the network.
        speed: Seconds of the robot in one of this machine; None: it has the clock of this machine.
    """
    task = task_of(seed, generate(seed))
    direct = _run(task, folder / f"{seed}-direct", (), dict(os.environ))
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder)}
    profile = "fetch" if speed is None else str(_following_the_clock(folder))
    words = ("--robot", f"ros:{profile}", "--robot-option", f"transport={transport}", "--skills", skills)
    served = ["--seed", str(seed), "--transport", transport, "--profile", profile, "--speed", str(speed or 1.0)]
    with _served(served, folder / f"{seed}-serve.log", environment, transport) as clock:
        began, simulated = time.monotonic(), clock[-1]
        bridge = _run(task, folder / f"{seed}-ros", words, environment)
        kept_up = (clock[-1] - simulated) / (time.monotonic() - began)
    return Pair(seed, task.text, direct, End(**{**asdict(bridge), "kept_up": round(kept_up, 3)}))


def _following_the_clock(folder: Path) -> Path:
    """A profile of the Fetch whose time is that of its simulator."""
    known = read_profile("fetch").model_dump(mode="json", exclude_none=True)
    path = folder / "fetch.yaml"
    path.write_text(json.dumps({**known, "use_sim_time": True}), encoding="utf-8")  # JSON is YAML
    return path


@contextmanager
def _served(
    options: Sequence[str], log: Path, environment: dict[str, str], transport: Transport
) -> Iterator[list[float]]:
    """A served robot, and its simulated time as it comes."""
    command = [sys.executable, "-m", "homie", "serve", "ros", *options]
    clock: list[float] = []

    def heard(message: Message) -> None:
        clock[:] = [seconds(message.clock)]

    with log.open("wb") as output, open_node("/benchmark", transport) as node:
        node.subscription("rosgraph_msgs/msg/Clock", CLOCK, heard, SENSOR)
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
    """The pairs as a Markdown table, with their sums."""
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
    """The pairs that a file has so far."""
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
    os.environ.update(ROS_DOMAIN_ID=str(options.domain), ROS_LOCALHOST_ONLY="1")  # of this node and its processes
    pairs = read(options.out) if options.out else []
    known = {pair.seed for pair in pairs}
    for seed in range(options.first, options.first + options.seeds):
        if seed in known:
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
