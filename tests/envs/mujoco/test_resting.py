"""What is in or on what: bowls in bowls, stacks, things askew, and heaps of whatever falls together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import mujoco
import numpy as np
import pytest
from homes import lay, one_room
from hypothesis import given, settings
from hypothesis import strategies as st

from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.house.build import build
from homie.envs.mujoco.resting import Place
from homie.envs.mujoco.snapshot import snapshot_of
from homie.envs.mujoco.world import World
from homie.kernel.world.conditions import parse_condition
from homie.kernel.world.snapshot import RobotState

KINDS = ("bowl", "bowl", "mug", "plum", "apple", "apple", "strawberry", "banana", "sugar_box", "bleach_cleanser")
CANS = ("tuna_fish_can", "tuna_fish_can", "tuna_fish_can", "tomato_soup_can")
TOP = 0.74
"""Height of the table, m."""
AWAY = [1.0, -1.0, 5.0]
"""Where what plays no part hangs in the air, outside the house."""


@cache
def _kitchen() -> World:
    furniture = [
        {"name": "table", "kind": "table", "colour": "wood", "x": 2.0, "y": 2.0},
        {"name": "counter", "kind": "kitchen_counter", "colour": "white", "x": 0.36, "y": 2.0},
        {"name": "fridge", "kind": "fridge", "colour": "white", "x": 3.5, "y": 0.5, "yaw": math.pi / 2},
        {"name": "sofa", "kind": "sofa", "colour": "gray", "x": 2.0, "y": 3.5, "yaw": -math.pi / 2},
    ]
    colours = {"bowl": "red", "mug": "red", "plum": "purple", "apple": "red", "strawberry": "red", "banana": "yellow"}
    colours |= {"sugar_box": "yellow", "bleach_cleanser": "white", "tuna_fish_can": "green", "tomato_soup_can": "red"}
    total = KINDS + CANS
    names = [f"{kind}_{total[:k].count(kind) + 1}" if total.count(kind) > 1 else kind for k, kind in enumerate(total)]
    objects = [
        {"name": name, "kind": kind, "colour": colours[kind], "x": 0.4 + 0.2 * k, "y": 0.3}
        for k, (name, kind) in enumerate(zip(names, total, strict=True))
    ]
    scene = one_room(furniture, objects, (3.4, 2.4, 0.0))
    home = build(scene)
    return World(home, home.new_data())


@pytest.fixture
def world() -> World:
    world = _kitchen()
    world.home.reset(world.data)
    world.held = None
    for k, name in enumerate(world.objects):
        lay(world.model, world.data, name, [AWAY[0] + 0.4 * k, *AWAY[1:]])
    return world


def _about(axis: Sequence[float], angle: float) -> list[float]:
    return [math.cos(angle / 2), *(math.sin(angle / 2) * np.asarray(axis))]


def _place_object(world: World, name: str, x: float, y: float, z: float, turn: Sequence[float] = (1, 0, 0, 0)) -> None:
    """An object somewhere over the table: from its middle."""
    lay(world.model, world.data, name, [2.0 + x, 2.0 + y, TOP + z], turn)


def _settle(world: World, seconds: float = 1.0) -> None:
    for _ in range(round(seconds / world.model.opt.timestep)):
        mujoco.mj_step(world.model, world.data)


def test_a_bowl_in_a_bowl_is_in_it_and_not_the_other_way_round(world: World) -> None:
    """D2: each was in the other, and asking what contains one of them never came to an end."""
    _place_object(world, "bowl_1", 0.0, 0.0, 0.028)
    _place_object(world, "bowl_2", 0.004, 0.0, 0.060)
    _place_object(world, "plum", 0.0, 0.0, 0.14)
    _settle(world)
    assert world.place("bowl_1") == Place("on", "table", "top")
    assert world.place("bowl_2") == Place("in", "bowl_1")
    assert world.place("plum") == Place("in", "bowl_2")
    assert [place.entity for place in world.around("plum")] == ["bowl_2", "bowl_1", "table"]
    assert world.within("plum", "bowl_1") and world.within("plum", "table") and not world.within("bowl_1", "bowl_2")
    assert sorted(world.contents("bowl_1")) == ["bowl_2", "plum"] and world.contents("bowl_2") == ["plum"]
    assert world.container_of("plum") is None
    state = snapshot_of(world, RobotState())
    for goal, holds in (
        ({"in": ["plum", "bowl_2"]}, True),
        ({"in": ["plum", "bowl_1"]}, True),
        ({"in": ["bowl_2", "bowl_1"]}, True),
        ({"in": ["bowl_1", "bowl_2"]}, False),
        ({"on": ["plum", "table"]}, True),
    ):
        assert parse_condition(goal).holds(state) is holds, goal


def test_what_is_in_two_bowls_in_a_fridge_is_in_the_fridge(world: World) -> None:
    shelf = next(plan for plan in world.receptacles["fridge"].surfaces if plan.name == "upper shelf")
    at = world.position(shelf.body) + world.rotation(shelf.body) @ np.asarray(shelf.center)
    for name, height in (("bowl_2", 0.028), ("bowl_1", 0.040), ("strawberry", 0.08)):
        lay(world.model, world.data, name, at + np.array([0.0, 0.0, height]))
    _settle(world)
    assert [place.entity for place in world.around("strawberry")] == ["bowl_1", "bowl_2", "fridge"]
    for name in ("bowl_2", "bowl_1", "strawberry"):
        container = world.container_of(name)
        assert container is not None and container.name == "fridge"


def test_a_stack_of_three_is_a_stack(world: World) -> None:
    for number in (3, 1, 2):
        _place_object(world, f"tuna_fish_can_{number}", 0.1, 0.1, {3: 0.018, 1: 0.053, 2: 0.088}[number])
    _settle(world)
    assert world.place("tuna_fish_can_3") == Place("on", "table", "top")
    assert world.place("tuna_fish_can_1") == Place("on", "tuna_fish_can_3")
    assert world.place("tuna_fish_can_2") == Place("on", "tuna_fish_can_1")
    assert world.within("tuna_fish_can_2", "table")


def test_a_mug_on_the_plum_in_the_bowl_is_on_the_plum(world: World) -> None:
    _place_object(world, "bowl_1", 0.0, 0.0, 0.028)
    _place_object(world, "plum", 0.0, 0.0, 0.036)
    _place_object(world, "mug", 0.014, 0.0, 0.105)
    assert world.place("mug") == Place("on", "plum"), "its foot is a little below the rim, and it is not in the bowl"
    assert world.place("plum") == Place("in", "bowl_1")
    assert world.within("mug", "bowl_1")


@pytest.mark.parametrize(
    ("name", "turn", "height"),
    [
        ("apple_1", (0.8, 0.36, 0.48, 0.0), 0.10),
        ("strawberry", (0.8, 0.36, 0.48, 0.0), 0.10),
        ("bleach_cleanser", (1.0, 0.0, 0.0, 0.0), 0.14),
        ("tuna_fish_can_1", _about([1, 0, 0], 0.5), 0.07),
    ],
)
def test_what_stands_or_lies_askew_in_a_bowl_is_in_it(
    world: World, name: str, turn: Sequence[float], height: float
) -> None:
    """D3: a strawberry that had rolled reached below the bottom of the bowl, by its box."""
    _place_object(world, "bowl_1", 0.1, 0.0, 0.028)
    _place_object(world, name, 0.1, 0.005, height, turn)
    _settle(world)
    assert world.place(name) == Place("in", "bowl_1")


def test_what_lies_across_a_bowl_is_on_it(world: World) -> None:
    _place_object(world, "bowl_1", 0.0, 0.0, 0.028)
    _place_object(world, "sugar_box", 0.0, 0.0, 0.080, _about([0, 1, 0], math.pi / 2))
    _settle(world)
    assert world.place("sugar_box") == Place("on", "bowl_1")


def test_what_leans_on_a_bowl_or_lies_under_its_rim_is_not_in_it(world: World) -> None:
    _place_object(world, "bowl_1", 0.0, 0.0, 0.028)
    _place_object(world, "strawberry", 0.0, 0.083, 0.023)
    _place_object(world, "bleach_cleanser", 0.070, 0.0, 0.117, _about([0, 1, 0], -0.7))
    assert world.place("strawberry") == Place("on", "table", "top")
    assert world.place("bleach_cleanser") == Place("on", "table", "top"), "its middle is over the bowl, its foot is not"
    lay(world.model, world.data, "bleach_cleanser", AWAY)
    _settle(world, 0.6)
    assert world.place("strawberry") == Place("on", "table", "top")


def test_a_mug_on_its_side_and_a_bowl_upside_down_hold_nothing(world: World) -> None:
    _place_object(world, "mug", 0.0, 0.2, 0.042, _about([1, 0, 0], math.pi / 2))
    _place_object(world, "bowl_1", 0.0, -0.1, 0.028, _about([1, 0, 0], math.pi))
    _place_object(world, "strawberry", 0.0, -0.1, 0.023)
    assert world.place("mug") == Place("on", "table", "top")
    assert world.place("strawberry") == Place("on", "table", "top")
    assert world.place("bowl_1") == Place("on", "table", "top")


def test_a_heap_of_fruit_is_in_the_bowl_or_on_what_is(world: World) -> None:
    _place_object(world, "bowl_1", 0.0, 0.0, 0.028)
    for k, name in enumerate(("apple_1", "apple_2", "plum", "strawberry")):
        _place_object(world, name, 0.02 * (-1) ** k, 0.015 * (k - 1), 0.08 + 0.08 * k)
        _settle(world, 0.5)
    inside = [name for name in ("apple_1", "apple_2", "plum", "strawberry") if world.within(name, "bowl_1")]
    assert {"apple_1", "apple_2"} <= set(inside)
    low = {name for name in inside if world.data.xipos[world.objects[name].body][2] < TOP + 0.05}
    assert all(world.place(name) == Place("in", "bowl_1") for name in low)


def test_beneath_a_table_is_on_the_floor(world: World) -> None:
    lay(world.model, world.data, "apple_1", [2.1, 2.1, 0.038])
    lay(world.model, world.data, "bleach_cleanser", [1.8, 1.9, 0.126])
    _settle(world, 0.4)
    assert world.place("apple_1") == world.place("bleach_cleanser") == Place("on", "kitchen")


def test_what_rests_on_no_surface_of_the_furniture_is_on_the_furniture(world: World) -> None:
    fridge, sofa = (world.receptacle_box(world.receptacles[name]) for name in ("fridge", "sofa"))
    top = fridge.center + np.array([0.0, 0.0, fridge.half[2] + 0.018])
    lay(world.model, world.data, "tuna_fish_can_1", top)
    lay(world.model, world.data, "tuna_fish_can_2", [sofa.center[0] + 0.84, sofa.center[1], 0.8])
    _settle(world)
    assert world.place("tuna_fish_can_1") == Place("on", "fridge")
    assert world.container_of("tuna_fish_can_1") is None
    assert world.place("tuna_fish_can_2").entity == "sofa"
    assert snapshot_of(world, RobotState()).objects["tuna_fish_can_1"].at == "fridge"


def test_over_the_edge_is_still_on_the_table(world: World) -> None:
    table = world.receptacle_box(world.receptacles["table"])
    _place_object(world, "sugar_box", table.half[0] - 0.02, 0.0, 0.020, _about([0, 1, 0], math.pi / 2))
    _settle(world, 0.6)
    assert world.place("sugar_box") == Place("on", "table", "top")


def test_what_is_in_a_bowl_in_the_hand_is_carried(world: World) -> None:
    _place_object(world, "bowl_1", 0.0, 0.0, 0.328)
    _place_object(world, "plum", 0.0, 0.0, 0.337)
    _place_object(world, "apple_1", 0.2, 0.0, 0.038)
    world.held = "bowl_1"
    assert world.place("plum") == Place("in", "bowl_1") and world.place("bowl_1") == Place("held", "robot")
    assert world.carried() == ["bowl_1", "plum"]
    hand = np.array([2.0, 2.0, TOP + 0.3])
    near = [box for box in world.solids(hand, 0.3) if np.linalg.norm(box.center - hand) < 0.15]
    assert not near, "neither the bowl nor what is in it is in the way"


def test_places_follow_what_moves(world: World) -> None:
    _place_object(world, "apple_1", 0.0, 0.0, 0.038)
    assert world.place("apple_1") == Place("on", "table", "top")
    lay(world.model, world.data, "apple_1", [0.36, 2.0, 0.94])
    assert world.place("apple_1") == Place("on", "counter", "top")


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**31))
def test_whatever_falls_together_rests_on_something_that_rests_on_something_else(seed: int) -> None:
    world = _kitchen()
    world.home.reset(world.data)
    world.held = None
    rng = np.random.default_rng(seed)
    for k, name in enumerate(sorted(world.objects, key=lambda _: float(rng.random()))):
        turn = rng.normal(size=4)
        _place_object(world, name, *rng.uniform(-0.06, 0.06, size=2), 0.1 + 0.03 * k, turn / np.linalg.norm(turn))
    for _ in range(4):
        _settle(world, 0.25)
        for name in world.objects:
            chain = [place.entity for place in world.around(name)]
            assert len(set(chain)) == len(chain) and name not in chain
            assert chain[-1] in {*world.receptacles, *world.rooms, "floor"}  # or thrown out of the house
            for upper, lower in pairwise([name, *chain[:-1]]):
                below, above = (world.object_box(world.objects[thing]) for thing in (lower, upper))
                assert below.center[2] - below.half[2] <= above.center[2] - above.half[2] + 1e-9
        assert snapshot_of(world, RobotState()).objects.keys() == world.objects.keys()


def test_a_robot_whose_arm_lies_on_its_body_is_under_nothing() -> None:
    """Its links meet each other by explicit pairs, which the bits of their geoms do not turn off."""
    table = {"name": "table", "kind": "table", "colour": "wood", "x": 3.0, "y": 2.0}
    mug = {"name": "mug", "kind": "mug", "colour": "white", "x": 0.0, "y": 0.0, "receptacle": "table", "surface": "top"}
    arm = ("shoulder_pan", "shoulder_lift", "upperarm_roll", "elbow_flex", "forearm_roll", "wrist_flex")
    angles, touching = np.random.default_rng(5), 0
    with MujocoHome(one_room([table], [mug], (1.6, 2.0, 0.0))) as home:
        data = home.data
        for _ in range(60):
            for name in arm:
                data.joint(f"robot/{name}_joint").qpos[0] = angles.uniform(-1.5, 1.5)
            data.joint("mug").qpos[0] += 1e-4  # or the state that is known already is set again
            mujoco.mj_forward(home.model, data)
            bodies = [
                {home.model.body(home.model.geom_bodyid[geom]).name for geom in pair} for pair in data.contact.geom
            ]
            touching += any(all(name.startswith("robot/") for name in pair) for pair in bodies)
            assert home.world.place("mug") == Place("on", "table", "top")
    assert touching > 10
