"""Scenes of AI2-THOR, as suites choose them: settings of the robot."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel

from homie.envs.thor.settings import ThorSettings
from homie.kernel.scenes import Scenes


class ThorScenes(Scenes):
    """Scenes of the robot `thor`: the `scene` of a suite's task contains settings of the robot."""

    Choice: ClassVar[type[BaseModel]] = ThorSettings
    skills = "own"

    def options(self, robot: str, choice: BaseModel) -> dict[str, Any]:
        return {"robot_settings": choice.model_dump(mode="json", exclude_unset=True)}
