"""The guard: decides which commands of an agent go to the robot, and what stops it.

It has no thread: `tick` is called 50 times a second, `receive` with every message of the agent, and `stop` or
`emergency` by any thread that has a reason.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from homie.kernel.errors import CommandRefused
from homie.kernel.types import Array
from ros_bridge.guard.aiming import Aiming
from ros_bridge.guard.command_checks import (
    BASE,
    OLDEST,
    check_aim,
    check_driven,
    check_grip,
    check_navigate,
    check_reach,
    check_reached,
    check_stamp,
    check_trajectory,
    check_velocity,
    outside,
    parts_of,
)
from ros_bridge.guard.commands_to_robot import Outlet
from ros_bridge.guard.measured import Measurements
from ros_bridge.guard.messages import (
    Aim,
    ApprovalDecision,
    Cancel,
    CommandEnded,
    FromAgent,
    FromGuard,
    Grip,
    Heartbeat,
    Hello,
    Navigate,
    Reach,
    RefusalMessage,
    Stop,
    StopResult,
    Subtask,
    Trajectory,
    Velocity,
)
from ros_bridge.guard.silence import SILENCE
from ros_bridge.guard.state import GuardState
from ros_bridge.profiles.model import Profile
from ros_bridge.transport.refusals import Refusals

log = logging.getLogger("homie.ros_bridge")

PERIOD = 0.02
"""Seconds between two ticks."""
VELOCITY_LIFE = 0.25
"""Seconds for which a velocity is driven without being repeated."""
UNCONFIRMED = 3.0
"""Seconds after which a stop that the measurements do not show is reported as not confirmed."""
CANCEL_AGAIN = 0.2
"""Seconds between two cancel requests while the robot moves: one may be lost."""
LOOK = 0.1
"""Seconds between two checks of the effector position: at 1 m/s it moves 10 cm."""
HOLD_AFTER = 0.5
"""Seconds for which zero is sent after a motion: the last message may be lost. Afterwards others may drive."""

STANDING = (0.0, 0.0, 0.0)
"""Velocity of a standing base: forward and to the left (the first and the last), m/s, and turning, rad/s."""

Approval: TypeAlias = Literal["none", "subtask"]
Reply: TypeAlias = Callable[[FromGuard], None]


@dataclass(slots=True)
class _Stopping:
    """A stop that the measurements do not confirm yet."""

    began: float
    why: str
    cancelled_at: float
    waiting: list[tuple[int, Reply]] = field(default_factory=list)
    reported: bool = False


class RefusedByEmergency(CommandRefused):
    """The command is refused because the emergency stop is active."""


class Guard:
    """Decides which commands go to a robot, and stops it.

    Args:
        profile: The robot and its limits.
        outlet: Sends the commands.
        measured: The robot's measurements.
        armed: Whether anything may move.
        approval: `subtask`: a person must approve each subtask.
        silence: Seconds without a message of the agent after which a moving robot is stopped.
        ask: Called with the text of a subtask that needs approval.
        clock: Monotonic seconds, as in the stamps of commands.
    """

    def __init__(
        self,
        profile: Profile,
        outlet: Outlet,
        measured: Measurements,
        *,
        armed: bool,
        approval: Approval = "none",
        silence: float = SILENCE,
        ask: Callable[[str], None] = lambda text: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.profile = profile
        self.armed = armed
        self.approval = approval
        self.silence = silence
        self._outlet = outlet
        self._measured = measured
        self._refusals = Refusals()
        self._ask = ask
        self._clock = clock
        self._lock = threading.RLock()
        self._emergency = ""
        self._heard_at = -math.inf
        self._target = STANDING
        self._target_at = -math.inf
        self._speed = STANDING
        self._drove_at = -math.inf
        self._ticked_at = self._clock()
        self._active: dict[int, FromAgent] = {}
        """Commands in progress: trajectories, gripper motions, and goals of the robot's own software."""
        self._aims: dict[str, Aiming] = {}
        self._inside = False
        self._looked_at = -math.inf
        self._stopping: _Stopping | None = None
        self._question: tuple[int, str, Reply] | None = None
        self._approved = False
        self._refused = ""

    @property
    def state(self) -> GuardState:
        """The current state."""
        with self._lock:
            return GuardState(
                armed=self.armed,
                approval=self.approval,
                moving=self.moving,
                stopping="" if self._stopping is None else self._stopping.why,
                emergency=self._emergency,
                question="" if self._question is None else self._question[1],
                unmeasured=self._measured.silent(),
                refused=self._refused,
            )

    @property
    def agent_silence(self) -> float:
        """Seconds since the last message of an agent; infinite before the first."""
        with self._lock:
            return self._clock() - self._heard_at

    @property
    def moving(self) -> bool:
        """Whether anything is commanded to move."""
        with self._lock:
            return bool(self._active or self._aims) or self._speed != STANDING or self._target != STANDING

    @property
    def standing(self) -> bool:
        """Whether nothing is commanded and no stop is under way."""
        with self._lock:
            return not self.moving and self._stopping is None

    @property
    def emergency_stop(self) -> str:
        """Why nothing may move before a person has released the emergency stop; "" if it is not active."""
        with self._lock:
            reason = self._emergency
        return f"Emergency stop ({reason}): a person must release it at the guard." if reason else ""

    def _under_way(self, kind: type[Navigate] | type[Reach]) -> bool:
        """Whether the robot's own software drives the base, or moves the arm."""
        return any(isinstance(command, kind) for command in self._active.values())

    def receive(self, message: FromAgent, reply: Reply) -> None:
        """Handle a message of the agent. A refused command is answered, logged, and changes nothing."""
        with self._lock:
            self._heard_at = self._clock()
            if isinstance(message, Heartbeat | Hello):
                return
            try:
                self._obey(message, reply)
            except CommandRefused as error:
                self._refusals.add(f"the agent's {message.kind}", error)
                self._refused = str(error)
                emergency = isinstance(error, RefusedByEmergency)
                reply(RefusalMessage(id=getattr(message, "id", None), why=str(error), emergency=emergency))
            self._heard_at = self._clock()  # this processing time must not count as silence of the agent

    def lost(self, reason: str) -> None:
        """Stop what the agent began: its connection is lost."""
        with self._lock:
            if self._question is not None:
                self._question = None
            self._approved = False
            if self.moving:
                self.stop(reason)

    def stop(self, reason: str) -> None:
        """Stop all motion now: zero velocity, trajectories cancelled; ticks continue until the robot is measured to
        stand."""
        with self._lock:
            self._target = self._speed = STANDING
            self._aims.clear()  # the last point of each is less than a tenth of a second ahead
            now = self._clock()
            if self._stopping is None:
                log.warning("Stop: %s", reason)
                self._stopping = _Stopping(now, reason, now)
            self._stopping.cancelled_at = now
            self._outlet.velocity(0.0, 0.0)
            self._outlet.cancel_all()

    def emergency(self, reason: str) -> None:
        """Stop, and refuse all commands until a person releases the stop."""
        with self._lock:
            if not self._emergency:
                log.error("EMERGENCY STOP: %s", reason)
            self._emergency = reason
            self._approved = False
            self.stop(reason)

    def release(self) -> None:
        """Release the emergency stop on behalf of a person at the terminal; not while the robot's own is pressed."""
        with self._lock:
            if self._measured.stop_is_pressed:
                log.error("The robot's own emergency stop is pressed: release that first, then this one")
            elif self._emergency:
                log.warning("The emergency stop is released")
                self._emergency = ""

    def decide(self, approved: bool) -> None:
        """Pass on a person's answer to the approval question of a subtask."""
        with self._lock:
            if self._question is None:
                log.info("There is no question to answer")
                return
            number, text, reply = self._question
            self._question, self._approved = None, approved
            log.info("'%s' is %s", text, "approved" if approved else "not approved")
            reply(ApprovalDecision(id=number, approved=approved))

    def tick(self) -> None:
        """Run one period: check agent and robot, send the velocity."""
        with self._lock:
            now = self._clock()
            elapsed, self._ticked_at = min(now - self._ticked_at, 0.1), now
            if self._measured.stop_is_pressed and not self._emergency:
                self.emergency("the robot's own is pressed")
            if self._stopping is not None:
                self._watch_stop(self._stopping, now)
                return
            if self.moving:
                self._watch(now)
            if self._stopping is None:
                self._drive(now, elapsed)
                self._move(now, elapsed)

    def _obey(self, message: FromAgent, reply: Reply) -> None:
        if isinstance(message, Stop):
            self.stop("the agent stops")
            assert self._stopping is not None
            self._stopping.waiting.append((message.id, reply))
        elif isinstance(message, Cancel):
            self._outlet.cancel(message.id)
        elif isinstance(message, Subtask):
            self._begin(message, reply)
        elif isinstance(message, Velocity):
            if message.linear or message.angular or message.sideways or message.frame != self.profile.frames.base:
                self._check_allowed(message.stamp)
            target = check_velocity(self.profile, message)
            if any(target):
                self._check_free(BASE)
            self._target = target
            self._target_at = self._clock()
        elif isinstance(message, Aim):
            self._check_allowed(message.stamp)
            self._check_free(message.group)
            measured = self._measured.positions()
            check_aim(self.profile, message, measured)
            if message.group not in self._aims:
                group = self.profile.groups[message.group]
                start = np.array([measured[joint.name] for joint in group.joints])
                self._aims[message.group] = Aiming(group, start)
            self._aims[message.group].aim(message.positions, self._clock())
        elif isinstance(message, Trajectory):
            self._check_allowed(message.stamp)
            self._check_free(message.group)
            check_trajectory(self.profile, message, self._measured.positions())
            self._aims.pop(message.group, None)
            self._active[message.id] = message
            self._outlet.follow(message, self._ending(reply))
        elif isinstance(message, Grip):
            self._check_allowed(message.stamp)
            check_grip(self.profile, message)
            self._active[message.id] = message
            self._outlet.grip(message, self._ending(reply))
        elif isinstance(message, Navigate):
            self._check_allowed(message.stamp)
            check_navigate(self.profile, message)
            self._check_free(BASE)
            self._target = self._speed = STANDING
            self._active[message.id] = message
            self._outlet.navigate(message, self._ending(reply))
        elif isinstance(message, Reach):
            self._check_allowed(message.stamp)
            check_reach(self.profile, message, self._measured.positions())
            parts = parts_of(self.profile, message)
            for part in parts:
                self._check_free(part)
            if any(self._target) or not self._measured.is_base_standing:
                raise CommandRefused(
                    "The base still drives, and what the arm keeps out of is said from where it stands."
                )
            for part in parts:
                self._aims.pop(part, None)
            self._target = self._speed = STANDING
            self._active[message.id] = message
            self._outlet.reach(message, self._ending(reply))

    def _check_free(self, part: str) -> None:
        """Refuse a command if a group, or the base, follows a trajectory or is moved by the robot's own software."""
        busy = next((command for command in self._active.values() if part in parts_of(self.profile, command)), None)
        if isinstance(busy, Navigate):
            raise CommandRefused("The robot's own navigation drives it: cancel that first.")
        if isinstance(busy, Reach):
            refusal = "The base has to stand while" if part == BASE else f"'{part}' is not free:"
            raise CommandRefused(f"{refusal} the robot's own planner moves the arm: cancel that first.")
        if isinstance(busy, Trajectory):
            raise CommandRefused(f"'{part}' still follows trajectory {busy.id}: cancel that first.")

    def _check_no_emergency(self) -> None:
        if reason := self.emergency_stop:
            raise RefusedByEmergency(reason)

    def _check_allowed(self, stamp: float) -> None:
        """Refuse a command unless motion is allowed now."""
        if not self.armed:
            raise CommandRefused("Nothing moves before the guard is armed: start it with --arm-robot.")
        self._check_no_emergency()
        if self._stopping is not None:
            raise CommandRefused(f"The robot is being stopped ({self._stopping.why}).")
        if self.approval != "none" and not self._approved:
            raise CommandRefused("A person has not approved a subtask.")
        # A longer allowed silence means a slow machine, on which commands arrive late, too.
        check_stamp(stamp, self._clock(), oldest=max(OLDEST, self.silence))
        silent = self._measured.silent()
        if silent:
            raise CommandRefused(f"The robot cannot be watched: {silent}.")

    def _begin(self, message: Subtask, reply: Reply) -> None:
        """Begin a subtask: ask a person, or approve it at once."""
        self._check_no_emergency()
        if self.approval == "none":
            reply(ApprovalDecision(id=message.id, approved=True))
            return
        self._approved = False
        self._question = (message.id, message.text, reply)
        self._ask(message.text)

    def _ending(self, reply: Reply) -> Callable[[CommandEnded], None]:
        def end(ended: CommandEnded) -> None:
            with self._lock:
                self._active.pop(ended.id, None)
            reply(ended)

        return end

    def _watch(self, now: float) -> None:
        """Stop the moving robot if there is a reason."""
        silent = self._measured.silent()
        remaining: Array | None = None
        if now - self._looked_at > LOOK:
            place, self._looked_at = outside(self.profile, self._measured.positions()), now
            remaining, self._inside = place if self._inside else None, place is None
        if now - self._heard_at > self.silence:
            self.stop(f"the agent has been silent for {now - self._heard_at:.2f} s")
        elif silent:
            self.stop(silent)
        elif self._under_way(Navigate) and (fast := check_driven(self.profile, *self._measured.speed)):
            self.stop(fast)
        elif self._under_way(Reach) and (
            fault := check_reached(self.profile, self._measured.positions(), self._measured.lasting_speeds())
        ):
            self.stop(fault)
        elif remaining is not None:  # an effector that began outside may come back in
            x, y, z = remaining
            self.stop(f"the effector has left its workspace, it is at {x:.2f} {y:.2f} {z:.2f}")

    def _drive(self, time_now: float, elapsed: float) -> None:
        """Send the next velocity of the ramp; nothing to a standing base, so that others may drive it."""
        base = self.profile.base
        if base is None or self._under_way(Navigate):  # the navigation publishes on the same topic
            return
        if time_now - self._target_at > VELOCITY_LIFE:
            self._target = STANDING
        sideways_step = base.linear_acceleration * elapsed
        steps = (sideways_step, base.angular_acceleration * elapsed, sideways_step)
        linear, angular, sideways = (
            current + min(max(target - current, -step), step)
            for current, target, step in zip(self._speed, self._target, steps, strict=True)
        )
        self._speed = (linear, angular, sideways)
        if self._speed != STANDING:
            self._drove_at = time_now
        if time_now - self._drove_at < HOLD_AFTER:
            self._outlet.velocity(linear, angular, sideways)

    def _move(self, now: float, elapsed: float) -> None:
        """Send the next set point of every group with a streamed target."""
        measured = self._measured.positions()
        for name, aiming in list(self._aims.items()):
            joints = [joint.name for joint in self.profile.groups[name].joints]
            at = np.array([measured.get(joint, place) for joint, place in zip(joints, aiming.point, strict=True)])
            self._outlet.aim(name, aiming.step(at, now, elapsed).tolist())
            if aiming.over(now):
                del self._aims[name]

    def _watch_stop(self, stopping: _Stopping, now: float) -> None:
        """Send zero until the robot is measured to stand; only then report that to those who wait."""
        self._outlet.velocity(0.0, 0.0)
        # The robot's own software may be between two velocities, or still plan: wait until it ends, or for UNCONFIRMED
        # s.
        delegated = self._under_way(Navigate) or self._under_way(Reach)
        is_over = not delegated or now - stopping.began > UNCONFIRMED
        if is_over and self._measured.has_stood_since(stopping.began):
            took = now - stopping.began
            log.warning("The robot stands, %.2f s after the stop (%s)", took, stopping.why)
            self._report(stopping, True, f"The robot stands, as measured {took:.2f} s after the stop.")
            self._stopping = None
            self._active.clear()
            return
        if now - stopping.cancelled_at > CANCEL_AGAIN:
            stopping.cancelled_at = now
            self._outlet.cancel_all()
        if now - stopping.began > UNCONFIRMED and (stopping.waiting or not stopping.reported):
            stopping.reported = True
            text = f"That the robot stands is not confirmed: {self._measured.motion()}."
            log.error(text)
            self._report(stopping, False, text)

    def _report(self, stopping: _Stopping, confirmed: bool, text: str) -> None:
        for number, reply in stopping.waiting:
            reply(StopResult(id=number, confirmed=confirmed, text=text))
        stopping.waiting.clear()
