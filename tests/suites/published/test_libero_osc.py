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
def results() -> Any:
    script = Path(__file__).with_name("libero_osc_episode.py")
    environment = other_packages.environment(*LIBERO)
    completed = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=environment, timeout=600, check=False
    )
    assert completed.returncode == 0, completed.stderr[-2000:]
    return json.loads(completed.stdout.splitlines()[-1])


@pytest.mark.slow
def test_actions_move_the_hand_as_in_another_harness(results: Any) -> None:
    own, reference = (np.array(joints) for joints in results["joints"])
    assert own.shape == reference.shape == (16, 7) and np.ptp(reference, axis=0).max() > 0.3
    assert np.abs(own - reference).max() < 5e-5, "rad"


@pytest.mark.slow
def test_a_state_is_what_another_harness_gives(results: Any) -> None:
    """Its pose is one step of the physics older, a 25th of a control period."""
    own, reference = (np.array(states) for states in results["states"])
    assert own.shape == reference.shape == (16, 8) and reference[-1, 6] < 0.02, "the fingers have closed"
    assert np.abs(own - reference)[:, [0, 1, 2, 6, 7]].max() < 2e-3, "m"
    assert np.abs(own - reference)[:, 3:6].max() < 5e-3, "rad, beyond half a turn too"
    assert max(np.linalg.norm(reference[:, 3:6], axis=1)) > np.pi


@pytest.mark.slow
def test_pictures_are_those_of_training_left_and_right_exchanged(results: Any) -> None:
    for camera in ("agentview", "wrist"):
        same, mirrored = results[camera]
        assert same < 10.0 and same < mirrored / 2, "Homie draws no shadows"
    assert results["text"] == ["put the bowl on the plate"]


@pytest.mark.slow
def test_skills_that_command_joints_do_a_task(results: Any) -> None:
    assert results["classical"] == [True, True, True]
