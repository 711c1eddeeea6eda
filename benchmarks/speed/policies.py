"""Latency and memory of the low-level policies: `python -m benchmarks.speed.policies`, or

    python -m benchmarks.speed.policies [--rounds 8] [--threads 2] [--only rt1x] [--out docs/speed.md]

Writes a section of a page, and the same numbers as data/policies.json beside it. Every case runs in its own process, to
measure its peak memory separately, on the CPU, and on CUDA if there is a GPU that the policy supports. Weights are
random, which takes as long as trained ones. If a policy caches encoded frames, encoding the whole window is timed as
well, with the network's own functions, alternating with the policy so that both run under the same load.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed.section import write_section

SEED = 0
TEXT = "pick up the apple"
Step = Callable[[], object]


@dataclass(frozen=True)
class CaseFunctions:
    """Functions that run a case.

    Attributes:
        decisions: Decisions per attempt.
        window: The same decision with the whole window encoded again.
    """

    step: Step
    reset: Step
    decisions: int
    window: Step | None = None


@dataclass(frozen=True)
class Case:
    """Case to measure. Its target is a maximum decision time (s), or a minimum speed-up over the window; 0: none."""

    policy: str
    what: str
    make: Callable[[Path, str], CaseFunctions]
    devices: tuple[str, ...] = ("cpu",)
    most_seconds: float = 0.0
    least_times: float = 0.0


@dataclass(frozen=True)
class Figure:
    """Results of one case on one device. Seconds are medians.

    Attributes:
        p95: 95th percentile of the decision time (s).
        memory_mb: Peak memory of the whole process including loading; on CUDA peak memory allocated by torch there.
        window_memory_mb: The same including the window.
    """

    policy: str
    what: str
    device: str
    load_seconds: float
    seconds: float
    p95: float
    memory_mb: float
    window_seconds: float = 0.0
    window_memory_mb: float = 0.0
    aim: str = ""
    reached: bool = True

    @property
    def times(self) -> float:
        """Speed-up over the window."""
        return self.window_seconds / self.seconds if self.window_seconds else 0.0


@dataclass
class Report:
    """All results, with machine and date.

    Attributes:
        baseline_mb: Memory of Python with torch before any policy is loaded.
    """

    threads: int
    rounds: int
    measured: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    machine: str = field(default_factory=lambda: f"{processor()}, {os.cpu_count()} cores, {platform.system()}")
    load: float = field(default_factory=lambda: round(os.getloadavg()[0], 1))
    gpu: str = ""
    torch: str = ""
    baseline_mb: float = 0.0
    figures: list[Figure] = field(default_factory=list)


def camera(height: int = 256, width: int = 256) -> Iterator[Any]:
    """Return an endless cycle of noise pictures, generated before anything is timed."""
    source = np.random.default_rng(SEED)
    return itertools.cycle([source.integers(0, 256, (height, width, 3), dtype=np.uint8) for _ in range(16)])


def texts(folder: Path, *shape: int) -> Path:
    """Write a table of embeddings with one text."""
    path = folder / "texts.npz"
    np.savez(path, texts=np.array([TEXT]), embeddings=np.random.default_rng(SEED).normal(size=(1, *shape)))
    return path


def nomad(nodes: int) -> Callable[[Path, str], CaseFunctions]:
    """NoMaD driving to a goal picture (0 nodes), or along a map of `nodes` nodes, of which it uses those nearby."""

    def make(checkpoint: Path, _: str) -> CaseFunctions:
        from skills.nomad.skill_set import Nomad, NomadSettings
        from skills.nomad.topomap import TopoMap, save

        pictures = camera()
        settings, goal = NomadSettings(), {"picture": next(pictures)}
        if nodes:
            save(TopoMap(tuple(next(pictures) for _ in range(nodes))), checkpoint.parent / "map")
            settings, goal = NomadSettings(topomap=checkpoint.parent / "map"), {"nodes": np.array([nodes - 1])}
        policy = Nomad(str(checkpoint), settings).policy()

        def reset() -> None:
            policy.reset(goal)
            while not policy.step({"picture": next(pictures)})["ready"]:
                pass

        return CaseFunctions(lambda: policy.step({"picture": next(pictures)}), reset, 40)

    return make


def pixnav(checkpoint: Path, _: str) -> CaseFunctions:
    """PixNav, an attempt of 30 pictures; the window has all 64 frames, as the authors' loop computes at every step."""
    import torch

    from skills.pixnav.network import WINDOW
    from skills.pixnav.preprocessing import prepare, prepare_goal
    from skills.pixnav.skill_set import PixNav

    whole, pictures = PixNav(str(checkpoint)), camera(480, 640)
    policy, goal = whole.policy(), next(pictures)
    frames = torch.zeros(WINDOW, 3, 224, 224)

    def window() -> None:
        with torch.inference_mode():
            frames[0] = prepare(next(pictures))
            whole.network(prepare_goal(goal, (320, 240)), frames)

    return CaseFunctions(
        lambda: policy.step({"picture": next(pictures), "collided": False}),
        lambda: policy.reset({"picture": goal, "pixel": np.array([0.5, 0.5])}),
        30,
        window,
    )


