"""The effects of actions in the home, and their feedback."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from homie.kernel.errors import HomieError
from homie.kernel.interfaces.prompts import VerbatimAnswer
from suites.vigil.actions import Interact, Look, Navigate, format_action
from suites.vigil.agents import Agent, Turn, blind
from suites.vigil.expert import Expert
from suites.vigil.frozen import Setup
from suites.vigil.play_one_episode import play
from suites.vigil.stage import REACH, Stage

Make = Callable[[str], Stage]


def test_the_robot_stops_before_what_is_in_its_way(stage: Make) -> None:
    here = stage("DA")
    start = here.native.pose
    effect = here.perform(Navigate(mode="forward", magnitude=20))
    there = here.native.pose
    assert effect.path_blocked and 0 <= math.dist(start.xy, there.xy) < 5
    assert not here.native.bodies.cut(here.native.bodies.robot)
    assert not here.perform(Navigate(mode="turn_left", magnitude=30)).path_blocked
    assert math.remainder(here.native.pose.yaw - there.yaw, math.tau) == pytest.approx(math.radians(30), abs=1e-3)


def test_looking_down_moves_the_picture_alone(stage: Make) -> None:
    here = stage("DA")
    before, pose = here.picture, here.native.pose
    here.perform(Look(direction="down", magnitude=25))
    assert (here.picture != before).mean() > 0.2
    assert math.dist(here.native.pose.xy, pose.xy) < 1e-9


def test_what_is_far_is_too_far_and_stays_as_it_is(stage: Make) -> None:
    here = stage("AI")
    (name,) = here.meant(here.episode.goal.target)
    ys, xs = (here.mask == here.names.index(name)).nonzero()
    assert here.distance(name) > REACH
    effect = here.perform(Interact(intent="open_access", x=int(xs[0]), y=int(ys[0])))
    assert effect.too_far and not here.truth().goal


def test_the_door_is_blocked_until_the_obstacle_is_gone(stage: Make) -> None:
    here = stage("CR")
    (name,), (obstacle,) = here.meant(here.episode.goal.target), here.episode.setup.floor
    with here.native.rehearsal():
        assert obstacle.replace("_", " ") in here.native.set_doors(name, is_open=True)
    assert here.native.give(obstacle) == "" and here.world.held == obstacle
    with here.native.rehearsal():
        assert here.native.set_doors(name, is_open=True) == ""
    assert here.is_closed(here.world.receptacles[name]) and here.world.held == obstacle
    assert here.truth().progress == pytest.approx(1 / 3, abs=0.01)


@pytest.mark.parametrize("family", ["PG", "DA", "VS", "SV", "AI", "SI", "SM", "CR"])
def test_the_expert_solves_an_episode_of_each_family(stage: Make, family: str) -> None:
    here = stage(family)
    assert here.truth().goal is (family == "SV")
    score = play(here, Expert(here)).score()
    assert score.world and score.benchmark and score.lag in (0, 1)


@pytest.mark.parametrize("family", ["PG", "VS", "SV"])
def test_blind_agents_get_what_the_formulas_say(stage: Make, family: str) -> None:
    """Always success: B = W, 0 in state verification. Never: no report, B = 0, W of nearly the same trajectory."""
    played = {}
    for name in ("always", "never"):
        here = stage(family)
        played[name] = play(here, blind(name, here.episode, 0))
    always, never = (played[name].score() for name in ("always", "never"))
    assert always.benchmark is (always.world and family != "SV") and always.false_report is not always.benchmark
    assert never.no_report and never.out_of_steps and not never.benchmark
    assert [step.said for step in played["always"].steps[:-1]] == [step.said for step in played["never"].steps[:-1]]


class Noted(Agent):
    """Walks into the next wall, and notes its input."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []

    def answer(self, turn: Turn) -> VerbatimAnswer:
        self.turns.append(turn)
        return VerbatimAnswer(format_action("navigate", mode="forward", magnitude=20))


@pytest.mark.parametrize("given", [False, True])
def test_feedback_is_two_booleans_or_nothing(stage: Make, given: bool) -> None:
    agent = Noted()
    record = play(stage("DA"), agent, feedback=given)
    feedback = {(turn.too_far, turn.path_blocked) for turn in agent.turns[2:]}
    assert feedback == ({(False, True)} if given else {(None, None)})
    assert record.steps[-1].path_blocked and len(agent.turns[-1].history) == 11


def test_a_house_that_has_changed_is_reported(stage: Make) -> None:
    here = stage("CR")
    x, y = here.native.pose.xy
    (obstacle,) = here.episode.setup.floor
    changed = here.episode.model_copy(update={"setup": Setup(floor={obstacle: (x, y, 0.0)})})
    with pytest.raises(HomieError, match="not that of its house any more: the robot has no room"):
        Stage(here.home, changed)
