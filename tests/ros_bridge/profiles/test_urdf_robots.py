"""Profiles of public kinds of robots: their hands are known, and what exporters write does not matter."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest
import yaml

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import parse_yaml
from ros_bridge.profiles.chain import effector
from ros_bridge.profiles.model import Profile, parse_profile
from ros_bridge.profiles.profile_from_urdf import _word, profile_from_urdf
from tests.ros_bridge.profiles.urdf_robots import CHANGES, ODD, ROBOTS, Robot, fixed, panda, robots, turn

PUBLISHED = Path(__file__).parents[4] / "shared/reference/verification/public_bugs_inputs/urdf"


def draft_profile(robot: Robot, folder: Path) -> tuple[str, Profile]:
    path = folder / "robot.urdf"
    path.write_bytes(robot.data())
    text = profile_from_urdf(path)
    return text, parse_profile(text, "drafted")


def above(robot: Robot, link: str) -> list[str]:
    """The names of the joints from the root to a link."""
    names, by_child = [], {joint.child: joint for joint in robot.joints}
    while link in by_child:
        names.append(by_child[link].name)
        link = by_child[link].parent
    return names


def place(robot: Robot, link: str, base: str, q: dict[str, float]) -> np.ndarray:
    """Forward kinematics of a URDF, after its specification, from a link back to a base."""
    by_child = {joint.child: joint for joint in robot.joints}
    pose = np.eye(4)
    while link != base:
        joint = by_child[link]
        step = np.eye(4)
        step[:3, :3] = turn(joint.rpy)
        step[:3, 3] = np.array(joint.xyz.split(), float)
        if joint.kind != "fixed":
            axis = np.array((joint.axis or "1 0 0").split(), float)
            axis /= np.linalg.norm(axis)
            value = q[joint.name]
            moved = np.eye(4)
            if joint.kind == "prismatic":
                moved[:3, 3] = value * axis
            else:
                x, y, z = axis
                cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
                moved[:3, :3] += np.sin(value) * cross + (1 - np.cos(value)) * cross @ cross
            step = step @ moved
        pose, link = step @ pose, joint.parent
    return pose[:3, 3]


@pytest.mark.parametrize("name", sorted(ROBOTS))
def test_the_hand_of_a_known_robot_is_found(name: str, tmp_path: Path) -> None:
    robot = ROBOTS[name]()
    _, profile = draft_profile(robot, tmp_path)
    assert profile.frames.effector in robot.effectors
    if robot.base is not None:
        assert profile.frames.base == robot.base
    if robot.arm is not None:
        assert [joint.name for joint in profile.groups["arm"].joints] == list(robot.arm) or set(robot.arm) <= {
            joint.name for group in profile.groups.values() for joint in group.joints
        }
    for key, value in (robot.gripper or {}).items():
        assert getattr(profile.gripper, key) == pytest.approx(value) if isinstance(value, float) else value
    assert profile.gripper is None or not set(profile.gripper.joints) - set(robot.fingers)


@pytest.mark.slow
def test_four_hundred_robots_of_all_kinds_have_profiles(tmp_path: Path) -> None:
    rng = random.Random(1)
    for name, robot in robots(400):
        try:
            text, profile = draft_profile(robot, tmp_path)
        except BadInput as error:
            pytest.fail(f"{name}: {error}")
        assert isinstance(yaml.load(text, Loader=yaml.CSafeLoader), dict) and "\t" not in text.replace("\\t", ""), name
        joints = {joint.name: joint for joint in robot.joints}
        grouped = [joint for group in profile.groups.values() for joint in group.joints]
        named = {*(joint.name for joint in grouped), *(link.joint for link in profile.chain)}
        assert named <= set(joints), name
        # The effector never moves when the hand opens, and is a hand that is known.
        moved = above(robot, profile.frames.effector)
        assert not set(moved) & set(robot.fingers), name
        assert profile.frames.effector in robot.effectors, name
        if robot.fingers and profile.gripper is not None:
            assert set(profile.gripper.joints) <= set(robot.fingers), name
        # Positions are what the specification of URDF says, joints that follow others included.
        q = {joint.name: rng.uniform(*np.clip(joint.limits, -1, 1)) for joint in grouped}
        given = dict(q)
        for joint in robot.joints:
            if joint.mimic is not None:
                driver, multiplier, offset = joint.mimic
                q[joint.name] = float(multiplier) * q.get(driver, 0.0) + float(offset)
        expected = place(robot, profile.frames.effector, profile.frames.base, q)
        assert np.allclose(effector(profile.chain, given)[:3, 3], expected, atol=1e-6), name


@pytest.mark.parametrize("change", sorted(CHANGES))
def test_each_change_alone_is_read(change: str, tmp_path: Path) -> None:
    for name in random.Random(change).sample(sorted(ROBOTS), 4):
        robot = ROBOTS[name]()
        CHANGES[change](robot, random.Random(3))
        text, profile = draft_profile(robot, tmp_path)
        assert profile.frames.effector in robot.effectors
        if "velocity" in change or "limit" in change:
            grouped = [joint for group in profile.groups.values() for joint in group.joints]
            assert all(0 < joint.velocity <= 30 for joint in grouped)
            names = {each.name for each in grouped}
            changed = [joint for joint in robot.joints if joint.name in names and joint.limits != ("-2", "2", "1.5")]
            assert (
                not changed
                or re.search(r"# \? the URDF has", text)
                or {joint.kind for joint in changed} <= {"continuous", "prismatic"}
            )


@pytest.mark.parametrize("name", [*ODD, "y", "n", "Off", "NULL", "-1", "1e5", "1.5e3", "0b1", "1:30", "", "a" * 200])
def test_a_name_is_the_same_after_yaml(name: str) -> None:
    assert parse_yaml(f"{{name: {_word(name)}, other: [{_word(name)}, 1]}}  # ?") == {"name": name, "other": [name, 1]}
    assert parse_yaml(_word(name), words=True) == name


def joint(name: str = "j", kind: str = "revolute", inside: str = "", parent: str = "a", child: str = "b") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


LINKS = '<link name="a"/><link name="b"/><link name="c"/>'


@pytest.mark.parametrize(
    ("inside", "sentence"),
    [
        (LINKS + joint() + joint(parent="b", child="c"), "two joints that are called 'j'"),
        (LINKS + '<link name="a"/>' + joint(), "two links that are called 'a'"),
        (LINKS + joint() + joint("k", parent="c"), "the link 'b' is the child of two joints, 'j' and 'k'"),
        (LINKS + joint() + joint("k", parent="b", child="a"), "go round in a circle at '[ab]'"),
        (LINKS + joint(parent="x"), "no link 'x', which its joint 'j' needs"),
        (LINKS + joint(child="x"), "no link 'x', which its joint 'j' needs"),
        (LINKS + joint(kind="revolved"), "joint 'j' of the type 'revolved'"),
        (LINKS + joint(name=" "), "a joint without a name"),
        (LINKS + joint(name="n" * 201), "name has 201 characters"),
        (LINKS + joint(inside='<axis xyz="0 0 0"/>'), "joint 'j' .* has the axis 0 0 0, which has no direction"),
        (LINKS + joint(inside='<axis xyz="0 0"/>'), 'joint \'j\' .* has axis="0 0": it must be three finite numbers'),
        (LINKS + joint(inside='<origin xyz="0 nan 0"/>'), "joint 'j' .* must be three finite numbers"),
        (LINKS + joint(inside='<origin xyz="${x} 0 0"/>'), "joint 'j' .* must be three finite numbers"),
        (LINKS + joint(inside='<mimic joint="j"/>'), "Nothing in .* moves"),
        (LINKS + joint() + joint("k", inside='<mimic joint="x"/>', parent="b", child="c") +
         '<link name="d"/>' + joint("l", parent="c", child="d"), "joint 'k' .* mimics 'x', which is not there"),
        (LINKS + joint("k", inside='<mimic joint="l"/>') + '<link name="d"/>' +
         joint("l", inside='<mimic joint="k"/>', parent="b", child="c") + joint("m", parent="c", child="d"),
         "mimics itself"),
        (LINKS + joint(kind="fixed"), "Nothing in .* moves"),
        (LINKS + joint(kind="floating"), "Nothing in .* moves"),
        ("<xacro:macro name='arm'/>" + LINKS + joint(), "is a xacro file: make a URDF of it first"),
        ("<x>" * 200 + "</x>" * 200, "nested more than 100 deep"),
    ],
)  # fmt: skip
def test_what_is_refused_is_refused_for_its_own_reason(tmp_path: Path, inside: str, sentence: str) -> None:
    path = tmp_path / "small.urdf"
    path.write_text(f'<robot name="r">{inside}</robot>')
    with pytest.raises(BadInput, match=sentence) as excinfo:
        profile_from_urdf(path)
    text = str(excinfo.value)
    assert str(path) in text and "\n" not in text and "groups." not in text and "chain." not in text


def test_entities_are_refused_in_every_encoding(tmp_path: Path) -> None:
    text = '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "b">]><robot name="&a;"/>'
    for encoding in ("utf-8", "utf-16"):
        (tmp_path / "e.urdf").write_bytes(text.encode(encoding))
        with pytest.raises(BadInput, match="defines entities"):
            profile_from_urdf(tmp_path / "e.urdf")


def test_a_comment_in_latin_1_is_read(tmp_path: Path) -> None:
    robot = panda()
    robot.inside, robot.encoding = "<!-- von Jürgen -->", "latin-1"
    assert draft_profile(robot, tmp_path)[1].frames.effector == "panda_hand_tcp"


def test_what_is_guessed_is_marked(tmp_path: Path) -> None:
    def marked(name: str) -> bool:
        return "# ?" in next(
            line for line in draft_profile(ROBOTS[name](), tmp_path)[0].splitlines() if "effector:" in line
        )

    guessed = {name for name in ROBOTS if marked(name)}
    assert not guessed & {
        "panda",
        "panda_without_tcp",
        "ur5",
        "ur5_robotiq",
        "fetch",
        "so101",
        "stretch",
        "tiago",
        "abb",
    }
    assert {"so100", "without_names", "two_arms", "quadruped", "panda_arm"} <= guessed


def test_a_second_hand_and_links_next_to_it_are_reported(tmp_path: Path) -> None:
    robot = ROBOTS["two_arms"]()
    robot.extra_links = ["left over"]
    text, profile = draft_profile(robot, tmp_path)
    assert "# Left out: left_gripper_l_finger_joint." in text and "# Not joined to the rest: left over." in text
    assert profile.frames.effector == "right_gripper_base"
    assert {len(group.joints) for group in profile.groups.values()} == {4}


def test_fingers_on_mounts_of_their_own_are_one_hand(tmp_path: Path) -> None:
    robot = panda(tcp=False)
    robot.joints += [fixed("panda_hand", "left_mount"), fixed("panda_hand", "right_mount")]
    by_name = {each.name: each for each in robot.joints}
    by_name["panda_finger_joint1"].parent, by_name["panda_finger_joint2"].parent = "left_mount", "right_mount"
    assert draft_profile(robot, tmp_path)[1].frames.effector == "panda_hand"


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the inputs of the public reports are not here")
@pytest.mark.parametrize(
    ("name", "hand"),
    [
        ("dotted_joint_names", {"a", "b"}),
        ("fingers_that_turn", {"hand"}),
        ("fixed_axis_zero", {"l1"}),
        ("gripper_alone", {"hand"}),
        ("hand_behind_fixed_joints", {"hand"}),
        ("limits_infinite", {"l1"}),
        ("mimic_in_the_arm", {"tool"}),
        ("numeric_joint_names", {"l2"}),
        ("one_jaw", {"hand", "tip"}),
        ("velocity_below_zero", {"l1"}),
        ("xacro_in_a_comment", {"l1"}),
    ],
)
def test_the_inputs_of_public_reports_have_profiles(name: str, hand: set[str]) -> None:
    profile = parse_profile(profile_from_urdf(PUBLISHED / f"{name}.urdf"), name)
    assert profile.frames.effector in hand


def test_hand_and_base_can_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOTS["two_arms"]().text())
    left_profile = parse_profile(profile_from_urdf(path, effector="left_hand"), "left")
    assert left_profile.frames.effector == "left_hand" and left_profile.gripper.joints == (
        "left_gripper_l_finger_joint",
    )
    assert {joint.name for joint in left_profile.groups["arm"].joints} == {
        f"left_{name}" for name in ("s0", "s1", "e0", "w0")
    }
    assert {joint.name for joint in left_profile.groups["right"].joints} == {
        f"right_{name}" for name in ("s0", "s1", "e0", "w0")
    }
    robot = ROBOTS["tiago"]()
    path.write_text(robot.text())
    drafted_text = profile_from_urdf(path, effector="arm_tool_link", base="torso_fixed_link")
    profile = parse_profile(drafted_text, "chosen")
    assert (profile.frames.base, profile.frames.effector) == ("torso_fixed_link", "arm_tool_link")
    at = effector(profile.chain, dict.fromkeys((*robot.arm, "torso_lift_joint"), 0.0))[:3, 3]
    assert np.allclose(
        at, place(robot, "arm_tool_link", "torso_fixed_link", dict.fromkeys(above(robot, "arm_tool_link"), 0.0))
    )
    assert not re.search(r"effector: .*# \?", drafted_text)


@pytest.mark.parametrize(
    ("links", "sentence"),
    [
        ({"effector": "gripper_grasp_frame"}, "no link 'gripper_grasp_frame': did you mean 'gripper_grasping_frame'"),
        ({"effector": "gripper_left_finger_link"}, "moves with the finger 'gripper_left_finger_joint' as the hand"),
        ({"base": "head_1_link"}, "'head_1_link' is not on the way to the hand .* choose one of base_footprint, base_"),
        ({"base": "floor"}, "there is no link 'floor': it has base_footprint, base_link"),
    ],
)
def test_a_link_that_cannot_be_chosen_is_refused(tmp_path: Path, links: dict[str, str], sentence: str) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOTS["tiago"]().text())
    with pytest.raises(BadInput, match=sentence) as excinfo:
        profile_from_urdf(path, **links)
    assert "\n" not in str(excinfo.value)


def test_wheels_and_optical_frames_are_a_base_and_a_camera(tmp_path: Path) -> None:
    drafts = {
        name: draft_profile(ROBOTS[name](), tmp_path)[1] for name in ("tiago", "stretch", "fetch", "ur5", "quadruped")
    }
    assert {name for name, profile in drafts.items() if profile.base is not None} == {"tiago", "stretch", "fetch"}
    assert drafts["tiago"].cameras["head"].rgb == "/head_front_camera/rgb/image_raw"
    assert drafts["stretch"].cameras["head"].frame == "camera_color_optical_frame"
    assert drafts["ur5"].cameras == drafts["fetch"].cameras == {}
    assert list(drafts["tiago"].groups) == ["torso", "arm", "head"] and "head" in drafts["stretch"].groups
