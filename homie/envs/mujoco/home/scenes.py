"""The generated houses as scenes, for suites and reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from pydantic import BaseModel

from homie.envs.mujoco.generate.generate import house_of
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.initial_state import initial_state
from homie.kernel.options import HouseOptions
from homie.kernel.scenes import Scenes
from homie.kernel.types import Observation
from homie.kernel.world.snapshot import WorldSnapshot


class HouseScenes(Scenes):
    """Scenes of the robot `mujoco`: houses by seed, or from a scene spec file."""

    Choice: ClassVar[type[BaseModel]] = HouseOptions

    def options(self, robot: str, choice: BaseModel) -> dict[str, Any]:
        return choice.model_dump(mode="json", exclude_unset=True)

    def begin(self, seed: int, chosen: Mapping[str, Any]) -> WorldSnapshot:
        return initial_state(house_of(HouseOptions.model_validate(dict(chosen)), seed, None))

    def initial_state(self, content: str) -> WorldSnapshot:
        return initial_state(SceneSpec.parse(content))

    def views(
        self, seed: int, chosen: Mapping[str, Any], number: int, picture_size: tuple[int, int], randomise: bool
    ) -> Iterator[Observation]:
        from homie.envs.mujoco.home.viewpoints import house_views  # it loads the simulator

        return house_views(seed, HouseOptions.model_validate(dict(chosen)), number, picture_size, randomise)
