"""From a subtask to a node, a picture, or nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homie.kernel.types import (
    CameraFrame,
    Detection,
    Goal,
    Intrinsics,
    Observation,
    Pose,
    Pose2,
    Proprioception,
    Subtask,
)
from skills.nomad.goal import adapt
from skills.policies.views import FAR, best_seen, heading, pixel, place

NAMES = {"kitchen": [0, 9], "table_1": [3], "table_2": [5], "fridge": [7]}
BODY = Proprioception(Pose2(0.0, 0.0, 0.0))


def frame(name, yaw=0.0, *, depth=None):
    """A 64x48 picture of a camera one metre up that looks along a heading; all of it as far away as said."""
    c, s = math.cos(yaw), math.sin(yaw)
    rotation = np.array([[s, 0.0, c], [-c, 0.0, s], [0.0, -1.0, 0.0]])
    return CameraFrame(
        name,
        np.full((48, 64, 3), hash(name) % 256, np.uint8),
        None if depth is None else np.full((48, 64), depth, np.float32),
        Intrinsics(40.0, 40.0, 31.5, 23.5, 64, 48),
        Pose(np.array([0.0, 0.0, 1.0]), rotation),
    )


FRAMES = {name: frame(name, turn * math.pi / 2) for turn, name in enumerate(("front", "left", "back", "right"))}
SEEN = Observation(0.0, BODY, FRAMES)


def box(view, size, part=""):
    return Detection("apple", view, (10, 10, 10 + size, 10 + size), part=part)


def adapt_to(name, *detections, words=None):
    goal = Goal(name, "", np.zeros(3), seen=detections)
    return adapt(Subtask("Go to", words or name), goal, SEEN, NAMES)


@pytest.mark.parametrize(
    ("name", "words", "nodes"),
    [
        ("kitchen", "kitchen", (0, 9)),
        ("table_2", "table", (5,)),
        ("fridge_1", "the refrigerator", (7,)),
        ("thing-12", "table", (3, 5)),
    ],
)
def test_places_on_the_map(name, words, nodes):
    assert adapt_to(name, box("left", 20), words=words).nodes == nodes


def test_the_picture_that_shows_most_of_it():
    goal = adapt_to("apple_1", box("left", 6), box("back", 12), box("right", 9))
    assert goal.nodes == () and goal.picture is FRAMES["back"].rgb
    assert abs(goal.heading) == pytest.approx(math.pi)


def test_a_whole_thing_before_a_larger_part_of_it():
    assert best_seen(Goal("a", "", np.zeros(3), seen=(box("left", 30, "door"), box("right", 5))), SEEN).view == "right"
    assert best_seen(Goal("a", "", np.zeros(3), seen=(box("left", 30, "door"),)), SEEN).view == "left"


def test_what_is_nowhere_is_explored_for():
    goal = adapt_to("apple_1", box("wrist", 20))  # a picture that is not at hand
    assert (goal.nodes, goal.picture) == ((), None)


@given(yaw=st.floats(-3.1, 3.1), distance=st.floats(0.5, 7.5), column=st.integers(4, 59), row=st.integers(4, 43))
def test_a_place_is_where_its_pixel_is(yaw, distance, column, row):
    looking = frame("front", yaw, depth=distance)
    spot = Detection("apple", "front", (column - 3, row - 3, column + 4, row + 4))
    point = place(spot, looking)
    at = pixel(point, looking)
    assert at == pytest.approx((column, row), abs=3.01), "in its box: what may be the floor is left out"
    assert float((point - looking.pose.position) @ looking.pose.rotation[:, 2]) == pytest.approx(distance, abs=1e-3)


def test_without_depth_a_thing_is_far_away_in_its_direction():
    point = place(Detection("apple", "left", (30, 22, 34, 26)), FRAMES["left"])
    assert point == pytest.approx([0.0, FAR, 1.0], abs=0.2)


def test_what_is_behind_or_beside_is_in_no_pixel():
    assert pixel(np.array([-1.0, 0.0, 1.0]), FRAMES["front"]) is None
    assert pixel(np.array([1.0, 2.0, 1.0]), FRAMES["front"]) is None
    assert heading(FRAMES["right"]) == pytest.approx(-math.pi / 2)
