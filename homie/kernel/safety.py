"""The safety gate: every command to every robot, simulated too, passes it.

Non-finite values and wrong shapes are refused. Values over a limit are clamped or refused, by profile. Targets are
rate-limited to the robot's joint speeds and base accelerations, so that a jump in the request cannot become a
jump of the robot. Requested and sent command are both returned, for the record.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from homie.kernel.errors import CommandRefused
from homie.kernel.interfaces import RobotSpec
from homie.kernel.types import Array, Command, SentCommand


@dataclass(frozen=True, slots=True)
class GateState:
    """Where the limbs are, as far as the gate needs it: measured before each command."""

    arm: Array
    torso: float
    head: Array
    gripper: float


class SafetyGate:
    """Turns a requested command into one that is safe to send, or raises CommandRefused.

    over_limit: "clamp" moves values to the nearest limit and says so; "refuse" raises.
    lead: how many control periods a joint target may run ahead of the measured position. A position servo lags, so
    1 would slow it down; it stays bounded so that a blocked joint does not wind up.
    """

    def __init__(self, spec: RobotSpec, over_limit: Literal["clamp", "refuse"] = "clamp", lead: float = 3.0) -> None:
        self.spec = spec
        self.over_limit = over_limit
        self.lead = lead
        self._base = (0.0, 0.0)
        self._arm: Array | None = None
        self._torso: float | None = None
        self._head: Array | None = None
        self._gripper: float | None = None

    def reset(self) -> None:
        """Forget the last sent command (new episode, reconnected robot)."""
        self._base, self._arm, self._torso, self._head, self._gripper = (0.0, 0.0), None, None, None, None

    def stop(self) -> None:
        """After a stop the base stands: the next velocity ramps up from zero and limbs start where they are."""
        self.reset()

    def check(self, command: Command, state: GateState) -> SentCommand:
        """The command to send now. Raises CommandRefused; then nothing has changed."""
        if command.effector is not None:
            raise CommandRefused("The gate takes joint targets: resolve `effector` with the robot's kinematics first.")
        _refuse_malformed(command, self.spec)
        spec = self.spec
        changes: list[str] = []
        sent = Command(base=self._gate_base(command.base, changes))
        if command.arm is not None:
            wanted = self._limit("arm", np.array(command.arm), spec.arm_limits, changes)
            wanted = _unwrap(wanted, state.arm, spec.arm_limits)
            arm = self._rate("arm", wanted, self._arm, state.arm, spec.arm_speeds, changes)
            sent = replace(sent, arm=tuple(arm.tolist()))
        if command.torso is not None:
            limits = np.array([spec.torso_limits])
            wanted = self._limit("torso", np.array([command.torso]), limits, changes)
            last = None if self._torso is None else np.array([self._torso])
            speeds = np.array([spec.torso_speed])
            torso = self._rate("torso", wanted, last, np.array([state.torso]), speeds, changes)
            sent = replace(sent, torso=float(torso[0]))
        if command.head is not None:
            wanted = self._limit("head", np.array(command.head), spec.head_limits, changes)
            head = self._rate("head", wanted, self._head, state.head, spec.head_speeds, changes)
            sent = replace(sent, head=(float(head[0]), float(head[1])))
        if command.gripper is not None:
            limits = np.array([[0.0, spec.gripper_max]])
            width = self._limit("gripper", np.array([command.gripper]), limits, changes)
            sent = replace(sent, gripper=float(width[0]))
        self._remember(sent)
        return SentCommand(command, sent, tuple(changes))

    def _remember(self, sent: Command) -> None:
        self._base = sent.base or (0.0, 0.0)
        self._arm = self._arm if sent.arm is None else np.array(sent.arm)
        self._torso = self._torso if sent.torso is None else sent.torso
        self._head = self._head if sent.head is None else np.array(sent.head)

    def _gate_base(self, base: tuple[float, float] | None, changes: list[str]) -> tuple[float, float]:
        """Velocity within limits, and no further from the last one than the accelerations allow."""
        spec = self.spec
        limits = np.array([[-spec.max_linear, spec.max_linear], [-spec.max_angular, spec.max_angular]])
        wanted = self._limit("base", np.array((0.0, 0.0) if base is None else base, dtype=float), limits, changes)
        step = np.array([spec.max_linear_acceleration, spec.max_angular_acceleration]) * spec.period
        last = np.array(self._base)
        allowed = np.clip(wanted, last - step, last + step)
        if np.max(np.abs(allowed - wanted)) > 1e-6:
            changes.append("base: acceleration limited")
        return float(allowed[0]), float(allowed[1])

    def _limit(self, part: str, values: Array, limits: Array, changes: list[str]) -> Array:
        low, high = limits[:, 0], limits[:, 1]
        inside = np.clip(values, low, high)
        # A hair over the limit is rounding, not a request.
        if np.any(np.abs(inside - values) > 1e-6):
            worst = int(np.argmax(np.abs(inside - values)))
            said = f"{part}[{worst}] {values[worst]:.4g} is outside {low[worst]:.4g}..{high[worst]:.4g}"
            if self.over_limit == "refuse":
                raise CommandRefused(f"Command refused: {said}.")
            changes.append(f"{said}: clamped")
        return np.asarray(inside)

    def _rate(
        self, part: str, wanted: Array, last: Array | None, measured: Array, speeds: Array, changes: list[str]
    ) -> Array:
        """No faster than `speeds` from the last target, and never far ahead of where the joint really is."""
        step = speeds * self.spec.period
        start = measured if last is None else last
        target = np.clip(wanted, start - step, start + step)
        target = np.clip(target, measured - self.lead * step, measured + self.lead * step)
        if np.max(np.abs(target - wanted)) > 1e-6:
            changes.append(f"{part}: speed limited")
        return np.asarray(target)


def _refuse_malformed(command: Command, spec: RobotSpec) -> None:
    """Wrong lengths, wrong types and non-finite numbers never reach a robot."""
    parts: tuple[tuple[str, object, int], ...] = (
        ("base", command.base, 2),
        ("arm", command.arm, len(spec.arm_joints)),
        ("torso", command.torso, 1),
        ("head", command.head, 2),
        ("gripper", command.gripper, 1),
    )
    for name, value, size in parts:
        if value is None:
            continue
        try:
            numbers = np.asarray(value).reshape(-1)
        except ValueError:  # ragged
            numbers = np.array([None])
        # Real numbers only: numpy would read "0.5" and None as floats, too.
        if numbers.size and numbers.dtype.kind not in "fiu":
            raise CommandRefused(f"Command refused: {name} must be {size} number(s), got {value!r}.")
        if numbers.size != size:
            raise CommandRefused(f"Command refused: {name} takes {size} number(s), got {numbers.size}.")
        if not all(math.isfinite(number) for number in numbers):
            raise CommandRefused(f"Command refused: {name} holds a value that is not finite ({value!r}).")


def _unwrap(wanted: Array, measured: Array, limits: Array) -> Array:
    """Continuous joints (infinite limits) take the short way round."""
    turns = np.isinf(limits).any(axis=1)
    short = measured + np.remainder(wanted - measured + np.pi, 2 * np.pi) - np.pi
    return np.where(turns, short, wanted)
