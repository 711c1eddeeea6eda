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
def listener():
    return Heard()


@pytest.fixture
def transforms(listener):
    return Transforms(listener, clock=lambda: 100.0)


def test_a_chain_goes_up_and_down(listener, transforms):
    listener.say("odom", "base_link", at=99.9, xyz=(1, 0, 0), yaw=math.pi / 2)
    listener.say("base_link", "head", xyz=(0, 0, 1), static=True)
    listener.say("base_link", "hand", at=99.9, xyz=(0.5, 0, 0))
    assert np.allclose(transforms.lookup("odom", "hand")[:3, 3], (1, 0.5, 0))
    assert np.allclose(transforms.lookup("head", "hand")[:3, 3], (0.5, 0, -1))
    assert np.allclose(transforms.lookup("odom", "odom"), np.eye(4))


@given(share=st.floats(0.01, 0.99), yaw=st.floats(-3, 3), move=st.floats(-5, 5))
def test_between_two_times_a_frame_moves_and_turns_evenly(share, yaw, move):
    listener = Heard()
    transforms = Transforms(listener, clock=lambda: 100.0)
    listener.say("odom", "base_link", at=10.0)
    listener.say("odom", "base_link", at=11.0, xyz=(move, 0, 0), yaw=yaw)
    pose = transforms.lookup("odom", "base_link", at=10 + share)
    turned = math.atan2(pose[1, 0], pose[0, 0])
    assert turned == pytest.approx(share * yaw, abs=1e-5)
    assert pose[0, 3] == pytest.approx(share * move, abs=1e-5)


def test_what_is_too_old_or_not_there_yet_is_an_error(listener, transforms):
    listener.say("odom", "base_link", at=99.0)
    listener.say("odom", "base_link", at=99.5)
    with pytest.raises(NoTransform, match=r"is 0\.50 s old, at most 0\.2 s are allowed"):
        transforms.lookup("odom", "base_link", oldest=0.2)
    with pytest.raises(NoTransform, match=r"ends 0\.100 s before"):
        transforms.lookup("odom", "base_link", at=99.6)
    with pytest.raises(NoTransform, match=r"begins 1\.000 s after"):
        transforms.lookup("odom", "base_link", at=98.0)
    with pytest.raises(NoTransform, match="there is no frame 'nose'"):
        transforms.lookup("odom", "nose")
    listener.say("map", "door", static=True)
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
        {"quaternion": (0.0, 0.0, 0.5, 0.0)},
        {"quaternion": (0.0, 0.0, -11585.0, 11585.0)},
    ],
)
def test_a_transform_that_is_none_is_refused(listener, transforms, values, caplog):
    listener.say("odom", "base_link", at=99.0, **values)
    listener.say("base_link", "base_link", at=99.0)
    listener.say("", "base_link", at=99.0)
    assert transforms.frames() == {}
    assert caplog.text.count("Refused: the transform of 'base_link' on /tf") == 2, "each sort of fault once"
    with pytest.raises(NoTransform, match=r"'base_link' on /tf is refused, "):
        transforms.lookup("odom", "base_link")


def test_a_loop_of_frames_ends(listener, transforms):
    listener.say("a", "b", at=99.0)
    listener.say("b", "c", at=99.0)
    listener.say("c", "a", at=99.0)
    assert np.allclose(transforms.lookup("a", "c"), np.eye(4))
    with pytest.raises(NoTransform):
        transforms.lookup("a", "elsewhere")


def test_who_closes_a_loop_is_refused_and_the_frames_before_stay(listener, transforms, caplog):
    listener.say("odom", "base_link", at=99.0, xyz=(1, 0, 0))
    listener.say("base_link", "camera", static=True)
    listener.say("camera", "odom", at=99.1, xyz=(7, 0, 0))
    assert transforms.lookup("odom", "camera")[0, 3] == 1
    assert "it is in 'camera', which is in 'odom': two nodes publish these frames" in caplog.text


def test_a_frame_that_leaps_is_nowhere_at_that_time(listener, transforms):
    for at, x in ((98.0, 0.0), (98.02, 0.3), (98.04, 5.0), (98.06, 5.0), (99.0, 9.0)):
        listener.say("odom", "base_link", at=at, xyz=(x, 0, 0))
    for at in (98.02, 98.03, 98.04):
        with pytest.raises(NoTransform, match=r"'base_link' leaps by 4\.70 m in 0\.020 s: if it goes on, two nodes"):
            transforms.lookup("odom", "base_link", at=at)
    for at, x in ((98.0, 0.0), (98.06, 5.0), (98.53, 7.0), (99.0, 9.0)):
        assert transforms.lookup("odom", "base_link", at=at)[0, 3] == pytest.approx(x)


