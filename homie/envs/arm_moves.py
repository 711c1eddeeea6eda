"""Move in a world: reading its seven numbers, and writing places as cells. The numbers themselves are a skill's."""

from __future__ import annotations

from typing import Protocol

from homie.kernel import registry
from homie.kernel.errors import BadInput
from homie.kernel.types import Array, Pose


class ArmActions(Protocol):
    """Actions of seven numbers (`skills.discrete_actions.arm_actions.ArmAction`), found by name."""

    @classmethod
    def read(cls, text: str) -> ArmActions: ...
    @classmethod
    def reaching(cls, pose: Pose, *, open: bool) -> ArmActions: ...
    @staticmethod
    def place(point: Array) -> str: ...
    @property
    def pose(self) -> Pose: ...
    @property
    def gripper(self) -> Pose: ...


def arm_actions() -> type[ArmActions]:
    """The arm actions that are registered."""
    actions: type[ArmActions] = registry.load("actions", "arm")
    return actions


def numbers_of(words: str) -> str | None:
    """The numbers of a Move as they are written, None for what is none."""
    try:
        return str(arm_actions().read(words))
    except BadInput:
        return None


def objection_to(words: str) -> str:
    """Why a text is no Move, for the planner; "" for one."""
    try:
        arm_actions().read(words)
    except BadInput as wrong:
        return f"Unable to move to {words}: {wrong}"
    return ""
