"""What is in the hand after a subtask, and what a listener and a record are told of a round."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from homie_tiny import SPEC, TinyDetector, TinyLocator, TinyRobot, TinySkills

from error_detection import execution as execution_check
from error_detection import paper_order
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.agent import (
    Episode,
    EpisodeListener,
    EpisodeResult,
    Listeners,
    aftermath,
    in_hand,
    run_episode,
    unreadable,
    update_inventory,
)
from homie.kernel.executor import Executor, SkillBook
from homie.kernel.interfaces import Planner
from homie.kernel.senses import Senses
from homie.kernel.types import SUCCESS, Check, Decision, ErrorCode, Execution, Feedback, HistoryItem, Subtask

FAIL = Feedback("fail", ErrorCode.E1, "Unable to do it.")
LOST = Feedback("fail", ErrorCode.E2, "It is missing")
PICK, GO = Subtask("Pick", "red apple"), Subtask("Go to", "bowl")
PUT, PUT_THERE = Subtask("Put", "apple", "bowl"), Subtask("Put", "bowl")
APPLE = ("red apple",)


class Hand(TinyLocator):
    """Knows what the hand holds, and whether words mean it."""

    holds: str | None = None
    meant = True

    def held(self, observation):
        return self.holds

    def names_held(self, words, inventory, observation):
        return self.meant


def executor(holds: str | None = None, *, feels: bool = False, meant: bool = True, by: Any = "feedback") -> Executor:
    robot = TinyRobot()
    robot.holding, robot.inventory_by = feels, by
    locator = Hand(robot)
    locator.holds, locator.meant = holds, meant
    tiny = {action: one for one in TinySkills().skills(SPEC, robot.kinematics) for action in one.actions}
    return Executor(Senses(robot, TinyDetector(), locator), SkillBook({"tiny": tiny}), paper_order, execution_check)


def done(subtask: Subtask, feedback: Feedback = SUCCESS, target: str = "") -> Execution:
    return Execution(subtask, "", (), (), feedback, target)


@pytest.mark.parametrize(
    ("before", "execution", "after"),
    [
        ((), done(PICK), APPLE),
        (("mug",), done(PICK), ("mug", "red apple")),
        ((), done(PICK, FAIL), ()),
        (APPLE, done(PUT), ()),
        (("mug", "red apple"), done(PUT), ("mug",)),
        (APPLE, done(PUT, LOST), ()),
        (APPLE, done(PUT, FAIL), APPLE),
        (APPLE, done(GO), APPLE),
        (APPLE, done(GO, LOST), APPLE),
    ],
)
def test_the_inventory_by_feedback(before, execution, after):
    assert update_inventory(before, execution, ACTION_TABLE[execution.subtask.action]) == after


@pytest.mark.parametrize(
    ("before", "execution", "holds", "after", "remark"),
    [
        ((), done(PICK, target="apple_1"), "apple_1", APPLE, ""),
        ((), done(PICK), "apple_2", APPLE, ""),
        ((), done(PICK, target="apple_1"), "lemon_2", ("lemon",), "what is in the hand is the lemon"),
        ((), done(PICK, FAIL, "apple_1"), "apple_1", ("apple",), "what is in the hand is the apple"),
        ((), done(GO), "potted_meat_can_1", ("potted meat can",), "what is in the hand is the potted meat can"),
        ((), done(GO, target="apple_1"), "apple_1", ("apple",), "what is in the hand is the apple"),
        ((), done(GO), None, (), ""),
        (APPLE, done(GO), "apple_1", APPLE, ""),
        (APPLE, done(GO), None, (), "red apple is no longer in the hand"),
        ((), done(PICK), None, (), "red apple is no longer in the hand"),
        (APPLE, done(PUT), None, (), ""),
        (APPLE, done(PUT), "apple_1", ("apple",), "what is in the hand is the apple"),
        (APPLE, done(PUT, FAIL), "apple_1", APPLE, ""),
        (APPLE, done(PUT, LOST), None, (), ""),
        (("mug", "red apple"), done(GO), None, (), "red apple is no longer in the hand"),
    ],
)
def test_the_inventory_is_what_is_in_the_hand(before, execution, holds, after, remark):
    told, now = aftermath(before, execution, executor(holds))
    assert now == after and told.subtask == execution.subtask
    plain = execution.feedback.message.rstrip(".")
    assert told.feedback == (
        replace(execution.feedback, message=f"{plain}, but {remark}") if remark else execution.feedback
    )


def test_what_the_fingers_feel_is_not_gone():
    told, now = aftermath(APPLE, done(GO), executor(None, feels=True))
    assert now == APPLE and told == done(GO)


@pytest.mark.parametrize(
    ("put", "said"), [(PUT, Subtask("Put", "red apple", "bowl")), (PUT_THERE, Subtask("Put", "red apple", "bowl"))]
)
def test_a_put_is_told_by_what_was_put(put, said):
    told, now = aftermath(("mug", "red apple"), done(put), executor(None, feels=True, meant=False))
    assert (told.subtask, now) == (
        said,
        ("mug",),
    ) and told.feedback.message == "None, but what was put is the red apple"
    for before, execution in ((APPLE, done(put, FAIL)), ((), done(put)), (APPLE, done(GO))):
        told, _ = aftermath(before, execution, executor(None, feels=True, meant=False))
        assert told == execution


def test_an_inventory_of_the_hand_itself():
    for holds, after in (("red_apple", ("red apple",)), (None, ())):
        hand = executor(holds, by="hand")
        assert aftermath(("mug",), done(PICK), hand) == (done(PICK), after) and in_hand(hand) == after


EVENTS = {
    "started": ("task",),
    "observed": ("given", "observation"),
    "decided": (1, "decision"),
    "executing": (1, "subtask"),
    "checked": ("check",),
    "attempted": ("attempt",),
    "commanded": ("observation", "sent"),
    "ticked": ("observation",),
    "recorded": ("record",),
    "finished": ("result",),
}


def listener(name: str, heard: list[Any], breaks: str = "") -> EpisodeListener:
    """Writes down all that it hears, and raises at one event."""
    made = EpisodeListener()

    def hear(event: str, *given: object) -> None:
        heard.append((name, event, given))
        if event == breaks:
            raise OSError("the terminal is gone")

    for event in EVENTS:
        setattr(made, event, lambda *given, event=event: hear(event, *given))
    return made


@pytest.mark.parametrize("event", EVENTS)
def test_several_listeners_hear_the_same_in_order(event, caplog):
    heard: list[Any] = []
    onlookers = [listener("broken", heard, breaks=event), listener("third", heard)]
    several = Listeners([listener("first", heard), listener("second", heard)], onlookers=onlookers)
    assert getattr(EpisodeListener(), event)(*EVENTS[event]) is None
    getattr(several, event)(*EVENTS[event])
    assert heard == [(name, event, EVENTS[event]) for name in ("first", "second", "broken", "third")]
    assert "failed and is told nothing more: the terminal is gone" in caplog.text
    heard.clear()
    getattr(several, event)(*EVENTS[event])
    assert [name for name, *_ in heard] == ["first", "second", "third"]
    with pytest.raises(OSError, match="terminal is gone"):
        getattr(Listeners([listener("first", heard, breaks=event)]), event)(*EVENTS[event])


class Lines(Planner):
    """Says its decisions one after the other, and keeps what it was told."""

    def __init__(self, *decisions: Decision) -> None:
        self.decisions, self.given, self.begun = decisions, [], ()

    def reset(self, task, *, seed):
        self.begun = (task, seed)

    def decide(self, given):
        self.given.append(given)
        return self.decisions[given.round - 1]


END = Decision((Subtask("End"),), model="tiny")


def test_a_round_that_cannot_be_read_is_f1_and_no_history():
    planner, heard = Lines(Decision((), problem="It is no JSON."), END), []
    result = run_episode("wait", planner, executor(), seed=7, rounds=5, listener=listener("one", heard))
    check = Check("format", ErrorCode.F1, "It is no JSON.")
    first, last = (given[0] for _, event, given in heard if event == "recorded")
    assert first.execution == unreadable(planner.decisions[0])
    assert first.execution.checks == (check,) and first.execution.feedback == Feedback(
        "fail", ErrorCode.F1, check.message
    )
    assert (first.round, last.round, last.execution.model) == (1, 2, "tiny")
    assert [event for _, event, _ in heard] == [
        "started", "observed", "decided", "checked", "recorded", "observed", "decided", "recorded", "finished"
    ]  # fmt: skip
    told = {event: given for _, event, given in heard}
    assert told["started"] == ("wait",) and told["decided"] == (2, END) and told["checked"] == (check,)
    assert told["observed"][0] is planner.given[-1] and told["observed"][1].stamp == 0.0
    assert planner.begun == ("wait", 7) and planner.given[1].feedback == first.execution.feedback
    assert [(given.round, given.rounds, given.task) for given in planner.given] == [(1, 5, "wait"), (2, 5, "wait")]
    history = (HistoryItem(1, Subtask("End"), SUCCESS),)
    assert result == EpisodeResult("wait", "ended", 2, history, (), 0.0) == heard[-1][2][0]


def test_a_subtask_is_told_with_its_round():
    heard: list[Any] = []
    planner = Lines(Decision((Subtask("Fly", "ball"),)), END)
    run_episode("go", planner, executor(), seed=0, rounds=5, listener=listener("one", heard))
    assert [given for _, event, given in heard if event == "executing"] == [(1, Subtask("Fly", "ball"))]


def test_what_a_planner_is_told_comes_from_the_parts():
    tiny, planner = executor(), Lines(END)
    locator, robot = tiny.locator, tiny.robot
    locator.listing = lambda: ("1: a ball",)
    locator.knowledge = lambda number: f"knowledge of round {number}"
    locator.arranged = lambda detections: tuple(reversed(detections))
    planner.looks_at_hand, robot.hand = True, "front"
    episode = Episode("wait", planner, tiny, seed=0, rounds=3, listener=EpisodeListener(), inventory=("mug",))
    assert not episode.over and episode.round == 0
    episode.step()
    assert episode.over and episode.round == 1
    (given,) = planner.given
    assert (given.listing, given.knowledge, given.inventory) == (("1: a ball",), "knowledge of round 1", ("mug",))
    assert [detection.name for detection in given.detections] == ["box", "ball"]
    assert given.hand.shape == (64, 64, 3) and (given.hand == given.views["front"]).all()
    assert given.arguments == tiny.skills.arguments and given.abilities == tiny.skills.abilities
    assert (given.actions, given.models) == (tiny.actions, ("tiny",))
    planner.looks_at_hand = False
    Episode("wait", planner, tiny, seed=0, rounds=3, listener=EpisodeListener()).step()
    assert planner.given[-1].hand is None


def test_the_time_of_a_round_is_told_by_what_took_it(monkeypatch):
    clock = [100.0]

    def taking(seconds: float, do: Any) -> Any:
        def slow(*given: Any, **more: Any) -> Any:
            clock[0] += seconds
            return do(*given, **more)

        return slow

    tiny, planner = executor(), Lines(Decision((Subtask("Go to", "ball"), Subtask("Fly", "ball"))), END)
    planner.decide = taking(2.0, planner.decide)
    tiny.senses.detector.detect = taking(0.5, tiny.senses.detector.detect)
    tiny.execute = taking(4.0, tiny.execute)
    skill = tiny.skills.choose("", "Go to")
    skill.act = taking(0.125, skill.act)
    heard = EpisodeListener()
    heard.observed, heard.decided, heard.executing = (taking(0.25, lambda *_: None) for _ in range(3))
    records = []
    heard.recorded = records.append
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    run_episode("go", planner, tiny, seed=0, rounds=5, listener=heard)
    moved, refused, ended = (record.timings for record in records)
    thought = 0.125 * (records[0].execution.attempts[0].commands)
    spent = {"observe": 0.5, "listen": 0.75, "plan": 2.0, "execute": 4.0 + thought}
    assert moved == {**spent, "skill": thought, "overhead": 0.0, "total": sum(spent.values())}
    spent = {"observe": 1.0, "listen": 1.0, "plan": 2.0, "execute": 8.0 + thought}
    assert refused == {**spent, "overhead": 0.0, "total": sum(spent.values())}, "the round so far"
    assert ended == {"observe": 0.5, "listen": 0.5, "plan": 2.0, "execute": 0.0, "overhead": 0.0, "total": 3.0}
