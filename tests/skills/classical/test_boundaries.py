"""Exactly at a boundary: what just fits, just stands on something, is just flat enough, or just near enough."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from homie.envs.mujoco.robots.bodies.fetch import REST
from homie.kernel.types import Box, Goal, OccupancyGrid, Outcome, Pose2, Surface
from skills.classical.free_spots import places
from skills.classical.goto import GoTo
from skills.classical.grasp_candidates import FINGERS, Tool, grasps
from skills.classical.openclose import Close, Open
from skills.classical.overhang import drawings, find_pinch_grasps
from skills.classical.pick import SUNK, Pick, contents, standing_on
from skills.classical.plate_grasps import find_scoop_grasps
from skills.classical.pulls import Wrist, is_flap, is_sliding_door, plan_pull
from skills.classical.put import Put
from skills.motion.base_path_planning import CostMap
from skills.motion.collision import without
from skills.motion.held_object import Hand
from skills.motion.standing_places import same_place
from tests.skills.classical.doors import DRAWER, INWARD, hinged
from tests.skills.classical.scenes import bowl
from tests.skills.classical.test_pick_and_put_by_numbers import TOP, Putting, bare_table, carrying

ORIGIN = np.zeros(3)
TOOL = Tool(0.10, FINGERS)


def box(*half: float, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Box:
    return Box(np.array(at), np.array(half))


@pytest.mark.parametrize(
    ("changes", "fits"),
    [
        ({"clearance": 0.125 + 0.03}, True),
        ({"clearance": 0.1249 + 0.03}, False),
        ({"lid": 0.125}, True),
        ({"lid": 0.1249}, False),
    ],
)
def test_what_just_fits_under_a_board_or_a_lid(changes: dict[str, float], fits: bool) -> None:
    putting = Putting(carrying((0.033, 0.033, 0.0625)))
    reason = putting.attempt(bare_table(surfaces=(replace(TOP, **changes),)))
    assert (putting.skill.outcome is Outcome.SUCCEEDED) is fits, reason


BOWL = box(0.08, 0.07, 0.05)


@pytest.mark.parametrize(
    ("item", "inside", "on_top"),
    [
        (box(0.01, 0.01, 0.0, at=(0.0, 0.0, -0.05 - SUNK)), False, False),
        (box(0.01, 0.01, 0.0, at=(0.0, 0.0, -0.05)), True, False),
        (box(0.01, 0.01, 0.0, at=(0.0, 0.0, 0.05 - SUNK)), False, True),
        (box(0.05, 0.01, 0.0), False, False),
        (box(0.0499, 0.01, 0.0), True, False),
        (box(0.01, 0.01, 0.0, at=(0.08, 0.0, 0.0)), True, False),
        (box(0.01, 0.01, 0.0, at=(0.0801, 0.0, 0.05)), False, False),
        (box(0.01, 0.01, 0.0, at=(0.0, 0.0, 0.05)), False, True),
    ],
)
def test_what_is_just_in_a_bowl_or_on_it(item: Box, inside: bool, on_top: bool) -> None:
    goal = Goal("bowl", "", ORIGIN, box=BOWL, loose=(item,))
    assert (contents(goal), standing_on(goal)) == ([item] if inside else [], [item] if on_top else [])
    assert contents(replace(goal, box=None)) == standing_on(replace(goal, box=None)) == []


def test_what_hovers_by_just_the_thickness_of_a_rim_is_not_on_it() -> None:
    board = box(0.1, 0.1, 0.0)
    goal = Goal("board", "", ORIGIN, box=board, loose=(box(0.01, 0.01, 0.0, at=(0.0, 0.0, SUNK)),))
    assert standing_on(goal) == []


@pytest.mark.parametrize(
    ("solid", "goes"),
    [
        (box(0.01, 0.01, 0.01, at=(0.0, 0.0, 0.02)), True),
        (box(0.01, 0.01, 0.01, at=(0.0, 0.0, 0.0201)), False),
        (box(0.01, 0.01, 0.01, at=(0.02, 0.0, 0.0)), True),
        (box(0.01, 0.01, 0.01, at=(0.0201, 0.0, 0.0)), False),
        (box(0.02, 0.01, 0.01), True),
        (box(0.0201, 0.01, 0.01), False),
    ],
)
def test_parts_that_just_belong_to_a_thing_go_with_it(solid: Box, goes: bool) -> None:
    goal = Goal("it", "", ORIGIN, solids=(solid,), obstacles=(solid,))
    remaining = without(goal, [box(0.0, 0.0, 0.0)])
    assert remaining.solids == remaining.obstacles == (() if goes else (solid,)) and remaining.grid is None


@pytest.mark.parametrize(("z", "counts"), [(-0.05, False), (-0.0499, True), (0.2999, True), (0.30, False)])
def test_things_just_above_and_below_a_surface(z: float, counts: bool) -> None:
    surface = Surface(ORIGIN, 0.05, 0.05, 0.0)
    thing = box(0.5, 0.5, 0.0, at=(0.0, 0.0, z))
    assert (places(surface, [thing], Hand(half=(0.02, 0.02, 0.05))) == []) is counts


def test_a_surface_that_is_just_small_keeps_its_middle_free() -> None:
    hand = Hand(half=(0.03, 0.03, 0.05))
    for half, middle in ((0.35, False), (0.3501, True)):
        (_, best), *_ = places(Surface(ORIGIN, half, 0.1, 0.0), (), hand)
        assert bool(abs(best[0]) < 0.01) is middle


@pytest.mark.parametrize(
    ("half", "taken"),
    [
        ((0.1, 0.1, 0.0175), True),
        ((0.1, 0.1, 0.01751), False),
        ((0.1, 0.1, 0.006), True),
        ((0.1, 0.1, 0.00599), False),
        ((0.07, 0.07, 0.01), True),
        ((0.0699, 0.07, 0.01), False),
        ((0.2, 0.2, 0.01), True),
        ((0.2, 0.2001, 0.01), False),
        ((0.12, 0.16, 0.01), True),
        ((0.1199, 0.16, 0.01), False),
    ],
)
def test_what_could_just_be_a_plate(half: tuple[float, float, float], taken: bool) -> None:
    assert bool(find_scoop_grasps(box(*half), (), (), None, TOOL)) is taken


def test_what_the_fingers_just_go_round() -> None:
    for half, taken in ((0.046, True), (0.0461, False)):
        ways = grasps(box(half, 0.2, 0.012), (), None)
        assert bool(ways) is taken
    assert grasps(box(0.03, 0.03, 0.08), (), None)[0].pitch == 0.7
    assert grasps(box(0.03, 0.03, 0.0801), (), None)[0].pitch == 0.35


def test_what_is_just_high_enough_has_a_rim() -> None:
    assert grasps(box(0.08, 0.08, 0.015), (), None)
    assert not grasps(box(0.08, 0.08, 0.0149), (), None)


def test_what_could_just_be_round_is_taken_straight_in() -> None:
    out = np.array([-1.0, 0.0])
    for short, straight in ((0.03, True), (0.0299, False)):
        mug = Box(np.array([0.0, 0.0, 0.04]), np.array([0.04, short, 0.04]), 0.6)
        ways = grasps(mug, (), out, room=0.4)
        assert any(abs(np.sin(grasp.yaw)) < 1e-6 for grasp in ways) is straight


def test_what_is_just_thin_enough_is_pinched() -> None:
    top = Surface(ORIGIN, 0.3, 0.3, 0.0)
    for half, taken in ((0.046, True), (0.0461, False)):
        thing = box(0.1, 0.1, half, at=(0.25, 0.0, half))
        assert bool(find_pinch_grasps(thing, top, (), TOOL)) is taken


def test_what_lies_just_too_far_from_an_edge_is_not_drawn() -> None:
    """By 40 cm at most: its middle stays on, 5 cm of it hang over."""
    top = Surface(ORIGIN, 0.5, 2.0, 0.0)
    outs = [[way.out[0] for way in drawings(box(0.1, 0.1, 0.01, at=(x, 0.0, 0.01)), top, ())] for x in (0.051, 0.049)]
    assert outs == [[1.0], []]
    half = [0.036, 0.038]
    assert [bool(drawings(box(h, h, 0.01, at=(0.4, 0.0, 0.01)), top, ())) for h in half] == [False, True]


def test_what_is_just_one_place() -> None:
    here = Pose2(0.0, 0.0, 0.0)
    assert not same_place(here, Pose2(0.12, 0.0, 0.0)) and same_place(here, Pose2(0.1199, 0.0, 0.0))
    assert not same_place(here, Pose2(0.0, 0.0, 0.3001)) and same_place(here, Pose2(0.0, 0.0, 0.2999))


@pytest.mark.parametrize(("z", "level"), [(0.5, False), (0.4999, True)])
def test_what_just_turns_level_or_slides_across(z: float, level: bool) -> None:
    axis = np.array([np.sqrt(1.0 - z * z), 0.0, z])
    assert is_flap(replace(hinged(1.0), axis=axis)) is level
    assert is_sliding_door(replace(DRAWER, axis=axis, outward=np.array([0.0, 0.0, 1.0]))) is level
    assert not is_flap(replace(DRAWER, axis=axis)) and not is_sliding_door(replace(hinged(1.0), axis=axis))
    pull = plan_pull(replace(DRAWER, handle_axis=axis), DRAWER.handle, 0.3, Wrist(0.0, 0.0), INWARD)
    assert bool(abs(pull.poses[0].rotation[2, 1]) > 0.9) is level, "above and below a level bar"


def test_a_hand_remembers_what_is_just_worth_it() -> None:
    hand, q = Hand(), np.zeros(4)
    for x, joint in ((0.0, 0.0), (0.0, 0.08), (0.02, 0.0801), (0.0201, 0.0)):
        hand.note(Pose2(x, 0.0, 0.0), q + np.array([0.0, joint, 0.0, 0.0]))
    assert len(hand.came) == 1, "the base has moved"
    hand.note(Pose2(0.0201, 0.0, 0.0), q + 0.08)
    hand.note(Pose2(0.0201, 0.0, 0.0), q - 0.0801)
    assert len(hand.came) == 2
    small, tall = Hand(half=(0.03, 0.03, 0.0499)), Hand(half=(0.03, 0.03, 0.05))
    assert small.tilts((1.0,)) == ((0.0, 0.0), (1.0, 0.4)) and tall.tilts((1.0,)) == ((0.0, 0.0), (1.0, 1.5))
    assert small.tilts((0.1,)) == ((0.0, 0.0),), "as good as the pitch that it has"
    level = Hand(pitch=0.7, level=REST)
    assert level.tilts((0.1,)) == ((0.7, 0.0),) == Hand(pitch=0.7, roll=0.1).tilts((0.1,))


def test_clearances_that_are_just_enough() -> None:
    """Cells of 25 cm: two of them are half a metre, to the bit."""
    picture = np.zeros((9, 12), dtype=bool)
    picture[:, 0] = True
    costs = CostMap.of(OccupancyGrid(picture, np.zeros_like(picture), np.zeros(2), 0.25), 0.5, 0.5)
    assert costs.clearance[4].tolist()[:4] == pytest.approx([0.0, 0.25, 0.5, 0.75], abs=0.01)
    line = np.array([0.875, 0.5]), np.array([0.875, 1.5])
    room = costs.clear_at(line[0])
    assert costs.clear_line(*line, room) and not costs.clear_line(*line, room + 1e-6)
    assert np.isinf(costs.cost[4, 1]) and costs.cost[4, 11] == 1.0
    for outside in ((-0.001, 1.0), (3.0, 1.0), (1.0, -0.001), (1.0, 2.25)):
        assert costs.clear_at(np.array(outside)) == 0.0
    for inside in ((2.999, 1.0), (1.0, 0.0), (1.0, 2.249)):
        assert costs.clear_at(np.array(inside)) > 0.0
    assert costs.between(*line) == 0.0
    assert costs.between(np.array([0.125, 0.5]), np.array([0.125, 1.5])) == pytest.approx(1.0)


def test_a_rim_that_is_not_between_the_fingers_is_not_taken() -> None:
    """A box that is wider than the bowl in it, as seen from afar: there is no wall at its edge."""
    parts = bowl(ORIGIN)
    openings = [
        {grasp.opening for grasp in grasps(box(half, half, 0.027), (), None, parts=parts)}
        for half in (0.079, 0.085, 0.09, 0.1, 0.12)
    ]
    assert openings == [{0.03, 0.07}, {0.07}, {0.07}, set(), set()]


def test_what_a_new_hand_is_like_and_how_long_an_attempt_takes() -> None:
    hand = Hand()
    assert hand.half == (0.04, 0.04, 0.05) and hand.radius == pytest.approx(np.hypot(0.04, 0.04))
    assert (hand.pitch, hand.roll, hand.loose, hand.came, hand.level) == (0.0, 0.0, False, [], None)
    np.testing.assert_array_equal(hand.axes, np.eye(3))
    np.testing.assert_array_equal(hand.center, np.zeros(3))
    assert hand.spheres.shape == (0, 4)
    limits = [(kind.max_seconds, kind.freeing) for kind in (GoTo, Pick, Put, Open, Close)]
    assert limits == [(120.0, 0.0), (115.0, 25.0), (115.0, 25.0), (145.0, 25.0), (145.0, 25.0)]
    assert [kind.name for kind in (GoTo, Pick, Put, Open, Close)] == [
        "classical/go_to",
        "classical/pick",
        "classical/put",
        "classical/open",
        "classical/close",
    ]
    actions = [kind.actions for kind in (GoTo, Pick, Put, Open, Close)]
    assert actions == [("Go to",), ("Pick",), ("Put",), ("Open",), ("Close",)]


def test_what_lies_on_another_board_is_not_in_the_way_on_this_one() -> None:
    """Two boards that are full, one pot beside them on the floor, one above."""
    boards = tuple(replace(TOP, half_x=0.08, half_y=0.14, center=np.array([0.6, y, 0.72])) for y in (-0.25, 0.25))
    pots = [box(0.06, 0.05, 0.05, at=(0.6, y, 0.77)) for y in (-0.32, -0.18, 0.18, 0.32)]
    pots = [replace(pot, name=f"pot_{number}") for number, pot in enumerate(pots)]
    high = replace(box(0.03, 0.03, 0.03, at=(0.6, 0.25, 0.95)), name="lamp")
    beside = replace(box(0.03, 0.03, 0.03, at=(0.6, 0.45, 0.75)), name="cup")
    putting = Putting(carrying())
    reason = putting.attempt(bare_table(*pots, high, beside, surfaces=boards))
    assert reason == "no free spot: 4 things are on it" and not putting.skill.retryable
