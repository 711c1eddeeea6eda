"""Commands of a body as vectors of named numbers, the actions of learning toolkits.

space = ActionVector(robot.spec)
space.names                       ("base.linear", "base.angular", "torso.torso_lift_joint", ...)
space.command({"base": (0.3, 0.0), "gripper": 0.05})
space.command(policy(...))        one number for each name, in the order of names
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from homie.kernel.errors import BadInput, suggestion
from homie.kernel.robot.body import Group, RobotSpec
from homie.kernel.support.text import format_count
from homie.kernel.types import Array, Command, Proprioception


class ActionVector:
    """Conversion between action vectors (n,) and commands of a robot.

    A base has velocities (m/s, rad/s), a gripper its opening (m), every other group absolute joint positions (rad, m).

    Attributes:
        groups: The commanded groups, in the order of their numbers.
        names: `GROUP.JOINT`, one for each number.
        limits: (n, 2) lower and upper, infinite for continuous joints.
    """

    def __init__(self, spec: RobotSpec, groups: Iterable[str] | None = None) -> None:
        """
        Args:
            spec: The body.
            groups: Names of the commanded groups, None for all.

        Raises:
            BadInput: The body has no such group.
        """
        known = {group.name: group for group in spec.groups}
        selected = tuple(known if groups is None else groups)
        for name in selected:
            if name not in known:
                raise BadInput(f"The {spec.name} has no group '{name}': {_hint(name, known)}")
        self.groups: tuple[Group, ...] = tuple(known[name] for name in selected)
        self.names = tuple(f"{group.name}.{joint}" for group in self.groups for joint in group.names)
        self.limits: Array = np.concatenate([np.zeros((0, 2)), *(group.limits for group in self.groups)])

    def __len__(self) -> int:
        return len(self.names)

    def command(self, action: Mapping[str, float | Sequence[float]] | Sequence[float] | Array) -> Command:
        """Convert an action to a command. Values over a limit are left for the safety gate.

        Args:
            action: (n,) numbers; or values by the name of a group or of a single number. Groups without a value hold
                their position, a base stops.

        Raises:
            BadInput: The number of values is wrong, a value is not finite, or a name is unknown.
        """
        if isinstance(action, Mapping):
            return Command(self._targets_by_group(action))
        numbers = _finite_numbers(action, len(self.names), self._describe)
        targets: dict[str, tuple[float, ...]] = {}
        for group in self.groups:
            targets[group.name], numbers = tuple(numbers[: len(group.joints)]), numbers[len(group.joints) :]
        return Command(targets)

    def measured(self, body: Proprioception) -> Array:
        """Return the action (n,) that holds the current state: measured joint positions, zero velocity of a base."""
        rows = [np.zeros(len(group.joints)) if group.kind == "base" else group.measured(body) for group in self.groups]
        return np.concatenate([np.zeros(0), *rows])

    def numbers(self, command: Command, body: Proprioception) -> Array:
        """Convert a command without effector pose to an action (n,); groups without a target are as in `measured`."""
        rows, current = [], self.measured(body)
        for group in self.groups:
            target, group_current = command.get(group.name), current[: len(group.joints)]
            rows.append(group_current if target is None else np.asarray(target, dtype=np.float64))
            current = current[len(group.joints) :]
        return np.concatenate([np.zeros(0), *rows])

    def _describe(self) -> str:
        return f"The action is {', '.join((format_count(len(self.names), 'number'), *self.names))}"

    def _targets_by_group(self, action: Mapping[str, float | Sequence[float]]) -> dict[str, tuple[float, ...]]:
        known = {group.name: group.names for group in self.groups}
        descriptions = {group.name: partial(_describe_group, group) for group in self.groups}
        targets = {
            name: _finite_numbers([value] if np.ndim(value) == 0 else value, len(known[name]), descriptions[name])
            for name, value in action.items()
            if name in known
        }
        single = {name: value for name, value in action.items() if name not in known}
        for name in single:
            if name not in self.names:
                raise BadInput(f"There is no number '{name}' in this action: {_hint(name, (*known, *self.names))}")
        for group in {name.partition(".")[0] for name in single}:
            joint_names = [f"{group}.{joint}" for joint in known[group]]
            if group in targets or (missing := [name for name in joint_names if name not in single]):
                fault = "twice" if group in targets else f"in part: add {', '.join(missing)}"
                raise BadInput(f"The group '{group}' is given {fault}.")
            targets[group] = _finite_numbers(
                [single[name] for name in joint_names], len(joint_names), descriptions[group]
            )
        return {name: tuple(values) for name, values in targets.items()}


def _describe_group(group: Group) -> str:
    return f"The group '{group.name}' is {group.numbers_in_words}"


def _finite_numbers(values: object, size: int, describe: Callable[[], str]) -> list[float]:
    """Convert values to `size` finite numbers. Raises BadInput with a message that begins with their description."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.shape != (size,) or not np.isfinite(array).all():
        raise BadInput(f"{describe()}, all finite (got {str(values)[:80]}).")
    numbers: list[float] = array.tolist()
    return numbers


def _hint(name: str, known: Iterable[str]) -> str:
    names = tuple(known)
    return suggestion(name, names, f"choose one of {', '.join(names)}.")
