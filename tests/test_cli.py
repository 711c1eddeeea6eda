"""The command line as a user meets it: real processes, exit codes, one clear sentence."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from homie.runtime.runstore import read_steps
from tests.waiting import lines, until

TINY = ["--robot", "tiny", "--detector", "tiny", "--targets", "tiny", "--planner", "lines:/dev/null"]
EPISODE = "episodes/put-the-ball-in-the-box-0"


def sentences(text: str) -> list[str]:
    """The lines on stderr that are for the user."""
    return [line for line in text.splitlines() if line.startswith("homie: ")]


def test_run_does_the_task_and_leaves_a_run_folder(homie, tiny_arguments, tmp_path):
    completed = homie("run", "put the ball in the box", *tiny_arguments, "--out", "out", "--json")
    assert completed.returncode == 0, completed.stderr
    printed = json.loads(completed.stdout)
    assert printed["result"]["ended_by"] == "ended"
    assert [item["feedback"]["status"] for item in printed["result"]["history"]] == ["success"] * 5
    folder = tmp_path / "out" / EPISODE
    state = json.loads((folder / "final_state.json").read_text())
    assert state["held"] is None
    assert state["objects"]["ball"]["at"] == "box"
    assert (folder / "video.mp4").stat().st_size > 1000
    assert "decision  [Put, ball, box]" in completed.stderr


def test_without_json_stdout_is_empty_and_progress_is_on_stderr(homie, tiny_arguments):
    completed = homie("run", "put the ball in the box", *tiny_arguments, "--no-video")
    assert completed.returncode == 0
    assert completed.stdout == ""
    for part in ("round 1", "decision", "checks", "attempt 1", "feedback", "inventory", "run folder  runs/"):
        assert part in completed.stderr


def test_a_failing_robot_is_not_a_failing_command(homie, tiny_arguments):
    completed = homie("run", "put the ball in the box", *tiny_arguments, "--no-video", "--json", TINY_SLIPPERY="1")
    assert completed.returncode == 0
    assert json.loads(completed.stdout)["result"]["history"][3]["feedback"]["code"] == "E2"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", ""], "The instruction is empty"),
        (["run", "   "], "The instruction is empty"),
        (["run"], "The instruction is empty"),
        (["run", "go", "--seed", "-1"], "--seed must be between 0 and"),
        (["run", "go", "--seed", "99999999999"], "--seed must be between 0 and"),
        (["run", "go", "--rounds", "0"], "--rounds must be between 1 and 1000 (got 0)."),
        (["run", "go", "--planner", "rul"], "did you mean 'rule'?"),
        (
            ["run", "go", *TINY, "--robot", "spot"],
            "choose one of: mujoco, franka, mjcf, ros, thor, libero, coppelia, habitat, remote, tiny",
        ),
        (["run", "go", *TINY, "--skills", ","], "skills:"),
        (["run", "go", "--config", "none.yaml"], "Cannot read the config file none.yaml"),
        (["run", "go", "--planner", "scripted:none.yaml"], "Cannot read the script none.yaml"),
        (["run", "go", "--planner", "rule:hard"], "takes no argument"),
        (["run", "go", "--scene", "none.json"], "Cannot read the scene spec none.json"),
        (["run", "go", "--out", "/dev/null"], "/dev/null is a file"),
        (["list", "plans"], "did you mean 'planners'?"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(homie, tmp_path, arguments, message):
    completed = homie(*arguments)
    assert completed.returncode == 2, completed.stderr
    assert len(sentences(completed.stderr)) == 1
    assert message in sentences(completed.stderr)[0]
    assert "Traceback" not in completed.stderr
    assert list(tmp_path.iterdir()) == [], "bad input leaves nothing behind"


def test_an_unwritable_folder_is_named(homie, tiny_arguments):
    completed = homie("run", "go", *tiny_arguments, "--out", "/proc/run")
    assert completed.returncode == 2
    assert "Cannot write the run folder /proc/run" in sentences(completed.stderr)[0]


def test_usage_errors_of_typer_exit_with_2(homie):
    assert homie("run", "go", "--sed", "7").returncode == 2
    assert homie("fly").returncode == 2
    assert homie("run", "go", "--seed", "seven").returncode == 2


def test_usage_errors_are_one_json_object_too(homie):
    completed = homie("run", "go", "--seed", "seven", "--json")
    printed = json.loads(completed.stdout)
    assert completed.returncode == printed["exit_code"] == 2
    assert printed["error"] == "--seed must be a whole number (got 'seven')." and printed["error"] in completed.stderr


def test_a_reader_that_stops_reading_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    listing = [sys.executable, "-m", "homie", "list", "planners"]
    completed = subprocess.run(listing, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (completed.returncode, completed.stderr) == (0, "")


def test_a_missing_part_exits_with_3_and_the_command_that_installs_it(homie):
    completed = homie("run", "go", "--planner", "absent:x")
    assert completed.returncode == 3
    assert "pip install homie_absent_package" in completed.stderr


def test_a_planner_that_gives_up_is_infrastructure(homie, tiny_arguments, tmp_path):
    (tmp_path / "plan.txt").write_text("Go to | ball\n!")
    completed = homie("run", "put the ball in the box", *tiny_arguments, "--no-video", "--out", "out", "--json")
    assert completed.returncode == 4
    assert json.loads(completed.stdout) == {"error": "The planner has nothing more to say.", "exit_code": 4}
    assert len(read_steps(tmp_path / "out" / EPISODE)) == 1
    assert not (tmp_path / "out" / EPISODE / "episode.json").exists()


def test_the_unexpected_is_one_sentence_and_a_traceback_in_a_file(homie, tiny_arguments, tmp_path):
    (tmp_path / "plan.txt").write_text("Crash")
    completed = homie("run", "put the ball in the box", *tiny_arguments, "--no-video", "--out", "out")
    assert completed.returncode == 4
    log = tmp_path / "out" / EPISODE / "error.log"
    assert str(log.relative_to(tmp_path)) in sentences(completed.stderr)[0]
    assert "ZeroDivisionError" in log.read_text()
    assert "Traceback" not in completed.stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopping_a_run_leaves_whole_lines_and_a_video_and_can_be_taken_up_again(
    tiny_arguments, environment, tmp_path, homie, number
):
    arguments = ["run", "put the ball in the box", *tiny_arguments, "--out", "out"]
    process = subprocess.Popen(
        [sys.executable, "-c", "from homie.cli.main import main; main()", *arguments],
        cwd=tmp_path,
        env={**environment, "TINY_PERIOD": "0.03"},
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts background jobs with Ctrl-C ignored, and this suite may be one of them.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    folder = tmp_path / "out" / EPISODE
    steps = folder / "steps.jsonl"
    until(lambda: lines(steps), process=process)
    os.kill(process.pid, number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert len(sentences(errors)) == 1 and "Stopped" in sentences(errors)[0]
    assert steps.read_bytes().endswith(b"\n")
    assert 1 <= len(read_steps(folder)) < 5
    assert not (folder / "episode.json").exists()
    assert (tmp_path / "out" / "run.json").exists()
    assert frames(folder / "video.mp4") > 5

    again = homie(*arguments, "--json")
    assert again.returncode == 0, again.stderr
    assert len(read_steps(folder)) == 5
    assert (folder.with_name(folder.name + "-partial-1") / "steps.jsonl").exists()

    finished = homie(*arguments)
    assert finished.returncode == 2
    assert "holds a finished run" in sentences(finished.stderr)[0]


def frames(video: Path) -> int:
    """How many pictures a player gets out of a video."""
    import av

    with av.open(str(video)) as container:
        return sum(1 for _ in container.decode(video=0))


def test_list_names_what_other_packages_bring(homie):
    parts = json.loads(homie("list", "--json").stdout)
    assert parts["robots"]["tiny"] == "homie_tiny:open_tiny"
    assert {"rule", "scripted", "human", "lines"} <= set(parts["planners"])
    assert homie("list", "skills").stdout.split()[:2] == ["skills", "classical"]


def test_list_tells_settings_and_what_is_missing(homie):
    detectors = json.loads(homie("list", "detectors", "--json").stdout)["detectors"]
    assert detectors["simulated"]["usable"] and detectors["simulated"]["settings"]["min_pixels"]["default"] == "25"
    assert "keys" not in detectors["simulated"]
    skills = json.loads(homie("list", "skills", "--json").stdout)["skills"]
    assert skills["nomad"]["settings"]["topomap"]["default"] == "-" and skills["tiny"]["settings"] == {}
    output = homie("list", "skills", "nomad").stdout
    assert "topomap" in output and "Folder of a topological map" in output


def test_list_suites(homie):
    assert "  homie-100 " in homie("list", "suites").stdout
    output = homie("list", "suites", "homie-100").stdout
    assert "homie-100  version 2, 100 tasks, 3 trials of up to 20 rounds" in output
    suite = json.loads(homie("list", "suites", "--json").stdout)["suites"]["homie-100"]
    assert suite["version"] == 2 and suite["tasks"] == 100 and suite["target"] == "homie.bench.suite.shipped:homie_100"


@pytest.mark.slow
def test_doctor_finds_this_machine_well(homie):
    completed = homie("doctor", "--json")
    assert completed.returncode == 0
    report = json.loads(completed.stdout)
    names = {finding["name"]: finding["ok"] for finding in report["findings"]}
    assert report["ok"] and names["mujoco"] and names["H.264 encoder"] and names["rendering with raycast"]
    assert "optional [dev]" in names


def test_version_and_help(homie):
    from homie import __version__

    assert homie("--version").stdout == f"homie {__version__}\n"
    output = homie("run", "--help-all").stdout
    for option in ("--seed", "--planner", "--targets", "--no-video", "--config", "--json"):
        assert option in output
    assert "Seed of the scene" in output