def test_a_clock_that_is_set_back_begins_anew(listener, transforms):
    listener.say("odom", "base_link", at=99.0, xyz=(9, 0, 0))
    listener.say("odom", "base_link", at=1.0, xyz=(1, 0, 0))
    assert transforms.lookup("odom", "base_link")[0, 3] == 1


def test_a_quaternion_that_was_rounded_is_taken_as_tf2_takes_it(listener, transforms):
    listener.say("base_link", "camera", static=True, quaternion=(0.0, 0.0, 0.71, 0.71))
    turned = transforms.lookup("base_link", "camera")
    assert np.allclose(turned[:3, :3] @ turned[:3, :3].T, np.eye(3))
    assert np.allclose(turned[:3, :3], [[0, -1, 0], [1, 0, 0], [0, 0, 1]])


def test_transforms_that_come_in_any_order_are_put_in_their_place(listener, transforms):
    stamps = np.round(np.arange(90.0, 98.0, 0.1), 3)
    for at in np.random.default_rng(3).permutation(stamps):
        listener.say("odom", "base_link", at=float(at), xyz=(float(at), 0, 0))
    for at in (90.0, 93.33, 97.9):
        assert transforms.lookup("odom", "base_link", at=at)[0, 3] == pytest.approx(at)


def test_of_two_transforms_with_one_stamp_the_later_message_counts(listener, transforms):
    for at, x in ((98.0, 1.0), (99.0, 2.0), (99.0, 3.0), (98.0, 4.0)):
        listener.say("odom", "base_link", at=at, xyz=(x, 0, 0))
    assert transforms.lookup("odom", "base_link", at=99.0)[0, 3] == 3.0
    assert transforms.lookup("odom", "base_link", at=98.5)[0, 3] == pytest.approx(3.5)


def test_a_short_bag_that_is_played_again_begins_anew(listener, transforms, caplog):
    for turn in (0.0, 100.0):
        for at in np.arange(92.0, 97.0, 0.05):
            listener.say("odom", "base_link", at=float(at), xyz=(turn + at, 0, 0))
    assert transforms.lookup("odom", "base_link", at=95.0)[0, 3] == pytest.approx(195.0)
    assert caplog.text.count("a clock was set back") == 1


def test_one_late_transform_sets_no_clock_back(listener, transforms):
    for at in (95.0, 96.0, 97.0, 94.0, 98.0):
        listener.say("odom", "base_link", at=at, xyz=(at, 0, 0))
    for at in (94.5, 95.5, 97.5):
        assert transforms.lookup("odom", "base_link", at=at)[0, 3] == pytest.approx(at)


def test_a_stamp_of_zero_is_none(listener, transforms, caplog):
    listener.say("odom", "base_link", at=99.5, xyz=(1, 0, 0))
    for _ in range(5):
        listener.say("odom", "base_link", at=0.0, xyz=(2, 0, 0))
    assert transforms.lookup("odom", "base_link", oldest=1.0)[0, 3] == 1
    assert caplog.text.count("its stamp is 0") == 1
    listener.say("odom", "other", at=0.0)
    with pytest.raises(NoTransform, match="its stamp is 0, which is none"):
        transforms.lookup("odom", "other", oldest=1.0)


def test_a_static_frame_that_moves_is_taken_and_reported_once(listener, transforms, caplog):
    for x in (1.0, 1.0, 2.0, 3.0):
        listener.say("base_link", "camera", static=True, xyz=(x, 0, 0))
    assert transforms.lookup("base_link", "camera")[0, 3] == 3.0
    assert caplog.text.count("it is static, and has been said to be elsewhere before") == 1


@pytest.mark.parametrize("static_last", [True, False])
def test_of_static_and_moving_the_later_message_counts(listener, transforms, caplog, static_last):
    listener.say("odom", "base_link", at=99.9, static=not static_last, xyz=(1, 0, 0))
    listener.say("odom", "base_link", at=99.9, static=static_last, xyz=(2, 0, 0))
    assert transforms.lookup("odom", "base_link")[0, 3] == 2
    assert f"taken as {'static' if static_last else 'moving'}" in caplog.text


def test_a_frame_with_another_parent_is_reported(listener, transforms, caplog):
    listener.say("odom", "base_link", at=99.0, xyz=(1, 0, 0))
    listener.say("map", "base_link", at=99.1, xyz=(2, 0, 0))
    assert transforms.lookup("map", "base_link")[0, 3] == 2
    assert "its parent was 'odom' and is 'map' now" in caplog.text


@given(st.floats(-1e6, 1e9))
def test_a_stamp_goes_there_and_back(value):
    fields = stamp(value)
    assert 0 <= fields["nanosec"] < 10**9
    assert seconds(SimpleNamespace(**fields)) == pytest.approx(value, abs=1e-6)
