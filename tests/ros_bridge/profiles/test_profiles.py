"""Profiles: those of Homie, mistakes in one sentence, a first one from a URDF."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import yaml

from homie.envs.mujoco.robots.bodies.stretch_like import STRETCH_LIKE
from homie.kernel.errors import BadInput
from homie.kernel.robot.body import Group
from ros_bridge.profiles.body_with_limits import narrow_limits
from ros_bridge.profiles.chain import effector
from ros_bridge.profiles.model import built_in, parse_profile, read_profile
from ros_bridge.profiles.profile_from_urdf import profile_from_urdf

URDF = """<robot name="small">
  <link name="base"/><link name="wheel"/><link name="torso"/><link name="head"/><link name="upper"/><link name="hand"/>
  <link name="left"/><link name="right"/>
  <joint name="wheel_joint" type="continuous"><parent link="base"/><child link="wheel"/></joint>
  <joint name="lift" type="prismatic"><origin xyz="0 0 0.4"/><parent link="base"/><child link="torso"/>
    <axis xyz="0 0 1"/><limit lower="0" upper="0.3" velocity="0.1" effort="9"/></joint>
  <joint name="pan" type="revolute"><parent link="torso"/><child link="head"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="2" effort="9"/></joint>
  <joint name="shoulder" type="revolute"><origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/>
    <parent link="torso"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" velocity="1" effort="9"/></joint>
  <joint name="elbow" type="continuous"><origin xyz="0.5 0 0"/><parent link="upper"/>
    <child link="hand"/><axis xyz="0 0 1"/></joint>
  <joint name="left_finger" type="prismatic"><parent link="hand"/><child link="left"/>
    <limit lower="0" upper="0.04" velocity="0.1" effort="9"/></joint>
  <joint name="right_finger" type="prismatic"><parent link="hand"/><child link="right"/>
    <limit lower="0" upper="0.04" velocity="0.1" effort="9"/></joint>
