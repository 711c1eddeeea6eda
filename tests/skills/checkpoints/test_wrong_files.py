"""Every skill set refuses a file that is not its own, as the user gives it, in one sentence and without running it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from malice import touches

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import SkillSet
from skills.effector.octo_skill_set import Octo, OctoSettings
from skills.effector.rt1x_skill_set import Rt1x, Rt1xSettings
from skills.m3.skill_set import M3
from skills.nomad.skill_set import Nomad
from skills.pixnav.skill_set import PixNav

GOLDEN = Path(__file__).parents[2] / "golden/policies"


def table(folder: Path, *shape: int) -> Path:
    path = folder / "texts.npz"
    np.savez(path, texts=np.array(["pick"]), embeddings=np.zeros((1, *shape)))
    return path


def m3(path: Path) -> SkillSet:
    listed = path.parent / "m3.yaml"
    listed.write_text(f"navigate: {path.name}\n")
    return M3(str(listed))


SETS: dict[str, Callable[[Path], SkillSet]] = {
    "nomad": lambda path: Nomad(str(path)),
    "pixnav": lambda path: PixNav(str(path)),
    "rt1x": lambda path: Rt1x(str(path), Rt1xSettings(embeddings=table(path.parent, 512))),
    "octo": lambda path: Octo(str(path), OctoSettings(embeddings=table(path.parent, 16, 768))),
    "m3": m3,
}
every_set = pytest.mark.parametrize("policy", SETS)


def of_another(policy: str, path: Path) -> str:
    """A small file with the names of another policy, whose name is returned."""
    other, folder = ("pixnav", "pixnav") if policy == "nomad" else ("nomad", "nomad")
    params = json.loads((GOLDEN / folder / "manifest.json").read_text())["params"]
    torch.save({entry["name"]: torch.zeros(1) for entry in params}, path)
    return other


@every_set
def test_a_checkpoint_of_another_policy(tmp_path, policy):
    path = tmp_path / "wrong.pth"
    other = of_another(policy, path)
    with pytest.raises(BadInput, match=f"is a checkpoint of {other}, not of {policy}"):
        SETS[policy](path)


@every_set
def test_a_file_with_code_in_it(tmp_path, policy):
    marker, path = tmp_path / "it_ran", tmp_path / "evil.pth"
    torch.save({"config": touches(marker), "state_dict": {}}, path)
    with pytest.raises(BadInput, match=r"posix\.system.*nothing in it was run"):
        SETS[policy](path)
    assert not marker.exists()


@every_set
def test_a_web_page_in_the_place_of_a_download(tmp_path, policy):
    path = tmp_path / "page.pth"
    path.write_text("<!DOCTYPE html><title>Quota exceeded</title>")
    with pytest.raises(BadInput, match=r"page\.pth is not a checkpoint"):
        SETS[policy](path)


@every_set
def test_a_file_that_is_not_there(tmp_path, policy):
    with pytest.raises(BadInput, match="here is no checkpoint"):
        SETS[policy](tmp_path / "nothing.pth")
