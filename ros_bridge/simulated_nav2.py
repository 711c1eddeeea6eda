"""A simulated Nav2 for a simulated robot: `NavigateToPose`, driven by Homie itself."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Protocol

from homie.kernel.types import Command, Observation, OccupancyGrid, Outcome, Pose2
from ros_bridge.profiles.model import Profile
from ros_bridge.transport.actions import Outcome as Ended
from ros_bridge.transport.actions import ServedGoal, Status
from ros_bridge.transport.readings import AT_REST, UnreadableMessage, heading_of, position_of

log = logging.getLogger("homie.ros_bridge")


class Driver(Protocol):
    """Drives a base: `skills.simulated_moveit_and_nav2.Driving`."""

    def begin(self, place: Pose2, grid: OccupancyGrid, observation: Observation) -> None: ...

    def act(self, observation: Observation) -> Command: ...

    @property
    def outcome(self) -> Outcome: ...

    @property
    def reason(self) -> str: ...


@dataclass(frozen=True, slots=True, eq=False)
class _Drive:
    """A goal in progress."""

    goal: ServedGoal
    place: Pose2
    ended: Future[Status] = field(default_factory=Future)


@dataclass(slots=True, kw_only=True)
class SimulatedNavigation:
    """Drives the base to goals. `execute` waits in the thread of a goal, `step` drives in that of the robot.

    Args:
        profile, driver: The robot and its driver.
        grid: Returns the current floor grid; called in the robot's thread.
    """

    profile: Profile
    driver: Driver
    grid: Callable[[Observation], OccupancyGrid]
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _requested: _Drive | None = None
    _driving: _Drive | None = None

    def execute(self, goal: ServedGoal) -> Ended:
        """Wait until the robot has arrived, or failed. A newer goal replaces an older one."""
        frame, pose = goal.message.pose.header.frame_id, goal.message.pose.pose
        try:
            if frame.lstrip("/") != self.profile.frames.odometry:
                raise UnreadableMessage(
                    f"its frame is '{frame}', and places are known in '{self.profile.frames.odometry}'"
                )
            x, y, _ = position_of(pose.position).tolist()
            place = Pose2(x, y, heading_of(pose.orientation))
        except UnreadableMessage as error:
            log.warning("Refused: a goal of the simulated Nav2: %s", error)
            return Ended(Status.ABORTED)
        drive = _Drive(goal, place)
        with self._lock:
            replaced, self._requested = self._requested, drive
        if replaced is not None:
            replaced.ended.set_result(Status.ABORTED)
        return Ended(drive.ended.result())

    def step(self, observation: Observation, base: str) -> Sequence[float] | None:
        """Return the velocities of the base for one control period, None without a goal."""
        with self._lock:
            requested, self._requested = self._requested, None
        if requested is not None:
            self._end(Status.ABORTED)
            self._driving = requested
            self.driver.begin(requested.place, self.grid(observation), observation)
        if self._driving is None:
            return None
        if self._driving.goal.cancelled.is_set():
            self._end(Status.CANCELED)
            return AT_REST
        command = self.driver.act(observation)
        if self.driver.outcome is not Outcome.RUNNING:
            arrived = self.driver.outcome is Outcome.SUCCEEDED
            if not arrived:
                log.warning("The simulated Nav2 gives up: %s", self.driver.reason)
            self._end(Status.SUCCEEDED if arrived else Status.ABORTED)
        return command.get(base) or AT_REST

    def close(self) -> None:
        """Stop driving, and abort the goals that wait."""
        with self._lock:
            requested, self._requested = self._requested, None
        if requested is not None:
            requested.ended.set_result(Status.ABORTED)
        self._end(Status.ABORTED)

    def _end(self, status: Status) -> None:
        driving, self._driving = self._driving, None
        if driving is not None:
            driving.ended.set_result(status)
