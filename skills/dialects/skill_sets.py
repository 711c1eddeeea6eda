"""`--skills openpi:ws://HOST:PORT`, `vla-eval:`, `xpolicylab:`, `gr00t:tcp://...`: policies on other servers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from homie.kernel.interfaces import Kinematics, Skill, SkillSet
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Command
from skills.dialects.client import DialectPolicy, DialectSettings
from skills.dialects.gr00t import Gr00tPolicy, Gr00tSettings
from skills.dialects.openpi import OpenPiPolicy, OpenPiSettings
from skills.dialects.vla_eval import VlaEvalPolicy, VlaEvalSettings
from skills.dialects.xpolicylab import XPolicyLabPolicy, XPolicyLabSettings
from skills.policies.effector import EffectorSkill
from skills.policies.motions import Motion, rotation_matrix, rotation_vector
from skills.policies.pacing import pacing
from skills.policies.policy import Value

ACTIONS = ("Pick", "Put", "Open", "Close")


class DialectSkill(EffectorSkill):
    """Pick, Put, Open or Close by a policy that also takes the pose of the hand, and may return poses."""

    def _policy_inputs(self) -> dict[str, Value]:
        hand = self.kinematics.forward(self.q)
        fingers, base = self.seen.body.gripper, self.seen.body.base
        return {
            **super()._policy_inputs(),
            "position": hand.position,
            "rotation": hand.rotation,
            "base": np.array([base.x, base.y, base.yaw]),
            "fingers": fingers,
            "opening": min(fingers / self.spec.gripper_max, 1.0),
        }

    def _commands_of(self, motion: Motion, periods: int) -> list[Command]:
        if self.policy.facts["absolute"]:  # convert the target pose to a motion from the last target
            last = self._target()
            turn = rotation_vector(rotation_matrix(motion.rotation) @ last.rotation.T)
            motion = replace(motion, translation=motion.translation - last.position, rotation=turn)
        return super()._commands_of(motion, periods)


class OpenPiSkill(DialectSkill):
    model = "openpi"


class VlaEvalSkill(DialectSkill):
    model = "vla-eval"


class XPolicyLabSkill(DialectSkill):
    model = "xpolicylab"


class Gr00tSkill(DialectSkill):
    model = "gr00t"


class DialectSet(SkillSet):
    """A skill set whose policy runs on another toolkit's server.

    Args:
        argument: `ws://HOST:PORT`; for GR00T `tcp://HOST:PORT`.
        settings: Conventions, cameras, instruction templates, deadlines.

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
        return {"server": policy.url, **declared, "conventions": policy.layout.to_dict()}

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


class XPolicyLab(DialectSet):
    """The skill set of policies on servers of XPolicyLab."""

    name = "xpolicylab"
    about = "does things as a policy on a server of XPolicyLab has learned them"
    Settings = XPolicyLabSettings
    Policy = XPolicyLabPolicy
    skill = XPolicyLabSkill


class Gr00t(DialectSet):
    """The skill set of policies on servers of Isaac GR00T."""

    name = "gr00t"
    about = "does things as a policy on a server of Isaac GR00T has learned them"
    extra = "gr00t"
    Settings = Gr00tSettings
    Policy = Gr00tPolicy
    skill = Gr00tSkill
