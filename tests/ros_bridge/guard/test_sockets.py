"""The socket between agent and guard, with a guard of the test: who may come, what is read, who is let go and why."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from homie.kernel.errors import BadInput, CommandRefused, InfrastructureError, RobotFault
from homie.kernel.types import Box
from ros_bridge.guard.greeting import greeting
from ros_bridge.guard.link import EmergencyStop, GuardLink, NoGuard
from ros_bridge.guard.messages import (
    LONGEST_LINE,
    Aim,
    ApprovalDecision,
    Cancel,
    CommandEnded,
    Grip,
    Heartbeat,
    Navigate,
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
from ros_bridge.guard.sockets import MOST_MESSAGES, AgentSocket, socket_path
from ros_bridge.profiles.model import Profile, read_profile
from ros_bridge.transport.network import Network
from tests.waiting import until

FETCH = read_profile("fetch")
HERE = Network(domain=79)
HELLO = greeting(FETCH, HERE, None)


class Guard:
    """Records its calls, and answers as a test has it."""

    def __init__(self):
        self.profile, self.armed, self.approval, self.silence, self.standing = FETCH, True, "none", 0.2, True
        self.told, self.lost_by, self.answers, self.emergency_stop = [], [], {}, ""

    def receive(self, message, reply):
        self.told.append(message)
        for answer in self.answers.get(message.kind, ()):
            fields = {"id": message.id} if "id" in type(answer).model_fields and answer.id is not None else {}
            reply(answer.model_copy(update=fields))

    def lost(self, why):
        self.lost_by.append(why)

    def commands(self):
        return [message for message in self.told if not isinstance(message, Heartbeat)]


@pytest.fixture
def guard():
    return Guard()


@pytest.fixture
def listening(guard, tmp_path):
    """A socket in use, waited on in a thread."""
    agent, over = AgentSocket(tmp_path / "s" / "guard.sock", guard, dry_run=False, network=HERE), threading.Event()

    def loop():
        while not over.is_set():
            agent.wait(0.02)

    thread = threading.Thread(target=loop)
    thread.start()
    yield agent
    over.set()
    thread.join()
    agent.close()


class Agent:
    """An agent byte by byte."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(20)
        self.socket.connect(str(path))
        self.rest = b""

    def say(self, *messages):
        self.socket.sendall(b"".join(message if isinstance(message, bytes) else line(message) for message in messages))

    def hear(self):
        """The next message; None where the guard has let go."""
        while b"\n" not in self.rest:
            data = self.socket.recv(1 << 16)
            if not data:
                return None
            self.rest += data
        first, _, self.rest = self.rest.partition(b"\n")
        return from_guard(first)

    def greet(self, **changes):
        self.say(HELLO.model_copy(update=changes))
        return self.hear()


@pytest.fixture
def agent(listening):
    agent = Agent(listening.path)
    yield agent
    agent.socket.close()


# ------------------------------------------------------------ coming in


def test_an_agent_that_says_hello_is_welcome(agent, guard):
    assert agent.greet() == Welcome(armed=True, dry_run=False, approval=False)
    agent.say(Heartbeat(), Stop(id=3))
    until(lambda: len(guard.told) == 2)
    assert guard.told == [Heartbeat(), Stop(id=3)] and not guard.lost_by


def test_the_welcome_says_how_the_guard_is(guard, tmp_path):
    guard.armed, guard.approval = False, "subtask"
    agents = AgentSocket(tmp_path / "guard.sock", guard, dry_run=True, network=HERE)
    agent = Agent(agents.path)
    agents.wait(5)
    agent.say(HELLO)
    agents.wait(5)
    assert agent.hear() == Welcome(armed=False, dry_run=True, approval=True)
    agents.close()
    agent.socket.close()


@pytest.mark.parametrize("changes", [{"version": 4}, {"profile": "franka"}])
def test_an_agent_of_another_guard_is_let_go(agent, guard, changes):
    refused = agent.greet(**changes)
    assert refused.why.startswith("This guard has version 6 and the profile fetch, the agent ")
    assert agent.hear().why == "The guard lets this agent go: it belongs to another guard."
    assert agent.hear() is None
    until(lambda: guard.lost_by)
    assert guard.lost_by == ["the agent is gone: it belongs to another guard"]


