"""The words of Homie as values: how they are written, and the little geometry that they know."""

from __future__ import annotations

import math
import re
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homie.kernel.types import (
    END,
    SUCCESS,
    VIEWS,
    Answer,
    Array,
    Attempt,
    Box,
    Command,
    Decision,
    Detection,
    ErrorCode,
    Execution,
    Feedback,
    Goal,
    HistoryItem,
    Outcome,
    PlannerInput,
    Pose,
    Pose2,
    RoundRecord,
    SentCommand,
    Solid,
    Subtask,
    Surface,
    in_sight,
    model_key,
)


def test_how_they_are_written() -> None:
    assert str(END) == "[End]" and str(Subtask("Pick", "apple")) == "[Pick, apple]"
    assert str(Subtask("Put", "apple", "brown table")) == "[Put, apple, brown table]"
    assert str(Subtask("Put", "", "table")) == "[Put, table]"
    assert str(HistoryItem(3, END, SUCCESS)) == "(3) [End](success)"
    assert SUCCESS.ok and SUCCESS.message == "None" and SUCCESS.code is None
    assert not Feedback("fail", ErrorCode.E1, "no").ok
    assert [code.value for code in ErrorCode] == ["F1", "F2", "L1", "L2", "L3", "L4", "D1", "D2", "E1", "E2"]
    assert [outcome.value for outcome in Outcome] == ["running", "succeeded", "failed", "timed_out", "stopped"]
    assert VIEWS == ("front", "left", "back", "right")


def test_what_is_not_said() -> None:
    planner_input = PlannerInput("task", 1, {}, (), (), (), None, (), ())
    assert (planner_input.inventory_text, planner_input.history_text, planner_input.rounds, planner_input.listing) == (
        "None",
        "None",
        20,
        (),
    )
    assert Decision(()) == Decision((), analysis="", model="", raw="", problem="", answers=())
    assert Command() == Command({}, None) == Command(base=None)
    assert SentCommand(Command(), Command()).changes == ()
    detection = Detection("apple", "front", (0, 0, 1, 1))
    assert (detection.score, detection.instance, detection.part) == (1.0, "", "")
    assert Surface(np.zeros(3), 0.1, 0.1, 0.0).clearance == math.inf


def test_what_a_planner_gets_of_hand_and_history() -> None:
    items = (HistoryItem(1, Subtask("Go to", "apple"), SUCCESS), HistoryItem(2, END, Feedback("fail")))
    planner_input = PlannerInput("task", 1, {}, (), ("red apple", "mug"), items, None, (), ())
    assert planner_input.inventory_text == "red apple mug"
    assert planner_input.history_text == "(1) [Go to, apple](success) (2) [End](fail)"


@pytest.mark.parametrize("name", ["RT-1-X", "rt1x", "rt 1 x", "RT_1_X", "R.T1X"])
def test_spellings_of_a_model(name: str) -> None:
    assert model_key(name) == "rt1x" != model_key("rt2x")


def test_a_pose_on_the_floor() -> None:
    pose = Pose2(1.0, 2.0, math.pi / 2)  # it looks along y
    np.testing.assert_allclose(pose.transform(np.array([3.0, 0.5, 0.7])), [0.5, 5.0, 0.7], atol=1e-12)
    np.testing.assert_allclose(pose.inverse(np.array([0.5, 5.0, 0.7])), [3.0, 0.5, 0.7], atol=1e-12)
    np.testing.assert_array_equal(pose.xy, [1.0, 2.0])


lengths = st.floats(-9, 9)


@given(lengths, lengths, st.floats(-4, 4), st.tuples(lengths, lengths, lengths))
def test_there_and_back(x: float, y: float, yaw: float, point: tuple[float, float, float]) -> None:
    pose = Pose2(x, y, yaw)
    there = pose.transform(np.array(point))
    np.testing.assert_allclose(pose.inverse(there), point, atol=1e-9)
    assert np.hypot(*(there[:2] - pose.xy)) == pytest.approx(math.hypot(*point[:2]), abs=1e-9)


