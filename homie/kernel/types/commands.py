"""Commands for a robot, and the commands that were sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from homie.kernel.types.geometry import Pose

Target: TypeAlias = float | Sequence[float]
"""The target of a group: one number for each of its joints; a bare number if it has only one joint."""


@dataclass(frozen=True, slots=True, init=False)
class Command:
    """Targets for one control period, by group (`homie.kernel.robot.body.Group`).

    A base gets velocities (m/s, rad/s), a gripper its opening (m), every other group its joint positions (rad,
    m). A group without a target keeps its last one; a base without a target stops.

    Args:
        targets: Targets by group; more may be given as keyword arguments. None means no target.
        effector: Pose of the gripper in the base frame, converted to targets of torso and arm by the robot's own
            kinematics; not to be combined with targets of these groups.

    Example:
        >>> Command(base=(0.3, 0.0), torso=0.2).get("torso")
        (0.2,)
    """

    targets: Mapping[str, Sequence[float]]
    effector: Pose | None

    def __init__(
        self,
        targets: Mapping[str, Target | None] = MappingProxyType({}),
        effector: Pose | None = None,
        **more: Target | None,
    ) -> None:
        all_targets = {**targets, **more}
        values = {name: _numbers(value) for name, value in all_targets.items() if value is not None}
        object.__setattr__(self, "targets", values)  # the dataclass is frozen
        object.__setattr__(self, "effector", effector)

    def get(self, group: str) -> Sequence[float] | None:
        """Return the target of a group, None if it has none."""
        return self.targets.get(group)


def _numbers(value: Target) -> Sequence[float]:
    """Wrap a bare number in a tuple; other types are left for the safety gate to refuse."""
    return (value,) if isinstance(value, float | int | np.number) else value


@dataclass(frozen=True, slots=True)
class SentCommand:
    """Result of the safety gate: the requested command, the sent command, and the changes with their reasons."""

    requested: Command
    sent: Command
    changes: tuple[str, ...] = ()
