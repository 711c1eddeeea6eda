"""Plates: a finger slides under their rim, and they are carried and set down level."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from homes import final_state, one_room, play
from hypothesis import given
from hypothesis import strategies as st

from homie.envs.mujoco.blueprints.catalog import OBJECTS
from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.types import Box, Pose, Solid
from skills.classical.grasp_candidates import FINGERS, Grasp, Tool, grasps
from skills.classical.plate_grasps import ABOVE_FLOOR, LEAST_UNDER, blocked, find_scoop_grasps
from skills.motion.collision import Solids
from skills.motion.held_object import Hand

TOOL = Tool(0.10, FINGERS)
TABLE = {"name": "table", "kind": "table", "colour": "wood", "x": 2.0, "y": 3.2}
angles = st.floats(-3.1, 3.1)


@pytest.fixture(scope="module")
def plate() -> tuple[Box, tuple[Solid, ...]]:
    return _lying("plate")


def _lying(kind: str) -> tuple[Box, tuple[Solid, ...]]:
    """A thing on a table: its box and its parts."""
    thing = {"name": "it", "kind": kind, "colour": next(iter(OBJECTS[kind].colours)), "receptacle": "table"}
    thing |= {"surface": "top", "x": 0.0, "y": 0.0, "yaw": 0.2}
    with MujocoHome(one_room([TABLE], [thing])) as home:
        item = home.world.objects["it"]
        return home.world.object_box(item), home.world.object_parts(item)


def _tips(grasp: Grasp) -> tuple[np.ndarray, np.ndarray]:
    """The inner edges (3,) of the tips of the lower and of the upper finger."""
    end, side = grasp.pose.position + FINGERS.reach * grasp.approach, grasp.pose.rotation[:, 1]
    both = [end - grasp.opening / 2 * side, end + grasp.opening / 2 * side]
    low, high = sorted(both, key=lambda point: float(point[2]))
    return low, high


def _covers(parts: tuple[Solid, ...], point: np.ndarray) -> bool:
    """Whether something of a plate is over a point, by its parts as small balls along an upright line."""
    heights = np.linspace(point[2], point[2] + 0.03, 31)
    for part in parts:
        for z in heights:
            local = part.pose.rotation.T @ (np.array([point[0], point[1], z]) - part.pose.position)
            if part.kind == "box" and np.all(np.abs(local) <= part.half):
                return True
    return False


def test_one_finger_is_under_the_rim_and_above_the_table_the_other_over_it(
    plate: tuple[Box, tuple[Solid, ...]],
) -> None:
    box, parts = plate
    floor, top = box.center[2] - box.half[2], box.center[2] + box.half[2]
    chosen = find_scoop_grasps(box, parts, (), None, TOOL)
    assert len({round(grasp.yaw, 2) for grasp in chosen}) >= 8, "from all sides"
    assert [grasp.cost for grasp in chosen] == sorted(grasp.cost for grasp in chosen)
    for grasp in chosen:
        low, high = _tips(grasp)
        outer = low[2] - FINGERS.tip * np.cos(grasp.pitch)
        assert outer == pytest.approx(floor + ABOVE_FLOOR)
        assert _covers(parts, low), "the rim is over the lower finger"
        assert high[2] > top + 0.005
        edge = float(np.hypot(*(low - box.center)[:2]))
        assert 0.07 < edge < box.half[0] - LEAST_UNDER + 0.003, "outside of its foot"


def test_the_finger_comes_down_before_the_rim_and_slides_in_level(plate: tuple[Box, tuple[Solid, ...]]) -> None:
    box, parts = plate
    for grasp in find_scoop_grasps(box, parts, (), None, TOOL):
        begin, end = grasp.beside.position, grasp.pose.position
        inward = (end - begin) / np.linalg.norm(end - begin)
        assert inward[2] == pytest.approx(0.0)
        assert inward[:2] @ [np.cos(grasp.yaw), np.sin(grasp.yaw)] == pytest.approx(1.0)
        low = _tips(grasp)[0] + begin - end
        assert np.hypot(*(low - box.center)[:2]) > box.half[0] + 0.005
        assert np.allclose(grasp.beside.rotation, grasp.pose.rotation)


def test_what_has_no_rim_to_get_under_is_not_taken_so() -> None:
    for kind in ("bowl", "chopping_board", "tuna_fish_can", "book"):
        box, parts = _lying(kind)
        assert not find_scoop_grasps(box, parts, (), None, TOOL), kind


def test_a_neighbour_keeps_the_fingers_from_its_side(plate: tuple[Box, tuple[Solid, ...]]) -> None:
    box, parts = plate
    neighbour = Box(box.center + np.array([-0.12, 0.0, 0.03]), np.array([0.03, 0.2, 0.05]), 0.0)
    free, hemmed = (
        find_scoop_grasps(box, parts, (), None, TOOL),
        find_scoop_grasps(box, parts, (neighbour,), None, TOOL),
    )
    assert 0 < len(hemmed) < len(free)
    assert all(neighbour.distance(_tips(grasp)[0]) > 0.0 for grasp in hemmed)


def test_in_a_compartment_the_hand_comes_through_the_front(plate: tuple[Box, tuple[Solid, ...]]) -> None:
    box, parts = plate
    out = np.array([np.cos(2.0), np.sin(2.0)])
    chosen = find_scoop_grasps(box, parts, (), out, TOOL)
    assert chosen
    assert all(-out @ [np.cos(grasp.yaw), np.sin(grasp.yaw)] > 0.65 for grasp in chosen)
    assert -out @ [np.cos(chosen[0].yaw), np.sin(chosen[0].yaw)] == pytest.approx(1.0)


@given(st.floats(0.03, 0.25), st.floats(0.03, 0.25), st.floats(0.004, 0.04), angles)
def test_without_its_parts_only_what_is_flat_and_about_round_could_be_a_plate(
    hx: float, hy: float, hz: float, yaw: float
) -> None:
    box = Box(np.array([1.0, 2.0, 0.7 + hz]), np.array([hx, hy, hz]), yaw)
    could = 0.012 <= 2 * hz <= 0.035 and min(hx, hy) >= max(0.07, 0.75 * max(hx, hy)) and max(hx, hy) <= 0.2
    assert bool(find_scoop_grasps(box, (), (), None, TOOL)) is could


def test_a_finger_gets_into_no_rim_that_is_lower_than_it() -> None:
    flat = Box(np.array([0.0, 0.0, 0.711]), np.array([0.1, 0.1, 0.011]), 0.0)
    deep = Box(np.array([0.0, 0.0, 0.727]), np.array([0.1, 0.1, 0.027]), 0.0)
    assert grasps(deep, (), None) and not grasps(flat, (), None)


def test_a_board_and_a_hammer_are_taken_by_their_handles_and_a_bowl_has_none() -> None:
    for kind, long in (("chopping_board", 0.12), ("hammer", 0.0)):
        box, parts = _lying(kind)
        chosen = grasps(box, (), None, parts=parts)
        assert chosen, kind
        for grasp in chosen:
            assert np.linalg.norm((grasp.pose.position - box.center)[:2]) > long, kind
    box, parts = _lying("bowl")
    assert all(grasp.straight_down for grasp in grasps(box, (), None, parts=parts)), "by its rim, as ever"


@given(angles, st.floats(0.5, 1.1), st.sampled_from([np.pi / 2, -np.pi / 2]))
def test_a_plate_goes_down_as_it_was_taken(yaw: float, pitch: float, roll: float) -> None:
    from skills.motion.motions import gripper_rotation

    box = Box(np.array([0.6, 0.1, 0.75]), np.array([0.1, 0.1, 0.011]), 0.3)
    grip = Pose(np.array([0.5, 0.0, 0.8]), gripper_rotation(yaw, pitch, roll))
    hand = Hand()
    hand.take(box, grip, pitch, roll)
    assert hand.drop_at(pitch) == pytest.approx(float(grip.position[2] - (box.center[2] - box.half[2])))
    assert hand.tilts((0.1, 1.2)) == ((pitch, 0.0),)


SINK = {"name": "sink", "kind": "sink", "colour": "white", "x": 0.4, "y": 2.0}
SHELF = {"name": "shelf", "kind": "shelf", "colour": "white", "x": 3.4, "y": 0.25, "yaw": 1.5708}
PLATE = {"name": "it", "kind": "plate", "colour": "blue", "receptacle": "table", "surface": "top", "x": 0.1, "y": 0.0}


@pytest.mark.slow
def test_a_plate_is_brought_from_a_table_into_a_sink_and_out_of_it_again(tmp_path: Path) -> None:
    """Before, the fingers closed on nothing, six times."""
    scene = one_room([SINK, {**TABLE, "yaw": -1.5708}, SHELF], [PLATE], (1.8, 2.0, np.pi), (5.0, 5.0))
    script = ["[Go to, plate]", "[Pick, plate]", "[Go to, sink]", "[Put, plate, sink]", "[Pick, plate]"]
    script += ["[Go to, shelf]", "[Put, plate, shelf]"]
    records = play(tmp_path, scene, script)
    assert [record.execution.feedback.message for record in records if not record.execution.feedback.ok] == []
    states: dict[str, Any] = final_state(tmp_path)["objects"]  # type: ignore[assignment]
    assert states["it"]["at"] == "shelf"
    assert abs(states["it"]["quaternion"][0] ** 2 + states["it"]["quaternion"][3] ** 2 - 1.0) < 0.02, "it lies level"


def test_in_a_narrow_basin_the_hand_comes_where_its_body_has_room(plate: tuple[Box, tuple[Solid, ...]]) -> None:
    """It was stopped by the wall of a washbasin, 9 cm above the plate, and closed on nothing."""
    box, parts = plate
    floor = float(box.center[2] - box.half[2])
    sides = [(0.22, 0.0, 0.02, 0.2), (-0.22, 0.0, 0.02, 0.2), (0.0, 0.22, 0.2, 0.02), (0.0, -0.22, 0.2, 0.02)]
    walls = [
        Box(np.array([box.center[0] + x, box.center[1] + y, floor + 0.06]), np.array([hx, hy, 0.06]), 0.0)
        for x, y, hx, hy in sides
    ]
    chosen = find_scoop_grasps(box, parts, (), None, TOOL)
    table = Box(np.array([box.center[0], box.center[1], floor - 0.02]), np.array([0.5, 0.5, 0.02]), 0.0)
    assert not any(blocked((grasp.pose, grasp.beside), Solids([table]), FINGERS) for grasp in chosen), (
        "on a table there is room"
    )
    inside = Solids([table, *walls])
    fitting = [grasp for grasp in chosen if not blocked((grasp.pose, grasp.beside), inside, FINGERS)]
    assert 0 < len(fitting) < len(chosen) / 2
    corner = [abs(abs(np.cos(grasp.yaw)) - abs(np.sin(grasp.yaw))) < 0.5 for grasp in fitting]
    assert all(corner) and min(grasp.pitch for grasp in fitting) > 0.9, "steeply, out of its corners"
