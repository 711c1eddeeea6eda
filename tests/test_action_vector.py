"""A command from numbers with names."""

from __future__ import annotations

import numpy as np
import pytest
from homie_tiny import SPEC

import homie
from homie import ActionVector, BadInput, Command

NAMES = ("base.linear", "base.angular", "arm.lift", "gripper.gripper_opening")


def test_numbers_become_a_command_and_a_command_becomes_numbers() -> None:
    vector = ActionVector(SPEC)
    assert vector.names == NAMES and len(vector) == 4
    assert vector.limits.tolist() == [[-1.0, 1.0], [-2.0, 2.0], [-1.0, 1.0], [0.0, 0.1]]
    command = vector.command(np.array([0.5, 0.0, 0.25, 0.05]))
    assert command == Command(base=(0.5, 0.0), arm=(0.25,), gripper=(0.05,))
    with homie.open(robot="tiny", skills="tiny", detector="tiny", targets="tiny") as session:
        body = session.robot.measured()
        assert vector.numbers(command, body).tolist() == [0.5, 0.0, 0.25, 0.05]
        assert vector.numbers(Command(arm=0.5), body).tolist() == [0.0, 0.0, 0.5, 0.1]
        assert session.robot.act(command).sent.get("base") is not None


def test_names_of_groups_and_of_single_numbers() -> None:
    vector = ActionVector(SPEC)
    assert vector.command({"base": (0.5, 0.0), "gripper": 0.05}) == Command(base=(0.5, 0.0), gripper=(0.05,))
    assert vector.command({"base.angular": 1.0, "base.linear": 0.5}) == Command(base=(0.5, 1.0))
    assert ActionVector(SPEC, ["gripper", "arm"]).command([0.05, 0.5]) == Command(gripper=(0.05,), arm=(0.5,))


@pytest.mark.parametrize(
    ("action", "says"),
    [
        ([0.1, 0.2], "The action is 4 numbers, base.linear, base.angular, "),
        ([0.1, 0.2, 0.3, float("nan")], "The action is 4 numbers, base.linear, base.angular, "),
        ("fast", "The action is 4 numbers, base.linear, base.angular, "),
        ({"base": 0.5}, "The group 'base' is 2 numbers, forward speed (m/s) and turning speed (rad/s), "),
        (
            {"base": ("a", "b")},
            "The group 'base' is 2 numbers, forward speed (m/s) and turning speed (rad/s), ",
        ),
        ({"bas": (0.5, 0.0)}, "There is no number 'bas' in this action: did you mean 'base'?"),
        ({"base.linear": 0.5}, "The group 'base' is given in part: add base.angular"),
        ({"base": (0.5, 0.0), "base.linear": 0.5}, "The group 'base' is given twice"),
        ({"arm.lift": (0.5, 0.5)}, "The group 'arm' is 1 number, lift (rad), all finite"),
    ],
)
def test_what_is_wrong_is_said(action: object, says: str) -> None:
    with pytest.raises(BadInput) as raised:
        ActionVector(SPEC).command(action)  # type: ignore[arg-type]
    assert says in str(raised.value)


def test_a_group_that_there_is_not() -> None:
    with pytest.raises(BadInput, match="no group 'gripers': did you mean 'gripper'"):
        ActionVector(SPEC, ["gripers"])
