"""Robots to be started, as suites choose them."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from homie.kernel.scenes import Scenes, with_argument


class RemoteChoice(BaseModel):
    """What is started for a task, or where it runs: what stands behind `remote:`, "" for that of `--robot`. `seed`
    beside it is that of its scene."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    target: str = ""


class HabitatScenes(Scenes):
    """Scenes of the robot `habitat`, which carries out whole actions: the configuration says which."""

    skills = "own"


class RemoteScenes(Scenes):
    """Scenes of the robot `remote`. A suite need not choose one: then `--robot remote:TARGET` does."""

    Choice: ClassVar[type[BaseModel]] = RemoteChoice
    skills = "classical"

    def options(self, robot: str, choice: BaseModel) -> dict[str, Any]:
        assert isinstance(choice, RemoteChoice)
        if not choice.target:
            return {}
        return {"robot": with_argument(robot, choice.target, field="target", known="what is started", shown=False)}
