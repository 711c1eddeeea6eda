"""Commands for a robot, and the commands that were sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from homie.kernel.types.geometry import Pose

Target: TypeAlias = float | Sequence[float]
"""The target of a group: one number for each of its joints; a bare number where it has one."""


@dataclass(frozen=True, slots=True, init=False)
class Command:
    """Targets for one control period, by group (`homie.kernel.robot.body.Group`).

    A base gets velocities (m/s, rad/s), a gripper its opening (m), every other group its joint positions (rad,
    m). A group that is left out keeps its last target; a base stops.

    Args:
        targets: By group; further ones may be given by keyword. None is left out.
        effector: Pose of the gripper in the base frame, turned into targets of torso and arm by the robot's own
            kinematics; not together with targets of theirs.

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
        """The target of a group, None if it is left out."""
        return self.targets.get(group)


def _numbers(value: Target) -> Sequence[float]:
    """A bare number as a tuple of one; what is not a number is left for the safety gate to refuse."""
    return (value,) if isinstance(value, float | int | np.number) else value


@dataclass(frozen=True, slots=True)
class SentCommand:
    """What the safety gate made of a command: the requested one, the sent one, and what was changed and why."""

    requested: Command
    sent: Command
    changes: tuple[str, ...] = ()
