"""The skill set `octo`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ConfigDict, Field

from homie.kernel.errors import BadInput, MissingCheckpoint
from homie.kernel.interfaces import Kinematics, Skill
from homie.kernel.robot.body import RobotSpec
from homie.kernel.support.packages import missing_part
from skills.effector.octo_actions import CONVENTIONS, HABITS, OTHERWISE, TEXT, Gripper, Statistics
from skills.effector.octo_chunks import Ensemble, RecedingHorizon
from skills.policies.effector import CameraName, DeviceName, EffectorSkill, MostMotions
from skills.policies.instructions import SentenceTemplates
from skills.policies.pacing import Overlap, pacing
from skills.policies.policy import Policy, PolicySet, Value
from skills.policies.text_table import TextTable

if TYPE_CHECKING:
    from skills.effector.octo_policy import OctoAhead, OctoPolicy, Texts

LENGTH = 4
"""Number of actions of a chunk."""


class OctoSettings(SentenceTemplates):
    """Settings of the skill set `octo` (`--skill-option octo.NAME=VALUE`)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tokenizer: Path | None = Field(default=None, description="Folder with tokenizer.json of T5-base.")
    embeddings: Path | None = Field(default=None, description="Table of T5's outputs, an .npz file, without tokenizer.")
    dataset: str = Field(default="bridge_dataset", description="The data set whose robot's motions the actions are.")
    execution: Literal["receding", "ensemble", "ahead"] = Field(
        default="ensemble",
        description="A chunk after the other, the mean of the last four at each step, or the next chunk asked for while"
        " the last is carried out (for robots on which time does not wait).",
    )
    execute: int = Field(
        default=LENGTH, ge=1, le=LENGTH, description="Motions of a chunk that are executed (receding)."
    )
    weight: float = Field(default=0.0, ge=0.0, description="How much less newer chunks count (ensemble).")
    early: int = Field(
        default=LENGTH // 2,
        ge=1,
        le=LENGTH - 1,
        description="Motions left when the next chunk is asked for (ahead).",
    )
    overlap: Overlap = Field(
        default="newest", description="Where chunks overlap: the newest, or the mean with the one before (ahead)."
    )
    rate: float | None = Field(default=None, gt=0.0, description="Motions per second; else the data set's.")
    steps: MostMotions = 120
    camera: CameraName = ""
    wrist: str = Field(default="", description="The robot's camera on the hand; empty: it sees without.")
    seed: int = Field(default=0, ge=0, description="Seed of the noise from which chunks are sampled.")
    device: DeviceName = "auto"


class OctoSkill(EffectorSkill):
    """Pick, Put, Open or Close by Octo."""

    model = "octo"


class Octo(PolicySet):
    """The manipulation skills of Octo. The constructor loads the network."""

    name = "octo"
    actions = ("Pick", "Put", "Open", "Close")
    meant_for = ("Open", "Close")
    about = "is best at opening and closing"
    Settings = OctoSettings
    extra = "policies"

    def __init__(self, argument: str = "", settings: OctoSettings | None = None) -> None:
        if not argument:
            raise MissingCheckpoint(
                "The skill set 'octo' has no checkpoint: give the folder of a release, octo:FOLDER."
            )
        self.settings = chosen = settings or OctoSettings()
        if (chosen.tokenizer is None) == (chosen.embeddings is None):
            raise BadInput(
                "Octo needs either `--skill-option octo.tokenizer=FOLDER` (tokenizer.json of T5-base) or a table of"
                " texts, `--skill-option octo.embeddings=FILE.npz`."
            )
        try:
            from skills.effector.octo_checkpoint import load_network, load_texts, read_release
        except ModuleNotFoundError as error:
            raise missing_part("Octo", error.name, self.extra) from error
        self.path = Path(argument)
        release = read_release(self.path)
        self.sha256 = release.sha256
        self.statistics = Statistics.of(release.extras.get("dataset_statistics.json"), chosen.dataset)
        self.texts: Texts = (
            TextTable.read(chosen.embeddings, TEXT)
            if chosen.embeddings is not None
            else load_texts(release, chosen.tokenizer or Path())
        )
        self.network = load_network(release, chosen.device)

    def policy(self) -> OctoPolicy | OctoAhead:
        from skills.effector.octo_policy import OctoAhead, OctoPolicy

        settings = self.settings
        habit = HABITS.get(settings.dataset, OTHERWISE)
        facts: dict[str, Value] = {
            "rate": settings.rate or habit.rate,
            "steps": settings.steps,
            "camera": settings.camera,
            "wrist": settings.wrist,
            "drives": False,
            **CONVENTIONS.facts(),
            **settings.facts(),
        }
        parts: dict[str, Any] = {
            "network": self.network,
            "texts": self.texts,
            "statistics": self.statistics,
            "gripper": Gripper(habit.sticky),
            "seed": settings.seed,
        }
        match settings.execution:
            case "ahead":
                return OctoAhead(facts={**facts, "ahead": settings.early, "overlap": settings.overlap}, **parts)
            case "receding":
                return OctoPolicy(chunks=RecedingHorizon(settings.execute), facts=facts, **parts)
            case "ensemble":
                return OctoPolicy(chunks=Ensemble(LENGTH, settings.weight), facts=facts, **parts)

    @classmethod
    def around(cls, policy: Policy, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        spec.require("Octo", "arm", "gripper", postures=True)
        pace = pacing(policy, spec.period)
        return [OctoSkill(policy, spec, kinematics, action, pace) for action in cls.actions]

    def describe(self) -> dict[str, object]:
        return self.describe_checkpoint(self.settings, "embeddings", "tokenizer")
