"""Grasps and places: what is offered can be done by a two-finger gripper."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homie.kernel.types import Box, Pose, Solid, Surface
from skills.classical.free_spots import half_depth, places
from skills.classical.grasp_candidates import FINGERS, grasps
from skills.motion.held_object import Hand
from skills.motion.motions import gripper_rotation

sizes = st.floats(0.012, 0.12)


@given(sizes, sizes, sizes, st.floats(-3.1, 3.1))
def test_grasps_open_wide_enough_and_stay_above_the_surface(hx: float, hy: float, hz: float, yaw: float) -> None:
    box = Box(np.array([0.0, 0.0, 0.8 + hz]), np.array([hx, hy, hz]), yaw)
    for grasp in grasps(box, (), None):
        assert 0 < grasp.opening <= 0.10
        assert 0.3 < grasp.pitch <= np.pi / 2, "from above, and never from behind"
        assert grasp.straight_down or grasp.pitch < np.pi / 2
        tips = grasp.pose.position + FINGERS.reach * grasp.approach
        assert tips[2] > 0.8
        assert abs(np.linalg.det(grasp.pose.rotation) - 1.0) < 1e-9
        side = grasp.pose.rotation[:, 1]
        assert abs(side[2]) < 1e-9, "the fingers close horizontally"


@given(st.floats(0.012, 0.04), sizes, st.floats(-3.1, 3.1))
def test_a_thing_that_fits_is_closed_on_across_a_side_that_fits(hx: float, hy: float, yaw: float) -> None:
    box = Box(np.array([0.0, 0.0, 0.9]), np.array([hx, hy, 0.06]), yaw)
    candidates = grasps(box, (), None)
    assert candidates
    for grasp in candidates:
        c, s = np.cos(yaw), np.sin(yaw)
        side = np.abs(np.array([[c, s], [-s, c]]) @ grasp.pose.rotation[:2, 1])
        half = hx if side[0] > side[1] else hy
        assert half <= 0.046


@given(st.floats(0.015, 0.035), st.floats(0.06, 0.12), st.floats(0.04, 0.12), st.floats(-3.1, 3.1))
def test_no_finger_comes_down_on_a_long_thing_however_the_hand_is_turned_to_it(
    hx: float, hy: float, hz: float, yaw: float
) -> None:
    box = Box(np.array([0.3, 0.1, 0.8 + hz]), np.array([hx, hy, hz]), yaw)
    for grasp in grasps(box, (), None):
        aside = (grasp.opening + FINGERS.thickness) / 2 * grasp.pose.rotation[:, 1]
        for finger in (grasp.pose.position + aside, grasp.pose.position - aside):
            assert box.distance(finger[:2]) > 0.0


def test_what_could_be_round_is_taken_straight_out_of_a_compartment_however_its_box_lies() -> None:
    """A mug seen from one side: neither the directions nor the longer side of its box are the mug's."""
    mug, out = Box(np.array([0.0, 0.0, 0.5]), np.array([0.049, 0.041, 0.041]), 0.63), np.array([-1.0, 0.0])
    assert any(abs(np.sin(grasp.yaw)) < 0.01 < np.cos(grasp.yaw) for grasp in grasps(mug, (), out, room=0.4))
    flat = Box(mug.center, np.array([0.06, 0.041, 0.041]), 0.63)
    assert not any(abs(np.sin(grasp.yaw)) < 0.01 for grasp in grasps(flat, (), out, room=0.4))


def test_a_neighbour_forbids_the_fingers_its_place() -> None:
    box = Box(np.array([0.0, 0.0, 0.85]), np.array([0.03, 0.03, 0.05]), 0.0)
    wall = Box(np.array([0.055, 0.0, 0.85]), np.array([0.015, 0.2, 0.05]), 0.0)
    free = {round(abs(float(g.pose.rotation[0, 1])), 1) for g in grasps(box, (), None)}
    hemmed = {round(abs(float(g.pose.rotation[0, 1])), 1) for g in grasps(box, (wall,), None)}
    assert 1.0 in free
    assert hemmed
    assert 1.0 not in hemmed, "no finger may go between the thing and its neighbour"


def test_a_bowl_with_something_in_the_middle_is_taken_by_its_rim_with_little_opened_fingers() -> None:
    bowl = Box(np.array([0.0, 0.0, 0.827]), np.array([0.077, 0.079, 0.027]), 0.0)
    plum = Box(np.array([0.0, 0.0, 0.836]), np.full(3, 0.026), 0.0)
    empty, filled = grasps(bowl, (), None), grasps(bowl, (plum,), None)
    assert empty[0].opening > 0.05, "with room for errors where nothing is in the way"
    assert filled and max(grasp.opening for grasp in filled) < 0.05


