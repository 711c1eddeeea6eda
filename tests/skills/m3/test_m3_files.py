"""Which file serves which skill of M3, and what is refused."""

from __future__ import annotations

import json
import shutil

import pytest

pytest.importorskip("torch")

import m3_checkpoints
import torch
from m3_checkpoints import MANIPULATION, NAVIGATION, save

from homie.kernel.errors import BadInput
from skills.m3.files import find_files
from skills.m3.skill_set import M3


def test_a_folder_of_named_files(tmp_path):
    navigate = save(tmp_path / "navigate.pth", NAVIGATION)
    for number in (2, 10, 9):
        save(tmp_path / f"pick/ckpt.{number}.pth", MANIPULATION)
    (tmp_path / "pick/ckpt.11.pth.part").touch()
    assert find_files(str(tmp_path)) == {"navigate": navigate, "pick": tmp_path / "pick/ckpt.10.pth"}


def test_a_copy_of_what_ships_is_taken_by_its_name_but_not_beside_another_file_for_the_same_skill(tmp_path):
    copy = shutil.copy(*find_files("").values(), tmp_path)
    assert find_files(str(tmp_path)) == {"navigate": tmp_path / "navigate.safetensors"}
    shutil.copy(copy, tmp_path / "navigate.pth")
    with pytest.raises(BadInput, match=r"holds navigate\.pth and navigate\.safetensors: move one"):
        find_files(str(tmp_path))


def test_a_list_of_files_next_to_it(tmp_path):
    save(tmp_path / "set_table/nav_v1/ckpt.10.pth", NAVIGATION)
    listing = tmp_path / "m3.yaml"
    listing.write_text("pick: set_table/nav_v1/ckpt.10.pth\nnavigate: set_table/nav_v1/ckpt.10.pth\n")
    file = tmp_path / "set_table/nav_v1/ckpt.10.pth"
    assert list(find_files(str(listing)).items()) == [("navigate", file), ("pick", file)]


def test_without_a_folder_it_is_the_go_to_that_ships():
    policies = M3("")
    assert policies.policy().facts == {"skills": "navigate"}
    (shipped,) = policies.files.values()
    assert shipped.stat().st_size < 10e6 and (shipped.parent / "README.md").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must hold a mapping"),
        ("- navigate.pth", "must hold a mapping"),
        ("navigate: [", "Cannot read"),
        ("navigat: x.pth", "did you mean 'navigate'"),
        ("navigate: x.pth", "there is no checkpoint x.pth"),
        ("navigate: 3", "there is no checkpoint 3"),
    ],
)
def test_a_list_that_is_wrong(tmp_path, text, message):
    (tmp_path / "m3.yaml").write_text(text)
    with pytest.raises(BadInput, match=message):
        find_files(str(tmp_path / "m3.yaml"))


def test_paths_that_are_wrong(tmp_path):
    with pytest.raises(BadInput, match=r"holds no checkpoint of M3.*pick_fridge"):
        find_files(str(tmp_path))
    with pytest.raises(BadInput, match="There is no"):
        find_files(str(tmp_path / "nothing"))
    (tmp_path / "one.pth").touch()
    with pytest.raises(BadInput, match="is one file, and M3 has one checkpoint per skill"):
        find_files(str(tmp_path / "one.pth"))


def test_a_set_says_what_it_has_loaded(tmp_path):
    save(tmp_path / "navigate.pth", NAVIGATION)
    save(tmp_path / "pick.pth", MANIPULATION)
    policies = M3(str(tmp_path))
    assert policies.policy().facts == {"skills": "navigate pick"}
    description = json.loads(json.dumps(policies.describe()))
    assert description["navigate"]["checkpoint"] == str(tmp_path / "navigate.pth")
    assert len(description["pick"]["sha256"]) == 64 and description["pick"] != description["navigate"]


def test_a_file_of_another_skill_is_refused_with_the_tensors_named(tmp_path):
    save(tmp_path / "pick.pth", NAVIGATION)
    with pytest.raises(
        BadInput, match=r"pick.pth does not fit the network of m3 pick.*actor_critic\.actor\.mu\.weight"
    ):
        M3(str(tmp_path))


def test_a_missing_and_a_misshapen_tensor_are_named(tmp_path):
    state = dict(m3_checkpoints.state_dict(NAVIGATION))
    del state["actor_critic.critic.fc.bias"]
    state["actor_critic.actor.linear.weight"] = torch.zeros(21, 512)
    torch.save({"state_dict": state}, tmp_path / "navigate.pth")
    with pytest.raises(BadInput, match=r"actor_critic\.critic\.fc\.bias.*actor\.linear\.weight \(21, 512\) instead of"):
        M3(str(tmp_path))


def test_another_policy_s_checkpoint_is_named(tmp_path):
    names = ("history_backbone.a", "goal_backbone.b", "dt_policy.c")
    torch.save({name: torch.zeros(1) for name in names}, tmp_path / "navigate.pth")
    with pytest.raises(BadInput, match="is a checkpoint of pixnav, not of m3"):
        M3(str(tmp_path))
    (tmp_path / "navigate.pth").write_bytes(b"PK\x03\x04 and then nothing")
    with pytest.raises(BadInput, match="damaged or truncated"):
        M3(str(tmp_path))
