"""A policy of another package brings its checkpoint format along, and a broken one hurts nobody else."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint

import pytest
import torch

from homie.kernel import registry
from homie.kernel.errors import BadInput
from skills.checkpoints import formats, read_checkpoint, require
from skills.checkpoints.generate import write_generated
from skills.checkpoints.info import inspect

NETWORK = """
from torch import nn

class GliderNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.glider_encoder, self.glider_head = nn.Linear(3, 2), nn.Linear(2, 1)
"""


CHECKPOINT = """
from glider.network import GliderNetwork
from skills.checkpoints import CheckpointFormat, TensorLayout, shapes_of
from skills.checkpoints.writing import random_tensors, write_torch


def layout() -> TensorLayout:
    return TensorLayout(shapes_of(GliderNetwork))


CHECKPOINT = CheckpointFormat(
    policy="glider",
    prefixes=("glider_encoder.", "glider_head."),
    layouts={"glider": layout},
    writers={"glider": lambda path, seed: write_torch(path, random_tensors(layout(), seed))},
    use="--skills glider:{path}",
)
"""


def register(monkeypatch: pytest.MonkeyPatch, *entries: tuple[str, str]) -> None:
    points = [EntryPoint(name, value, "homie.checkpoints") for name, value in entries]
    monkeypatch.setattr(registry, "entry_points", lambda group: points if group == "homie.checkpoints" else [])


@pytest.fixture
def glider(tmp_path, monkeypatch):
    """A package with a policy of its own, installed (docs/policies.md)."""
    package = tmp_path / "glider"
    package.mkdir()
    (package / "checkpoint.py").write_text(CHECKPOINT)
    (package / "network.py").write_text(NETWORK)
    monkeypatch.syspath_prepend(str(tmp_path))
    register(monkeypatch, ("glider", "glider.checkpoint:CHECKPOINT"))
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "glider"]:
        del sys.modules[name]


@pytest.mark.usefixtures("glider")
def test_a_file_of_a_policy_of_another_package_is_made_and_recognised(tmp_path):
    path = tmp_path / "glider.pth"
    write_generated("glider", path, 0)
    info = inspect(path)
    assert (info.policy, info.kind, info.parameters, info.problem) == ("glider", "glider", 3 * 2 + 2 + 2 + 1, "")
    assert info.use == f"--skills glider:{path}"


@pytest.mark.usefixtures("glider")
def test_it_is_called_by_its_name_where_it_is_given_to_another_policy(tmp_path):
    write_generated("glider", tmp_path / "glider.pth", 0)
    nomad = next(each for each in formats() if each.policy == "nomad")
    with pytest.raises(BadInput, match=r"glider\.pth is a checkpoint of glider, not of nomad"):
        require(read_checkpoint(tmp_path / "glider.pth"), nomad)


def test_a_broken_format_hurts_nobody_else(tmp_path, monkeypatch):
    (tmp_path / "broken_format.py").write_text("import no_such_package_here\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    register(monkeypatch, ("broken", "broken_format:CHECKPOINT"), ("odd", "json:dumps"))
    path = tmp_path / "a.pth"
    torch.save({"actor_critic.net.a": torch.ones(1), "actor_critic.actor.b": torch.ones(1)}, path)
    with pytest.warns(UserWarning, match=r"^The checkpoint format '(broken|odd)'") as warned:
        names = [each.policy for each in formats()]
    assert names == ["nomad", "pixnav", "rt1x", "octo", "m3", "lerobot"]
    assert [str(warning.message).split("'")[1] for warning in warned] == ["broken", "odd"]
    assert inspect(path).policy == "m3"  # recognised before the broken ones are asked