</robot>"""


JOINTS = [{"name": "j", "velocity": 1, "acceleration": 1}]


@pytest.fixture
def urdf(tmp_path):
    def write(text):
        path = tmp_path / "small.urdf"
        path.write_text(text)
        return path

    return write


def change_profile(name="fetch", **changes):
    """The text of a profile with some top-level entries replaced."""
    return yaml.safe_dump({**read_profile(name).model_dump(mode="json", exclude_none=True), **changes})


@pytest.mark.parametrize("name", built_in())
def test_the_chain_of_a_profile_is_that_of_the_embedded_robot(name):
    profile = read_profile(name)
    if name == "fetch":
        from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics as Kinematics
    else:
        from homie.envs.mujoco.robots.bodies.panda_kinematics import PandaKinematics as Kinematics
    kinematics = Kinematics()
    moving = [link.joint for link in profile.chain if link.kind != "fixed"]
    q = np.linspace(0.1, 0.8, len(moving)) if name == "fetch" else np.array([0.1, -0.3, 0.2, -2, 0.3, 1.8, 0.4])
    pose = effector(profile.chain, dict(zip(moving, q, strict=True)))
    assert np.allclose(pose[:3, 3], kinematics.forward(q).position, atol=1e-3)


def test_a_profile_survives_being_written():
    assert parse_profile(change_profile(), "here") == read_profile("fetch")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name: [", r"Cannot read here: it is not valid YAML: .* in line 1"),
        ("name: a\nname: b", "'name' stands twice"),
        ("3", "here must hold a mapping of names to values. A robot profile is"),
        (change_profile(speed=3), r"here: speed is not known here \(got 3\)\."),
        (change_profile(joint_stats="/joints"), r"joint_stats is not known here \(did you mean 'joint_states'\?\)\."),
        (change_profile(force={"topic": "/wrench", "limit": True}), r"force\.limit must be a number \(got true\)\."),
        (change_profile(workspace={"lower": [True, 0, 0], "upper": [1, 1, 1]}), r"workspace\.lower must be a number"),
        (change_profile(joint_states="joints"), "joint_states: write an absolute name of ROS 2"),
        (change_profile(base=None, groups={}, gripper=None), "a robot needs a base, a group of joints or a gripper"),
        (change_profile(chain=[]), "a workspace needs the chain"),
        (change_profile(workspace={"lower": [0, 0, 0], "upper": [1, 0, 1]}), "each number of lower must be below"),
        (change_profile(groups={}), "the joint 'torso_lift_joint' of the chain is in no group"),
        (change_profile(force={"topic": "/wrench", "limit": float("nan")}), "nan is not a finite number in line"),
        (change_profile(groups={"arm": {"joints": JOINTS}}, chain=[]), "arm: a group needs an `action` .* or both"),
        (
            change_profile(groups={"arm": {"action": "/a", "positions": True, "joints": JOINTS}}, chain=[]),
            "`positions: true` needs a `stream` of a position controller",
        ),
        (
            change_profile(
                groups={"arm": {"stream": "/velocity_controller/commands", "positions": True, "joints": JOINTS}}
            ),
            "joints would move on when guard or network fail",
        ),
        (
            change_profile(
                groups={
                    "arm": {"action": "/a", "joints": [{"name": "x", "lower": 1, "velocity": 1, "acceleration": 1}]}
                }
            ),
            "x: give both limits",
        ),
    ],
)
def test_a_mistake_is_named_in_one_sentence(text, sentence):
    with pytest.raises(BadInput, match=sentence) as error:
        parse_profile(text, "here")
    assert "\n" not in str(error.value)


def test_a_body_beside_the_profile_is_meant_from_every_folder(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "here/my.yaml").write_text(change_profile(body="../my_body.yaml"))
    monkeypatch.chdir(tmp_path)
    assert read_profile("here/my.yaml").body == str(tmp_path / "my_body.yaml")


def test_a_body_keeps_its_way_to_reach_within_the_limits_of_a_profile():
    spec = STRETCH_LIKE.spec
    (arm,) = (group for group in spec.groups if group.kind == "arm")
    (base,) = (group for group in spec.groups if group.kind == "base")
    joints = [{"name": joint, "velocity": 0.05, "acceleration": 1} for group in spec.groups for joint in group.names]
    group = {"action": "/follow", "joints": [each for each in joints if each["name"] not in base.names]}
    profile = parse_profile(change_profile(groups={"all": group}, chain=[], workspace=None, reaching=None), "here")
    narrow = narrow_limits(spec, profile)
    assert (narrow.reach, narrow.fingers) == (spec.reach, spec.fingers) and narrow.reach.aside != 0.0
    assert [joint.slides for group in narrow.groups for joint in group.joints if group.kind == "arm"] == [
        joint.slides for joint in arm.joints
    ]
    assert set(narrow.first("arm").speeds) == {0.05}


@pytest.mark.parametrize(
    ("body_speed", "profile_speed", "speed"), [(0.4, 0.3, 0.3), (0.4, None, None), (None, 0.3, None)]
)
def test_a_base_drives_to_the_side_where_body_and_profile_say_so(body_speed, profile_speed, speed):
    spec = replace(STRETCH_LIKE.spec, groups=(omnidirectional(body_speed),), rest={}, carry={}, ready=())
    base = {**yaml.safe_load(change_profile())["base"], "sideways": profile_speed}
    joints = narrow_limits(spec, parse_profile(change_profile(base=base), "here")).groups[0].joints
    assert [joint.speed for joint in joints[2:]] == ([] if speed is None else [speed])


def omnidirectional(speed):
    return Group.base(linear=1.0, angular=1.0, linear_acceleration=1.0, angular_acceleration=1.0, sideways=speed)


def test_an_unknown_profile_is_refused_with_what_there_is(tmp_path):
    with pytest.raises(BadInput, match="did you mean 'fetch'"):
        read_profile("fetsch")
    with pytest.raises(BadInput, match="Cannot read"):
        read_profile(str(tmp_path / "none.yaml"))


def test_a_profile_from_a_urdf_has_its_joints_and_its_hand(urdf):
    profile = parse_profile(profile_from_urdf(urdf(URDF)), "made")
    assert {name: [joint.name for joint in group.joints] for name, group in profile.groups.items()} == {
        "arm": ["lift", "shoulder", "elbow"],
        "pan": ["pan"],
    }
    assert profile.groups["arm"].joints[0].limits == (0.0, 0.3)
    assert profile.groups["arm"].joints[2].limits == (-np.inf, np.inf)
    assert profile.gripper is not None and profile.gripper.width == pytest.approx(0.08)
    assert profile.frames.effector == "hand"
    hand = effector(profile.chain, {"lift": 0.1, "shoulder": 0.0, "elbow": 1.0})
    assert np.allclose(hand[:3, 3], (0.1, 0.5, 0.5))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<robot", "not a URDF"),
        ("<sdf/>", "outermost element is <sdf>"),
        ('<robot name="a"/>', "Nothing in .* moves"),
        ('<robot name="a"><joint name="j" type="revolute"/></robot>', "'j' has no parent"),
        ('<!DOCTYPE r [<!ENTITY a "b">]><robot name="a"/>', "defines entities"),
        ('<robot xmlns:xacro="x"><xacro:arm/></robot>', "xacro small.urdf"),
        (
            (
                '<robot><link name="a"/><link name="b"/>'
                '<joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint>'
                '<joint name="k" type="revolute"><parent link="b"/><child link="a"/></joint></robot>'
            ),
            "round in a circle",
        ),
    ],
)
def test_what_is_no_urdf_is_refused(urdf, text, sentence):
    with pytest.raises(BadInput, match=sentence):
        profile_from_urdf(urdf(text))
