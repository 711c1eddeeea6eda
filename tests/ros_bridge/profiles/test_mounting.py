"""Where the base frame of a profile is in that of its body, and bodies that are not the robot of their profile."""

from __future__ import annotations

import numpy as np
import pytest
import yaml

from homie.envs.mujoco.robots.bodies.fetch_kinematics import FETCH
from homie.envs.mujoco.robots.body_from_file import amended_body
from homie.envs.mujoco.table.robot import PANDA
from homie.kernel.errors import BadInput
from ros_bridge.profiles.body_with_limits import narrow_limits
from ros_bridge.profiles.model import read_profile
from ros_bridge.profiles.mounting import mounted
from tests.ros_bridge.profiles import tiago, ur5e


def stands(profile, body):
    return mounted(profile, narrow_limits(body.spec, profile), body.kinematics())


def read_changed(tmp_path, path, change):
    profile = yaml.safe_load(path.read_text())
    change(profile)
    (tmp_path / "changed.yaml").write_text(yaml.safe_dump(profile))
    return read_profile(str(tmp_path / "changed.yaml"))


def test_the_bases_of_robots_that_drive_are_those_of_their_bodies(tmp_path):
    np.testing.assert_allclose(stands(read_profile("fetch"), FETCH), np.eye(4), atol=1e-3)
    profile = read_profile(str(tiago.write_profile(tmp_path)))
    np.testing.assert_allclose(stands(profile, amended_body(tiago.BODY)), np.eye(4), atol=1e-3)


def test_an_arm_stands_where_its_body_says_however_its_base_is_turned(tmp_path):
    expected = np.eye(4)
    expected[2, 3] = 0.75
    np.testing.assert_allclose(stands(read_profile("franka"), PANDA), expected, atol=1e-3)
    profile = read_profile(str(ur5e.write_profile(tmp_path)))
    expected = np.diag([-1.0, -1.0, 1.0, 1.0])
    expected[2, 3] = 0.7
    np.testing.assert_allclose(stands(profile, amended_body(ur5e.BODY)), expected, atol=1e-3)


@pytest.mark.parametrize(
    "change",
    [
        lambda profile: profile["chain"][2].update(axis=[0, 0, -1]),
        lambda profile: profile["chain"][3].update(xyz=[-0.5, 0, 0]),
        lambda profile: profile["chain"][3].update(rpy=[0, 0, 0.3]),
    ],
    ids=["a joint that turns the other way", "a longer arm", "another zero"],
)
def test_a_body_that_is_another_arm_than_the_chain_is_refused(change, tmp_path):
    profile = read_changed(tmp_path, ur5e.write_profile(tmp_path), change)
    with pytest.raises(BadInput, match="are not the same: in the same posture their hands are up to"):
        stands(profile, amended_body(ur5e.BODY))


def test_a_base_frame_beside_that_of_a_body_that_drives_is_refused(tmp_path):
    def shift(profile):
        profile["chain"][0]["xyz"][0] += 0.1

    profile = read_changed(tmp_path, tiago.write_profile(tmp_path), shift)
    with pytest.raises(BadInput, match=r"is 0.10 m and 0.00 rad beside the root of its body: choose another by"):
        stands(profile, amended_body(tiago.BODY))


def test_skills_use_the_arm_that_the_body_names_first_and_the_chain_has_to_lead_to_its_hand(tmp_path):
    body = yaml.safe_load(tiago.BODY.read_text())
    both = dict(body["groups"]["arm"]["joints"])
    first = {name: both.pop(name) for name in list(both)[:3]}
    arms = {"other": {"kind": "arm", "joints": first}, "arm": {"kind": "arm", "joints": both}}
    body["groups"] = {"torso": body["groups"]["torso"], **arms, "head": body["groups"]["head"]}
    body["mjcf"] = str(tiago.BODY.with_name(body["mjcf"]))
    (tmp_path / "body.yaml").write_text(yaml.safe_dump(body, sort_keys=False))
    two_armed = amended_body(tmp_path / "body.yaml")
    assert two_armed.spec.chain.names == ("torso_lift_joint", *first)
    with pytest.raises(BadInput, match=r"leads along the joint arm_4_joint, and skills move .*or name the other arm"):
        stands(read_profile(str(tiago.write_profile(tmp_path))), two_armed)
