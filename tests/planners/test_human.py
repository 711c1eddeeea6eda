"""The human planner: what a person sees and may type."""

from __future__ import annotations

import io

import pytest
from text_world import stage

from homie.kernel.actions import ACTIONS
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import EpisodeListener
from homie.kernel.types import WITHOUT_REASON, Event, Subtask, SubtaskRecorded
from planners.human import HumanPlanner, read_line


@pytest.mark.parametrize(
    ("line", "subtask"),
    [
        ("go to fridge", Subtask("Go to", "fridge")),
        ("Go to the Fridge", Subtask("Go to", "fridge")),
        ("goto blue table", Subtask("Go to", "blue table")),
        ("go kitchen", Subtask("Go to", "kitchen")),
        ("pick apple", Subtask("Pick", "apple")),
        ("pick up the apple", Subtask("Pick", "apple")),
        ("put apple on brown table", Subtask("Put", "apple", "brown table")),
        ("put the apple into the fridge", Subtask("Put", "apple", "fridge")),
        ("open fridge", Subtask("Open", "fridge")),
        ("close the drawer", Subtask("Close", "drawer")),
        ("end", Subtask("End")),
        ("[Put, apple, table]", Subtask("Put", "apple", "table")),
        ("Fly, moon", Subtask("Fly", "moon")),
        ("slice apple", Subtask("Slice", "apple")),
        ("slice", Subtask("Slice")),
    ],
)
def test_lines(line: str, subtask: Subtask) -> None:
    assert read_line(line, (*ACTIONS, "Slice")) == subtask


@pytest.mark.parametrize("line", ["", "  ", "apple", "put apple", "[Pick, apple", "endless", "dance"])
def test_lines_that_are_asked_for_again(line: str) -> None:
    with pytest.raises(BadInput):
        read_line(line, ACTIONS)


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("opn fridge", ": did you mean 'open'?"),
        ("trn on lamp", ": did you mean 'turn on'?"),
        ("end sukcess", ": did you mean 'end success'?"),
        ("declin", ": did you mean 'decline'?"),
        ("dance", "."),
    ],
)
def test_a_line_that_is_not_understood_says_what_may_be_meant(line: str, hint: str) -> None:
    with pytest.raises(BadInput) as raised:
        read_line(line, (*ACTIONS, "Turn on"), ("end success", "decline"))
    assert str(raised.value).startswith(f"'{line}' is not understood{hint} Write for example: ")


def test_a_session(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("help\nwhat?\ngo to spaceship\npick mug\nend\n"))
    result = stage().play("bring me the mug", HumanPlanner())
    output = capsys.readouterr()
    assert output.out == ""
    assert [str(item.subtask) for item in result.history] == ["[Go to, spaceship]", "[Pick, mug]", "[End]"]
    for part in ("Task: bring me the mug", "In the hand: None", "front: ", "put apple on table", "not understood"):
        assert part in output.err
    assert "fail (F2): spaceship does not exist! Please choose another object" in output.err


def test_a_misspelt_name_is_asked_for_again_and_uses_no_round(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "go to appel\ngo to apple\ngo to frigde\ngo to frigde\nput apple on tabel\nend\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    result = stage().play("bring me the apple", HumanPlanner())
    assert [str(item.subtask) for item in result.history] == ["[Go to, apple]", "[Go to, frigde]", "[End]"]
    message = capsys.readouterr().err
    assert "No 'appel' is known: did you mean 'apple'?" in message and "did you mean 'fridge'?" in message
    assert "No 'tabel' is known: did you mean 'table'?" in message


class LastWords(EpisodeListener):
    """Keeps the analysis of the last decision."""

    words = ""

    def on(self, event: Event) -> None:
        if isinstance(event, SubtaskRecorded):
            self.words = event.record.decision.analysis


def test_the_end_of_the_input_ends_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("go to bed\n"))
    listener = LastWords()
    result = stage().play("sleep", HumanPlanner(), listener=listener)
    assert (result.ended_by, result.rounds) == ("ended", 2)
    assert listener.words == "The input ended before the person had ended the task."


@pytest.mark.parametrize(
    ("line", "report", "answer", "words"),
    [
        ("answer no, it is empty", "success", "no, it is empty", "The person ended the task as done."),
        ("Answer:  3", "success", "3", "The person ended the task as done."),
        ("decline", "declined", "", "The person declined the task."),
        ("end failure", "failure", "", "The person gave the task up."),
        ("[End, declined]", "declined", "", "The person declined the task."),
        ("end", "", "", "The person ended the task."),
    ],
)
def test_how_a_person_ends_the_task(
    monkeypatch: pytest.MonkeyPatch, line: str, report: str, answer: str, words: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{line}\n"))
    listener = LastWords()
    result = stage().play("is there a banana in the fridge?", HumanPlanner(), listener=listener)
    assert (result.ended_by, result.rounds, result.report, result.answer) == ("ended", 1, report, answer)
    assert [str(item) for item in result.history] == ["(1) [End](success)"]
    assert listener.words == words and words in WITHOUT_REASON


def test_it_takes_no_argument() -> None:
    with pytest.raises(BadInput, match="takes no argument"):
        HumanPlanner("me")


def test_what_is_shown_cannot_drive_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("end\n"))
    stage().play("bring \x1b[31mme\u202e the mug", HumanPlanner())
    output = capsys.readouterr().err
    assert r"bring \x1b[31mme\u202e the mug" in output and not {"\x1b", "\u202e"} & set(output)


def test_a_line_that_is_not_understood_is_answered_with_an_example_of_each_form() -> None:
    with pytest.raises(BadInput, match="go to fridge, pick apple, put apple on table, end"):
        read_line("put apple bowl", ACTIONS)
