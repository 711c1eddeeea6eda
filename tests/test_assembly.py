"""Skill sets: named, given their settings, falling back to another."""

from __future__ import annotations

import pytest
from homes import one_room
from homie_tiny import TinyRobot, TinySkills

from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.errors import BadInput, MissingCheckpoint
from homie.kernel.registry import DETECTOR, make_part
from homie.kernel.skill_table import SkillTable
from homie.runtime import session
from homie.runtime.assembly import (
    LoadedSkills,
    assemble,
    load_checks,
    load_planner,
    load_skills,
    named_planner,
    skill_names,
)
from homie.runtime.provenance import read_parts, read_text
from homie.runtime.runstore import read_run


def test_names_and_arguments():
    assert skill_names("nomad:weights/nomad.pth, remote:ws://127.0.0.1:8765,classical") == [
        ("nomad", "weights/nomad.pth"),
        ("remote", "ws://127.0.0.1:8765"),
        ("classical", ""),
    ]
    for wrong in ("", ",", "tiny,tiny", "remote:a,remote:a"):
        with pytest.raises(BadInput, match="skills"):
            skill_names(wrong)


def test_two_sets_may_not_be_the_same_model():
    with pytest.raises(BadInput, match="the same model"):
        load_skills("lost:a.pth,lost:b.pth")


def test_a_checkpoint_and_settings_reach_their_set():
    loaded = load_skills("tiny,lost:weights.pth", {"lost.speed": 3})
    description = loaded.describe()
    assert description["tiny"]["class"] == "homie_tiny:TinySkills" and len(description["tiny"]["source"]) == 64
    assert description["Lost-1"] == {
        **description["tiny"],
        "class": "homie_tiny:LostSkills",
        "checkpoint": "weights.pth",
        "speed": 3,
    }
    assert not loaded.missing


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"speed": 3}, "SET.NAME"),
        ({"lots.speed": 3}, "did you mean 'lost'"),
        ({"lost.sped": 3}, "did you mean 'speed'"),
        ({"lost.speed": "fast"}, "skill set 'lost': speed"),
        ({"tiny.speed": 3}, "no settings"),
    ],
)
def test_a_wrong_setting_is_reported(settings, message):
    with pytest.raises(BadInput, match=message):
        load_skills("tiny,lost:weights.pth", settings)


def test_a_model_without_checkpoint_is_stood_in_for_or_refused():
    with pytest.warns(UserWarning, match="Falling back to `classical` for Lost-1"):
        loaded = load_skills("tiny,lost")
    assert list(loaded.sets) == ["tiny", "Lost-1"]
    assert loaded.describe()["Lost-1"] == {"missing": "Lost-1 needs its checkpoint: `--skills lost:FILE`."}
    with pytest.raises(MissingCheckpoint, match="--skills lost:FILE"):
        load_skills("tiny,lost", fallback=False)


def test_the_fallback_has_the_actions_of_the_missing_model_only():
    with pytest.warns(UserWarning, match="Falling back"):
        loaded = load_skills("lost")
    with MujocoHome(one_room()) as robot:
        skill_table = loaded.bind(robot)
    assert skill_table.choose("lost 1", "Go to").name == "classical/go_to"
    assert skill_table.fallback_for("LOST-1", "Go to") == "Lost-1"
    assert skill_table.choose("Lost-1", "Pick") is None


def test_where_no_model_is_chosen_one_that_is_there_runs():
    present, absent = object(), object()
    skill_table = SkillTable({"a": {"Go to": absent}, "b": {"Go to": present}}, frozenset("a"))  # type: ignore[dict-item]
    assert skill_table.choose("", "Go to") is present and not skill_table.fallback_for("", "Go to")
    assert skill_table.choose("A", "Go to") is absent and skill_table.fallback_for("A", "Go to") == "a"


def test_the_run_file_keeps_what_the_sets_say(tiny_options):
    options = tiny_options(skills="tiny,lost:w.pth", skill_settings={"lost.speed": 2})
    summary = session.run(options)
    file = read_run(summary.run_folder)
    parts = read_parts(summary.run_folder, file.parts)
    assert parts is not None and parts.skills["tiny"]["class"] == "homie_tiny:TinySkills"
    assert parts.skills["Lost-1"].items() >= {"checkpoint": "w.pth", "speed": 2}.items()
    assert file.options.skill_settings == {"lost.speed": 2}


