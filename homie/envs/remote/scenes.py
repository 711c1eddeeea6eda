"""Scenes of remote robots, as suites choose them."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from homie.kernel.scenes import Scenes, with_argument


class RemoteChoice(BaseModel):
    """The target or address of a task's robot, as after `remote:`; "" for that of `--robot`. The `seed` of the task is
    the seed of its scene."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    target: str = ""


class HabitatScenes(Scenes):
    """Scenes of the robot `habitat`, which executes whole actions, listed in its configuration."""

    skills = "own"


class RemoteScenes(Scenes):
    """Scenes of the robot `remote`. A suite need not choose one: `--robot remote:TARGET` then does."""

    Choice: ClassVar[type[BaseModel]] = RemoteChoice
    skills = "classical"

    def options(self, robot: str, choice: BaseModel) -> dict[str, Any]:
        assert isinstance(choice, RemoteChoice)
        if not choice.target:
            return {}
        return {"robot": with_argument(robot, choice.target, field="target", known="what is started", shown=False)}
