"""An action of a package, with its skill and its check, chosen on the command line (tests/plugin/homie_dust.py)."""

from __future__ import annotations

from pathlib import Path

from homie_dust import DUST, Dusting, order
from homie_tiny import TinyRobot

from error_detection import paper_order
from homie.kernel.types import Outcome
from homie.runtime.assembly import LoadedSkills
from homie.runtime.runstore import read_steps
from homie.testing import check_skills
from planners.llm.answer_formats import Layout
from planners.llm.reading import read

LINES = """\
Dust | box
Go to | ball
Dust | box | ball
Pick | ball
Go to | box
brush | box
Dust | ball
Dust | box
End
"""
PARTS = ("--robot", "tiny", "--targets", "tiny", "--detector", "tiny", "--skills", "tiny,homie_dust:Dusting")
CODES = ["L2", None, "F1", None, None, "F1", "L4", None, None]


def test_an_action_and_its_check_from_the_command_line(homie, tmp_path: Path) -> None:
    (tmp_path / "plan.txt").write_text(LINES)
    checks = ("--check-order", "homie_dust:order")
    completed = homie(
        "run", "dust the box", *PARTS, *checks, "--planner", "lines:plan.txt", "--no-video", "--out", "run"
    )
    assert completed.returncode == 0, completed.stderr
    (episode,) = (tmp_path / "run" / "episodes").iterdir()
    executions = [record.execution for record in read_steps(episode)]
    assert [execution.feedback.code for execution in executions] == CODES
    assert [check.layer for check in executions[6].checks] == ["format", "logical", "distance", "dusting"]
    assert executions[0].feedback.message == "Unable to dust, the hand is empty"
    (attempt,) = executions[7].attempts
    assert (attempt.skill, attempt.outcome, executions[7].target) == ("dusting/dust", Outcome.SUCCEEDED, "box")


def test_a_set_of_checks_that_is_none_is_refused_with_its_way_out(homie) -> None:
    completed = homie("run", "dust", *PARTS, "--check-order", "homie_dust:ordr")
    assert completed.returncode == 2 and "homie_dust" in completed.stderr and len(completed.stderr.splitlines()) == 1


def test_what_is_to_know_of_it_is_known_to_planners_and_kits() -> None:
    skills = LoadedSkills({"dusting": Dusting()}, {}, None).bind(TinyRobot())
    assert skills.table["Dust"] is DUST and order[:-1] == paper_order
    answer = read(
        "[brush, box]",
        Layout("json"),
        skills.actions(TinyRobot()),
        (),
        skills.arguments,
        words=skills.words,
    )
    assert [str(subtask) for subtask in answer.subtasks] == ["[Dust, box]"]
    check_skills(Dusting(), TinyRobot())
