"""Whole episodes in the home and on the table with RT-1-X and Octo, generated weights: they act, within limits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import octo_releases
import pytest
from homes import SCENES, made_with, play

from homie.kernel.options import RunOptions
from homie.kernel.types import Attempt, Outcome
from homie.runtime.runstore import read_steps
from homie.runtime.session import run
from skills.checkpoints.generate import write_generated

SCRIPT = ["[Go to, apple]", "[Pick, apple]"]


def the_pick(folder: Path, name: str, argument: Path, **settings: object) -> tuple[Attempt, dict[str, Any]]:
    """The only attempt to pick, and what the run says of the model."""
    options = {f"{name}.{key}": str(value) for key, value in settings.items()}
    records = play(
        folder,
        SCENES / "kitchen.json",
        SCRIPT,
        skills=f"{name}:{argument},classical",
        skill_settings=options,
        attempts=1,
    )
    went, picked = records[0].execution, records[1].execution
    assert went.attempts[0].skill == "classical/go_to" and went.feedback.ok
    return picked.attempts[0], made_with(folder / "run")["skills"][name]


@pytest.mark.slow
def test_rt1x_moves_the_hand(tmp_path: Path) -> None:
    write_generated("rt1x", tmp_path / "checkpoint", 0)
    texts = np.array(["pick apple"])
    embeddings = np.random.default_rng(0).normal(0, 0.05, (1, 512)).astype(np.float32)
    np.savez(tmp_path / "use.npz", texts=texts, embeddings=embeddings)
    attempt, entry = the_pick(
        tmp_path, "rt1x", tmp_path / "checkpoint", embeddings=tmp_path / "use.npz", steps=2, history="grow"
    )
    assert (attempt.skill, attempt.outcome) == ("rt1x/pick", Outcome.TIMED_OUT)
    assert attempt.reason.startswith("not done after 2 motions")
    assert attempt.commands > 2 * 8
    assert entry["checkpoint"] == str(tmp_path / "checkpoint") and len(entry["sha256"]) == 64


@pytest.mark.slow
def test_octo_moves_the_hand(tmp_path: Path) -> None:
    release = octo_releases.write(tmp_path / "octo-small-1.5")
    table = octo_releases.table(tmp_path / "t5.npz", "pick up the apple")
    attempt, entry = the_pick(tmp_path, "octo", release, embeddings=table, steps=3)
    assert (attempt.skill, attempt.outcome) == ("octo/pick", Outcome.TIMED_OUT)
    assert attempt.reason.startswith("not done after 3 motions")
    assert entry["dataset"] == "bridge_dataset"


@pytest.mark.slow
def test_an_instruction_that_the_table_lacks_fails_the_attempt(tmp_path: Path) -> None:
    release = octo_releases.write(tmp_path / "octo-small-1.5")
    table = octo_releases.table(tmp_path / "t5.npz", "pick up the pear")
    attempt, _ = the_pick(tmp_path, "octo", release, embeddings=table)
    assert (attempt.outcome, attempt.commands) == (Outcome.FAILED, 0)
    assert "no row for 'pick up the apple'; the nearest are 'pick up the pear'; `homie skill texts" in attempt.reason


def the_table(folder: Path, skills: str, script: list[object], **settings: object) -> list[Attempt]:
    """The attempts of a scripted episode with the Panda on its table."""
    plan = folder / "plan.yaml"
    plan.write_text(json.dumps(script))
    options = RunOptions.build(
        task="move things",
        robot="franka:pick",
        seed=1,
        planner=f"scripted:{plan}",
        skills=skills,
        skill_settings={key.replace("__", "."): str(value) for key, value in settings.items()},
        attempts=1,
        video=False,
        frames=False,
        out=folder / "run",
    )
    summary = run(options)
    return [attempt for record in read_steps(summary.episode_folder) for attempt in record.execution.attempts]


@pytest.mark.slow
def test_learned_skills_move_the_panda_next_to_its_own(tmp_path: Path) -> None:
    release = octo_releases.write(tmp_path / "octo-small-1.5")
    table = octo_releases.table(tmp_path / "t5.npz", "pick up the purple cross")
    script = [
        {"subtask": "[Pick, purple cross]", "model": "octo"},
        {"subtask": ["Move", "[50, 50, 40, 0, 60, 60, 1]"], "model": "arm"},
    ]
    attempts = the_table(tmp_path, f"octo:{release},arm", script, octo__embeddings=table, octo__steps=3)
    assert [attempt.skill for attempt in attempts] == ["octo/pick", "arm/move"]
    assert (attempts[0].outcome, attempts[1].outcome) == (Outcome.TIMED_OUT, Outcome.SUCCEEDED)
    assert attempts[0].reason.startswith("not done after 3 motions") and attempts[0].commands > 3