def rt1x(checkpoint: Path, device: str) -> CaseFunctions:
    """RT-1-X with a full history of 15 pictures; the window encodes all of them."""
    import torch

    from skills.effector.rt1x_network import FRAMES, SIDE
    from skills.effector.rt1x_skill_set import Rt1x, Rt1xSettings
    from skills.policies.resize import bilinear

    settings = Rt1xSettings(embeddings=texts(checkpoint.parent, 512), device=device)
    whole, pictures = Rt1x(str(checkpoint), settings), camera()
    policy = whole.policy()
    text = torch.from_numpy(whole.texts[TEXT])[None].to(device)

    def window() -> None:
        with torch.inference_mode():
            frames = torch.cat([bilinear(next(pictures), SIDE, SIDE).to(device) / 255.0 for _ in range(FRAMES)])
            tokens = whole.network.tokenizer(frames, text.expand(FRAMES, -1))
            whole.network.action_logits(tokens[None]).argmax(-1).cpu()

    return CaseFunctions(
        lambda: policy.step({"primary": next(pictures)}),
        lambda: policy.reset({"text": TEXT, "gripper": 1.0}),
        10,
        window,
    )


def octo(checkpoint: Path, device: str) -> CaseFunctions:
    """Octo with one camera and inference at every step (ensemble)."""
    from skills.effector.octo_skill_set import Octo, OctoSettings

    pictures = camera()
    policy = Octo(str(checkpoint), OctoSettings(embeddings=texts(checkpoint.parent, 16, 768), device=device)).policy()
    return CaseFunctions(
        lambda: policy.step({"primary": next(pictures)}), lambda: policy.reset({"text": TEXT, "gripper": 1.0}), 20
    )


def m3(skill: str) -> Callable[[Path, str], CaseFunctions]:
    """M3, one step of a recurrent network."""

    def make(checkpoint: Path, _: str) -> CaseFunctions:
        from skills.m3.skill_set import M3

        policy = M3(str(checkpoint)).policy()
        source = np.random.default_rng(0)
        inputs: dict[str, Any] = {
            name: source.random((128, 128), dtype=np.float32) for name in ("head_depth", "arm_depth")
        }
        inputs |= {name: source.random(3) for name in ("goal_at_base", "gripper_pos_at_base", "goal_at_gripper")}
        inputs |= {"arm_joint_pos": source.random(7), "is_grasped": 1.0}
        return CaseFunctions(lambda: policy.step(inputs), lambda: policy.reset({"skill": skill}), 200)

    return make


CASES: Mapping[str, Case] = {
    "nomad": Case("nomad", "towards a picture", nomad(0), most_seconds=0.25),
    "nomad-map": Case("nomad", "along a map: 9 or 10 nodes in question", nomad(20), most_seconds=0.25),
    "pixnav": Case("pixnav", "one new picture", pixnav, least_times=15.0),
    "rt1x": Case("rt1x", "one new picture, 15 in memory", rt1x, ("cpu", "cuda"), least_times=2.0),
    "octo": Case("octo", "small, one new picture, 2 in memory", octo, ("cpu", "cuda")),
    "octo-base": Case("octo-base", "base, one new picture, 2 in memory", octo, ("cpu", "cuda")),
    "m3-navigate": Case("m3", "navigate", m3("navigate")),
    "m3-pick": Case("m3", "pick", m3("pick")),
}


def measure(name: str, checkpoint: Path, device: str, rounds: int) -> Figure:
    """Measure one case in this process.

    Args:
        rounds: Timings of the window; decisions of the policy are interleaved.
    """
    case = CASES[name]
    began = time.perf_counter()
    timed = case.make(checkpoint, device)
    loaded = time.perf_counter() - began
    timed.reset()
    for _ in range(3):
        timed.step()
    fast = [seconds(timed.step) for _ in range(timed.decisions - 3)]
    memory = peak(device)
    slow = []
    if timed.window is not None:
        timed.window()
        for _ in range(rounds):
            slow.append(seconds(timed.window))
            timed.reset()
            timed.step()
            fast += [seconds(timed.step) for _ in range(3)]
    median, window = statistics.median(fast), statistics.median(slow) if slow else 0.0
    aim, reached = "", True
    if case.most_seconds:
        aim, reached = f"{case.most_seconds} s", median <= case.most_seconds
    elif case.least_times:
        aim, reached = f"{case.least_times:.0f} times", window / median >= case.least_times
    return Figure(
        policy=case.policy,
        what=case.what,
        device=device,
        load_seconds=loaded,
        seconds=median,
        p95=float(np.quantile(fast, 0.95)),
        memory_mb=memory,
        window_seconds=window,
        window_memory_mb=peak(device) if slow else 0.0,
        aim=aim,
        reached=reached,
    )


