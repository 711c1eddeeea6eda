"""Agent's side of the guard connection: sends commands and a heartbeat every 50 ms, receives the results."""

from __future__ import annotations

import itertools
import logging
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from homie.kernel.errors import CommandRefused, InfrastructureError, RobotFault
from homie.kernel.types import Array, Box
from ros_bridge.guard.greeting import greeting
from ros_bridge.guard.messages import (
    LONGEST_LINE,
    Aim,
    ApprovalDecision,
    Cancel,
    CommandEnded,
    FromGuard,
    Grip,
    Heartbeat,
    LinkMessage,
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
    from_guard,
    line,
)
from ros_bridge.guard.sockets import socket_path
from ros_bridge.profiles.model import Profile
from ros_bridge.transport.network import Network

log = logging.getLogger("homie.ros_bridge")

BEAT = 0.05
"""Seconds between two heartbeats: three may be late before the guard stops the robot."""
GREETING = 12.0
"""Seconds in which a guard answers a hello: more than `ros_bridge.guard.sockets.SETTLING`."""


class NoGuard(InfrastructureError):
    """No guard listens at the robot's socket."""


class EmergencyStop(RobotFault):
    """A person or a program has stopped the robot; nothing moves before a person releases the stop at the guard."""


class GuardLink:
    """Commands a robot through its guard.

    ```python
    with GuardLink(read_profile("fetch")) as robot:
        robot.velocity(0.2, 0.0)  # repeat every 0.1 s: it expires after 0.25 s
        moved = robot.follow("torso", {"torso_lift_joint": [0.1]}, times=[3.0]).result()
        if not robot.stop().confirmed: ...
    ```

    Args:
        profile: The robot; the guard must have the same one.
        path: The guard's socket; None: the default path.
        network: The robot's network; None: from the environment variables of ROS 2. The guard must use the same.
        simulated: Whether the robot reports that it is simulated; None if not checked.

    Raises:
        NoGuard: No guard is running.
        InfrastructureError: The guard belongs to another robot or network, or does not answer.
    """

    def __init__(
        self,
        profile: Profile,
        path: Path | None = None,
        *,
        network: Network | None = None,
        simulated: bool | None = None,
    ) -> None:
        self.profile = profile
        network = network or Network.from_environment()
        path = path or socket_path(profile.name, network)
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._waiting: dict[int, Future[Any]] = {}
        self._refused: str = ""
        self._fault: str = ""
        self._emergency: str = ""
        self._welcome: Future[Welcome] = Future()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(str(path))
        except OSError as error:
            self._socket.close()
            raise NoGuard(
                f"There is no guard of the robot {profile.name} on ROS domain {network.domain} at {path}: start it "
                f"with `homie robot guard {profile.name}` in a terminal of its own."
            ) from error
        threading.Thread(target=self._read, name="guard's answers", daemon=True).start()
        self._send(greeting(profile, network, simulated))
        try:
            self.welcome = self._welcome.result(GREETING)
        except (TimeoutError, RobotFault) as error:
            reason = self._fault or f"The guard at {path} does not answer."  # before close() sets another
            self.close()
            raise InfrastructureError(reason) from error
        threading.Thread(target=self._beat, name="sign of life", daemon=True).start()

    def velocity(self, linear: float, angular: float, sideways: float = 0.0) -> None:
        """Drive at these speeds (m/s, rad/s) for the next quarter of a second.

        Args:
            linear: Ahead.
            linear: Forward.
            sideways: To the left, of a base whose profile has `sideways`.

        Raises:
            CommandRefused: The previous velocity was refused; this one is not sent.
            EmergencyStop: It has been triggered since this link was opened.
            RobotFault: The connection to the guard is lost.
        """
        self._raise_refused()
        frame = self.profile.frames.base
        stamp = time.monotonic()
        self._send(Velocity(linear=linear, angular=angular, sideways=sideways, frame=frame, stamp=stamp))

    def aim(self, group: str, positions: Sequence[float]) -> None:
        """Move the joints of a group towards positions (rad, m), in the profile's order, for a quarter of a second.

        The guard limits speeds and accelerations.

        Raises:
            CommandRefused: The previous command was refused; this one is not sent.
            EmergencyStop: It has been triggered since this link was opened.
            RobotFault: The connection to the guard is lost.
        """
        self._raise_refused()
        self._send(Aim(group=group, positions=tuple(map(float, positions)), stamp=time.monotonic()))

    def follow(
        self, group: str, positions: Mapping[str, Sequence[float]], times: Sequence[float]
    ) -> Future[CommandEnded]:
        """Move a group along a trajectory.

        Args:
            group: A group of the profile.
            positions: Positions (rad, m) at `times` for each of its joints.
            times: Seconds from now, increasing.

        Returns:
            The result; CommandRefused where the guard did not send it.
        """
        number, future = self._number()
        points = tuple(
            Point(positions=tuple(float(values[index]) for values in positions.values()), time=float(at))
            for index, at in enumerate(times)
        )
        stamp = time.monotonic()
        self._send(Trajectory(id=number, group=group, joints=tuple(positions), points=points, stamp=stamp))
        return future

    def grip(self, width: float, effort: float) -> Future[CommandEnded]:
        """Move the fingers to an opening (m) with at most this force (N)."""
        number, future = self._number()
        self._send(Grip(id=number, width=width, effort=effort, stamp=time.monotonic()))
        return future

    def navigate(self, x: float, y: float, yaw: float) -> Future[CommandEnded]:
        """Drive to a pose (m, rad) of the odometry frame with the robot's own navigation."""
        number, future = self._number()
        frame = self.profile.frames.odometry
        self._send(Navigate(id=number, x=x, y=y, yaw=yaw, frame=frame, stamp=time.monotonic()))
        return future

    def reach(
        self, positions: Sequence[float], boxes: Sequence[Box] = (), held: Sequence[Sequence[float]] = ()
    ) -> Future[CommandEnded]:
        """Move joints to positions with the robot's own planner (MoveIt).

        Args:
            positions: Positions of `Profile.planned_joints`, in this order (rad, m).
            boxes: Obstacles in the base frame.
            held: Spheres that approximate the held object: x, y, z, radius in the effector frame, m.

        Returns:
            The result; CommandRefused where the guard did not send it.
        """
        number, future = self._number()
        joints = tuple(joint.name for joint in self.profile.planned_joints)
        message = Reach(
            id=number,
            joints=joints,
            positions=tuple(map(float, positions)),
            boxes=tuple(Obstacle(center=_triple(box.center), half=_triple(box.half), yaw=box.yaw) for box in boxes),
            held=tuple((float(x), float(y), float(z), float(radius)) for x, y, z, radius in held),
            frame=self.profile.frames.base,
            stamp=time.monotonic(),
        )
        self._send(message)
        return future

    def cancel(self, future: Future[CommandEnded]) -> None:
        """Cancel a trajectory, a grip, a navigation goal or a planned motion; its future resolves when it has ended."""
        with self._lock:
            number = next((number for number, waiting in self._waiting.items() if waiting is future), None)
        if number is not None:
            self._send(Cancel(id=number))

    def stop(self, timeout: float = 5.0) -> StopResult:
        """Stop all motion and wait until the robot is measured to stand, or the guard reports that it is not confirmed.

        Raises:
            RobotFault: The connection is lost or the guard does not answer. It stops the robot when it hears no agent.
        """
        number, future = self._number()
        self._send(Stop(id=number))
        try:
            stopped: StopResult = future.result(timeout)
        except TimeoutError as error:
            raise RobotFault("The guard does not answer to a stop: press the emergency stop.") from error
        return stopped

    def begin(self, text: str, timeout: float | None = None) -> bool:
        """Announce the subtask of the next commands; return whether a person approves it (always true without
        approval)."""
        number, future = self._number()
        self._send(Subtask(id=number, text=text[:500]))
        decided: ApprovalDecision = future.result(timeout)
        return decided.approved

    def close(self) -> None:
        """Disconnect: the guard stops what was begun."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError as error:
            log.debug("The guard left first: %s", error)
        self._socket.close()

    def __enter__(self) -> GuardLink:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _raise_refused(self) -> None:
        with self._lock:
            refusal, self._refused = self._refused, ""
        if refusal and not self._emergency:
            raise CommandRefused(refusal)

    def _number(self) -> tuple[int, Future[Any]]:
        future: Future[Any] = Future()
        with self._lock:
            number = next(self._numbers)
            self._waiting[number] = future
        return number, future

    def _send(self, message: LinkMessage) -> None:
        if self._fault:
            raise RobotFault(self._fault)
        if self._emergency and not isinstance(message, Heartbeat | Cancel | Stop):
            raise EmergencyStop(self._emergency)
        try:
            with self._lock:
                self._socket.sendall(line(message))
        except OSError as error:
            self._lose(f"The guard is gone: {error.strerror or error}.")
            raise RobotFault(self._fault) from error

    def _beat(self) -> None:
        """Send heartbeats until the connection has ended, which the next send shows."""
        while True:
            time.sleep(BEAT)
            try:
                self._send(Heartbeat())
            except RobotFault:
                return

    def _read(self) -> None:
        buffer = b""
        while len(buffer) <= LONGEST_LINE:
            try:
                data = self._socket.recv(1 << 16)
            except OSError:
                break
            if not data:
                break
            *lines, buffer = (buffer + data).split(b"\n")
            for text in lines:
                self._take(from_guard(text))
        self._lose(self._refused or "The guard has closed the connection: look at what it says.")

    def _take(self, message: FromGuard) -> None:
        if isinstance(message, Welcome):
            self._welcome.set_result(message)
        elif isinstance(message, RefusalMessage) and not self._welcome.done():
            self._lose(message.why)
        elif isinstance(message, RefusalMessage) and message.id is None:
            with self._lock:
                if message.emergency:
                    self._emergency = message.why
                else:
                    self._refused = message.why
        else:
            assert message.id is not None
            with self._lock:
                future = self._waiting.pop(message.id, None)
            if future is None or not future.set_running_or_notify_cancel():
                return
            if isinstance(message, RefusalMessage):
                future.set_exception((EmergencyStop if message.emergency else CommandRefused)(message.why))
            else:
                future.set_result(message)

    def _lose(self, reason: str) -> None:
        with self._lock:
            self._fault = self._fault or reason
            futures, self._waiting = [self._welcome, *self._waiting.values()], {}
        for future in futures:
            if not future.done() and future.set_running_or_notify_cancel():
                future.set_exception(RobotFault(self._fault))


def _triple(numbers: Array) -> tuple[float, float, float]:
    x, y, z = map(float, numbers)
    return x, y, z
