"""Conventions of hand motions, declared by a policy and compared with those of the skill that executes them.

A policy with other conventions than the skill around it is refused before the first command; nothing is converted
silently. Conversions belong in the policy, which then declares the conventions of its output.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal

from homie.kernel.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class HandConventions:
    """Meaning of the numbers of one motion of the hand.

    Args:
        position: `delta` adds to the previous target of the hand, `absolute` is the target itself; m.
        frame: Frame of positions and rotations.
        rotation: `rotation-vector` (axis times angle), `euler-xyz` (roll, pitch, yaw about fixed axes), rad;
            `quaternion` (w, x, y, z); `none`.
        gripper: Which end of 0..1 is an open gripper: `open-is-1` or `open-is-0`.

    Example:
        >>> HandConventions(position="delta", frame="base", rotation="rotation-vector", gripper="open-is-1").facts()
        {'position': 'delta', 'frame': 'base', 'rotation': 'rotation-vector', 'gripper': 'open-is-1'}
    """

    position: Literal["delta", "absolute"]
    frame: Literal["base", "gripper"]
    rotation: Literal["rotation-vector", "euler-xyz", "quaternion", "none"]
    gripper: Literal["open-is-1", "open-is-0"]

    def facts(self) -> dict[str, str]:
        """Return the conventions by name, as a policy declares them."""
        return {field.name: str(getattr(self, field.name)) for field in fields(self)}

    def check(self, subject: str, conventions: Mapping[str, object]) -> None:
        """Compare with the declared conventions of a policy (`subject`: `The policy of Octo`).

        Raises:
            BadInput: A declared convention differs or is missing.
        """
        for name, expected in self.facts().items():
            declared = conventions.get(name)
            if declared != expected:
                declaration = f"'{declared}'" if declared is not None else "nothing"
                raise BadInput(
                    f"{subject} declares {declaration} for the convention '{name}', and '{expected}' is taken here."
                )


def check_period(subject: str, seconds: float, period: float) -> None:
    """Check that a policy is not faster than the control rate of the robot.

    Args:
        subject: The policy in messages: `The policy of Octo`.
        seconds: Time between two of its motions, s.
        period: Control period of the robot, s.

    Raises:
        BadInput: It is faster: motions would be lost.
    """
    if seconds < period - 1e-9:
        raise BadInput(
            f"{subject} gives a motion every {seconds:.3g} s, and the robot takes one every {period:.3g} s: "
            "lower its rate."
        )
