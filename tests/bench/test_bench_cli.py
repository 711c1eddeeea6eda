"""`homie bench` as a user meets it, and two episodes in the real home."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from homie.bench.finished_episodes import read_bench
from homie.bench.options import BenchOptions
from homie.bench.play.checks_before_start import done_at_start, ready
from homie.bench.play.progress import Progress
from homie.runtime.runstore import read_steps

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_plain_lines_on_stderr_and_one_object_on_stdout(homie, write_suite, bench_arguments):
    suite = write_suite(["put the ball in the box", "bug please"])
    arguments = [str(suite), *bench_arguments, "--planner", "trouble", "--retries", "0", "--out", "out"]
    completed = homie("bench", *arguments, "--json")
    assert completed.returncode == 4, "an episode that infrastructure ended is not a success"
    printed = json.loads(completed.stdout)
    assert printed["episodes"] == 2 and printed["causes"] == {"code": 1}
    assert printed["success"] == printed["metrics"]["SR"]["value"] == 0.5, (
        "a lost episode is not a success, as in compare"
    )
    assert [line["ended_by"] for line in printed["lines"]] == ["ended", "infrastructure"]
    assert "\x1b" not in completed.stderr and "put-0  success after 5 rounds" in completed.stderr
    again = homie("bench", *arguments)
    assert again.returncode == 4 and again.stdout == ""
    assert "1: 1 ended by an error in code of your own" in again.stderr and "--again" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["none.yaml"], 2, "homie: Cannot read the suite none.yaml: No such file or directory."),
        (["SUITE", "--tasks", "pt"], 2, "homie: The suite 'tiny' has no task 'pt': did you mean 'put'?"),
        (["SUITE", "--workers", "0"], 2, "homie: --workers must be between 1 and 256 (got 0)."),
        (["SUITE", "--planner", "absent"], 3, "homie: The planner 'absent' needs the package"),
    ],
)
def test_mistakes_are_one_sentence(homie, write_suite, bench_arguments, arguments, code, sentence):
    suite = str(write_suite())
    completed = homie("bench", *[suite if word == "SUITE" else word for word in arguments], *bench_arguments)
    assert completed.returncode == code and "Traceback" not in completed.stderr
    assert [line for line in completed.stderr.splitlines() if line.startswith(sentence)], completed.stderr


ALREADY = """
format: 1
name: already
protocol: {rounds: 2, trials: 1}
tasks:
  - {id: there, text: take the ball out, scene: {seed: 7}, goal: {not: {in: [BALL, BOX]}}}
  - {id: partly, text: put the ball in, scene: {seed: 7}, goal: {all: [{held: nothing}, {in: [BALL, BOX]}]}}
"""


def test_a_goal_that_holds_at_the_start_is_reported_with_the_result(homie, bench_arguments, tmp_path, plan):
    (tmp_path / "suite.yaml").write_text(ALREADY.replace("BALL", "ball").replace("BOX", "box"))
    completed = homie("bench", "suite.yaml", *bench_arguments, "--planner", plan(["End"]), "--out", "out")
    assert completed.returncode == 0, completed.stderr
    assert "there-0  success after 1 round, but the goal held before the first subtask" in completed.stderr
    note = "the goal of 1 task held before the first subtask (there), so success there says nothing about the planner. "
    assert f"{note}SR of the 1 other episode: 0.00." in completed.stderr


def test_a_goal_that_holds_at_the_start_of_a_house_is_reported_before_it_is_played(tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text(ALREADY.replace("BALL", "banana").replace("BOX", "fridge"))
    options, read = ready(BenchOptions.build(suite=str(suite)))
    assert done_at_start(options, read.tasks) == (("there",), ("partly",))
    assert done_at_start(options, read.tasks * 11) == ((), ()), "not of a large suite, which would take long to begin"
    screen = StringIO()
    Progress(Console(file=screen, width=300)).given(("there",), ("partly",))
    assert screen.getvalue().startswith("warning: the goal of 1 task holds before the first subtask (there): ")
    assert "note: a part of the goal of 1 task holds before the first subtask (partly)." in screen.getvalue()


def test_a_config_file_says_it_all(homie, write_suite, tmp_path):
    write_suite()
    config = tmp_path / "bench.yaml"
    config.write_text(
        "suite: suite.yaml\nrobot: tiny\nskills: tiny\ndetector: tiny\ntargets: tiny\nplanner: trouble\nout: out\n"
    )
    completed = homie("bench", "--config", "bench.yaml")
    assert completed.returncode == 0, completed.stderr
    assert len(read_bench(tmp_path / "out")[2]) == 1


@pytest.mark.slow
def test_experts_in_the_real_home(homie, tmp_path):
    suite = str(EXAMPLES / "suites" / "first-six.yaml")
    arguments = ["--planner", "expert", "--trials", "2", "--tasks", "orange-to-desk", "--out", "out", "--workers", "2"]
    completed = homie("bench", suite, *arguments, "--json")
    assert completed.returncode == 0, completed.stderr
    assert json.loads(completed.stdout)["successes"] == 2
    _, _, (first, second) = read_bench(tmp_path / "out")
    assert (first.folder / "scene.json").read_bytes() == (second.folder / "scene.json").read_bytes()
    state = json.loads((first.folder / "final_state.json").read_text())
    assert state["objects"]["orange"]["at"] == "desk" and state["robot"]["room"] == "study"
    assert [str(record.execution.subtask) for record in read_steps(first.folder)][-1] == "[End]"


OWN_PLANNER = """
from homie import END, Decision, Planner


class Says(Planner):
    name = "says"

    def reset(self, task, *, seed):
        pass

    def decide(self, planner_input):
        return Decision((END,))
"""


def test_a_planner_that_has_changed_is_named_although_all_episodes_are_finished(
    homie, write_suite, bench_arguments, tmp_path
):
    module = tmp_path / "own_planner.py"
    module.write_text(OWN_PLANNER)
    arguments = [str(write_suite()), *bench_arguments, "--planner", "own_planner:Says", "--out", "out"]
    assert homie("bench", *arguments).returncode == 0
    module.write_text(f"{OWN_PLANNER}# better now\n")
    changed = homie("bench", *arguments)
    assert changed.returncode == 2 and "another planner own_planner:Says: its code has changed since" in changed.stderr
    mixed = homie("bench", *arguments, "--mixed")
    assert mixed.returncode == 0 and "1 of 1 episode finished before" in mixed.stderr
