"""Transforms: chains, times between two, what is refused."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ros_bridge.transport.stamps import seconds, stamp
from ros_bridge.transport.transforms import NoTransform, Transforms


class Heard:
    """A node that hears what the test says."""

    def __init__(self):
        self.callbacks = {}

    def subscription(self, kind, topic, callback, qos):
        self.callbacks[topic] = callback
        return SimpleNamespace(close=lambda: None)

    def say(self, parent, child, at=0.0, xyz=(0.0, 0.0, 0.0), yaw=0.0, static=False, quaternion=None):
        x, y, z, w = quaternion or (0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))
        moved = SimpleNamespace(
            header=SimpleNamespace(stamp=SimpleNamespace(**stamp(at)), frame_id=parent),
            child_frame_id=child,
            transform=SimpleNamespace(
                translation=SimpleNamespace(x=xyz[0], y=xyz[1], z=xyz[2]), rotation=SimpleNamespace(x=x, y=y, z=z, w=w)
            ),
        )
        self.callbacks["/tf_static" if static else "/tf"](SimpleNamespace(transforms=[moved]))


@pytest.fixture
def heard():
    return Heard()


@pytest.fixture
def transforms(heard):
    return Transforms(heard, clock=lambda: 100.0)


def test_a_chain_goes_up_and_down(heard, transforms):
    heard.say("odom", "base_link", at=99.9, xyz=(1, 0, 0), yaw=math.pi / 2)
    heard.say("base_link", "head", xyz=(0, 0, 1), static=True)
    heard.say("base_link", "hand", at=99.9, xyz=(0.5, 0, 0))
    assert np.allclose(transforms.lookup("odom", "hand")[:3, 3], (1, 0.5, 0))
    assert np.allclose(transforms.lookup("head", "hand")[:3, 3], (0.5, 0, -1))
    assert np.allclose(transforms.lookup("odom", "odom"), np.eye(4))


@given(share=st.floats(0.01, 0.99), yaw=st.floats(-3, 3), move=st.floats(-5, 5))
def test_between_two_times_a_frame_moves_and_turns_evenly(share, yaw, move):
    heard = Heard()
    transforms = Transforms(heard, clock=lambda: 100.0)
    heard.say("odom", "base_link", at=10.0)
    heard.say("odom", "base_link", at=11.0, xyz=(move, 0, 0), yaw=yaw)
    pose = transforms.lookup("odom", "base_link", at=10 + share)
    turned = math.atan2(pose[1, 0], pose[0, 0])
    assert turned == pytest.approx(share * yaw, abs=1e-5)
    assert pose[0, 3] == pytest.approx(share * move, abs=1e-5)


def test_what_is_too_old_or_not_there_yet_is_an_error(heard, transforms):
    heard.say("odom", "base_link", at=99.0)
    heard.say("odom", "base_link", at=99.5)
    with pytest.raises(NoTransform, match=r"is 0\.50 s old, at most 0\.2 s are allowed"):
        transforms.lookup("odom", "base_link", oldest=0.2)
    with pytest.raises(NoTransform, match=r"ends 0\.100 s before"):
        transforms.lookup("odom", "base_link", at=99.6)
    with pytest.raises(NoTransform, match=r"begins 1\.000 s after"):
        transforms.lookup("odom", "base_link", at=98.0)
    with pytest.raises(NoTransform, match="there is no frame 'nose'"):
        transforms.lookup("odom", "nose")
    heard.say("map", "door", static=True)
    with pytest.raises(NoTransform, match="nothing connects them"):
        transforms.lookup("odom", "door")
    assert transforms.frames() == {"base_link": pytest.approx(0.5), "door": 0.0}


@pytest.mark.parametrize(
    "values",
    [
        {"xyz": (math.nan, 0, 0)},
        {"xyz": (math.inf, 0, 0)},
        {"quaternion": (0.0, 0.0, 0.0, 0.0)},
        {"quaternion": (0.0, 0.0, math.nan, 1.0)},
        {"quaternion": (1e200, 0.0, 0.0, 1.0)},
    ],
)
def test_a_transform_that_is_none_is_refused(heard, transforms, values, caplog):
    heard.say("odom", "base_link", at=99.0, **values)
    heard.say("base_link", "base_link", at=99.0)
    heard.say("", "base_link", at=99.0)
    assert transforms.frames() == {}
    assert caplog.text.count("Refused on /tf") == 3


def test_a_loop_of_frames_ends(heard, transforms):
    heard.say("a", "b", at=99.0)
    heard.say("b", "c", at=99.0)
    heard.say("c", "a", at=99.0)
    assert np.allclose(transforms.lookup("a", "c"), np.eye(4))
    with pytest.raises(NoTransform):
        transforms.lookup("a", "elsewhere")


def test_a_clock_that_is_set_back_begins_anew(heard, transforms):
    heard.say("odom", "base_link", at=99.0, xyz=(9, 0, 0))
    heard.say("odom", "base_link", at=1.0, xyz=(1, 0, 0))
    assert transforms.lookup("odom", "base_link")[0, 3] == 1


@given(st.floats(-1e6, 1e9))
def test_a_stamp_goes_there_and_back(value):
    fields = stamp(value)
    assert 0 <= fields["nanosec"] < 10**9
    assert seconds(SimpleNamespace(**fields)) == pytest.approx(value, abs=1e-6)
