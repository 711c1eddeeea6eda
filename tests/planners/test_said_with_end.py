"""What a language model says of its task with End: a report, and the answer to a question."""

from __future__ import annotations

import pytest

from homie.kernel.types import END
from homie.kernel.vocabulary.actions import ACTIONS
from planners.llm.answers import Layout
from planners.llm.reading import Unreadable, read


@pytest.mark.parametrize(
    ("answer", "report", "said"),
    [
        ('{"analysis": "a", "subtask": {"action": "End"}, "report": "success", "answer": "no"}', "success", "no"),
        ('{"analysis": "a", "subtask": {"action": "End", "answer": "It is on the desk."}}', "", "It is on the desk."),
        ('{"subtask": {"action": "End", "report": "Declined"}, "answer": null}', "declined", ""),
        ('{"subtask": {"action": "End", "answer": "no"}, "answer": "no", "report": ""}', "", "no"),
        ('{"subtask": {"action": "End"}, "answer": "none"}', "", "none"),
        ('{"analysis": "a", "subtask": {"action": "End"}}', "", ""),
    ],
)
def test_a_report_and_an_answer_are_read_in_end_or_beside_it(answer: str, report: str, said: str) -> None:
    reading = read(answer, Layout("json"), ACTIONS)
    assert (reading.subtasks, reading.report, reading.answer) == ((END,), report, said)
    assert reading.leniencies == ()


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ('{"subtask": {"action": "Pick", "target": "apple"}, "answer": "no"}', "'answer' belongs to End"),
        ('{"subtask": {"action": "End"}, "report": "done"}', "'report' is one of success, failure, declined"),
        ('{"subtask": {"action": "End", "answer": "yes"}, "answer": "no"}', "'answer' is written twice"),
        ('{"subtask": {"action": "End"}, "answer": {"action": "Pick"}}', "'answer' must be text"),
    ],
)
def test_what_could_mean_something_else_is_asked_again(answer: str, problem: str) -> None:
    with pytest.raises(Unreadable, match=problem):
        read(answer, Layout("json"), ACTIONS)
