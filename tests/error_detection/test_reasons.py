"""What planners are told of failed skills: every reason that a skill can end with has its sentence."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from error_detection.messages import too_difficult
from error_detection.reasons import ONCE_MORE, REASONS, explained
from homie.household.rules import RULES
from homie.kernel.types import Box
from homie.teleop.operation import STOPPED
from skills.classical.obstruction import in_the_way

SKILLS = Path(__file__).parents[2] / "skills"
DOCS = Path(__file__).parents[2] / "docs" / "error-codes.md"
CRATE = Box(np.zeros(3), np.ones(3), name="box")
RAISED = {"Stuck", "Hopeless", "PolicyFailed"}
ENDED = {"FAILED", "TIMED_OUT"}


def written(node: ast.expr) -> str:
    """A text in the code, with `7` for numbers and other things that are filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(written(part) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return "7"
    return ""


def reasons() -> Iterator[tuple[str, str]]:
    """Every reason in the code of the skills, with its place: what is raised, what attempts are finished with, and what
    functions that make reasons return or are given."""
    for path in sorted(SKILLS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            expressions: list[ast.expr] = []
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                outcome = getattr(node.args[0], "attr", "") if node.args else ""
                expressions = node.args[:1] if name in RAISED | {"_why"} else expressions
                expressions = node.args[1:2] if name in ("finish", "_recover") and outcome in ENDED else expressions
            for expression in expressions:
                if text := written(expression):
                    where = f"{path.relative_to(SKILLS)}:{expression.lineno}"
                    words = node.keywords if isinstance(node, ast.Call) else []
                    blockers = next((word.value for word in words if word.arg == "blockers"), None)
                    if not isinstance(blockers, ast.List):  # a list is never None
                        yield text, where
                    if blockers is not None:
                        yield f"{text}: {in_the_way([CRATE])}", where


ALL = sorted(set(reasons()))
OF_THE_EXECUTOR = (
    "done by its own account, without effect",
    "the hand has not let go; the arm is blocked: elbow is 0.64 off",
    "not done after 90 s",
    "Command refused: the base may not drive so fast.",
    "the target is no longer where it was seen",
)


OF_ROBOTS = (
    "the robot's navigation was aborted: the goal is off the map",
    "the robot's arm planner was aborted: no way was found",
    "the robot's arm planner was aborted: the arm does not reach there",
)


OF_ANY_SKILL = ("the fingers closed on nothing, 6 times in a row",)


def test_there_are_reasons_in_the_code() -> None:
    assert len(ALL) > 50
    assert any(text.startswith("no free path") for text, _ in ALL)


@pytest.mark.parametrize(("reason", "where"), ALL, ids=[where for _, where in ALL])
def test_every_reason_of_a_skill_is_told(reason: str, where: str) -> None:
    assert explained(reason), f"{where}: error_detection/reasons.py says nothing of '{reason}'"


@pytest.mark.parametrize("reason", OF_THE_EXECUTOR)
def test_every_reason_of_the_executor_is_told(reason: str) -> None:
    assert explained(reason)


def test_every_entry_is_of_some_reason() -> None:
    rules = [*(rule.asks for rule in RULES), f"it cannot be {RULES[0].state}"]  # state/household.py
    known = [
        *OF_THE_EXECUTOR,
        *OF_ROBOTS,
        *OF_ANY_SKILL,
        *rules,
        STOPPED,
        *(text for text, _ in ALL),
        "the boxes are in the way",
        "the arm is blocked",
    ]
    idle = [entry.record for entry in REASONS if not any(re.fullmatch(entry.record, text) for text in known)]
    assert idle == []


def test_the_sentence_begins_as_the_official_one() -> None:
    official = "Unable to pick, the subtask is too difficult to perform"
    assert too_difficult("Pick") == official
    assert too_difficult("Pick", "the cat was quicker") == official
    blocked = "the object cannot be reached: the box is in the way"
    assert too_difficult("Pick", blocked) == f"{official}: {blocked}. Please move it away first"
    assert too_difficult("Open", "it stays at 0.10 of 0.90").endswith(ONCE_MORE)


def test_the_record_has_numbers_and_the_planner_has_none() -> None:
    assert not [entry.words for entry in REASONS if re.search(r"\d", entry.words + entry.advice)]


def test_the_docs_have_every_sentence() -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert [entry.words for entry in REASONS if entry.words not in text] == []
    assert [entry.advice for entry in REASONS if entry.advice not in text] == []