@pytest.mark.parametrize(
    ("network", "words"),
    [
        (Network(domain=5), "has ROS_DOMAIN_ID=79, the agent ROS_DOMAIN_ID=5. Start both with the same."),
        (Network(79, "lo"), "has ROS_LOCALHOST_ONLY=0, the agent ROS_LOCALHOST_ONLY=1. Start both with the same."),
    ],
)
def test_an_agent_of_another_network_moves_nothing(listening, guard, network, words):
    with pytest.raises(InfrastructureError, match=f"^This guard is on another network than the agent: it {words}$"):
        GuardLink(FETCH, listening.path, network=network)
    assert guard.told == []


def test_an_agent_with_another_configuration_of_the_middleware_moves_nothing(listening, guard, monkeypatch):
    monkeypatch.setenv("CYCLONEDDS_URI", "file:///lab.xml")
    with pytest.raises(InfrastructureError, match=r"it has CYCLONEDDS_URI=, the agent CYCLONEDDS_URI=file:///lab.xml"):
        GuardLink(FETCH, listening.path, network=HERE)
    monkeypatch.setenv("CYCLONEDDS_URI", "<x>" * 1000)
    with pytest.raises(InfrastructureError, match=r"the agent CYCLONEDDS_URI=\(3000 characters, [0-9a-f]{16}\)"):
        GuardLink(FETCH, listening.path, network=HERE)


def test_a_profile_that_was_changed_since_is_refused(listening):
    changed = FETCH.model_dump()
    changed["base"]["linear"] /= 2
    with pytest.raises(InfrastructureError, match="This guard has read another profile fetch than the agent"):
        GuardLink(Profile.model_validate(changed), listening.path, network=HERE)


def test_a_real_robot_is_not_taken_for_a_simulated_one(listening, monkeypatch):
    monkeypatch.setattr("ros_bridge.guard.sockets.SETTLING", 0.1)
    with pytest.raises(
        InfrastructureError, match="This guard watches a real robot, the agent a simulated one: set ROS"
    ):
        GuardLink(FETCH, listening.path, network=HERE, simulated=True)
    GuardLink(FETCH, listening.path, network=HERE, simulated=False).close()


def test_a_guard_finds_out_in_a_moment_whether_its_robot_is_simulated(tmp_path, guard):
    looks = iter([False, False, True])
    agents = AgentSocket(tmp_path / "g.sock", guard, False, network=HERE, simulated=lambda: next(looks))
    agent = Agent(agents.path)
    agents.wait(5)
    agent.say(greeting(FETCH, HERE, True))
    for _ in range(3):
        agents.wait(0.05)
    assert isinstance(agent.hear(), Welcome) and next(looks, None) is None
    agents.close()
    agent.socket.close()


def test_who_begins_without_a_hello_is_let_go(agent, guard):
    agent.say(Heartbeat())
    assert "it began without a hello" in agent.hear().why
    assert guard.told == []


def test_one_agent_at_a_time(agent, listening, guard):
    agent.greet()
    second = Agent(listening.path)
    assert second.hear() == RefusalMessage(why="Another agent commands this robot: one at a time.")
    assert second.hear() is None
    second.socket.close()
    agent.say(Stop(id=1))
    until(lambda: guard.told)
    agent.socket.close()
    until(lambda: guard.lost_by)
    assert guard.lost_by == ["the agent is gone: it has ended"]
    third = Agent(listening.path)
    assert isinstance(third.greet(), Welcome), "the next one may come, and has to greet"
    third.socket.close()


