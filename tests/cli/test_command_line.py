"""What every command shares: help, logging, variables, completion, and what a stranger's words look like."""

from __future__ import annotations

import json
import shutil

import pytest

from skills.m3.files import SHIPPED

BALL = ("run", "put the ball in the box")


@pytest.mark.parametrize("command", [[], ["run"], ["skill", "info"], ["list"]])
def test_short_help_everywhere(homie, command):
    completed = homie(*command, "-h")
    assert completed.returncode == 0 and completed.stdout.startswith("Usage: homie")


def test_quiet_says_nothing_and_errors_all_the_same(homie, tiny_arguments):
    completed = homie(*BALL, *tiny_arguments, "--no-video", "--quiet")
    assert (completed.returncode, completed.stdout, completed.stderr) == (0, "", "")
    assert homie("run", "", "-q").stderr.startswith("homie: The instruction is empty")


def test_the_log_file_has_what_happened_and_is_appended_to(homie, tiny_arguments, tmp_path):
    log = tmp_path / "homie.log"
    for _ in range(2):
        homie(*BALL, *tiny_arguments, "--no-video", "-q", HOMIE_LOG_FILE=str(log))
    lines = log.read_text().splitlines()
    assert sum("homie.kernel.agent: task: put the ball in the box" in line for line in lines) == 2
    assert any("INFO    homie.kernel.agent: [Pick, ball]: success" in line for line in lines)
    assert homie("list", "--log-file", "none/x.log").returncode == 2


def test_the_traceback_of_a_failure_is_in_the_log(homie, tiny_arguments, tmp_path):
    (tmp_path / "plan.txt").write_text("Crash")
    completed = homie(*BALL, *tiny_arguments, "--no-video", "--log-file", "homie.log")
    assert completed.returncode == 4 and "Traceback" not in completed.stderr
    assert "ZeroDivisionError" in (tmp_path / "homie.log").read_text()


def test_a_warning_is_a_sentence_without_its_source(homie):
    completed = homie("run", "go", "--skills", "nomad,classical", "--robot", "mujoco:none")
    warnings = [line for line in completed.stderr.splitlines() if line.startswith("warning: ")]
    assert len(warnings) == 1 and "Falling back to `classical` for" in warnings[0]
    assert "assembly.py" not in completed.stderr and "UserWarning" not in completed.stderr


def test_variables_give_defaults_that_files_and_the_command_line_override(homie, tiny_arguments, tmp_path):
    completed = homie(*BALL, *tiny_arguments, "--no-video", "--json", HOMIE_RUNS="elsewhere", HOMIE_PLANNER="none")
    assert json.loads(completed.stdout)["run_folder"].startswith("elsewhere/")
    assert "Unknown planner 'none'" in homie("run", "go", HOMIE_PLANNER="none").stderr
    (tmp_path / "run.yaml").write_text("planner: nothing\n")
    assert "Unknown planner 'nothing'" in homie("run", "go", "--config", "run.yaml", HOMIE_PLANNER="none").stderr
    assert homie("compare", "nowhere", HOMIE_PLANNER="none").returncode == 2, "it has no planner, and no message of it"


def test_a_choice_that_is_none_is_a_sentence_of_ours(homie):
    completed = homie("run", "go", "--grasp", "magnet")
    assert completed.returncode == 2 and "Value error" not in completed.stderr
    assert completed.stderr == "homie: --grasp must be 'weld' or 'friction' (got 'magnet').\n"


@pytest.mark.parametrize(
    ("line", "offered"),
    [("homie be", "bench"), ("homie run --grasp fr", "friction"), ("homie run --planner scr", "scripted")],
)
def test_completion(homie, line, offered):
    completed = homie(_HOMIE_COMPLETE="complete_zsh", _TYPER_COMPLETE_ARGS=line)
    assert offered in completed.stdout, completed.stderr


def test_the_words_of_a_planner_cannot_drive_the_terminal(homie, tiny_arguments, tmp_path):
    (tmp_path / "plan.txt").write_text("Go to | ball\x1b[31m\u202e\nEnd")
    completed = homie(*BALL, *tiny_arguments, "--no-video", "--json")
    assert r"ball\x1b[31m\u202e" in completed.stderr
    assert not {"\x1b", "\u202e"} & set(completed.stdout + completed.stderr)
    assert json.loads(completed.stdout)["result"]["history"][0]["subtask"]["target"] == "ball\x1b[31m\u202e"


def test_the_tasks_of_a_suite(homie):
    lines = homie("list", "tasks", "homie-100").stdout.splitlines()
    tasks = json.loads(homie("list", "tasks", "homie-100", "--json").stdout)["tasks"]
    assert len(lines) == len(tasks) == 100
    assert lines[0].split()[0] == next(iter(tasks))
    assert homie("list", "tasks").returncode == homie("list", "planners", "homie-100").returncode == 2


