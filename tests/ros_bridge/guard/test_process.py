"""The guard's process, part by part: what is typed, what other programs ask, when it ends."""

from __future__ import annotations

import logging
import os
import pty
import signal
import stat
from types import SimpleNamespace as Fields

import pytest

from homie.kernel.errors import InfrastructureError
from ros_bridge.guard import emergency_stop, keyboard, process
from ros_bridge.profiles.model import Profile, read_profile

FETCH = read_profile("fetch")


class Guard:
    """Records its calls."""

    def __init__(self, profile=FETCH, approval="none", stands=True):
        self.profile, self.approval, self.stands = profile, approval, stands
        self.reported, self.ticks = [], 0

    @property
    def standing(self):
        return self.stands

    def tick(self):
        self.ticks += 1

    def emergency(self, why):
        self.reported.append(f"emergency: {why}")

    def release(self):
        self.reported.append("release")

    def decide(self, approved):
        self.reported.append(f"decide: {approved}")


class Node:
    """Offers what it is given."""

    def __init__(self):
        self.services, self.topics = {}, {}

    def message(self, kind, **fields):
        return Fields(kind=kind, **fields)

    def service(self, kind, name, handler, foreign=None):
        self.services[name] = (kind, handler)
        self.foreign = foreign

    def subscription(self, kind, topic, callback, qos=None):
        self.topics[topic] = (kind, callback)


class Agent:
    """Counts how long it is waited on."""

    def __init__(self):
        self.waited, self.closed, self.forgotten = [], False, []

    def wait(self, seconds):
        self.waited.append(seconds)

    def close(self):
        self.closed = True

    def forget(self, descriptor):
        self.forgotten.append(descriptor)


# ------------------------------------------------------------ what other programs ask


def test_the_emergency_stop_of_other_programs():
    guard, node = Guard(), Node()
    emergency_stop.listen_on_network(node, guard)
    kind, stop = node.services["/homie/estop"]
    answer = stop(Fields())
    assert kind == "std_srvs/srv/Trigger" and answer.kind == "std_srvs/srv/Trigger_Response"
    assert (answer.success, answer.message) == (True, "stopping")
    kind, callback = node.topics["/homie/estop"]
    callback(Fields(data=False))
    callback(Fields(data=True))
    assert kind == "std_msgs/msg/Bool"
    node.foreign()
    assert guard.reported == [
        "emergency: the service /homie/estop",
        "emergency: the topic /homie/estop",
        "emergency: a call of the service /homie/estop",
    ]
    assert set(node.services) == {"/homie/estop"} and set(node.topics) == {"/homie/estop"}


@pytest.mark.parametrize("data", [True, False])
def test_a_subtask_is_approved_by_other_programs_where_a_person_is_asked(data):
    guard, node = Guard(approval="subtask"), Node()
    emergency_stop.listen_on_network(node, guard)
    kind, approve = node.services["/homie/approve"]
    answer = approve(Fields(data=data))
    assert kind == "std_srvs/srv/SetBool" and answer.success is True
    assert answer.kind == "std_srvs/srv/SetBool_Response"
    assert guard.reported == [f"decide: {data}"]


@pytest.mark.parametrize(
    ("force", "reported"),
    [
        ((3.0, 4.0, 0.0), []),
        ((0.0, -3.0, 4.0), []),
        ((3.0, 4.0, 0.1), ["emergency: a force of 5 N"]),
        ((10.0, 0.0, 0.0), ["emergency: a force of 10 N"]),
        ((0.0, 0.0, -20.0), ["emergency: a force of 20 N"]),
        ((float("nan"), 0.0, 0.0), ["emergency: a force of nan N"]),
    ],
)
def test_a_force_stops_the_robot(force, reported):
    profile = Profile.model_validate({**FETCH.model_dump(), "force": {"topic": "/wrench", "limit": 5.0}})
    guard, node = Guard(profile), Node()
    emergency_stop.listen_on_network(node, guard)
    kind, pressed = node.topics["/wrench"]
    pressed(Fields(wrench=Fields(force=Fields(**dict(zip("xyz", force, strict=True))))))
    assert kind == "geometry_msgs/msg/WrenchStamped" and guard.reported == reported


# ------------------------------------------------------------ what is typed


@pytest.mark.parametrize(
    ("typed", "reported"),
    [
        (b"\n", ["emergency: the keyboard"]),
        (b"stop!\n", ["emergency: the keyboard"]),
        (b"\xff\n", ["emergency: the keyboard"]),
        (b"r\n", ["release"]),
        (b" R \n", ["release"]),
        (b"y\n", ["decide: True"]),
        (b"Y\nn\n", ["decide: True", "decide: False"]),
        (b"r\n\n", ["release", "emergency: the keyboard"]),
    ],
)
def test_a_line_at_the_terminal(monkeypatch, typed, reported):
    read, write = os.pipe()
    monkeypatch.setattr("sys.stdin", os.fdopen(read))
    os.write(write, typed)
    guard = Guard()
    keyboard._typed(guard, Agent())
    assert guard.reported == reported
    os.close(write)


