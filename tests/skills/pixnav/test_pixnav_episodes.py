"""PixNav, with generated weights, in whole episodes: it really runs, stops early, and the record says so."""

from __future__ import annotations

import pytest
from homes import SCENES, made_with, play

torch = pytest.importorskip("torch")

from homie.kernel.errors import BadInput  # noqa: E402
from homie.kernel.types import ErrorCode, Outcome  # noqa: E402
from skills.checkpoints import read_checkpoint  # noqa: E402
from skills.checkpoints.generate import write_generated  # noqa: E402
from skills.pixnav.skill_set import PixNav  # noqa: E402

PLAN = [{"subtasks": ["[Go to, table]"], "model": "PixNav"}, {"subtasks": ["[Go to, desk]"], "model": "PixNav"}]


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    path = tmp_path_factory.mktemp("weights") / "pixnav.pth"
    write_generated("pixnav", path, 1)
    return path


@pytest.mark.slow
def test_an_episode(tmp_path, weights):
    near, far = play(
        tmp_path, SCENES / "two-rooms.json", PLAN, skills=f"classical,pixnav:{weights}", attempts=1, rounds=2
    )
    (attempt,) = near.execution.attempts
    assert (attempt.skill, attempt.outcome, attempt.stands_in_for) == ("pixnav/go_to", Outcome.TIMED_OUT, "")
    assert attempt.reason == "no stop of its own in 33 decisions" and attempt.robot_seconds < 180.0
    assert near.execution.feedback.code is ErrorCode.E1
    (attempt,) = far.execution.attempts
    assert (attempt.skill, attempt.reason) == ("pixnav/go_to", "the target is in none of the robot's pictures")
    assert attempt.commands == 0 and far.execution.feedback.code is ErrorCode.E1
    entry = made_with(tmp_path / "run")["skills"]["pixnav"]
    assert entry["checkpoint"] == str(weights) and len(entry["sha256"]) == 64


def test_wrong_files_are_bad_input(tmp_path, weights):
    tensors = dict(read_checkpoint(weights).tensors)
    tensors["po_embedding.weight"] = torch.zeros(32, 768)
    torch.save(tensors, tmp_path / "short.pth")
    with pytest.raises(BadInput, match=r"po_embedding\.weight \(32, 768\) instead of \(64, 768\)"):
        PixNav(str(tmp_path / "short.pth"))
    with pytest.raises(BadInput, match="There is no checkpoint"):
        PixNav(str(tmp_path / "nowhere.pth"))
