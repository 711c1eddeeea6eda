"""The Move action in an environment: parse its seven numbers, write positions as cells. A skill defines the format."""

from __future__ import annotations

from typing import Protocol

from homie.kernel import registry
from homie.kernel.errors import BadInput
from homie.kernel.types import Array, Pose


class ArmActions(Protocol):
    """Interface of seven-number actions (`skills.discrete_actions.arm_actions.ArmAction`), loaded from the registry."""

    @classmethod
    def read(cls, text: str) -> ArmActions: ...
    @classmethod
    def from_pose(cls, pose: Pose, *, open: bool) -> ArmActions: ...
    @staticmethod
    def place(point: Array) -> str: ...
    @property
    def pose(self) -> Pose: ...
    @property
    def gripper(self) -> Pose: ...


def arm_actions() -> type[ArmActions]:
    """Load the registered class of arm actions."""
    actions: type[ArmActions] = registry.load("actions", "arm")
    return actions


def numbers_of(words: str) -> str | None:
    """Return the numbers of a Move in canonical form, None if the text is not a Move."""
    try:
        return str(arm_actions().read(words))
    except BadInput:
        return None


def objection_to(words: str) -> str:
    """Explain to the planner why a text is not a valid Move; "" if it is one."""
    try:
        arm_actions().read(words)
    except BadInput as wrong:
        return f"Unable to move to {words}: {wrong}"
    return ""
