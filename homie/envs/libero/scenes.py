"""Scenes of LIBERO, as suites choose them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from homie.envs.libero.tasks import find_task
from homie.kernel.scenes import Scenes, with_argument


class LiberoChoice(BaseModel):
    """A task by its number in a suite of LIBERO. The `seed` of a suite's task selects the published initial state."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    suite: str = "libero_goal"
    task: int = Field(ge=0)


class LiberoScenes(Scenes):
    """Scenes of the robot `libero`. Each has its own task."""

    Choice: ClassVar[type[BaseModel]] = LiberoChoice
    skills = "classical"

    def options(self, robot: str, choice: BaseModel) -> dict[str, Any]:
        assert isinstance(choice, LiberoChoice)
        argument = f"{choice.suite}/{choice.task}"
        return {"robot": with_argument(robot, argument, field="task", known="which task it is")}

    def instruction(self, argument: str, seed: int, file: Path | None) -> str:
        return find_task(argument).text
