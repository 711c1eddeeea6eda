"""The held object after a subtask, and what a listener and a record get of a round."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, get_args

import pytest
from homie_tiny import SPEC, TinyDetector, TinyLocator, TinyRobot, TinySkills

from error_detection import execution as execution_check
from error_detection import paper_order
from homie.kernel import types
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.agent import Episode, run_episode, unreadable
from homie.kernel.episode_rules import EpisodeRules
from homie.kernel.executor import Executor
from homie.kernel.interfaces import EpisodeListener, Listeners, Planner
from homie.kernel.inventory import apply_effects, in_hand, update_inventory
from homie.kernel.look_and_detect import Senses
from homie.kernel.skill_table import SkillTable
from homie.kernel.types import (
    SUCCESS,
    Check,
    Decision,
    EpisodeEnded,
    EpisodeResult,
    EpisodeStarted,
    ErrorCode,
    Event,
    Execution,
    Feedback,
    HistoryItem,
    NumberedObject,
    PlannerAnswered,
    PlannerAsked,
    RoundRecord,
    Subtask,
    SubtaskChecked,
    SubtaskRecorded,
    SubtaskStarted,
    events,
)

FAIL = Feedback("fail", ErrorCode.E1, "Unable to do it.")
LOST = Feedback("fail", ErrorCode.E2, "It is missing")
PICK, GO = Subtask("Pick", "red apple"), Subtask("Go to", "bowl")
PUT, PUT_THERE = Subtask("Put", "apple", "bowl"), Subtask("Put", "bowl")
APPLE = ("red apple",)


class Hand(TinyLocator):
    """Knows the held object, and whether words mean it."""

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
    tiny = {action: skill for skill in TinySkills().skills(SPEC, robot.kinematics) for action in skill.actions}
    return Executor(Senses(robot, TinyDetector(), locator), SkillTable({"tiny": tiny}), paper_order, execution_check)


def execution_of(subtask: Subtask, feedback: Feedback = SUCCESS, target: str = "") -> Execution:
    return Execution(subtask, "", (), (), feedback, target)


@pytest.mark.parametrize(
    ("before", "execution", "after"),
    [
        ((), execution_of(PICK), APPLE),
        (("mug",), execution_of(PICK), ("mug", "red apple")),
        ((), execution_of(PICK, FAIL), ()),
        (APPLE, execution_of(PUT), ()),
        (("mug", "red apple"), execution_of(PUT), ("mug",)),
        (APPLE, execution_of(PUT, LOST), ()),
        (APPLE, execution_of(PUT, FAIL), APPLE),
        (APPLE, execution_of(GO), APPLE),
        (APPLE, execution_of(GO, LOST), APPLE),
    ],
)
def test_the_inventory_by_feedback(before, execution, after):
    assert update_inventory(before, execution, ACTION_TABLE[execution.subtask.action]) == after


@pytest.mark.parametrize(
    ("before", "execution", "holds", "after", "remark"),
    [
        ((), execution_of(PICK, target="apple_1"), "apple_1", APPLE, ""),
        ((), execution_of(PICK), "apple_2", APPLE, ""),
        ((), execution_of(PICK, target="apple_1"), "lemon_2", ("lemon",), "what is in the hand is the lemon"),
        ((), execution_of(PICK, FAIL, "apple_1"), "apple_1", ("apple",), "what is in the hand is the apple"),
        ((), execution_of(GO), "potted_meat_can_1", ("potted meat can",), "what is in the hand is the potted meat can"),
        ((), execution_of(GO, target="apple_1"), "apple_1", ("apple",), "what is in the hand is the apple"),
        ((), execution_of(GO), None, (), ""),
        (APPLE, execution_of(GO), "apple_1", APPLE, ""),
        (APPLE, execution_of(GO), None, (), "red apple is no longer in the hand"),
        ((), execution_of(PICK), None, (), "red apple is no longer in the hand"),
        (APPLE, execution_of(PUT), None, (), ""),
        (APPLE, execution_of(PUT), "apple_1", ("apple",), "what is in the hand is the apple"),
        (APPLE, execution_of(PUT, FAIL), "apple_1", APPLE, ""),
        (APPLE, execution_of(PUT, LOST), None, (), ""),
        (("mug", "red apple"), execution_of(GO), None, (), "red apple is no longer in the hand"),
    ],
)
def test_the_inventory_is_what_is_in_the_hand(before, execution, holds, after, remark):
    recorded, now = apply_effects(before, execution, executor(holds))
    assert now == after and recorded.subtask == execution.subtask
    plain = execution.feedback.message.rstrip(".")
    assert recorded.feedback == (
        replace(execution.feedback, message=f"{plain}, but {remark}") if remark else execution.feedback
    )


def test_what_the_fingers_feel_is_not_gone():
    recorded, now = apply_effects(APPLE, execution_of(GO), executor(None, feels=True))
    assert now == APPLE and recorded == execution_of(GO)


@pytest.mark.parametrize(
    ("put_subtask", "subtask"),
    [(PUT, Subtask("Put", "red apple", "bowl")), (PUT_THERE, Subtask("Put", "red apple", "bowl"))],
)
def test_a_put_is_described_by_what_was_put(put_subtask, subtask):
    recorded, now = apply_effects(
        ("mug", "red apple"), execution_of(put_subtask), executor(None, feels=True, meant=False)
    )
    assert (recorded.subtask, now) == (
        subtask,
        ("mug",),
    ) and recorded.feedback.message == "None, but what was put is the red apple"
    for before, execution in (
        (APPLE, execution_of(put_subtask, FAIL)),
        ((), execution_of(put_subtask)),
        (APPLE, execution_of(GO)),
    ):
        recorded, _ = apply_effects(before, execution, executor(None, feels=True, meant=False))
        assert recorded == execution


def test_an_inventory_of_the_hand_itself():
    for holds, after in (("red_apple", ("red apple",)), (None, ())):
        hand = executor(holds, by="hand")
        assert (
            apply_effects(("mug",), execution_of(PICK), hand) == (execution_of(PICK), after) and in_hand(hand) == after
        )


EVENTS = [
    EpisodeStarted("task"),
    PlannerAnswered(1, Decision(())),
    SubtaskStarted(1, PICK),
    SubtaskChecked(Check("format")),
]


class Hearing(EpisodeListener):
    """Writes down every event under its name, and raises at some class of them."""

    def __init__(self, name: str, events: list[Any], breaks: type | tuple[()] = ()) -> None:
        self.name, self.heard, self.breaks = name, events, breaks

    def on(self, event: Event) -> None:
        self.heard.append((self.name, event))
        if isinstance(event, self.breaks):
            raise OSError("the terminal is gone")


@pytest.mark.parametrize("event", EVENTS)
def test_several_listeners_hear_the_same_in_order(event, caplog):
    events: list[Any] = []
    optional = [Hearing("broken", events, breaks=type(event)), Hearing("third", events)]
    several = Listeners([Hearing("first", events), Hearing("second", events)], optional=optional)
    several.on(event)
    assert events == [(name, event) for name in ("first", "second", "broken", "third")]
    assert "The listener Hearing failed and gets no more events: the terminal is gone" in caplog.text
    events.clear()
    several.on(event)
    assert [name for name, *_ in events] == ["first", "second", "third"]
    with pytest.raises(OSError, match="terminal is gone"):
        Listeners([Hearing("first", events, breaks=type(event))]).on(event)
    Listeners().on(event)


def test_a_listener_must_say_what_it_does_with_an_event():
    class Silent(EpisodeListener):
        """Forgets the one method that there is."""

    with pytest.raises(TypeError, match="on"):
        Silent()


def test_every_event_of_the_types_module_is_one_that_a_listener_gets():
    classes = {
        value for value in vars(events).values() if isinstance(value, type) and value.__module__ == events.__name__
    }
    assert classes == set(get_args(Event)) and {each.__name__ for each in classes} <= set(types.__all__)


class Lines(Planner):
    """Says its decisions one after the other, and keeps its input."""

    def __init__(self, *decisions: Decision) -> None:
        self.decisions, self.inputs, self.begun = decisions, [], ()

    def reset(self, task, *, seed):
        self.begun = (task, seed)

    def decide(self, planner_input):
        self.inputs.append(planner_input)
        return self.decisions[planner_input.round - 1]


END = Decision((Subtask("End"),), model="tiny")


def test_a_round_that_cannot_be_read_is_f1_and_no_history():
    planner, events = Lines(Decision((), problem="It is no JSON."), END), []
    result = run_episode("wait", planner, executor(), EpisodeRules(rounds=5), seed=7, listener=Hearing("only", events))
    check = Check("format", ErrorCode.F1, "It is no JSON.")
    first, last = (event.record for _, event in events if isinstance(event, SubtaskRecorded))
    assert first.execution == unreadable(planner.decisions[0])
    assert first.execution.checks == (check,) and first.execution.feedback == Feedback(
        "fail", ErrorCode.F1, check.message
    )
    assert (first.round, last.round, last.execution.model) == (1, 2, "tiny")
    assert [type(event) for _, event in events] == [
        EpisodeStarted, PlannerAsked, PlannerAnswered, SubtaskChecked, SubtaskRecorded,
        PlannerAsked, PlannerAnswered, SubtaskRecorded, EpisodeEnded,
    ]  # fmt: skip
    last_of = {type(event): event for _, event in events}
    assert last_of[EpisodeStarted] == EpisodeStarted("wait") and last_of[PlannerAnswered] == PlannerAnswered(2, END)
    assert last_of[SubtaskChecked] == SubtaskChecked(check)
    event = last_of[PlannerAsked]
    assert event.planner_input is planner.inputs[-1] and event.observation.stamp == 0.0
    assert planner.begun == ("wait", 7) and planner.inputs[1].feedback == first.execution.feedback
    assert [(planner_input.round, planner_input.rounds, planner_input.task) for planner_input in planner.inputs] == [
        (1, 5, "wait"),
        (2, 5, "wait"),
    ]
    history = (HistoryItem(1, Subtask("End"), SUCCESS),)
    assert result == EpisodeResult("wait", "ended", 2, history, (), 0.0) == last_of[EpisodeEnded].result


def test_a_subtask_is_shown_with_its_round():
    events: list[Any] = []
    planner = Lines(Decision((Subtask("Fly", "ball"),)), END)
    run_episode("go", planner, executor(), EpisodeRules(rounds=5), seed=0, listener=Hearing("only", events))
    assert [event for _, event in events if isinstance(event, SubtaskStarted)] == [
        SubtaskStarted(1, Subtask("Fly", "ball"))
    ]


def test_what_a_planner_is_given_comes_from_the_parts():
    tiny, planner = executor(), Lines(END)
    tiny.actions = (*tiny.actions, "Move")
    locator, robot = tiny.locator, tiny.robot
    locator.listing = lambda: (NumberedObject(1, "ball", "[3, 4]"),)
    locator.knowledge = lambda number: f"knowledge of round {number}"
    locator.arranged = lambda detections: tuple(reversed(detections))
    planner.uses_wrist_camera, robot.hand = True, "front"
    episode = Episode("wait", planner, tiny, EpisodeRules(rounds=3), seed=0, listener=Listeners(), inventory=("mug",))
    assert not episode.over and episode.round == 0
    episode.step()
    assert episode.over and episode.round == 1
    (planner_input,) = planner.inputs
    assert (planner_input.listing, planner_input.knowledge, planner_input.inventory) == (
        ("object 1: ball at [3, 4]",),
        "knowledge of round 1",
        ("mug",),
    )
    assert [detection.name for detection in planner_input.detections] == ["box", "ball"]
    assert planner_input.hand.shape == (64, 64, 3) and (planner_input.hand == planner_input.views["front"]).all()
    assert planner_input.arguments == tiny.skills.arguments and planner_input.abilities == tiny.skills.abilities
    assert (planner_input.actions, planner_input.models) == (tiny.actions, ("tiny",))
    planner.uses_wrist_camera, tiny.actions = False, executor().actions
    Episode("wait", planner, tiny, EpisodeRules(rounds=3), seed=0, listener=Listeners()).step()
    assert planner.inputs[-1].hand is None
    assert planner.inputs[-1].listing == (), "numbers of cells are for Move"


def test_the_time_of_a_round_is_split_by_what_took_it(monkeypatch):
    clock = [100.0]

    def taking(seconds: float, do: Any) -> Any:
        def slow(*arguments: Any, **more: Any) -> Any:
            clock[0] += seconds
            return do(*arguments, **more)

        return slow

    tiny, planner = executor(), Lines(Decision((Subtask("Go to", "ball"), Subtask("Fly", "ball"))), END)
    planner.decide = taking(2.0, planner.decide)
    tiny.senses.detector.detect = taking(0.5, tiny.senses.detector.detect)
    tiny.execute = taking(4.0, tiny.execute)
    skill = tiny.skills.choose("", "Go to")
    skill.act = taking(0.125, skill.act)
    records: list[RoundRecord] = []

    class Slow(EpisodeListener):
        """Takes its time for what happens before a skill runs, and keeps the records."""

        def on(self, event: Event) -> None:
            if isinstance(event, PlannerAsked | PlannerAnswered | SubtaskStarted):
                clock[0] += 0.25
            elif isinstance(event, SubtaskRecorded):
                records.append(event.record)

    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    run_episode("go", planner, tiny, EpisodeRules(rounds=5), seed=0, listener=Slow())
    moved, refused, ended = (record.timings for record in records)
    thought = 0.125 * (records[0].execution.attempts[0].commands)
    spent = {"observe": 0.5, "listen": 0.75, "plan": 2.0, "execute": 4.0 + thought}
    assert moved == {**spent, "skill": thought, "overhead": 0.0, "total": sum(spent.values())}
    spent = {"observe": 1.0, "listen": 1.0, "plan": 2.0, "execute": 8.0 + thought}
    assert refused == {**spent, "overhead": 0.0, "total": sum(spent.values())}, "the round so far"
    assert ended == {"observe": 0.5, "listen": 0.5, "plan": 2.0, "execute": 0.0, "overhead": 0.0, "total": 3.0}
