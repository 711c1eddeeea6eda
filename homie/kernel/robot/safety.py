"""The safety gate: every command to every robot, simulated too, passes it.

Non-finite values, wrong shapes and groups that the robot has not are refused. Values over a limit are clamped or
refused, by profile. Targets are rate-limited to the speeds of the joints, grippers included, and to the accelerations
of the base and of joints that declare one, so that a jump in the request cannot become a jump of the robot. Requested
and sent command are both returned, for the record.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import numpy as np

from homie.kernel.errors import CommandRefused, suggestion
from homie.kernel.robot.body import Group, RobotSpec
from homie.kernel.types import Array, Command, Failure, FailureReason, Proprioception, SentCommand, short_way

OverLimit: TypeAlias = Literal["clamp", "refuse"]
"""What becomes of a value over its limit: it is moved to the limit and the record says so, or refused."""

ROUNDING = 1e-6
"""A hair over a limit is rounding, not a request."""


def refused(reason: str) -> CommandRefused:
    """The error for a command that the gate refuses, with its failure."""
    return CommandRefused(Failure(FailureReason.COMMAND_REFUSED, why=reason))


class SafetyGate:
    """Turns a requested command into one that is safe to send, or raises CommandRefused.

    Args:
        spec: Limits, speeds and accelerations by group.
        over_limit: What becomes of values over a limit.
        lead: How many control periods a joint target may run ahead of the measured position. A position servo lags, so
            1 would slow it down; it stays bounded so that a blocked joint does not wind up.
    """

    def __init__(self, spec: RobotSpec, over_limit: OverLimit = "clamp", lead: float = 3.0) -> None:
        self.spec = spec
        self.over_limit = over_limit
        self.lead = lead
        self._groups = {group.name: group for group in spec.groups}
        self._accelerated = {group.name for group in spec.groups if np.isfinite(group.accelerations).any()}
        self._endless = {group.name for group in spec.groups if np.isinf(group.limits).any()}
        self._targets: dict[str, Array] = {}
        self._rates: dict[str, Array] = {}
        """Of the last targets: velocities of joints (rad/s, m/s)."""

    def reset(self) -> None:
        """Forget the last command: after a stop, in a new episode. Bases ramp up from zero and joints start where they
        are."""
        self._targets, self._rates = {}, {}

    def check(self, command: Command, body: Proprioception) -> SentCommand:
        """The command to send now. Raises CommandRefused; then nothing has changed.

        Args:
            body: What was measured just before.
        """
        if command.effector is not None:
            raise CommandRefused("The gate takes joint targets: resolve `effector` with the robot's kinematics first.")
        self._refuse_malformed(command)
        changes: list[str] = []
        targets: dict[str, Array] = {}
        rates: dict[str, Array] = {}
        for group in self.spec.groups:
            requested = command.get(group.name)
            if group.kind == "base":
                velocity = np.zeros(len(group.joints)) if requested is None else np.array(requested, dtype=np.float64)
                targets[group.name] = self._ramp(group, self._limit(group, velocity, changes), changes)
            elif requested is not None:
                measured = group.measured(body)
                if not np.isfinite(measured).all():
                    raise refused(f"{group.name} is measured at {measured.tolist()}, which is not finite.")
                target = self._limit(group, np.array(requested, dtype=np.float64), changes)
                if group.name in self._endless:
                    target = _unwrap(target, measured, group.limits)
                targets[group.name], rates[group.name] = self._rate(group, target, measured, changes)
        self._targets.update(targets)
        self._rates = rates
        safe_command = Command({name: tuple(values.tolist()) for name, values in targets.items()})
        return SentCommand(command, safe_command, tuple(changes))

    def _limit(self, group: Group, values: Array, changes: list[str]) -> Array:
        low, high = group.limits[:, 0], group.limits[:, 1]
        bounded = np.minimum(np.maximum(values, low), high)  # np.clip takes three times as long
        if np.abs(bounded - values).max() > ROUNDING:
            worst = int(np.argmax(np.abs(bounded - values)))
            limits = f"{low[worst]:.4g}..{high[worst]:.4g}"
            excess = f"{group.name}: {group.numbers[worst]} {values[worst]:.4g} is outside {limits}"
            if self.over_limit == "refuse":
                raise refused(f"{excess}.")
            changes.append(f"{excess}: clamped")
        return np.asarray(bounded)

    def _ramp(self, group: Group, requested: Array, changes: list[str]) -> Array:
        """A velocity no further from the last one than the accelerations allow."""
        step = group.accelerations * self.spec.period
        previous = self._targets.get(group.name, np.zeros(len(group.joints)))
        allowed = np.minimum(np.maximum(requested, previous - step), previous + step)
        if np.abs(allowed - requested).max() > ROUNDING:
            changes.append(f"{group.name}: acceleration limited")
        return np.asarray(allowed)

    def _rate(self, group: Group, requested: Array, measured: Array, changes: list[str]) -> tuple[Array, Array]:
        """A position no further from the last target than its speed allows (on a compliant robot as far as it likes),
        and never far ahead of where the joint really is; and the velocity at which the target moves."""
        step = group.speeds * self.spec.period
        start = self._targets.get(group.name, measured)
        if group.kind == "gripper":
            # A closed gripper's target is inside what it holds: it opens from where the fingers are.
            reverses = (requested - measured) * (start - measured) < 0.0
            start = np.where(reverses, measured, start)
        is_compliant = self.spec.compliant and group.kind != "gripper"
        target = requested if is_compliant else np.minimum(np.maximum(requested, start - step), start + step)
        if group.name in self._accelerated:
            target = self._ramp_target(group, start, requested, target)
        lead = self.lead * step
        target = np.minimum(np.maximum(target, measured - lead), measured + lead)
        if np.abs(target - requested).max() > ROUNDING:
            changes.append(f"{group.name}: speed limited")
        return np.asarray(target), (target - start) / self.spec.period

    def _ramp_target(self, group: Group, start: Array, requested: Array, target: Array) -> Array:
        """The next target of joints with a largest acceleration: from the last velocity of the target to one at which
        it can still come to rest where it is wanted."""
        period, largest = self.spec.period, group.accelerations
        previous = self._rates.get(group.name, np.zeros(len(group.joints)))
        has_limit = np.isfinite(largest)
        gain = np.where(has_limit, largest, 1.0) * period
        braking = np.sqrt(gain**2 / 4 + 2.0 * gain / period * np.abs(requested - start)) - gain / 2
        velocity = np.clip((target - start) / period, -braking, braking)
        velocity = np.clip(velocity, previous - gain, previous + gain)
        bounded = np.clip(start + velocity * period, group.limits[:, 0], group.limits[:, 1])
        return np.where(has_limit, bounded, target)

    def _refuse_malformed(self, command: Command) -> None:
        """Unknown groups, wrong lengths, wrong types and non-finite numbers never reach a robot."""
        for name, value in command.targets.items():
            group = self._groups.get(name)
            if group is None:
                hint = suggestion(name, self._groups, f"it has {', '.join(self._groups)}.")
                raise refused(f"{self.spec.name} has no group '{name}': {hint}")
            try:
                numbers = np.asarray(value).reshape(-1)
            except ValueError:  # ragged
                numbers = np.array([None])
            # Real numbers only: numpy would read "0.5" and None as floats, too.
            if numbers.size and numbers.dtype.kind not in "fiu":
                raise refused(f"{name} takes {group.numbers_in_words}; got {value!r}.")
            if numbers.size != len(group.joints):
                raise refused(f"{name} takes {group.numbers_in_words}; got {numbers.size}.")
            if not all(math.isfinite(number) for number in numbers):
                raise refused(f"{name} holds a value that is not finite ({value!r}).")


def _unwrap(requested: Array, measured: Array, limits: Array) -> Array:
    """Continuous joints (infinite limits) take the short way round."""
    turns = np.isinf(limits).any(axis=1)
    return np.where(turns, short_way(requested, measured), requested)
