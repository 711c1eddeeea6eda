"""The table on the command line: its scene, its instruction, and whether its own task was done."""

from __future__ import annotations

import json

import pytest
from PIL import Image

import homie as package
from homie.envs.mujoco.table.sampled_tables import generate
from homie.envs.mujoco.table.table_scene import TableScene

SCENE = generate("pick", 7001)


@pytest.mark.slow
def test_the_scene_of_a_table_can_be_seen_saved_and_is_no_house(homie, tmp_path):
    completed = homie(
        "scene", "--robot", "franka:pick", "--seed", "7001", "--png", "t.png", "--save", "t.json", cwd=tmp_path
    )
    assert completed.returncode == 0, completed.stderr
    assert completed.stdout.splitlines()[0] == f"instruction  {SCENE.instruction}"
    assert all(thing.name in completed.stdout for thing in SCENE.things)
    assert Image.open(tmp_path / "t.png").size == (500, 500)
    assert TableScene.load(tmp_path / "t.json") == SCENE
    for arguments, message in (
        (("--robot", "franka:pick", "--rooms", "3"), "A table has no rooms"),
        (("--robot", "franka:pik"), "no family of tasks 'pik'"),
        (("--robot", "ball"), "none for the robot 'ball'"),
    ):
        refused = homie("scene", *arguments)
        assert (refused.returncode, refused.stdout) == (2, "") and message in refused.stderr


def test_without_an_instruction_the_tables_own_is_run_and_judged(homie, tmp_path):
    (tmp_path / "end.json").write_text('[{"subtask": "[End]"}]')
    table = ("--robot", "franka:pick", "--seed", "7001", "--planner", f"scripted:{tmp_path / 'end.json'}", "--no-video")
    own = homie("run", *table, "--out", str(tmp_path / "own"))
    assert own.returncode == 1, "it has ended at once"
    assert SCENE.instruction in own.stderr and "the scene's own is used" in own.stderr
    assert "\nworld       The goal does not hold in the simulated world. Not met: {" in own.stderr
    assert json.loads((tmp_path / "own/run.json").read_text())["options"]["task"] == SCENE.instruction


def test_another_instruction_is_run_and_the_verdict_says_whose_it_is(tmp_path):
    """The expert does what the table asks for, whatever its input."""
    summary = package.run(
        "wrong words", robot="franka:pick", seed=7001, planner="table-expert", video=False, out=tmp_path / "run"
    )
    assert summary.result.task == "wrong words"
    assert summary.verdict is not None
    assert (summary.verdict.done, summary.verdict.task) == (True, SCENE.instruction)
    assert summary.conclusion is not None and summary.conclusion.status == "not checked"
    assert SCENE.instruction in summary.conclusion.world and "wrong words" not in summary.conclusion.world
