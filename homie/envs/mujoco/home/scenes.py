"""The generated houses, as suites choose them and as reports draw them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.generate.variation import Variation
from homie.envs.mujoco.house.outset import outset
from homie.envs.mujoco.house.spec import SceneSpec
from homie.kernel.scenes import Scenes
from homie.kernel.world import WorldSnapshot


class HouseChoice(BaseModel):
    """How the house of a seed is made (docs/scene-spec.md): what is not given is as the seed has it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rooms: int | None = Field(default=None, ge=2, le=6)
    objects: int = Field(default=40, ge=0, le=60)
    start: str | None = None
    opened: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    clutter: Literal["tidy", "messy"] = "tidy"


class HouseScenes(Scenes):
    """Scenes of the robot `mujoco`: houses by seed, or from a scene spec file."""

    Choice: ClassVar[type[BaseModel]] = HouseChoice

    def options(self, robot: str, choice: BaseModel) -> dict[str, Any]:
        return choice.model_dump(mode="json", exclude_unset=True)

    def begin(self, seed: int, chosen: Mapping[str, Any]) -> WorldSnapshot:
        choice = HouseChoice.model_validate(dict(chosen))
        variation = Variation(choice.start, choice.opened, choice.added, choice.clutter)
        return outset(generate(seed, choice.rooms, choice.objects, variation))

    def outset(self, content: str) -> WorldSnapshot:
        return outset(SceneSpec.parse(content))