def test_the_socket_is_of_its_user_alone(listening):
    assert stat.S_IMODE(os.stat(listening.path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(listening.path.parent).st_mode) == 0o700
    with pytest.raises(InfrastructureError, match="Another guard listens at"):
        AgentSocket(listening.path, Guard(), dry_run=False, network=HERE)


def test_a_socket_that_was_left_is_taken_over_and_taken_away(tmp_path):
    path = tmp_path / "guard.sock"
    path.write_text("")
    agents = AgentSocket(path, Guard(), dry_run=False, network=HERE)
    assert stat.S_ISSOCK(os.stat(path).st_mode)
    agents.close()
    assert not path.exists()
    AgentSocket(path, Guard(), dry_run=False, network=HERE).close()


def test_a_path_that_is_too_long_is_reported(tmp_path):
    folder = tmp_path / "x"
    fits = 100 - len(os.fsencode(folder)) - 1
    AgentSocket(folder / ("a" * fits), Guard(), dry_run=False, network=HERE).close()
    with pytest.raises(BadInput, match="Choose a shorter one with --socket"):
        AgentSocket(folder / ("a" * (fits + 1)), Guard(), dry_run=False, network=HERE)


def test_a_guard_that_ends_says_so_and_stops_what_its_agent_began(guard, tmp_path):
    agents = AgentSocket(tmp_path / "guard.sock", guard, dry_run=False, network=HERE)
    agent = Agent(agents.path)
    agents.wait(5)
    agents.close()
    assert guard.lost_by == ["the agent is gone: the guard ends"]
    assert agent.hear() == RefusalMessage(why="The guard lets this agent go: the guard ends.") and agent.hear() is None
    agent.socket.close()


def test_where_the_socket_is(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert socket_path("my robot/2", HERE) == tmp_path / "homie" / "guard-my_robot_2-79.sock"
    monkeypatch.setenv("ROS_DOMAIN_ID", "5")
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr("tempfile.gettempdir", lambda: "/t")
    assert socket_path("a-b_c") == Path(f"/t/homie-{os.getuid()}/guard-a-b_c-5.sock")


# ------------------------------------------------------------ what is read


def test_a_message_may_come_in_pieces_and_several_at_once(agent, guard):
    agent.greet()
    two_lines = line(Stop(id=1)) + line(Stop(id=2))
    agent.say(two_lines[:5])
    time.sleep(0.05)
    agent.say(two_lines[5:], line(Stop(id=3))[:-1])
    until(lambda: len(guard.told) == 2)
    agent.say(b"\n")
    until(lambda: len(guard.told) == 3)
    assert [message.id for message in guard.told] == [1, 2, 3]


def test_what_is_no_message_is_answered_and_logged_and_nobody_is_let_go(agent, guard, caplog):
    agent.greet()
    agent.say(b"[]\n", b'{"kind": "stop", "id": -1}\n')
    assert agent.hear().why.startswith("This is not a message to a guard: ")
    assert "id must be at least 0 (got -1)" in agent.hear().why
    assert "Refused on the agent's socket (1 so far): " in caplog.text
    agent.say(Stop(id=4))
    until(lambda: guard.told == [Stop(id=4)])


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_what_is_too_long_lets_the_agent_go(agent, guard, end):
    assert LONGEST_LINE == 524_288
    agent.greet()
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        agent.say(b"x" * (LONGEST_LINE + 1) + end)
    until(lambda: guard.lost_by)
    assert guard.lost_by == ["the agent is gone: it sent a message of more than 524288 bytes"]


def test_a_line_of_half_a_mebibyte_is_read(agent, guard):
    agent.greet()
    agent.say(b"x" * LONGEST_LINE + b"\n", b"x" * LONGEST_LINE)
    assert agent.hear().why.startswith("This is not a message to a guard: ")
    assert not guard.lost_by


def test_the_longest_trajectory_fits(agent, guard):
    agent.greet()
    points = tuple(Point(positions=(-0.12345678901234567,) * 8, time=0.06 * number + 0.001) for number in range(2000))
    command = Trajectory(id=1, group="arm", joints=("j",) * 8, points=points, stamp=1.0)
    assert 400_000 < len(line(command)) <= LONGEST_LINE
    agent.say(command)
    until(lambda: guard.told == [command])
    with pytest.raises(ValueError, match="points takes at most 2000 of them"):
        from_agent(line(command.model_copy(update={"points": (*points, points[0])})))


def test_four_hundred_messages_in_a_second_and_no_more(agent, guard):
    assert MOST_MESSAGES == 400
    agent.greet()
    agent.say(*[Heartbeat()] * 399)
    until(lambda: len(guard.told) == 399)
    assert not guard.lost_by
    agent.say(Heartbeat(), Heartbeat())
    until(lambda: guard.lost_by)
    assert guard.lost_by == ["the agent is gone: it sent more than 400 messages in a second"]


class Timed:
    """A socket with a clock of the test, which is waited on by hand, and an agent that has greeted."""

    def __init__(self, guard, folder, monkeypatch):
        self.now = 100.0
        monkeypatch.setattr("ros_bridge.guard.sockets.time", SimpleNamespace(monotonic=lambda: self.now))
        self.agents = AgentSocket(folder / "guard.sock", guard, dry_run=False, network=HERE)
        self.agent = Agent(self.agents.path)
        self.agents.wait(5)
        self.agent.say(HELLO)
        self.agents.wait(5)

    def say(self, count, passed=0.0):
        """So many signs of life after a while, read at once."""
        self.now += passed
        self.agent.say(*[Heartbeat()] * count)
        self.agents.wait(5)

    def wait(self, passed):
        """Nothing is said for a while."""
        self.now += passed
        self.agents.wait(0)


@pytest.fixture
def timed(guard, tmp_path, monkeypatch):
    timed = Timed(guard, tmp_path, monkeypatch)
    yield timed
    timed.agent.socket.close()
    timed.agents.close()


def test_many_messages_over_a_longer_time_are_no_flood(timed, guard):
    for _ in range(5):
        timed.say(250, passed=1.01)
    assert len(guard.told) == 1250 and not guard.lost_by
    timed.say(150, passed=0.9)
    assert not guard.lost_by
    timed.say(1, passed=0.05)
    assert guard.lost_by == ["the agent is gone: it sent more than 400 messages in a second"]


def test_an_agent_that_is_silent_in_motion_is_let_go(timed, guard):
    timed.wait(9.0)
    assert not guard.lost_by, "nothing moves"
    timed.say(1)
    guard.standing = False
    timed.wait(0.19)
    assert not guard.lost_by
    timed.wait(0.02)
    assert guard.lost_by == ["the agent is gone: it is silent"]
    assert isinstance(timed.agent.hear(), Welcome)
    assert timed.agent.hear().why == "The guard lets this agent go: it is silent." and timed.agent.hear() is None


def test_as_silent_as_an_agent_may_be_is_not_too_silent(timed, guard):
    guard.standing, guard.silence = False, 0.25
    timed.wait(0.25)
    assert not guard.lost_by


def test_a_robot_that_is_stopped_without_an_agent_is_waited_on(tmp_path, guard):
    """A person may press the emergency stop before any agent has come, and after it has left."""
    guard.standing = False
    agents = AgentSocket(tmp_path / "guard.sock", guard, dry_run=False, network=HERE)
    agents.wait(0.0)
    agent = Agent(agents.path)
    agents.wait(5)
    agent.socket.close()
    agents.wait(5)
    assert guard.lost_by == ["the agent is gone: it has ended"]
    agents.wait(0.0)
    agents.close()


def test_who_speaks_is_not_silent(timed, guard):
    guard.standing = False
    for _ in range(10):
        timed.say(1, passed=0.19)
        timed.wait(0.0)
    assert not guard.lost_by


def test_other_descriptors_are_listened_to_until_they_are_forgotten(tmp_path):
    agents, (read, write), received = (
        AgentSocket(tmp_path / "g.sock", Guard(), dry_run=False, network=HERE),
        os.pipe(),
        [],
    )
    agents.also(read, lambda: received.append(os.read(read, 10)))
    os.write(write, b"r\n")
    agents.wait(5)
    assert received == [b"r\n"]
    agents.forget(read)
    os.write(write, b"r\n")
    agents.wait(0.05)
    assert received == [b"r\n"]
    agents.send(RefusalMessage(why="nobody is there"))
    agents.close()


# ------------------------------------------------------------ the agent's side


@pytest.fixture
def link(listening):
    with GuardLink(FETCH, listening.path, network=HERE) as link:
        yield link


def test_a_link_says_what_it_is_commanded(link, guard):
    before = time.monotonic()
    link.velocity(0.1, -0.2)
    link.aim("head", [0.3, 0.4])
    link.follow("torso", {"torso_lift_joint": [0.1, 0.2]}, times=[1.0, 2.5])
    link.grip(0.05, 30.0)
    link.navigate(1.0, 2.0, 0.5)
    until(lambda: len(guard.commands()) == 5)
    velocity, aim, follow, grip, navigate = guard.commands()
    assert isinstance(velocity, Velocity) and isinstance(aim, Aim) and isinstance(follow, Trajectory)
    assert (velocity.linear, velocity.angular, velocity.frame) == (0.1, -0.2, "base_link")
    assert (aim.group, aim.positions) == ("head", (0.3, 0.4))
    assert (follow.group, follow.joints) == ("torso", ("torso_lift_joint",))
    assert follow.points == (Point(positions=(0.1,), time=1.0), Point(positions=(0.2,), time=2.5))
    assert isinstance(grip, Grip) and (grip.width, grip.effort) == (0.05, 30.0)
    assert isinstance(navigate, Navigate) and (navigate.x, navigate.y, navigate.yaw) == (1.0, 2.0, 0.5)
    assert navigate.frame == "odom"
    assert all(before <= message.stamp <= time.monotonic() for message in guard.commands())
    assert len({follow.id, grip.id, navigate.id}) == 3


def test_a_planned_motion(link, guard):
    import numpy as np

    box = Box(np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3]), 0.5)
    link.reach([0.1] * 8, [box], [(0.0, 0.1, 0.2, 0.3)])
    until(guard.commands)
    (reach,) = guard.commands()
    assert isinstance(reach, Reach) and reach.positions == (0.1,) * 8 and reach.frame == "base_link"
    assert reach.joints == tuple(joint.name for joint in FETCH.planned_joints)
    assert (reach.boxes[0].center, reach.boxes[0].half, reach.boxes[0].yaw) == ((1, 2, 3), (0.1, 0.2, 0.3), 0.5)
    assert reach.held == ((0.0, 0.1, 0.2, 0.3),)