def test_a_box_on_the_floor_plan() -> None:
    box = Box(np.array([1.0, 1.0, 0.5]), np.array([2.0, 1.0, 0.5]))
    assert box.yaw == 0.0
    np.testing.assert_allclose(box.corners(), [[3, 2], [-1, 2], [-1, 0], [3, 0]])
    assert box.distance(np.array([2.5, 0.5])) == 0.0
    assert box.distance(np.array([4.0, 1.0])) == pytest.approx(1.0)
    assert box.distance(np.array([1.0, 3.5])) == pytest.approx(1.5)
    assert box.distance(np.array([6.0, 6.0])) == pytest.approx(5.0)
    turned = Box(np.array([1.0, 1.0, 0.5]), np.array([2.0, 1.0, 0.5]), math.pi / 2)
    np.testing.assert_allclose(turned.corners(), [[0, 3], [0, -1], [2, -1], [2, 3]], atol=1e-12)
    assert turned.distance(np.array([1.0, 3.5])) == pytest.approx(0.5)
    assert turned.distance(np.array([2.5, 1.0])) == pytest.approx(0.5)


@given(st.floats(-4, 4), st.floats(0.1, 2), st.floats(0.1, 2), st.floats(0.0, 1.0))
def test_the_edge_of_a_box_is_where_its_distance_begins(yaw: float, x: float, y: float, share: float) -> None:
    box = Box(np.array([0.3, -0.2, 0.0]), np.array([x, y, 1.0]), yaw)
    first, second, *_ = box.corners()
    edge = first + share * (second - first)
    outward = (edge - box.center[:2]) * 0.01
    assert box.distance(edge) == pytest.approx(0.0, abs=1e-9)
    assert box.distance(edge + outward) > 0.0 == box.distance(edge - outward)


