"""The suite homie-eb-nav: 60 targets in five ways, paired; what its texts mean, and where its experts come."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from homie.bench.authoring.house import House
from homie.bench.suite.suite import find_suite, read_subtask
from homie.kernel.scenes import scenes_of
from homie.kernel.types import Pose2
from homie.kernel.world.conditions import unknown_words
from homie.kernel.world.snapshot import FixedState, ObjectState, RoomState, WorldSnapshot
from skills.discrete_actions.step_actions import METRES, SMALL, Move, Turn
from suites.authoring.homie_eb.nav_ways import AROUND, NEAR, shortest
from suites.authoring.homie_eb.nav_words import FOR, SHAPES, by_look, by_use, texts
from suites.authoring.make_homie_eb_nav import NUMBER, STEPS, WITHIN
from suites.authoring.states_script import UnsuitedHouse
from suites.published.embodiedbench_files import NAVIGATION_SUBSETS

SUITE = find_suite("homie-eb-nav")
SUBSETS = tuple(subset.replace("_", "-") for subset in NAVIGATION_SUBSETS)
TARGETS = [f"n{number:02}" for number in range(1, NUMBER + 1)]
SHORT = [subset for subset in SUBSETS if subset != "long-horizon"]


def pose_of(start: str) -> Pose2:
    x, y, degrees = (float(number) for number in start.split(","))
    return Pose2(x, y, math.radians(degrees))


def after(start: str, steps: tuple[str, ...]) -> Pose2:
    """Where the expert's steps lead, if each of them does what it says."""
    pose = pose_of(start)
    for step in steps:
        match SMALL[read_subtask(step).action]:
            case Move(aside):
                way = pose.yaw + aside
                pose = Pose2(pose.x + METRES * math.cos(way), pose.y + METRES * math.sin(way), pose.yaw)
            case Turn(angle):
                pose = Pose2(pose.x, pose.y, pose.yaw + angle)
    return pose


def test_every_target_is_in_every_subset_with_the_same_house_goal_and_expert() -> None:
    assert [task.id for task in SUITE.tasks] == [f"{target}-{subset}" for target in TARGETS for subset in SUBSETS]
    assert all(task.attributes == (task.id[4:],) for task in SUITE.tasks)
    for target in TARGETS:
        base, *others = (SUITE.by_id[f"{target}-{subset}"] for subset in SHORT)
        assert all((task.scene, task.goal, task.expert) == (base.scene, base.goal, base.expert) for task in others)
        assert len({task.text for task in (base, *others)}) == 4
        turned = SUITE.by_id[f"{target}-long-horizon"]
        assert (turned.text, turned.goal) == (base.text, base.goal)
        here, there = (pose_of(task.scene.settings["start"]) for task in (base, turned))
        assert here.xy.tolist() == there.xy.tolist()
        assert math.cos(here.yaw - there.yaw) == pytest.approx(-1.0)
        assert turned.expert == (*(f"[{step}]" for step in AROUND), *(base.expert or ()))
    assert len({SUITE.by_id[f"{target}-base"].scene.seed for target in TARGETS}) == NUMBER, "a house for each"


def test_the_protocol_is_that_of_eb_navigation_and_experts_keep_to_it() -> None:
    protocol = SUITE.protocol
    assert (protocol.actions, protocol.end, protocol.steps, protocol.failures) == ("numbered", "goal", STEPS, None)
    assert (STEPS, WITHIN, protocol.views, SUITE.skills) == (20, 1.0, {"front": "wide"}, "steps")
    assert max(len(task.expert or ()) for task in SUITE.tasks) <= STEPS


@pytest.mark.parametrize("target", TARGETS[::6])
def test_the_goal_is_open_at_the_start_and_reached_at_the_experts_last_step(target: str) -> None:
    for subset in ("base", "long-horizon"):
        task = SUITE.by_id[f"{target}-{subset}"]
        scene, steps = task.scene, task.expert or ()
        world = scenes_of("mujoco").begin(scene.seed, scene.settings)
        assert world is not None and task.goal is not None
        assert not task.goal.holds(world) and not unknown_words(task.goal, world)
        reached = []
        for number in range(len(steps) + 1):
            pose = after(scene.settings["start"], steps[:number])
            robot = world.robot.model_copy(update={"x": pose.x, "y": pose.y})
            reached.append(task.goal.holds(world.model_copy(update={"robot": robot})))
        assert not reached[0] and reached[-1], "ways end 3 cm nearer than what counts, so one before the last may do"


def test_a_way_goes_around_what_is_in_its_way_and_is_the_shortest() -> None:
    start, target = Pose2(0.0, 0.0, math.pi / 2), np.array([0.0, 3.0])

    def wall(point: np.ndarray) -> float:
        """Metres to a wall across the way, which ends 0.3 m to the right."""
        return float(np.hypot(point[0] - min(point[0], 0.3), point[1] - 1.0))

    free = shortest(start, target, lambda point: 1.0, 20)
    assert free == ["Move forward by 0.25"] * math.ceil((3.0 - NEAR) / 0.25)
    around = shortest(start, target, wall, 20)
    assert around is not None and around.count("Move rightward by 0.25") >= 3
    assert shortest(start, target, lambda point: 1.0, len(free) - 1) is None
    assert shortest(start, target, lambda point: 1.0 - point[1], 40) is None


def item(kind: str, colour: str) -> ObjectState:
    return ObjectState(kind=kind, colour=colour, room="kitchen", relation="on", at="table")


HOUSE = House(
    WorldSnapshot(
        rooms={"kitchen": RoomState(kind="kitchen")},
        fixed={"table": FixedState(kind="table", colour="wood", room="kitchen", receives="on")},
        objects={
            "kettle": item("kettle", "silver"),
            "teapot": item("teapot", "gray"),
            "wine_bottle": item("wine_bottle", "green"),
            "mug_1": item("mug", "blue"),
            "mug_2": item("mug", "red"),
        },
    )
)


def test_how_targets_are_referred_to() -> None:
    assert by_use(HOUSE, "kettle") == "what one boils water in for tea"
    assert by_look(HOUSE, "wine_bottle") == "the green bottle"
    referrals = texts(HOUSE, "wine_bottle", random.Random(1))
    assert set(referrals) == set(SUBSETS) and referrals["base"] == referrals["long-horizon"]
    assert referrals["base"] in referrals["complex-instruction"] and "the wine bottle" in referrals["base"]


@pytest.mark.parametrize(
    ("refer", "name", "why"),
    [
        (by_use, "mug_1", "nothing is known of mug_1 alone"),
        (by_look, "kettle", "not the only silver vessel with a spout"),
        (by_look, "table", "not the only wood"),
    ],
)
def test_what_could_mean_two_things_is_not_said(refer, name: str, why: str) -> None:
    with pytest.raises(UnsuitedHouse, match=why):
        refer(HOUSE, name)


def test_what_can_be_a_target_has_a_look() -> None:
    shapes = {kind for kinds in SHAPES.values() for kind in kinds}
    assert set(FOR) <= shapes and len(set(FOR.values())) == len(FOR)
