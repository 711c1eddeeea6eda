"""The skill set `nomad`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from homie.kernel.errors import MissingCheckpoint
from homie.kernel.interfaces import Kinematics, Skill
from homie.kernel.robot.body import RobotSpec
from homie.kernel.support.packages import missing_part
from skills.nomad.goto import NomadGoTo
from skills.nomad.topomap import TopoMap, load
from skills.policies.policy import Policy, PolicySet

if TYPE_CHECKING:
    from skills.nomad.policy import NomadPolicy


class NomadSettings(BaseModel):
    """Settings of the skill set `nomad` (`--skill-option nomad.NAME=VALUE`)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    topomap: Path | None = Field(
        default=None, description="Folder of a topological map: 0.png, 1.png, ..., names.json."
    )
    explore_seconds: float = Field(
        default=30.0,
        ge=0.0,
        le=180.0,
        description="How long to explore for a target that is not on the map nor in sight.",
    )
    seed: int = Field(default=0, ge=0, description="Seed of the noise from which paths are sampled.")


class Nomad(PolicySet):
    """Go to by `nomad.pth`. The constructor loads the network."""

    name = "nomad"
    actions = ("Go to",)
    meant_for = ("Go to",)
    about = "goes to places, such as rooms and large furniture"
    Settings = NomadSettings
    extra = "policies"

    def __init__(self, argument: str = "", settings: NomadSettings | None = None) -> None:
        if not argument:
            raise MissingCheckpoint("The skill set 'nomad' has no checkpoint: give one as nomad:PATH/nomad.pth.")
        self.settings = settings or NomadSettings()
        self.chart: TopoMap | None = load(self.settings.topomap) if self.settings.topomap is not None else None
        try:
            from skills.nomad.checkpoint import load_network
        except ModuleNotFoundError as error:
            raise missing_part("NoMaD", error.name, self.extra) from error
        self.path = Path(argument)
        self.network, self.sha256 = load_network(self.path)

    def policy(self) -> NomadPolicy:
        from skills.nomad.policy import NomadPolicy

        settings = self.settings
        return NomadPolicy(self.network, self.chart, explore_seconds=settings.explore_seconds, seed=settings.seed)

    @classmethod
    def around(cls, policy: Policy, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        spec.require("NoMaD", "base", postures=True)
        return [NomadGoTo(policy, spec, kinematics)]

    def describe(self) -> dict[str, object]:
        nodes = len(self.chart.nodes) if self.chart is not None else 0
        return self.describe_checkpoint(self.settings, "topomap", map_nodes=nodes)
