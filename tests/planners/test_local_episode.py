"""Whole episodes in the embedded home, planned by tiny models with random weights. No network."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from homes import made_with

from homie.kernel.options import RunOptions
from homie.kernel.types import RoundRecord
from homie.runtime.runstore import read_steps
from homie.runtime.session import run
from tests.homes import one_room

ACTIONS = ("Go to", "Pick", "Put", "Open", "Close", "End")
ROUNDS = 3
SETTINGS = {"max_new_tokens": 260, "examples": 1, "image_size": 64}


def scene(folder: Path) -> Path:
    path = folder / "scene.json"
    table = {"name": "table_1", "kind": "table", "colour": "brown", "x": 3.2, "y": 2.0, "yaw": 0.0}
    path.write_text(one_room([table]).dump())
    return path


def episode(folder: Path, model: Path, **settings: object) -> tuple[RoundRecord, ...]:
    folder.mkdir(exist_ok=True)
    options = RunOptions.build(
        task="find the can",
        scene=scene(folder),
        planner=f"transformers:{model}",
        planner_settings={**SETTINGS, **settings},
        rounds=ROUNDS,
        video=False,
        frames=False,
        out=folder / "run",
    )
    return read_steps(run(options).episode_folder)


def check(records: tuple[RoundRecord, ...]) -> None:
    """Every decision was read at once, and is one."""
    assert records
    assert len(records) == ROUNDS or records[-1].execution.subtask.action == "End"
    for record in records:
        decision = record.decision
        assert decision.problem == "" and len(decision.answers) == 1
        assert all(subtask.action in ACTIONS for subtask in decision.subtasks)
        assert decision.model == "classical" and decision.analysis
        assert json.loads(decision.raw)["subtask"]["action"] == decision.subtasks[0].action
        assert decision.answers[0].input_tokens > 0 and 0 < decision.answers[0].output_tokens <= 260


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("kind", ["llava", "idefics3", "qwen2_vl"])
def test_random_weights_plan_an_episode(tiny, tmp_path, kind):
    check(episode(tmp_path, tiny(kind)))


@pytest.mark.usefixtures("no_network")
def test_the_seed_decides_a_sampled_episode(tiny, tmp_path):
    first, again = (
        episode(tmp_path / name, tiny("qwen2_vl"), temperature=1.0, examples=0) for name in ("first", "again")
    )
    check(first)
    assert [record.decision.raw for record in first] == [record.decision.raw for record in again]
    assert len({record.decision.raw for record in first}) == len(first)


@pytest.mark.slow
@pytest.mark.usefixtures("no_network")
def test_parallel_episodes_share_the_model_and_say_what_they_say_alone(tiny, tmp_path):
    alone = episode(tmp_path / "alone", tiny("llava"))
    with ThreadPoolExecutor(3) as pool:
        runs = [pool.submit(episode, tmp_path / str(i), tiny("llava")) for i in range(3)]
        for future in runs:
            assert [record.decision.raw for record in future.result()] == [record.decision.raw for record in alone]


@pytest.mark.slow
def test_from_the_command_line(tiny, tmp_path, homie):
    completed = homie(
        *("run", "find the can", "--scene", str(scene(tmp_path)), "--rounds", "1", "--no-video", "--json"),
        *("--planner", f"transformers:{tiny('idefics3')}", "--set", "max_new_tokens=260", "--set", "examples=0"),
        *("--out", str(tmp_path / "run")),
        HF_HUB_OFFLINE="1",
        OMP_NUM_THREADS="1",
    )
    assert completed.returncode in (0, 1), completed.stderr  # 1: none of what a model of random weights says succeeds
    summary = json.loads(completed.stdout)
    assert "Traceback" not in completed.stderr and summary
    described = made_with(tmp_path / "run")["planner"]
    assert described["model"]["model_type"] == "idefics3" and described["model"]["constrained"] is True
    check_one = read_steps(next((tmp_path / "run" / "episodes").iterdir()))
    assert check_one[0].decision.problem == "" and check_one[0].decision.answers