def test_it_says_that_it_is_alive_twenty_times_a_second_until_it_leaves(listening, guard, monkeypatch):
    pauses = []

    def pause(seconds):
        pauses.append(seconds)
        time.sleep(seconds)

    monkeypatch.setattr("ros_bridge.guard.link.time", SimpleNamespace(monotonic=time.monotonic, sleep=pause))
    with GuardLink(FETCH, listening.path, network=HERE):
        until(lambda: len(guard.told) > 2)
    assert set(guard.told) == {Heartbeat()} and set(pauses) == {0.05}
    until(lambda: not [thread for thread in threading.enumerate() if thread.name == "sign of life"])


def test_how_a_command_ends_comes_to_who_gave_it(link, guard):
    guard.answers = {
        "trajectory": [CommandEnded(id=0, outcome="aborted", text="in the way")],
        "grip": [RefusalMessage(id=0, why="The grip is not finite.")],
    }
    assert link.follow("torso", {"torso_lift_joint": [0.1]}, times=[1.0]).result(20).text == "in the way"
    with pytest.raises(CommandRefused, match="The grip is not finite"):
        link.grip(0.05, 1.0).result(20)


@pytest.mark.parametrize("again", ["velocity", "aim"])
def test_what_was_refused_is_reported_at_the_next_command_and_once(link, guard, again):
    guard.answers = {"velocity": [RefusalMessage(why="too fast")]}
    say = {"velocity": lambda: link.velocity(0.1, 0.0), "aim": lambda: link.aim("head", [0.0, 0.0])}[again]
    link.velocity(9.0, 0.0)
    until(lambda: link._refused)
    guard.answers = {}
    with pytest.raises(CommandRefused, match="too fast"):
        say()
    assert len(guard.commands()) == 1, "it was not said"
    say()
    until(lambda: len(guard.commands()) == 2)


