"""What the rule planner does and says where it does not get to what it was to go to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import pytest

from homie.kernel.actions import ACTIONS
from homie.kernel.knowledge import Knowledge, RememberedThing
from homie.kernel.types import VIEWS, Decision, ErrorCode, Feedback, PlannerInput, Subtask
from planners.rule import RulePlanner

SUCCESS = Feedback("success")
GONE = Feedback("fail", ErrorCode.F2, "it does not exist! Please choose another object")
NO_WAY = Feedback("fail", ErrorCode.E1, "no free way leads to the target", lasting=True)
SEEN = (RememberedThing("shelf", "kitchen"), RememberedThing("fridge", "kitchen", state="closed"))


def play(
    task: str, feedback: Callable[[Subtask], Feedback], setting: Literal["", "background", "sensors"], rounds: int = 20
) -> tuple[list[str], Decision]:
    """The subtasks of an episode and the decision that ends it, in a home where subtasks end as a function says."""
    planner = RulePlanner()
    planner.reset(task, seed=0)
    views = {view: np.zeros((8, 8, 3), np.uint8) for view in VIEWS}
    subtasks: list[str] = []
    last = None
    for number in range(1, rounds + 1):
        decision = planner.decide(
            PlannerInput(
                task=task,
                round=number,
                views=views,
                detections=(),
                inventory=(),
                history=(),
                feedback=last,
                actions=ACTIONS,
                models=(),
                rounds=rounds,
                knowledge=Knowledge(setting, "kitchen", ("kitchen",), (), SEEN),
            )
        )
        (subtask,) = decision.subtasks
        subtasks.append(str(subtask))
        if subtask.action == "End":
            return subtasks, decision
        last = feedback(subtask)
    raise AssertionError(subtasks)


def without(name: str) -> Callable[[Subtask], Feedback]:
    """Of a home in which nothing has a name."""
    return lambda subtask: GONE if subtask.target == name else SUCCESS


@pytest.mark.parametrize("name", ["unicorn", "lemon"])
def test_the_search_ends_where_go_to_would_have_found_it(name: str) -> None:
    """With targets from world state, Go to finds everything by its name, wherever it is."""
    subtasks, end = play(f"find the {name}", without(name), "background")
    assert subtasks == [f"[Go to, {name}]", "[End]"]
    assert (end.report, end.analysis) == ("failure", f"I could not find the {name}. There is no {name} here.")
    subtasks, end = play(f"put the {name} in the bowl", without(name), "background")
    assert subtasks == [f"[Go to, {name}]", "[End]"]
    assert end.analysis == f"I could not bring the {name} to the bowl. There is no {name} here."
    _, end = play(f"is there a {name}?", without(name), "background")
    assert (end.report, end.answer) == ("success", "no")


@pytest.mark.parametrize("name", ["white table", "green can", "table", "drawer"])
def test_what_may_be_called_otherwise_is_looked_for(name: str) -> None:
    """A detector may call it so from afar, by its colour; and of furniture the right piece may be unknown so far."""
    subtasks, end = play(f"go to the {name}", without(name), "background")
    assert len(subtasks) > 4 and "There is no" not in end.analysis


@pytest.mark.parametrize("setting", ["", "sensors"])
def test_elsewhere_a_refusal_ends_no_search(setting: Literal["", "sensors"]) -> None:
    subtasks, end = play("find the unicorn", without("unicorn"), setting)
    assert len(subtasks) > 4 and "There is no" not in end.analysis
    assert end.analysis.startswith("I could not find the unicorn.") and "have not found the unicorn" not in end.analysis


def test_what_was_not_looked_at_is_named() -> None:
    _, end = play("find the unicorn", without("unicorn"), "sensors", rounds=8)
    assert end.analysis == "I could not find the unicorn. I have not looked at the fridge."


@pytest.mark.parametrize(
    ("task", "failed"),
    [
        ("find the lemon", "I could not get to the lemon."),
        ("put the lemon in the bowl", "I could not bring the lemon to the bowl."),
        ("bring me the lemon", "I could not get the lemon."),
        ("where is the lemon?", "I cannot answer."),
    ],
)
def test_what_is_there_and_out_of_reach_is_not_called_missing(task: str, failed: str) -> None:
    _, end = play(task, lambda subtask: NO_WAY if subtask.target == "lemon" else SUCCESS, "background")
    assert end.report == "failure"
    assert end.analysis == f"{failed} Going to the lemon failed (no free way leads to the target)."


def test_what_cannot_be_picked_up_is_said_with_its_reason() -> None:
    no_grasp = Feedback("fail", ErrorCode.E1, "no grasp fits the object", lasting=True)
    _, end = play("bring me the lemon", lambda subtask: no_grasp if subtask.action == "Pick" else SUCCESS, "background")
    assert end.analysis.startswith("I could not get the lemon. Picking up the lemon failed (no grasp fits the object).")
