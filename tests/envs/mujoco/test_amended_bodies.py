"""Robots of others as bodies of the home, by files of amendments. Their models were written for these tests after the
conventions of MuJoCo Menagerie, which is not to be had here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from homes import final_state, one_room, play

from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.robots.body_from_file import amended_body
from homie.kernel.errors import BadInput
from homie.kernel.types import Command
from homie.testing import check_robot
from skills.motion.motions import gripper_rotation

FOLDER = Path(__file__).with_name("bodies_of_others")
BODIES = ("stretch", "tiago")
TABLES = [
    {"name": "brown_table", "kind": "table", "colour": "brown", "x": 0.7, "y": 2.6},
    {"name": "white_table", "kind": "table", "colour": "white", "x": 3.4, "y": 2.6, "yaw": 3.1416},
]
APPLE = {"name": "apple", "kind": "apple", "colour": "red", "receptacle": "brown_table", "surface": "top", "x": 0.1}
SCENE = one_room(TABLES, [{**APPLE, "y": -0.1}], (2.0, 2.4, 3.1), (4.2, 4.0))


@pytest.mark.parametrize("name", BODIES)
def test_it_is_a_robot_like_any_other(name: str) -> None:
    with MujocoHome(SCENE, picture_size=(32, 32), body=amended_body(FOLDER / f"{name}.yaml")) as home:
        assert home.spec.name == name
        check_robot(home)


@pytest.mark.parametrize("name", BODIES)
def test_it_reaches_tables_and_folds_its_arm(name: str) -> None:
    body = amended_body(FOLDER / f"{name}.yaml")
    spec, kinematics = body.spec, body.kinematics()
    ready, carry = spec.chain.posture(spec.ready[0]), spec.chain.posture(spec.carry)
    towards = np.array([np.cos(spec.reach.aside), np.sin(spec.reach.aside), 0.0])
    for height in (0.45, 0.8):
        there = spec.reach.distances[0] * towards + np.array([0.0, 0.0, height])
        assert kinematics.solve(there, gripper_rotation(spec.reach.aside, 0.7), ready).ok, height
    points = kinematics.link_points(carry)
    assert np.max(np.hypot(points[:, 0], points[:, 1]) + kinematics.point_radii) < spec.footprint_radius + 0.15
    assert kinematics.self_distance(carry) > 0.02


def test_an_omnidirectional_base_drives_to_its_left(tmp_path: Path) -> None:
    text = (FOLDER / "tiago.yaml").read_text().replace("angular: 1.5}", "angular: 1.5, sideways: 0.3}")
    (tmp_path / "tiago.xml").write_text((FOLDER / "tiago.xml").read_text())
    (tmp_path / "tiago.yaml").write_text(text)
    scene = one_room([], robot=(2.0, 2.0, 1.5708), size=(4.0, 4.0))
    with MujocoHome(scene, picture_size=(32, 32), body=amended_body(tmp_path / "tiago.yaml")) as home:
        check_robot(home)
        for _ in range(50):
            home.act(Command(base=(0.0, 0.0, 0.3)))
        body = home.measured()
        assert body.base.x < 1.6 and body.base.y == pytest.approx(2.0, abs=0.02), "to the left is -x here"
        assert body.base_velocity == pytest.approx((0.0, 0.0, 0.3), abs=0.02)
        home.stop()
        assert home.measured().base_velocity == pytest.approx((0.0, 0.0, 0.0), abs=0.01)


def test_an_arm_that_is_fixed_has_no_base_and_stands_in_no_home() -> None:
    body = amended_body(FOLDER / "ur5e.yaml")
    spec, kinematics = body.spec, body.kinematics()
    assert [group.kind for group in spec.groups] == ["arm", "gripper"]
    there = kinematics.forward(spec.chain.posture(spec.ready[0]))
    assert there.position[2] > 0.7 + 0.2 and there.rotation[2, 0] == pytest.approx(-1.0, abs=0.01), "it points down"
    lower = there.position - np.array([0.0, 0.0, 0.2])
    assert kinematics.solve(lower, there.rotation, spec.chain.posture(spec.ready[0])).ok
    with pytest.raises(BadInput, match=r"A robot in the home needs a base; the ur5e has none\."):
        MujocoHome(SCENE, body=body)


@pytest.mark.slow
@pytest.mark.parametrize("name", BODIES)
def test_the_classical_skills_take_the_apple(name: str, tmp_path: Path) -> None:
    body = str(FOLDER / f"{name}.yaml")
    records = play(tmp_path, SCENE, ["[Go to, apple]", "[Pick, apple]"], robot_settings={"body": body})
    assert [record.execution.feedback.message for record in records if not record.execution.feedback.ok] == []
    assert final_state(tmp_path)["held"] == "apple"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (
            "torso_lift_joint: 0.1}",
            "torso_lift: 0.1}",
            "which its amendments name: did you mean 'torso_lift_joint'?",
        ),
        ("{body: arm_7_link, pos: [0.19", "{body: hand, pos: [0.19", "no body 'hand'"),
        ("{body: base_link, height", "{body: torso_lift_link, height", "is not its root"),
        ("classes: [collision, finger_collision]", "groups: [5]", "Nothing of the robot"),
        ("  ready:", "  reddy:", "postures"),
        ("  wrist: {", "  hand: {", "cameras lack wrist"),
        ("hand: {reach: 0.025", "hand: {length: 0.025", "'length' is not known here: choose one of "),
        ("hand: {reach: 0.025", "hand: {reech: 0.025", "'reech' is not known here: did you mean 'reach'?"),
        ("mjcf: tiago.xml", "mjcf: tiagos.xml", "Cannot read the robot"),
        ("base_link, height", "base_link, fixed: true, height", "what is fixed has no angular"),
    ],
)
def test_mistakes_in_amendments_are_reported_in_a_sentence(old: str, new: str, why: str, tmp_path: Path) -> None:
    text = (FOLDER / "tiago.yaml").read_text()
    assert old in text
    (tmp_path / "tiago.xml").write_text((FOLDER / "tiago.xml").read_text())
    (tmp_path / "tiago.yaml").write_text(text.replace(old, new))
    with pytest.raises(BadInput, match=why):
        amended_body(tmp_path / "tiago.yaml")
