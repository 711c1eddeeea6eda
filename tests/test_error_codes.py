"""All ten error codes, really caused in the embedded home by scripted decisions and read back from `steps.jsonl`."""

from __future__ import annotations

from pathlib import Path

import pytest
from homes import PLANS, SCENES, final_state, one_room, play

from homie.kernel.types import ErrorCode, Execution, Outcome, RoundRecord

DIFFICULT = "Unable to pick, the subtask is too difficult to perform"
ROOM = "Please choose another object, or make room around it"
EXPECTED = {
    "[Fly to, apple]": ("F1", "fly to is not in the action list! You should only choose actions in the list.", 0),
    "[Go to, apple] RT-2": ("F1", "RT-2 is not in the model list! You should only choose models in the list.", 0),
    "[Go to, spaceship]": ("F2", "spaceship does not exist! Please choose another object", 0),
    "[Pick, sponge]": ("D2", "Unable to pick, the target is too close", 0),
    "[Pick, apple]": ("D1", "Unable to pick, the target is far away", 0),
    "[Put, apple, table]": ("L2", "Unable to put, the hand is empty", 0),
    "[Open, table]": ("L4", "Can not open table! Please choose another object", 0),
    "[Pick, lemon]": ("L3", "Unable to pick, the fridge is closed, you should open it first", 0),
    "[Pick, mug]": ("E1", f"{DIFFICULT}: no place to stand from which the object can be reached. {ROOM}", 1),
    "[Open, fridge]": ("L1", "Unable to open, the hand is full", 0),
    "[Put, apple, fridge]": ("L3", "Unable to put, the fridge is closed, you should open it first", 0),
    "[Put, apple, banana]": ("E2", "Unable to put, and the object is missing: it is on the wood table now", 1),
}
"""Decision (with its model) -> code, sentence, number of attempts. Of equal decisions the first counts."""

LAYERS = {"F": "format", "L": "logical", "D": "distance", "E": "execution"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("codes")


@pytest.fixture(scope="module")
def records(folder: Path) -> tuple[RoundRecord, ...]:
    """The example that shows every code, run once."""
    return play(folder, SCENES / "error-codes.json", PLANS / "error-codes.yaml")


@pytest.fixture(scope="module")
def executions(records: tuple[RoundRecord, ...]) -> dict[str, Execution]:
    by_subtask: dict[str, Execution] = {}
    for record in records:
        by_subtask.setdefault(f"{record.decision.subtasks[0]} {record.decision.model}".strip(), record.execution)
    return by_subtask


@pytest.mark.parametrize("decision", EXPECTED)
def test_code_sentence_and_attempts(executions: dict[str, Execution], decision: str) -> None:
    execution = executions[decision]
    feedback = execution.feedback
    assert (feedback.code, feedback.message, len(execution.attempts)) == EXPECTED[decision]
    assert feedback.status == "fail"
    last = execution.checks[-1]
    assert (last.layer, last.code, last.message) == (LAYERS[feedback.code[0]], feedback.code, feedback.message)
    assert all(check.code is None for check in execution.checks[:-1])


def test_all_ten_codes_come_up(executions: dict[str, Execution]) -> None:
    assert {execution.feedback.code for execution in executions.values()} - {None} == set(ErrorCode)


def test_what_is_not_wrong_succeeds_and_keeps_the_inventory(records: tuple[RoundRecord, ...]) -> None:
    picked = [record for record in records if record.inventory == ("apple",)]
    assert str(picked[0].execution.subtask) == "[Pick, apple]"
    assert picked[0].execution.feedback.ok
    assert len(picked[0].execution.attempts) == 1
    assert records[-2].execution.feedback.code is ErrorCode.E2
    assert records[-2].inventory == (), "what is gone is not in the hand any more"
    assert records[-1].execution.subtask.action == "End"


def test_after_e2_the_apple_is_neither_held_nor_on_the_banana(records: tuple[RoundRecord, ...], folder: Path) -> None:
    state = final_state(folder)
    assert state["held"] is None
    assert state["objects"]["apple"]["at"] != "banana"  # type: ignore[index]


@pytest.mark.slow
def test_e1_after_as_many_attempts_as_are_asked_for_at_a_fridge_whose_door_hits_a_plant(tmp_path: Path) -> None:
    """The robot really pulls the door against the plant, twice; the handle is let go each time."""
    fridge = {"name": "fridge", "kind": "fridge", "colour": "white", "x": 0.42, "y": 1.6, "hinge": "left"}
    plant = {"name": "plant", "kind": "plant", "colour": "white", "x": 1.14, "y": 1.75}
    scene = one_room([fridge, plant], robot=(2.0, 1.0, 3.0))
    opened, _ = play(tmp_path, scene, ["[Open, fridge]"], attempts=2)
    assert opened.execution.feedback.code is ErrorCode.E1
    assert opened.execution.feedback.message.startswith("Unable to open, the subtask is too difficult to perform: ")
    assert opened.execution.feedback.message.endswith("try once more")
    assert [attempt.number for attempt in opened.execution.attempts] == [1, 2]
    assert {attempt.skill for attempt in opened.execution.attempts} == {"classical/open"}
    assert all(attempt.outcome is not Outcome.SUCCEEDED and attempt.reason for attempt in opened.execution.attempts)
    assert all(attempt.robot_seconds > 5.0 for attempt in opened.execution.attempts)
    state = final_state(tmp_path)
    assert 0.1 < state["joints"]["fridge/door"]["fraction"] < 0.5  # type: ignore[index]
    assert state["held"] is None


def test_official_order_sees_the_full_hand_before_the_unknown_target(tmp_path: Path) -> None:
    script = ["[Go to, apple]", "[Pick, apple]", "[Pick, spaceship]", "[Put, apple, lemon]"]
    records = play(tmp_path, SCENES / "error-codes.json", script, check_order="code")
    assert [record.execution.feedback.code for record in records] == [None, None, "L1", "L3", None]
