"""States of things in what a planner sees: as they were seen, and as the robot has brought them about."""

from __future__ import annotations

import numpy as np
import pytest
from fact_audit import audit
from furnished import BlindRobot, House

import homie
from homie.kernel.interfaces import Planner
from homie.kernel.knowledge import CONTRARY
from homie.kernel.types import END, Decision, Detection, PlannerInput, Pose2, Subtask
from perception.detectors.simulated import SimulatedDetector
from perception.memory.object_states import States
from perception.memory.recall import SightRecall


def _detect_mug(pixels: int, *states: str) -> Detection:
    mask = np.zeros((10, 10), dtype=bool)
    mask.flat[:pixels] = True
    return Detection("mug", "front", (0, 0, 10, 10), mask=mask, states=states)


def test_every_word_has_one_contrary() -> None:
    assert all(CONTRARY[CONTRARY[word]] == word != CONTRARY[word] for word in CONTRARY)


def test_a_state_lasts_until_as_good_a_look_shows_otherwise() -> None:
    states = States()
    states.see("mug", [_detect_mug(50)])
    assert states.of("mug") == ()
    states.see("mug", [_detect_mug(50, "dirty")])
    states.see("mug", [_detect_mug(20)])
    assert states.of("mug") == ("dirty",)
    states.see("mug", [_detect_mug(60)])
    assert states.of("mug") == ()  # nobody knows: what is behind it was not seen


def test_what_the_robot_has_brought_about_is_known() -> None:
    states = States()
    states.see("mug", [_detect_mug(50, "dirty", "filled")])
    states.record("mug", "clean")
    states.see("mug", [_detect_mug(60)])
    assert states.of("mug") == ("clean",)
    states.see("mug", [_detect_mug(30, "dirty")])
    assert states.of("mug") == ("dirty",)


@pytest.mark.slow
def test_what_is_reported_of_the_states_in_a_house_is_so() -> None:
    result = audit(70002, objects=14, states=True)
    assert result.wrong["state is wrong"] == {}
    assert {word for _, word in result.states} >= {"off", "dirty"}


class Switches(Planner):
    """Goes to the lamp, turns it on and then off, and keeps its input about it."""

    name = "switches"

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[str, ...]] = []

    def reset(self, task: str, *, seed: int) -> None:
        self.told.clear()

    def decide(self, planner_input: PlannerInput) -> Decision:
        lamps = [item.states for item in planner_input.knowledge.remembered if item.name == "lamp"]
        self.told.append(lamps[0] if lamps else ())
        steps = (Subtask("Go to", "lamp"), Subtask("Turn on", "lamp"), Subtask("Turn off", "lamp"), END)
        return Decision((steps[planner_input.round - 1],))


def test_a_planner_is_given_what_is_on_and_what_it_has_switched() -> None:
    planner = Switches()
    house = {"seed": 70002, "objects": 14, "skills": "ideal,ideal-chores", "picture_size": 128, "rounds": 4}
    with homie.open(planner=planner, **house) as session:
        rounds = list(session.rounds("switch the lamp on and off"))
    assert [round.feedback.ok for round in rounds[:3]] == [True, True, True]
    assert planner.told[2:] == [("on",), ("off",)]


def test_what_was_poured_is_only_in_what_it_was_poured_into(house: House, detector: SimulatedDetector) -> None:
    recall = SightRecall(BlindRobot())
    observation = house.observe(Pose2(3.0, 3.0, 0.0))
    recall.update(observation, detector.detect(observation))
    source, target = list(recall.things.objects)[:2]
    recall.brought_about(source, "filled")
    recall.held = source
    recall.brought_about(target, "filled")
    recall.held = None
    reported = {item.name: item.states for item in recall.knowledge(1).remembered if item.states}
    assert reported == {recall.called(target, target): ("filled",)}
