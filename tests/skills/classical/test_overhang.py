"""Flat things: drawn over the edge of what they lie on, and taken there with one finger above and one below."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from homes import final_state, one_room, play
from hypothesis import given
from hypothesis import strategies as st

from homie.kernel.types import Array, Box, Pose, Surface
from skills.classical.grasp_candidates import FINGERS, Tool
from skills.classical.overhang import LEAST_HANG, drawings, find_pinch_grasps, level_grasp
from skills.motion.held_object import Hand
from skills.motion.motions import gripper_rotation

TOOL = Tool(0.10, FINGERS)
TOP = Surface(np.array([1.0, 2.0, 0.7]), 0.3, 0.5, 0.4)
BOARD = Surface(TOP.center, 0.3, 0.5, 0.4, clearance=0.35, access=np.array([np.cos(0.4), np.sin(0.4)]))

halves, angles = st.floats(0.05, 0.11), st.floats(-3.1, 3.1)


def _on(surface: Surface, u: float, v: float, half: tuple[float, float, float], yaw: float = 0.0) -> Box:
    """A box whose middle is at (u, v) m in the frame of a surface."""
    c, s = np.cos(surface.yaw), np.sin(surface.yaw)
    at = surface.center + np.array([c * u - s * v, s * u + c * v, half[2]])
    return Box(at, np.array(half), yaw)


def _shift(box: Box, way: Array) -> Box:
    return Box(box.center + way, box.half, box.yaw)


def _plate(surface: Surface) -> Box:
    return Box(surface.center, np.array([surface.half_x, surface.half_y, 0.0]), surface.yaw)


@given(st.floats(-0.15, 0.15), st.floats(-0.35, 0.35), halves, halves, st.floats(0.012, 0.04), angles)
def test_what_is_drawn_over_an_edge_hangs_over_it_stays_on_it_and_can_be_taken(
    u: float, v: float, hx: float, hy: float, hz: float, yaw: float
) -> None:
    box = _on(TOP, u, v, (hx, hy, hz), yaw)
    ways = drawings(box, TOP, ())
    assert ways, "nothing is in the way on any side"
    assert [way.length for way in ways] == sorted(way.length for way in ways)
    assert not find_pinch_grasps(box, TOP, (), TOOL), "no finger gets below what lies on a table"
    for way in ways:
        drawn = _shift(box, way.length * way.out)
        assert _plate(TOP).distance(drawn.center) == 0.0
        assert max(_plate(TOP).distance(corner) for corner in drawn.corners()) >= LEAST_HANG - 1e-9
        taken = find_pinch_grasps(drawn, TOP, (), TOOL)
        assert taken and 2 * hz < taken[0].opening <= TOOL.opening


@given(st.floats(-0.35, 0.35), halves, halves, st.floats(0.012, 0.04), angles)
def test_the_finger_below_keeps_out_of_the_board_and_both_reach_over_the_thing(
    v: float, hx: float, hy: float, hz: float, yaw: float
) -> None:
    box = _on(BOARD, 0.1, v, (hx, hy, hz), yaw)
    (way,) = drawings(box, BOARD, ())
    drawn = _shift(box, way.length * way.out)
    for grasp in find_pinch_grasps(drawn, BOARD, (), TOOL):
        tip = grasp.pose.position + FINGERS.reach * grasp.approach
        assert _plate(BOARD).distance(tip[:2]) > 0.0
        assert drawn.distance(tip[:2]) == 0.0
        assert abs(grasp.pose.rotation[2, 1]) > 0.9, "it closes from above and below"


def test_from_between_two_boards_it_comes_out_through_the_front_only() -> None:
    ways = drawings(_on(BOARD, 0.0, 0.0, (0.08, 0.08, 0.02)), BOARD, ())
    assert [np.round(way.out[:2], 6).tolist() for way in ways] == [np.round(BOARD.access, 6).tolist()]


def test_it_is_not_drawn_into_another_thing_nor_over_a_rim() -> None:
    box = _on(TOP, 0.1, 0.0, (0.06, 0.06, 0.02))
    front = drawings(box, TOP, ())[0]
    can = Box(box.center + 0.15 * front.out, np.array([0.03, 0.03, 0.05]), name="can")
    rim = Box(TOP.center + 0.31 * front.out, np.array([0.01, 0.6, 0.03]), 0.4)
    below = Box(rim.center - [0.0, 0.0, 0.05], rim.half, rim.yaw)
    for in_way in (can, rim):
        assert not any(np.allclose(way.out, front.out) for way in drawings(box, TOP, (in_way,)))
    assert any(np.allclose(way.out, front.out) for way in drawings(box, TOP, (below,)))


def test_what_is_thicker_than_the_hand_opens_is_not_taken() -> None:
    thick = _on(TOP, 0.27, 0.0, (0.06, 0.06, 0.049), 0.4)
    assert find_pinch_grasps(_on(TOP, 0.27, 0.0, (0.06, 0.06, 0.04), 0.4), TOP, (), TOOL)
    assert not find_pinch_grasps(thick, TOP, (), TOOL)


@given(halves, halves, angles)
def test_in_a_hand_that_was_turned_level_a_flat_thing_is_upright(hx: float, hy: float, yaw: float) -> None:
    box = _on(TOP, 0.1, 0.0, (hx, hy, 0.02), yaw)
    drawn = _shift(box, drawings(box, TOP, ())[0].length * drawings(box, TOP, ())[0].out)
    grasp = find_pinch_grasps(drawn, TOP, (), TOOL)[0]
    hand = Hand()
    hand.take(*level_grasp(drawn, grasp, grasp.pose), grasp.pitch)
    thick = hand.axes @ np.diag(hand.half)
    assert abs(thick[1]).sum() == pytest.approx(0.02), "its thickness is across the fingers"
    assert hand.half[2] >= min(hx, hy) - 1e-9, "and its breadth is upright"


@given(halves, halves, st.floats(0.02, 0.12), angles, st.floats(0.0, 1.57), st.floats(0.0, 1.57))
def test_how_far_a_held_thing_reaches_down_at_any_pitch(
    hx: float, hy: float, hz: float, yaw: float, taken: float, pitch: float
) -> None:
    box = Box(np.array([0.52, 0.01, 0.75]), np.array([hx, hy, hz]), yaw)
    grip = Pose(np.array([0.5, 0.0, 0.78]), gripper_rotation(0.2, taken))
    hand = Hand()
    hand.take(box, grip, taken)
    turned = gripper_rotation(-1.0, pitch) @ grip.rotation.T
    signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T
    flat = np.array([[np.cos(yaw), -np.sin(yaw), 0.0], [np.sin(yaw), np.cos(yaw), 0.0], [0.0, 0.0, 1.0]])
    corners = (box.center - grip.position + (signs * box.half) @ flat.T) @ turned.T
    assert hand.drop_at(pitch) == pytest.approx(-corners[:, 2].min())


SHELF = {"name": "shelf", "kind": "shelf", "colour": "white", "x": 0.25, "y": 2.0}
TABLE = {"name": "table", "kind": "table", "colour": "wood", "x": 2.0, "y": 3.2}


@pytest.mark.slow
@pytest.mark.parametrize(
    "lies",
    [
        {"kind": "pudding_box", "colour": "brown", "z": 0.0175, "pitch": 1.5708, "yaw": 0.3},
        {"kind": "bowl", "colour": "red", "z": 0.0267, "roll": 3.14159},
        {"kind": "cracker_box", "colour": "red", "z": 0.03, "pitch": 1.5708},
    ],
    ids=["a flat box", "a bowl upside down", "the largest box on its face"],
)
def test_a_flat_thing_is_brought_from_a_shelf_to_a_table(tmp_path: Path, lies: dict[str, object]) -> None:
    """Before, no grasp fitted any of them."""
    named = {"name": "it", "x": 0.0, "y": 0.05, "receptacle": "shelf", "surface": "lower board", **lies}
    word = str(lies["kind"]).replace("_", " ")
    scene = one_room([SHELF, TABLE], [named], (1.6, 2.0, np.pi), (5.0, 5.0))
    records = play(tmp_path, scene, [f"[Pick, {word}]", "[Go to, table]", f"[Put, {word}, table]"])
    assert [record.execution.feedback.message for record in records if not record.execution.feedback.ok] == []
    states: dict[str, Any] = final_state(tmp_path)["objects"]  # type: ignore[assignment]
    assert states["it"]["at"] == "table"
