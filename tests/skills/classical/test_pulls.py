"""How handles and panels move: the hand goes with them, and nobody stands in their way."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homie.kernel.types import Array, Articulation
from skills.classical.pulls import (
    ENTRY,
    EXIT,
    STANDOFF,
    Wrist,
    handle_box,
    is_flap,
    is_sliding_door,
    moved_boxes,
    on_sweep,
    plan_pull,
)
from tests.skills.classical.doors import DRAWER, FRONT, INWARD, SLIDING_DOOR, UP, about, hinged, level_hinged


def move_point(part: Articulation, point: Array, by: float) -> Array:
    """Where a point of a panel is after the joint has moved, by the definition of `Articulation`."""
    if part.kind == "slide":
        return point + by * part.axis
    return part.axis_point + about(part.axis, point - part.axis_point, by)


ALL = [hinged(-1.0), hinged(1.0), hinged(-1.0, 0.7), hinged(1.0, 0.7), DRAWER, SLIDING_DOOR]
ALL += [level_hinged(lid=True), level_hinged(lid=False), level_hinged(lid=True, opening=0.6)]


@pytest.mark.parametrize("part", ALL)
@pytest.mark.parametrize("span", [0.29, -0.07])
def test_the_hand_goes_where_the_handle_goes(part: Articulation, span: float) -> None:
    pull = plan_pull(part, part.handle, part.opening + span, Wrist(0.5, 0.2), INWARD)
    assert pull.slant == 0.2
    assert (pull.moved[0], pull.moved[-1]) == pytest.approx((0.0, span))
    unit = 0.1 if part.kind == "hinge" else 0.04
    assert 0.0 < max(np.abs(np.diff(pull.moved))) <= unit + 1e-9
    assert len(pull.poses) == len(pull.moved) == max(2, math.ceil(abs(span) / unit)) + 1
    for pose, by in zip(pull.poses, pull.moved, strict=True):
        np.testing.assert_allclose(pose.position, move_point(part, part.handle, by), atol=1e-9)
    for away, distance, pose in ((pull.before, ENTRY, pull.poses[0]), (pull.after, EXIT, pull.poses[-1])):
        np.testing.assert_allclose(away.position, pose.position - distance * pose.rotation[:, 0])
        np.testing.assert_array_equal(away.rotation, pose.rotation)


@pytest.mark.parametrize("sense", [-1.0, 1.0])
@pytest.mark.parametrize(("follow", "slant"), [(0.0, 0.0), (1.0, 0.0), (0.5, -0.5)])
def test_a_hand_at_a_door_turns_with_it_by_a_share(sense: float, follow: float, slant: float) -> None:
    part = hinged(sense)
    pull = plan_pull(part, part.handle, 1.0, Wrist(follow, slant), INWARD)
    for pose, by in zip(pull.poses, pull.moved, strict=True):
        yaw = INWARD + slant + follow * sense * by
        np.testing.assert_allclose(pose.rotation[:, 0], [math.cos(yaw), math.sin(yaw), 0.0], atol=1e-9)
        assert abs(pose.rotation[2, 1]) < 1e-9, "the fingers close to the sides of an upright bar"


@pytest.mark.parametrize("lid", [True, False])
def test_a_hand_at_a_lid_or_a_flap_turns_towards_the_floor(lid: bool) -> None:
    part = level_hinged(lid=lid)
    pull = plan_pull(part, part.handle, 1.0, Wrist(0.5, 0.4, 0.3), INWARD)
    for pose, by in zip(pull.poses, pull.moved, strict=True):
        assert pose.rotation[2, 0] == pytest.approx(-math.sin(0.3 + 0.5 * by))
        assert math.atan2(pose.rotation[1, 0], pose.rotation[0, 0]) == pytest.approx(INWARD + 0.4)
        assert abs(pose.rotation[2, 1]) == pytest.approx(math.cos(0.3 + 0.5 * by)), "they close above and below"
    side = plan_pull(part, part.handle, 1.0, Wrist(0.0, 1.57, 0.6, across=True), INWARD)
    assert abs(side.poses[0].rotation[2, 1]) < 1e-9, "from the side they close before and behind"


def test_what_turns_level_and_what_slides_across() -> None:
    assert [is_flap(part) for part in ALL] == [False] * 6 + [True] * 3
    assert [is_sliding_door(part) for part in ALL] == [False] * 5 + [True] + [False] * 3


@pytest.mark.parametrize("part", ALL[:6])
@pytest.mark.parametrize("by", [0.0, 0.3])
def test_a_panel_goes_with_its_joint(part: Articulation, by: float) -> None:
    assert part.panel is not None
    (box,) = moved_boxes(part, by)
    np.testing.assert_allclose(box.center, move_point(part, part.panel.center, by), atol=1e-9)
    np.testing.assert_array_equal(box.half, part.panel.half)
    turned = part.axis[2] * by if part.kind == "hinge" else 0.0
    assert box.yaw == pytest.approx(part.panel.yaw + turned)
    assert moved_boxes(replace(part, panel=None), by) == ()


@pytest.mark.parametrize("lid", [True, False])
@given(by=st.floats(0.0, 1.5))
def test_the_strips_of_a_lid_lie_along_it_and_do_not_reach_its_bar(lid: bool, by: float) -> None:
    part = level_hinged(lid=lid)
    lever = move_point(part, part.handle, by) - part.axis_point
    length, direction = float(np.linalg.norm(lever)), lever / np.linalg.norm(lever)
    boxes = moved_boxes(part, by)
    assert len(boxes) == 6
    ends = []
    for box in boxes:
        away = box.center - part.axis_point
        assert np.linalg.norm(np.cross(away, direction)) < 1e-9
        assert box.half[1] == 0.3, "as wide as the panel"
        assert box.half[0] == pytest.approx(max((length - STANDOFF) / 12 * math.hypot(*direction[:2]), 0.01))
        assert box.half[2] == pytest.approx(max((length - STANDOFF) / 12 * abs(direction[2]), 0.01))
        assert abs(math.remainder(box.yaw - math.atan2(FRONT[1], FRONT[0]), math.pi)) < 1e-9
        ends.append(float(away @ direction))
    np.testing.assert_allclose(ends, (np.arange(6) + 0.5) * (length - STANDOFF) / 6, atol=1e-9)


@pytest.mark.parametrize(("part", "across", "high"), [(ALL[0], 0.01, 0.11), (DRAWER, 0.11, 0.01)])
def test_a_bar_with_the_gap_behind_it_reaches_from_its_front_to_the_panel(
    part: Articulation, across: float, high: float
) -> None:
    bar = handle_box(part)
    np.testing.assert_allclose(bar.half, [STANDOFF / 2, across, high])
    deep = (bar.center - part.handle) @ part.outward
    assert deep + STANDOFF / 2 == pytest.approx(0.01), "a centimetre of bar before its middle"
    assert deep - STANDOFF / 2 == pytest.approx(0.01 - STANDOFF)
    assert abs((bar.center - part.handle) @ np.cross(part.outward, UP)) < 1e-9
    assert math.cos(bar.yaw) == pytest.approx(part.outward[0]) and math.sin(bar.yaw) == pytest.approx(part.outward[1])


@pytest.mark.parametrize("sense", [-1.0, 1.0])
def test_who_stands_where_a_door_comes_is_in_its_way(sense: float) -> None:
    door = hinged(sense)
    side = -sense  # the door stands on this side of its hinge
    assert on_sweep(door, np.array([side * 0.3, -0.4]), 1.5)
    assert on_sweep(door, np.array([side * 0.3, -0.78]), 1.5), "with the footprint of the base"
    assert not on_sweep(door, np.array([side * 0.3, -0.83]), 1.5)
    assert on_sweep(door, np.array([side * 0.84, -0.1]), 1.5)
    assert not on_sweep(door, np.array([side * 0.95, -0.1]), 1.5), "beyond its free edge"
    assert not on_sweep(door, np.array([-side * 0.5, -0.3]), 1.5), "on the other side of the hinge"
    assert not on_sweep(door, np.array([side * 0.2, -0.5]), 0.1), "it is only opened a little"
    opened = hinged(sense, 1.5)
    assert on_sweep(opened, np.array([side * 0.35, -0.35]), -1.5), "closing comes back over the same floor"
    assert not on_sweep(opened, np.array([-side * 0.45, -0.3]), -1.5)


def test_who_stands_where_a_flap_comes_down_is_in_its_way() -> None:
    flap, lid = level_hinged(lid=False), level_hinged(lid=True)
    assert on_sweep(flap, np.array([0.0, -0.7]), 1.5)
    assert not on_sweep(flap, np.array([0.0, -0.8]), 1.5), "0.4 m high, and the base needs 0.34 m beside it"
    assert on_sweep(flap, np.array([0.6, -0.2]), 1.5) and not on_sweep(flap, np.array([0.7, -0.2]), 1.5)
    assert not on_sweep(flap, np.array([0.0, -0.45]), 0.1)
    assert on_sweep(lid, np.array([0.0, -0.3]), 1.5) and not on_sweep(lid, np.array([0.0, -0.4]), 1.5)
