"""Pictures over the wire: matched by their stamps, placed by the transforms of their moment, never old."""

from __future__ import annotations

import time

import numpy as np
import pytest

from homie.kernel.errors import BadInput, RobotFault
from homie.kernel.types import Intrinsics
from ros_bridge.profiles.parts import Camera
from ros_bridge.robot.camera_topics import Pictures
from ros_bridge.served_messages import camera_info, depth_picture, picture, transform
from ros_bridge.transport.interface import SENSOR
from ros_bridge.transport.stamps import now, stamp
from ros_bridge.transport.transforms import Transforms
from tests.waiting import until

CAMERA = Camera(rgb="/eye/rgb", depth="/eye/depth", info="/eye/info", frame="eye", oldest=5.0)
MODEL = Intrinsics(30.0, 30.0, 4.0, 3.0, 8, 6)


class Driver:
    """A camera that publishes what a test tells it."""

    def __init__(self, node):
        self.node = node
        self.rgb, self.depth = (node.publisher("sensor_msgs/msg/Image", f"/eye/{n}", SENSOR) for n in ("rgb", "depth"))
        self.info = node.publisher("sensor_msgs/msg/CameraInfo", "/eye/info", SENSOR)
        self.tf = node.publisher("tf2_msgs/msg/TFMessage", "/tf")

    def shoot(self, at, brightness=0, depth_at=None, x=0.0, size=(6, 8)):
        header = {"stamp": stamp(at), "frame_id": "eye"}
        pose = np.eye(4)
        pose[0, 3] = x
        moved = transform({"stamp": stamp(at)}, "odom", "eye", pose)
        self.tf.publish(self.node.message("tf2_msgs/msg/TFMessage", transforms=[moved]))
        info = camera_info(MODEL)
        self.info.publish(self.node.message("sensor_msgs/msg/CameraInfo", header=header, **info))
        deep = {"stamp": stamp(at if depth_at is None else depth_at)}
        fields = depth_picture(np.full((6, 8), 1.0 + brightness, np.float32))
        self.depth.publish(self.node.message("sensor_msgs/msg/Image", header=deep, **fields))
        fields = picture(np.full((*size, 3), brightness, np.uint8))
        self.rgb.publish(self.node.message("sensor_msgs/msg/Image", header=header, **fields))


@pytest.fixture
def eye(nodes):
    """A camera, and what listens to it."""
    driver, node = Driver(nodes("/driver")), nodes("/agent")
    transforms = Transforms(node)
    pictures = Pictures(node, {"eye": CAMERA}, lambda frame, at: transforms.lookup("odom", frame, at=at))
    until(lambda: all(each.subscribers() for each in (driver.rgb, driver.depth, driver.info, driver.tf)))
    return driver, pictures


def test_a_picture_has_the_depth_and_the_place_of_its_moment(eye):
    driver, pictures = eye
    start = now()
    for number in range(3):
        driver.shoot(start + 0.2 * number, brightness=number, x=float(number))
    frame = pictures.frames(["eye"], after=start + 0.3)["eye"]
    assert (frame.rgb == 2).all() and (frame.depth == 3.0).all()
    assert frame.pose.position[0] == pytest.approx(2.0)
    assert frame.intrinsics == MODEL


def test_an_old_picture_is_an_error(eye):
    driver, pictures = eye
    driver.shoot(now() - 60.0)
    with pytest.raises(RobotFault, match=r"'eye' gives no picture .* 6\d\.\d s old, at most 5 s"):
        pictures.frames(["eye"], patience=1.0)


def test_a_picture_from_before_the_robot_moved_is_none_to_act_on(eye):
    driver, pictures = eye
    driver.shoot(now(), brightness=1)
    assert (pictures.frames(["eye"])["eye"].rgb == 1).all()
    time.sleep(0.01)
    with pytest.raises(RobotFault, match="since the robot moved"):
        pictures.frames(["eye"], after=now(), patience=1.0)


def test_depth_of_another_moment_is_not_taken(eye):
    driver, pictures = eye
    driver.shoot(now(), depth_at=now() - 0.5)
    with pytest.raises(RobotFault, match="without depth of the same moment"):
        pictures.frames(["eye"], patience=1.0)


def test_a_picture_that_does_not_fit_its_camera_info_is_reported(eye):
    driver, pictures = eye
    driver.shoot(now(), size=(3, 4))
    with pytest.raises(RobotFault, match=r"4x3 pixels, its camera info says 8x6"):
        pictures.frames(["eye"])


def test_a_silent_camera_is_reported(eye):
    with pytest.raises(RobotFault, match="nothing has come on /eye/rgb"):
        eye[1].frames(["eye"], patience=1.0)


def test_a_camera_that_is_not_there_is_reported(eye):
    with pytest.raises(BadInput, match=r"no camera 'ear': it has eye\.$"):
        eye[1].frames(["ear"])
    with pytest.raises(BadInput, match=r"no camera 'eyes': did you mean 'eye'\?$"):
        eye[1].frames(["eyes"])
