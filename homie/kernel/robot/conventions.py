"""How numbers that move a hand are meant: what a policy gives and what takes it, declared and compared.

A policy that means other numbers than the skill around it takes is refused before the first command; nothing is
converted silently. Conversions are written where they belong, in the policy: what it then declares is what it gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal

from homie.kernel.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class HandConventions:
    """What the numbers of one motion mean.

    Args:
        position: `delta` adds to the previous target of the hand, `absolute` is the target itself; m.
        frame: Whose axes positions and rotations are along.
        rotation: `rotation-vector` (axis times angle), `euler-xyz` (roll, pitch, yaw about fixed axes), rad;
            `quaternion` (w, x, y, z); `none`.
        gripper: Which end of 0..1 is an open hand: `open-is-1` or `open-is-0`.

    Example:
        >>> HandConventions(position="delta", frame="base", rotation="rotation-vector", gripper="open-is-1").facts()
        {'position': 'delta', 'frame': 'base', 'rotation': 'rotation-vector', 'gripper': 'open-is-1'}
    """

    position: Literal["delta", "absolute"]
    frame: Literal["base", "gripper"]
    rotation: Literal["rotation-vector", "euler-xyz", "quaternion", "none"]
    gripper: Literal["open-is-1", "open-is-0"]

    def facts(self) -> dict[str, str]:
        """By name, as a policy declares them."""
        return {field.name: str(getattr(self, field.name)) for field in fields(self)}

    def check(self, subject: str, conventions: Mapping[str, object]) -> None:
        """Compare with what somebody (`The policy of Octo`) declares.

        Raises:
            BadInput: It declares something else, or nothing.
        """
        for name, expected in self.facts().items():
            declared = conventions.get(name)
            if declared != expected:
                declaration = f"'{declared}'" if declared is not None else "nothing"
                raise BadInput(
                    f"{subject} declares {declaration} for the convention '{name}', and '{expected}' is taken here."
                )


def check_period(subject: str, seconds: float, period: float) -> None:
    """Whether somebody decides no faster than a robot takes commands.

    Args:
        subject: `The policy of Octo`.
        seconds: Between two of its motions.
        period: Of the robot's control, s.

    Raises:
        BadInput: It is faster: motions would be lost.
    """
    if seconds < period - 1e-9:
        raise BadInput(
            f"{subject} gives a motion every {seconds:.3g} s, and the robot takes one every {period:.3g} s: "
            "lower its rate."
        )
