"""Pictures of ROS 2 drivers as arrays."""

from __future__ import annotations

from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from homie.kernel.errors import RobotFault
from ros_bridge.robot.image_decoding import depth_of, numbers_of, picture_of

SIZES = st.tuples(st.integers(1, 7), st.integers(1, 7))


def message(kind, data, columns, lines, padding=0, **fields):
    """The rows of an array, each filled up by some bytes."""
    rows = np.ascontiguousarray(data).reshape(lines, -1).view(np.uint8)
    filled = np.pad(rows, ((0, 0), (0, padding)))
    header = {"is_bigendian": 0, "height": lines, "width": columns, "step": filled.shape[1], "encoding": kind}
    return SimpleNamespace(**{**header, "data": filled.reshape(-1), **fields})


@settings(max_examples=30)
@given(st.data(), SIZES, st.integers(0, 5))
def test_colours_come_in_the_order_red_green_blue(data, size, padding):
    rgb = data.draw(arrays.arrays(np.uint8, (*size, 3)))
    alpha = np.full((*size, 1), 9, np.uint8)
    encoded = {
        "rgb8": rgb,
        "bgr8": rgb[:, :, ::-1],
        "rgba8": np.concatenate([rgb, alpha], axis=2),
        "bgra8": np.concatenate([rgb[:, :, ::-1], alpha], axis=2),
        "8UC3": rgb[:, :, ::-1],
        "8UC4": np.concatenate([rgb[:, :, ::-1], alpha], axis=2),
    }
    for encoding, pixels in encoded.items():
        assert np.array_equal(picture_of(message(encoding, pixels, size[1], size[0], padding)), rgb)


@pytest.mark.parametrize(("encoding", "places"), [("yuv422", (1, 0, 3, 2)), ("yuyv", (0, 1, 2, 3))])
def test_two_pixels_share_a_colour_in_pictures_of_usb_cameras(encoding, places):
    """Two red pixels, of which the second is darker, and two white ones: brightness, blue, brightness, red."""
    pairs = np.array([[[81, 90, 50, 240], [235, 128, 235, 128]]], np.uint8)[..., places]
    (dots,) = picture_of(message(encoding, pairs, 4, 1, padding=3)).astype(int)
    assert np.abs(dots - [[255, 0, 0], [219, 0, 0], [255, 255, 255], [255, 255, 255]]).max() < 3


@settings(max_examples=30)
@given(st.data(), SIZES, st.integers(0, 5), st.sampled_from("<>"))
def test_depth_is_in_metres_and_0_where_it_is_not_known(data, size, padding, order):
    millimetres = data.draw(arrays.arrays(np.uint16, size, elements=st.one_of(st.just(0), st.integers(25, 65535))))
    metres = np.where(millimetres > 0, millimetres / 1000, np.nan).astype(order + "f4")
    big = {"is_bigendian": int(order == ">")}
    coarse = message("16UC1", millimetres.astype(order + "u2"), size[1], size[0], padding, **big)
    fine = message("32FC1", metres, size[1], size[0], padding, **big)
    for each in (coarse, fine):
        assert np.allclose(depth_of(each), millimetres / 1000, atol=1e-4)


@settings(max_examples=20)
@given(st.data(), SIZES)
def test_instance_numbers_may_be_minus_one(data, size):
    numbers = data.draw(arrays.arrays(np.int16, size))
    assert np.array_equal(numbers_of(message("16SC1", numbers, size[1], size[0])), numbers)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"encoding": "bayer_rggb8"}, "bayer_rggb8"),
        ({"encoding": "yuyv", "width": 1}, "pixels come in pairs"),
        ({"step": 2}, "fewer than it needs"),
        ({"height": 100}, "fewer than it needs"),
        ({"height": 0, "width": 0}, "fewer than it needs"),
        ({"height": 1}, "those are 2 rows, so its size is wrong"),
    ],
)
def test_what_cannot_be_read_is_reported(fields, words):
    with pytest.raises(RobotFault, match=words):
        picture_of(message("rgb8", np.zeros((2, 2, 3), np.uint8), 2, 2, **fields))


@pytest.mark.parametrize(("ending", "off"), [(".png", 0), (".jpg", 2)])
def test_a_compressed_picture_has_its_colours_in_order(ending, off):
    rgb = np.zeros((16, 48, 3), np.uint8)
    rgb[:, :16, 0], rgb[:, 16:32, 1], rgb[:, 32:, 2] = 250, 200, 150
    data = cv2.imencode(ending, rgb[..., ::-1])[1]
    picture = picture_of(SimpleNamespace(format="rgb8; compressed bgr8", data=data))
    assert picture.shape == rgb.shape and np.abs(picture.astype(int) - rgb)[:, 8::16].max() <= off


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n", b"not a picture"])
def test_a_compressed_picture_that_is_none_is_reported(data):
    with pytest.raises(RobotFault, match=r"^A compressed picture of \d+ bytes, .* is neither JPEG nor PNG"):
        picture_of(SimpleNamespace(format="jpeg", data=np.frombuffer(data, np.uint8)))


@pytest.mark.parametrize(
    ("encoding", "kind", "value", "words"),
    [("32FC1", np.float32, 1500.0, r"farther than 1.5e\+03 m"), ("16UC1", np.uint16, 3, "nearer than 0.003 m")],
)
def test_depth_in_another_unit_is_refused(encoding, kind, value, words):
    depths = np.full((4, 4), value, kind)
    depths[0] = 0
    with pytest.raises(RobotFault, match=words):
        depth_of(message(encoding, depths, 4, 4))


def test_depth_of_which_nothing_is_known_is_no_other_unit():
    assert (depth_of(message("32FC1", np.full((2, 2), np.nan, np.float32), 2, 2)) == 0).all()


def test_instance_numbers_of_a_big_endian_machine():
    numbers = np.array([[1, 300]], np.dtype(">i2"))
    assert (numbers_of(message("16SC1", numbers, 2, 1, is_bigendian=1)) == numbers).all()
