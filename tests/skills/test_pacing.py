"""Policies that decide while the robot moves: which motion is carried out when, whatever an answer takes."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills.policies.motions import Motion
from skills.policies.pacing import StopAndThink, ThinkAhead, pacing
from skills.policies.policy import PolicyFailed

CHUNK = 4


def motion(number: float, opening: float = 1.0) -> Motion:
    return Motion(np.array([number, 0.0, 0.0]), np.zeros(3), opening, np.zeros(3))


class Counting:
    """A policy whose motions say which number they are for. It answers when it may.

    shift: what the motions of each further answer have more.
    """

    def __init__(self, shift: float = 0.0, **facts: Any) -> None:
        self.facts = facts
        self.may, self.shift = threading.Event(), shift
        self.asked: list[int] = []
        self.failure = ""

    def reset(self, goal: Any) -> None:
        self.asked.clear()

    def step(self, inputs: Any) -> Any:
        self.asked.append(inputs["number"])
        assert self.may.wait(60.0)
        if self.failure:
            raise PolicyFailed(self.failure)
        more = self.shift * (len(self.asked) - 1)
        return Motion.stack([motion(inputs["number"] + k + more, opening=more) for k in range(CHUNK)])


def ahead(policy: Counting, patience: float = 60.0, overlap: Any = "newest") -> ThinkAhead:
    pace = ThinkAhead(policy, early=2, overlap=overlap, patience=patience)
    pace.begin({})
    return pace


def number_of(given: Motion | None) -> float | None:
    return None if given is None else float(given.translation[0])


def test_motions_go_on_while_an_answer_takes_its_time_and_late_ones_are_dropped():
    policy = Counting(shift=0.25)
    policy.may.set()
    pace = ahead(policy)
    assert pace.due(0)
    pace.ask(0, {})
    assert [number_of(pace.motion(number)) for number in (0, 1)] == [0.0, 1.0]
    assert pace.due(2)
    policy.may.clear()
    pace.ask(2, {})
    assert not pace.due(2)  # one question at a time
    assert [number_of(pace.motion(number)) for number in (2, 3)] == [2.0, 3.0]  # of the first answer
    policy.may.set()
    assert number_of(pace.motion(4)) == 4.25  # of the second, which was for 2 to 5
    assert pace.late == 2
    assert number_of(pace.motion(5)) == 5.25


def test_there_is_no_motion_until_an_answer_has_come():
    policy = Counting()
    pace = ahead(policy, patience=0.01)
    pace.ask(0, {})
    assert pace.motion(0) is None
    policy.may.set()
    pace.begin({})  # waits for what was asked, and forgets it
    assert pace.due(0) and policy.asked == []


@pytest.mark.parametrize(("overlap", "second"), [("newest", 2.5), ("mean", 2.25)])
def test_where_answers_overlap(overlap, second):
    policy = Counting(shift=0.5)
    policy.may.set()
    pace = ahead(policy, overlap=overlap)
    pace.ask(0, {})
    pace.motion(0), pace.motion(1)
    pace.ask(2, {})
    pace._asked[1].result()  # the answer is there before the motion is due
    given = pace.motion(2)
    assert number_of(given) == second and given.opening == 0.5


def test_what_a_policy_cannot_do_is_reported_when_its_motion_is_due():
    policy = Counting()
    policy.failure = "the text has no row"
    policy.may.set()
    pace = ahead(policy)
    pace.ask(0, {})
    with pytest.raises(PolicyFailed, match="no row"):
        pace.motion(0)


@pytest.mark.slow
@given(st.lists(st.integers(0, 7), min_size=1, max_size=12))
def test_a_motion_is_carried_out_at_its_time_or_never(delays):
    """delays: how many times a motion is asked for before each answer is allowed to come."""
    policy, number, carried_out = Counting(), 0, []
    pace, waits = ahead(policy, patience=0.002), list(delays)
    remaining = None
    for _ in range(60):
        if pace.due(number):
            policy.may.clear()
            pace.ask(number, {})
            remaining = waits.pop(0) if waits else 0
        if remaining is not None and remaining <= 0:
            policy.may.set()
        remaining = None if remaining is None else remaining - 1
        given = pace.motion(number)
        if given is not None:
            carried_out.append((number, number_of(given)))
            number += 1
    policy.may.set()
    assert carried_out and all(number == own for number, own in carried_out)


def test_facts_say_which_pace():
    stops, goes_on = pacing(Counting(), 0.04), pacing(Counting(ahead=2, overlap="mean"), 0.04)
    assert isinstance(stops, StopAndThink) and stops.stands
    assert isinstance(goes_on, ThinkAhead) and not goes_on.stands
