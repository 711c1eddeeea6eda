"""The same seed and the same decisions give the same episode: compared between separate processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from homes import PLANS, SCENES


def _run(folder: Path, *arguments: str) -> Path:
    """One run of the command line in a process of its own; the episode folder."""
    command = [sys.executable, "-m", "homie", "run", *arguments, "--no-video", "--out", str(folder)]
    completed = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert completed.returncode in (0, 1), completed.stderr  # 1: nothing was done
    (episode,) = (folder / "episodes").iterdir()
    return episode


def _steps(episode: Path) -> list[dict[str, Any]]:
    """The lines of `steps.jsonl` without their timings."""
    steps = [json.loads(line) for line in (episode / "steps.jsonl").read_text().splitlines()]
    for step in steps:
        assert step.pop("timings")
    return steps


def _assert_equal(first: Path, other: Path) -> None:
    assert _steps(first) == _steps(other)
    assert (first / "final_state.json").read_bytes() == (other / "final_state.json").read_bytes()
    frames = sorted(path.name for path in (first / "frames").iterdir())
    assert frames == sorted(path.name for path in (other / "frames").iterdir())
    assert all((first / "frames" / name).read_bytes() == (other / "frames" / name).read_bytes() for name in frames)


@pytest.mark.slow
def test_go_open_pick_put_close_twice(tmp_path: Path) -> None:
    """Every skill in the physics, every view that the planner was shown."""
    arguments = ("put the apple away", "--scene", str(SCENES / "kitchen.json"), "--seed", "3")
    plan = ("--planner", f"scripted:{PLANS / 'fridge.yaml'}")
    first, other = (_run(tmp_path / name, *arguments, *plan) for name in ("one", "other"))
    assert len(_steps(first)) == 8
    _assert_equal(first, other)


@pytest.mark.slow
def test_a_generated_house_and_the_rule_planner_twice(tmp_path: Path) -> None:
    """House, planner and locator from one seed; another seed is another house."""
    arguments = ("put the mug on the table", "--rounds", "3", "--rooms", "2", "--objects", "12")
    first, other = (_run(tmp_path / name, *arguments, "--seed", "11") for name in ("one", "other"))
    _assert_equal(first, other)
    houses = [json.loads((tmp_path / name / "scene.json").read_text())["objects"] for name in ("one", "other")]
    _run(tmp_path / "third", *arguments, "--seed", "12", "--rounds", "1")
    third = json.loads((tmp_path / "third" / "scene.json").read_text())["objects"]
    assert houses[0] == houses[1] != third
