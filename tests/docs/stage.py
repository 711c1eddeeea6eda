"""The folder in which the commands of a page are run: a clone's examples, and stand-ins for what a reader brings along.

Weights, pictures and models are generated; language models are answered by a server on this machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).parents[2]
LINKED = ("examples", "benchmarks", "constraints.txt")


TOKENS = 32_768
"""Of the context of language models, as their namesakes have: random ones ramble, and in twenty rounds that adds up."""


def generated(policy: str) -> Callable[[Path], object]:
    """Makes the checkpoint of a policy with random weights, by the command that users have for it."""

    def make(path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "homie", "skill", "generate", policy, str(path)]
        subprocess.run(command, check=True, capture_output=True)

    return make


def picture(path: Path) -> None:
    Image.fromarray(np.full((64, 64, 3), 128, np.uint8)).save(path)


def model(kind: str) -> Callable[[Path], object]:
    """Makes a tiny language model. (What makes it imports torch, which collecting the tests need not wait for.)"""

    def make(path: Path) -> None:
        from tiny_models import ROOM, tiny_model

        config = tiny_model(path, kind) / "config.json"
        place = '"max_position_embeddings": {}'
        config.write_text(config.read_text().replace(place.format(ROOM), place.format(TOKENS)))

    return make


def bench_run(planner: str, way: str) -> Callable[[Path], object]:
    """Makes the run folder of a small bench in which every episode went one way (a name of `bench_runs`)."""

    def make(path: Path) -> None:
        import bench_runs

        ways = {(f"task-{number}", trial): getattr(bench_runs, way) for number in range(4) for trial in range(2)}
        path.parent.mkdir(parents=True, exist_ok=True)
        bench_runs.write_run(path, ways, planner=planner)

    return make


def single_run(path: Path) -> None:
    from bench_runs import DONE, write_single

    path.parent.mkdir(parents=True, exist_ok=True)
    write_single(path, {"put-the-apple": DONE})


def octo(path: Path) -> None:
    from octo_releases import write

    write(path)


STAND_INS: Mapping[str, Callable[[Path], object]] = {
    "nomad.pth": generated("nomad"),
    "navigator.ckpt": generated("pixnav"),
    "rt_1_x_jax/checkpoint": generated("rt1x"),
    "checkpoints/m3": generated("m3"),
    "octo-small-1.5": octo,
    "front.png": picture,
    "left.png": picture,
    "runs/rule": bench_run("rule", "DONE"),
    "runs/chat": bench_run("chat", "LATE"),
    "runs/20261121-101500-put-the-apple": single_run,
    "models/Qwen2.5-VL-3B-Instruct": model("qwen2_5_vl"),
    "models/llava-1.5-7b-hf": model("llava"),
    "models/Qwen2.5-3B-Instruct": model("qwen2"),
}
"""What a page names and a clone does not hold."""


def prepare(folder: Path, page: Path) -> None:
    """Fill an empty folder with what a page needs."""
    for name in LINKED:
        (folder / name).symlink_to(ROOT / name)
    text = page.read_text(encoding="utf-8")
    for name, make in STAND_INS.items():
        if name in text and f"--out {name}" not in text:  # else a command of the page makes it
            make(folder / name)


def environment(base_url: str) -> dict[str, str]:
    """Variables of the shell: the tested Homie first on the path, keys of nobody, and no network."""
    scripts = str(Path(sys.executable).parent)
    return {
        **os.environ,
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": base_url,
        "ANTHROPIC_API_KEY": "none",
        "ANTHROPIC_BASE_URL": base_url.removesuffix("/v1"),
        "HF_HUB_OFFLINE": "1",
        "PIP_NO_INDEX": "1",
    }
