"""NoMaD, with generated weights, in whole episodes: it really runs, keeps its limits, and the record says so."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from homes import EXAMPLES, SCENES, made_with, play

torch = pytest.importorskip("torch")

from homie.kernel.errors import BadInput  # noqa: E402
from homie.kernel.types import ErrorCode, Outcome  # noqa: E402
from skills.checkpoints import read_checkpoint  # noqa: E402
from skills.checkpoints.generate import write_generated  # noqa: E402
from skills.nomad.skill_set import Nomad, NomadGoTo, NomadSettings  # noqa: E402
from skills.nomad.steering import MAX_V, MAX_W  # noqa: E402
from skills.nomad.topomap import load  # noqa: E402

GO_TO_DESK = [{"subtasks": ["[Go to, desk]"], "model": "NoMaD"}]
"""The desk of the two rooms is out of sight."""


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """A generated checkpoint, and one that never takes anything to be close."""
    folder = tmp_path_factory.mktemp("weights")
    write_generated("nomad", folder / "nomad.pth", 1)
    tensors = dict(read_checkpoint(folder / "nomad.pth").tensors)
    tensors["dist_pred_net.network.4.bias"] = tensors["dist_pred_net.network.4.bias"] + 30.0
    torch.save(tensors, folder / "restless.pth")
    return folder


@pytest.fixture(scope="module")
def chart(tmp_path_factory):
    """A map of the two rooms, by the script that records them."""
    out = tmp_path_factory.mktemp("maps") / "two-rooms"
    script = [sys.executable, EXAMPLES.parent / "benchmarks/episodes/record_map.py"]
    script += [out, "--scene", SCENES / "two-rooms.json"]
    subprocess.run(script, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": str(EXAMPLES.parent)})
    return out


def commands(folder):
    (path,) = (folder / "run/episodes").glob("*/commands.jsonl")
    return [json.loads(line)["requested"] for line in path.read_text().splitlines()]


@pytest.mark.slow
def test_a_recorded_map_has_every_place_in_order(chart):
    topomap = load(chart)
    assert topomap.loop and len(topomap.nodes) > 20
    assert set(topomap.names) == {"kitchen", "study", "kitchen_counter", "table", "desk", "chair"}
    assert topomap.names["kitchen"] == (0,)
    (counter,), (study,), (desk,) = (topomap.names[name] for name in ("kitchen_counter", "study", "desk"))
    assert 0 < counter < study < desk < len(topomap.nodes)


@pytest.mark.slow
def test_along_a_map(tmp_path, weights, chart, monkeypatch):
    """Where on the map the generated network takes itself to be, is anywhere: it may claim to be there, too."""
    monkeypatch.setattr(NomadGoTo, "max_seconds", 6.0)
    (record,) = play(
        tmp_path,
        SCENES / "two-rooms.json",
        GO_TO_DESK,
        skills=f"classical,nomad:{weights / 'restless.pth'}",
        skill_settings={"nomad.topomap": chart},
        attempts=2,
        rounds=1,
    )
    attempts = record.execution.attempts
    assert [attempt.skill for attempt in attempts] == ["nomad/go_to"] * 2  # not classical, though it comes first
    assert not any(attempt.outcome is Outcome.SUCCEEDED or attempt.stands_in_for for attempt in attempts)
    assert record.execution.feedback.code is ErrorCode.E1
    velocities = [command["base"] for command in commands(tmp_path) if command.get("base")]
    assert max(v for v, _ in velocities) > 0.0
    assert all(0.0 <= v <= MAX_V and abs(w) <= MAX_W for v, w in velocities)
    entry = made_with(tmp_path / "run")["skills"]["nomad"]
    assert entry["map_nodes"] == len(load(chart).nodes) and len(entry["sha256"]) == 64


@pytest.mark.slow
def test_towards_a_picture_until_the_time_is_up(tmp_path, weights, monkeypatch):
    monkeypatch.setattr(NomadGoTo, "max_seconds", 5.0)
    plan = [{"subtasks": ["[Go to, table]"], "model": "NoMaD"}]
    skills = f"nomad:{weights / 'restless.pth'},classical"
    (record,) = play(tmp_path, SCENES / "two-rooms.json", plan, skills=skills, attempts=2, rounds=1)
    assert [attempt.outcome for attempt in record.execution.attempts] == [Outcome.TIMED_OUT] * 2
    assert all(5.0 <= attempt.robot_seconds <= 5.1 for attempt in record.execution.attempts)
    assert record.execution.feedback.code is ErrorCode.E1


@pytest.mark.slow
def test_exploring_ends(tmp_path, weights):
    (record,) = play(
        tmp_path,
        SCENES / "two-rooms.json",
        GO_TO_DESK,
        skills=f"nomad:{weights / 'nomad.pth'},classical",
        skill_settings={"nomad.explore_seconds": 3},
        attempts=1,
        rounds=1,
    )
    (attempt,) = record.execution.attempts
    assert (attempt.skill, attempt.outcome) == ("nomad/go_to", Outcome.FAILED)
    assert attempt.reason.startswith("explored for 3 s")
    assert record.execution.feedback.code is ErrorCode.E1


@pytest.mark.slow
def test_a_claim_without_effect_is_not_believed(tmp_path, weights, chart):
    """Of a map of one node that node is always the closest."""
    single = tmp_path / "single"
    single.mkdir()
    (single / "0.png").write_bytes((chart / "0.png").read_bytes())
    (single / "names.json").write_text(json.dumps({"names": {"desk": [0]}}))
    (record,) = play(
        tmp_path,
        SCENES / "two-rooms.json",
        GO_TO_DESK,
        skills=f"nomad:{weights / 'nomad.pth'},classical",
        skill_settings={"nomad.topomap": single},
        attempts=1,
        rounds=1,
    )
    (attempt,) = record.execution.attempts
    assert (attempt.outcome, attempt.reason) == (Outcome.FAILED, "done by its own account, without effect")


def test_wrong_files_are_bad_input(tmp_path, weights):
    keys = ("history_backbone.0.weight", "goal_backbone.0.weight", "dt_policy.layers.0.norm1.weight")
    torch.save({name: torch.zeros(1) for name in keys}, tmp_path / "pixnav.pth")
    with pytest.raises(BadInput, match="a checkpoint of pixnav, not of nomad"):
        Nomad(str(tmp_path / "pixnav.pth"))
    tensors = dict(read_checkpoint(weights / "nomad.pth").tensors)
    del tensors["dist_pred_net.network.4.bias"]
    tensors["surplus"] = torch.zeros(2)
    torch.save(tensors, tmp_path / "other.pth")
    with pytest.raises(BadInput, match=r"missing: dist_pred_net\.network\.4\.bias; 1 tensor is not known: surplus"):
        Nomad(str(tmp_path / "other.pth"))
    with pytest.raises(BadInput, match="There is no topological map"):
        Nomad(str(weights / "nomad.pth"), NomadSettings(topomap=tmp_path / "nowhere"))