@given(st.integers(0, 1000))
def test_places_are_on_the_surface_and_free(seed: int) -> None:
    rng = np.random.default_rng(seed)
    surface = Surface(np.array([1.0, 2.0, 0.7]), 0.3, 0.5, float(rng.uniform(-3, 3)))
    others = [
        Box(surface.center + np.array([*rng.uniform(-0.4, 0.4, 2), 0.05]), np.full(3, 0.05), float(rng.uniform(-3, 3)))
        for _ in range(4)
    ]
    hand = Hand(half=(0.03, 0.03, 0.05))
    c, s = np.cos(surface.yaw), np.sin(surface.yaw)
    for _, point in places(surface, others, hand):
        local = np.array([[c, s], [-s, c]]) @ (point - surface.center)[:2]
        assert abs(local[0]) <= surface.half_x
        assert abs(local[1]) <= surface.half_y
        assert all(other.distance(point[:2]) > hand.radius for other in others)


@given(st.floats(0.012, 0.044), st.floats(0.012, 0.08), st.floats(0.012, 0.12), st.floats(-3.1, 3.1))
def test_the_palm_stays_off_what_is_taken(hx: float, hy: float, hz: float, yaw: float) -> None:
    box = Box(np.array([0.0, 0.0, 0.8 + hz]), np.array([hx, hy, hz]), yaw)
    block = Solid("box", box.half, Pose(box.center, gripper_rotation(yaw, 0.0)))
    corners = [np.array([-0.033, y, z]) for y in np.linspace(-0.06, 0.06, 7) for z in np.linspace(-0.034, 0.034, 5)]
    for grasp in grasps(box, (), None, parts=(block,)):
        for corner in corners:
            point = grasp.pose.position + grasp.pose.rotation @ corner
            inside = box.distance(point) == 0.0 and abs(point[2] - box.center[2]) < box.half[2]
            assert not inside, "a palm that pushes a tall thing topples it"


def _bowl(way_up: float) -> list[Solid]:
    """Bottom and walls of a bowl at the origin, 54 mm high; way_up: 1 as it should be, -1 upside down."""
    parts = [Solid("cylinder", np.array([0.05, 0.05, 0.004]), Pose(np.array([0.0, 0.0, -0.023 * way_up]), np.eye(3)))]
    for angle in np.arange(14) * 2 * np.pi / 14:
        c, s, lean, up = np.cos(angle), np.sin(angle), np.sin(0.6 * way_up), np.cos(0.6)
        axes = np.array([[c * up, -s, c * lean], [s * up, c, s * lean], [-lean, 0.0, up]])
        parts.append(Solid("box", np.array([0.003, 0.016, 0.03]), Pose(np.array([0.061 * c, 0.061 * s, 0.0]), axes)))
    return parts


def test_a_bowl_is_taken_by_its_rim_but_not_upside_down() -> None:
    box = Box(np.zeros(3), np.array([0.079, 0.079, 0.027]), 0.0)
    assert grasps(box, (), None, parts=_bowl(1.0))
    assert not grasps(box, (), None, parts=_bowl(-1.0)), "the finger inside would come through its bottom"


@pytest.mark.parametrize(
    ("half_height", "pitches"),
    [(0.03, [0.7, 0.45, 0.95, 1.25, np.pi / 2]), (0.1, [0.35, 0.5, 0.7, 0.95, 1.25])],
)
def test_a_low_thing_is_taken_from_above_and_a_tall_one_flatter(half_height: float, pitches: list[float]) -> None:
    """What was taken with a steep hand cannot be put down between boards."""
    ways = grasps(Box(np.array([0.0, 0.0, 0.7 + half_height]), np.array([0.025, 0.025, half_height])), (), None)
    assert [grasp.cost for grasp in ways] == sorted(grasp.cost for grasp in ways)
    assert ways[0].pitch == pitches[0]
    assert {round(grasp.pitch, 4) for grasp in ways} == {round(pitch, 4) for pitch in pitches}
    straight = [grasp.cost for grasp in ways if grasp.pitch == np.pi / 2]
    assert not straight or min(straight) > 0.3, "straight down last: the wrist is high then"
    twisted = [grasp for grasp in ways if abs(np.sin(2 * grasp.yaw)) > 0.1]
    assert min(grasp.cost for grasp in twisted) == pytest.approx(0.3), "and the hand in line with the thing"


