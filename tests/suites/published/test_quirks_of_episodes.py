"""Episodes with the quirks of EmbodiedBench's evaluators, in the tiny world of the agent loop's own tests."""

from __future__ import annotations

from test_agent import END, GO_BALL, NUMBERED, PICK, UNREAD, codes
from test_agent import play as _play

from homie.kernel.types import Decision, ErrorCode, Limits, Subtask
from suites.published.quirks import EB_ALFRED, EB_MANIPULATION, EB_NAVIGATION

play = _play
"""The fixture."""


def test_the_faults_of_eb_alfred_count_an_unreadable_answer_and_tell_nothing_of_it(play):
    result, records, planner, _ = play(GO_BALL, UNREAD, END, choices=NUMBERED, quirks=EB_ALFRED)
    assert codes(records) == [None, ErrorCode.F1, None] and result.ended_by == "ended"
    first, _, third = planner.inputs
    assert third.feedback is not None and third.feedback.ok and first.feedback is None
    assert (third.history, third.task) == (planner.inputs[1].history, first.task), "the same question comes again"
    reported = play(GO_BALL, UNREAD, END, choices=NUMBERED)[2].inputs[2]
    assert reported.feedback is not None and not reported.feedback.ok


def test_the_faults_of_eb_alfred_count_a_step_and_no_failure_for_a_number_that_is_none(play):
    plan = Decision((GO_BALL, Subtask("1.5"), PICK))
    result, records, *_ = play(plan, END, choices=NUMBERED, quirks=EB_ALFRED, limits=Limits(failures=1, steps=9))
    assert codes(records) == [None, ErrorCode.F1, None], "the plan ends, the episode goes on"
    assert result.ended_by == "ended" and len(result.history) == 3


def test_the_faults_of_eb_navigation_draw_an_action_in_the_place_of_an_unreadable_answer(play):
    episodes = [play(UNREAD, rounds=6, choices=NUMBERED[:3], quirks=EB_NAVIGATION) for _ in range(2)]
    drawn = [[record.execution.subtask for record in records] for _, records, *_ in episodes]
    assert drawn[0] == drawn[1], "the seed of the episode decides"
    assert len(drawn[0]) == 6 and set(drawn[0]) <= {choice.subtask for choice in NUMBERED[:3]}


def test_the_faults_of_eb_manipulation_carry_the_rest_of_a_plan_out_after_a_failure(play):
    plan = Decision((PICK, GO_BALL, END))
    result, records, *_ = play(plan, quirks=EB_MANIPULATION)
    assert codes(records) == [ErrorCode.D1, None, None] and result.ended_by == "ended"
    assert codes(play(plan, rounds=1)[1]) == [ErrorCode.D1]
    assert len(play(plan, quirks=EB_MANIPULATION, limits=Limits(failures=1))[1]) == 1, "limits still end it"


def test_official_evaluators_take_an_end_that_is_in_no_list(play):
    assert play(END, choices=NUMBERED[:3], quirks=EB_NAVIGATION)[0].ended_by == "ended"
    assert play(END, rounds=2, choices=NUMBERED[:3])[0].ended_by == "rounds"
