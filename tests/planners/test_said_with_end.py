"""What a language model says of its task with End: a report, and the answer to a question."""

from __future__ import annotations

import numpy as np
import pytest

from homie.kernel.actions import ACTIONS
from homie.kernel.types import END, VIEWS, PlannerInput, Subtask
from planners.llm.answer_formats import Layout
from planners.llm.messages import LanguageModel, Reply, Request
from planners.llm.model_planner import ModelPlanner
from planners.llm.prompting.settings import PromptSettings
from planners.llm.reading import UnreadableAnswer, read

QUESTION = PlannerInput(
    task="is there a banana in the fridge?",
    round=1,
    views={view: np.zeros((40, 40, 3), np.uint8) for view in VIEWS},
    detections=(),
    inventory=(),
    history=(),
    feedback=None,
    actions=ACTIONS,
    models=(),
)


class Says(LanguageModel):
    """Gives one answer and keeps what it was asked."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.asked: list[Request] = []

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        return Reply(self.text)


def test_a_model_is_shown_how_to_answer_a_question_and_its_answer_is_the_decision_s() -> None:
    example = '{"analysis": "It is empty.", "subtask": {"action": "End", "report": "success", "answer": "no"}}'
    model = Says(example)
    decision = ModelPlanner(model, PromptSettings()).decide(QUESTION)
    assert (decision.subtasks, decision.report, decision.answer, decision.raw) == ((END,), "success", "no", example)
    (request,) = model.asked
    prompt = str(request.messages[0].parts[0])
    assert 'answer it with End: {"action": "End", "answer": "..."}' in prompt
    assert all(f'"{report}" if' in prompt for report in ("success", "failure", "declined"))
    ending = request.schema["properties"]["subtask"]["anyOf"][-1]["properties"]  # type: ignore[index]
    assert [*ending] == ["action", "report", "answer"]
    assert [part["anyOf"][-1] for part in (ending["report"], ending["answer"])] == [{"type": "null"}] * 2


@pytest.mark.parametrize("ending", ["", ', "report": null, "answer": null', ', "report": "", "answer": ""'])
def test_a_model_need_not_say_anything_with_end(ending: str) -> None:
    model = Says('{"analysis": "It is done.", "subtask": {"action": "End"' + ending + "}}")
    decision = ModelPlanner(model, PromptSettings()).decide(QUESTION)
    assert (decision.subtasks, decision.report, decision.answer, len(model.asked)) == ((END,), "", "", 1)
    assert decision.answers[0].leniencies == ()


def test_two_answers_to_a_question_are_not_one() -> None:
    reported = ['{"subtask": {"action": "End"}, "answer": "' + answer + '"}' for answer in ("yes", "no")]
    with pytest.raises(UnreadableAnswer, match="says several things"):
        read("\n".join(reported), Layout("json"), ACTIONS)
    assert read("\n".join([reported[1]] * 2), Layout("json"), ACTIONS).answer == "no"


def test_an_answer_with_the_last_of_several_steps_is_kept() -> None:
    steps = '{"action": "Open", "target": "fridge"}\n{"action": "End", "answer": "no"}'
    reading = read(steps, Layout("plan"), ACTIONS)
    assert (reading.subtasks, reading.answer) == ((Subtask("Open", "fridge"), END), "no")


@pytest.mark.parametrize(
    ("answer", "report", "expected"),
    [
        ('{"analysis": "a", "subtask": {"action": "End"}, "report": "success", "answer": "no"}', "success", "no"),
        ('{"analysis": "a", "subtask": {"action": "End", "answer": "It is on the desk."}}', "", "It is on the desk."),
        ('{"subtask": {"action": "End", "report": "Declined"}, "answer": null}', "declined", ""),
        ('{"subtask": {"action": "End", "answer": "no"}, "answer": "no", "report": ""}', "", "no"),
        ('{"subtask": {"action": "End"}, "answer": "none"}', "", "none"),
        ('{"analysis": "a", "subtask": {"action": "End"}}', "", ""),
    ],
)
def test_a_report_and_an_answer_are_read_in_end_or_next_to_it(answer: str, report: str, expected: str) -> None:
    reading = read(answer, Layout("json"), ACTIONS)
    assert (reading.subtasks, reading.report, reading.answer) == ((END,), report, expected)
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
    with pytest.raises(UnreadableAnswer, match=problem):
        read(answer, Layout("json"), ACTIONS)
