"""Questions about states and places, written before the reading of them was: what is answered is so.

The home: the kitchen, where the robot is, and the living room; no other room was seen.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from homie.kernel.knowledge import Knowledge, RememberedThing
from homie.kernel.types import Decision, ErrorCode, Feedback, PlannerInput
from planners.rule import RulePlanner

KNOWN = Knowledge(
    setting="background",
    room="kitchen",
    rooms=("kitchen", "living room"),
    remembered=(
        RememberedThing("kitchen counter", "kitchen", seen=1),
        RememberedThing("sink", "kitchen", seen=1),
        RememberedThing("stove", "kitchen", seen=1, states=("off",)),
        RememberedThing("microwave", "kitchen", "on the kitchen counter", 1, "closed", ("on",)),
        RememberedThing("fridge", "kitchen", seen=1, state="closed"),
        RememberedThing("dishwasher", "kitchen", seen=1, state="open"),
        RememberedThing("cabinet", "kitchen", seen=1, state="ajar"),
        RememberedThing("drawer", "kitchen", seen=1),
        RememberedThing("table", "living room", seen=1, states=("dirty",)),
        RememberedThing("lamp", "living room", "on the table", 1, states=("on",)),
        RememberedThing("tv", "living room", seen=1, states=("off",)),
        RememberedThing("mug", "kitchen", "on the kitchen counter", 1, states=("dirty", "filled")),
        RememberedThing("cup", "kitchen", "in the sink", 1),
        RememberedThing("bowl", "living room", "on the table", 1, states=("clean", "empty")),
        RememberedThing("banana", "living room", "in the bowl", 1),
        RememberedThing("apple", "living room", "on the table", 1),
        RememberedThing("apple 2", "living room", "on the table", 1),
        RememberedThing("apple 3", "kitchen", "in the fridge", 1),
    ),
)
NAMES = {*KNOWN.rooms, *(item.name for item in KNOWN.remembered)}
YES, NO, UNKNOWN = r"^yes\b", r"^no\b(?!t)", r"not know"
"""How answers begin, and what is said where nobody knows."""
QUESTIONS = {
    "Is the lamp on?": YES,
    "Is the lamp in the living room switched on?": YES,
    "is the TV off": YES,
    "Is the television turned on?": NO,
    "Has anyone left the stove on?": NO,
    "Could you tell me whether the microwave is running?": YES,
    "Is the fridge open?": NO,
    "Is the fridge door shut?": YES,
    "Tell me if the dishwasher is closed.": NO,
    "Is the cabinet open?": r"\bajar\b",
    "Is the drawer open?": UNKNOWN,
    "Check whether the table is clean.": NO,
    "Is the mug dirty?": YES,
    "Is the bowl clean?": YES,
    "Is the cup dirty?": UNKNOWN,
    "Is there anything in the mug?": YES,
    "Is the mug full?": YES,
    "Is the bowl filled?": NO,
    "Where is the mug?": r"on the kitchen counter",
    "Where's the banana?": r"in the bowl",
    "Where can I find the cup?": r"in the sink",
    "In which room is the lamp?": r"living room",
    "Where are the apples?": r"table.*fridge|fridge.*table",
    "Where is the hammer?": UNKNOWN,
    "How many apples are there?": r"\b(3|three)\b",
    "How many apples are on the table?": r"\b(2|two)\b",
    "How many lamps are on?": r"\b(1|one)\b",
    "What is on the table?": r"bowl.*apple|apple.*bowl",
    "Is the banana in the bowl?": YES,
    "Is the fridge humming?": r"'.*humming.*'",  # declined: nobody knows what that is
}


def _play_to_end(question: str) -> tuple[Decision, list[str]]:
    """How the planner ends, and what it did before, where all that is known can be gone to and shows nothing new."""
    planner = RulePlanner()
    planner.reset(question, seed=0)
    feedback, subtasks = None, list[str]()
    actions = ("Go to", "Pick", "Put", "Open", "Close", "Turn on", "Turn off", "End")
    for number in range(1, 31):
        inputs = PlannerInput(
            question,
            number,
            {"front": np.zeros((8, 8, 3), dtype=np.uint8)},
            (),
            (),
            (),
            feedback,
            actions,
            ("text",),
            knowledge=KNOWN,
        )
        decision = planner.decide(inputs)
        if decision.subtasks[0].action == "End":
            break
        subtasks.append(str(decision.subtasks[0]))
        names_target = decision.subtasks[0].target in NAMES
        feedback = Feedback("success") if names_target else Feedback("fail", ErrorCode.F2, "It is not there.")
    return decision, subtasks


def _verdict(decision: Decision, answer: str) -> str:
    """`right`, `declined`, `unclaimed` for an answer that is said to be unsure, else what is wrong."""
    spoken = decision.answer.lower()
    if decision.report == "declined":
        return (
            "declined" if re.search(answer if answer.startswith("'") else "'[^']+'", decision.analysis) else "unnamed"
        )
    if answer == UNKNOWN:
        return "right" if UNKNOWN in spoken and decision.report == "failure" else f"guessed: {spoken}"
    if decision.report != "success":
        return "unclaimed" if spoken else "silent"
    return "right" if not answer.startswith("'") and re.search(answer, spoken) else f"wrong: {spoken}"


UNSURE = {"How many apples are there?": "unclaimed", "Is the fridge humming?": "declined"}
"""Questions that get no answer that is claimed: what is shut shows nothing here, and nobody knows what hums."""


@pytest.mark.parametrize(("question", "answer"), QUESTIONS.items())
def test_an_answer_is_right_or_not_claimed(question: str, answer: str) -> None:
    decision, subtasks = _play_to_end(question)
    assert _verdict(decision, answer) == UNSURE.get(question, "right"), (decision.answer, decision.analysis, subtasks)


def _answer(question: str) -> str:
    return _play_to_end(question)[0].answer


def test_what_has_things_in_it_is_not_empty() -> None:
    assert _answer("Is the bowl empty?") == "no, banana is in it"
    assert _answer("Is there anything in the bowl?") == "yes, banana"


def test_a_count_of_states_is_claimed_only_where_all_are_known() -> None:
    decision, _ = _play_to_end("How many cups are dirty?")
    assert (decision.report, decision.answer) == ("failure", "at least 0")
    assert "I cannot see whether the cup is dirty." in decision.analysis