def test_the_rim_of_a_thing_with_an_ear_is_taken_at_its_narrow_side() -> None:
    """A mug is longer where its ear is, which gives way."""
    mug = Box(np.array([0.0, 0.0, 0.75]), np.array([0.09, 0.06, 0.05]), 0.4)
    ways = [grasp for grasp in grasps(mug, (), None) if grasp.straight_down]
    along, across = (np.array([np.cos(a), np.sin(a)]) for a in (0.4, 0.4 + np.pi / 2))
    costs = {"along": [], "across": []}
    for grasp in ways:
        away = grasp.pose.position[:2] - mug.center[:2]
        side, half = ("along", 0.09) if abs(away @ along) > abs(away @ across) else ("across", 0.06)
        assert max(abs(away @ along), abs(away @ across)) == pytest.approx(half - 0.012)
        assert min(abs(away @ along), abs(away @ across)) == pytest.approx(0.0, abs=1e-9), "in the middle of a side"
        costs[side].append(grasp.cost)
        closing = grasp.pose.rotation[:2, 1]
        assert abs(closing @ away) == pytest.approx(np.linalg.norm(away)), "one finger inside, one outside"
    assert len(costs["along"]) == len(costs["across"]) > 4
    assert min(costs["along"]) - min(costs["across"]) == pytest.approx(0.3)


@given(st.floats(0.012, 0.04), st.floats(0.012, 0.04), st.floats(0.01, 0.1))
def test_a_flat_hand_is_next_to_what_it_closes_on_and_not_over_it(hx: float, hy: float, hz: float) -> None:
    """Between boards it comes in level: what is lower than its palm would be under it."""
    box = Box(np.array([0.0, 0.0, 0.5 + hz]), np.array([hx, hy, hz]))
    ways = grasps(box, (), np.array([-1.0, 0.0]), room=0.3)
    assert ways or hz < 0.03
    for grasp in ways:
        assert grasp.pitch >= 0.5 or grasp.pose.position[2] <= 0.5 + 2 * hz + 0.005
        tip = grasp.pose.position + FINGERS.reach * grasp.approach
        assert tip[2] < 0.5 + 2 * hz + 0.005, "the fingers reach down to it"


def test_places_are_roomy_and_near_the_front_or_the_middle() -> None:
    hand = Hand(half=(0.03, 0.03, 0.05))
    table = Surface(np.array([1.0, 2.0, 0.7]), 0.5, 0.8, 0.5)
    (cost, best), *_ = places(table, (), hand)
    np.testing.assert_allclose(best, table.center, atol=1e-9)
    assert cost == pytest.approx(0.0)
    box = Box(np.array([1.0, 2.0, 0.75]), np.full(3, 0.05))
    best = places(table, (box,), hand)[0][1]
    assert 0.1 < box.distance(best[:2]) < 0.2, "beside what stands in the middle, and not too close to it"
    high = Box(np.array([1.0, 2.0, 1.2]), np.full(3, 0.05))
    np.testing.assert_allclose(places(table, (high,), hand)[0][1], table.center, atol=1e-9)
    out = np.array([np.cos(0.5), np.sin(0.5)])
    shelf = Surface(np.array([1.0, 2.0, 0.7]), 0.2, 0.5, 0.5, clearance=0.3, access=out)
    best = places(shelf, (), hand)[0][1]
    assert 0.2 - (best[:2] - shelf.center[:2]) @ out == pytest.approx(0.16, abs=0.03), "a hand's breadth inside"
    assert half_depth(shelf) == pytest.approx(0.2)
    turned = replace(shelf, access=np.array([-np.sin(0.5), np.cos(0.5)]))
    assert half_depth(turned) == pytest.approx(0.5)


def test_in_a_sink_room_is_left_for_a_second_thing() -> None:
    hand = Hand(half=(0.03, 0.03, 0.05))
    for half_x, half_y in ((0.3, 0.15), (0.15, 0.3)):
        sink = Surface(np.array([0.0, 0.0, 0.7]), half_x, half_y, 0.0)
        _, best = places(sink, (), hand)[0]
        long, short = (abs(best[0]), abs(best[1])) if half_x > half_y else (abs(best[1]), abs(best[0]))
        assert long == pytest.approx(0.3 - hand.radius - 0.015) and short == pytest.approx(0.0, abs=0.02)


def test_a_spot_is_its_own_middle_even_where_the_thing_is_larger() -> None:
    place = Surface(np.array([0.3, 0.2, 0.8]), 0.005, 0.005, 0.0)
    points = places(place, (), Hand(half=(0.08, 0.08, 0.05)))
    assert points and all(np.linalg.norm(point - place.center) < 0.005 for _, point in points)


def test_a_solid_block_has_no_rim() -> None:
    box = Box(np.array([0.0, 0.0, 0.83]), np.array([0.079, 0.105, 0.03]), 0.0)
    block = Solid("box", box.half, Pose(box.center, np.eye(3)))
    assert grasps(box, (), None), "what it is made of is not known: it may be a bowl"
    assert not grasps(box, (), None, parts=(block,))
