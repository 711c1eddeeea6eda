"""The model of a camera: pictures made those of an ideal pinhole, calibration files and their faults."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homie.kernel.errors import BadInput
from homie.kernel.robot.camera import CameraModel
from homie.kernel.types import Intrinsics, Pose

K = Intrinsics(120.0, 118.0, 81.0, 59.0, 160, 120)
MATRIX = np.array([[K.fx, 0.0, K.cx], [0.0, K.fy, K.cy], [0.0, 0.0, 1.0]])
HERE = Pose(np.zeros(3), np.eye(3))
PLUMB_BOB = (-0.3, 0.1, 0.002, -0.003, 0.0)
RATIONAL = (0.4, -0.2, 0.001, 0.001, 0.05, 0.7, -0.1, 0.02)


def seen_through(lens: tuple[float, ...], x: float, y: float, z: float) -> tuple[np.ndarray, np.ndarray]:
    """Picture and depth of a round thing at a point of the optical frame, as the lens bends them."""
    bent, _ = cv2.projectPoints(np.array([[x, y, z]]), np.zeros(3), np.zeros(3), MATRIX, np.array(lens))
    column, row = bent.ravel()
    colours, depth = np.zeros((K.height, K.width, 3), np.uint8), np.zeros((K.height, K.width), np.float32)
    cv2.circle(colours, (round(column), round(row)), 3, (255, 255, 255), -1)
    cv2.circle(depth, (round(column), round(row)), 3, z, -1)
    return colours, depth


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from([PLUMB_BOB, PLUMB_BOB[:4], RATIONAL]),
    st.floats(-0.4, 0.4),
    st.floats(-0.3, 0.3),
    st.floats(0.2, 8.0),
)
def test_a_thing_is_seen_where_a_pinhole_sees_it(lens: tuple[float, ...], x: float, y: float, z: float) -> None:
    colours, depth = seen_through(lens, x * z, y * z, z)
    frame = CameraModel(K, lens).frame("head", colours, depth, HERE)
    assert frame.depth is not None and frame.intrinsics == K and frame.name == "head"
    expected = (K.fx * x + K.cx, K.fy * y + K.cy)
    for picture in (frame.rgb[:, :, 0], frame.depth):
        rows, columns = np.nonzero(picture)
        assert (columns.mean(), rows.mean()) == pytest.approx(expected, abs=1.0)
    assert set(np.unique(frame.depth)) == {0.0, np.float32(z)}, "depths are not mixed"


def test_an_ideal_lens_leaves_the_picture_as_it_is() -> None:
    picture = np.random.default_rng(0).integers(0, 255, (K.height, K.width, 3), dtype=np.uint8)
    frame = CameraModel(K).frame("head", picture, None, HERE)
    assert np.array_equal(frame.rgb, picture) and frame.depth is None


@pytest.mark.parametrize("depth", [None, np.zeros((60, 80), np.float32)])
def test_a_picture_of_another_size_is_refused(depth: np.ndarray | None) -> None:
    colours = np.zeros((60, 80, 3) if depth is None else (120, 160, 3), np.uint8)
    with pytest.raises(BadInput, match="'head' is calibrated for 160 x 120 pixels and gives 80 x 60"):
        CameraModel(K).frame("head", colours, depth, HERE)


FILE = """\
image_width: 640
image_height: 480
camera_name: head_camera
camera_matrix:
  rows: 3
  cols: 3
  data: [430.0, 0.0, 318.5, 0.0, 425.0, 242.0, 0.0, 0.0, 1.0]
distortion_model: plumb_bob
distortion_coefficients:
  rows: 1
  cols: 5
  data: [-0.2, 0.05, 0.002, -0.001, 0.01]
rectification_matrix: {rows: 3, cols: 3, data: [1, 0, 0, 0, 1, 0, 0, 0, 1]}
projection_matrix: {rows: 3, cols: 4, data: [430, 0, 318.5, 0, 0, 425, 242, 0, 0, 0, 1, 0]}
"""


READ = Intrinsics(430.0, 425.0, 318.5, 242.0, 640, 480)


def test_a_calibration_file_of_ros_is_read(tmp_path: Path) -> None:
    path = tmp_path / "head.yaml"
    path.write_text(FILE)
    assert CameraModel.load(path) == CameraModel(READ, (-0.2, 0.05, 0.002, -0.001, 0.01), "head_camera")
    path.write_text(
        FILE.replace("cols: 5\n  data: [-0.2, 0.05, 0.002, -0.001, 0.01]", "cols: 4\n  data: [0.1, 0, 0, 0]")
    )
    assert CameraModel.load(path).distortion == (0.1, 0.0, 0.0, 0.0)
    path.write_text(FILE.replace("[-0.2, 0.05, 0.002, -0.001, 0.01]", "[0, 0, 0, 0, 0]"))
    assert CameraModel.load(path).distortion == ()
    eight = FILE.replace("plumb_bob", "rational_polynomial").replace("cols: 5", "cols: 8")
    path.write_text(eight.replace("0.002, -0.001, 0.01]", "0.002, -0.001, 0.01, 0.7, -0.1, 0.02]"))
    assert CameraModel.load(path).distortion == (-0.2, 0.05, 0.002, -0.001, 0.01, 0.7, -0.1, 0.02)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("image_width: 640", "image_width: wide", "image_width"),
        ("image_height: 480", "", "image_height is missing"),
        ("camera_matrix:", "matrix:", "camera_matrix is missing"),
        ("430.0, 0.0, 318.5, 0.0,", "430.0, 0.0, 318.5,", "8 numbers in 3 x 3: expected 9"),
        ("430.0, 0.0, 318.5", "430.0, 0.3, 318.5", "skew of 0.3"),
        ("[430.0", "[-430.0", "not a 3x3 camera matrix"),
        ("[430.0", "[.nan", ".nan is not a finite number in line 7"),
        ("plumb_bob", "equidistant", "distortion model 'equidistant'"),
        ("-0.001, 0.01]", "-0.001]", "expected 4 or 5"),
        ("image_width: 640", "image_width: [640", "not valid YAML"),
        (FILE, "- 1\n", "not in the format of camera_info"),
        (FILE, "", "not in the format of camera_info"),
    ],
)
def test_a_faulty_calibration_is_one_sentence(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "head.yaml"
    assert old in FILE
    path.write_text(FILE.replace(old, new, 1))
    with pytest.raises(BadInput, match=message):
        CameraModel.load(path)
    with pytest.raises(BadInput, match="Cannot read"):
        CameraModel.load(tmp_path / "none.yaml")
