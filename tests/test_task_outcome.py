"""What the end card of a run says: the world, the claim and the subtasks, each by itself."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from homie.cli.commands.run import _show_card
from homie.kernel.types import BY_PERSON, END, SUCCESS, EpisodeResult, ErrorCode, Feedback, HistoryItem, Subtask
from homie.runtime.task_outcome import NOTHING, Conclusion, Verdict

PICK, FAILED = Subtask("Pick", "ball"), Feedback("fail", ErrorCode.E1, "no")
TASK = "stack them"
UNCHECKED = "No goal is given, so nothing checked whether the task succeeded."


def end_episode(*feedback: Feedback, **more: object) -> EpisodeResult:
    history = tuple(HistoryItem(number, PICK, each) for number, each in enumerate(feedback, 1))
    last = HistoryItem(len(history) + 1, END, SUCCESS)
    values = {"ended_by": "ended", "report": "", "answer": "", **more}
    return EpisodeResult(TASK, rounds=3, history=(*history, last), inventory=(), robot_seconds=1.0, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("result", "verdict", "status", "world"),
    [
        (end_episode(SUCCESS), None, "not checked", UNCHECKED),
        (end_episode(SUCCESS, report="success"), None, "not checked", UNCHECKED),
        (end_episode(SUCCESS), Verdict(True, TASK), "done", "The goal holds in the simulated world."),
        (end_episode(), Verdict(True, TASK), "done", "The goal holds in the simulated world."),
        (
            end_episode(SUCCESS, report="success"),
            Verdict(False, TASK, ("a", "b")),
            "not done",
            "The goal does not hold in the simulated world. Not met: a; b.",
        ),
        (end_episode(report="declined"), None, "declined", UNCHECKED),
        (end_episode(), None, "nothing done", UNCHECKED),
        (end_episode(FAILED, FAILED), None, "nothing done", UNCHECKED),
        (end_episode(FAILED, ended_by="rounds"), None, "nothing done", UNCHECKED),
        (end_episode(answer="in the fridge"), None, "not checked", UNCHECKED),
        (end_episode(answer="I do not know.", report="failure"), None, "nothing done", UNCHECKED),
        (end_episode(), Verdict(False, TASK), "nothing done", "The goal does not hold in the simulated world."),
    ],
)
def test_the_world_decides_where_it_can(result, verdict, status, world):
    conclusion = Conclusion.of(result, verdict, "because")
    assert (conclusion.status, conclusion.world) == (status, world)
    if result.ended_by == "ended":
        assert conclusion.reason == ("because" if status in NOTHING else "")


def test_what_a_scene_sets_says_nothing_of_another_instruction():
    conclusion = Conclusion.of(end_episode(SUCCESS), Verdict(True, "sort them"))
    assert conclusion.status == "not checked"
    assert conclusion.world.startswith("Nothing checked whether this instruction was carried out.")
    assert 'own task, "sort them", holds.' in conclusion.world


def test_the_claim_and_the_subtasks_are_distinguished():
    conclusion = Conclusion.of(end_episode(SUCCESS, FAILED, report="failure"), None, "the ball is gone")
    assert (
        conclusion.planner == "The planner ended the task after 3 rounds; the planner says that the task is not done."
    )
    assert (conclusion.subtasks, conclusion.reason) == ("1 of 2 subtasks succeeded", "the ball is gone")


@pytest.mark.parametrize(
    ("who", "report", "planner"),
    [
        ("person", "", "The person ended the task after 3 rounds; nobody said whether the task is done."),
        ("person", "success", "The person ended the task after 3 rounds; the person says that the task is done."),
        (
            "end of the input",
            "",
            "The end of the input ended the task after 3 rounds; nobody said whether the task is done.",
        ),
    ],
)
def test_a_person_who_ends_the_task_is_no_planner(who: str, report: str, planner: str) -> None:
    assert Conclusion.of(end_episode(SUCCESS, report=report, who=who), None).planner == planner


@pytest.mark.parametrize(
    ("ended_by", "limit"),
    [
        ("rounds", "The round limit"),
        ("steps", "The limit of subtasks"),
        ("failures", "The limit of failed subtasks"),
    ],
)
def test_where_a_limit_ended_the_episode_that_is_the_reason(ended_by: str, limit: str) -> None:
    """Also where nothing was done: the last words of the planner are about its next step, not about the end."""
    for feedback in (SUCCESS, FAILED):
        out = Conclusion.of(end_episode(feedback, ended_by=ended_by), None, "I look into the drawer.")
        assert out.planner == f"{limit} ended the episode after 3 rounds."
        assert (
            out.reason == f"{limit} ended the episode before the planner did. Its last words: I look into the drawer."
        )
    silent = Conclusion.of(end_episode(SUCCESS, ended_by=ended_by, who="person"), None, BY_PERSON)
    assert silent.reason == f"{limit} ended the episode before the person did."
    assert Conclusion.of(end_episode(SUCCESS, ended_by="goal"), None, "I look into the drawer.").reason == ""


def test_on_a_terminal_it_is_a_card():
    screen = StringIO()
    conclusion = Conclusion.of(end_episode(report="declined"), None, "what is a \x1bqwe?")
    rows = [("outcome", conclusion.status), ("reason", conclusion.reason)]
    _show_card(Console(file=screen, force_terminal=True, width=60, no_color=True), conclusion, rows)
    lines = screen.getvalue().splitlines()
    assert "Result" in lines[0] and "declined" in lines[1] and r"what is a \x1bqwe?" in lines[2]
