"""The skill set `rt1x`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import ConfigDict, Field

from homie.kernel.errors import BadInput, MissingCheckpoint
from homie.kernel.interfaces import Kinematics, Skill
from homie.kernel.robot.body import RobotSpec
from homie.kernel.support.packages import missing_part
from skills.effector.rt1x_actions import CONVENTIONS, EMBODIMENTS, RATE, TEXT
from skills.policies.effector import CameraName, DeviceName, EffectorSkill, MostMotions
from skills.policies.instructions import Templates
from skills.policies.policy import Policy, PolicySet, Value
from skills.policies.text_table import TextTable

if TYPE_CHECKING:
    from skills.effector.rt1x_policy import Rt1xPolicy


class Rt1xSettings(Templates):
    """Settings of the skill set `rt1x` (`--skill-option rt1x.NAME=VALUE`)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    embeddings: Path | None = Field(default=None, description="Table of text embeddings, an .npz file.")
    embodiment: Literal["google", "widowx"] = Field(default="google", description="Whose motions the actions are.")
    history: Literal["repeat", "grow"] = Field(
        default="repeat", description="Before the 15th frame: the first one repeated, or a shorter history."
    )
    drive: bool = Field(default=True, description="Whether motions of the base count.")
    rate: float = Field(default=RATE, gt=0.0, description="Motions per second.")
    steps: MostMotions = 90
    camera: CameraName = ""
    device: DeviceName = "auto"


class Rt1xSkill(EffectorSkill):
    """Pick, Put, Open or Close by RT-1-X."""

    model = "rt1x"


class Rt1x(PolicySet):
    """The manipulation skills of RT-1-X. The constructor loads the network."""

    name = "rt1x"
    actions = ("Pick", "Put", "Open", "Close")
    meant_for = ("Pick", "Put")
    about = "is best at picking and putting"
    Settings = Rt1xSettings
    extra = "policies"

    def __init__(self, argument: str = "", settings: Rt1xSettings | None = None) -> None:
        if not argument:
            raise MissingCheckpoint("The skill set 'rt1x' has no checkpoint: give one as rt1x:PATH/checkpoint.")
        self.settings = settings or Rt1xSettings()
        if self.settings.embeddings is None:
            raise BadInput(
                "RT-1-X takes texts from a table of embeddings: give one by `--skill-option rt1x.embeddings=FILE.npz`."
            )
        self.texts = TextTable.read(self.settings.embeddings, (TEXT,))
        try:
            from skills.effector.rt1x_checkpoint import load_network
        except ModuleNotFoundError as error:
            raise missing_part("RT-1-X", error.name, self.extra) from error
        self.path = Path(argument)
        self.network, self.sha256 = load_network(self.path, self.settings.device)

    def policy(self) -> Rt1xPolicy:
        from skills.effector.rt1x_policy import Rt1xPolicy

        settings = self.settings
        facts: dict[str, Value] = {
            "rate": settings.rate,
            "steps": settings.steps,
            "camera": settings.camera,
            "wrist": "",
            **CONVENTIONS.facts(),
            "drives": settings.drive,
            **settings.facts(),
        }
        return Rt1xPolicy(
            network=self.network,
            texts=self.texts,
            embodiment=EMBODIMENTS[settings.embodiment](),
            facts=facts,
            history=settings.history,
        )

    @classmethod
    def around(cls, policy: Policy, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        spec.require("RT-1-X", "arm", "gripper", postures=True)
        return [Rt1xSkill(policy, spec, kinematics, action) for action in cls.actions]

    def describe(self) -> dict[str, object]:
        return self.describe_checkpoint(self.settings, "embeddings")