def test_an_emergency_stop_is_known_at_once_and_lasts_as_long_as_the_link(link, guard, listening):
    guard.emergency_stop = "Emergency stop (a test): a person must release it at the guard."
    until(lambda: link._emergency)
    for say in (
        lambda: link.velocity(0.1, 0.0),
        lambda: link.velocity(0.0, 0.0),
        lambda: link.aim("head", [0.0, 0.0]),
        lambda: link.grip(0.05, 1.0),
        lambda: link.begin("tidy up"),
    ):
        with pytest.raises(EmergencyStop, match=r"Emergency stop \(a test\): a person must release it"):
            say()
    assert guard.commands() == []
    guard.answers = {"stop": [StopResult(id=0, confirmed=True, text="The robot stands.")]}
    assert link.stop().confirmed, "which is never refused"
    link.close()
    guard.emergency_stop = ""
    until(lambda: guard.lost_by)
    with GuardLink(FETCH, listening.path, network=HERE) as again:
        again.velocity(0.1, 0.0)
        until(lambda: len(guard.commands()) == 2)


def test_what_was_refused_for_an_emergency_stop_says_so(link, guard):
    guard.answers = {"grip": [RefusalMessage(id=0, why="Emergency stop (a test).", emergency=True)]}
    with pytest.raises(EmergencyStop, match="a test"):
        link.grip(0.05, 1.0).result(20)


