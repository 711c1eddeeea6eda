"""Every message of agent and guard goes there and back as a line; what is none is refused in one sentence."""

from __future__ import annotations

import re

import pytest

from ros_bridge.guard.messages import (
    Aim,
    ApprovalDecision,
    Cancel,
    CommandEnded,
    Grip,
    Heartbeat,
    Hello,
    Navigate,
    Obstacle,
    Point,
    Reach,
    RefusalMessage,
    Stop,
    StopResult,
    Subtask,
    Trajectory,
    Velocity,
    Welcome,
    from_agent,
    from_guard,
    line,
)

OF_AGENTS = {
    "hello": Hello(version=5, profile="fetch", digest="0f", network={"ROS_DOMAIN_ID": "7"}, simulated=True),
    "beat": Heartbeat(),
    "velocity": Velocity(linear=0.1, angular=-0.2, frame="base_link", stamp=1.5),
    "aim": Aim(group="arm", positions=(0.1, 0.2), stamp=1.5),
    "trajectory": Trajectory(
        id=1, group="arm", joints=("a", "b"), points=(Point(positions=(0.1, 0.2), time=1.0),), stamp=1.5
    ),
    "grip": Grip(id=2, width=0.05, effort=10, stamp=1.5),
    "navigate": Navigate(id=3, x=1, y=2, yaw=3, frame="odom", stamp=1.5),
    "reach": Reach(
        id=4,
        joints=("a",),
        positions=(0.1,),
        boxes=(Obstacle(center=(1, 2, 3), half=(4, 5, 6), yaw=7),),
        held=((1, 2, 3, 4),),
        frame="base_link",
        stamp=1.5,
    ),
    "cancel": Cancel(id=5),
    "stop": Stop(id=6),
    "subtask": Subtask(id=7, text="Pick | apple"),
}
OF_GUARDS = {
    "welcome": Welcome(armed=True, dry_run=False, approval=True),
    "refused": RefusalMessage(id=1, why="too fast"),
    "ended": CommandEnded(id=2, outcome="aborted", code=-4, text="in the way", position=0.1, stalled=True),
    "stopped": StopResult(id=3, confirmed=True, text="The robot stands."),
    "decided": ApprovalDecision(id=4, approved=False),
}


@pytest.mark.parametrize("kind", OF_AGENTS)
def test_a_message_of_an_agent(kind):
    message = OF_AGENTS[kind]
    assert message.kind == kind and line(message).endswith(b"\n") and line(message).count(b"\n") == 1
    assert from_agent(line(message)) == message
    with pytest.raises(ValueError, match=r"(?i)input tag"):
        from_guard(line(message))


@pytest.mark.parametrize("kind", OF_GUARDS)
def test_a_message_of_a_guard(kind):
    message = OF_GUARDS[kind]
    assert message.kind == kind and from_guard(line(message)) == message
    with pytest.raises(ValueError, match=r"(?i)input tag"):
        from_agent(line(message))


def test_what_is_left_out_has_its_usual_value():
    assert RefusalMessage(why="x").id is None
    ended = CommandEnded(id=1, outcome="succeeded")
    assert (ended.code, ended.text, ended.position, ended.stalled) == (0, "", None, None)
    reach = Reach(id=1, joints=(), positions=(), frame="base_link", stamp=0.0)
    assert (reach.boxes, reach.held) == ((), ())


@pytest.mark.parametrize(
    ("change", "fits", "over"),
    [
        ("aim", {"positions": (0.0,) * 64}, {"positions": (0.0,) * 65}),
        ("aim", {"group": "x" * 500}, {"group": "x" * 501}),
        ("stop", {"id": 0}, {"id": -1}),
        ("stop", {"id": 1 << 53}, {"id": (1 << 53) + 1}),
        ("subtask", {"text": "x" * 500}, {"text": "x" * 501}),
        ("trajectory", {"joints": ("x",) * 64}, {"joints": ("x",) * 65}),
        (
            "trajectory",
            {"points": (Point(positions=(0.0,) * 64, time=0.0),) * 2000},
            {"points": (Point(positions=(), time=0.0),) * 2001},
        ),
        ("reach", {"joints": ("x",) * 64}, {"joints": ("x",) * 65}),
        ("reach", {"positions": (0.0,) * 64}, {"positions": (0.0,) * 65}),
        ("reach", {"boxes": OF_AGENTS["reach"].boxes * 500}, {"boxes": OF_AGENTS["reach"].boxes * 501}),
        ("reach", {"held": ((0.0, 0.0, 0.0, 1.0),) * 500}, {"held": ((0.0, 0.0, 0.0, 1.0),) * 501}),
    ],
)
def test_how_much_fits_into_a_message(change, fits, over):
    fitting = OF_AGENTS[change].model_copy(update=fits)
    assert from_agent(line(fitting)) == fitting
    with pytest.raises(ValueError, match=r"^\S.*$"):
        from_agent(line(OF_AGENTS[change].model_copy(update=over)))


def test_a_point_has_64_positions_at_most():
    point = Point(positions=(0.0,) * 64, time=0.0)
    assert Point.model_validate(point.model_dump()) == point
    with pytest.raises(ValueError, match="at most 64"):
        Point(positions=(0.0,) * 65, time=0.0)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "Invalid JSON"),
        (b'{"kind": "stop"}', "stop.id is missing"),
        (b'{"kind": "stop", "id": 1, "more": 2}', "stop.more is not known here (got 2)"),
        (b'{"kind": "stop", "id": true}', "stop.id must be a whole number (got true)"),
        (b'{"kind": "hello", "version": true, "profile": "x"}', "hello.version must be a whole number (got true)"),
        (b'{"kind": "dance"}', "Input tag 'dance'"),
    ],
)
def test_what_is_no_message_is_refused_with_its_place(data, words):
    for read in (from_agent, from_guard):
        with pytest.raises(ValueError, match=r"^[^\n]+$"):
            read(data)
    with pytest.raises(ValueError, match=re.escape(words)):
        from_agent(data)


def test_messages_do_not_change():
    with pytest.raises(ValueError, match="frozen"):
        OF_AGENTS["stop"].id = 9
