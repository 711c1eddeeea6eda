"""What a robot server says of its robot becomes a body, or one sentence."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

from homie import BadInput
from homie.envs.mujoco.robots.bodies import panda
from homie.envs.mujoco.robots.bodies.panda_kinematics import PandaKinematics
from homie.envs.remote.description import Description
from homie.envs.remote.link import Link

ARM = [
    {"name": joint.name, "lower": joint.lower, "upper": joint.upper, "speed": joint.speed}
    for joint in panda.SPEC.groups[0].joints
]
SPEC: dict[str, Any] = {
    "name": "arm",
    "period": 0.05,
    "groups": [{"name": "arm", "kind": "arm", "joints": ARM}],
    "kinematics": {"panda": {"height": 0.9, "ahead": 0.1}},
}


def read(**changes: Any) -> Description:
    return Description.read({**SPEC, **changes}, "unix:robot")


def test_an_arm_of_an_mjcf_text_is_worked_out_here() -> None:
    model = mujoco.MjSpec.from_file(str(panda.FILE.path))
    model.compile()
    described = read(kinematics={"mjcf": model.to_xml()})
    spec = described.spec()
    arm, reference = described.arm(spec), PandaKinematics()
    rng = np.random.default_rng(0)
    for _ in range(5):
        q = rng.uniform(*spec.chain.limits.T)
        assert arm.forward(q).position == pytest.approx(reference.forward(q).position, abs=1e-4)
        assert arm.forward(q).rotation == pytest.approx(reference.forward(q).rotation, abs=1e-4)


def test_a_panda_stands_where_it_is_said_to_stand() -> None:
    described = read()
    here, there = described.arm(described.spec()).forward(panda.HOME), PandaKinematics().forward(panda.HOME)
    assert here.position - there.position == pytest.approx([0.1, 0.0, 0.9])


def _open_arm(**changes: Any) -> None:
    described = read(**changes)
    described.arm(described.spec())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"perod": 0.1}, "The robot server at unix:robot describes its robot wrongly: perod"),
        ({"groups": [{"name": "arm", "kind": "leg", "joints": ARM}]}, "'torso', 'arm'"),
        ({"period": 0.0}, "needs a control period above 0 s"),
        ({"groups": [{"name": "arm", "kind": "arm", "joints": [{**ARM[0], "speed": 0.0}]}]}, "a speed and an"),
        ({"rest": {"arm": [0.0]}}, "the posture rest needs for 'arm' 7 numbers, "),
        ({"kinematics": {}}, "has an arm: its description needs `kinematics`"),
        ({"kinematics": {"mjcf": "<mujoco"}}, "The MJCF of the robot 'arm' cannot be used"),
        ({"kinematics": {"mjcf": "<mujoco/>"}}, "The MJCF of the robot 'arm' cannot be used"),
        ({"fingers": {"reech": 1.0}}, "reach or fingers have an unknown key"),
        ({"views": []}, "views"),
    ],
)
def test_what_does_not_fit_is_said_in_one_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput) as raised:
        _open_arm(**changes)
    assert sentence in str(raised.value) and "\n" not in str(raised.value)


def test_an_address_is_checked_first() -> None:
    with pytest.raises(BadInput, match="is not an address of a robot server"):
        Link("http://robot", token="", connect_seconds=1.0, reply_seconds=1.0)
