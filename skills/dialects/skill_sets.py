"""`--skills openpi:ws://HOST:PORT` and `vla-eval:ws://HOST:PORT`: policies on servers of others move the hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from homie.kernel.interfaces import Kinematics, Skill, SkillSet
from homie.kernel.robot.body import RobotSpec
from skills.dialects.client import DialectPolicy, DialectSettings
from skills.dialects.openpi import OpenPiPolicy, OpenPiSettings
from skills.dialects.vla_eval import VlaEvalPolicy, VlaEvalSettings
from skills.policies.effector import EffectorSkill
from skills.policies.pacing import pacing
from skills.policies.policy import Value

ACTIONS = ("Pick", "Put", "Open", "Close")


class DialectSkill(EffectorSkill):
    """Pick, Put, Open or Close by a policy that also takes the pose of the hand."""

    def _given(self) -> dict[str, Value]:
        hand = self.kinematics.forward(self.q)
        fingers = self.seen.body.gripper
        return {**super()._given(), "position": hand.position, "rotation": hand.rotation, "fingers": fingers}


class OpenPiSkill(DialectSkill):
    model = "openpi"


class VlaEvalSkill(DialectSkill):
    model = "vla-eval"


class DialectSet(SkillSet):
    """A skill set whose policy runs on a server of others.

    Args:
        argument: `ws://HOST:PORT`.
        settings: Conventions, cameras, wording, deadlines.

    Raises:
        BadInput: The address, the token or a convention is wrong.
        InfrastructureError: No such server answers.
    """

    actions = ACTIONS
    extra = "remote"
    Settings: ClassVar[type[DialectSettings]]
    skill: ClassVar[type[DialectSkill]]
    Policy: ClassVar[type[DialectPolicy]]

    def __init__(self, argument: str = "", settings: DialectSettings | None = None) -> None:
        self._policy = self.Policy(argument, settings or self.Settings())

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> Sequence[Skill]:
        spec.require(f"The skill set '{self.name}'", "arm", "gripper", postures=True)
        pace = pacing(self._policy, spec.period)
        return [self.skill(self._policy, spec, kinematics, action, pace) for action in self.actions]

    def describe(self) -> dict[str, object]:
        policy = self._policy
        declared = {key: value for key, value in policy.welcome.items() if isinstance(value, str | int | float)}
        return {"server": policy.url, **declared, "conventions": policy.layout.declared()}

    def close(self) -> None:
        self._policy.close()


class OpenPi(DialectSet):
    """The skill set of policies on servers of openpi."""

    name = "openpi"
    about = "does things as a policy on a server of openpi has learned them"
    Settings = OpenPiSettings
    Policy = OpenPiPolicy
    skill = OpenPiSkill


class VlaEval(DialectSet):
    """The skill set of policies on model servers of vla-eval."""

    name = "vla-eval"
    about = "does things as a policy on a model server of vla-eval has learned them"
    Settings = VlaEvalSettings
    Policy = VlaEvalPolicy
    skill = VlaEvalSkill
