"""Messages: their defaults, what does not fit, and bytes that are none."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homie.kernel.errors import BadInput
from ros_bridge.transport.dds.cdr_messages import DISTROS, Definitions, MalformedMessage

HUMBLE = Definitions()
KINDS = (
    "geometry_msgs/msg/Twist",
    "sensor_msgs/msg/JointState",
    "sensor_msgs/msg/Image",
    "tf2_msgs/msg/TFMessage",
    "control_msgs/action/FollowJointTrajectory_SendGoal_Request",
    "action_msgs/msg/GoalStatusArray",
    "moveit_msgs/action/MoveGroup_GetResult_Response",
)
POINT = "trajectory_msgs/msg/JointTrajectoryPoint"


@pytest.mark.parametrize("distro", DISTROS)
def test_messages_of_defaults_go_there_and_back(distro):
    definitions = Definitions(distro)
    for kind in KINDS:
        data = definitions.write(kind, definitions.message(kind))
        assert definitions.write(kind, definitions.read(kind, data)) == data


def test_the_bytes_are_those_of_cdr():
    message = HUMBLE.message("std_msgs/msg/Header", stamp={"sec": 1, "nanosec": 2}, frame_id="ab")
    expected = "00010000010000000200000003000000616200"
    assert HUMBLE.write("std_msgs/msg/Header", message).hex() == expected


@given(st.sampled_from(KINDS), st.binary(max_size=300), st.booleans())
def test_any_bytes_are_a_message_or_refused(kind, data, headed):
    try:
        message = HUMBLE.read(kind, (b"\0\1\0\0" if headed else b"") + data)
    except MalformedMessage:
        return
    assert HUMBLE.read(kind, HUMBLE.write(kind, message)) is not None


@given(st.sampled_from(KINDS), st.integers(0, 2**31), st.integers(0, 255))
def test_a_flipped_byte_is_a_message_or_refused(kind, place, byte):
    data = bytearray(HUMBLE.write(kind, HUMBLE.message(kind)))
    data[place % len(data)] = byte
    with contextlib.suppress(MalformedMessage):
        assert HUMBLE.read(kind, bytes(data)) is not None


@pytest.mark.parametrize(
    ("kind", "fields", "sentence"),
    [
        ("geometry_msgs/msg/Twits", {}, "did you mean 'geometry_msgs/msg/Twist'"),
        ("Twist", {}, "There is no kind 'Twist'"),
        ("geometry_msgs/msg/Twist", {"liner": {}}, "did you mean 'linear'"),
        ("geometry_msgs/msg/Twist", {"linear": 3.0}, "'linear' .* cannot hold 3.0"),
        ("geometry_msgs/msg/Vector3", {"x": "fast"}, "it takes a number"),
        ("std_msgs/msg/String", {"data": 3}, "it takes text"),
        ("std_msgs/msg/UInt8", {"data": 256}, "goes from 0 to 255"),
        ("std_msgs/msg/UInt8", {"data": 1.5}, "whole number"),
        (POINT, {"positions": ["a"]}, "it takes float64"),
        ("sensor_msgs/msg/CameraInfo", {"k": [1.0] * 8}, "it takes 9 numbers, not 8"),
        ("sensor_msgs/msg/Image", {"data": np.array([256])}, "too large for uint8"),
        ("sensor_msgs/msg/Image", {"data": np.array([0.5])}, "it takes uint8"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(kind, fields, sentence):
    with pytest.raises(BadInput, match=sentence):
        HUMBLE.message(kind, **fields)


def test_a_message_of_another_kind_cannot_be_sent():
    with pytest.raises(BadInput, match=r"not a geometry_msgs/msg/Twist"):
        HUMBLE.write("geometry_msgs/msg/Twist", HUMBLE.message("std_msgs/msg/String"))


def test_a_rotation_is_upright_by_default():
    assert HUMBLE.message("geometry_msgs/msg/Pose").orientation.w == 1.0


def test_an_unknown_distribution_is_refused():
    with pytest.raises(BadInput, match="did you mean 'humble'"):
        Definitions("humbel")
