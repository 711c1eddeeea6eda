"""Turn on and Turn off in the home: their effects, what refuses them, and a real press of a real button."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from homes import SCENES

import homie
from homie.kernel.world.conditions import parse_condition
from homie.kernel.world.household_verbs import VERBS
from homie.runtime.open_session import Session


def open_session(skills: str, **more: str) -> Session:
    return homie.open(scene=SCENES / "household.json", skills=skills, picture_size=64, shade=False, **more)


@pytest.fixture(scope="module")
def home() -> Iterator[Session]:
    with open_session("ideal,ideal-chores") as session:
        yield session


@pytest.mark.parametrize("name", sorted(VERBS["Turn on"].kinds))
def test_a_goal_about_power_becomes_true_and_false_again(home: Session, name: str) -> None:
    goal = parse_condition({"turned_on": name})
    home.reset()
    home.call("Go to", name)
    assert not goal.holds(home.world_state())
    dark = home.views()["front"]
    assert home.call("Turn on", name).feedback.ok
    assert goal.holds(home.world_state())
    assert (home.views()["front"] != dark).any(), "it is to be seen"
    assert home.call("Turn off", name).feedback.ok
    assert not goal.holds(home.world_state())


def test_what_refuses_to_be_turned_on(home: Session) -> None:
    home.reset()
    assert home.call("Turn on", "fridge").feedback.code == "D1"
    home.call("Go to", "apple")
    refusal = home.call("Turn on", "apple")
    assert refusal.feedback.code == "L4" and refusal.checks[-1].layer == "household"
    assert refusal.feedback.message == "Can not turn on apple! Please choose another object"
    home.call("Pick", "apple")
    assert home.call("Turn on", "lamp").feedback.code == "L1"


def test_the_hand_presses_a_switch() -> None:
    with open_session("classical,chores") as session:
        session.call("Go to", "sink")
        execution = session.call("Turn on", "sink")
        assert [attempt.skill for attempt in execution.attempts] == ["chores/press"]
        assert session.world_state().fixed["sink"].states == {"on": True}
        assert session.call("Turn off", "sink").feedback.ok
        assert session.world_state().fixed["sink"].states == {"on": False}


@pytest.mark.parametrize("name", ["microwave", "stove"])
def test_from_sensors_no_switch_is_known_and_no_door_is_taken_for_one(name: str) -> None:
    with open_session("classical,chores", targets="sensors") as session:
        session.call("Go to", "kitchen")
        assert session.call("Go to", name).feedback.ok
        execution = session.call("Turn on", name)
        reason = "where its switch is cannot be told from what is seen. Please do without it"
        assert execution.feedback.message.endswith(f": {reason}")
        assert len(execution.attempts) == 1, "another one would find no more"


def test_household_verbs_are_listed_only_where_a_skill_set_has_them(home: Session) -> None:
    assert {*VERBS} <= {*home.actions}
    with open_session("ideal") as plain:
        assert plain.actions == ("Go to", "Pick", "Put", "Open", "Close", "End")