def test_a_stop_waits_until_the_robot_stands(link, guard):
    guard.answers = {"stop": [StopResult(id=0, confirmed=True, text="The robot stands.")]}
    assert link.stop().confirmed
    guard.answers = {}
    with pytest.raises(RobotFault, match="does not answer to a stop: press the emergency stop"):
        link.stop(0.1)


def test_a_subtask_is_asked_for(link, guard):
    for approved in (True, False):
        guard.answers = {"subtask": [ApprovalDecision(id=0, approved=approved)]}
        assert link.begin("x" * 600, timeout=20) is approved
    (first, _) = guard.commands()
    assert first == Subtask(id=first.id, text="x" * 500)


def test_a_command_is_cancelled_by_its_number(link, guard):
    future = link.grip(0.05, 1.0)
    link.cancel(future)
    until(lambda: len(guard.commands()) == 2)
    grip, cancel = guard.commands()
    assert cancel == Cancel(id=grip.id)
    guard.answers = {"grip": [CommandEnded(id=0, outcome="succeeded")]}
    result = link.grip(0.05, 1.0)
    result.result(20)
    link.cancel(result)
    link.grip(0.05, 1.0).result(20)
    assert len(guard.commands()) == 4, "what has ended is not cancelled"


def test_what_waits_fails_when_the_guard_lets_go(link, guard, listening):
    waiting = link.grip(0.05, 1.0)
    until(guard.commands)
    listening._lose("a test")
    with pytest.raises(RobotFault, match="The guard lets this agent go: a test"):
        waiting.result(20)
    with pytest.raises((CommandRefused, RobotFault), match="The guard lets this agent go: a test"):
        link.velocity(0.1, 0.0)


def test_a_link_that_is_closed_is_noticed(link, guard):
    link.close()
    until(lambda: guard.lost_by)
    assert guard.lost_by == ["the agent is gone: it has ended"]


def test_a_guard_that_is_not_there(tmp_path):
    with pytest.raises(NoGuard, match=r"There is no guard of the robot fetch on ROS domain 79 at .*no.sock: start it"):
        GuardLink(FETCH, tmp_path / "no.sock", network=HERE)


def test_a_guard_that_does_not_answer_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr("ros_bridge.guard.link.GREETING", 0.1)
    path = tmp_path / "mute.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as mute:
        mute.bind(str(path))
        mute.listen()
        with pytest.raises(InfrastructureError, match=r"^The guard at .*mute.sock does not answer.$"):
            GuardLink(FETCH, path, network=HERE)
        connection, _ = mute.accept()
        with connection:
            connection.settimeout(5)
            hello = line(HELLO)
            assert connection.recv(1000) == hello
            assert connection.recv(1000) == b"", "the connection is closed: another agent may come"


def test_a_guard_of_another_robot_says_which_it_guards(listening):
    with pytest.raises(
        InfrastructureError, match="This guard has version 6 and the profile fetch, the agent 6 and franka"
    ):
        GuardLink(read_profile("franka"), listening.path, network=HERE)
