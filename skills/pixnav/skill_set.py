"""The skill set `pixnav`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from homie.kernel.errors import MissingCheckpoint
from homie.kernel.interfaces import Kinematics, Skill
from homie.kernel.robot.body import RobotSpec
from homie.kernel.support.packages import missing_part
from skills.pixnav.goto import PixNavGoTo
from skills.policies.policy import Policy, PolicySet

if TYPE_CHECKING:
    from skills.pixnav.policy import PixNavPolicy


class PixNav(PolicySet):
    """Go to by a PixNav checkpoint. The constructor loads the network."""

    name = "pixnav"
    actions = ("Go to",)
    meant_for = ("Go to",)
    about = "goes to objects"
    extra = "policies"

    def __init__(self, argument: str = "") -> None:
        if not argument:
            raise MissingCheckpoint("The skill set 'pixnav' has no checkpoint: give one as pixnav:PATH.")
        try:
            from skills.pixnav.checkpoint import load_network
        except ModuleNotFoundError as error:
            raise missing_part("PixNav", error.name, self.extra) from error
        self.path = Path(argument)
        self.network, self.sha256 = load_network(self.path)

    def policy(self) -> PixNavPolicy:
        from skills.pixnav.policy import PixNavPolicy

        return PixNavPolicy(self.network)

    @classmethod
    def around(cls, policy: Policy, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        spec.require("PixNav", "base", "head", postures=True)
        return [PixNavGoTo(policy, spec, kinematics)]

    def describe(self) -> dict[str, object]:
        return {"checkpoint": str(self.path), "sha256": self.sha256}
