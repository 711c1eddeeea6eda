"""The camera model: to pixels and back, pictures made ideal, calibration files and their faults."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from furnished import House
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from homie.kernel.errors import BadInput
from homie.kernel.types import Detection, Intrinsics, Pose, Pose2
from perception.camera import CameraModel
from perception.localise import Scan, patch_of

unhurried = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
K = Intrinsics(430.0, 425.0, 318.5, 242.0, 640, 480)
coefficient = st.floats(-0.04, 0.04)
lenses = st.tuples(
    st.floats(-0.1, 0.25), st.floats(-0.01, 0.05), coefficient, coefficient, st.floats(-0.005, 0.02)
).map(lambda lens: (lens[0], lens[1], lens[2] / 10, lens[3] / 10, lens[4]))
"""Lenses that can be turned round everywhere in the picture."""
points = st.lists(
    st.tuples(st.floats(-0.7, 0.7), st.floats(-0.5, 0.5), st.floats(0.2, 8.0)).map(
        lambda p: (p[0] * p[2], p[1] * p[2], p[2])
    ),
    min_size=1,
    max_size=20,
)


@unhurried
@given(lenses, points)
def test_a_pixel_and_its_depth_give_the_point_back(
    lens: tuple[float, float, float, float, float], some: list[tuple[float, float, float]]
) -> None:
    camera, there = CameraModel(K, lens), np.array(some)
    back = camera.deproject(camera.project(there), there[:, 2])
    assert np.abs(back - there).max() < 1e-6


@unhurried
@given(lenses, st.lists(st.tuples(st.floats(0, 639), st.floats(0, 479)), min_size=1, max_size=20))
def test_an_undistorted_pixel_comes_back(
    lens: tuple[float, float, float, float, float], some: list[tuple[float, float]]
) -> None:
    camera, pixels = CameraModel(K, lens), np.array(some)
    again = camera.project(camera.deproject(pixels, np.full(len(pixels), 2.0)))
    assert np.abs(again - pixels).max() < 1e-6


def test_without_distortion_it_is_a_pinhole() -> None:
    camera = CameraModel(K)
    pixels = camera.project(np.array([[0.0, 0.0, 1.0], [0.5, -0.2, 2.0]]))
    assert pixels == pytest.approx(np.array([[318.5, 242.0], [318.5 + 107.5, 242.0 - 42.5]]))
    assert camera.undistort(pixels) == pytest.approx(pixels)


def test_the_lens_bends_as_the_formula_says() -> None:
    k1, k2, p1, p2, k3 = lens = (-0.2, 0.05, 0.002, -0.001, 0.01)
    x, y = 0.4, -0.3
    r = x * x + y * y
    radial = 1 + k1 * r + k2 * r**2 + k3 * r**3
    u = x * radial + 2 * p1 * x * y + p2 * (r + 2 * x * x)
    v = y * radial + p1 * (r + 2 * y * y) + 2 * p2 * x * y
    expected = [K.fx * u + K.cx, K.fy * v + K.cy]
    assert CameraModel(K, lens).project(np.array([[x, y, 1.0]]))[0] == pytest.approx(expected, abs=1e-9)


@unhurried
@given(lenses, points)
def test_opencv_projects_the_same(
    lens: tuple[float, float, float, float, float], some: list[tuple[float, float, float]]
) -> None:
    matrix = np.array([[K.fx, 0, K.cx], [0, K.fy, K.cy], [0, 0, 1]])
    theirs, _ = cv2.projectPoints(np.array(some), np.zeros(3), np.zeros(3), matrix, np.array(lens))
    assert np.abs(CameraModel(K, lens).project(np.array(some)) - theirs.reshape(-1, 2)).max() < 1e-6


def test_what_no_ray_explains_is_nan() -> None:
    camera = CameraModel(K, (-0.5, 0.0, 0.0, 0.0, 0.0))  # folds at 0.82 from the axis: pixels beyond 0.54 are nobody's
    assert np.isfinite(camera.undistort(np.array([[400.0, 300.0]]))).all()
    assert np.isnan(camera.undistort(np.array([[0.0, 0.0]]))).all()
    assert np.isnan(camera.project(np.array([[0.0, 0.0, -1.0], [0.1, 0.0, 0.0]]))).all()
    assert camera.undistort(np.zeros((0, 2))).shape == (0, 2)


def test_a_box_in_a_picture_through_a_lens_is_found_where_it_is(house: House) -> None:
    """A rendered picture is bent as a lens would; made ideal again, depth and box lead to the same place."""
    seen = house.observe(Pose2(3.0, 3.0, np.pi / 2))
    ideal = seen.frames["front"]
    assert ideal.depth is not None
    lens = (0.12, -0.03, 0.001, -0.002, 0.0)
    camera = CameraModel(ideal.intrinsics, lens, "front")
    rows, columns = np.mgrid[:256, :256].astype(np.float64)
    straight = (
        camera.undistort(np.column_stack([columns.ravel(), rows.ravel()])).astype(np.float32).reshape(256, 256, 2)
    )
    bent = cv2.remap(ideal.rgb, straight[..., 0], straight[..., 1], cv2.INTER_LINEAR)
    depth = cv2.remap(ideal.depth, straight[..., 0], straight[..., 1], cv2.INTER_NEAREST)
    frame = camera.frame("front", bent, depth, ideal.pose)
    assert frame.intrinsics == ideal.intrinsics and frame.depth is not None
    inner = (slice(40, 216), slice(40, 216))
    assert np.median(np.abs(frame.depth[inner] - ideal.depth[inner])) < 0.01
    table = Detection("table", "front", (100, 100, 160, 150))
    places = []
    for one in (ideal, frame):
        scan = Scan.of(one)
        assert scan is not None
        patch = patch_of(scan, table)
        assert patch is not None
        places.append(np.median(patch.points, axis=0))
    assert np.linalg.norm(places[0] - places[1]) < 0.02


def test_a_picture_of_another_size_is_refused() -> None:
    with pytest.raises(BadInput, match="calibrated for 640 x 480 pixels and gives 320 x 240"):
        CameraModel(K).frame("head", np.zeros((240, 320, 3), np.uint8), None, Pose(np.zeros(3), np.eye(3)))


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


def test_a_calibration_file_of_ros_is_read(tmp_path: Path) -> None:
    path = tmp_path / "head.yaml"
    path.write_text(FILE)
    assert CameraModel.load(path) == CameraModel(K, (-0.2, 0.05, 0.002, -0.001, 0.01), "head_camera")
    path.write_text(
        FILE.replace("cols: 5\n  data: [-0.2, 0.05, 0.002, -0.001, 0.01]", "cols: 4\n  data: [0.1, 0, 0, 0]")
    )
    assert CameraModel.load(path).distortion == (0.1, 0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("image_width: 640", "image_width: wide", "image_width"),
        ("image_height: 480", "", "image_height: Field required"),
        ("camera_matrix:", "matrix:", "camera_matrix: Field required"),
        ("430.0, 0.0, 318.5, 0.0,", "430.0, 0.0, 318.5,", "8 numbers in 3 x 3: expected 9"),
        ("430.0, 0.0, 318.5", "430.0, 0.3, 318.5", "skew of 0.3"),
        ("[430.0", "[-430.0", "no camera matrix"),
        ("[430.0", "[.nan", "camera_matrix.data.0"),
        ("plumb_bob", "equidistant", "distortion model 'equidistant'"),
        ("-0.001, 0.01]", "-0.001]", "expected 4 or 5 or 8"),
        ("image_width: 640", "image_width: [640", "not valid YAML"),
        (FILE, "- 1\n", "not in the format of camera_info"),
        (FILE, "", "not in the format of camera_info"),
    ],
)
def test_a_faulty_calibration_is_one_sentence(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "head.yaml"
    assert old in FILE
    path.write_text(FILE.replace(old, new, 1))
    with pytest.raises(BadInput, match=said):
        CameraModel.load(path)
    with pytest.raises(BadInput, match="Cannot read"):
        CameraModel.load(tmp_path / "none.yaml")
