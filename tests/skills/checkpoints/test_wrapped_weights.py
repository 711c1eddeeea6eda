"""Weights as trainings save them are read by the names that a policy knows, or a sentence says what to give."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch

from homie.kernel.errors import BadInput
from skills.checkpoints import CheckpointFormat, TensorLayout, load_strict, read_checkpoint, require
from skills.checkpoints.info import inspect
from skills.checkpoints.writing import random_tensors, write_torch
from skills.effector.octo_actions import Statistics
from skills.m3.checkpoint import CHECKPOINT as M3

STATE = {
    "encoder.weight": torch.arange(6.0).reshape(2, 3),
    "encoder.model.bias": torch.tensor([1.0, 2.0]),
    "head.scale": torch.tensor(3),
}
OTHER = {name: tensor + 1 for name, tensor in STATE.items()}
TINY = CheckpointFormat(
    policy="tiny",
    prefixes=("encoder.", "head."),
    layouts={"tiny": lambda: TensorLayout(STATE)},
    writers={},
    use="{path}",
)


def before(prefix: str, state: Mapping[str, object] = STATE) -> dict[str, object]:
    return {prefix + name: value for name, value in state.items()}


def save(value: object, path: Path) -> Path:
    torch.save(value, path)
    return path


def have_same_tensors(tensors: Mapping[str, torch.Tensor], state: Mapping[str, torch.Tensor] = STATE) -> bool:
    return set(tensors) == set(state) and all(torch.equal(tensors[name], state[name]) for name in state)


SOME = {("module." if "head" in name else "") + name: value for name, value in STATE.items()}
READ = {
    "plain": (STATE, ()),
    "module.": (before("module."), ("without 'module.' before all names",)),
    "_orig_mod.": (before("_orig_mod."), ("without '_orig_mod.' before all names",)),
    "module._orig_mod.": (before("module._orig_mod."), ("without 'module._orig_mod.' before all names",)),
    "averaged_model.": (before("averaged_model."), ("without 'averaged_model.' before all names",)),
    "model.": (before("model."), ("without 'model.' before all names",)),
    "a name of one's own": (before("agent.policy_v2."), ("without 'agent.policy_v2.' before all names",)),
    "a compiled part": (
        {name.replace("encoder.", "encoder._orig_mod."): value for name, value in STATE.items()},
        ("without '_orig_mod.' before some names",),
    ),
    "some names": (SOME, ("without 'module.' before some names",)),
    "swa": (
        {**before("module."), "n_averaged": torch.tensor(5)},
        ("without 'module.' before all names, and n_averaged",),
    ),
    "lightning": (
        {"epoch": 3, "global_step": 9, "state_dict": before("model."), "optimizer_states": [{}]},
        ("the weights under 'state_dict'", "without 'model.' before all names"),
    ),
    "model and epoch": ({"epoch": 3, "model": STATE}, ("the weights under 'model'",)),
    "net": ({"net": before("module."), "acc": 0.9}, ("the weights under 'net'", "without 'module.' before all names")),
    "an odd key": ({"my_weights": STATE, "lr": 0.1}, ("the weights under 'my_weights'",)),
    "two deep": ({"agent": {"actor": STATE}, "step": 4}, ("the weights under 'agent/actor'",)),
    "beside an optimiser": (
        {"optimizer": {"state": {0: {"step": torch.tensor(1.0)}}}, "optim": {"m": torch.ones(2)}, "network": STATE},
        ("the weights under 'network'",),
    ),
    "model and ema that are equal": (
        {"model": STATE, "ema": {name: value.clone() for name, value in STATE.items()}},
        ("the weights under 'model', which are those under 'ema', too",),
    ),
}


@pytest.mark.parametrize("way", READ)
def test_what_a_training_put_around_the_weights_is_taken_away_and_reported(way: str, tmp_path: Path) -> None:
    content, notes = READ[way]
    read = read_checkpoint(save(content, tmp_path / "a.pth"), TINY)
    assert have_same_tensors(read.tensors) and read.notes == notes
    require(read, TINY)


def test_of_two_sets_of_weights_one_is_asked_for(tmp_path: Path) -> None:
    path = save({"model": STATE, "ema": before("module.", OTHER), "epoch": 1}, tmp_path / "a.pth")
    sentence = r"several sets of weights, under 'model', 'ema': give one of them, such as .*a\.pth#ema\."
    with pytest.raises(BadInput, match=sentence):
        read_checkpoint(path, TINY)
    assert have_same_tensors(read_checkpoint(Path(f"{path}#ema"), TINY).tensors, OTHER)
    assert have_same_tensors(read_checkpoint(Path(f"{path}#model"), TINY).tensors)
    with pytest.raises(BadInput, match="no weights under 'net': it has model, ema"):
        read_checkpoint(Path(f"{path}#net"), TINY)
    with pytest.raises(BadInput, match="no weights under 'ema': it holds encoder"):
        read_checkpoint(Path(f"{save(STATE, tmp_path / 'b.pth')}#ema"), TINY)
    (tmp_path / "a.pth").rename(tmp_path / "a#ema.pth")
    with pytest.raises(BadInput, match="several sets"):
        read_checkpoint(tmp_path / "a#ema.pth", TINY)


def test_names_that_belong_to_a_policy_are_kept(tmp_path: Path) -> None:
    own = CheckpointFormat(policy="own", prefixes=("model.encoder.",), layouts={}, writers={}, use="")
    read = read_checkpoint(save(before("model."), tmp_path / "a.pth"), own)
    assert set(read.tensors) == set(before("model.")) and read.notes == ()


def test_names_that_would_become_one_are_left(tmp_path: Path) -> None:
    both = {**before("model."), **before("ema_model.", OTHER)}
    read = read_checkpoint(save(both, tmp_path / "a.pth"), TINY)
    assert set(read.tensors) == set(both)
    with pytest.raises(BadInput, match="not a checkpoint of tiny: its 6 tensors begin with"):
        require(read, TINY)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_not_loaded(value: float, tmp_path: Path) -> None:
    module = torch.nn.Linear(2, 1)
    spoilt = {**module.state_dict(), "bias": torch.tensor([value])}
    with pytest.raises(BadInput, match=r"1 tensor is such: bias\. The training failed; take a checkpoint of before"):
        load_strict(module, spoilt, policy="tiny", path=tmp_path / "a.pth")
    assert torch.isfinite(module.bias).all()


# ------------------------------------------------------------------ safetensors


def test_a_file_of_safetensors_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    kinds = {"half": torch.ones(3, dtype=torch.bfloat16), "flag": torch.tensor([True]), "none": torch.zeros(0, 4)}
    safetensors.torch.save_file({**STATE, **kinds}, path, {"format": "pt"})
    read = read_checkpoint(path, TINY)
    assert read.form == "safetensors" and have_same_tensors(read.tensors, {**STATE, **kinds})
    with pytest.raises(BadInput, match="so it has no key 'ema'"):
        read_checkpoint(Path(f"{path}#ema"), TINY)


@pytest.mark.parametrize("length", [128, 19280, 2**16])
def test_the_length_of_its_head_does_not_matter(length: int, tmp_path: Path) -> None:
    """As bytes these begin as a pickle (0x80) and as a zip (PK) do."""
    tensors = b"".join(np.float32(value).tobytes() for value in range(2))
    head = json.dumps({"encoder.a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode().ljust(length)
    (tmp_path / "a.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + tensors)
    assert read_checkpoint(tmp_path / "a.safetensors", TINY).tensors["encoder.a"].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}, "has 4 bytes for"),
        ({"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}, "does not begin where the one before it ends"),
        ({"dtype": "F32", "shape": [2**40], "data_offsets": [0, 2**42]}, "or is cut off"),
        ({"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}, "more bytes than its tensors"),
        ({"dtype": "C64", "shape": [1], "data_offsets": [0, 8]}, "no known type, shape and place"),
        ({"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]}, "no known type, shape and place"),
        ({"dtype": "F32", "shape": [True], "data_offsets": [0, 8]}, "no known type, shape and place"),
        ([1], "no known type, shape and place"),
    ],
)
def test_a_damaged_file_of_safetensors_is_a_sentence(entry: object, sentence: str, tmp_path: Path) -> None:
    head = json.dumps({"a": entry}).encode()
    (tmp_path / "a.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + b"\0" * 8)
    with pytest.raises(BadInput, match=sentence):
        read_checkpoint(tmp_path / "a.safetensors", TINY)


# ------------------------------------------------------------------ as a user calls it


def test_skill_info_says_what_was_read(tmp_path: Path) -> None:
    state = random_tensors(M3.layouts["m3-navigation"](), 1)
    path = tmp_path / "a.pth"
    write_torch(path, {"model": before("_orig_mod.", state), "epoch": 3})
    command = [sys.executable, "-m", "homie", "skill", "info", str(path)]
    root = Path(__file__).parents[3]
    completed = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert completed.returncode == 0, completed.stderr
    assert "m3-navigation" in completed.stdout and "loads       yes" in completed.stdout
    assert "read        the weights under 'model'; without '_orig_mod.' before all names" in completed.stdout


def test_skill_info_says_that_weights_are_not_finite(tmp_path: Path) -> None:
    state = dict(random_tensors(M3.layouts["m3-navigation"](), 1))
    name = next(name for name in state if name.startswith("actor_critic.actor"))
    state[name] = state[name] * float("nan")
    reported = inspect(save(state, tmp_path / "a.pth"))
    assert reported.not_finite == (name,) and f"not finite: 1 tensor is such: {name}" in reported.problem


@pytest.mark.parametrize(
    ("change", "sentence"),
    [({"std": [0.1] * 6 + [-0.1]}, "has a number below 0"), ({"mask": [1, 1, 1, 1, 1, 1, 0.5]}, "true or false")],
)
def test_statistics_of_octo_are_deviations(change: dict[str, object], sentence: str) -> None:
    action = {"mean": [0.0] * 7, "std": [0.1] * 7, "mask": [True] * 7}
    Statistics.of({"bridge": {"action": action}}, "bridge")
    with pytest.raises(BadInput, match=sentence):
        Statistics.of({"bridge": {"action": action | change}}, "bridge")
