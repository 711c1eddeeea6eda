"""Labelled pictures and trainings of a detector that are killed (SIGKILL) and ordered again end as if nothing had been.

The commands are those of a user, in processes of their own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from homie.kernel.errors import BadInput
from homie.runtime.runstore.resumable import ORDER, Order, resumable_folder

sys.path.insert(0, str(Path(__file__).parent.parent))
from waiting import running, until

HOUSES = ("--houses", "3", "--viewpoints", "1", "--seed", "5", "--picture-size", "96x96")
TRAINING = ("--steps", "8", "--batch", "1", "--keep-every", "2", "--threads", "1")


def homie(*words: str) -> list[str]:
    return [sys.executable, "-m", "homie", *words]


def finish(command: Sequence[str]) -> None:
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stderr


def kill_when_there(path: Path, command: Sequence[str]) -> None:
    """Run a command, and kill it as soon as it has written a file."""
    with running(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        until(lambda: list(path.parent.glob(path.name)), process=process)
        process.kill()


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("killed") / "data"
    finish(homie("data", "detections", str(folder), *HOUSES))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_data_set_ends_with_the_same_files(data: Path, tmp_path: Path, workers: int) -> None:
    out = tmp_path / "data"
    command = homie("data", "detections", str(out), *HOUSES, "--workers", str(workers))
    kill_when_there(out / "houses" / "*.json", command)
    assert (out / ORDER).exists() and not (out / "data.json").exists()
    finish(command)
    assert contents(out) == contents(data)


def test_a_kill_while_the_order_is_written_or_removed_leaves_no_trace(tmp_path: Path) -> None:
    order = Order(options={"seed": 5})
    (tmp_path / f".{ORDER}.tmp").write_bytes(b'{"opt')
    with resumable_folder(tmp_path, order, "data.json", "data set", "versions"):
        (tmp_path / "data.json").touch()
    assert [path.name for path in tmp_path.iterdir()] == ["data.json"]
    (tmp_path / ORDER).write_bytes(b"{}")
    with (
        pytest.raises(BadInput, match="holds a finished data set"),
        resumable_folder(tmp_path, order, "data.json", "data set", "versions"),
    ):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["data.json"]


@pytest.mark.slow
def test_a_killed_training_ends_with_the_same_losses_weights_and_scores(data: Path, tmp_path: Path) -> None:
    uninterrupted, killed = tmp_path / "whole", tmp_path / "killed"
    commands = {
        out: homie("train", "detector", str(data), "--out", str(out), *TRAINING) for out in (uninterrupted, killed)
    }
    finish(commands[uninterrupted])
    kill_when_there(killed / "checkpoints" / "state.pt", commands[killed])
    step = torch.load(killed / "checkpoints" / "state.pt", weights_only=True)["step"]
    assert 2 <= step < 8 and not (killed / "training.json").exists()
    finish(commands[killed])
    first, second = (_training(out) for out in (uninterrupted, killed))
    assert first == second and len(first["losses"]) == 8 and len(first["held_out"]) == 4
    assert (killed / "detector.onnx").read_bytes() == (uninterrupted / "detector.onnx").read_bytes()
    first, second = (torch.load(out / "weights.pt", weights_only=True)["network"] for out in (uninterrupted, killed))
    assert first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


def _training(out: Path) -> dict[str, Any]:
    """What is known of a training, without where it is and how long it took."""
    progress: dict[str, Any] = json.loads((out / "training.json").read_bytes())
    return {name: progress[name] for name in ("losses", "held_out", "scores", "classes", "parameters", "data_sha256")}
