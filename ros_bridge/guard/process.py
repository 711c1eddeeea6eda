"""The guard as a process of its own: `homie robot guard`.

It ends by Ctrl-C or SIGTERM, after the robot has been stopped: not with its terminal, not with the agent. The guard
that a run starts for itself also ends with that run, however the run ends.
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
from ros_bridge.guard.measured import FRESH, Measured
from ros_bridge.guard.reports import Reports
from ros_bridge.guard.silence import SILENCE
from ros_bridge.guard.sockets import AgentSocket, socket_path
from ros_bridge.process_signals import ended_by_signal
from ros_bridge.profiles.homie_topics import TEXT
from ros_bridge.profiles.model import read_profile
from ros_bridge.profiles.simulation import TOPIC, Simulation
from ros_bridge.transport.interface import LATCHED, Node
from ros_bridge.transport.opening import Transport, open_node

log = logging.getLogger("homie.ros_bridge")

PRIORITY = -15
"""The niceness of the guard: before everything but the system itself."""


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
        approval: Whether a person lets each subtask begin.
        silence: Seconds for which an agent may be silent while the robot moves; None: `SILENCE`.
        run: The number of the process that has started this one, for itself alone: the guard stops the robot and ends
            when that process has ended. None: it belongs to a person.
        path: Where to listen for the agent; None: the usual place.
        transport: `rclpy`, `dds` or `auto`.
        tell: Shows a line to the person at the terminal.
        ready: Called with the path of the socket and the transport when an agent can come.

    Raises:
        BadInput, MissingPart, InfrastructureError: It cannot begin; nothing has been sent then.
        InfrastructureError: The robot is not seen to stand at the end.
    """
    profile = read_profile(name)
    flush_logs = _write_logs_in_thread()
    hangup = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    _hurry()
    try:
        with ended_by_signal() as is_ended, open_node("/homie_guard", transport) as node:
            outlet = DryOutlet(tell) if dry_run else RosOutlet(node, profile)

            def ask(text: str) -> None:
                tell(f"May this begin? {text}   (y / n + Enter, or the service {APPROVE})")

            # Who lets the agent be silent for longer has a machine on which measurements come late, too.
            patience = SILENCE if silence is None else silence
            measured = Measured(node, profile, oldest=max(FRESH, patience))
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
    """Come before other programs of this machine, where the system lets it: the guard needs little, but in time.

    Threads begun after this have the same priority.
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
    """Whether the run that this guard belongs to has ended. A process whose parent has ended gets another one at once,
    also after `kill -9`; the number of the first may be used again, so it is not asked whether it lives."""
    return run is not None and os.getppid() != run


def _end(guard: Guard, agent: AgentSocket) -> None:
    """Stop what the agent began, and end when the robot stands."""
    agent.close()
    deadline = time.monotonic() + UNCONFIRMED
    while not guard.standing:
        if time.monotonic() > deadline:
            raise InfrastructureError("The guard ends, and the robot was not seen to stand: look at it.")
        guard.tick()
        time.sleep(PERIOD)


def _simulated(node: Node) -> Callable[[], bool]:
    """Whether the robot on the network says that it is simulated, and is not to be treated as a real one."""
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
    """Let a thread write logs and messages: a terminal that is held (Ctrl-S) must not hold the guard.

    Returns what ends it.
    """
    loggers = [logging.getLogger(name) for name in ("homie", "homie.progress")]
    handlers_by_logger = [list(logger.handlers) for logger in loggers]
    listeners = []
    for logger, handlers in zip(loggers, handlers_by_logger, strict=True):
        lines: queue.Queue[logging.LogRecord] = queue.Queue(1000)  # full, it loses lines and the guard goes on
        listeners.append(QueueListener(lines, *handlers, respect_handler_level=True))
        listeners[-1].start()
        logger.handlers = [QueueHandler(lines)]

    def end() -> None:
        for logger, handlers in zip(loggers, handlers_by_logger, strict=True):
            logger.handlers = handlers
        for listener in listeners:
            listener.stop()

    return end
