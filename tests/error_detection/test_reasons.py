"""What planners see of failed skills: every reason has its row, and any skill may fail with it."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

from error_detection.failure_advice import ADVICE, ONCE_MORE, REPEATED, explain_reason, lasting
from error_detection.further_sentences import too_difficult
from homie.kernel.types import Failure, FailureReason
from homie.kernel.types.failure_reasons import with_repetitions

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "error-codes.md"
OFFICIAL = "Unable to pick, the subtask is too difficult to perform"
BLOCKED = FailureReason.OBJECT_BLOCKED


def example(reason: FailureReason) -> Failure:
    names = [name for _, name, _, _ in Formatter().parse(reason.value) if name]
    return Failure(reason, **dict.fromkeys(names, 0.25))


@pytest.mark.parametrize("reason", FailureReason)
def test_every_reason_has_advice(reason: FailureReason) -> None:
    failure = example(reason)
    words, advice = ADVICE[reason]
    assert explain_reason(failure) == f"{words or failure}. {advice}"
    assert lasting(failure) is not advice.endswith(ONCE_MORE)
    assert advice.startswith("Please ") and not words.startswith("Please "), "the reason comes before the advice"


@pytest.mark.parametrize("reason", FailureReason)
def test_every_reason_is_raised_somewhere(reason: FailureReason) -> None:
    folders = (ROOT / name for name in ("skills", "homie", "perception", "ros_bridge", "error_detection"))
    used = f"FailureReason.{reason.name}"
    tables = ("failures.py", "reasons.py")
    assert any(
        re.search(rf"{re.escape(used)}\b", path.read_text(encoding="utf-8"))
        for folder in folders
        for path in folder.rglob("*.py")
        if path.name not in tables
    )


def test_the_text_of_the_record_has_the_details() -> None:
    assert Failure(FailureReason.NOT_MOVED_ENOUGH, opening=0.1, range=0.9) == "it stays at 0.10 of 0.90"
    with pytest.raises(KeyError, match="opening"):
        Failure(FailureReason.NOT_MOVED_ENOUGH)


@pytest.mark.parametrize(
    ("blockers", "text", "advice"),
    [
        ([], "something is in the way", "Please move it away first"),
        ([""], "something is in the way", "Please move it away first"),
        (["box", "box"], "the box is in the way", "Please move it away first"),
        (["box", "", "mug_2"], "the box and the mug_2 are in the way", "Please move them away first"),
        (["a", "b", "c"], "3 things are in the way", "Please move them away first"),
    ],
)
def test_blockers_are_named_and_have_to_be_moved(blockers: list[str], text: str, advice: str) -> None:
    failure = Failure(BLOCKED, blockers=blockers)
    assert failure == f"the object cannot be reached: {text}"
    assert explain_reason(failure) == f"{failure}. {advice}"
    assert lasting(failure)


def test_blockers_get_the_names_that_the_planner_knows() -> None:
    failure = Failure(BLOCKED, blockers=["apple", "apple_2"]).naming(["apple_2", "the hand"])
    assert failure == "the object cannot be reached: the apple_2 and the the hand are in the way"
    assert failure.blockers == ("apple_2", "the hand") and failure.reason is BLOCKED


def test_a_failure_that_comes_again_and_again_is_given_up() -> None:
    failure = with_repetitions(Failure(FailureReason.CLOSED_ON_NOTHING), 6)
    assert failure == "the fingers closed on nothing, 6 times in a row"
    assert explain_reason(failure) == f"{REPEATED.words}. {REPEATED.advice}"
    assert lasting(failure) and not lasting(Failure(FailureReason.CLOSED_ON_NOTHING))
    assert with_repetitions("it slips", 6) == "it slips, 6 times in a row"


def test_a_failure_is_the_same_from_another_process() -> None:
    failure = Failure(FailureReason.STOPPED_SHORT, metres=1.26)
    again = Failure.read(FailureReason[failure.reason.name], str(failure))
    assert again == failure == "the policy stopped 1.3 m from the target"
    assert explain_reason(again) == explain_reason(failure)


def test_the_sentence_begins_as_the_official_one() -> None:
    assert too_difficult("Pick") == OFFICIAL
    assert too_difficult("Pick", "the cat was quicker") == OFFICIAL, "a text is for the record alone"
    blocked = Failure(BLOCKED, blockers=["box"])
    assert too_difficult("Pick", blocked) == f"{OFFICIAL}: {blocked}. Please move it away first"
    assert too_difficult("Open", Failure(FailureReason.HANDLE_MISSED)).endswith(ONCE_MORE)


def test_the_record_has_numbers_and_the_planner_has_none() -> None:
    assert not [row for row in ADVICE.values() if re.search(r"\d", row.words + row.advice)]


def test_the_docs_have_every_sentence() -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert [row.words for row in ADVICE.values() if row.words not in text] == []
    assert [row.advice for row in ADVICE.values() if row.advice not in text] == []
