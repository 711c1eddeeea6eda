"""Whole episodes in the home with RT-1-X and Octo, with generated weights: they act, within limits, and on record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import octo_releases
import pytest
from homes import SCENES, play

from homie.types import Attempt, Outcome
from skills.checkpoints.generate import write_generated

SCRIPT = ["[Go to, apple]", "[Pick, apple]"]


def the_pick(folder: Path, name: str, argument: Path, **settings: object) -> tuple[Attempt, dict[str, Any]]:
    """The only attempt to pick, and what `run.json` says of the model."""
    given = {f"{name}.{key}": str(value) for key, value in settings.items()}
    records = play(
        folder, SCENES / "kitchen.json", SCRIPT, skills=f"{name}:{argument},classical", skill_settings=given, attempts=1
    )
    went, picked = records[0].execution, records[1].execution
    assert went.attempts[0].skill == "classical/go_to" and went.feedback.ok
    told: dict[str, Any] = json.loads((folder / "run/run.json").read_text())
    return picked.attempts[0], told["skills"][name]


@pytest.mark.slow
def test_rt1x_moves_the_hand(tmp_path: Path) -> None:
    write_generated("rt1x", tmp_path / "checkpoint", 0)
    texts = np.array(["pick apple"])
    embeddings = np.random.default_rng(0).normal(0, 0.05, (1, 512)).astype(np.float32)
    np.savez(tmp_path / "use.npz", texts=texts, embeddings=embeddings)
    attempt, told = the_pick(
        tmp_path, "rt1x", tmp_path / "checkpoint", embeddings=tmp_path / "use.npz", steps=2, history="grow"
    )
    assert (attempt.skill, attempt.outcome) == ("rt1x/pick", Outcome.TIMED_OUT)
    assert attempt.reason.startswith("not done after 2 motions")
    assert attempt.commands > 2 * 8
    assert told["checkpoint"] == str(tmp_path / "checkpoint") and len(told["sha256"]) == 64


@pytest.mark.slow
def test_octo_moves_the_hand(tmp_path: Path) -> None:
    release = octo_releases.write(tmp_path / "octo-small-1.5")
    table = octo_releases.table(tmp_path / "t5.npz", "pick up the apple")
    attempt, told = the_pick(tmp_path, "octo", release, embeddings=table, steps=3)
    assert (attempt.skill, attempt.outcome) == ("octo/pick", Outcome.TIMED_OUT)
    assert attempt.reason.startswith("not done after 3 motions")
    assert told["dataset"] == "bridge_dataset"


@pytest.mark.slow
def test_an_instruction_that_the_table_lacks_fails_the_attempt(tmp_path: Path) -> None:
    release = octo_releases.write(tmp_path / "octo-small-1.5")
    table = octo_releases.table(tmp_path / "t5.npz", "pick up the pear")
    attempt, _ = the_pick(tmp_path, "octo", release, embeddings=table)
    assert (attempt.outcome, attempt.commands) == (Outcome.FAILED, 0)
    assert attempt.reason.endswith("no row for 'pick up the apple'; the nearest are 'pick up the pear'")
