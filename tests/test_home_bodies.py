"""The bodies that the home has in addition to the Fetch, each a file and a description: what they reach, that they are
robots like any other, and that the classical skills work with them as they are."""

from __future__ import annotations

import json

import numpy as np
import pytest
from homes import final_state, one_room, play
from hypothesis import given, settings
from hypothesis import strategies as st

import homie
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.home.settings import HomeSettings
from homie.envs.mujoco.robots.body import SimulatedBody
from homie.kernel import registry
from homie.kernel.errors import BadInput
from homie.kernel.robot.reach import Fingers, Reach
from homie.kernel.types import Array
from homie.testing import check_robot
from skills.motion.motions import gripper_rotation

OTHERS = tuple(name for name in registry.BUILT_IN["bodies"] if name != "fetch")
TABLES = [
    {"name": "brown_table", "kind": "table", "colour": "brown", "x": 0.7, "y": 2.6},
    {"name": "white_table", "kind": "table", "colour": "white", "x": 3.4, "y": 2.6, "yaw": 3.1416},
]
APPLE = {"name": "apple", "kind": "apple", "colour": "red", "receptacle": "brown_table", "surface": "top", "x": 0.1}
SCENE = one_room(TABLES, [{**APPLE, "y": -0.1}], (2.0, 2.4, 3.1), (4.2, 4.0))


def body(name: str) -> SimulatedBody:
    matches = registry.load("bodies", name)
    assert isinstance(matches, SimulatedBody)
    return matches


@pytest.mark.parametrize("name", OTHERS)
def test_the_classical_skills_put_the_apple_on_the_other_table(tmp_path, name):
    script = ["[Go to, apple]", "[Pick, apple]", "[Go to, white table]", "[Put, apple, white table]"]
    records = play(tmp_path, SCENE, script, robot_settings={"body": name})
    assert [record.execution.feedback.message for record in records if not record.execution.feedback.ok] == []
    assert final_state(tmp_path)["objects"]["apple"]["at"] == "white_table"
    assert json.loads((tmp_path / "run" / "run.json").read_text())["options"]["robot_settings"] == {"body": name}


@pytest.mark.parametrize("name", OTHERS)
def test_each_is_a_robot_like_any_other(name):
    with MujocoHome(SCENE, picture_size=(32, 32), body=body(name)) as home:
        assert home.spec.name == name
        check_robot(home)


@pytest.mark.parametrize("name", ["fetch", *OTHERS])
def test_each_travels_within_its_footprint_and_off_its_own_body(name):
    spec, kinematics = body(name).spec, body(name).kinematics()
    for posture in (spec.rest, spec.carry):
        q = spec.chain.posture(posture)
        points = kinematics.link_points(q)
        out = np.hypot(points[:, 0], points[:, 1]) + kinematics.point_radii
        assert np.max(out) < spec.footprint_radius + 0.15, "the Fetch carries with its hand before it"
        assert kinematics.self_distance(q) > 0.02
    for ready in spec.ready:
        assert kinematics.self_distance(spec.chain.posture(ready)) > 0.02


@pytest.mark.parametrize("name", OTHERS)
def test_each_reaches_what_stands_on_tables_counters_and_shelves_where_its_spec_says(name):
    spec, kinematics = body(name).spec, body(name).kinematics()
    ready = spec.chain.posture(spec.ready[0])
    towards = np.array([np.cos(spec.reach.aside), np.sin(spec.reach.aside), 0.0])
    for height in (0.45, 0.8, 0.95):
        for distance in spec.reach.distances[:3]:
            there = distance * towards + np.array([0.0, 0.0, height])
            solutions = [
                kinematics.solve(there, gripper_rotation(spec.reach.aside, pitch), ready) for pitch in (0.35, 0.7, 0.95)
            ]
            assert sum(solution.ok for solution in solutions) >= 2, (height, distance)
    far = kinematics.solve(2.0 * towards + np.array([0.0, 0.0, 0.9]), np.eye(3), ready)
    assert not far.ok and far.position_error > 0.5


STRETCH = body("stretch-like").kinematics()
LOW, HIGH = body("stretch-like").spec.chain.limits.T
POSTURES = st.tuples(*(st.floats(0.02, 0.98) for _ in LOW)).map(lambda share: LOW + np.array(share) * (HIGH - LOW))


@given(POSTURES, st.booleans())
@settings(max_examples=60, deadline=None)
def test_what_the_telescope_reaches_is_found_again_in_closed_form(q: Array, straight_down: bool):
    q[2:6] = np.mean(q[2:6])  # the segments slide alike
    q[7] = np.pi / 2 if straight_down else q[7]
    pose = STRETCH.forward(q)
    solution = STRETCH.solve(pose.position, pose.rotation, q)
    assert solution.position_error < 1e-6 and solution.rotation_error < 1e-6
    assert solution.ok == (STRETCH.self_distance(solution.q) >= 0.0)
    there = STRETCH.solve(pose.position, None, q)
    assert not there.ok or there.position_error < 1e-3


def test_the_usual_reach_and_fingers_are_those_of_the_fetch():
    spec = body("fetch").spec
    assert (spec.reach, spec.fingers) == (Reach(), Fingers())
    assert spec.chain.slides.tolist() == [True] + [False] * 7
    assert body("stretch-like").spec.chain.slides.tolist() == [True, False, *[True] * 4, *[False] * 3]


def test_an_unknown_body_is_refused_and_the_registered_ones_are_named():
    with pytest.raises(BadInput, match=r"Unknown body of a robot 'strech-like'.*stretch-like"):
        MujocoHome.of("", HomeSettings(body="strech-like"))
    with pytest.raises(BadInput, match="no setting 'body'"):
        homie.open(robot="franka", robot_settings={"body": "fetch"}, planner="rule")
