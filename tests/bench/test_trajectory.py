"""What is scored of an episode, read from Homie's own record and from that of EMMOE."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from homie.bench.score.trajectory import (
    Step,
    Trajectory,
    from_conversation,
    from_ending,
    from_records,
    parts,
    read_conversation,
    written_step,
)
from homie.kernel.errors import BadInput
from homie.kernel.types import (
    SUCCESS,
    Attempt,
    Decision,
    ErrorCode,
    Execution,
    Feedback,
    Outcome,
    RoundRecord,
    Subtask,
)
from homie.runtime.runstore import EpisodeFile

FULL = Feedback("fail", ErrorCode.L1, "Unable to pick, the hand is full")
GOOD = Attempt(1, "classical", Outcome.SUCCEEDED, "", 1.0, 5)
BAD = Attempt(1, "classical", Outcome.FAILED, "slipped", 1.0, 5)


def record(
    number: int,
    subtask: Subtask,
    entity: str = "",
    feedback: Feedback = SUCCESS,
    inventory: tuple[str, ...] = (),
    attempts: tuple[Attempt, ...] = (),
    decision: Decision | None = None,
) -> RoundRecord:
    execution = Execution(subtask, "", (), attempts, feedback, entity)
    return RoundRecord(number, decision or Decision((subtask,)), execution, inventory, float(number), {})


def trajectory(*records: RoundRecord) -> Trajectory:
    return from_records(records, task_id="t", trial=2, task="a task", keypaths=[["[End]"]], expert_length=4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[Put, apple, fridge]", ("Put", "apple", "fridge")),
        (" Pick , red apple ", ("Pick", "red apple")),
        ("[End]", ("End",)),
        ("[[Pick, [a]]]", ("Pick", "[a")),
        ("a, b, c, d", ("a", "b", "c", "d")),
    ],
)
def test_parts_of_a_subtask(text: str, expected: tuple[str, ...]) -> None:
    assert parts(text) == expected


def test_a_step_of_which_only_the_text_is_known() -> None:
    assert written_step("put, Apple, fridge, x", False, FULL.message, (True,)) == Step(
        text="put, Apple, fridge, x",
        success=False,
        message=FULL.message,
        code="L1",
        action="Put",
        objects=("Apple",),
        places=("fridge",),
        attempts=(True,),
        unreadable=False,
    )
    assert written_step("dance, ", None, "") == Step(
        text="dance, ", success=None, message="", code="", action="dance", objects=(), places=()
    )
    assert Step(text="x", success=True) == Step(
        text="x", success=True, message="None", code="", action="", objects=(), places=(), attempts=(), unreadable=False
    )


def test_what_each_subtask_acted_on() -> None:
    result = trajectory(
        record(1, Subtask("Pick", "fruit"), "apple_1", inventory=("apple",), attempts=(BAD, GOOD)),
        record(2, Subtask("Pick", "pear"), "pear_1", FULL, inventory=("apple",)),
        record(3, Subtask("Put", "plum", "fridge"), "fridge_1"),
        record(4, Subtask("Put", "plum", "fridge"), "fridge_1"),
        record(5, Subtask("Put", "fridge"), "fridge_1"),
        record(6, Subtask("Go to", "fridge"), "fridge"),
    )
    assert result.steps == (
        Step(
            text="Pick, fruit",
            success=True,
            message="None",
            code="",
            action="Pick",
            objects=("fruit", "apple_1"),
            places=(),
            attempts=(False, True),
        ),
        Step(
            text="Pick, pear",
            success=False,
            message=FULL.message,
            code="L1",
            action="Pick",
            objects=("pear", "pear_1"),
            places=(),
        ),
        Step(
            text="Put, plum, fridge",
            success=True,
            message="None",
            code="",
            action="Put",
            objects=("fruit", "apple_1"),
            places=("fridge", "fridge_1"),
        ),
        Step(
            text="Put, plum, fridge",
            success=True,
            message="None",
            code="",
            action="Put",
            objects=("plum",),
            places=("fridge", "fridge_1"),
        ),
        Step(
            text="Put, fridge",
            success=True,
            message="None",
            code="",
            action="Put",
            objects=("fridge",),
            places=("fridge", "fridge_1"),
        ),
        Step(
            text="Go to, fridge", success=True, message="None", code="", action="Go to", objects=("fridge",), places=()
        ),
    )
    assert (result.length, result.task_id, result.trial, result.task) == (6, "t", 2, "a task")
    assert (result.keypaths, result.expert_length, result.verdict, result.infrastructure) == (
        (("[End]",),),
        4,
        None,
        "",
    )
    assert result.feedback is None and result.never == () and not result.ended


def test_subtasks_are_as_the_planner_wrote_them() -> None:
    wrote = Decision((Subtask("pick", "apple"), Subtask("walk to", "table")))
    result = trajectory(
        record(1, Subtask("Pick", "apple"), decision=wrote),
        record(1, Subtask("Go to", "table"), decision=wrote),
        record(1, Subtask("End"), decision=wrote),
        record(2, Subtask("Pick", "apple"), decision=wrote),
    )
    assert [step.text for step in result.steps] == ["pick, apple", "walk to, table", "End", "pick, apple"]
    assert [step.action for step in result.steps] == ["Pick", "Go to", "End", "Pick"]


def test_an_unreadable_output_is_a_step() -> None:
    unread = Feedback("fail", ErrorCode.F1, "is not in the action list")
    lost = record(2, Subtask("x"), feedback=unread, decision=Decision((), problem="no JSON"))
    result = trajectory(
        record(1, Subtask("Pick", "a"), "a_1", inventory=("a",)), lost, record(3, Subtask("Put", "b", "c"))
    )
    assert result.steps[1] == Step(text="", success=False, message=unread.message, code="F1", unreadable=True)
    assert result.steps[2].objects == ("a", "a_1"), "the hand keeps what it held"
    without = record(2, Subtask("x"), feedback=Feedback("fail", None, "?"), decision=Decision((), problem="no JSON"))
    assert trajectory(without).steps == (Step(text="", success=False, message="?", code="", unreadable=True),)


def test_ended_is_exactly_end_and_the_notebooks_look_for_the_word_anywhere() -> None:
    end = record(2, Subtask("End"))
    assert (
        trajectory(record(1, Subtask("Pick", "a")), end).ended
        and not trajectory(end, record(3, Subtask("Pick", "a"))).ended
    )
    refused = record(2, Subtask("End"), feedback=Feedback("fail", ErrorCode.F1, "It is not in the list."))
    assert not trajectory(refused).ended
    assert not trajectory().ended and not trajectory().last_message_has_end
    assert replace(trajectory(), task="x").length == 0

    def says_end(*records: RoundRecord, task: str = "a task") -> bool:
        return from_records(records, task_id="t", trial=0, task=task, keypaths=(), expert_length=0).last_message_has_end

    pick = record(1, Subtask("Pick", "a"))
    assert says_end(end) and not says_end(pick)
    assert says_end(end, pick) and not says_end(replace(end, decision=Decision((), problem="x")), pick)
    assert says_end(pick, task="End it") and says_end(task="End it")
    raw = Decision((Subtask("Pick", "a"),), raw="not the End yet")
    assert says_end(replace(pick, decision=raw)) and not says_end(replace(end, decision=replace(raw, raw="no")))
    thought = Decision((Subtask("Pick", "a"),), analysis="after this comes End")
    assert says_end(replace(pick, decision=thought)) and not says_end(replace(pick, decision=thought), pick)


@pytest.mark.parametrize(("cause", "expected"), [("killed: x", "killed: x"), ("", "no cause given")])
def test_what_infrastructure_ended_has_no_steps(cause: str, expected: str) -> None:
    ending = EpisodeFile(
        task="a task", trial=3, seed=0, ended_by="infrastructure", rounds=1, history=(), inventory=(),
        robot_seconds=1.0, wall_seconds=1.0, cause=cause,
    )  # fmt: skip
    records = (record(1, Subtask("End")),)
    lost = from_ending(ending, records, task_id="t", verdict=True)
    assert (lost.steps, lost.verdict, lost.infrastructure, lost.trial, lost.task) == ((), None, expected, 3, "a task")
    assert (lost.keypaths, lost.expert_length) == ((), 0)
    ran = from_ending(
        ending.model_copy(update={"ended_by": "ended"}), records, task_id="t", keypaths=[["[End]"]], expert_length=5,
        verdict=True,
    )  # fmt: skip
    assert (ran.length, ran.verdict, ran.infrastructure) == (1, True, "") and ran.ended
    assert (ran.keypaths, ran.expert_length, ran.task_id) == ((("[End]",),), 5, "t")


# ---------------------------------------------------------------- EMMOE's record

FIRST = (
    "USER\nTask: put the cup away \nInventory\nHistorical Execution: \nFeedback: None\nASSISTANT: Subtask: [Pick, cup]"
)
SECOND = (
    "USER\nTask: x\nInventory\nHistorical Execution: (1)[Pick, cup](success) \nFeedback:  fine \n"
    "ASSISTANT: Subtask: [Put, cup, shelf] Model: octo"
)
LAST = (
    "USER\nTask: x\nInventory\nHistorical Execution: (1)[Pick, cup](success) (2)[Put, cup, shelf](fail) \n"
    "the target is far away\nASSISTANT: Analysis\nSubtask: End"
)


def conversation(*messages: str) -> Trajectory:
    return from_conversation(messages, task_id="t", trial=1, keypaths=[["[End]"]], expert_length=3, verdict=False)


def test_a_conversation_of_emmoe() -> None:
    result = conversation(FIRST, SECOND, LAST)
    assert result.steps == (
        Step(text="[Pick, cup]", success=True, message="fine", code="", action="Pick", objects=("cup",)),
        Step(
            text="[Put, cup, shelf]",
            success=False,
            message="the target is far away",
            code="D1",
            action="Put",
            objects=("cup",),
            places=("shelf",),
        ),
        Step(text="End", success=True, message="None", code="", action="End"),
    )
    assert result.feedback == ("fine", "the target is far away")
    assert (result.task, result.task_id, result.trial, result.length) == ("put the cup away", "t", 1, 3)
    assert (result.keypaths, result.expert_length, result.verdict) == ((("[End]",),), 3, False)
    assert result.last_message_has_end and result.ended


def test_parts_of_a_conversation() -> None:
    assert conversation().steps == () and conversation().task == "" and not conversation().last_message_has_end
    trajectory = conversation(FIRST)
    assert (
        trajectory.steps
        == (Step(text="Pick, cup", success=None, message="", code="", action="Pick", objects=("cup",)),)
        and trajectory.feedback == ()
    )
    assert conversation(SECOND).steps[-1] == Step(
        text="Put, cup, shelf", success=None, message="", code="", action="Put", objects=("cup",), places=("shelf",)
    )
    odd = conversation("one line")
    assert (
        odd.steps == (Step(text="", success=None, message="", code="", action=""),)
        and odd.task == ""
        and not odd.last_message_has_end
    )
    assert conversation("a\nTask: b").task == "b" and conversation("a\nb").task == ""
    lost = conversation(LAST)
    assert [step.message for step in lost.steps] == ["", "", "None"], "no message says what came back"
    assert conversation(FIRST, "x\ny\nz").feedback == ("",)


def test_a_file_that_is_no_conversation(tmp_path: Path) -> None:
    path = tmp_path / "conversation.json"
    for text in ('{"a": 1}', '["a", 1]'):
        path.write_text(text)
        with pytest.raises(BadInput, match=r"^The conversation .*conversation\.json must be a JSON list of strings\.$"):
            read_conversation(path)
    path.write_text("[")
    with pytest.raises(BadInput, match=r"^Cannot read the conversation .*conversation\.json: .*\.$"):
        read_conversation(path)
    path.write_text('["a", "b"]')
    assert read_conversation(path) == ["a", "b"]
