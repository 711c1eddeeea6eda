"""Layouts are the official ones; generated checkpoints have them, and `homie skill` tells what a file is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from homie.kernel.errors import BadInput
from skills.checkpoints import TensorLayout, formats, read_checkpoint
from skills.checkpoints.generate import write_generated
from skills.checkpoints.info import inspect
from skills.checkpoints.writing import random_tensors

GOLDEN = Path(__file__).parents[2] / "golden/policies"
MANIFESTS = {
    "nomad": "nomad",
    "pixnav": "pixnav",
    "rt1x": "rt1x",
    "octo-small": "octo_small",
    "m3-navigation": "m3_nav",
    "m3-manipulation": "m3_manip",
}

LAYOUTS = {kind: make for each in formats() for kind, make in each.layouts.items()}


def layout(kind: str) -> TensorLayout:
    return LAYOUTS[kind]()


def generate_tensors(kind: str, seed: int) -> dict[str, torch.Tensor]:
    return random_tensors(layout(kind), seed)


def test_every_kind_but_the_large_octo_has_a_manifest():
    assert set(MANIFESTS) | {"octo-base"} == set(LAYOUTS)


def test_the_large_octo_has_as_many_parameters_as_published():
    """92.8 million, without the text encoder."""
    assert sum(tensor.numel() for tensor in layout("octo-base").needed.values()) == 92_830_092


@pytest.mark.parametrize("kind", MANIFESTS)
def test_layouts_are_the_official_ones(kind):
    """Every name of the official checkpoint with its shape and type, and no other."""
    manifest = json.loads((GOLDEN / MANIFESTS[kind] / "manifest.json").read_text())
    official = {entry["name"]: (tuple(entry["shape"]), f"torch.{entry['dtype']}") for entry in manifest["params"]}
    own_layout = layout(kind)
    assert {
        name: (tuple(t.shape), str(t.dtype)) for name, t in {**own_layout.needed, **own_layout.spare}.items()
    } == official


def test_the_same_seed_gives_the_same_numbers():
    first, again, other = (generate_tensors("m3-navigation", seed) for seed in (1, 1, 2))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not any(torch.equal(first[name], other[name]) for name in first)


@pytest.fixture(scope="module")
def nomad(tmp_path_factory):
    path = tmp_path_factory.mktemp("generated") / "nomad.pth"
    write_generated("nomad", path, 0)
    return path


@pytest.fixture(scope="module")
def m3(tmp_path_factory):
    folder = tmp_path_factory.mktemp("generated") / "m3"
    write_generated("m3", folder, 0)
    return folder


def test_info_of_a_whole_file(nomad):
    info = inspect(nomad)
    manifest = json.loads((GOLDEN / "nomad/manifest.json").read_text())
    assert (info.policy, info.kind, info.form) == ("nomad", "nomad", "torch zip")
    assert (info.tensors, info.parameters) == (manifest["tensors"], manifest["parameters"])
    assert info.problem == ""
    assert info.not_finite == ()
    assert info.use == f"--skills nomad:{nomad}"


def test_info_of_a_file_that_does_not_fit(tmp_path):
    state = generate_tensors("m3-navigation", 0)
    del state["actor_critic.critic.fc.bias"]
    state["actor_critic.actor.linear.weight"] = torch.full((19, 512), float("nan"))
    path = tmp_path / "ckpt.3.pth"
    torch.save({"config": {"LR": 0.1}, "state_dict": state, "num_steps_done": 7}, path)
    info = inspect(path)
    assert "1 tensor is missing: actor_critic.critic.fc.bias" in info.problem
    assert "actor_critic.actor.linear.weight (19, 512) instead of (20, 512)" in info.problem
    assert info.not_finite == ("actor_critic.actor.linear.weight",)
    assert (info.step, info.config) == (7, {"LR": "0.1"})


def test_info_of_a_file_that_is_none(tmp_path):
    path = tmp_path / "other.pth"
    torch.save({f"layer{number}.weight": torch.ones(1) for number in range(12)}, path)
    with pytest.raises(BadInput, match=r"not a checkpoint of a policy.*12 tensors: layer0\.weight, .* and 2 more"):
        inspect(path)


def test_the_folder_of_m3_has_a_file_for_every_skill(m3):
    kinds = {file.stem: inspect(file).kind for file in m3.iterdir()}
    assert kinds.pop("navigate") == "m3-navigation"
    assert set(kinds.values()) == {"m3-manipulation"}
    assert read_checkpoint(m3 / "pick.pth").sha256 != read_checkpoint(m3 / "place.pth").sha256


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["pixnav", "rt1x", "octo"])
def test_large_checkpoints_are_written_and_fit(tmp_path, policy):
    write_generated(policy, tmp_path / "file", 0)
    info = inspect(tmp_path / "file")
    assert (info.policy, info.problem, info.not_finite) == (policy, "", ())
    manifest = json.loads((GOLDEN / MANIFESTS[info.kind] / "manifest.json").read_text())
    assert info.parameters == manifest["parameters"]
    if policy == "octo":
        assert info.step == 0
        assert info.config["dataset_statistics"] == "bridge_dataset, fractal20220817_data"


def test_what_can_not_be_generated(tmp_path, nomad):
    with pytest.raises(BadInput, match="did you mean 'nomad'"):
        write_generated("nomat", tmp_path / "a", 0)
    with pytest.raises(BadInput, match="already something"):
        write_generated("nomad", nomad, 0)
    with pytest.raises(BadInput, match="Cannot write"):
        write_generated("nomad", tmp_path / "no/folder/a", 0)


@pytest.mark.slow
def test_the_command_tells_all(nomad, homie):
    completed = homie("skill", "info", str(nomad))
    assert completed.returncode == 0
    for part in ("nomad", "torch zip", "645, 19,049,675 parameters", inspect(nomad).sha256, "loads", "--skills nomad:"):
        assert part in completed.stdout
    info = json.loads(homie("skill", "info", str(nomad), "--json").stdout)
    assert info["policy"] == "nomad"
    assert info["tensors"] == 645


def test_the_command_refuses_with_2(tmp_path, homie):
    path = tmp_path / "a.pth"
    path.write_bytes(b"nothing of that sort")
    completed = homie("skill", "info", str(path), "--json")
    assert completed.returncode == 2
    assert "not a checkpoint" in json.loads(completed.stdout)["error"]
    assert "Traceback" not in completed.stderr


def test_generated_weights_are_called_so(tmp_path, homie):
    completed = homie("skill", "generate", "m3", str(tmp_path / "m3"), "--seed", "5")
    assert completed.returncode == 0
    assert "random weights" in completed.stdout
    assert (tmp_path / "m3/navigate.pth").is_file()


def test_parts_of_a_command_are_listed(homie):
    completed = homie("skill", "--help")
    assert completed.returncode == 0
    assert "info" in completed.stdout
    assert "RANDOM" in completed.stdout
