"""Reports of language models: how prompts describe them, how they are read, and what other planners report."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from homie.kernel.actions import ACTIONS, ARGUMENTS
from homie.kernel.types import END, END_FAILURE, END_SUCCESS, VIEWS, Choice, PlannerInput, Subtask
from planners.human import read_line
from planners.llm.messages import Request
from planners.llm.prompting.prompt_builder import Prompt
from planners.llm.prompting.settings import PromptSettings
from planners.llm.reading import UnreadableAnswer
from planners.rule.planner import RulePlanner

NAMED = ("emmoe-json", "emmoe-text", "embodiedbench")
REPORTS = (END_SUCCESS, END_FAILURE)
PLAIN = PlannerInput(
    task="put the apple in the fridge",
    round=1,
    views={view: np.zeros((64, 64, 3), np.uint8) for view in VIEWS},
    detections=(),
    inventory=(),
    history=(),
    feedback=None,
    actions=ACTIONS,
    models=(),
)
REPORTING = replace(PLAIN, ends=REPORTS, arguments={**ARGUMENTS, "End": ("target",)})
LISTED = (
    Choice("find the mug 2", Subtask("Go to", "mug_2")),
    Choice("end the task and report that it is done", END_SUCCESS),
    Choice("end the task and report that it is not done", END_FAILURE),
)


def system(template: str, planner_input: PlannerInput) -> tuple[str, Request]:
    request, _ = Prompt(PromptSettings(template=template)).request(planner_input)
    return "".join(part for part in request.messages[0].parts if isinstance(part, str)), request


@pytest.mark.parametrize("template", NAMED)
def test_a_planner_that_reports_is_shown_how(template):
    reported, request = system(template, REPORTING)
    assert "Its target is success if the task is done, failure if it is not" in reported
    assert "It has no target." not in reported
    plain, _ = system(template, PLAIN)
    assert "It has no target." in plain and "failure, " not in plain and '"report"' not in reported
    if request.schema is not None:
        written = json.dumps(request.schema)
        assert '{"action": {"type": "string", "enum": ["End"]}}' not in written and '"report"' not in written


@pytest.mark.parametrize("template", NAMED)
def test_examples_end_with_a_report_of_success(template):
    assert '"action": "End"}' not in system(template, REPORTING)[0]
    assert "[End]" not in system(template, REPORTING)[0]


ANSWERS = {
    "emmoe-json": '{{"analysis": "It is not here.", "subtask": {{"action": "End", "target": "{}"}}}}',
    "emmoe-text": "Analysis: It is not here.\nSubtask: [End, {}]",
    "embodiedbench": '{{"visual_state_description": "", "reasoning_and_reflection": "It is not here.",'
    ' "language_plan": "", "executable_plan": [{{"action": "End", "target": "{}"}}]}}',
}


@pytest.mark.parametrize("template", NAMED)
@pytest.mark.parametrize("report", REPORTS, ids=str)
def test_a_report_is_read(template, report):
    reading = Prompt(PromptSettings(template=template)).read(ANSWERS[template].format(report.target), REPORTING)
    assert (reading.subtasks, reading.leniencies) == ((report,), ())


@pytest.mark.parametrize("template", NAMED)
def test_an_end_that_lacks_its_report_and_a_report_that_nobody_asked_for_are_refused(template):
    prompt = Prompt(PromptSettings(template=template))
    with pytest.raises(UnreadableAnswer, match="End takes no target"):
        prompt.read(ANSWERS[template].format("success"), PLAIN)
    bare = ANSWERS[template].replace(', "target": "{}"', "").replace(", {}", "").format()
    assert prompt.read(bare, PLAIN).subtasks == (END,)
    with pytest.raises(UnreadableAnswer, match="End takes a target"):
        prompt.read(bare, REPORTING)


def test_reports_by_number():
    listed = replace(PLAIN, ends=REPORTS, choices=LISTED)
    reported, _ = system("embodiedbench-ids", listed)
    assert "1: end the task and report that it is done" in reported
    assert "one of the last two actions of the list, a report" in reported
    prompt = Prompt(PromptSettings(template="embodiedbench-ids"))
    answer = json.dumps({"executable_plan": [{"action_id": 2, "action_name": "as listed"}]})
    assert prompt.read(answer, listed).subtasks == (END_FAILURE,)
    assert prompt.read('{"executable_plan": []}', listed).subtasks == (END,), "the agent takes it for success"


def test_the_rule_planner_reports_failure_where_it_gives_up():
    planner = RulePlanner()
    for given, end in ((REPORTING, END_FAILURE), (PLAIN, END)):
        planner.reset("compose a sonnet about the sea", seed=0)
        decision = planner.decide(given)
        assert decision.subtasks == (end,)
        assert "do not understand" in decision.analysis


def test_a_person_reports():
    assert [read_line(line, ACTIONS) for line in ("end", "end with success", "done failure", "[End, failure]")] == [
        END,
        END_SUCCESS,
        END_FAILURE,
        END_FAILURE,
    ]