TILT = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""A quarter turn about x: what pointed along z points along -y."""


UPRIGHT = np.eye(3)


def solid(kind: Any, *half: float, rotation: Array = UPRIGHT, points: Array | None = None) -> Solid:
    """A solid whose middle is at (1, 2, 3)."""
    return Solid(kind, np.array(half), Pose(np.array([1.0, 2.0, 3.0]), rotation), points)


@pytest.mark.parametrize(
    ("shape", "aslant"),
    [
        (solid("sphere", 0.5, 0.5, 0.5), 0.5),
        (solid("ellipsoid", 0.3, 0.4, 0.5), math.hypot(0.6 * 0.3, 0.8 * 0.5)),
        (solid("box", 0.3, 0.4, 0.5), 0.6 * 0.3 + 0.8 * 0.5),
        (solid("cylinder", 0.3, 0.3, 0.5), 0.6 * 0.3 + 0.8 * 0.5),
        (solid("capsule", 0.2, 0.2, 0.5), 0.2 + 0.8 * 0.3),
        (solid("box", 0.3, 0.5, 0.4, rotation=TILT), 0.6 * 0.3 + 0.8 * 0.5),
        (solid("hull", 0.3, 0.4, 0.5, points=np.array([[0.3, 0, 0], [0, 0.4, 0.5], [0, -0.4, 0.5]])), 0.8 * 0.5),
    ],
    ids=lambda value: value.kind if isinstance(value, Solid) else "",
)
def test_how_far_a_solid_reaches(shape: Solid, aslant: float) -> None:
    """Along an axis half its size from its middle; between x and z by its shape."""
    directions = np.array([[1.0, 0, 0], [0, 0, 1.0], [0.6, 0, 0.8]])
    along = 1.0 + shape.half[0], 3.0 + abs(shape.pose.rotation @ shape.half)[2]
    np.testing.assert_allclose(shape.reach(directions), [*along, 0.6 * 1.0 + 0.8 * 3.0 + aslant])


def test_cylinders_and_capsules_are_round() -> None:
    aslant = np.array([[0.6, 0.8, 0.0]])
    for kind in ("cylinder", "capsule"):
        np.testing.assert_allclose(solid(kind, 0.3, 0.3, 0.5).reach(aslant), [0.6 * 1.0 + 0.8 * 2.0 + 0.3])


def test_the_box_around_solids_is_the_smallest_of_its_yaw() -> None:
    low, high = (
        solid("box", 0.3, 0.4, 0.5),
        Solid("sphere", np.full(3, 0.2), Pose(np.array([2.0, 1.0, 4.0]), np.eye(3))),
    )
    upright = Box.around([low, high])
    np.testing.assert_allclose(upright.center, [(0.7 + 2.2) / 2, (0.8 + 2.4) / 2, (2.5 + 4.2) / 2])
    np.testing.assert_allclose(upright.half, [(2.2 - 0.7) / 2, (2.4 - 0.8) / 2, (4.2 - 2.5) / 2])
    assert upright.yaw == 0.0
    turned = Box.around([low], math.pi / 6)
    assert turned.yaw == pytest.approx(math.pi / 6)
    np.testing.assert_allclose(turned.center, [1.0, 2.0, 3.0])
    c, s = math.cos(math.pi / 6), math.sin(math.pi / 6)
    np.testing.assert_allclose(turned.half, [0.3 * c + 0.4 * s, 0.3 * s + 0.4 * c, 0.5])
    beside = Box.around([high], math.pi / 6)
    np.testing.assert_allclose(beside.center, [2.0, 1.0, 4.0], err_msg="in the odometry frame, not in that of the box")


def test_a_point_may_have_a_height() -> None:
    box = Box(np.array([1.0, 1.0, 0.5]), np.array([2.0, 1.0, 0.5]))
    assert box.distance(np.array([4.0, 1.0, 9.0])) == pytest.approx(1.0)


def test_what_is_not_said_of_answers_attempts_and_goals() -> None:
    nothing = {
        "reasoning": "",
        "problem": "",
        "input_tokens": 0,
        "output_tokens": 0,
        "cost": 0.0,
        "cached": False,
        "asked": "",
    }
    assert asdict(Answer("x")) == {"text": "x", **nothing, "seconds": 0.0, "cache_read_tokens": 0, "leniencies": ()}
    first, second = Detection("apple", "front", (0, 0, 1, 1)), Detection("apple", "front", (0, 0, 1, 1), number=2)
    assert (first.number, first.called, second.called) == (0, "apple", "apple 2")
    masked = replace(first, mask=np.ones((1, 1), np.bool_))
    assert masked == first and "mask" not in repr(masked)
    goal = Goal("apple", "go", np.zeros(3))
    assert not {"grid", "solids", "parts", "loose", "seen"} & set(re.findall(r"(\w+)=", repr(goal)))
    execution = Execution(Subtask("Pick"), "", (), (), SUCCESS)
    assert execution.skill_seconds == 0.0 and replace(execution, skill_seconds=2.0) == execution, (
        "wall time tells no two apart"
    )
    assert Box(np.zeros(3), np.ones(3)).name == ""


def test_what_is_in_sight_is_whole_or_a_door_of_what_is_not() -> None:
    def detection(name: str, part: str = "", view: str = "front", instance: str = "") -> Detection:
        return Detection(name, view, (0, 0, 9, 9), 1.0, instance, part)

    fridge, door, handle = detection("fridge"), detection("fridge", "door"), detection("fridge", "handle")
    floor, drawer = detection("kitchen", "floor"), detection("drawer", "drawer")
    elsewhere = detection("fridge", "door", "left")
    assert in_sight([fridge, door, handle, floor]) == (fridge, floor)
    assert in_sight([door, handle, drawer]) == (door, drawer)
    assert in_sight([fridge, elsewhere]) == (fridge, elsewhere), "in each view on its own"
    first, second = detection("fridge", instance="fridge_1"), detection("fridge", "door", instance="fridge_2")
    assert in_sight([first, second]) == (first, second), "another fridge"
    assert in_sight([first, detection("fridge", "door", instance="fridge_1")]) == (first,)


def test_a_round_began_before_its_attempts() -> None:
    attempts = tuple(Attempt(n, "pick", Outcome.FAILED, "", 1.5, 9) for n in (1, 2))
    execution = Execution(Subtask("Pick", "apple"), "", (), attempts, SUCCESS)
    assert RoundRecord(1, Decision(()), execution, (), 10.0, {}).began == 7.0
    assert (attempts[0].clamped, attempts[0].stands_in_for, execution.target) == (0, "", "")
