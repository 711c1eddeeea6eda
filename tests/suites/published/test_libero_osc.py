"""LIBERO under its own controller: a policy sees and does in Homie what it sees and does in vla-eval's harness."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import other_packages
from tests.suites.published.test_libero import LIBERO


@pytest.fixture(scope="module")
def came() -> Any:
    script = Path(__file__).with_name("libero_osc_episode.py")
    environment = other_packages.environment(*LIBERO)
    completed = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=environment, timeout=600, check=False
    )
    assert completed.returncode == 0, completed.stderr[-2000:]
    return json.loads(completed.stdout.splitlines()[-1])


@pytest.mark.slow
def test_actions_move_the_hand_as_in_another_harness(came: Any) -> None:
    ours, theirs = (np.array(joints) for joints in came["joints"])
    assert ours.shape == theirs.shape == (16, 7) and np.ptp(theirs, axis=0).max() > 0.3
    assert np.abs(ours - theirs).max() < 5e-5, "rad"


@pytest.mark.slow
def test_a_state_is_what_another_harness_gives(came: Any) -> None:
    """Its pose is one step of the physics older, a 25th of a control period."""
    ours, theirs = (np.array(states) for states in came["states"])
    assert ours.shape == theirs.shape == (16, 8) and theirs[-1, 6] < 0.02, "the fingers have closed"
    assert np.abs(ours - theirs)[:, [0, 1, 2, 6, 7]].max() < 2e-3, "m"
    assert np.abs(ours - theirs)[:, 3:6].max() < 5e-3, "rad, beyond half a turn too"
    assert max(np.linalg.norm(theirs[:, 3:6], axis=1)) > np.pi


@pytest.mark.slow
def test_pictures_are_those_of_training_left_and_right_exchanged(came: Any) -> None:
    for camera in ("agentview", "wrist"):
        same, mirrored = came[camera]
        assert same < 10.0 and same < mirrored / 2, "Homie draws no shadows"
    assert came["text"] == ["put the bowl on the plate"]


@pytest.mark.slow
def test_skills_that_command_joints_do_a_task(came: Any) -> None:
    assert came["classical"] == [True, True, True]
