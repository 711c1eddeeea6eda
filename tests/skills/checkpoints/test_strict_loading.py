"""Weights are loaded all or not at all, into the network that they are of."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest
import torch
from torch import nn

from homie.kernel.errors import BadInput
from skills.checkpoints import Checkpoint, check_strict, formats, load_strict, recognise, require

GOLDEN = Path(__file__).parents[2] / "golden/policies"
POLICY = {
    "nomad": "nomad",
    "pixnav": "pixnav",
    "rt1x": "rt1x",
    "octo_small": "octo",
    "m3_nav": "m3",
    "m3_manip": "m3",
}
"""Golden folders and the policies that they are of."""
FORMATS = {each.policy: each for each in formats()}


def network() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))


def load(tensors: dict[str, torch.Tensor], module: nn.Module | None = None, **options: object) -> nn.Module:
    module = module or network()
    load_strict(module, tensors, policy="tiny", path=Path("tiny.pth"), **options)
    return module


def test_all_tensors_are_copied():
    source = network()
    loaded = load(dict(source.state_dict()))
    assert all(torch.equal(value, source.state_dict()[name]) for name, value in loaded.state_dict().items())


def test_halves_become_floats():
    halves = {name: t.half() if t.is_floating_point() else t for name, t in network().state_dict().items()}
    assert {t.dtype for t in load(halves).state_dict().values()} == {torch.float32, torch.int64}


def test_every_fault_is_named():
    tensors = dict(network().state_dict())
    del tensors["0.bias"]
    tensors |= {"head.weight": torch.ones(1), "0.weight": torch.ones(2, 4), "1.num_batches_tracked": torch.ones(())}
    module = network()
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    with pytest.raises(BadInput) as excinfo:
        load(tensors, module)
    message = str(excinfo.value)
    for part in (
        "tiny.pth does not fit the network of tiny",
        "1 tensor is missing: 0.bias",
        "1 tensor is not known: head.weight",
        "1 tensor is of another shape: 0.weight (2, 4) instead of (2, 3)",
        "1 tensor is of another type: 1.num_batches_tracked torch.float32 instead of torch.int64",
    ):
        assert part in message
    assert all(torch.equal(tensor, before[name]) for name, tensor in module.state_dict().items())


def test_the_first_ten_are_named_and_the_rest_counted():
    with pytest.raises(BadInput, match=r"12 tensors are not known: x0, .*x9 and 2 more\.$"):
        load({**network().state_dict(), **{f"x{i}": torch.ones(1) for i in range(12)}})


def test_tensors_that_may_be_there():
    load({**network().state_dict(), "dead": torch.ones(1)}, unused=("dead", "absent"))


def test_shapes_may_come_without_numbers():
    expected = {"a": torch.empty(2, 3, device="meta")}
    check_strict(expected, {"a": torch.ones(2, 3)}, policy="tiny", path=Path("a"))
    with pytest.raises(BadInput, match="of another shape"):
        check_strict(expected, {"a": torch.ones(3, 2)}, policy="tiny", path=Path("a"))


def golden_checkpoint(folder: str) -> Checkpoint:
    """One with the names of the manifest, all tensors empty."""
    params = json.loads((GOLDEN / folder / "manifest.json").read_text())["params"]
    tensors = {entry["name"]: torch.empty(0) for entry in params}
    return Checkpoint(Path(f"{folder}.file"), "torch zip", "", tensors)


@pytest.mark.parametrize("folder", POLICY)
def test_official_names_are_recognised(folder):
    checkpoint = golden_checkpoint(folder)
    assert recognise(checkpoint) is FORMATS[POLICY[folder]]
    require(checkpoint, FORMATS[POLICY[folder]])


@pytest.mark.parametrize("folder", POLICY)
def test_a_checkpoint_of_another_policy_is_called_so(folder):
    for other in set(FORMATS) - {POLICY[folder]}:
        with pytest.raises(BadInput, match=f"{folder}.file is a checkpoint of {POLICY[folder]}, not of {other}"):
            require(golden_checkpoint(folder), FORMATS[other])


def test_what_is_no_policy_is_shown():
    checkpoint = Checkpoint(Path("bert.pth"), "torch zip", "", network().state_dict())
    assert recognise(checkpoint) is None
    with pytest.raises(
        BadInput, match=r"not a checkpoint of nomad: its 7 tensors begin with 0.weight, 0.bias, 1.weight"
    ):
        require(checkpoint, FORMATS["nomad"])


def test_the_generator_of_golden_weights_is_the_one_of_the_golden_outputs():
    """Every byte of M3's weights; those of the large networks are checked by their outputs."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("golden_weights", GOLDEN / "weights.py")
    assert spec is not None and spec.loader is not None
    weights = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(weights)
    for folder in ("m3_nav", "m3_manip"):
        manifest = json.loads((GOLDEN / folder / "manifest.json").read_text())
        for seed in manifest["seeds"]:
            crc = 0
            for entry in manifest["params"]:
                crc = zlib.crc32(weights.tensor(entry["name"], entry["shape"], seed).tobytes(), crc)
            assert f"{crc:08x}" == manifest["weights_crc32"][str(seed)]