@pytest.mark.slow
def test_a_refused_model_is_one_sentence(homie, tiny_arguments):
    where = tiny_arguments.index("--skills") + 1
    tiny_arguments[where] = "tiny,lost"
    refused = homie("run", "go", *tiny_arguments, "--on-missing-model", "fail")
    assert refused.returncode == 2
    assert "Lost-1 needs its checkpoint" in refused.stderr and "Traceback" not in refused.stderr
    completed = homie("run", "go", *tiny_arguments, "--no-video", "--out", "run")
    assert completed.returncode == 0 and "Falling back to `classical` for Lost-1" in completed.stderr
    wrong = homie("run", "go", *tiny_arguments, "--skill-option", "lost")
    assert wrong.returncode == 2 and "SET.NAME=VALUE" in wrong.stderr


def test_a_detector_gets_its_argument_and_its_settings(tmp_path):
    detector = make_part(DETECTOR, "simulated", {"min_pixels": 50})
    assert detector.describe() == {"min_pixels": 50, "min_part_pixels": 16, "instances": True}
    for name, settings, message in (
        ("simulated:model.onnx", {}, "takes no argument"),
        ("simulated", {"min_pixel": 3}, "did you mean 'min_pixels'"),
        ("simulated", {"min_pixels": "few"}, "detector 'simulated': min_pixels"),
        ("yolo-onnx", {}, "needs a file"),
        (f"yolo-onnx:{tmp_path}/none.onnx", {}, "There is no file"),
        ("yolo-onx:model.onnx", {}, "did you mean 'yolo-onnx'"),
        ("tiny", {"score": 1}, "no settings"),
    ):
        with pytest.raises(BadInput, match=message):
            make_part(DETECTOR, name, settings)


def test_the_run_file_keeps_what_the_detector_says(homie, tmp_path):
    script = tmp_path / "end.yaml"
    script.write_text("- subtask: End\n")
    completed = homie(
        *("run", "wait", "--rooms", "2", "--objects", "0", "--planner", f"scripted:{script}", "--no-video"),
        *("--no-frames", "--out", "run", "--detector-option", "min_pixels=40"),
    )
    assert completed.returncode == 1, completed.stderr  # its planner ends at once: nothing is done
    parts = read_parts(tmp_path / "run", read_run(tmp_path / "run").parts)
    assert parts is not None and parts.detector.items() >= {"min_pixels": 40, "min_part_pixels": 16}.items()
    assert read_text(tmp_path / "run", parts.planner["sha256"]) == script.read_text()


class Kept(TinySkills):
    """Counts how often it is closed."""

    def __init__(self, name="kept"):
        self.name, self.closed = name, 0

    def close(self):
        self.closed += 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"picture_size": "64x48"}, "have their own size: leave out --picture-size"),
        ({"targets": "homie_tiny:TinySkills"}, "which is a homie.SkillSet: name a homie.Locator"),
    ],
)
def test_a_robot_that_does_not_fit_is_closed(tiny_options, more, message):
    robot = TinyRobot()
    with pytest.raises(BadInput, match=message):
        assemble(tiny_options(**more), {("robot", "tiny"): robot})
    assert robot.calls == ["close"]


def test_who_made_a_set_of_skills_closes_it(tiny_options):
    external, own = Kept("external"), Kept("own")
    loaded = LoadedSkills({"external": external, "own": own}, {}, None, frozenset({"external"}))
    loaded.close()
    assert (external.closed, own.closed) == (0, 1)
    spare = Kept("spare")
    LoadedSkills({"gone": TinySkills}, {"gone": "no checkpoint"}, spare).close()
    assert spare.closed == 1
    robot = TinyRobot()
    with assemble(
        tiny_options(skills="external"), {("robot", "tiny"): robot, ("skills", "external"): external}
    ) as parts:
        assert parts.executor.skills.models == ("external",) and not robot.closed
        assert "loaded_skills" not in repr(parts)
    assert robot.closed and external.closed == 0


def test_what_is_no_order_of_checks():
    for wrong in ([], 3, [3]):
        with pytest.raises(
            BadInput, match=r"^The order of checks 'mine' is \[?3?\]?: give functions that take a homie\.CheckQuestion "
        ):
            load_checks("mine", {("check_order", "mine"): wrong})
    assert load_checks("mine", {("check_order", "mine"): len}) == (len,), "one alone will do"
    assert len(load_checks("paper")) > 2
    assert load_checks("mine", {("check_order", "mine"): ["paper", len]}) == (*load_checks("paper"), len)


def test_the_expert_is_of_a_bench_alone():
    for load in (load_planner, named_planner):
        with pytest.raises(
            BadInput, match=r"^The planner 'expert' plays the steps that a suite gives: only `homie bench`"
        ):
            load("expert")
