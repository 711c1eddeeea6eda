"""Policies of the real lerobot move the Panda's hand, where `HOMIE_LEROBOT_PYTHON` names an environment that has it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pydantic
import pytest

from homie.data.recording.demonstration import Camera, Demonstration, Layout
from homie.kernel.robot.hand_numbers import ACTION_LABELS, GOAL_LABELS, STATE_LABELS
from tests.data.demonstrations import Rolling

pytest.importorskip("pyarrow")

from homie.data.lerobot.reader import LeRobotReader
from homie.data.lerobot.writer import LeRobotWriter

ROOT = Path(__file__).parents[3]
LEROBOT = os.environ.get("HOMIE_LEROBOT_PYTHON", "")
FRAMES = 12
CAMERAS = {"front": Camera(32, 32)}
LAYOUT = Layout(
    robot="franka", fps=10, state=STATE_LABELS, action=ACTION_LABELS, cameras=CAMERAS, environment=GOAL_LABELS
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data set of random motions."""
    rng = np.random.default_rng(0)

    def numbers(count: int) -> np.ndarray:
        return rng.normal(size=(FRAMES, count)).astype(np.float32)

    with LeRobotWriter(tmp_path / "data", LAYOUT, "strings") as writer:
        for number in range(2):
            writer.add(
                Demonstration(
                    name=f"pick/{number}",
                    task="pick the star",
                    layout=LAYOUT,
                    stamps=np.arange(FRAMES) / 10,
                    states=numbers(len(STATE_LABELS)),
                    actions=numbers(len(ACTION_LABELS)),
                    environments=numbers(len(GOAL_LABELS)),
                    films={"front": Rolling(FRAMES, (32, 32), number)},
                )
            )
        writer.commit()
    return tmp_path / "data"


def test_numbers_about_the_world_come_back(data):
    first, second = LeRobotReader(data)
    assert first.layout == LAYOUT
    assert first.environments.shape == (FRAMES, len(GOAL_LABELS))
    assert not np.array_equal(first.environments, second.environments)


@pytest.mark.slow
@pytest.mark.skipif(not LEROBOT, reason="HOMIE_LEROBOT_PYTHON names no Python that has lerobot (docs/testing.md)")
def test_what_lerobot_train_writes_moves_the_hand(data, tmp_path):
    script = Path(__file__).with_name("with_lerobot.py")
    paths = [str(ROOT), str(Path(pydantic.__file__).parents[1])]
    ran = subprocess.run(
        [LEROBOT, str(script), str(tmp_path / "out"), str(data), *paths],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "cache"), "OMP_NUM_THREADS": "1"},
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    attempt = json.loads(ran.stdout.splitlines()[-1])
    assert attempt["skill"] == "lerobot/pick" and attempt["reason"].startswith("not done after 4 motions")
    assert attempt["commands"] >= 4