def test_a_terminal_that_is_gone_is_forgotten_and_nothing_is_stopped(monkeypatch):
    read, write = os.pipe()
    os.close(write)
    monkeypatch.setattr("sys.stdin", os.fdopen(read))
    guard, agent = Guard(), Agent()
    keyboard._typed(guard, agent)
    assert guard.reported == [] and agent.forgotten == [read]


def test_whether_a_person_sits_at_a_terminal(monkeypatch):
    leader, follower = pty.openpty()
    with os.fdopen(follower) as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        assert keyboard._at_a_terminal()
    assert not keyboard._at_a_terminal(), "it was closed"
    os.close(leader)
    with open(os.devnull) as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        assert not keyboard._at_a_terminal()


# ------------------------------------------------------------ how it runs and ends


def test_it_ticks_at_its_period_whatever_comes_in_between(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("ros_bridge.guard.process.time.monotonic", lambda: now[0])
    guard, agent = Guard(), Agent()

    class Busy(Agent):
        def wait(self, seconds):
            super().wait(seconds)
            now[0] += min(seconds, 0.005) or 0.001

    agent = Busy()
    process._loop(guard, agent, lambda: now[0] >= 100.2)
    assert guard.ticks == pytest.approx(10, abs=1)
    assert max(agent.waited) <= 0.02 and min(agent.waited) >= 0.0


def test_a_run_that_has_ended():
    assert not process._orphaned(None) and not process._orphaned(os.getppid())
    assert process._orphaned(os.getppid() + 1)


def test_it_ends_when_the_robot_stands(monkeypatch):
    guard, agent = Guard(stands=False), Agent()
    monkeypatch.setattr(Guard, "standing", property(lambda self: self.ticks >= 3))
    process._end(guard, agent)
    assert agent.closed and guard.ticks == 3


def test_it_ends_with_a_fault_where_the_robot_is_not_seen_to_stand(monkeypatch):
    monkeypatch.setattr("ros_bridge.guard.process.UNCONFIRMED", 0.1)
    with pytest.raises(InfrastructureError, match="was not seen to stand: look at it"):
        process._end(Guard(stands=False), Agent())


def test_a_slow_terminal_does_not_hold_the_guard():
    lines = []

    class Held(logging.Handler):
        def emit(self, record):
            lines.append(record.getMessage())

    logger = logging.getLogger("homie")
    before, handler = list(logger.handlers), Held()
    logger.addHandler(handler)
    try:
        written = process._write_logs_in_thread()
        assert handler not in logger.handlers
        logger.warning("Stop: a test")
        written()
        assert lines == ["Stop: a test"] and handler in logger.handlers
    finally:
        logger.handlers = before


def test_it_may_have_no_higher_priority(monkeypatch, caplog):
    calls = []

    def refuse(*arguments):
        calls.append(arguments)
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.setpriority", refuse)
    monkeypatch.setattr(process.log, "handlers", [caplog.handler])  # other tests may have cut the loggers above off
    monkeypatch.setattr(process.log, "level", logging.INFO)
    monkeypatch.setattr(process.log, "disabled", False)
    process.log.manager._clear_cache()
    process._hurry()
    assert calls == [(os.PRIO_PROCESS, 0, -15)] and "keep the machine from being busy" in caplog.text


def test_a_guard_at_a_terminal_from_beginning_to_end(monkeypatch, network, tmp_path):
    monkeypatch.setenv("ROS_DOMAIN_ID", str(network.domain))
    monkeypatch.setenv("ROS_LOCALHOST_ONLY", "1")
    monkeypatch.setattr("os.setpriority", lambda *_: None)
    leader, follower = pty.openpty()
    reported, handled = [], []
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)

    def ready(path, over):
        assert over == "dds"
        handled.append(signal.getsignal(signal.SIGHUP))
        assert stat.S_ISSOCK(os.stat(path).st_mode)
        os.kill(os.getpid(), signal.SIGTERM)

    try:
        with os.fdopen(follower) as terminal:
            monkeypatch.setattr("sys.stdin", terminal)
            process.run_guard(
                "fetch",
                armed=False,
                dry_run=True,
                approval="none",
                silence=0.2,
                run=None,
                path=tmp_path / "g.sock",
                transport="dds",
                tell=reported.append,
                ready=ready,
            )
        assert reported[0].startswith("Enter: EMERGENCY STOP")
        assert handled == [signal.SIG_IGN], "the end of its terminal is not its end"
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL
        assert not (tmp_path / "g.sock").exists()
    finally:
        signal.signal(signal.SIGHUP, before)
        os.close(leader)
