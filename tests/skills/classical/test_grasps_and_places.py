"""Grasps and places: what is offered can be done by a two-finger gripper."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from homie.kernel.types import Box, Pose, Solid, Surface
from skills.classical.grasps import FINGERS, grasps
from skills.classical.hand import Hand
from skills.classical.motion import gripper_rotation
from skills.classical.places import places

sizes = st.floats(0.012, 0.12)


@given(sizes, sizes, sizes, st.floats(-3.1, 3.1))
def test_grasps_open_wide_enough_and_stay_above_the_surface(hx: float, hy: float, hz: float, yaw: float) -> None:
    box = Box(np.array([0.0, 0.0, 0.8 + hz]), np.array([hx, hy, hz]), yaw)
    for grasp in grasps(box, (), None):
        assert 0 < grasp.opening <= 0.10
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


def test_a_solid_block_has_no_rim() -> None:
    box = Box(np.array([0.0, 0.0, 0.83]), np.array([0.079, 0.105, 0.03]), 0.0)
    block = Solid("box", box.half, Pose(box.center, np.eye(3)))
    assert grasps(box, (), None), "what it is made of is not known: it may be a bowl"
    assert not grasps(box, (), None, parts=(block,))
