"""The safety gate, which every command to every robot passes, simulated ones included.

Non-finite values, wrong shapes and unknown groups are refused. Values over a limit are clamped or refused, as
configured. Targets are rate-limited to the speeds of the joints, grippers included, and to the accelerations of the
base and of joints that declare one, so that a jump in the request cannot become a jump of the robot. Requested and sent
command are both returned, for the record.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import numpy as np

from homie.kernel.errors import CommandRefused, suggestion
from homie.kernel.robot.body import Group, RobotSpec
from homie.kernel.types import Array, Command, Failure, FailureReason, Proprioception, SentCommand, short_way

OverLimit: TypeAlias = Literal["clamp", "refuse"]
"""Handling of values over a limit: they are clamped, which is recorded, or refused."""

ROUNDING = 1e-6
"""Excess over a limit up to which it is taken for a rounding error."""


def refusal(reason: str) -> CommandRefused:
    """Create the error for a command that the gate refuses."""
    return CommandRefused(Failure(FailureReason.COMMAND_REFUSED, why=reason))


class SafetyGate:
    """Converts a requested command into one that is safe to send, or raises CommandRefused.

    Args:
        spec: Limits, speeds and accelerations by group.
        over_limit: Handling of values over a limit.
        lead: Control periods by which a joint target may run ahead of the measured position. A position servo lags, so
            1 would slow it down; the lead is bounded so that the target of a blocked joint does not wind up.
    """

    def __init__(self, spec: RobotSpec, over_limit: OverLimit = "clamp", lead: float = 3.0) -> None:
        self.spec = spec
        self.over_limit = over_limit
        self.lead = lead
        self._groups = {group.name: group for group in spec.groups}
        self._acceleration_limited = {group.name for group in spec.groups if np.isfinite(group.accelerations).any()}
        self._continuous = {group.name for group in spec.groups if np.isinf(group.limits).any()}
        self._targets: dict[str, Array] = {}
        self._rates: dict[str, Array] = {}
        """Velocities of the last joint targets (rad/s, m/s), by group."""

    def reset(self) -> None:
        """Forget the last command, after a stop or for a new episode. Bases then ramp up from zero and joint targets
        start at the measured positions."""
        self._targets, self._rates = {}, {}

    def check(self, command: Command, body: Proprioception) -> SentCommand:
        """Limit a command and return it with the requested one. Raises CommandRefused without changing any state.

        Args:
            body: The latest measurement.
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
                    raise refusal(f"{group.name} is measured at {measured.tolist()}, which is not finite.")
                target = self._limit(group, np.array(requested, dtype=np.float64), changes)
                if group.name in self._continuous:
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
                raise refusal(f"{excess}.")
            changes.append(f"{excess}: clamped")
        return np.asarray(bounded)

    def _ramp(self, group: Group, requested: Array, changes: list[str]) -> Array:
        """Limit the change of a base's velocity since the last command by its accelerations."""
        step = group.accelerations * self.spec.period
        previous = self._targets.get(group.name, np.zeros(len(group.joints)))
        allowed = np.minimum(np.maximum(requested, previous - step), previous + step)
        if np.abs(allowed - requested).max() > ROUNDING:
            changes.append(f"{group.name}: acceleration limited")
        return np.asarray(allowed)

    def _rate(self, group: Group, requested: Array, measured: Array, changes: list[str]) -> tuple[Array, Array]:
        """Limit a position target, and return it with the velocity of the target: its distance to the last target is
        limited by the joint's speed (not on a compliant robot), that to the measured position by `lead`."""
        step = group.speeds * self.spec.period
        start = self._targets.get(group.name, measured)
        if group.kind == "gripper":
            # The target of a closed gripper is inside the held object: it opens from the measured opening.
            reverses = (requested - measured) * (start - measured) < 0.0
            start = np.where(reverses, measured, start)
        is_compliant = self.spec.compliant and group.kind != "gripper"
        target = requested if is_compliant else np.minimum(np.maximum(requested, start - step), start + step)
        if group.name in self._acceleration_limited:
            target = self._ramp_target(group, start, requested, target)
        lead = self.lead * step
        target = np.minimum(np.maximum(target, measured - lead), measured + lead)
        if np.abs(target - requested).max() > ROUNDING:
            changes.append(f"{group.name}: speed limited")
        return np.asarray(target), (target - start) / self.spec.period

    def _ramp_target(self, group: Group, start: Array, requested: Array, target: Array) -> Array:
        """Return the next target of joints with limited acceleration: the velocity of the target changes by at most the
        limit, and stays small enough to come to rest at the requested position."""
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
        """Raise CommandRefused for unknown groups, wrong lengths, wrong types and non-finite numbers."""
        for name, value in command.targets.items():
            group = self._groups.get(name)
            if group is None:
                hint = suggestion(name, self._groups, f"it has {', '.join(self._groups)}.")
                raise refusal(f"{self.spec.name} has no group '{name}': {hint}")
            try:
                numbers = np.asarray(value).reshape(-1)
            except ValueError:  # ragged
                numbers = np.array([None])
            # Real numbers only: numpy would read "0.5" and None as floats, too.
            if numbers.size and numbers.dtype.kind not in "fiu":
                raise refusal(f"{name} takes {group.numbers_in_words}; got {value!r}.")
            if numbers.size != len(group.joints):
                raise refusal(f"{name} takes {group.numbers_in_words}; got {numbers.size}.")
            if not all(math.isfinite(number) for number in numbers):
                raise refusal(f"{name} holds a value that is not finite ({value!r}).")


def _unwrap(requested: Array, measured: Array, limits: Array) -> Array:
    """Shift the targets of continuous joints (infinite limits) so that they turn the short way."""
    turns = np.isinf(limits).any(axis=1)
    return np.where(turns, short_way(requested, measured), requested)
