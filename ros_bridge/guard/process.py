"""The guard as its own process: `homie robot guard`.

It ends on Ctrl-C or SIGTERM, after the robot has been stopped: not with its terminal, not with the agent. A guard that
a run starts for itself also ends with that run, however the run ends.
"""

from __future__ import annotations

import logging
import os
import queue
import signal
import time
from collections.abc import Callable
from contextlib import closing
from logging.handlers import QueueHandler, QueueListener
from pathlib import Path

from homie.kernel.errors import BadInput, InfrastructureError
from ros_bridge.guard.commands_to_robot import DryOutlet, RosOutlet
from ros_bridge.guard.emergency_stop import APPROVE, listen_on_network
from ros_bridge.guard.guard import PERIOD, UNCONFIRMED, Approval, Guard
from ros_bridge.guard.keyboard import listen_at_terminal
from ros_bridge.guard.measured import FRESH, Measurements
from ros_bridge.guard.reports import Reports
from ros_bridge.guard.silence import SILENCE
from ros_bridge.guard.sockets import AgentSocket, socket_path
from ros_bridge.process_signals import watch_signals
from ros_bridge.profiles.homie_topics import TEXT
from ros_bridge.profiles.model import read_profile
from ros_bridge.profiles.simulation import TOPIC, Simulation
from ros_bridge.transport.interface import LATCHED, Node
from ros_bridge.transport.opening import Transport, open_node

log = logging.getLogger("homie.ros_bridge")

PRIORITY = -15
"""Niceness of the guard: ahead of everything but the system itself."""


def run_guard(
    name: str,
    *,
    armed: bool,
    dry_run: bool,
    approval: Approval,
    silence: float | None,
    run: int | None,
    path: Path | None,
    transport: Transport,
    tell: Callable[[str], None],
    ready: Callable[[str, str], None],
) -> None:
    """Guard a robot until a signal ends it, or until the run that it belongs to has ended.

    Args:
        name: The profile, see `ros_bridge.profiles.model.read_profile`.
        armed: Whether anything may move.
        dry_run: Show what would be sent, send nothing.
        approval: Whether a person must approve each subtask.
        silence: Seconds for which an agent may be silent while the robot moves; None: `SILENCE`.
        run: Process id of the run that started this guard for itself: the guard stops the robot and ends when that
        process ends. None: a person started it.
        path: Path of the socket for the agent; None: the default path.
        transport: `rclpy`, `dds` or `auto`.
        tell: Shows a line to the person at the terminal.
        ready: Called with the path of the socket and the transport when an agent can connect.

    Raises:
        BadInput, MissingPart, InfrastructureError: The guard cannot start; nothing has been sent then.
        InfrastructureError: The robot is not measured to stand at the end.
    """
    profile = read_profile(name)
    flush_logs = _write_logs_in_thread()
    hangup = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    _hurry()
    try:
        with watch_signals() as is_ended, open_node("/homie_guard", transport) as node:
            outlet = DryOutlet(tell) if dry_run else RosOutlet(node, profile)

            def ask(text: str) -> None:
                tell(f"May this begin? {text}   (y / n + Enter, or the service {APPROVE})")

            # A longer allowed silence means a slow machine, on which measurements arrive late, too.
            patience = SILENCE if silence is None else silence
            measured = Measurements(node, profile, oldest=max(FRESH, patience))
            guard = Guard(profile, outlet, measured, armed=armed, approval=approval, silence=patience, ask=ask)
            listen_on_network(node, guard)
            agent = AgentSocket(path or socket_path(profile.name), guard, dry_run, simulated=_simulated(node))
            with closing(Reports(node, guard, agent, dry_run)):
                listen_at_terminal(guard, agent, tell)
                ready(str(agent.path), node.transport)
                try:
                    _loop(guard, agent, lambda: is_ended() or _orphaned(run))
                finally:
                    _end(guard, agent)
    finally:
        signal.signal(signal.SIGHUP, hangup)
        flush_logs()


def _hurry() -> None:
    """Raise the priority above other programs, where the system allows it: the guard needs little time, but promptly.

    Threads started later inherit the priority.
    """
    try:
        os.setpriority(os.PRIO_PROCESS, 0, PRIORITY)
    except OSError as error:
        log.info("The guard has the priority of other programs (%s): keep the machine from being busy", error.strerror)


def _loop(guard: Guard, agent: AgentSocket, over: Callable[[], bool]) -> None:
    """Tick at a fixed rate, whatever the agent sends in between."""
    next_tick = time.monotonic()
    while not over():
        agent.wait(max(0.0, next_tick - time.monotonic()))
        if time.monotonic() >= next_tick:
            guard.tick()
            next_tick = max(next_tick + PERIOD, time.monotonic())


def _orphaned(run: int | None) -> bool:
    """Return whether the run that owns this guard has ended. An orphaned process gets another parent at once, also
    after `kill -9`; process ids are reused, so it is not checked whether the old one is alive."""
    return run is not None and os.getppid() != run


def _end(guard: Guard, agent: AgentSocket) -> None:
    """Stop what the agent began, and return when the robot stands."""
    agent.close()
    deadline = time.monotonic() + UNCONFIRMED
    while not guard.standing:
        if time.monotonic() > deadline:
            raise InfrastructureError("The guard ends, and the robot was not seen to stand: look at it.")
        guard.tick()
        time.sleep(PERIOD)


def _simulated(node: Node) -> Callable[[], bool]:
    """Return a check whether the robot on the network reports that it is simulated and need not be treated as real."""
    texts: list[str] = []
    subscription = node.subscription(TEXT, TOPIC, lambda message: texts.append(str(message.data)), LATCHED)

    def simulated() -> bool:
        try:
            return bool(texts and subscription.publishers() and not Simulation.parse(texts[-1]).rehearsal)
        except BadInput as error:
            log.warning("%s", error)
            return False

    return simulated


def _write_logs_in_thread() -> Callable[[], None]:
    """Write logs and messages from a thread: a paused terminal (Ctrl-S) must not block the guard.

    Returns a function that ends the thread.
    """
    loggers = [logging.getLogger(name) for name in ("homie", "homie.progress")]
    handlers_by_logger = [list(logger.handlers) for logger in loggers]
    listeners = []
    for logger, handlers in zip(loggers, handlers_by_logger, strict=True):
        lines: queue.Queue[logging.LogRecord] = queue.Queue(1000)  # a full queue drops lines, the guard continues
        listeners.append(QueueListener(lines, *handlers, respect_handler_level=True))
        listeners[-1].start()
        logger.handlers = [QueueHandler(lines)]

    def end() -> None:
        for logger, handlers in zip(loggers, handlers_by_logger, strict=True):
            logger.handlers = handlers
        for listener in listeners:
            listener.stop()

    return end
