"""An action of a package, with its skill and its check, chosen on the command line (tests/plugin/homie_wipe.py)."""

from __future__ import annotations

from pathlib import Path

from homie_tiny import TinyRobot
from homie_wipe import WIPE, Wiping, order

from error_detection import paper_order
from homie.kernel.types import Outcome
from homie.runtime.assembly import SkillShelf
from homie.runtime.runstore import read_steps
from homie.testing import check_skills
from planners.llm.answers import Layout
from planners.llm.reading import read

LINES = """\
Wipe | box
Go to | ball
Wipe | box | ball
Pick | ball
Go to | box
scrub | box
Wipe | ball
Wipe | box
End
"""
PARTS = ("--robot", "tiny", "--targets", "tiny", "--detector", "tiny", "--skills", "tiny,homie_wipe:Wiping")
CODES = ["L2", None, "F1", None, None, "F1", "L4", None, None]


def test_an_action_and_its_check_from_the_command_line(homie, tmp_path: Path) -> None:
    (tmp_path / "plan.txt").write_text(LINES)
    checks = ("--check-order", "homie_wipe:order")
    done = homie("run", "wipe the box", *PARTS, *checks, "--planner", "lines:plan.txt", "--no-video", "--out", "run")
    assert done.returncode == 0, done.stderr
    (episode,) = (tmp_path / "run" / "episodes").iterdir()
    executions = [record.execution for record in read_steps(episode)]
    assert [one.feedback.code for one in executions] == CODES
    assert [check.layer for check in executions[6].checks] == ["format", "logical", "distance", "wiping"]
    assert executions[0].feedback.message == "Unable to wipe, the hand is empty"
    (attempt,) = executions[7].attempts
    assert (attempt.skill, attempt.outcome, executions[7].target) == ("wiping/wipe", Outcome.SUCCEEDED, "box")


def test_a_set_of_checks_that_is_none_is_refused_with_its_way_out(homie) -> None:
    done = homie("run", "wipe", *PARTS, "--check-order", "homie_wipe:ordr")
    assert done.returncode == 2 and "homie_wipe" in done.stderr and len(done.stderr.splitlines()) == 1


def test_what_is_to_know_of_it_is_known_to_planners_and_kits() -> None:
    book = SkillShelf({"wiping": Wiping()}, {}, None).book(TinyRobot())
    assert book.table["Wipe"] is WIPE and order[:-1] == paper_order
    told = read("[scrub, box]", Layout("json"), book.actions(TinyRobot()), (), book.arguments, words=book.words)
    assert [str(subtask) for subtask in told.subtasks] == ["[Wipe, box]"]
    check_skills(Wiping(), TinyRobot())
