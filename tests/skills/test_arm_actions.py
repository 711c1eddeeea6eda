"""Arm actions: EmbodiedBench's golden vectors, round trips, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homie.kernel.errors import BadInput
from homie.kernel.types import Pose
from skills.discrete_actions.arm_actions import (
    CELLS,
    HIGH,
    LOW,
    RESOLUTION,
    STEP,
    TURNS,
    ArmAction,
    decode,
    decode_position,
    decode_rotation,
    encode_position,
    encode_rotation,
    rotation_matrix,
)

GOLDEN = Path(__file__).parent.parent / "golden" / "eb_manipulation"

cells = st.tuples(*[st.integers(0, CELLS - 1)] * 3)
turns = st.tuples(*[st.integers(0, TURNS - 1)] * 3)
actions = st.builds(ArmAction, cells, turns, st.booleans())


@pytest.fixture(scope="module")
def vectors():
    with np.load(GOLDEN / "vectors.npz", allow_pickle=False) as loaded:
        return {name: loaded[name] for name in loaded}


def angle_between(a: np.ndarray, b: np.ndarray) -> float:
    """Degrees between two rotations; from the chord, which is exact for small angles."""
    return float(np.degrees(2 * np.arcsin(min(1.0, np.linalg.norm(a - b) / np.sqrt(8)))))


def test_the_constants_are_those_of_embodiedbench():
    constants = json.loads((GOLDEN / "constants.json").read_text())
    assert constants["scene_bounds"] == [*LOW, *HIGH]
    assert (constants["voxel_size"], constants["rotation_resolution"]) == (CELLS, STEP)


def test_every_action_decodes_as_in_embodiedbench(vectors):
    decoded, reference = decode(vectors["discrete_action"]), vectors["continuous_action"]
    assert len(decoded) == 574
    np.testing.assert_array_equal(decoded[:, :3], reference[:, :3])
    np.testing.assert_allclose(decoded[:, 3:7], reference[:, 3:7], rtol=0, atol=4e-16)  # with its sign
    np.testing.assert_array_equal(decoded[:, 7], reference[:, 7])


def test_the_rotations_are_those_of_embodiedbench(vectors):
    for action, reference in zip(vectors["discrete_action"], vectors["rotation_matrix"], strict=True):
        np.testing.assert_allclose(rotation_matrix(action[3:6]), reference, rtol=0, atol=1e-15)


def test_every_point_is_in_the_cell_of_embodiedbench(vectors):
    assert len(vectors["points"]) == 667
    np.testing.assert_array_equal(encode_position(vectors["points"]), vectors["voxel_index"])


def test_encoding_what_was_decoded_as_embodiedbench_does(vectors):
    np.testing.assert_array_equal(encode_position(vectors["continuous_action"][:, :3]), vectors["roundtrip_voxel"])


@pytest.mark.parametrize(("axis", "name"), [(0, "roll"), (1, "pitch"), (2, "yaw")])
def test_the_sweep_of_each_angle(vectors, axis, name):
    swept = np.insert(np.tile(vectors["sweep_other_axes"], (121, 1)), axis, vectors["sweep_index"], axis=1)
    np.testing.assert_allclose(decode_rotation(swept), vectors[f"sweep_{name}_quat"], rtol=0, atol=4e-16)


def test_the_gripper_is_passed_through(vectors):
    actions = np.zeros((len(vectors["gripper_in"]), 7))
    actions[:, 6] = vectors["gripper_in"]
    np.testing.assert_array_equal(decode(actions)[:, 7], vectors["gripper_out"])


# ---------------------------------------------------------------- round trips


@given(cells)
@settings(deadline=None)
def test_a_cell_comes_back(cell):
    assert tuple(encode_position(decode_position(cell))) == cell


@given(st.tuples(*[st.floats(low, high, exclude_max=True) for low, high in zip(LOW, HIGH, strict=True)]))
@settings(deadline=None)
def test_a_point_is_within_half_a_cell_of_its_cell(point):
    back = decode_position(encode_position(point))
    assert np.abs(back - np.array(point)).max() <= RESOLUTION / 2 + 1e-9


@given(turns)
@settings(deadline=None)
def test_a_rotation_comes_back(turn):
    matrix = rotation_matrix(turn)
    again = encode_rotation(matrix)
    assert angle_between(rotation_matrix(again), matrix) < 1e-3
    assert all(0 <= number < TURNS for number in again)
    assert 30 <= again[1] <= 90


@given(st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: sum(v * v for v in q) > 1e-3))
@settings(deadline=None)
def test_any_rotation_is_met_within_half_a_step_about_each_axis(numbers):
    w, x, y, z = np.array(numbers) / np.linalg.norm(numbers)
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    assert angle_between(rotation_matrix(encode_rotation(rotation)), rotation) <= 1.5 * STEP + 1e-3


@given(actions)
@settings(deadline=None)
def test_an_action_comes_back_from_its_text_and_numbers(action):
    assert ArmAction.read(str(action)) == action
    assert ArmAction.of(action.values) == action


@given(actions)
@settings(deadline=None)
def test_an_action_comes_back_from_its_pose(action):
    again = ArmAction.from_pose(action.pose, open=action.open)
    assert (again.cell, again.open) == (action.cell, action.open)
    assert angle_between(again.pose.rotation, action.pose.rotation) < 1e-3


def test_the_tool_points_down():
    action = ArmAction.read("54, 90, 49, 0, 60, 90, 1.0")
    assert action == ArmAction((54, 90, 49), (0, 60, 90), True)
    np.testing.assert_allclose(action.pose.rotation[:, 2], [0, 0, -1], atol=1e-15)


@given(actions)
@settings(deadline=None)
def test_the_gripper_points_where_the_tool_does(action):
    tool, gripper = action.pose, action.gripper
    np.testing.assert_array_equal(gripper.rotation[:, 0], tool.rotation[:, 2])
    np.testing.assert_array_equal(gripper.rotation[:, 1], tool.rotation[:, 1])
    assert np.linalg.det(gripper.rotation) == pytest.approx(1.0)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[100, 50, 20, 0, 60, 0, 1]", "x must be between 0 and 99, not 100."),
        ("[50, -1, 20, 0, 60, 0, 1]", "y must be between 0 and 99, not -1."),
        ("[50, 50, 1000, 0, 60, 0, 1]", "z must be between 0 and 99, not 1000."),
        ("[50, 50, 20, 120, 60, 0, 1]", "roll must be between 0 and 119, not 120; 120 would be the same angle as 0."),
        ("[50, 50, 20, 0, 150, 0, 1]", "pitch must be between 0 and 119, not 150."),
        ("[50, 50, 20, 0, 60, -3, 1]", "yaw must be between 0 and 119, not -3."),
        ("[50, 50, 20, 0, 60, 0, 2]", "gripper must be 0 (closed) or 1 (open), not 2."),
        ("[50.5, 50, 20, 0, 60, 0, 1]", "x must be a whole number (got 50.5)."),
        ("[50, 50, 20, 0, 60, 0, 0.7]", "gripper must be a whole number (got 0.7)."),
        ("[1e999, 50, 20, 0, 60, 0, 1]", "x must be a whole number (got inf)."),
        ("[50, 50, 20, 0, 60, 0]", "An action is 7 numbers [x, y, z, roll, pitch, yaw, gripper], not 6."),
        (
            "the red cube",
            (
                "'the red cube' is no number: "  # codespell:ignore
                "an action is written [x, y, z, roll, pitch, yaw, gripper]."
            ),
        ),
        ("", "'' is no number: an action is written [x, y, z, roll, pitch, yaw, gripper]."),  # codespell:ignore
    ],
)
def test_what_embodiedbench_would_take_is_refused_by_name(text, message):
    with pytest.raises(BadInput) as excinfo:
        ArmAction.read(text)
    assert str(excinfo.value) == message


def test_a_pose_outside_the_workspace_is_refused():
    with pytest.raises(BadInput, match="z must be between 0 and 99, not -10"):
        ArmAction.from_pose(Pose(np.array([0.2, 0.0, 0.5]), np.eye(3)), open=True)


@given(st.text(max_size=40))
@settings(deadline=None)
def test_any_text_is_read_or_refused_with_a_sentence(text):
    message = ""
    try:
        action = ArmAction.read(text)
    except BadInput as refused:
        message = str(refused)
    assert message.endswith(".") if message else ArmAction.read(str(action)) == action
