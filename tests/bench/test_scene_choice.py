"""What a suite says of a scene other than seed and file belongs to the environment of its robot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from homie.bench.options import BenchOptions
from homie.bench.play.checks_before_start import ready
from homie.kernel.errors import BadInput
from homie.kernel.options import RunOptions
from homie.kernel.scenes import scene_options, scenes_of

FAMILY = "scene.family: the suite says which family of tasks it is (pick): give `--robot franka` without `:sort`."


def check(folder: Path, scene: dict[str, Any], *, suite: dict[str, Any] | None = None, **options: str) -> BenchOptions:
    """Look at a suite of one task before it is played; the options that it would be played with."""
    path = folder / "suite.json"
    task = {"id": "a", "text": "x", "keypaths": [["[Pick, apple]"]], "expert": ["[End]"], "scene": scene}
    path.write_text(json.dumps({"format": 1, "name": "small", **(suite or {}), "tasks": [task]}))
    return ready(BenchOptions.build(suite=str(path), planner="expert", **options))[0]


@pytest.mark.parametrize(
    ("robot", "scene", "message"),
    [
        *(("mujoco", scene, message) for scene, message in (
            ({"objects": 61}, "scene.objects must be at most 60 (got 61)."),
            ({"rooms": 1}, "scene.rooms must be at least 2 (got 1)."),
            ({"rooms": 7}, "scene.rooms must be at most 6 (got 7)."),
            ({"clutter": "wild"}, "scene.clutter must be 'tidy' or 'messy' (got 'wild')."),
            ({"roms": 3}, "scene.roms is not known here (did you mean 'rooms'?)."),
            ({"family": "pick"}, "scene.family is not known here (got 'pick')."),
        )),
        ("franka", {"rooms": 3}, "scene.rooms is not known here (got 3)."),
        ("franka", {"family": "stak"}, "scene.family must be 'pick', 'stack', 'sort' or 'wipe' (got 'stak')."),
        ("franka:sort", {"family": "pick"}, FAMILY),
        ("tiny", {"roms": 3}, "scene.roms is not known here (did you mean 'rooms'?)."),
        ("tiny", {"rooms": 7}, "scene.rooms must be at most 6 (got 7)."),
    ],
)  # fmt: skip
def test_a_scene_that_the_environment_does_not_have_is_refused(tmp_path, robot, scene, message):
    with pytest.raises(BadInput) as excinfo:
        check(tmp_path, scene, robot=robot, skills="tiny", targets="background")
    assert str(excinfo.value) == f"The suite 'small': task 'a': {message}"


def test_a_choice_becomes_the_options_of_a_run():
    house = {"rooms": 3, "objects": 20, "start": "kitchen", "opened": ["fridge"], "added": ["apple@sofa"]}
    assert scene_options("mujoco", house) == house and scene_options("mujoco", {}) == {}
    assert scene_options("franka", {"family": "stack"}) == {"robot": "franka:stack"}
    assert scene_options("franka:stack", {}) == scene_options("tiny", {}) == {}
    assert scene_options("a_body:in_the_home", house) == house, "without scenes of its own: options of a run"


def test_the_only_robot_of_a_suite_is_played_where_none_is_asked_for(tmp_path):
    robot = {"robot": "franka"}
    chosen = check(tmp_path, {"family": "pick"}, suite=robot)
    assert (chosen.robot, chosen.skills) == ("franka", "arm"), "with what goes with the robot"
    assert check(tmp_path, {}, suite=robot, robot="franka", skills="remote").skills == "remote"
    assert check(tmp_path, {}).robot == "mujoco"
    with pytest.raises(BadInput, match="is for the robot franka: add `--robot franka`"):
        check(tmp_path, {}, suite=robot, robot="mujoco")


def test_what_environments_say_of_their_scenes():
    assert scenes_of("franka:stack").expert == "table-expert" and scenes_of("mujoco").expert == ""
    plain = scenes_of("tiny")
    assert (plain.Choice, plain.expert, plain.instruction("", 0, None), plain.initial_state("{}")) == (
        None,
        "",
        "",
        None,
    )
    with pytest.raises(BadInput, match=r"scene spec: rooms is missing\."):
        scenes_of("mujoco").initial_state("{}")


@pytest.mark.parametrize(("arguments", "skills"), [({}, "ideal"), ({"skills": "classical"}, "classical")])
def test_the_skills_of_a_suite_count_before_those_that_its_robot_usually_has(
    tmp_path: Path, arguments: dict[str, str], skills: str
) -> None:
    suite = {"robot": "franka", "skills": "ideal"}
    assert check(tmp_path, {"family": "pick"}, suite=suite, **arguments).skills == skills


LEVELS = """
from typing import Literal

from homie import Scenes
from homie_tiny import TinyRobot
from pydantic import BaseModel, ConfigDict


class LevelScenes(Scenes):
    class Choice(BaseModel):
        model_config = ConfigDict(extra="forbid")
        level: Literal["easy", "hard"] = "easy"

    skills = "tiny"

    def options(self, robot, choice):
        return {"robot": f"{robot}:{choice.level}"}

    def instruction(self, argument, seed, file):
        return f"do the {argument} one"


class LevelRobot(TinyRobot):
    scenes = LevelScenes

    def __init__(self, argument):
        super().__init__()
        self.places["box"] = 3.0 if argument == "easy" else 4.0
"""


def test_a_robot_from_a_file_has_its_scenes_as_an_attribute(tmp_path, monkeypatch):
    (tmp_path / "level_robot.py").write_text(LEVELS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    robot = "level_robot:LevelRobot"
    chosen = check(tmp_path, {"level": "hard"}, robot=robot, targets="tiny", suite={"robot": robot})
    assert chosen.skills == "tiny" and scene_options(robot, {"level": "hard"}) == {"robot": f"{robot}:hard"}
    with pytest.raises(BadInput, match=r"scene\.level must be 'easy' or 'hard' \(got 'odd'\)"):
        check(tmp_path, {"level": "odd"}, robot=robot, targets="tiny")
    assert RunOptions.build(robot=f"{robot}:hard", targets="tiny").task == "do the hard one"
    assert scenes_of("level_robot:Absent").Choice is scenes_of("absent:Robot").Choice is None, "said where it is made"
