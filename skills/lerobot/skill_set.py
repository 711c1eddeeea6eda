"""The skill set `lerobot`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from pydantic import ConfigDict, Field

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Kinematics, Skill
from homie.kernel.robot.body import RobotSpec
from homie.kernel.robot.hand_numbers import goal_numbers, pose_numbers, state_numbers
from homie.kernel.support.checksums import fingerprint
from homie.kernel.support.packages import missing_part
from skills.lerobot.checkpoint import WEIGHTS, read_description
from skills.policies.effector import DeviceName, EffectorSkill, MostMotions
from skills.policies.instructions import Templates
from skills.policies.motions import CONVENTIONS
from skills.policies.policy import Policy, PolicySet, Value

if TYPE_CHECKING:
    from skills.lerobot.policy import LeRobotPolicy


SHIPPED = Path(__file__).parent / "weights"
"""Pick of the Panda on its table; README.md in it says how it was trained."""


class LeRobotSettings(Templates):
    """Settings of the skill set `lerobot` (`--skill-option lerobot.NAME=VALUE`)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    action: Literal["Pick", "Put", "Open", "Close"] = Field(default="Pick", description="The action it was trained on.")
    rate: float | None = Field(
        default=None,
        gt=0.0,
        description="Frames per second of its data set, if that is not there any more.",
    )
    steps: MostMotions = 150
    device: DeviceName = "auto"


class LeRobotSkill(EffectorSkill):
    """One action by a policy of LeRobot, which gets poses of the hand and the place of the target."""

    model = "lerobot"

    def __init__(self, policy: Policy, spec: RobotSpec, kinematics: Kinematics, action: str) -> None:
        super().__init__(policy, spec, kinematics, action)
        self.eyes = {camera: camera for camera in str(policy.facts["cameras"]).split()}

    def _policy_inputs(self) -> dict[str, Value]:
        body = self.seen.body
        opening, goal = body.gripper / self.spec.gripper_max, goal_numbers(self.goal, body.base)
        return {
            **super()._policy_inputs(),
            "state": state_numbers(self.kinematics.forward(self.q), opening, body.holding, goal),
            "goal": goal,
            "begin": pose_numbers(self._target(), goal),
        }


class LeRobot(PolicySet):
    """An action of the hand by a checkpoint of LeRobot: a folder with `config.json` and `model.safetensors`, or the one
    that ships. The constructor loads it."""

    name = "lerobot"
    actions = ("Pick", "Put", "Open", "Close")
    about = "has a learned policy for one action"
    Settings = LeRobotSettings
    extra = "lerobot-policies"

    def __init__(self, argument: str = "", settings: LeRobotSettings | None = None) -> None:
        self.settings = settings or LeRobotSettings()
        path = Path(argument).expanduser() if argument else SHIPPED
        self.path = path.parent if path.name == WEIGHTS else path
        self.description = read_description(self.path)
        self.actions = (self.settings.action,)  # type: ignore[misc, assignment]
        rate = self.settings.rate or self.description.rate
        if rate is None:
            raise BadInput(
                f"Nothing beside {self.path} says how many frames a second its data set has: give them by "
                "`--skill-option lerobot.rate=10`."
            )
        self._rate = rate
        try:
            from skills.lerobot.policy import load
        except ModuleNotFoundError as error:
            package, _, _ = (error.name or "").partition(".")
            raise missing_part("A policy of LeRobot", package, self.extra) from error
        self._loaded = load(self.path, self.description, self.settings.device)
        self.sha256 = fingerprint(self.path / WEIGHTS)

    def policy(self) -> LeRobotPolicy:
        from skills.lerobot.policy import LeRobotPolicy

        facts: dict[str, Value] = {
            "action": self.settings.action,
            "rate": self._rate,
            "steps": self.settings.steps,
            "camera": "",
            "wrist": "",
            "cameras": " ".join(self.description.cameras),
            "drives": False,
            **CONVENTIONS.facts(),
            **self.settings.facts(),
        }
        return LeRobotPolicy(self._loaded, self.description, facts)

    @classmethod
    def around(cls, policy: Policy, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        spec.require("LeRobot", "arm", "gripper", postures=True)
        return [LeRobotSkill(policy, spec, kinematics, cast(str, policy.facts["action"]))]

    def describe(self) -> dict[str, object]:
        return self.describe_checkpoint(self.settings, kind=self.description.kind)
