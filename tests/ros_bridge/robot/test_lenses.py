"""What the camera info of a topic says of its lens, and that what cannot be undone is refused."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from homie.kernel.errors import RobotFault
from homie.kernel.robot.camera import CameraModel
from homie.kernel.types import Intrinsics
from ros_bridge.robot.lenses import camera_of, is_rectified

K = [120.0, 0.0, 81.0, 0.0, 118.0, 59.0, 0.0, 0.0, 1.0]
P = [100.0, 0.0, 80.0, 0.0, 0.0, 99.0, 60.0, 0.0, 0.0, 0.0, 1.0, 0.0]
PLUMB_BOB = [-0.3, 0.1, 0.002, -0.003, 0.0]
RATIONAL = [0.4, -0.2, 0.001, 0.001, 0.05, 0.7, -0.1, 0.02]


def info(model, d, **others):
    fields = {"width": 160, "height": 120, "distortion_model": model, "d": d, "k": K, "p": P}
    return SimpleNamespace(**{**fields, **others})


@pytest.mark.parametrize(
    ("model", "d"), [("plumb_bob", PLUMB_BOB), ("plumb_bob", PLUMB_BOB[:4]), ("rational_polynomial", RATIONAL)]
)
def test_a_raw_topic_is_described_by_k_and_d(model, d):
    camera = camera_of(info(model, d), "head", "/head/image_raw")
    assert camera == CameraModel(Intrinsics(120.0, 118.0, 81.0, 59.0, 160, 120), tuple(d), "head")


@pytest.mark.parametrize(("model", "d"), [("plumb_bob", [0.0] * 5), ("", []), ("equidistant", [0.0] * 4)])
def test_an_ideal_lens_leaves_the_picture_as_it_is(model, d):
    camera = camera_of(info(model, d), "head", "/head/image_raw")
    picture = np.random.default_rng(0).integers(0, 255, (120, 160, 3), dtype=np.uint8)
    assert camera.intrinsics == Intrinsics(120.0, 118.0, 81.0, 59.0, 160, 120)
    assert (camera.colours(picture) == picture).all()


def test_a_rectified_topic_is_not_undistorted_again_and_is_described_by_p():
    camera = camera_of(info("plumb_bob", PLUMB_BOB), "head", "/rect_of_the_house/image_rect_color")
    picture = np.random.default_rng(0).integers(0, 255, (120, 160, 3), dtype=np.uint8)
    assert camera.intrinsics == Intrinsics(100.0, 99.0, 80.0, 60.0, 160, 120)
    assert (camera.colours(picture) == picture).all()


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (info("equidistant", [0.1] * 4), "'head' has the distortion model 'equidistant' with 4 coefficients"),
        (info("plumb_bob", [0.1] * 7), "with 7 coefficients"),
        (info("plumb_bob", [np.nan] * 5), "with 5 coefficients"),
        (info("plumb_bob", PLUMB_BOB, k=[0.0] * 9), "'head' is not calibrated: K"),
        (info("plumb_bob", PLUMB_BOB, k=[np.nan] * 9), "'head' is not calibrated: K"),
        (info("plumb_bob", PLUMB_BOB, k=[120.0, 0, 0, 0, 118.0, 0, 0, 0, 1.0]), "its middle at 0 0, outside a picture"),
        (info("plumb_bob", PLUMB_BOB, width=60, height=40), "its middle at 81 59, outside a picture of 60x40"),
    ],
)
def test_what_cannot_be_undone_is_refused(bad, message):
    with pytest.raises(RobotFault, match=message):
        camera_of(bad, "head", "/head/image_raw")


@pytest.mark.parametrize(
    ("topic", "rectified"),
    [
        ("/c/image_rect", True),
        ("/c/image_rect_color", True),
        ("/c/image_rect_raw", True),
        ("/zed/rgb/rect/image", True),
        ("/c/rectified/image_raw", True),
        ("/c/image_rect/compressed", True),
        ("/c/image_raw/compressed", False),
        ("/c/image_corrected", False),
        ("/c/direct/image_raw", False),
        ("/rectory/image_raw", False),
        ("/rect_of_the_house/image_raw", False),
        ("/c/image_unrectified", False),
    ],
)
def test_rect_is_a_word_of_a_topic(topic, rectified):
    assert is_rectified(topic) is rectified
    fx = camera_of(info("plumb_bob", PLUMB_BOB), "c", topic).intrinsics.fx
    assert fx == (P[0] if rectified else K[0])
