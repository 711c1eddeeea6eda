"""What needs no MCP: tools from the table of actions, arguments, and who holds the robot."""

from __future__ import annotations

import pytest

from homie.integrations.mcp.seat import Client, Seat
from homie.integrations.mcp.tools import Tool, of_actions, of_robot
from homie.kernel.actions import ACTION_TABLE, ACTIONS, Action, action_table
from homie.kernel.errors import BadInput

WIPE = Action(name="Wipe", hand="full", target="place", near=True, about="wipes a surface with a sponge")
OURS = ("observe", "scene", "status", "stop", "report")


def tools(*own: Action, models: tuple[str, ...] = ("classical",)) -> dict[str, Tool]:
    actions = [*ACTIONS, *(action.name for action in own)]
    return {tool.name: tool for tool in of_actions(actions, action_table([own]), models, OURS)}


def test_every_action_is_a_tool_and_end_is_none() -> None:
    assert [tool.name for tool in of_robot(("front", "left"))] == list(OURS)
    offered = tools()
    assert list(offered) == ["go_to", "pick", "put", "open", "close"]
    assert offered["put"].schema["required"] == ["target", "destination"]
    assert offered["put"].about == (
        "Put. Something has to be in the hand. For furniture and containers. The robot has to be within reach: go "
        "there first. Not inside of something closed: open that first."
    )


def test_a_skill_set_of_somebody_else_brings_its_own() -> None:
    offered = tools(WIPE, Action(name="Stop", arguments=()), models=("classical", "octo"))
    assert offered["wipe"].about.startswith("Wipe wipes a surface with a sponge. Something has to be in the hand.")
    assert offered["do_stop"].action == "Stop"  # the tool that stops the robot stays
    assert offered["pick"].schema["properties"]["model"]["enum"] == ["classical", "octo"]
    assert offered["do_stop"].checked({"model": "octo"}) == {"model": "octo"}
    assert list(ACTION_TABLE) == list(ACTIONS)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "pick needs 'target'"),
        ({"target": ""}, "pick needs 'target': it is empty"),
        ({"target": "  "}, "pick needs 'target': it is empty"),
        ({"target": 3}, "pick needs 'target': up to 200 printable"),
        ({"target": ["apple"]}, "pick needs 'target': up to 200 printable"),
        ({"target": "a" * 100_000}, "pick needs 'target': up to 200 printable"),
        ({"target": "apple\n\x1b[2J"}, "pick needs 'target': up to 200 printable"),
        ({"target": "apple", "tarjet": "x"}, "pick takes no 'tarjet': did you mean 'target'?"),
        ({"target": "apple", "model": "otco"}, "pick takes no 'model'"),
    ],
)
def test_arguments_that_make_no_sense(arguments: dict[str, object], says: str) -> None:
    with pytest.raises(BadInput) as raised:
        tools()["pick"].checked(arguments)
    assert says in str(raised.value) and len(str(raised.value)) < 200


def test_truth_values_and_choices() -> None:
    observe, report = (
        next(tool for tool in of_robot(("front",)) if tool.name == name) for name in ("observe", "report")
    )
    assert observe.checked({}) == {"view": ""} and observe.checked({"view": "all"}) == {"view": "all"}
    with pytest.raises(BadInput, match=r"has no view 'up': choose one of front, all"):
        observe.checked({"view": "up"})
    with pytest.raises(BadInput, match=r"has no view 'fornt': did you mean 'front'\?$"):
        observe.checked({"view": "fornt"})
    assert report.checked({"success": True}) == {"success": True, "reason": "", "answer": ""}
    with pytest.raises(BadInput, match="needs 'success': true or false"):
        report.checked({"success": "yes"})


def test_one_client_holds_the_robot() -> None:
    now = [0.0]
    seat = Seat(10.0, lambda: now[0])
    ann, bob = Client("1", "ann"), Client("2", "bob")
    assert seat.take(ann) is None and seat.take(bob) == ann and seat.take(ann) is None
    now[0] = 9.0
    seat.begin()
    now[0] = 100.0
    assert seat.take(bob) == ann  # she is in the middle of a call
    seat.end()
    now[0] = 109.0
    assert seat.take(bob) == ann
    now[0] = 111.0
    assert seat.holder is None and seat.take(bob) is None
    assert not seat.leave("1") and seat.leave("2") and seat.holder is None