def test_the_last_lines_say_what_the_world_is_like_and_what_the_planner_claims(homie, tiny_arguments):
    completed = homie(*BALL, *tiny_arguments, "--no-video", TINY_SLIPPERY="1")
    assert completed.returncode == 0
    card = completed.stderr.splitlines()[-5:]
    assert card[:4] == [
        "outcome     not checked",
        "world       No goal is given, so nothing checked whether the task succeeded.",
        "planner     The planner ended the task after 5 rounds; it did not say whether the task is done.",
        "subtasks    3 of 4 subtasks succeeded",
    ]
    assert card[4].startswith("run folder  runs/")


def test_a_run_in_which_nothing_is_done_ends_with_1(homie, tiny_arguments, tmp_path):
    (tmp_path / "plan.txt").write_text("End")
    completed = homie(*BALL, *tiny_arguments, "--no-video", "--json")
    assert completed.returncode == 1
    conclusion = json.loads(completed.stdout)["conclusion"]
    assert (conclusion["status"], conclusion["subtasks"]) == ("nothing done", "no subtask was tried")
    declined = homie("run", "asdkjh qwe", "--rooms", "2", "--objects", "0", "--picture-size", "32", "--no-video")
    assert declined.returncode == 1
    assert "\nreason      " in declined.stderr and "asdkjh" in declined.stderr.partition("\nreason")[2]


@pytest.mark.parametrize(
    ("task", "needs"),
    [
        ("put the ball in the bowl", "pick and to put"),
        ("open the fridge", "open"),
        ("close the fridge", "close"),
        ("bring me the ball", "pick"),
        ("check if there is an apple in the fridge, if so put it on the table", "pick and to put"),
        ("go to the ball", ""),
    ],
)
def test_a_task_that_no_chosen_skill_can_do_is_declined_at_once(homie, task, needs):
    """The skill set can only go."""
    robot = ("--robot", "tiny", "--detector", "tiny", "--targets", "tiny")
    completed = homie("run", task, *robot, "--skills", "lost:here", "--planner", "rule", "--no-video", "--json")
    assert completed.returncode == (1 if needs else 0), completed.stderr
    result = json.loads(completed.stdout)
    if needs:
        reason = f"The task needs to {needs}, which no skill here can do, so I do nothing."
        assert (result["conclusion"]["reason"], result["result"]["rounds"]) == (reason, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "go", "--planner", "expert"], "only `homie bench` has it"),
        (["run", "go", "--robot", "mujoco:foo"], "takes no argument"),
        (["run", "go", "--robot", "franka"], "Which tasks? Give --robot franka:FAMILY"),
        (["run", "go", "--robot", "franka:pick", "--rooms", "3"], "leave out --rooms"),
        (["run", "go", "--out", "a" * 300], "File name too long"),
        (["run", "go", "--scene", "deep.json"], "nested too deeply"),
        (["bench"], "Give a suite file"),
        (["compare", ".", "."], "is given twice"),
        (["scene", "--png", "x.jpg"], "ends in .png"),
        (["scene", "--png", "x.png", "--save", "x.png"], "name the same file"),
    ],
)
def test_what_means_nothing_is_refused(homie, tmp_path, arguments, message):
    (tmp_path / "deep.json").write_text("[" * 100_000)
    completed = homie(*arguments)
    assert completed.returncode == 2, completed.stderr
    assert message in completed.stderr and completed.stderr.count("homie: ") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["deep.json"]


@pytest.mark.slow
def test_the_folder_of_a_policy_of_several_networks_is_described_file_by_file(homie):
    assert homie("skill", "generate", "m3", "m3").returncode == 0
    completed = homie("skill", "info", "m3")
    assert completed.returncode == 0, completed.stderr
    checkpoints = json.loads(homie("skill", "info", "m3", "--json").stdout)["checkpoints"]
    assert len(checkpoints) == completed.stdout.count("sha256") > 5 and all(not each["problem"] for each in checkpoints)


@pytest.mark.parametrize("name", ["navigate.pth", "navigate.safetensors"])
def test_a_folder_with_one_of_a_policy_s_networks_is_described_as_that_file_is(homie, tmp_path, name):
    (tmp_path / "navigate").mkdir()
    shutil.copy(SHIPPED["navigate"], tmp_path / "navigate" / name)
    completed = homie("skill", "info", "navigate")
    assert completed.returncode == 0, completed.stderr
    assert name in completed.stdout and "m3-navigation" in completed.stdout