def seconds(call: Step) -> float:
    """Measure the wall seconds of a call. Its result is on the CPU, so it waits for the GPU."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def peak(device: str) -> float:
    """Return the peak memory of this process, or of the GPU (MB)."""
    if device == "cuda":
        import torch

        return float(torch.cuda.max_memory_allocated()) / 1e6
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6


def processor() -> str:
    """Return the name of the processor."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def child(*arguments: str) -> Any:
    """Run this script in a child process and return the JSON that it prints."""
    completed = subprocess.run([sys.executable, __file__, *arguments], capture_output=True, text=True, check=False)
    if completed.returncode:
        sys.exit(f"{' '.join(arguments)} failed:\n{completed.stderr}")
    return json.loads(completed.stdout.splitlines()[-1])


def alone(arguments: argparse.Namespace) -> object:
    """Run the measurement of a child process."""
    import torch

    torch.set_num_threads(arguments.threads)
    if arguments.case == "baseline":
        gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else ""
        return {"torch": torch.__version__, "gpu": gpu, "baseline_mb": peak("cpu")}
    return asdict(measure(arguments.case, arguments.checkpoint, arguments.device, arguments.rounds))


COLUMNS = ("policy", "what", "device", "s per decision", "95 %", "loads in s", "peak MB", "whole window, s")


def table(report: Report) -> str:
    """Format the results as a Markdown table."""
    lines = [COLUMNS, ("---",) * 3 + ("---:",) * 5]
    for figure in report.figures:
        window = f"{figure.window_seconds:.3f}" if figure.times else ""
        lines.append(
            (
                *(figure.policy, figure.what, figure.device, f"{figure.seconds:.4f}", f"{figure.p95:.4f}"),
                *(f"{figure.load_seconds:.1f}", f"{figure.memory_mb:.0f}", window),
            )
        )
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def markdown(report: Report) -> str:
    """Format the section of the page."""
    gpu = f"GPU: {report.gpu}" if report.gpu else "no GPU"
    return f"""Made by `python -m benchmarks.speed.policies --out docs/speed.md`;
numbers: [data/policies.json](data/policies.json). {report.machine}, {gpu}, {report.threads} threads,
torch {report.torch}, {report.measured[:10]}, load {report.load}.
Generated weights, medians. A decision is one `step` with a new picture. Torch alone takes {report.baseline_mb:.0f} MB.

{table(report)}

*Whole window*: the same decision with nothing kept from the last one. RT-1-X was trained for three decisions a second,
Octo for three to five; where a decision takes longer, the robot waits.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed and memory of the low-level policies.")
    parser.add_argument("--rounds", type=int, default=8, help="how often the whole window is timed")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", choices=sorted({case.policy for case in CASES.values()}))
    parser.add_argument("--out", type=Path, help="a Markdown file; numbers go to data/policies.json beside it")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    parser.add_argument("--device", default="cpu", help=argparse.SUPPRESS)
    parser.add_argument("--checkpoint", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.case:
        print(json.dumps(alone(arguments)))
        return
    common = ("--threads", str(arguments.threads), "--rounds", str(arguments.rounds))
    report = Report(arguments.threads, arguments.rounds, **child("--case", "baseline", *common))
    with tempfile.TemporaryDirectory() as folder:
        for name, case in CASES.items():
            if arguments.only not in (None, case.policy):
                continue
            checkpoint = Path(folder) / case.policy / "checkpoint"
            if not checkpoint.exists():
                checkpoint.parent.mkdir()
                generate = ("skill", "generate", case.policy, str(checkpoint), "--seed", str(SEED))
                subprocess.run([sys.executable, "-m", "homie", *generate], check=True, stdout=sys.stderr)
            for device in case.devices:
                if device == "cpu" or report.gpu:
                    flags = ("--case", name, "--device", device, "--checkpoint", str(checkpoint))
                    report.figures.append(Figure(**child(*flags, *common)))
                    print(table(report).splitlines()[-1], file=sys.stderr)
    print(table(report))
    if arguments.out is not None:
        numbers = arguments.out.parent / "data/policies.json"
        numbers.parent.mkdir(exist_ok=True)
        numbers.write_text(json.dumps(asdict(report), indent=2) + "\n", encoding="utf-8")
        write_section(arguments.out, "policies", markdown(report))


if __name__ == "__main__":
    main()
