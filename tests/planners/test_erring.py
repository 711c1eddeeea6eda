"""The erring planner: its mistakes are refused and change nothing, and what was right gets done."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from homie.kernel.errors import BadInput
from homie.kernel.knowledge import Knowledge, RememberedThing
from homie.kernel.types import END, SUCCESS, ErrorCode, Feedback, HistoryItem, PlannerInput, Subtask
from homie.testing import check_planner
from planners.erring import ErringPlanner, ErringSettings

SCRIPT = [
    "[Go to, fridge]",
    "[Open, fridge]",
    "[Go to, apple]",
    "[Pick, apple]",
    "[Go to, fridge]",
    "[Put, apple, fridge]",
    "[Close, fridge]",
    "[End]",
]


@pytest.fixture
def script(tmp_path: Path) -> str:
    (tmp_path / "script.json").write_text(json.dumps(SCRIPT))
    return str(tmp_path / "script.json")


class Kitchen:
    """A closed fridge, and an apple on a table far away from it: what the checks know of it."""

    def __init__(self) -> None:
        self.near, self.held, self.open = "", False, False
        self.done: list[str] = []
        self.codes: list[ErrorCode | None] = []

    def feedback(self, subtask: Subtask) -> Feedback:
        code = self._code(subtask)
        self.codes.append(code)
        if code is not None:
            return Feedback("fail", code, "no")
        self.done.append(str(subtask))
        match subtask.action:
            case "Go to":
                self.near = subtask.target
            case "Pick" | "Put":
                self.held = subtask.action == "Pick"
            case "Open" | "Close":
                self.open = subtask.action == "Open"
        return SUCCESS

    def _code(self, subtask: Subtask) -> ErrorCode | None:
        place = subtask.destination or subtask.target
        if subtask.action not in ("Go to", "Pick", "Put", "Open", "Close"):
            return ErrorCode.F1
        if place not in ("fridge", "apple"):
            return ErrorCode.F2
        if subtask.action != "Go to" and (subtask.action == "Put") is not self.held:
            return ErrorCode.L1 if self.held else ErrorCode.L2
        if subtask.action == "Pick" and place == "fridge":
            return ErrorCode.L4
        return ErrorCode.D1 if subtask.action != "Go to" and self.near != place else None


def play(planner: ErringPlanner, seed: int, *, most: int = 60) -> Kitchen:
    kitchen, feedback = Kitchen(), None
    planner.reset("put the apple in the fridge", seed=seed)
    for number in range(1, most):
        inventory = ("apple",) if kitchen.held else ()
        views = {"front": np.zeros((2, 2, 3), np.uint8)}
        planner_input = PlannerInput("", number, views, (), inventory, (), feedback, ("Go to", "End"), ("ideal",))
        (subtask,) = planner.decide(planner_input).subtasks
        if subtask == END:
            return kitchen
        feedback = kitchen.feedback(subtask)
    raise AssertionError("it never ends")


@pytest.mark.parametrize("seed", range(30))
def test_mistakes_are_refused_and_the_script_gets_done(script, seed):
    kitchen = play(ErringPlanner(script, ErringSettings(mistakes=0.5)), seed)
    assert kitchen.done == SCRIPT[:-1]
    assert None in kitchen.codes and not {ErrorCode.E1, ErrorCode.E2} & set(kitchen.codes)


def test_all_kinds_of_mistakes_are_made_and_none_twice_in_a_row(script):
    planner = ErringPlanner(script, ErringSettings(mistakes=1.0))
    runs = [play(planner, seed).codes for seed in range(60)]
    assert {code for codes in runs for code in codes} == {
        None,
        *(ErrorCode.F1, ErrorCode.F2, ErrorCode.L1, ErrorCode.L2, ErrorCode.L4, ErrorCode.D1),
    }
    for codes in runs:
        assert codes[::2] == [code for code in codes[::2] if code is not None]
        assert codes[1::2] == [None] * (len(SCRIPT) - 1)


def test_without_mistakes_it_is_the_script_and_with_them_the_seed_decides(script):
    plain = play(ErringPlanner(script, ErringSettings(mistakes=0.0)), 3)
    assert plain.codes == [None] * (len(SCRIPT) - 1)
    planner = ErringPlanner(script, ErringSettings(mistakes=0.5))
    assert play(planner, 3).codes == play(planner, 3).codes != play(planner, 4).codes


def test_what_was_lost_is_fetched_again_and_what_fails_again_and_again_is_given_up(script):
    planner = ErringPlanner(script, ErringSettings(mistakes=0.0, retries=2))
    planner.reset("", seed=0)
    failing = Feedback("fail", ErrorCode.E2, "the object is missing")
    subtasks: list[str] = []
    feedback = None
    for number in range(1, 40):
        planner_input = PlannerInput("", number, {}, (), (), (), feedback, (), ())
        (subtask,) = planner.decide(planner_input).subtasks
        subtasks.append(str(subtask))
        if subtask == END:
            break
        feedback = failing if subtask.action == "Put" else SUCCESS
    assert subtasks[5:10] == [SCRIPT[5], "[Go to, apple]", "[Pick, apple]", "[Go to, fridge]", SCRIPT[5]]
    assert subtasks.count(SCRIPT[5]) == 3 and subtasks[-1] == "[End]"


def test_it_is_a_planner(script):
    check_planner(ErringPlanner(script), deterministic=True)


def test_a_script_is_needed():
    with pytest.raises(BadInput, match="needs a script"):
        ErringPlanner()
    with pytest.raises(BadInput, match="Cannot read the script"):
        ErringPlanner("nowhere.json")


@pytest.mark.parametrize("seed", range(12))
def test_after_detours_the_script_goes_on_from_where_they_led(script: str, seed: int) -> None:
    planner = ErringPlanner(script, ErringSettings(mistakes=0.2, detours=0.4))
    planner.reset("", seed=seed)
    kitchen, history, where = Kitchen(), [], "on the table"
    for number in range(1, 200):
        names = {"fridge": "", "table": "", "apple": where}
        knowledge = Knowledge(
            remembered=tuple(RememberedThing(name, "kitchen", place) for name, place in names.items())
        )
        inventory = ("apple",) if kitchen.held else ()
        feedback = history[-1].feedback if history else None
        planner_input = PlannerInput(
            "", number, {}, (), inventory, tuple(history), feedback, ("Go to", "End"), ("ideal",), knowledge=knowledge
        )
        (subtask,) = planner.decide(planner_input).subtasks
        if subtask == END:
            break
        outcome = kitchen.feedback(subtask)
        if outcome.ok and subtask.action == "Put":
            where = f"in the {subtask.destination}" if subtask.destination == "fridge" else "on the table"
        history.append(HistoryItem(number, subtask, outcome))
    assert subtask == END and where == "in the fridge" and not kitchen.open and not kitchen.held
    assert len(kitchen.done) >= len(SCRIPT) - 1
    useless = [item for item in history if item.feedback.ok and str(item.subtask) not in SCRIPT]
    repeated = len(kitchen.done) - len(set(kitchen.done))
    assert useless or repeated
