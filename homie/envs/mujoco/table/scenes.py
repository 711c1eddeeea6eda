"""Scenes of the table robot, as suites choose them and reports draw them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from homie.envs.mujoco.table.sampled_tables import scene_of
from homie.envs.mujoco.table.table_scene import Family
from homie.kernel.scenes import Scenes, with_argument


class TableChoice(BaseModel):
    """The task family from which the seed samples a table."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    family: Family | None = None


class TableScenes(Scenes):
    """Scenes of the robot `franka`: tables by family and seed, or from a file. Each has its own task."""

    Choice: ClassVar[type[BaseModel]] = TableChoice
    skills = "arm"
    expert = "table-expert"

    def options(self, robot: str, choice: BaseModel) -> dict[str, Any]:
        assert isinstance(choice, TableChoice)
        if choice.family is None:
            return {}
        known = f"which family of tasks it is ({choice.family})"
        return {"robot": with_argument(robot, choice.family, field="family", known=known)}

    def instruction(self, argument: str, seed: int, file: Path | None) -> str:
        return scene_of(argument, seed, file).instruction
